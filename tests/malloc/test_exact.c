/*
 * The shadow is exact (M3): while a client follows at 200 updates a second, a program with threads that
 * allocate and free at random stops again and again, and each tile's bytes and blocks, the size classes and
 * the events' counts are what the program says they are. Changes arrive by marks alone, so that the
 * increments are compared, not a scan: a second client, which gets everything when it attaches, sees the
 * same.
 *
 *   test-malloc-exact LIBRARIES MUTATOR ROUNDS THREADS headers|plain [SEED]
 *
 * `plain`: the allocator's blocks have no headers.
 */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/client.h>

#include "malloc_report.h"

enum { MOST_BLOCKS = 100000, GRANULE = 65536 };

static int to, from;
static char address[64];
static struct mutator_report report;
static struct mutator_block blocks[MOST_BLOCKS];
static unsigned long seed;

static void fail(const char *what, int64_t expected, int64_t found)
{
	fprintf(stderr, "seed %lu: %s: expected %" PRId64 ", found %" PRId64 "\n", seed, what,
	    expected, found);
	exit(1);
}

static void get(void *bytes, size_t length)
{
	for (char *at = bytes; length != 0;) {
		const ssize_t n = read(from, at, length);
		if (n <= 0)
			fail("bytes from the program", (int64_t)length, n);
		at += n;
		length -= (size_t)n;
	}
}

static pid_t start(char **argv)
{
	char library[4200], options[200];
	int in[2], out[2];
	snprintf(address, sizeof address, "unix:/tmp/gcspy-exact-%ld", (long)getpid());
	snprintf(library, sizeof library, "LD_PRELOAD=%s", argv[1]);
	snprintf(options, sizeof options, "GCSPYMALLOC=socket=%s,update=5,wait=yes", address + 5);
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		exit(2);
	const pid_t pid = fork();
	if (pid == 0) {
		char number[24];
		snprintf(number, sizeof number, "%lu", seed);
		dup2(in[0], 0);
		dup2(out[1], 1);
		putenv(library);
		putenv(options);
		execl(argv[2], argv[2], argv[4], number, argv[5], (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	to = in[1];
	from = out[0];
	return pid;
}

static void take_report(void)
{
	get(&report, sizeof report);
	if (report.blocks > MOST_BLOCKS)
		exit(2);
	get(blocks, report.blocks * sizeof blocks[0]);
}

/* A snapshot of a time at which the program stood still. */
static struct gcs_snapshot *settled(struct gcs_client *c)
{
	for (;;) {
		struct gcs_snapshot *s = gcs_client_next(c, 20000);
		if (s == NULL)
			fail("snapshot", 1, 0);
		if (gcs_snapshot_occurrence(s)->time_ns > report.time_ns)
			return s;
		gcs_snapshot_unref(s);
	}
}

/* The values of a stream by granule. */
struct column {
	const int64_t *starts, *values;
	uint32_t tiles;
};

static struct column column_of(const struct gcs_snapshot *s, const char *name)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	const uint32_t space = gcs_model_find_space(m, "Heap");
	const uint32_t stream = gcs_space_find_stream(&m->spaces[space], name);
	return (struct column){
	    gcs_snapshot_values(s, space, gcs_space_role(&m->spaces[space], GCS_ROLE_RANGE_START)),
	    gcs_snapshot_values(s, space, stream), gcs_snapshot_tiles(s, space)};
}

static int64_t *place(const struct column *c, int64_t *values, uint64_t granule)
{
	uint32_t low = 0, high = c->tiles;
	while (low < high) {
		const uint32_t middle = (low + high) / 2;
		if ((uint64_t)c->starts[middle] < granule)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->tiles || (uint64_t)c->starts[low] != granule)
		fail("tile at", (int64_t)granule, low < c->tiles ? c->starts[low] : -1);
	return &values[low];
}

static void add_to(const struct column *c, int64_t *values, uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at < end;) {
		const uint64_t granule = at / GRANULE * GRANULE;
		const uint64_t limit = granule + GRANULE < end ? granule + GRANULE : end;
		*place(c, values, granule) += (int64_t)(limit - at);
		at = limit;
	}
}

/* Each tile has what it had before the program began, and the program's blocks. */
static void compare_tiles(const struct gcs_snapshot *before, const struct gcs_snapshot *now)
{
	static const char *const names[] = {"Used", "Blocks"};
	for (int k = 0; k < 2; k++) {
		const struct column old = column_of(before, names[k]), c = column_of(now, names[k]);
		int64_t *expected = calloc(c.tiles + 1, sizeof *expected);
		for (uint32_t i = 0; i < old.tiles; i++)
			if (old.values[i] != 0)
				*place(&c, expected, (uint64_t)old.starts[i]) += old.values[i];
		for (uint64_t i = 0; i < report.blocks; i++)
			if (k == 0)
				add_to(&c, expected, blocks[i].start,
				    blocks[i].start + blocks[i].bytes);
			else
				*place(&c, expected, blocks[i].start / GRANULE * GRANULE) += 1;
		for (uint32_t i = 0; i < c.tiles; i++)
			if (expected[i] != c.values[i]) {
				fprintf(stderr, "%s, tile %u of %u at 0x%" PRIx64 "\n", names[k], i,
				    c.tiles, (uint64_t)c.starts[i]);
				fail("tile", expected[i], c.values[i]);
			}
		free(expected);
	}
}

static int64_t summary(const struct gcs_snapshot *s, const char *space_name, const char *name)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	const uint32_t space = gcs_model_find_space(m, space_name);
	uint32_t count;
	const int64_t *values =
	    gcs_snapshot_summary(s, space, gcs_space_find_stream(&m->spaces[space], name), &count);
	return count == 0 ? -1 : values[0];
}

static void compare_sums(const struct gcs_snapshot *before, const struct gcs_snapshot *now)
{
	const char *const space_names[] = {"Heap", "Size classes"};
	const char *const byte_names[] = {"Used", "Bytes"};
	int64_t bytes = 0;
	for (uint64_t i = 0; i < report.blocks; i++)
		bytes += (int64_t)blocks[i].bytes;
	for (int k = 0; k < 2; k++) {
		const int64_t old = summary(before, space_names[k], byte_names[k]);
		const int64_t number = summary(before, space_names[k], "Blocks");
		if (summary(now, space_names[k], byte_names[k]) != old + bytes)
			fail(space_names[k], old + bytes,
			    summary(now, space_names[k], byte_names[k]));
		if (summary(now, space_names[k], "Blocks") != number + (int64_t)report.blocks)
			fail("blocks", number + (int64_t)report.blocks,
			    summary(now, space_names[k], "Blocks"));
	}
	/* A failed realloc is no event; each event is counted once. */
	for (uint32_t i = 0; i < 3; i++) {
		const uint64_t found =
		    gcs_snapshot_counter(now, i) - gcs_snapshot_counter(before, i);
		if (found != report.counts[i])
			fail("events", (int64_t)report.counts[i], (int64_t)found);
	}
}

static struct gcs_client *attach(void)
{
	struct gcs_error err;
	const struct gcs_client_options options = {.address = address, .name = "test"};
	for (int i = 0; i < 1000; i++) {
		struct gcs_client *c = gcs_client_open(&options, &err);
		if (c != NULL && gcs_client_wait(c, 10000) == GCS_CLIENT_LIVE)
			return c;
		gcs_client_close(c);
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	}
	fail("client", 1, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	int status;
	if (argc < 6)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	seed = argc > 6 ? strtoul(argv[6], NULL, 10) : (unsigned long)time(NULL);
	const pid_t pid = start(argv);
	struct gcs_client *client = attach();
	take_report();
	struct gcs_snapshot *before = settled(client);
	for (int round = 0; round < atoi(argv[3]); round++) {
		if (write(to, "\n", 1) != 1)
			return 2;
		take_report();
		struct gcs_snapshot *now = settled(client);
		compare_tiles(before, now);
		compare_sums(before, now);
		gcs_snapshot_unref(now);
		struct gcs_client *second = attach();
		now = settled(second);
		compare_tiles(before, now);
		compare_sums(before, now);
		gcs_snapshot_unref(now);
		gcs_client_close(second);
	}
	close(to);
	gcs_snapshot_unref(before);
	waitpid(pid, &status, 0);
	gcs_client_close(client);
	if (status != 0)
		fail("exit status", 0, status);
	return 0;
}
