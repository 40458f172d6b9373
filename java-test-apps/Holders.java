import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Objects of a class of their own for each way to be held: the name of the class says which. Waits for
 * a line of input, so that sampling can be on before. Prints a line "truth ready" when all exist and
 * they have survived a collection, then waits for the end of its input.
 */
public final class Holders {
    /** What all have: about 100 bytes. */
    static class Held {
        long a, b, c, d, e, f, g, h, i, j, k;
    }

    static final class InWaiting extends Held {
    }

    static final class InMap extends Held {
    }

    static final class InLru extends Held {
    }

    /** A map of the program's own. */
    static final class Lru<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1;
    }

    static final class InTree extends Held {
    }

    static final class InConcurrentMap extends Held {
    }

    static final class InSet extends Held {
    }

    static final class InDeque extends Held {
    }

    static final class InLinkedList extends Held {
    }

    static final class InCopied extends Held {
    }

    static final class InVersion extends Held {
    }

    /** What a store replaces at each change, down to the page that was changed. */
    static final class Version {
        final Inner inner;

        Version(Inner inner) {
            this.inner = inner;
        }
    }

    static final class Inner {
        final Page page;

        Inner(Page page) {
            this.page = page;
        }
    }

    static final class Page {
        final InVersion[] rows;

        Page(int count) {
            rows = new InVersion[count];
            for (int i = 0; i < count; i++) {
                rows[i] = new InVersion();
            }
        }
    }

    static final class InQueue extends Held {
    }

    /** A task of a pool. */
    static final class Queued implements Runnable {
        final InQueue mine = new InQueue();

        @Override
        public void run() {
            mine.a++;
        }
    }

    static final class InGuarded extends Held {
    }

    /** The JVM has it in a list, as all that have a finalizer. */
    static final class Guard {
        final InGuarded guarded = new InGuarded();

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {
            guarded.a++;
        }
    }

    static final class Listener extends Held {
    }

    static final class InThreadLocal extends Held {
    }

    static final class InLocalVariable extends Held {
    }

    static final class Soft extends Held {
    }

    static final class WeakAndStrong extends Held {
    }

    /** Waits for the finalizer, which waits for ever. */
    static final class Finalized extends Held {
        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() throws InterruptedException {
            FOREVER.await();
        }
    }

    static final class Link extends Held {
        Link next;
    }

    /** A ring: each refers to both neighbours. */
    static final class Ring extends Held {
        Ring left;
        Ring right;
    }

    /** Fields are numbered behind those of all interfaces. */
    interface Named {
        String NAME = "name";
        Object[] EMPTY = {};
    }

    static class Source implements Named {
        private final List<Listener> listeners = List.of();

        List<Listener> none() {
            return listeners;
        }
    }

    static final class Feed extends Source implements Named, Comparable<Feed> {
        static final Feed INSTANCE = new Feed();
        final List<Listener> listeners = new ArrayList<>();

        @Override
        public int compareTo(Feed other) {
            return 0;
        }
    }

    /** Of a class loader that nothing but its class should hold. */
    public static final class Plugin {
        static final class Cached extends Held {
        }

        static final List<Cached> CACHE = new ArrayList<>();

        static {
            for (int i = 0; i < Integer.getInteger("holders.each"); i++) {
                CACHE.add(new Cached());
            }
        }

        private Plugin() {
        }
    }

    /** Of a class loader that a thread has as its context class loader. */
    public static final class OfThread {
        static final class InContext extends Held {
        }

        static final List<InContext> CACHE = new ArrayList<>();

        static {
            for (int i = 0; i < Integer.getInteger("holders.each"); i++) {
                CACHE.add(new InContext());
            }
        }

        private OfThread() {
        }
    }

    /** Of a class loader of which a thread-local variable has an object. */
    public static final class OfLocal {
        static final class InWorld extends Held {
        }

        static final class Key {
        }

        static final List<InWorld> CACHE = new ArrayList<>();
        public static final Object KEY = new Key();

        static {
            for (int i = 0; i < Integer.getInteger("holders.each"); i++) {
                CACHE.add(new InWorld());
            }
        }

        private OfLocal() {
        }
    }

    /** What fills the heap: a registry of orders, some 30 objects each. */
    static final class Order {
        final String name = new String("an order");
        final Object[] items = {new Held(), new Held(), new Held()};
        final List<Object> notes = new ArrayList<>();
        final Map<String, Object> more = new HashMap<>();

        Order() {
            for (int i = 0; i < 4; i++) {
                notes.add(new int[] {i});
                more.put(new String("key " + i), new int[] {i});
            }
        }
    }

    static final List<Order> ORDERS = new ArrayList<>();
    static final List<Thread> WAITING = new ArrayList<>();
    static final AtomicReference<byte[]> GARBAGE = new AtomicReference<>();
    static final CountDownLatch FOREVER = new CountDownLatch(1);
    static final Map<Integer, InMap> MAP = new HashMap<>();
    static final Map<Integer, InLru> LRU = new Lru<>();
    static final Map<Integer, InTree> TREE = new TreeMap<>();
    static final Map<Integer, InConcurrentMap> CONCURRENT = new ConcurrentHashMap<>();
    static final Set<InSet> SET = new HashSet<>();
    static final ArrayDeque<InDeque> DEQUE = new ArrayDeque<>();
    static final LinkedList<InLinkedList> LINKED = new LinkedList<>();
    static final AtomicReference<Version> VERSION = new AtomicReference<>();
    static final List<InCopied> COPIED = new CopyOnWriteArrayList<>();
    static final ThreadLocal<List<InThreadLocal>> LOCAL = ThreadLocal.withInitial(ArrayList::new);
    static final List<SoftReference<Soft>> SOFT = new ArrayList<>();
    static final List<WeakReference<WeakAndStrong>> WEAK = new ArrayList<>();
    static final ReferenceQueue<WeakAndStrong> QUEUE = new ReferenceQueue<>();
    static final List<PhantomReference<WeakAndStrong>> PHANTOM = new ArrayList<>();
    static final List<WeakAndStrong> STRONG = new ArrayList<>();
    static final List<String> INTERNED = new ArrayList<>();
    static Link head;
    static Link other;
    static Ring ring;
    static Class<?> leaked;
    private static volatile byte[] garbage;

    static final class InNative extends Held {
    }

    static final class InFrame extends Held {
    }

    static final class InThread extends Held {
    }

    /** A thread whose own field holds them. */
    static final class Worker extends Thread {
        final InThread[] mine;

        Worker(int each) {
            super("self-1");
            mine = new InThread[each];
            for (int i = 0; i < each; i++) {
                mine[i] = new InThread();
            }
            setDaemon(true);
        }

        @Override
        public void run() {
            waitForEver();
        }
    }

    private static final CountDownLatch MADE = new CountDownLatch(1);

    private static native void holdGlobally(Object object);

    /** Makes objects that only its frame refers to, and stays in {@link #waitForEver}. */
    private static native void holdLocally(int each);

    /** What a frame of native code refers to beside objects of its own: class loaders, and classes of
     * theirs, that other things hold. */
    private static final ArrayDeque<Object> PASSING = new ArrayDeque<>();

    /** Called by holdLocally. */
    static Object makeInFrame() {
        Object passing = PASSING.poll();
        return passing == null ? new InFrame() : passing;
    }

    /** Called by holdLocally. */
    static void waitForEver() {
        MADE.countDown();
        try {
            FOREVER.await();
        } catch (InterruptedException e) {
            return;
        }
    }

    private Holders() {
    }

    /** A thread's first sampling point is as far away as the JVM's own interval, 512 KiB on average. Few
     * objects: each is a sample, which must not crowd out those that are looked for. */
    private static void warmUp() {
        for (int i = 0; i < 512; i++) {
            garbage = new byte[16 << 10];
        }
        garbage = null;
    }

    private static void fill(int each) {
        for (int i = 0; i < each; i++) {
            MAP.put(i, new InMap());
            LRU.put(i, new InLru());
            TREE.put(i, new InTree());
            CONCURRENT.put(i, new InConcurrentMap());
            SET.add(new InSet());
            DEQUE.add(new InDeque());
            LINKED.add(new InLinkedList());
            Feed.INSTANCE.listeners.add(new Listener());
            SOFT.add(new SoftReference<>(new Soft()));
            STRONG.add(new WeakAndStrong());
            WEAK.add(new WeakReference<>(STRONG.get(i)));
            PHANTOM.add(new PhantomReference<>(STRONG.get(i), QUEUE));
            INTERNED.add(("an interned text of some length, number " + i).intern());
            Ring next = new Ring();
            if (ring == null) {
                ring = next;
                ring.left = ring;
                ring.right = ring;
            }
            next.left = ring;
            next.right = ring.right;
            ring.right.left = next;
            ring.right = next;
        }
    }

    /** By JNI global references of the library that the property names. */
    private static void holdInNativeCode(int each) throws InterruptedException {
        String library = System.getProperty("holders.library");
        if (library == null) {
            return;
        }
        System.load(library);
        for (int i = 0; i < each; i++) {
            holdGlobally(new InNative());
        }
        Thread frame = new Thread(() -> {
            warmUp();
            holdLocally(each);
        }, "native-1");
        frame.setDaemon(true);
        frame.start();
        MADE.await();
    }

    private static void abandon(int each) {
        for (int i = 0; i < each; i++) {
            new Finalized().a = i;
        }
    }

    /** Leaves an object of a new class loader in the variable, and nothing in its frame. */
    private static void leave(ThreadLocal<Object> local) throws Exception {
        local.set(load("Holders$OfLocal").getField("KEY").get(null));
    }

    /** Loads the class by a new loader; the result holds it and the loader. */
    private static Class<?> load(String name) throws Exception {
        URL jar = new File(System.getProperty("java.class.path")).toURI().toURL();
        @SuppressWarnings("resource")
        URLClassLoader loader = new URLClassLoader(new URL[] {jar}, null);
        return Class.forName(name, true, loader);
    }

    /** Threads that hold class loaders which nothing else holds. */
    private static void leakLoaders() throws Exception {
        CountDownLatch ready = new CountDownLatch(1);
        ThreadLocal<Object> local = new ThreadLocal<>();
        Thread worker = new Thread(() -> {
            try {
                leave(local);
                ready.countDown();
                FOREVER.await();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "worker-1");
        worker.setDaemon(true);
        worker.start();
        ready.await();
        Thread forgotten = new Thread(() -> {
            try {
                FOREVER.await();
            } catch (InterruptedException e) {
                return;
            }
        }, "forgotten");
        Class<?> used = load("Holders$OfThread");
        PASSING.add(used);
        PASSING.add(used.getClassLoader());
        forgotten.setContextClassLoader(used.getClassLoader());
        forgotten.setDaemon(true);
        forgotten.start();
    }

    private static void runPool(int each) throws InterruptedException {
        CountDownLatch filled = new CountDownLatch(1);
        Thread worker = new Thread(() -> {
            warmUp();
            for (int i = 0; i < each; i++) {
                LOCAL.get().add(new InThreadLocal());
            }
            filled.countDown();
            try {
                FOREVER.await();
            } catch (InterruptedException e) {
                return;
            }
        }, "pool-1-thread-1");
        worker.setDaemon(true);
        worker.start();
        filled.await();
    }

    /** A pool that nothing but its thread refers to: one task waits, the others have not begun. */
    private static void queue(int each) {
        ThreadPoolExecutor pool =
            new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "queue-1");
                thread.setDaemon(true);
                return thread;
            });
        pool.execute(() -> {
            try {
                FOREVER.await();
            } catch (InterruptedException e) {
                return;
            }
        });
        for (int i = 0; i < each; i++) {
            pool.execute(new Queued());
        }
    }

    private static void loadPlugin(int each) throws Exception {
        System.setProperty("holders.each", Integer.toString(each));
        leaked = load("Holders$Plugin");
        PASSING.add(leaked);
        PASSING.add(leaked.getClassLoader());
        leakLoaders();
    }

    /** Threads that wait in a stack of that many frames. */
    private static void runWaiting(int count, int depth, boolean virtual) throws Exception {
        CountDownLatch waiting = new CountDownLatch(count);
        Runnable waits = () -> {
            InWaiting own = new InWaiting();
            waitDeep(depth, waiting);
            own.a = depth;
        };
        for (int i = 0; i < count; i++) {
            if (virtual) {
                WAITING.add((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                    .invoke(null, waits));
            } else {
                Thread thread = new Thread(waits, "waiting-" + i);
                thread.setDaemon(true);
                thread.start();
            }
        }
        waiting.await();
    }

    private static int waitDeep(int depth, CountDownLatch waiting) {
        if (depth > 0) {
            return waitDeep(depth - 1, waiting) + 1;
        }
        waiting.countDown();
        try {
            FOREVER.await();
        } catch (InterruptedException e) {
            return 1;
        }
        return 0;
    }

    /** Each change makes another array. The time is the thread's own: on a busy machine, where whoever
     * looks waits for a processor, the list is copied less often, too. */
    private static void copyEvery(int ms, int each) {
        for (int i = 0; i < each; i++) {
            COPIED.add(new InCopied());
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Thread copier = new Thread(() -> {
            for (long next = 0; true; COPIED.add(COPIED.remove(0))) {
                for (next += ms * 1_000_000L; threads.getCurrentThreadCpuTime() < next; ) {
                    Thread.onSpinWait();
                }
            }
        }, "copier");
        copier.setDaemon(true);
        copier.start();
    }

    private static List<WeakReference<ClassLoader>> drop(int count) throws Exception {
        URL here = Holders.class.getProtectionDomain().getCodeSource().getLocation();
        List<WeakReference<ClassLoader>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            URLClassLoader loader = new URLClassLoader(new URL[] {here}, null);
            Class.forName("Holders$Held", true, loader);
            all.add(new WeakReference<>(loader));
        }
        return all;
    }

    /** Replaces what leads to a page as fast as it can. */
    private static void replace(int each) {
        Page page = new Page(each);
        VERSION.set(new Version(new Inner(page)));
        Thread thread = new Thread(() -> {
            for (;;) {
                VERSION.set(new Version(new Inner(VERSION.get().inner.page)));
            }
        }, "replacer");
        thread.setDaemon(true);
        thread.start();
    }

    /** Allocates what nobody keeps, so that there are young collections. */
    private static void litter(int mib) {
        Thread thread = new Thread(() -> {
            long start = System.nanoTime();
            for (long done = 0;; done++) {
                for (int i = 0; i < 1024; i++) {
                    GARBAGE.set(new byte[1024]);
                }
                long due = start + (done + 1) * 1_000_000_000L / mib;
                LockSupport.parkNanos(due - System.nanoTime());
            }
        }, "litter");
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] arguments) throws Exception {
        Args args = new Args("Holders", arguments);
        int each = args.count("each", 1000, 1, 1_000_000, "objects of each class");
        int chain = args.count("chain", 1000, 1, 1_000_000, "nodes of the list");
        int linked = args.count("linked", 0, 0, 1_000_000, "more objects in the LinkedList");
        int lists = args.count("lists", 1, 1, 2, "such lists");
        int orders = args.count("orders", 0, 0, 10_000_000, "orders of some 30 objects each");
        int threads = args.count("threads", 0, 0, 100_000, "threads that wait in a stack of depth frames");
        int virtual = args.count("virtual", 0, 0, 100_000, "virtual threads likewise, since JDK 21");
        int depth = args.count("depth", 100, 1, 10_000, "frames");
        int copied = args.count("copied", 0, 0, 1000, "ms of processor time between copies of a list; 0: it is empty");
        int replaced = args.count("replaced", 0, 0, 1, "1: all versions of a page are replaced all the time");
        int dropped = args.count("dropped", 0, 0, 1000, "class loaders that are garbage at the end");
        int garbage = args.count("garbage", 0, 0, 10_000, "MiB of it in a second, from a thread of its own");
        args.start();
        runWaiting(threads, depth, false);
        runWaiting(virtual, depth, true);
        System.out.println("threads wait");
        while (System.in.read() != '\n') {
            continue;
        }
        warmUp();
        fill(each);
        for (int i = 0; i < orders; i++) {
            ORDERS.add(new Order());
        }
        runPool(each);
        queue(each);
        loadPlugin(each);
        ClassLoader used = leaked.getClassLoader();
        holdInNativeCode(each);
        new Worker(each).start();
        InLocalVariable[] local = new InLocalVariable[each];
        for (int i = 0; i < each; i++) {
            local[i] = new InLocalVariable();
        }
        Guard[] guards = new Guard[each];
        for (int i = 0; i < each; i++) {
            guards[i] = new Guard();
        }
        abandon(each);
        if (replaced > 0) {
            replace(each);
        }
        if (copied > 0) {
            copyEvery(copied, each);
        }
        for (int i = 0; i < linked; i++) {
            LINKED.add(new InLinkedList());
        }
        // Last: the samples of a long list may be more than are waited for.
        for (int i = 0; i < chain; i++) {
            Link link = new Link();
            link.next = head;
            head = link;
            if (lists > 1) {
                link = new Link();
                link.next = other;
                other = link;
            }
        }
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        List<WeakReference<ClassLoader>> loaders = drop(dropped);
        if (garbage > 0) {
            litter(garbage);
        }
        System.out.println("truth ready");
        while (System.in.read() >= 0) {
            continue;
        }
        System.out.println("truth loaders=" + loaders.stream().filter(l -> l.get() != null).count());
        System.out.println(local.length + " " + guards.length + " " + used);
    }
}
