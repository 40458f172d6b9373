import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A heap of known content on command, with the VM's own account of it. Commands come line by line
 * on standard input; each is answered by exactly one line of JSON on standard output:
 *
 * <pre>
 * gc       System.gc(), then the pools
 * alloc N  allocate exactly N bytes of objects and keep them
 * churn N  allocate exactly N bytes of objects and keep none
 * drop     release everything allocated so far
 * pools    the memory pools and collectors as the VM reports them
 * quit     print the truth and end, as the end of input does
 * </pre>
 *
 * The objects are reference arrays of `chunk` bytes, the last one shorter or a few bytes longer,
 * each of which refers to the one before: nothing else belongs to them, so the bytes are exact.
 */
public final class Layout {
    private static final String END = "quit";
    private static final long MOST = 1L << 40;

    private static Object[] sink;

    private final long chunk;
    private final long smallest = Sizes.referenceArray(1);
    private Object[] newest;
    private long live;
    private long survivors;
    private long allocated;
    private long objects;
    private long commands;

    private Layout(long chunk) {
        this.chunk = chunk;
    }

    public static void main(String[] words) throws InterruptedException {
        Args args = new Args("Layout", words);
        long chunk = args.size("chunk", 1024, 64, 1L << 30, "bytes of an object");
        if (chunk % Sizes.ALIGNMENT != 0) {
            throw args.refuse("chunk=" + chunk, "must be a multiple of " + Sizes.ALIGNMENT);
        }
        Run run = args.start(0, "run for that long, 0 = until quit or the end of input");

        Layout layout = new Layout(chunk);
        BlockingQueue<String> input = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(input), "input");
        reader.setDaemon(true);
        reader.start();
        answer("{\"command\":\"ready\",\"pid\":" + ProcessHandle.current().pid() + "}");
        String command = next(run, input);
        while (!command.equals(END)) {
            layout.commands++;
            answer(layout.execute(command));
            command = next(run, input);
        }
        run.truth(layout, "commands=%d objects=%d allocated=%d survivors=%d live=%d",
            layout.commands, layout.objects, layout.allocated, layout.survivors, layout.live);
    }

    /** Runs on a thread of its own, because a read from standard input cannot be given up. */
    private static void read(BlockingQueue<String> input) {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                input.add(line.trim());
            }
        } catch (IOException e) {
            System.err.println("Layout: standard input: " + e.getMessage());
        }
        input.add(END);
    }

    private static String next(Run run, BlockingQueue<String> input) throws InterruptedException {
        String line = run.timed()
            ? input.poll(run.leftMillis(), TimeUnit.MILLISECONDS)
            : input.take();
        return line == null ? END : line;
    }

    private String execute(String line) {
        String[] parts = line.split(" +");
        switch (parts[0]) {
            case "gc":
                System.gc();
                return pools("gc");
            case "pools":
                return pools("pools");
            case "drop":
                newest = null;
                live = 0;
                survivors = 0;
                return status("drop", 0);
            case "alloc":
            case "churn":
                return make(parts[0], parts.length == 2 ? Args.bytes(parts[1]) : -1);
            default:
                return error(parts[0], "must be gc, alloc N, churn N, drop, pools or quit");
        }
    }

    private String make(String command, long bytes) {
        if (bytes % Sizes.ALIGNMENT != 0 || bytes < smallest || bytes > MOST) {
            return error(command, "needs N bytes in " + smallest + ".." + MOST
                + ", a multiple of " + Sizes.ALIGNMENT);
        }
        boolean keep = command.equals("alloc");
        Object[] before = newest;
        long count = 0;
        long left = bytes;
        try {
            while (left > 0) {
                long size = left - chunk >= smallest ? chunk : left;
                Object[] array = new Object[Sizes.referenceArrayOf(size)];
                array[0] = keep ? newest : null;
                if (keep) {
                    newest = array;
                } else {
                    sink = array;
                }
                left -= size;
                allocated += size;
                count++;
            }
        } catch (OutOfMemoryError e) {
            newest = before;
            return error(command, "the heap is full");
        } finally {
            sink = null;
            objects += count;
        }
        if (keep) {
            survivors += count;
            live += bytes;
        }
        return status(command, bytes);
    }

    private String status(String command, long bytes) {
        return "{\"command\":\"" + command + "\",\"bytes\":" + bytes + "," + held() + "}";
    }

    private String held() {
        return "\"objects\":" + survivors + ",\"live\":" + live;
    }

    /** All usages are read before any text is made, which would itself allocate. */
    private String pools(String command) {
        List<MemoryPoolMXBean> beans = ManagementFactory.getMemoryPoolMXBeans();
        MemoryUsage[] usages = new MemoryUsage[beans.size()];
        for (int i = 0; i < usages.length; i++) {
            usages[i] = beans.get(i).getUsage();
        }
        StringBuilder text = new StringBuilder("{\"command\":\"" + command + "\"," + held());
        String comma = ",\"pools\":[";
        for (int i = 0; i < usages.length; i++) {
            MemoryUsage usage = usages[i];
            boolean heap = beans.get(i).getType() == MemoryType.HEAP;
            text.append(comma).append("{\"name\":\"").append(beans.get(i).getName())
                .append("\",\"heap\":").append(heap)
                .append(",\"used\":").append(usage.getUsed())
                .append(",\"committed\":").append(usage.getCommitted())
                .append(",\"max\":").append(usage.getMax()).append('}');
            comma = ",";
        }
        comma = "],\"collectors\":[";
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            text.append(comma).append("{\"name\":\"").append(bean.getName())
                .append("\",\"count\":").append(bean.getCollectionCount())
                .append(",\"millis\":").append(bean.getCollectionTime()).append('}');
            comma = ",";
        }
        return text.append("]}").toString();
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
