import java.util.function.Supplier;

/**
 * The call sites of {@link Sites}: one method each that makes one object, so that the youngest
 * frame of a sample names the site. The sizes go from the smallest object to one that never fits
 * into an allocation buffer.
 */
enum Site {
    POINT(Site::makePoint),
    PAIR(Site::makePair),
    SIX(Site::makeSix),
    BYTES100(Site::makeBytes100),
    CHARS200(Site::makeChars200),
    LONGS500(Site::makeLongs500),
    REFERENCES1K(Site::makeReferences1k),
    INTS2K(Site::makeInts2k),
    TABLE4K(Site::makeTable4k),
    BYTES8K(Site::makeBytes8k),
    DOUBLES32K(Site::makeDoubles32k),
    BYTES128K(Site::makeBytes128k),
    INTS256K(Site::makeInts256k),
    BYTES1M(Site::makeBytes1m);

    private static final class Point {
        int x;
    }

    private static final class Pair {
        Object first;
        Object second;
    }

    private static final class Six {
        long a;
        long b;
        long c;
        long d;
        long e;
        long f;
    }

    private final Supplier<Object> maker;
    private final long bytes;

    Site(Supplier<Object> maker) {
        this.maker = maker;
        this.bytes = Sizes.of(maker);
    }

    Object make() {
        return maker.get();
    }

    /** Of one object. */
    long bytes() {
        return bytes;
    }

    private static Object makePoint() {
        return new Point();
    }

    private static Object makePair() {
        return new Pair();
    }

    private static Object makeSix() {
        return new Six();
    }

    private static Object makeBytes100() {
        return new byte[100];
    }

    private static Object makeChars200() {
        return new char[100];
    }

    private static Object makeLongs500() {
        return new long[62];
    }

    private static Object makeReferences1k() {
        return new Object[250];
    }

    private static Object makeInts2k() {
        return new int[500];
    }

    /** The rows are made by the same instruction, and are objects of the site as well. */
    private static Object makeTable4k() {
        return new byte[4][1000];
    }

    private static Object makeBytes8k() {
        return new byte[8000];
    }

    private static Object makeDoubles32k() {
        return new double[4096];
    }

    private static Object makeBytes128k() {
        return new byte[128 << 10];
    }

    private static Object makeInts256k() {
        return new int[64 << 10];
    }

    private static Object makeBytes1m() {
        return new byte[1 << 20];
    }
}
