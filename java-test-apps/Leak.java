import java.util.Random;

/**
 * A leak of a known rate from one known site, {@code Leak.retain}, amid garbage of other sites.
 * Each leaked record is a node of a list and its payload; all records stay reachable to the end.
 */
public final class Leak {
    static final class Record {
        final Record older;
        final byte[] payload;

        Record(Record older, byte[] payload) {
            this.older = older;
            this.payload = payload;
        }
    }

    private static final int NOISE_MIN = 16;
    private static final int NOISE_MAX = 1024;

    private static byte[] sink;

    private final int size;
    private Record newest;

    private Leak(int size) {
        this.size = size;
    }

    public static void main(String[] words) {
        Args args = new Args("Leak", words);
        long rate = args.size("rate", 8L << 20, 1, 1L << 40, "leaked bytes a second");
        long total = args.size("total", 24L << 20, 0, 1L << 40, "bytes to leak, then no more");
        int size = (int) args.size("size", 1000, 0, 1L << 29, "payload of a leaked record");
        long noise = args.number("noise", 4, 0, 1000, "bytes of garbage per leaked byte");
        long seed = args.number("seed", 42, 0, 999_999_999_999L, "of the random garbage");
        Run run = args.start();

        long record = Sizes.of(() -> new Record(null, null)) + Sizes.byteArray(size);
        Random random = new Random(seed);
        Leak leak = new Leak(size);
        long records = 0;
        long garbage = 0;
        long garbageObjects = 0;
        while (run.more(records * record, total)) {
            if (records * record < total) {
                leak.retain();
                records++;
            }
            long due = noise * record;
            while (due > 0) {
                long made = noise(random);
                due -= made;
                garbage += made;
                garbageObjects++;
            }
            run.pace(records * record, rate);
            if (records * record >= total) {
                run.pause(1);
            }
        }
        sink = null;

        long found = 0;
        for (Record r = leak.newest; r != null; r = r.older) {
            found += r.payload.length == size ? 1 : 0;
        }
        if (found != records) {
            throw run.broken("leaked records", found, records);
        }
        run.truth(leak, "site=Leak.retain records=%d garbage=%d objects=%d allocated=%d "
            + "survivors=%d live=%d", records, garbage, 2 * records + garbageObjects,
            records * record + garbage, 2 * records, records * record);
    }

    /** The site that leaks. */
    private void retain() {
        newest = new Record(newest, new byte[size]);
    }

    /** A site that allocates much and keeps nothing; returns the bytes that it allocated. */
    private static long noise(Random random) {
        sink = new byte[NOISE_MIN + random.nextInt(NOISE_MAX - NOISE_MIN + 1)];
        return Sizes.byteArray(sink.length);
    }
}
