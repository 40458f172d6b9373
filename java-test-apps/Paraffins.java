/**
 * Enumerates the paraffin molecules (alkanes) of up to n carbon atoms. Radicals are built from
 * three smaller radicals; a molecule is either two radicals of half its size around a bond or four
 * smaller ones around a carbon atom. All share the few small radicals, which thereby become popular
 * objects. Arrays are counted first and then filled.
 */
public final class Paraffins {
    /** A carbon atom with three radicals, or the hydrogen atom, which has none. */
    static final class Radical {
        final Radical a;
        final Radical b;
        final Radical c;

        Radical(Radical a, Radical b, Radical c) {
            this.a = a;
            this.b = b;
            this.c = c;
        }
    }

    /** A molecule: bond-centred with two radicals, c and d null; carbon-centred with four. */
    static final class Molecule {
        final Radical a;
        final Radical b;
        final Radical c;
        final Radical d;

        Molecule(Radical a, Radical b, Radical c, Radical d) {
            this.a = a;
            this.b = b;
            this.c = c;
            this.d = d;
        }
    }

    /** Known numbers of alkanes by carbon atoms (OEIS A000602), from 1 atom on. */
    private static final int[] KNOWN = {1, 1, 1, 2, 3, 5, 9, 18, 35, 75, 159, 355, 802, 1858, 4347,
        10359, 24894, 60523, 148284, 366319, 910726, 2278658, 5731580};

    private final Radical[][] radicals;
    private final Molecule[][] molecules;

    private Paraffins(int n) {
        radicals = new Radical[n / 2 + 1][];
        radicals[0] = new Radical[] {new Radical(null, null, null)};
        for (int size = 1; size < radicals.length; size++) {
            radicals[size] = new Radical[makeRadicals(size, null)];
            makeRadicals(size, radicals[size]);
        }
        molecules = new Molecule[n + 1][];
        for (int size = 1; size <= n; size++) {
            molecules[size] = new Molecule[makeMolecules(size, null)];
            makeMolecules(size, molecules[size]);
        }
    }

    public static void main(String[] words) {
        Args args = new Args("Paraffins", words);
        int n = args.count("n", 19, 1, KNOWN.length, "carbon atoms of the largest molecules");
        long work = args.number("rounds", 110, 1, 1_000_000, "times that all are enumerated");
        Run run = args.start();

        Paraffins all = null;
        long rounds = 0;
        do {
            all = null;
            all = new Paraffins(n);
            all.check(run);
            rounds++;
        } while (run.more(rounds, work));

        long radicals = 0;
        long total = 0;
        long arrays = 0;
        for (Radical[] array : all.radicals) {
            radicals += array.length;
            arrays += Sizes.referenceArray(array.length);
        }
        for (int size = 1; size <= n; size++) {
            int length = all.molecules[size].length;
            total += length;
            arrays += Sizes.referenceArray(length);
        }
        arrays += Sizes.referenceArray(n / 2 + 1) + Sizes.referenceArray(n + 1);
        long objects = radicals + total + (n / 2 + 1) + n + 2;
        long live = radicals * Sizes.of(() -> new Radical(null, null, null))
            + total * Sizes.of(() -> new Molecule(null, null, null, null)) + arrays;
        run.truth(all, "n=%d rounds=%d paraffins=%d total=%d radicals=%d carbons=%d objects=%d "
            + "allocated=%d survivors=%d live=%d", n, rounds, all.molecules[n].length, total,
            radicals, all.carbons(), rounds * objects, rounds * live, objects, live);
    }

    /** The numbers found must be the known ones, and each molecule must have all its atoms. */
    private void check(Run run) {
        long expected = 0;
        for (int size = 1; size < molecules.length; size++) {
            int known = KNOWN[size - 1];
            if (molecules[size].length != known) {
                throw run.broken("paraffins of " + size, molecules[size].length, known);
            }
            expected += (long) size * known;
        }
        if (carbons() != expected) {
            throw run.broken("carbon atoms", carbons(), expected);
        }
    }

    private long carbons() {
        long carbons = 0;
        for (int size = 1; size < molecules.length; size++) {
            for (Molecule m : molecules[size]) {
                carbons += atoms(m.a) + atoms(m.b);
                carbons += m.c == null ? 0 : 1 + atoms(m.c) + atoms(m.d);
            }
        }
        return carbons;
    }

    private static long atoms(Radical radical) {
        return radical.a == null ? 0 : 1 + atoms(radical.a) + atoms(radical.b) + atoms(radical.c);
    }

    /** The number of radicals of that size; stores them when `into` is not null. */
    private int makeRadicals(int size, Radical[] into) {
        int found = 0;
        for (int i = 0; 3 * i <= size - 1; i++) {
            for (int j = i; i + 2 * j <= size - 1; j++) {
                found = joinThree(i, j, size - 1 - i - j, found, into);
            }
        }
        return found;
    }

    /** All multisets of one radical each of the sizes i <= j <= k. */
    private int joinThree(int i, int j, int k, int found, Radical[] into) {
        for (int p = 0; p < radicals[i].length; p++) {
            for (int q = i == j ? p : 0; q < radicals[j].length; q++) {
                int from = j == k ? q : 0;
                if (into == null) {
                    found += radicals[k].length - from;
                    continue;
                }
                for (int r = from; r < radicals[k].length; r++) {
                    into[found++] = new Radical(radicals[i][p], radicals[j][q], radicals[k][r]);
                }
            }
        }
        return found;
    }

    /** The number of molecules of that size; stores them when `into` is not null. */
    private int makeMolecules(int size, Molecule[] into) {
        int found = 0;
        if (size % 2 == 0) {
            Radical[] half = radicals[size / 2];
            for (int p = 0; p < half.length; p++) {
                for (int q = p; q < half.length; q++, found++) {
                    if (into != null) {
                        into[found] = new Molecule(half[p], half[q], null, null);
                    }
                }
            }
        }
        int rest = size - 1;
        int largest = rest / 2;
        for (int i = 0; 4 * i <= rest; i++) {
            for (int j = i; i + 3 * j <= rest; j++) {
                for (int k = j; i + j + 2 * k <= rest; k++) {
                    int l = rest - i - j - k;
                    if (l <= largest) {
                        found = joinFour(i, j, k, l, found, into);
                    }
                }
            }
        }
        return found;
    }

    /** All multisets of one radical each of the sizes i <= j <= k <= l. */
    private int joinFour(int i, int j, int k, int l, int found, Molecule[] into) {
        for (int p = 0; p < radicals[i].length; p++) {
            for (int q = i == j ? p : 0; q < radicals[j].length; q++) {
                for (int r = j == k ? q : 0; r < radicals[k].length; r++) {
                    int from = k == l ? r : 0;
                    if (into == null) {
                        found += radicals[l].length - from;
                        continue;
                    }
                    for (int s = from; s < radicals[l].length; s++) {
                        into[found++] = new Molecule(radicals[i][p], radicals[j][q],
                            radicals[k][r], radicals[l][s]);
                    }
                }
            }
        }
        return found;
    }
}
