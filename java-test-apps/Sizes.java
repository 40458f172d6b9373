import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;

/**
 * What objects measure in the running VM. Headers and references differ between VMs and options
 * (compressed class pointers, compact headers), so sizes are measured by the thread's allocation
 * counter, never assumed. The main thread measures; any thread may compute from what was measured.
 */
final class Sizes {
    private static final ThreadMXBean THREADS =
        (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long SELF = Thread.currentThread().getId();
    private static final int ATTEMPTS = 16;

    /** Lets each measured object escape, so that the compiler cannot leave its allocation out. */
    private static volatile Object sink;

    /** Objects start at multiples of this. */
    static final int ALIGNMENT;
    private static final int BYTES_BASE;
    private static final int REFERENCES_BASE;
    private static final int REFERENCE;
    private static final int DOUBLES_BASE;

    static {
        int fit = 0;
        long smallest = of(() -> new byte[0]);
        long next = smallest;
        while (next == smallest) {
            int length = ++fit;
            next = of(() -> new byte[length]);
        }
        ALIGNMENT = (int) (next - smallest);
        BYTES_BASE = (int) smallest - (fit - 1);

        long empty = of(() -> new Object[0]);
        REFERENCE = (int) ((of(() -> new Object[64]) - empty) / 64);
        int spare = 0;
        while (ofReferences(spare + 1) == empty) {
            spare++;
        }
        REFERENCES_BASE = (int) empty - spare * REFERENCE;
        DOUBLES_BASE = (int) (of(() -> new double[64]) - 64 * Double.BYTES);
    }

    private Sizes() {
    }

    /** The bytes of the one small object that the supplier allocates, again and again. */
    static long of(Supplier<?> supplier) {
        return measure(supplier) - measure(() -> null);
    }

    /** The bytes of a byte array of that length. */
    static long byteArray(long length) {
        return align(BYTES_BASE + length);
    }

    /** The bytes of an array of `length` references. */
    static long referenceArray(long length) {
        return align(REFERENCES_BASE + length * REFERENCE);
    }

    /** The bytes of an array of `length` doubles. */
    static long doubleArray(long length) {
        return align(DOUBLES_BASE + length * Double.BYTES);
    }

    /** The length of the reference array of exactly `bytes` bytes, an aligned number. */
    static int referenceArrayOf(long bytes) {
        return (int) ((bytes - REFERENCES_BASE) / REFERENCE);
    }

    private static long align(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private static long ofReferences(int length) {
        return of(() -> new Object[length]);
    }

    /** The least of several attempts: an agent may allocate on this thread during some of them. */
    private static long measure(Supplier<?> supplier) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS; i++) {
            long before = THREADS.getThreadAllocatedBytes(SELF);
            sink = supplier.get();
            least = Math.min(least, THREADS.getThreadAllocatedBytes(SELF) - before);
        }
        sink = null;
        return least;
    }
}
