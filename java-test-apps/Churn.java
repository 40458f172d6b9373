import java.util.Random;

/**
 * Short-lived garbage at a steady rate: byte arrays of random length of which only the newest few
 * are reachable. The young generation fills and empties; the old one should stay as it is.
 */
public final class Churn {
    /** The rate is kept in slices of this many bytes. */
    private static final int SLICE = 256 * 1024;

    public static void main(String[] words) {
        Args args = new Args("Churn", words);
        long rate = args.size("rate", 128L << 20, 0, 1L << 40, "bytes a second, 0 = unlimited");
        long total = args.size("total", 384L << 20, 0, 1L << 50, "bytes to allocate");
        int min = (int) args.size("min", 16, 0, 1L << 29, "shortest array");
        int max = (int) args.size("max", 512, 0, 1L << 29, "longest array, at least min");
        int ring = args.count("ring", 256, 1, 1 << 24, "newest arrays that stay reachable");
        long seed = args.number("seed", 42, 0, 999_999_999_999L, "of the random lengths");
        if (max < min) {
            throw args.refuse("max=" + max, "must be at least min=" + min);
        }
        Run run = args.start();

        Random random = new Random(seed);
        byte[][] newest = new byte[ring][];
        long ringBytes = Sizes.referenceArray(ring);
        long allocated = ringBytes;
        long arrays = 0;
        long nextWait = 0;
        while (run.more(allocated, total)) {
            byte[] array = new byte[min + random.nextInt(max - min + 1)];
            newest[(int) (arrays++ % ring)] = array;
            allocated += Sizes.byteArray(array.length);
            if (allocated >= nextWait) {
                run.pace(allocated, rate);
                nextWait = allocated + SLICE;
            }
        }

        long survivors = 1;
        long live = ringBytes;
        for (byte[] array : newest) {
            if (array != null) {
                survivors++;
                live += Sizes.byteArray(array.length);
            }
        }
        run.truth(newest, "objects=%d allocated=%d survivors=%d live=%d", arrays + 1, allocated,
            survivors, live);
    }
}
