import java.util.Random;

/**
 * Allocates a little, then sits still: no allocation, no collection. What is seen afterwards is the
 * cost and the noise of the observer alone.
 */
public final class Idle {
    private static final int MIN = 16;
    private static final int MAX = 2048;

    public static void main(String[] words) {
        Args args = new Args("Idle", words);
        int blocks = args.count("arrays", 8000, 0, 1 << 26, "arrays to allocate and keep");
        long seed = args.number("seed", 42, 0, 999_999_999_999L, "of the random lengths");
        Run run = args.start(3, "how long to sit still, 0 = not at all");

        Random random = new Random(seed);
        byte[][] arrays = new byte[blocks][];
        long live = Sizes.referenceArray(blocks);
        for (int i = 0; i < blocks; i++) {
            arrays[i] = new byte[MIN + random.nextInt(MAX - MIN + 1)];
            live += Sizes.byteArray(arrays[i].length);
        }
        if (run.timed()) {
            run.pause(run.leftMillis());
        }
        run.truth(arrays, "objects=%d allocated=%d survivors=%d live=%d", blocks + 1, live,
            blocks + 1, live);
    }
}
