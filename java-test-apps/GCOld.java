import java.util.Random;

/**
 * A mutator of the old generation. It builds a large array of trees, then takes steps: garbage that
 * dies young, a share of new long-lived trees and subtrees that replace old ones, and swaps of
 * subtrees between trees, which write pointers into old objects. The live volume stays the same.
 */
public final class GCOld {
    static final class Node {
        Node left;
        Node right;
        long serial;
    }

    private static final int LEVELS = 11;
    private static final int TREE = (1 << LEVELS) - 1;
    private static final int SUBTREE_MIN_LEVELS = 3;
    private static final int SUBTREE_MAX_LEVELS = 8;
    /** Volumes are turned into counts by these, so that every VM does the same work. */
    private static final int NODE_BYTES = 32;
    private static final int LINE = 800;
    private static final int LINE_BYTES = 816;

    private static byte[] sink;

    private final Random random;
    private final Node[] trees;
    private final long work;
    private long nodes;
    private long lines;
    private long swaps;
    private long busy = 1;

    private GCOld(long seed, int count, long work) {
        this.random = new Random(seed);
        this.trees = new Node[count];
        this.work = work;
    }

    public static void main(String[] words) {
        Args args = new Args("GCOld", words);
        long live = args.size("live", 16L << 20, 1L << 20, 16L << 30, "volume of the live trees");
        long step = args.size("step", 1L << 20, 1L << 10, 1L << 30, "garbage per step");
        long ratio = args.number("ratio", 20, 1, 10_000, "short-lived bytes per long-lived byte");
        long mutate = args.number("mutate", 2, 0, 1_000_000, "swaps of subtrees per step");
        long work = args.number("work", 40, 0, 1_000_000, "idle computations per garbage object");
        long steps = args.number("steps", 12_000, 0, 100_000_000, "steps after the building phase");
        long seed = args.number("seed", 42, 0, 999_999_999_999L, "of the random numbers");
        Run run = args.start();

        GCOld old = new GCOld(seed, (int) (live / NODE_BYTES / TREE), work);
        for (int i = 0; i < old.trees.length; i++) {
            old.trees[i] = old.grow(LEVELS);
            old.garbage(step);
        }
        long done = 0;
        long owed = 0;
        int next = 0;
        for (; run.more(done, steps); done++) {
            old.garbage(step);
            owed += step / ratio / NODE_BYTES;
            for (; owed >= TREE; owed -= TREE) {
                old.trees[next] = old.grow(LEVELS);
                next = (next + 1) % old.trees.length;
            }
            owed -= old.replaceSubtree(owed);
            for (long i = 0; i < mutate; i++) {
                old.swap();
            }
        }
        sink = null;

        long hash = old.busy;
        long survivors = 0;
        for (Node tree : old.trees) {
            hash = hash(hash, tree);
            survivors += count(tree);
        }
        long expected = (long) old.trees.length * TREE;
        if (survivors != expected) {
            throw run.broken("live nodes", survivors, expected);
        }
        long node = Sizes.of(Node::new);
        long line = Sizes.byteArray(LINE);
        long array = Sizes.referenceArray(old.trees.length);
        run.truth(old, "steps=%d trees=%d swaps=%d garbage=%d objects=%d allocated=%d survivors=%d "
            + "live=%d checksum=%016x", done, old.trees.length, old.swaps, old.lines * line,
            old.nodes + old.lines + 1, old.nodes * node + old.lines * line + array,
            survivors + 1, survivors * node + array, hash);
    }

    private Node grow(int levels) {
        if (levels == 0) {
            return null;
        }
        Node node = new Node();
        node.serial = nodes++;
        node.left = grow(levels - 1);
        node.right = grow(levels - 1);
        return node;
    }

    private void garbage(long bytes) {
        for (long done = 0; done < bytes; done += LINE_BYTES) {
            sink = new byte[LINE];
            lines++;
            for (long i = 0; i < work; i++) {
                busy ^= busy << 13;
                busy ^= busy >>> 7;
                busy ^= busy << 17;
            }
        }
    }

    /** Replaces a subtree by one of equal height; returns its nodes, 0 if too few are owed. */
    private long replaceSubtree(long owed) {
        if (owed < (1 << SUBTREE_MIN_LEVELS) - 1) {
            return 0;
        }
        int fitting = 63 - Long.numberOfLeadingZeros(owed + 1);
        int highest = Math.min(fitting, SUBTREE_MAX_LEVELS);
        int levels = SUBTREE_MIN_LEVELS + random.nextInt(highest - SUBTREE_MIN_LEVELS + 1);
        Node parent = descend(LEVELS - levels - 1);
        if (random.nextBoolean()) {
            parent.left = grow(levels);
        } else {
            parent.right = grow(levels);
        }
        return (1 << levels) - 1;
    }

    /** Exchanges two subtrees of equal height, so that all trees stay complete. */
    private void swap() {
        int depth = random.nextInt(LEVELS - 1);
        Node one = descend(depth);
        Node other = descend(depth);
        Node moved = one.left;
        one.left = other.right;
        other.right = moved;
        swaps++;
    }

    /** A random node that stands `depth` edges below the root of a random tree. */
    private Node descend(int depth) {
        Node node = trees[random.nextInt(trees.length)];
        for (int i = 0; i < depth; i++) {
            node = random.nextBoolean() ? node.left : node.right;
        }
        return node;
    }

    private static long hash(long hash, Node node) {
        if (node == null) {
            return hash;
        }
        return hash(hash(Run.mix(hash, node.serial), node.left), node.right);
    }

    private static long count(Node node) {
        return node == null ? 0 : 1 + count(node.left) + count(node.right);
    }
}
