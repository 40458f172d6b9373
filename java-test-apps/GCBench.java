/**
 * Binary trees of growing depth, built from the root down and from the leaves up, beside a tree and
 * an array that live to the end. After the idea of Boehm, Ellis and Kovac: short-lived trees show
 * how a collector treats the young, the long-lived pair what it costs to keep the old.
 */
public final class GCBench {
    static final class Node {
        Node left;
        Node right;
        int depth;
    }

    /** Every short-lived tree passes through here, so that its nodes really are allocated. */
    private static Node sink;

    public static void main(String[] words) {
        Args args = new Args("GCBench", words);
        int liveDepth = args.count("depth", 16, 1, 24, "depth of the long-lived tree");
        int array = args.count("array", 500_000, 1, 1 << 27, "doubles in the long-lived array");
        int min = args.count("min", 4, 1, 24, "depth of the smallest short-lived trees");
        int max = args.count("max", 14, 1, 24, "depth of the largest, at least min; step 2");
        long work = args.number("rounds", 1500, 0, 1_000_000, "times that all depths are built");
        if (max < min) {
            throw args.refuse("max=" + max, "must be at least min=" + min);
        }
        Run run = args.start();

        Node tree = new Node();
        fill(tree, liveDepth);
        double[] numbers = new double[array];
        for (int i = 0; i < array; i++) {
            numbers[i] = 1.0 / (i + 1);
        }
        long nodes = nodesOf(liveDepth);
        long trees = 1;
        long sum = 0;
        long rounds = 0;
        for (; run.more(rounds, work); rounds++) {
            for (int depth = min; depth <= max; depth += 2) {
                long pairs = Math.max(1, nodesOf(max) / nodesOf(depth));
                for (long i = 0; i < pairs && !run.expired(); i++) {
                    sink = new Node();
                    fill(sink, depth);
                    sum += depths(sink);
                    sink = build(depth);
                    sum += depths(sink);
                    nodes += 2 * nodesOf(depth);
                    trees += 2;
                }
            }
        }
        sink = null;

        long live = count(tree);
        if (live != nodesOf(liveDepth)) {
            throw run.broken("long-lived nodes", live, nodesOf(liveDepth));
        }
        long hash = Run.mix(Run.mix(sum, depths(tree)), Double.doubleToLongBits(total(numbers)));
        long node = Sizes.of(Node::new);
        long arrayBytes = Sizes.doubleArray(array);
        run.truth(new Object[] {tree, numbers},
            "rounds=%d trees=%d objects=%d allocated=%d survivors=%d live=%d checksum=%016x",
            rounds, trees, nodes + 1, nodes * node + arrayBytes, live + 1,
            live * node + arrayBytes, hash);
    }

    /** Nodes of a complete tree whose root stands `depth` edges above its leaves. */
    private static long nodesOf(int depth) {
        return (2L << depth) - 1;
    }

    /** From the root down: each store makes an older node point to a younger one. */
    private static void fill(Node node, int depth) {
        node.depth = depth;
        if (depth > 0) {
            node.left = new Node();
            node.right = new Node();
            fill(node.left, depth - 1);
            fill(node.right, depth - 1);
        }
    }

    /** From the leaves up: each node is younger than what it points to. */
    private static Node build(int depth) {
        Node left = depth > 0 ? build(depth - 1) : null;
        Node right = depth > 0 ? build(depth - 1) : null;
        Node node = new Node();
        node.left = left;
        node.right = right;
        node.depth = depth;
        return node;
    }

    private static long depths(Node node) {
        return node == null ? 0 : node.depth + depths(node.left) + depths(node.right);
    }

    private static long count(Node node) {
        return node == null ? 0 : 1 + count(node.left) + count(node.right);
    }

    private static double total(double[] numbers) {
        double total = 0;
        for (double number : numbers) {
            total += number;
        }
        return total;
    }
}
