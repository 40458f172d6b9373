import java.lang.ref.Reference;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Many threads that allocate, each through a buffer of its own, and that are replaced: a worker
 * that has done its share starts its successor and ends. The last worker of each line waits until
 * the truth is printed and the hold is over, so that its buffer can be looked at.
 */
public final class Threads {
    private static final int MIN = 16;
    private static final int MAX = 256;

    /** What one worker holds on to; dies with the worker. */
    static final class Kept {
        final byte[][] arrays;

        Kept(int count) {
            arrays = new byte[count][];
        }
    }

    private final Run run;
    private final long share;
    private final long rate;
    private final int keep;
    private final int successors;
    private final CountDownLatch done;
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong arrays = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong survivors = new AtomicLong();
    private final AtomicLong live = new AtomicLong();
    private final long keptBytes;

    private Threads(Run run, int threads, int successors, long share, long rate, int keep) {
        this.run = run;
        this.share = share;
        this.rate = rate;
        this.keep = keep;
        this.successors = successors;
        this.done = new CountDownLatch(threads);
        this.keptBytes = Sizes.of(() -> new Kept(0))
            - Sizes.referenceArray(0) + Sizes.referenceArray(keep);
    }

    public static void main(String[] words) throws InterruptedException {
        Args args = new Args("Threads", words);
        int threads = args.count("threads", 16, 1, 10_000, "workers that run at a time");
        int starts = args.count("churn", 4, 0, 1_000_000, "successors of each worker");
        long share = args.size("share", 2L << 20, 0, 1L << 40, "bytes that a worker allocates");
        long rate = args.size("rate", 4L << 20, 0, 1L << 40, "bytes a second each, 0 = unlimited");
        int keep = args.count("keep", 100, 1, 1 << 20, "newest arrays that a worker holds");
        long seed = args.number("seed", 42, 0, 999_999_999_999L, "of the random lengths");
        Run run = args.start();

        Threads workers = new Threads(run, threads, starts, share, rate, keep);
        for (int line = 0; line < threads; line++) {
            workers.startWorker(line, 0, seed);
        }
        workers.done.await();
        run.truth(workers, "threads=%d started=%d objects=%d allocated=%d survivors=%d live=%d",
            threads, workers.started.get(), workers.arrays.get(), workers.bytes.get(),
            workers.survivors.get(), workers.live.get());
        workers.release.countDown();
    }

    private void startWorker(int line, long generation, long seed) {
        started.incrementAndGet();
        Thread worker = new Thread(() -> work(line, generation, seed),
            "worker-" + line + "-" + generation);
        worker.start();
    }

    private void work(int line, long generation, long seed) {
        long begin = System.nanoTime();
        Random random = new Random(seed * 1_000_003 + line * 1009L + generation);
        Kept kept = new Kept(keep);
        long allocated = keptBytes;
        long count = 0;
        while (allocated < share && !run.expired()) {
            byte[] array = new byte[MIN + random.nextInt(MAX - MIN + 1)];
            kept.arrays[(int) (count % keep)] = array;
            allocated += Sizes.byteArray(array.length);
            if (++count % 256 == 0 && rate > 0) {
                long elapsed = (System.nanoTime() - begin) / 1_000_000;
                run.pause(allocated * 1000 / rate - elapsed);
            }
        }
        arrays.addAndGet(count + 2);
        bytes.addAndGet(allocated);
        if (run.more(generation, successors)) {
            startWorker(line, generation + 1, seed);
            return;
        }
        countSurvivors(kept);
        done.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Reference.reachabilityFence(kept);
    }

    private void countSurvivors(Kept kept) {
        survivors.addAndGet(2);
        live.addAndGet(keptBytes);
        for (byte[] array : kept.arrays) {
            if (array != null) {
                survivors.incrementAndGet();
                live.addAndGet(Sizes.byteArray(array.length));
            }
        }
    }
}
