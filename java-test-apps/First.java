import java.util.concurrent.CountDownLatch;

/**
 * Threads that wait between requests, so that collections come there: what a thread allocates first
 * after a collection is nearly always a Request, which is small and kept; the buffers after it are garbage.
 */
public final class First {
    static final class Request {
        final Request before;
        final long number;

        Request(Request before, long number) {
            this.before = before;
            this.number = number;
        }
    }

    private static volatile byte[] sink;

    private static Request serve(int requests, int buffer, int pause) throws InterruptedException {
        Request last = null;
        for (int i = 0; i < requests; i++) {
            last = new Request(last, i);
            for (int k = 0; k < 4; k++) {
                sink = new byte[buffer];
            }
            Thread.sleep(pause);
        }
        return last;
    }

    public static void main(String[] words) throws Exception {
        Args args = new Args("First", words);
        int threads = args.count("threads", 50, 1, 10_000, "that serve requests");
        int requests = args.count("requests", 1000, 1, 1_000_000, "of each thread");
        int buffer = (int) args.size("buffer", 4000, 0, 1L << 29, "length of one of four buffers of a request");
        int pause = args.count("pause", 5, 0, 60_000, "ms after a request");
        args.start();
        Request[] kept = new Request[threads];
        CountDownLatch done = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            int line = i;
            new Thread(() -> {
                try {
                    kept[line] = serve(requests, buffer, pause);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                done.countDown();
            }, "server-" + i).start();
        }
        done.await();
        System.out.println(String.format("truth First requests=%d bytes=%d", (long) threads * requests,
            (long) threads * requests * Sizes.of(() -> new Request(null, 0))));
        while (System.in.read() >= 0) {
            continue;
        }
        if (kept[0] == null) {
            throw new IllegalStateException("nothing is kept");
        }
    }
}
