import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * An in-memory SQL database at work: rows come and go, are changed, searched and added up. The
 * database is whatever JDBC driver of the class path takes the address; it is foreign code, with
 * its own classes, caches and statements, that this program only speaks SQL with.
 */
public final class Database {
    private static final int LETTERS = 40;
    /** A share of the rows that a round replaces, and as many that it changes. */
    private static final int SHARE = 10;
    private static final int FAMILIES = 16;

    private final Connection connection;
    private final int rows;
    private final long[] balances;
    private final Run run;
    private long inserted;
    private long updated;
    private long queried;

    private Database(Connection connection, int rows, Run run) {
        this.connection = connection;
        this.rows = rows;
        this.balances = new long[rows];
        this.run = run;
    }

    public static void main(String[] words) throws SQLException {
        Args args = new Args("Database", words);
        int rows = args.count("rows", 10_000, SHARE, 1_000_000, "in the table");
        long rounds = args.number("rounds", 20, 0, 1_000_000, "of changes and queries");
        Run run = args.start();
        String url = "jdbc:h2:mem:";
        try (Connection connection = connect(url, args)) {
            Database database = new Database(connection, rows, run);
            database.create();
            long done = 0;
            for (; run.more(done, rounds); done++) {
                database.round(done);
            }
            long sum = database.check();
            run.truth(database, "rows=%d rounds=%d inserted=%d updated=%d queried=%d sum=%d", rows,
                done, database.inserted, database.updated, database.queried, sum);
        }
    }

    private static Connection connect(String url, Args args) throws SQLException {
        try {
            return DriverManager.getConnection(url);
        } catch (SQLException e) {
            if (!DriverManager.drivers().findAny().isPresent()) {
                throw args.refuse(url, "no driver on the class path; h2.jar has one");
            }
            throw e;
        }
    }

    private void create() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table account(id int primary key, family int not null, "
                + "name varchar(80) not null, balance bigint not null)");
            statement.execute("create index by_name on account(name)");
        }
        for (int first = 0; first < rows; first += 1000) {
            insert(first, Math.min(rows, first + 1000), 0);
        }
    }

    /** Replaces a share of the rows, changes another, and asks for sums and for names. */
    private void round(long number) throws SQLException {
        int share = rows / SHARE;
        int first = (int) (number % SHARE) * share;
        try (PreparedStatement delete = connection.prepareStatement(
                "delete from account where id >= ? and id < ?")) {
            delete.setInt(1, first);
            delete.setInt(2, first + share);
            expect("rows deleted", delete.executeUpdate(), share);
        }
        insert(first, first + share, number + 1);
        update((int) ((number + SHARE / 2) % SHARE) * share, share, number);
        query(number);
    }

    private void insert(int from, int to, long number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into account values(?, ?, ?, ?)")) {
            for (int id = from; id < to; id++) {
                balances[id] = Math.floorMod(Run.mix(number, id), 1_000_000);
                insert.setInt(1, id);
                insert.setInt(2, id % FAMILIES);
                insert.setString(3, name(id, number));
                insert.setLong(4, balances[id]);
                insert.addBatch();
            }
            insert.executeBatch();
            inserted += to - from;
        }
    }

    private void update(int from, int count, long number) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "update account set balance = balance + ? where id = ?")) {
            for (int id = from; id < from + count; id++) {
                balances[id] += number;
                update.setLong(1, number);
                update.setInt(2, id);
                expect("rows changed", update.executeUpdate(), 1);
            }
            updated += count;
        }
    }

    private void query(long number) throws SQLException {
        long[] sums = new long[FAMILIES];
        for (int id = 0; id < rows; id++) {
            sums[id % FAMILIES] += balances[id];
        }
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(
                    "select family, sum(balance) from account group by family order by family")) {
            while (found.next()) {
                expect("sum of a family", found.getLong(2), sums[found.getInt(1)]);
                queried++;
            }
        }
        try (PreparedStatement select = connection.prepareStatement(
                "select id, name from account where name like ? order by name desc")) {
            select.setString(1, (char) ('a' + number % 26) + "%");
            try (ResultSet found = select.executeQuery()) {
                while (found.next()) {
                    expect("letters of a name", found.getString(2).length(), LETTERS);
                    queried++;
                }
            }
        }
    }

    /** The table against our own account of it; returns the sum of all balances. */
    private long check() throws SQLException {
        long sum = 0;
        for (long balance : balances) {
            sum += balance;
        }
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(
                    "select count(*), sum(balance) from account")) {
            found.next();
            expect("rows", found.getLong(1), rows);
            expect("sum of the balances", found.getLong(2), sum);
        }
        return sum;
    }

    private static String name(int id, long number) {
        StringBuilder name = new StringBuilder(LETTERS);
        long hash = Run.mix(id, number);
        while (name.length() < LETTERS) {
            hash = Run.mix(hash, name.length());
            name.append((char) ('a' + Math.floorMod(hash, 26)));
        }
        return name.toString();
    }

    private void expect(String what, long found, long expected) {
        if (found != expected) {
            throw run.broken(what, found, expected);
        }
    }
}
