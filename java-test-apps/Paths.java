/** One call site that is reached by as many different stacks as wanted; for {@link Sites}. */
final class Paths {
    private static final int BITS = 16;

    private static volatile Object sink;
    private static long next;

    private Paths() {
    }

    /** Spreads the bytes over `count` stacks, at most 2^16, and goes on where it ended before. */
    static void allocate(int count, long bytes) {
        if (count < 1 || count > 1 << BITS) {
            throw new IllegalArgumentException("stacks");
        }
        int length = 1000;
        long arrays = bytes / Sizes.byteArray(length);
        for (long i = 0; i < arrays; i++) {
            zero((int) (next++ % count), BITS, length);
        }
        sink = null;
    }

    /** The path of calls is the number in binary. */
    private static void zero(int number, int bits, int length) {
        if (bits == 0) {
            sink = new byte[length];
        } else if ((number & 1) == 0) {
            zero(number >> 1, bits - 1, length);
        } else {
            one(number >> 1, bits - 1, length);
        }
    }

    private static void one(int number, int bits, int length) {
        if (bits == 0) {
            sink = new byte[length];
        } else if ((number & 1) == 0) {
            zero(number >> 1, bits - 1, length);
        } else {
            one(number >> 1, bits - 1, length);
        }
    }
}
