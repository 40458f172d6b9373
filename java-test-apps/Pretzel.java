/**
 * Boxes of pretzels. A pretzel is a top node with a thin left and a thin right arm, each node of
 * which points back to the top: a large cycle. All pretzels of a box grow at the same time, so that
 * their nodes interleave, and whole boxes die together while the newest ones live.
 */
public final class Pretzel {
    static final class Node {
        Node left;
        Node right;
        Node top;
    }

    private final int shortest;
    private final int pretzels;

    private Pretzel(int shortest, int pretzels) {
        this.shortest = shortest;
        this.pretzels = pretzels;
    }

    public static void main(String[] words) {
        Args args = new Args("Pretzel", words);
        int pretzels = args.count("pretzels", 11, 1, 16, "in a box; each is twice the one before");
        int shortest = args.count("shortest", 16, 1, 1024, "nodes in an arm of the smallest");
        int live = args.count("live", 2, 1, 1000, "boxes that live at a time");
        long work = args.number("boxes", 4000, 1, 10_000_000, "boxes to build");
        Run run = args.start();

        Pretzel pretzel = new Pretzel(shortest, pretzels);
        Node[][] boxes = new Node[live][];
        long built = 0;
        for (; run.more(built, work); built++) {
            int slot = (int) (built % live);
            boxes[slot] = null;
            boxes[slot] = pretzel.box();
            pretzel.check(run, boxes[slot]);
        }

        long perBox = pretzel.nodes();
        long survivingBoxes = 0;
        for (Node[] box : boxes) {
            if (box != null) {
                pretzel.check(run, box);
                survivingBoxes++;
            }
        }
        long node = Sizes.of(Node::new);
        long tops = Sizes.referenceArray(pretzels);
        long ring = Sizes.referenceArray(live);
        run.truth(boxes, "boxes=%d nodes=%d objects=%d allocated=%d survivors=%d live=%d", built,
            built * perBox, built * (perBox + 1) + 1, built * (perBox * node + tops) + ring,
            survivingBoxes * (perBox + 1) + 1, survivingBoxes * (perBox * node + tops) + ring);
    }

    /** New nodes go in next to the top and point to the older part of their arm. */
    private Node[] box() {
        Node[] tops = new Node[pretzels];
        for (int i = 0; i < pretzels; i++) {
            tops[i] = new Node();
        }
        for (int length = 0; length < arm(pretzels - 1); length++) {
            for (int i = 0; i < pretzels; i++) {
                if (length < arm(i)) {
                    Node left = new Node();
                    left.top = tops[i];
                    left.left = tops[i].left;
                    tops[i].left = left;
                    Node right = new Node();
                    right.top = tops[i];
                    right.right = tops[i].right;
                    tops[i].right = right;
                }
            }
        }
        return tops;
    }

    private int arm(int pretzel) {
        return shortest << pretzel;
    }

    private long nodes() {
        long nodes = 0;
        for (int i = 0; i < pretzels; i++) {
            nodes += 2L * arm(i) + 1;
        }
        return nodes;
    }

    private void check(Run run, Node[] box) {
        long found = 0;
        for (Node top : box) {
            found++;
            for (Node node = top.left; node != null && node.top == top; node = node.left) {
                found++;
            }
            for (Node node = top.right; node != null && node.top == top; node = node.right) {
                found++;
            }
        }
        if (found != nodes()) {
            throw run.broken("nodes of a box", found, nodes());
        }
    }
}
