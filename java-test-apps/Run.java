import java.lang.ref.Reference;
import java.util.Locale;

/**
 * One run of a test program: how long it goes on, at what pace, and the truth it ends with. Started
 * by {@link Args#start}. Any thread may ask; only the main thread calls {@link #truth}.
 */
final class Run {
    private static final long NANOS = 1_000_000_000L;

    private final String program;
    private final long seconds;
    private final long hold;
    private final long start = System.nanoTime();

    Run(String program, long seconds, long hold) {
        this.program = program;
        this.seconds = seconds;
        this.hold = hold;
    }

    /** Whether to go on: until the time is over if it is limited, else until the work is done. */
    boolean more(long done, long work) {
        return seconds > 0 ? !expired() : done < work;
    }

    /** Whether the time was limited and is over. */
    boolean expired() {
        return seconds > 0 && left() <= 0;
    }

    /** Whether the run is bound by time and not by work. */
    boolean timed() {
        return seconds > 0;
    }

    /** Milliseconds until the time is over, at least 0. Only for timed runs. */
    long leftMillis() {
        return Math.max(0, (left() + 999_999) / 1_000_000);
    }

    /** Sleeps until `done` units are due at `rate` a second, or the time is over; 0 = no wait. */
    void pace(long done, long rate) {
        if (rate > 0) {
            long due = (long) ((double) done / rate * NANOS) - (System.nanoTime() - start);
            sleep(seconds > 0 ? Math.min(due, left()) : due);
        }
    }

    /** Sleeps for `millis`, or until the time is over. */
    void pause(long millis) {
        long nanos = millis * 1_000_000;
        sleep(seconds > 0 ? Math.min(nanos, left()) : nanos);
    }

    /**
     * Prints the truth line and keeps the survivors reachable for as long as `hold` asks for.
     * Nothing is printed after it.
     */
    void truth(Object survivors, String format, Object... values) {
        System.out.println("truth " + program + " " + String.format(Locale.ROOT, format, values));
        System.out.flush();
        sleep(hold * NANOS);
        Reference.reachabilityFence(survivors);
    }

    /** Ends a program whose own check failed: the heap no longer holds what was built. */
    IllegalStateException broken(String what, long found, long expected) {
        System.err.println(program + ": " + what + ": found " + found + ", expected " + expected);
        System.exit(1);
        return new IllegalStateException(what);
    }

    /** One step of the order-dependent checksum that all programs share. */
    static long mix(long hash, long value) {
        long mixed = (hash ^ value) * 0x9E3779B97F4A7C15L;
        return mixed ^ (mixed >>> 29);
    }

    private long left() {
        return seconds * NANOS - (System.nanoTime() - start);
    }

    private static void sleep(long nanos) {
        if (nanos <= 0) {
            return;
        }
        try {
            Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
