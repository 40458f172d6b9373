/*
 * What trace files cost: writing 1,000 events a second, and reading a file of a gigabyte with
 * 100,000 events at any place, beside one of a tenth.
 *
 *	perf-trace [--smoke] [--level N]
 *
 * The heap has 8,192 tiles and twelve streams, seven of which change at some per cent of the tiles
 * at random places with each event. Files are made in TMPDIR and removed. Each part runs in a
 * process of its own, so that its peak of memory is its own. With --smoke everything is small; in
 * both cases the program fails when something comes out wrong, never for a figure.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/trace.h>

#include "kit.h"

#define TILES  8192u
#define REGION 1048576

enum { STREAMS = 12, CHANGING = 7, SEEKS = 200, STEPS = 1000, RATE = 1000 };
enum { NEEDED_GB = 3 };

static bool smoke;
static int level;
static uint64_t seed = 1;
static const char *folder;

static void fail(const char *what)
{
	fprintf(stderr, "perf-trace: %s\n", what);
	exit(1);
}

static double seconds_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double now(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

static double cpu(void)
{
	return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* The peak of this process's memory, in megabytes. */
static double peak_mb(void)
{
	char line[200];
	double kb = 0;
	FILE *status = fopen("/proc/self/status", "r");
	while (status != NULL && fgets(line, sizeof line, status) != NULL)
		if (sscanf(line, "VmHWM: %lf kB", &kb) == 1)
			break;
	if (status != NULL)
		fclose(status);
	return kb / 1024;
}

/* Forgets the peak so far. */
static void forget_peak(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "w");
	if (file != NULL) {
		fputs("5", file);
		fclose(file);
	}
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void print(const char *name, double figure, const char *unit)
{
	printf("%-56s %10.3f %s\n", name, figure, unit);
}

/* The program that is recorded. */

static const struct gcs_event event = {.name = "GC finish"};

static struct gcs_model *make_model(void)
{
	static char names[STREAMS][24];
	static struct gcs_stream streams[STREAMS];
	struct gcs_error err;
	for (int i = 0; i < STREAMS; i++) {
		snprintf(names[i], sizeof names[i], "Stream %d", i);
		streams[i] =
		    (struct gcs_stream){.name = names[i], .type = GCS_TYPE_I64, .max = INT64_MAX};
	}
	const struct gcs_space space = {.name = "Regions",
	    .tile_title = "Region",
	    .group = GCS_NONE,
	    .main = true,
	    .block_bytes = REGION,
	    .stream_count = STREAMS,
	    .streams = streams};
	struct gcs_model *model = gcs_model_create("perf-trace");
	if (model == NULL || gcs_model_add_event(model, &event, NULL, &err) != GCS_OK ||
	    gcs_model_add_space(model, &space, NULL, &err) != GCS_OK)
		fail("cannot make a model");
	return model;
}

/* Bytes in the first three streams that change, small numbers in the others. */
static int64_t any_value(uint32_t stream)
{
	return kit_below(&seed, stream < 3 ? REGION : 16);
}

static void fill(int64_t *const *v)
{
	for (uint32_t i = 0; i < TILES; i++) {
		for (uint32_t k = 0; k < CHANGING; k++)
			v[k][i] = any_value(k);
		for (uint32_t k = CHANGING; k < STREAMS - 2; k++)
			v[k][i] = i / 64 % 3;
		v[STREAMS - 2][i] = 0x600000000 + (int64_t)i * REGION;
		v[STREAMS - 1][i] = v[STREAMS - 2][i] + REGION;
	}
}

/* The snapshot behind `last`: `changes` tiles have other values. */
static struct gcs_snapshot *next(
    struct gcs_model *model, struct gcs_snapshot *last, uint64_t number, uint32_t changes)
{
	int64_t *v[STREAMS] = {NULL};
	struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
	const struct gcs_occurrence o = {
	    .sequence = number + 1, .time_ns = number * 1000000, .wall_ns = (int64_t)number};
	if (s == NULL || !gcs_snapshot_set_occurrence(s, &o) || !gcs_snapshot_resize(s, 0, TILES))
		fail("out of memory");
	const uint32_t streams = last == NULL ? STREAMS : CHANGING;
	for (uint32_t i = 0; i < streams; i++)
		if ((v[i] = gcs_snapshot_write(s, 0, i)) == NULL)
			fail("out of memory");
	if (last == NULL)
		fill(v);
	for (uint32_t i = 0; i < changes; i++) {
		const uint32_t at = kit_below(&seed, TILES);
		for (uint32_t k = 0; k < CHANGING; k++)
			v[k][at] = any_value(k);
	}
	gcs_snapshot_set_gathered(s, 0, true);
	gcs_snapshot_unref(last);
	return s;
}

/* Writing. */

struct recording {
	struct gcs_model *model;
	struct gcs_snapshot *last;
	struct gcs_trace_writer *writer;
	uint64_t events;
	uint32_t changes;
	double writing; /* CPU of the writer */
};

static void start(struct recording *r, const char *path, unsigned per_cent)
{
	struct gcs_error err;
	*r = (struct recording){.model = make_model(), .changes = TILES * per_cent / 100};
	r->last = next(r->model, NULL, 0, 0);
	const struct gcs_trace_options options = {.path = path, .replace = true, .level = level};
	r->writer = gcs_trace_create(&options, &err);
	if (r->writer == NULL)
		fail(err.text);
}

static void write_event(struct recording *r)
{
	struct gcs_error err;
	const double begin = cpu();
	if (gcs_trace_write(r->writer, r->last, &err) != GCS_OK)
		fail(err.text);
	r->writing += cpu() - begin;
	r->events++;
	r->last = next(r->model, r->last, r->events, r->changes);
}

static struct gcs_trace_written finish(struct recording *r)
{
	struct gcs_error err;
	struct gcs_trace_written written;
	gcs_trace_flush(r->writer, true, NULL);
	gcs_trace_written(r->writer, &written);
	if (gcs_trace_finish(r->writer, &err) != GCS_OK)
		fail(err.text);
	gcs_snapshot_unref(r->last);
	gcs_model_unref(r->model);
	return written;
}

/* Runs in a process of its own, so that memory is its own. */
static void apart(
    void (*part)(const char *path, unsigned long n), const char *path, unsigned long n)
{
	int status;
	fflush(stdout);
	const pid_t child = fork();
	if (child == 0) {
		part(path, n);
		fflush(stdout);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		fail("a part has failed");
}

static void as_fast_as_it_goes(const char *path, unsigned long events)
{
	struct recording r;
	start(&r, path, 2);
	while (r.events < events)
		write_event(&r);
	const struct gcs_trace_written w = finish(&r);
	print("writer, CPU of an event, 2 % of the tiles changed", r.writing / (double)events * 1e6,
	    "us");
	print("the most events that it writes", (double)events / r.writing, "a second of CPU");
	print("an event in the file", (double)w.bytes / (double)events, "bytes");
	print("the same before it is deflated", (double)w.raw_bytes / (double)events, "bytes");
}

/* At 1,000 a second; late: behind the time at which an event was due. */
static void as_they_come(const char *path, unsigned long events)
{
	struct recording r;
	double late = 0;
	start(&r, path, 2);
	write_event(&r);
	forget_peak();
	const double before = peak_mb(), begin = now();
	r.writing = 0;
	while (r.events < events) {
		const double due = begin + (double)r.events / RATE;
		const struct timespec at = {
		    .tv_sec = (time_t)due, .tv_nsec = (long)((due - floor(due)) * 1e9)};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		write_event(&r);
		const double behind = now() - due;
		late = behind > late ? behind : late;
	}
	const double wall = now() - begin;
	print("at 1,000 events a second: they came", (double)events / wall, "a second");
	print("the writer's share of a core", r.writing / wall * 100, "%");
	print("the longest that an event was late", late * 1e3, "ms");
	print("memory, peak above the program's own and one key frame", peak_mb() - before, "MB");
	(void)finish(&r);
}

static void make_large(const char *path, unsigned long events)
{
	struct recording r;
	start(&r, path, 7);
	while (r.events < events)
		write_event(&r);
	const struct gcs_trace_written w = finish(&r);
	/* So that nothing of it is in memory when it is opened. */
	const int fd = open(path, O_RDWR);
	if (fd == -1 || fsync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		fail("cannot put the file away");
	close(fd);
	printf("file of %.0f MB, %lu events\n", (double)w.bytes / 1e6, events);
}

/* Reading. */

static void look(struct gcs_trace *t, uint64_t place)
{
	struct gcs_error err;
	struct gcs_snapshot *s = gcs_trace_at(t, place, &err);
	if (s == NULL)
		fail(err.text);
	if (gcs_snapshot_occurrence(s)->sequence != place + 1)
		fail("another event came");
	gcs_snapshot_unref(s);
}

static void print_spread(const char *name, const char *what, double *took)
{
	qsort(took, SEEKS, sizeof *took, by_value);
	printf("%-32s %-6s median %.2f, p99 %.2f, longest %.2f ms\n", name, what, took[SEEKS / 2],
	    took[SEEKS * 99 / 100 - 1], took[SEEKS - 1]);
}

/* What other work on the machine costs is in the time, and not in the CPU time. */
static void seek(struct gcs_trace *t, unsigned long events, const char *name)
{
	double took[SEEKS], spent[SEEKS];
	for (int i = 0; i < SEEKS; i++) {
		const uint64_t place = kit_below(&seed, (uint32_t)events);
		const double begin = now(), cpu_begin = cpu();
		look(t, place);
		took[i] = (now() - begin) * 1e3;
		spent[i] = (cpu() - cpu_begin) * 1e3;
	}
	print_spread(name, "time", took);
	print_spread("", "CPU", spent);
}

/* Steps from the middle on, and back to it. */
static void step(struct gcs_trace *t, unsigned long events)
{
	const uint64_t middle = events / 2;
	const unsigned long steps = events / 4 < STEPS ? events / 4 : STEPS;
	look(t, middle);
	double begin = cpu();
	for (uint64_t i = 1; i <= steps; i++)
		look(t, middle + i);
	const double forwards = (cpu() - begin) / (double)steps * 1e6;
	begin = cpu();
	for (uint64_t i = steps; i-- != 0;)
		look(t, middle + i);
	const double backwards = (cpu() - begin) / (double)steps * 1e6;
	print("a step forwards, CPU", forwards, "us");
	print("a step backwards, CPU", backwards, "us");
	print("backwards against forwards", backwards / forwards, "times");
}

static void moments(struct gcs_trace *t, unsigned long events)
{
	const double begin = now();
	for (uint64_t i = 0; i < events; i++) {
		struct gcs_snapshot *s = gcs_trace_moment(t, i, NULL);
		if (s == NULL || gcs_snapshot_occurrence(s)->sequence != i + 1)
			fail("another moment came");
		gcs_snapshot_unref(s);
	}
	print("all moments", (now() - begin) * 1e3, "ms");
}

static void read_large(const char *path, unsigned long events)
{
	struct gcs_error err;
	const double begin = now();
	struct gcs_trace *t = gcs_trace_open(path, &err);
	if (t == NULL)
		fail(err.text);
	print("open", (now() - begin) * 1e3, "ms");
	seek(t, events, "200 random places, from the disk");
	seek(t, events, "200 random places again");
	step(t, events);
	print("memory, peak", peak_mb(), "MB");
	moments(t, events);
	gcs_trace_close(t);
}

/* What a killed writer leaves has to be searched. */
static void open_cut(const char *path, unsigned long events)
{
	struct gcs_error err;
	const double begin = now();
	struct gcs_trace *t = gcs_trace_open(path, &err);
	if (t == NULL)
		fail(err.text);
	print("open without its index", (now() - begin) * 1e3, "ms");
	look(t, events / 2);
	gcs_trace_close(t);
}

static void measure_file(const char *path, unsigned long events)
{
	apart(make_large, path, events);
	apart(read_large, path, events);
	struct gcs_error err;
	struct gcs_trace_info info;
	struct gcs_trace *t = gcs_trace_open(path, &err);
	if (t == NULL)
		fail(err.text);
	gcs_trace_get_info(t, &info);
	gcs_trace_close(t);
	if (info.events != events || !info.complete || truncate(path, (off_t)info.bytes - 24) != 0)
		fail("the file is not what was written");
	apart(open_cut, path, events);
}

static bool is_room(void)
{
	struct statvfs s;
	return statvfs(folder, &s) == 0 &&
	       (double)s.f_bavail * (double)s.f_frsize > NEEDED_GB * 1e9;
}

static char path[400];

static void remove_file(void)
{
	unlink(path);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--smoke") == 0)
			smoke = true;
		else if (strcmp(argv[i], "--level") == 0 && i + 1 < argc)
			level = atoi(argv[++i]);
		else
			return fprintf(stderr, "usage: perf-trace [--smoke] [--level N]\n"), 2;
	}
	folder = getenv("TMPDIR") == NULL ? "/tmp" : getenv("TMPDIR");
	snprintf(path, sizeof path, "%s/perf-trace-%ld.gcspy", folder, (long)getpid());
	atexit(remove_file);
	apart(as_fast_as_it_goes, path, smoke ? 300 : 20000);
	apart(as_they_come, path, smoke ? 300 : 20000);
	measure_file(path, smoke ? 1200 : 10000);
	if (!smoke && is_room())
		measure_file(path, 100000);
	else if (!smoke)
		printf("skipped: the file of a gigabyte, %s has less than %d GB free\n", folder,
		    NEEDED_GB);
	return 0;
}
