/*
 * Trace files written and read while the calls under them fail (Q4): a full disk in the middle of a
 * chunk, a file that cannot be opened, read, cut or closed, no memory. There is one line that says
 * why, the file has all chunks before and no piece of one, and nothing is left behind.
 *
 *	fault-trace [ROUNDS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"
#include "kit.h"
#include "kit_profile.h"
#include "kit_trace.h"

enum { EVENTS = 120 };

static uint64_t seed;
static char path[200];

static void failed(const char *what)
{
	faults_set(0, 0);
	fprintf(stderr, "fault-trace: %s (seed %llu)\n", what, (unsigned long long)seed);
	abort();
}

/* A reported error: a status, and one line. */
static void must_tell(const struct gcs_error *err)
{
	if (err->status == GCS_OK || err->text[0] == '\0' || strchr(err->text, '\n') != NULL)
		failed("a failure without a reason in one line");
}

/* Writes until something fails; the events in whole chunks are what gcs_trace_written says. */
struct result {
	struct gcs_error err;
	uint64_t events; /* given to the writer without an error */
	uint64_t kept;   /* of them flushed without an error */
	uint64_t bytes;
	bool created;
};

static void write_events(struct gcs_trace_writer *w, struct result *r)
{
	uint64_t state = seed;
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *last = NULL;
	for (uint32_t i = 0; r->err.status == GCS_OK && i < EVENTS && model != NULL; i++) {
		struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
		gcs_snapshot_unref(last);
		last = s;
		if (s == NULL)
			break; /* no memory for the test itself */
		kit_change(s, &state);
		if (gcs_trace_write(w, s, &r->err) == GCS_OK)
			r->events++;
		if (r->err.status == GCS_OK && i % 7 == 0 &&
		    gcs_trace_flush(w, true, &r->err) == GCS_OK)
			r->kept = r->events;
	}
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
}

static struct result record(void)
{
	struct result r = {.err = {.status = GCS_OK}};
	struct gcs_trace_written written = {0};
	const struct gcs_trace_options options = {
	    .path = path, .replace = true, .flush_ms = 3600000};
	struct gcs_trace_writer *w = gcs_trace_create(&options, &r.err);
	if (w == NULL) {
		must_tell(&r.err);
		return r;
	}
	r.created = true;
	write_events(w, &r);
	struct gcs_error again = {.status = GCS_OK}, end = {.status = GCS_OK};
	if (r.err.status != GCS_OK) {
		must_tell(&r.err);
		if (gcs_trace_flush(w, true, &again) != r.err.status ||
		    strcmp(again.text, r.err.text) != 0)
			failed("the first failure is not the last word");
	}
	gcs_trace_written(w, &written);
	r.bytes = written.bytes;
	const enum gcs_status status = gcs_trace_finish(w, &end);
	if (status != GCS_OK)
		must_tell(&end);
	if (r.err.status != GCS_OK && status != r.err.status)
		failed("the end does not tell of the first failure");
	if (r.err.status == GCS_OK)
		r.err = end;
	return r;
}

/* What there is of the file, without faults. */
static void check_file(const struct result *r, bool could_cut)
{
	struct gcs_error err;
	struct gcs_trace_info info;
	struct gcs_trace *t = gcs_trace_open(path, &err);
	if (t == NULL) {
		if (r->kept != 0)
			failed(err.text);
		return;
	}
	gcs_trace_get_info(t, &info);
	if (info.events < r->kept || info.events > r->events + 1)
		failed("the file has not the events that were written");
	if (info.stray_bytes != 0 && could_cut)
		failed("a piece of a chunk was left at the end");
	if (r->err.status == GCS_OK && (!info.complete || info.events != r->events))
		failed("a file without an error is not whole");
	if (gcs_trace_check(t) != 0)
		failed("what is there is damaged");
	gcs_trace_close(t);
}

/* Writing under faults of one call, or of all. */
static void one_writing(uint32_t rarity, const char *only)
{
	faults_set(seed, rarity);
	faults_only(only);
	faults_files(true);
	const struct result r = record();
	const unsigned made = faults_made();
	faults_set(0, 0);
	if (made == 0 && r.err.status != GCS_OK)
		failed("an error without a cause");
	/* Memory also fails under the test itself. */
	const bool ours = only != NULL && strstr(only, "alloc") == NULL;
	if (ours && made != 0 && r.err.status == GCS_OK)
		failed("a fault and no error");
	if (r.created)
		check_file(&r, only != NULL);
	unlink(path);
}

static struct kit_trace whole;

/* Reading under faults; afterwards everything is there, nothing was taken for damage. */
static void one_reading(uint32_t rarity, const char *only)
{
	struct gcs_error err = {.text = ""};
	faults_set(seed, rarity);
	faults_only(only);
	faults_files(true);
	struct gcs_trace *t = gcs_trace_open(whole.path, &err);
	if (t == NULL)
		must_tell(&err);
	for (uint32_t i = 0; t != NULL && i < 2 * EVENTS; i++) {
		err = (struct gcs_error){.text = ""};
		struct gcs_snapshot *s = gcs_trace_at(t, i * 7 % EVENTS, &err);
		if (s == NULL)
			must_tell(&err);
		if (err.status == GCS_MALFORMED)
			failed("a call that failed was taken for damage");
		gcs_snapshot_unref(s);
		gcs_snapshot_unref(gcs_trace_moment(t, i % EVENTS, NULL));
	}
	if (t != NULL)
		gcs_profile_free(gcs_trace_profile(t, 0, NULL));
	faults_set(0, 0);
	for (uint32_t i = 0; t != NULL && i < EVENTS; i++) {
		const char *difference = kit_trace_difference(t, &whole, i);
		if (difference != NULL)
			failed(difference);
	}
	gcs_trace_close(t);
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;
	for (int fd = 3; fd < 256; fd++) {
		struct stat st;
		count += fstat(fd, &st) == 0;
	}
	return count;
}

int main(int argc, char **argv)
{
	static const char *const writes[] = {
	    "write", "open", "close", "ftruncate", "malloc", "realloc", NULL};
	static const char *const reads[] = {"pread", "pread short", "open", "malloc", NULL};
	static const uint32_t rarities[] = {1, 2, 5, 20, 100};
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : kit_seed();
	const char *folder = getenv("TMPDIR");
	uint64_t state = first;
	snprintf(path, sizeof path, "%s/gcspy-fault-trace-%ld", folder == NULL ? "/tmp" : folder,
	    (long)getpid());
	kit_count_memory(0);
	alarm(600); /* a hang ends the test */
	kit_trace_record(&whole, EVENTS, 30, &state);
	const size_t blocks = kit_live_blocks();
	const unsigned descriptors = open_descriptors();
	for (unsigned long i = 0; i < rounds; i++) {
		seed = first + i;
		one_writing(rarities[i % 5], writes[i / 5 % (sizeof writes / sizeof *writes)]);
		one_reading(rarities[i % 5], reads[i / 5 % (sizeof reads / sizeof *reads)]);
		if (kit_live_blocks() != blocks)
			failed("memory was left behind");
		if (open_descriptors() != descriptors)
			failed("descriptors were left open");
	}
	kit_trace_fini(&whole);
	printf("%lu rounds from seed %llu\n", rounds, (unsigned long long)first);
	return 0;
}
