import java.util.Random;

/**
 * Holes. Each round allocates many blocks of random size, lets System.gc() settle them in the old
 * generation, then drops every other one: half of the old space is dead in small pieces, for as
 * long as the pause lasts. The next round drops the rest as well.
 */
public final class Fragment {
    static final class Block {
        final byte[] body;

        Block(int length) {
            body = new byte[length];
        }
    }

    public static void main(String[] words) {
        Args args = new Args("Fragment", words);
        int count = args.count("blocks", 20_000, 1, 1 << 26, "blocks per round");
        int min = (int) args.size("min", 16, 0, 1L << 29, "smallest block");
        int max = (int) args.size("max", 1536, 0, 1L << 29, "largest block, at least min");
        int every = args.count("every", 2, 2, 1 << 20, "one block in this many is dropped");
        int rounds = args.count("rounds", 10, 1, 1_000_000, "rounds to run");
        long pause = args.number("pause", 250, 0, 3_600_000, "milliseconds that the holes stay");
        String settle = args.choice("settle", "System.gc() before the holes are made", "on", "off");
        long seed = args.number("seed", 42, 0, 999_999_999_999L, "of the random sizes");
        if (max < min) {
            throw args.refuse("max=" + max, "must be at least min=" + min);
        }
        Run run = args.start();

        Random random = new Random(seed);
        long block = Sizes.of(() -> new Block(0)) - Sizes.byteArray(0);
        Block[] blocks = new Block[count];
        long arrayBytes = Sizes.referenceArray(count);
        long allocated = arrayBytes;
        long holes = 0;
        long holeBytes = 0;
        long done = 0;
        for (; run.more(done, rounds); done++) {
            for (int i = 0; i < count; i++) {
                blocks[i] = null;
            }
            for (int i = 0; i < count; i++) {
                blocks[i] = new Block(min + random.nextInt(max - min + 1));
                allocated += block + Sizes.byteArray(blocks[i].body.length);
            }
            if (settle.equals("on")) {
                System.gc();
            }
            holes = 0;
            holeBytes = 0;
            for (int i = 0; i < count; i += every) {
                holes++;
                holeBytes += block + Sizes.byteArray(blocks[i].body.length);
                blocks[i] = null;
            }
            run.pause(pause);
        }

        long survivors = 1;
        long live = arrayBytes;
        for (Block kept : blocks) {
            if (kept != null) {
                survivors += 2;
                live += block + Sizes.byteArray(kept.body.length);
            }
        }
        run.truth(blocks, "rounds=%d holes=%d hole_bytes=%d objects=%d allocated=%d survivors=%d "
            + "live=%d", done, holes, holeBytes, 2L * done * count + 1, allocated, survivors, live);
    }
}
