import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Allocation as fast as threads can, on thousands of stacks: trees from the leaves up and from the root down,
 * maps built under different depths of recursion, lists of boxed numbers and strings, byte arrays of
 * mixed sizes, a window of maps that live for a while, and a tree that lives to the end. The worst case
 * for allocation profilers; the work is fixed, and the truth line has the workers' CPU time. With window= each
 * worker also prints at the end, for each window of so many rounds, when it was over (System.nanoTime), and the
 * CPU time and bytes until then.
 */
public final class Hostile {
    private static final int WINDOW = 8;
    private static final int RECURSIONS = 48;
    private static final int MAX_WINDOWS = 100_000;

    static final class Node {
        final Node left;
        final Node right;

        Node(Node left, Node right) {
            this.left = left;
            this.right = right;
        }

        int count() {
            return 1 + (left == null ? 0 : left.count()) + (right == null ? 0 : right.count());
        }
    }

    static final class Worker extends Thread {
        private final long rounds;
        private final int passes;
        private final int window;
        private final Run run;
        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final ArrayDeque<Map<String, int[]>> kept = new ArrayDeque<>();
        private final long[] marks;
        private int marked;
        long hash;
        long cpu;
        long allocated;
        long done;

        Worker(int number, long rounds, int passes, int window, Run run) {
            super("hostile-" + number);
            this.rounds = rounds;
            this.passes = passes;
            this.window = window;
            this.run = run;
            this.hash = number;
            this.marks = new long[window == 0 ? 0 : 3 * (int) Math.min(rounds / window, MAX_WINDOWS)];
        }

        @Override
        public void run() {
            long begin = threads.getCurrentThreadCpuTime();
            for (; run.more(done, rounds); done++) {
                round((int) done);
                if (window != 0 && (done + 1) % window == 0 && marked < marks.length) {
                    mark(begin);
                }
            }
            cpu = threads.getCurrentThreadCpuTime() - begin;
            allocated = threads.getThreadAllocatedBytes(getId());
        }

        private void mark(long begin) {
            marks[marked] = System.nanoTime();
            marks[marked + 1] = threads.getCurrentThreadCpuTime() - begin;
            marks[marked + 2] = threads.getThreadAllocatedBytes(getId());
            marked += 3;
        }

        void printMarks() {
            for (int i = 0; i < marked; i += 3) {
                System.out.printf("window %s %d %d %d%n", getName(), marks[i], marks[i + 1], marks[i + 2]);
            }
        }

        private void round(int i) {
            hash = Run.mix(hash, counted(bottomUp(14)));
            hash = Run.mix(hash, counted(topDown(13)));
            kept.addLast(under(i % RECURSIONS, i));
            if (kept.size() > WINDOW) {
                hash = Run.mix(hash, kept.removeFirst().size());
            }
            hash = Run.mix(hash, boxed(i));
            for (int size = 64; size <= 8192; size *= 2) {
                hash = Run.mix(hash, bytes(size + i % 64));
            }
        }

        private long counted(Node tree) {
            long sum = 0;
            for (int pass = 0; pass < passes; pass++) {
                sum += tree.count();
            }
            return sum;
        }

        private static Node bottomUp(int depth) {
            return depth == 0 ? new Node(null, null)
                : new Node(bottomUp(depth - 1), bottomUp(depth - 1));
        }

        private static Node topDown(int depth) {
            if (depth == 0) {
                return new Node(null, null);
            }
            Node left = topDown(depth - 1);
            return new Node(left, topDown(depth - 1));
        }

        private static Map<String, int[]> under(int depth, int i) {
            return depth == 0 ? table(i) : under(depth - 1, i);
        }

        private static Map<String, int[]> table(int i) {
            Map<String, int[]> map = new HashMap<>();
            for (int k = 0; k < 2000; k++) {
                map.put("key " + (i + k), new int[k % 32]);
            }
            return map;
        }

        private static long boxed(int i) {
            List<Object> list = new ArrayList<>();
            for (int k = 0; k < 5000; k++) {
                list.add(k % 2 == 0 ? (Object) Integer.valueOf(i + k + 1000) : Integer.toString(k));
            }
            return list.hashCode();
        }

        private static long bytes(int size) {
            long sum = 0;
            for (int k = 0; k < 64; k++) {
                sum += new byte[size].length;
            }
            return sum;
        }
    }

    private Hostile() {
    }

    public static void main(String[] words) throws InterruptedException {
        Args args = new Args("Hostile", words);
        int threads = args.count("threads", 2, 1, 64, "workers");
        long rounds = args.number("rounds", 400, 1, 10_000_000, "rounds of each worker");
        int passes = args.count("passes", 6, 0, 1000, "times that each tree is walked: less allocation a second");
        int window = args.count("window", 0, 0, 1_000_000, "rounds of a window; 0: no windows");
        int depth = args.count("live", 16, 1, 24, "depth of the tree that lives to the end");
        Run run = args.start();

        Node live = Worker.bottomUp(depth);
        Worker[] workers = new Worker[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Worker(i, rounds, passes, window, run);
            workers[i].start();
        }
        long hash = live.count();
        long cpu = 0;
        long allocated = 0;
        long done = 0;
        for (Worker worker : workers) {
            worker.join();
            hash = Run.mix(hash, worker.hash);
            cpu += worker.cpu;
            allocated += worker.allocated;
            done += worker.done;
            worker.printMarks();
        }
        run.truth(live, "rounds=%d workercpu=%d workerbytes=%d checksum=%016x", done, cpu,
            allocated, hash);
    }
}
