/**
 * Arrays larger than half a region of G1, kept in a ring. Each takes whole regions of its own: free
 * runs of regions come and go. The default of 3 MB is humongous for regions of up to 4 MB.
 */
public final class Humongous {
    private static final int PAGE = 4096;

    public static void main(String[] words) {
        Args args = new Args("Humongous", words);
        int size = (int) args.size("size", 3L << 20, 1, 1L << 30, "length of an array");
        int ring = args.count("ring", 4, 1, 1 << 20, "newest arrays that stay reachable");
        long work = args.number("arrays", 300, 0, 1_000_000_000, "arrays to allocate");
        long rate = args.number("rate", 100, 0, 1_000_000, "arrays a second, 0 = unlimited");
        Run run = args.start();

        byte[][] newest = new byte[ring][];
        long arrays = 0;
        while (run.more(arrays, work)) {
            byte[] array = new byte[size];
            for (int i = 0; i < size; i += PAGE) {
                array[i] = (byte) arrays;
            }
            newest[(int) (arrays++ % ring)] = array;
            run.pace(arrays, rate);
        }

        long survivors = 0;
        long sum = 0;
        for (byte[] array : newest) {
            if (array != null) {
                survivors++;
                sum = Run.mix(sum, array[(size - 1) / PAGE * PAGE]);
            }
        }
        long array = Sizes.byteArray(size);
        long ringBytes = Sizes.referenceArray(ring);
        run.truth(newest, "arrays=%d array_bytes=%d objects=%d allocated=%d survivors=%d live=%d "
            + "checksum=%016x", arrays, array, arrays + 1, arrays * array + ringBytes,
            survivors + 1, survivors * array + ringBytes, sum);
    }
}
