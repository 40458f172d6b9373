import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;

/**
 * Known call sites that allocate known bytes, on command. Commands come line by line on standard
 * input; each is answered by exactly one line of JSON on standard output. SITE is a name of
 * {@link Site} in lower case, or "all":
 *
 * <pre>
 * run SITE THREADS BYTES    BYTES at each site in each of THREADS new threads, and keep nothing
 * virtual SITE THREADS BYTES   the same in virtual threads (JDK 21)
 * storm SITE THREADS BYTES  the same, but in short-lived threads, 250 at a time
 * pool THREADS              THREADS threads that wait
 * wake SITE BYTES           they allocate as in "run", and end
 * keep SITE BYTES           keep what is made
 * drop SITE                 release it; all: the arrays of huge too
 * huge COUNT BYTES          keep COUNT byte arrays of that length, all from one site
 * stacks COUNT BYTES        BYTES at one site reached by COUNT different stacks in turn
 * odd COUNT                 what the VM itself allocates: clones, reflection, exceptions …
 * load COUNT                COUNT classes with initialisers that allocate, each then dropped
 * gc                        System.gc()
 * quit                      print the truth and end, as the end of input does
 * </pre>
 */
public final class Sites {
    private static final String END = "quit";
    /** HotSpot seeds a thread's sampler with its address: few at a time would all be chosen alike. */
    private static final int AT_A_TIME = 250;
    private static final int SLICES = 16;
    private static final long MOST = 1L << 40;

    /** Where objects escape to, so that no compiler leaves an allocation out. */
    private static final AtomicReferenceArray<Object> SINK = new AtomicReferenceArray<>(1);

    private final Map<Site, List<Object>> kept = new EnumMap<>(Site.class);
    private final Map<Site, Long> allocated = new EnumMap<>(Site.class);
    private final List<byte[]> huge = new ArrayList<>();
    private final List<Thread> pooled = new ArrayList<>();
    private final BlockingQueue<Runnable> task = new LinkedBlockingQueue<>();
    private long commands;

    public static void main(String[] words) throws IOException, InterruptedException {
        Args args = new Args("Sites", words);
        Run run = args.start(0, "no meaning here: the run ends with quit or the end of input");
        Sites sites = new Sites();
        SINK.set(0, Site.values());
        answer("{\"command\":\"ready\",\"pid\":" + ProcessHandle.current().pid() + "}");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        String line = lines.readLine();
        while (line != null && !line.trim().equals(END)) {
            sites.commands++;
            answer(sites.execute(line.trim().split(" +")));
            line = lines.readLine();
        }
        run.truth(sites, "commands=%d survivors=%d live=%d%s", sites.commands,
            sites.kept.values().stream().mapToLong(List::size).sum(), sites.live(),
            sites.totals(" %s=%d"));
    }

    private String execute(String[] words) throws InterruptedException {
        try {
            switch (words[0]) {
                case "run":
                case "virtual":
                case "storm":
                    return spread(words[0], sites(words[1]), number(words[2]), number(words[3]));
                case "pool":
                    pool((int) number(words[1]));
                    return status("pool");
                case "wake":
                    return wake(sites(words[1]), number(words[2]));
                case "keep":
                    return keep(sites(words[1]), number(words[2]));
                case "drop":
                    sites(words[1]).forEach(kept::remove);
                    if (words[1].equals("all")) {
                        huge.clear();
                    }
                    return status("drop");
                case "huge":
                    return huge((int) number(words[1]), (int) number(words[2]));
                case "stacks":
                    Paths.allocate((int) number(words[1]), number(words[2]));
                    return status("stacks");
                case "odd":
                    SINK.set(0, Odd.allocate((int) number(words[1])));
                    return status("odd");
                case "load":
                    SINK.set(0, Odd.load((int) number(words[1])));
                    return status("load");
                case "critical":
                    stayCritical();
                    return status("critical");
                case "gc":
                    System.gc();
                    return status("gc");
                default:
                    return error(words[0], "no such command");
            }
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            return error(words[0], "needs other arguments");
        } catch (OutOfMemoryError e) {
            kept.clear();
            return error(words[0], "the heap is full");
        } catch (ReflectiveOperationException e) {
            return error(words[0], "not in this JDK");
        }
    }

    private static List<Site> sites(String name) {
        return name.equals("all") ? List.of(Site.values())
            : List.of(Site.valueOf(name.toUpperCase(Locale.ROOT)));
    }

    private static long number(String text) {
        long value = Args.bytes(text);
        if (value < 0 || value > MOST) {
            throw new IllegalArgumentException(text);
        }
        return value;
    }

    /** A thread that is often in the JDK's native code with arrays that a collection must not move. */
    private static void stayCritical() {
        Thread thread = new Thread(() -> {
            byte[] from = new byte[1 << 16];
            byte[] to = new byte[1 << 16];
            new Random(1).nextBytes(from);
            for (;;) {
                Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
                deflater.setInput(from);
                deflater.finish();
                deflater.deflate(to);
                deflater.end();
                LockSupport.parkNanos(1_000_000);
            }
        }, "critical");
        thread.setDaemon(true);
        thread.start();
    }

    /** Allocates in new threads. */
    private String spread(String command, List<Site> sites, long count, long bytes)
            throws InterruptedException, ReflectiveOperationException {
        boolean storm = command.equals("storm");
        for (long first = 0; first < count;) {
            long end = storm ? Math.min(first + AT_A_TIME, count) : count;
            CountDownLatch allThere = new CountDownLatch(storm ? 1 : 0);
            List<Thread> running = new ArrayList<>();
            for (; first < end; first++) {
                long seed = first;
                Runnable task = () -> {
                    waitFor(allThere);
                    allocate(sites, bytes, storm ? 1 : SLICES, seed);
                };
                Thread thread = command.equals("virtual")
                    ? Odd.virtualThread("virtual-" + first, task)
                    : new Thread(task, "worker-" + first);
                thread.start();
                running.add(thread);
            }
            allThere.countDown();
            for (Thread thread : running) {
                thread.join();
            }
        }
        for (Site site : sites) {
            count(site, count * objects(site, bytes, storm ? 1 : SLICES));
        }
        return status(command);
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void pool(int threads) {
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                try {
                    task.take().run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "pooled-" + i);
            thread.setDaemon(true);
            thread.start();
            pooled.add(thread);
        }
    }

    private String wake(List<Site> sites, long bytes) throws InterruptedException {
        for (int i = 0; i < pooled.size(); i++) {
            long seed = i;
            task.put(() -> allocate(sites, bytes, SLICES, seed));
        }
        for (Thread thread : pooled) {
            thread.join();
        }
        for (Site site : sites) {
            count(site, pooled.size() * objects(site, bytes, SLICES));
        }
        pooled.clear();
        return status("wake");
    }

    private static long objects(Site site, long bytes, int slices) {
        return Math.max(1, bytes / slices / site.bytes()) * slices;
    }

    /**
     * All sites take turns, in another order each time: objects that are big for the heap cause
     * collections, and what follows one must not always be the same site.
     */
    private static void allocate(List<Site> sites, long bytes, int slices, long seed) {
        List<Site> order = new ArrayList<>(sites);
        Random random = new Random(seed);
        for (int slice = 0; slice < slices; slice++) {
            Collections.shuffle(order, random);
            for (Site site : order) {
                long objects = objects(site, bytes, slices) / slices;
                for (long i = 0; i < objects; i++) {
                    SINK.lazySet(0, site.make());
                }
            }
        }
        SINK.set(0, null);
    }

    private String keep(List<Site> sites, long bytes) {
        for (Site site : sites) {
            long objects = objects(site, bytes, 1);
            List<Object> list = kept.computeIfAbsent(site, s -> new ArrayList<>());
            for (long i = 0; i < objects; i++) {
                list.add(site.make());
            }
            count(site, objects);
        }
        return status("keep");
    }

    private String huge(int count, int length) {
        for (int i = 0; i < count; i++) {
            huge.add(makeHuge(length));
        }
        return status("huge");
    }

    private static byte[] makeHuge(int length) {
        return new byte[length];
    }

    private void count(Site site, long objects) {
        allocated.merge(site, objects * site.bytes(), Long::sum);
    }

    private long live() {
        return kept.entrySet().stream()
            .mapToLong(e -> e.getKey().bytes() * e.getValue().size()).sum()
            + huge.stream().mapToLong(array -> Sizes.byteArray(array.length)).sum();
    }

    /** Bytes allocated so far at each site that was ever used. */
    private String totals(String format) {
        StringBuilder text = new StringBuilder();
        allocated.forEach((site, bytes) -> text.append(String.format(Locale.ROOT, format,
            site.name().toLowerCase(Locale.ROOT), bytes)));
        return text.toString();
    }

    private String status(String command) {
        return "{\"command\":\"" + command + "\",\"live\":" + live() + totals(",\"%s\":%d") + "}";
    }

    private static String error(String command, String why) {
        String safe = command.replaceAll("[^a-zA-Z0-9_-]", "?");
        return "{\"command\":\"" + safe + "\",\"error\":\"" + why + "\"}";
    }

    private static void answer(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
