import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntSupplier;

/**
 * Loads copies of one of its own classes, each by a class loader of its own or as a hidden class,
 * uses them, and drops all but the newest few. Class metadata comes and goes, and instances outlive
 * neither their class nor its loader.
 */
public final class ClassUnload {
    /** The class that is loaded again and again; knows nothing but java.base. */
    public static final class Payload implements IntSupplier {
        private final int[] numbers = new int[32];

        @Override
        public int getAsInt() {
            numbers[0]++;
            return numbers.length;
        }
    }

    private static final class CopyLoader extends ClassLoader {
        CopyLoader() {
            super(ClassLoader.getPlatformClassLoader());
        }

        Class<?> define(byte[] code) {
            return defineClass(Payload.class.getName(), code, 0, code.length);
        }
    }

    private static final int HIDDEN_SINCE = 15;

    public static void main(String[] words) throws IOException, ReflectiveOperationException {
        Args args = new Args("ClassUnload", words);
        int work = args.count("classes", 4000, 0, 10_000_000, "copies to load");
        int keep = args.count("keep", 16, 1, 1 << 20, "newest copies that stay loaded");
        long rate = args.number("rate", 1500, 0, 1_000_000, "copies a second, 0 = unlimited");
        String kind = args.choice("kind", "a loader each, or hidden (JDK 15)", "loader", "hidden");
        if (kind.equals("hidden") && Runtime.version().feature() < HIDDEN_SINCE) {
            throw args.refuse("kind=hidden", "needs JDK " + HIDDEN_SINCE + " or later");
        }
        Run run = args.start();

        byte[] code = ownCode();
        IntSupplier[] newest = new IntSupplier[keep];
        ReferenceQueue<Class<?>> queue = new ReferenceQueue<>();
        Set<Reference<? extends Class<?>>> watched = new HashSet<>();
        long sum = 0;
        int loaded = 0;
        while (run.more(loaded, work)) {
            Class<?> copy = kind.equals("hidden") ? hidden(code) : new CopyLoader().define(code);
            if (copy == Payload.class) {
                throw run.broken("copies of the payload", 0, 1);
            }
            IntSupplier instance = (IntSupplier) copy.getConstructor().newInstance();
            sum += instance.getAsInt();
            newest[loaded++ % keep] = instance;
            watched.add(new WeakReference<>(copy, queue));
            forget(watched, queue);
            run.pace(loaded, rate);
        }

        System.gc();
        long stay = watched.stream().filter(reference -> reference.get() != null).count();
        int kept = Math.min(loaded, keep);
        run.truth(newest, "kind=%s loaded=%d kept=%d dropped=%d approx_unloaded=%d sum=%d", kind,
            loaded, kept, loaded - kept, loaded - stay, sum);
    }

    /** References to unloaded classes go, or they would be a leak of their own. */
    private static void forget(Set<?> watched, ReferenceQueue<?> queue) {
        for (Object gone = queue.poll(); gone != null; gone = queue.poll()) {
            watched.remove(gone);
        }
    }

    private static byte[] ownCode() throws IOException {
        String name = Payload.class.getName() + ".class";
        try (InputStream in = ClassUnload.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }

    /** Lookup.defineHiddenClass by reflection, because the sources are of level 11. */
    private static Class<?> hidden(byte[] code) throws ReflectiveOperationException {
        Class<?> option = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
        Object none = Array.newInstance(option, 0);
        Object lookup = MethodHandles.Lookup.class
            .getMethod("defineHiddenClass", byte[].class, boolean.class, none.getClass())
            .invoke(MethodHandles.lookup(), code, true, none);
        return ((MethodHandles.Lookup) lookup).lookupClass();
    }
}
