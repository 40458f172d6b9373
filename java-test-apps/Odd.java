import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.lang.reflect.Method;

/**
 * Allocations that are not the plain "new" of a method: by the VM itself, in class initialisers and
 * in virtual threads; for {@link Sites}. Each has a method of its own here, which a sample's stack
 * has to name.
 */
final class Odd {
    /** Loaded again and again by {@link #load}; its initialiser allocates. */
    public static final class Loaded {
        static final byte[][] TABLE = new byte[64][1000];

        private Loaded() {
        }

        public static Object table() {
            return TABLE;
        }
    }

    private static final class Copies extends ClassLoader {
        Copies() {
            super(ClassLoader.getPlatformClassLoader());
        }

        Class<?> define(byte[] code) {
            return defineClass(Loaded.class.getName(), code, 0, code.length);
        }
    }

    private static volatile Object sink;

    private Odd() {
    }

    static Object allocate(int count) throws ReflectiveOperationException {
        int[] model = new int[500];
        Method make = Odd.class.getDeclaredMethod("byInvoke");
        for (int i = 0; i < count; i++) {
            sink = byClone(model);
            sink = byArray();
            sink = byException(20);
            sink = byConcatenation(i, "some words that make the text a little longer");
            sink = make.invoke(null);
        }
        return sink;
    }

    private static Object byClone(int[] model) {
        return model.clone();
    }

    private static Object byArray() {
        return Array.newInstance(long.class, 200);
    }

    private static Object byException(int depth) {
        return depth == 0 ? new IllegalStateException("depth") : byException(depth - 1);
    }

    private static Object byConcatenation(int number, String text) {
        return text + number + text + (number + 1) + text;
    }

    static Object byInvoke() {
        return new short[1000];
    }

    /** Defines copies of a class and runs the initialiser of each. */
    static Object load(int count) throws ReflectiveOperationException {
        byte[] code = code();
        for (int i = 0; i < count; i++) {
            sink = new Copies().define(code).getMethod("table").invoke(null);
        }
        return sink;
    }

    private static byte[] code() {
        try (InputStream in = Odd.class.getResourceAsStream(Loaded.class.getName() + ".class")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Thread.ofVirtual().name(name).unstarted(task); by reflection: the sources are for 11. */
    static Thread virtualThread(String name, Runnable task) throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
        type.getMethod("name", String.class).invoke(builder, name);
        return (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, task);
    }
}
