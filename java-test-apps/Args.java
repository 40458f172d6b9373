import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The options of a test program, written key=value. A program declares an option by asking for its
 * value; {@link #start} then refuses whatever nobody asked for. The word "help" prints what was
 * declared. A bad option ends the process with status 2 and one line on standard error that names
 * the option and its valid values. Main thread only.
 */
final class Args {
    private static final long DAY = 24 * 60 * 60;

    final String program;
    private final Map<String, String> given = new LinkedHashMap<>();
    private final Map<String, String> declared = new LinkedHashMap<>();
    private final boolean help;

    Args(String program, String[] words) {
        this.program = program;
        boolean helpWanted = false;
        for (String word : words) {
            int equals = word.indexOf('=');
            if (word.equals("help")) {
                helpWanted = true;
            } else if (equals <= 0) {
                refuse(word, "not of the form key=value, nor help");
            } else if (given.put(word.substring(0, equals), word.substring(equals + 1)) != null) {
                refuse(word.substring(0, equals), "given twice");
            }
        }
        help = helpWanted;
    }

    /** A whole number in least..most. */
    long number(String name, long fallback, long least, long most, String meaning) {
        declared.put(name, line(fallback + "", least + ".." + most, meaning));
        String text = given.get(name);
        if (text == null) {
            return fallback;
        }
        long value = digits(text, 1);
        if (value < least || value > most) {
            refuse(name + "=" + text, "must be a whole number in " + least + ".." + most);
        }
        return value;
    }

    /** The same where an int is wanted: for counts of array elements and of threads. */
    int count(String name, int fallback, int least, int most, String meaning) {
        return (int) number(name, fallback, least, most, meaning);
    }

    /** A number of bytes in least..most; the suffixes k, m and g stand for powers of 1024. */
    long size(String name, long fallback, long least, long most, String meaning) {
        String range = brief(least) + ".." + brief(most);
        declared.put(name, line(brief(fallback), range, meaning));
        String text = given.get(name);
        if (text == null) {
            return fallback;
        }
        long value = bytes(text);
        if (value < least || value > most) {
            refuse(name + "=" + text, "must be bytes in " + range + ", suffix k, m or g");
        }
        return value;
    }

    /** One word of a list, of which the first is the default. */
    String choice(String name, String meaning, String... allowed) {
        String list = String.join("|", allowed);
        declared.put(name, line(allowed[0], list, meaning));
        String text = given.getOrDefault(name, allowed[0]);
        for (String word : allowed) {
            if (word.equals(text)) {
                return word;
            }
        }
        throw refuse(name + "=" + text, "must be " + list);
    }

    /** Ends the declarations of a program that is bound by its work by default. */
    Run start() {
        return start(0, "run for that long, 0 = until the work is done");
    }

    /** Declares the options that every program has, refuses unknown ones and starts the clock. */
    Run start(long secondsFallback, String secondsMeaning) {
        long seconds = number("seconds", secondsFallback, 0, DAY, secondsMeaning);
        long hold = number("hold", 0, 0, DAY, "seconds to keep the survivors after the truth line");
        for (String name : given.keySet()) {
            if (!declared.containsKey(name)) {
                refuse(name, "no such option; allowed: " + String.join(", ", declared.keySet()));
            }
        }
        if (help) {
            declared.forEach((name, text) -> System.out.printf("%-10s %s%n", name, text));
            System.exit(0);
        }
        return new Run(program, seconds, hold);
    }

    /** Ends the process with status 2. The exception exists for callers that must not go on. */
    IllegalArgumentException refuse(String subject, String why) {
        System.err.println(program + ": " + subject + ": " + why);
        System.exit(2);
        return new IllegalArgumentException(subject);
    }

    /** The bytes that a text like 48m stands for, or -1. */
    static long bytes(String text) {
        int shift = " kmg".indexOf(text.isEmpty() ? '?' : text.charAt(text.length() - 1));
        return shift <= 0
            ? digits(text, 1)
            : digits(text.substring(0, text.length() - 1), 1L << (10 * shift));
    }

    /** At most twelve digits times a unit, or -1 for anything else: no overflow is possible. */
    private static long digits(String text, long unit) {
        if (!text.matches("[0-9]{1,12}")) {
            return -1;
        }
        long value = Long.parseLong(text);
        return value > Long.MAX_VALUE / unit ? -1 : value * unit;
    }

    private static String brief(long bytes) {
        String[] suffix = {"", "k", "m", "g"};
        int step = 0;
        while (step < 3 && bytes != 0 && bytes % 1024 == 0) {
            bytes /= 1024;
            step++;
        }
        return bytes + suffix[step];
    }

    private static String line(String fallback, String range, String meaning) {
        return String.format("%-8s %-16s %s", fallback, range, meaning);
    }
}
