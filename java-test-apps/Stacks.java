import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * Allocates in stacks of every shape: recursion through static, virtual, interface, synchronized
 * and reflective calls, lambdas, streams, method handles, native methods and exceptions, in threads
 * of either kind that replace each other. Virtual ones leave their carrier now and then, deep in
 * their stack. What calls what is drawn from the seed, and so is the truth.
 */
public final class Stacks {
    private static final int VIRTUAL_SINCE = 21;
    /** Stacks that one thread builds before another takes its place. */
    private static final int LIFE = 40;

    /** One way to go one frame deeper. */
    private interface Step {
        long down(Stacks stacks, int depth) throws Throwable;
    }

    /** Redefined while its methods run, by tests that do so: they change the text. */
    static final class Target implements Step {
        @Override
        public long down(Stacks stacks, int depth) throws Throwable {
            long sum = text().length();
            for (int i = 0; i < 3; i++) {
                sum += new long[8 + i].length;
            }
            return sum + stacks.deeper(depth);
        }

        private static String text() {
            return new String("gcspy-tick".toCharArray());
        }
    }

    private static final Step[] STEPS = {
        new Target(),
        new Target(),
        Stacks::inline,
        Stacks::synced,
        (stacks, depth) -> new int[depth + 1].length - 1 + stacks.deeper(depth),
        (stacks, depth) -> new int[depth + 1].clone().length + stacks.deeper(depth),
        (stacks, depth) -> Array.getLength(Array.newInstance(int.class, 9)) + stacks.deeper(depth),
        Stacks::byReflection,
        Stacks::byHandle,
        Stacks::byStream,
        Stacks::byComparator,
        Stacks::byException,
        Stacks::byText,
    };

    private static final Method REFLECTED;
    private static final MethodHandle HANDLE;

    static {
        try {
            REFLECTED = Stacks.class.getDeclaredMethod("deeper", int.class);
            HANDLE = MethodHandles.lookup().findVirtual(
                Stacks.class, "deeper", MethodType.methodType(long.class, int.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Run run;
    private final Random random;
    private final boolean virtual;
    private final int rounds;
    private final int depth;
    private final CountDownLatch done;
    private long built;
    private long sum;

    private Stacks(Run run, long seed, boolean virtual, int rounds, int depth,
            CountDownLatch done) {
        this.run = run;
        this.random = new Random(seed);
        this.virtual = virtual;
        this.rounds = rounds;
        this.depth = depth;
        this.done = done;
    }

    public static void main(String[] words) throws Exception {
        Args args = new Args("Stacks", words);
        int threads = args.count("threads", 4, 1, 10_000, "that run at a time");
        int rounds = args.count("rounds", 150_000, 1, 1 << 30, "stacks that each line builds");
        int depth = args.count("depth", 24, 1, 2_000, "calls of the deepest stack");
        String kind = args.choice("kind", "of the threads; virtual needs JDK 21", "platform",
            "virtual");
        long seed = args.number("seed", 42, 0, 999_999_999_999L, "of what calls what");
        boolean virtual = kind.equals("virtual");
        if (virtual && Runtime.version().feature() < VIRTUAL_SINCE) {
            throw args.refuse("kind=virtual", "needs JDK " + VIRTUAL_SINCE + " or later");
        }
        Run run = args.start();

        Stacks[] all = new Stacks[threads];
        CountDownLatch done = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            all[i] = new Stacks(run, seed * 1009 + i, virtual, rounds, depth, done);
            all[i].start();
        }
        done.await();
        long built = 0;
        long sum = 0;
        for (Stacks stacks : all) {
            built += stacks.built;
            sum += stacks.sum;
        }
        run.truth(all, "threads=%d rounds=%d sum=%d", threads, built, sum);
    }

    /** Virtual threads are of a later release than this source. */
    private void start() throws ReflectiveOperationException {
        if (virtual) {
            Thread.class.getMethod("startVirtualThread", Runnable.class)
                .invoke(null, (Runnable) this::build);
        } else {
            new Thread(this::build).start();
        }
    }

    /** Does a part of the work and leaves the rest to a new thread. */
    private void build() {
        try {
            for (int i = 0; i < LIFE && run.more(built, rounds); i++, built++) {
                sum += deeper(1 + random.nextInt(depth));
            }
            if (run.more(built, rounds)) {
                start();
                return;
            }
        } catch (Throwable e) {
            throw run.broken("a stack", -1, 0);
        }
        done.countDown();
    }

    /** Calls itself again by a way drawn at random, until the depth is used up. */
    long deeper(int depth) throws Throwable {
        if (depth <= 0) {
            if (virtual && random.nextInt(32) == 0) {
                Thread.yield();
            }
            return leaf();
        }
        return STEPS[random.nextInt(STEPS.length)].down(this, depth - 1);
    }

    private long leaf() {
        Object[] objects = new Object[4];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = new byte[16 + random.nextInt(64)];
        }
        return Arrays.stream(objects).mapToLong(o -> ((byte[]) o).length).sum();
    }

    private static long inline(Stacks stacks, int depth) throws Throwable {
        return first(depth) + stacks.deeper(depth);
    }

    private static long first(int depth) {
        return second(new int[] {depth});
    }

    private static long second(int[] box) {
        return third(new int[] {box[0], 1});
    }

    private static long third(int[] box) {
        return new int[box.length + 4].length;
    }

    private static long synced(Stacks stacks, int depth) throws Throwable {
        return stacks.locked(depth);
    }

    private synchronized long locked(int depth) throws Throwable {
        return new short[depth + 3].length + deeper(depth);
    }

    private static long byReflection(Stacks stacks, int depth) throws Throwable {
        return (Long) REFLECTED.invoke(stacks, depth);
    }

    private static long byHandle(Stacks stacks, int depth) throws Throwable {
        return (long) HANDLE.invokeExact(stacks, depth);
    }

    private static long byStream(Stacks stacks, int depth) throws Throwable {
        return IntStream.range(0, 6).boxed().map(i -> new int[i]).mapToLong(a -> a.length).sum()
            + stacks.deeper(depth);
    }

    private static long byComparator(Stacks stacks, int depth) throws Throwable {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            numbers.add(stacks.random.nextInt(1000) + 1000);
        }
        Collections.sort(numbers, (a, b) -> new Integer[] {b, a}[0] - a);
        return numbers.get(0) + stacks.deeper(depth);
    }

    private static long byException(Stacks stacks, int depth) throws Throwable {
        long below = stacks.deeper(depth);
        try {
            return thrower((int) (below % 3));
        } catch (IllegalStateException e) {
            return below + e.getMessage().length();
        }
    }

    private static long thrower(int number) {
        if (number != 0) {
            throw new IllegalStateException("number " + number);
        }
        return 1;
    }

    private static long byText(Stacks stacks, int depth) throws Throwable {
        String text = depth + " of " + stacks.random.nextInt(9);
        return text.length() + stacks.deeper(depth);
    }
}
