/*
 * Makes the trace files that are kept in tests/golden/traces, and the text beside each:
 *
 *	make-golden-traces FOLDER
 *
 * Run it once for each minor version of the format, with a new folder, and add what it made to those
 * that are there: a file that was kept never changes (docs/trace-format.md, section 5). The names
 * begin with the version.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"
#include "kit_trace.h"
#include "trace_text.h"

static struct kit_trace recorded;
static uint64_t state = 20261121;

static void put(const char *folder, const char *name, const unsigned char *bytes, size_t length)
{
	char path[600], text[600];
	struct gcs_error err;
	snprintf(path, sizeof path, "%s/v%d.%d-%s.gcspy", folder, GCS_TRACE_MAJOR, GCS_TRACE_MINOR,
	    name);
	snprintf(
	    text, sizeof text, "%s/v%d.%d-%s.txt", folder, GCS_TRACE_MAJOR, GCS_TRACE_MINOR, name);
	kit_trace_put(path, bytes, length);
	struct gcs_trace *t = gcs_trace_open(path, &err);
	FILE *file = fopen(text, "w");
	if (t == NULL || file == NULL) {
		fprintf(stderr, "make-golden-traces: %s\n", t == NULL ? err.text : text);
		exit(1);
	}
	trace_print(file, t);
	fclose(file);
	gcs_trace_close(t);
}

/* Profiles, a description that changes; finished. */
static void finished(const char *folder)
{
	size_t length;
	kit_trace_record(&recorded, 110, 30, &state);
	unsigned char *bytes = kit_trace_bytes(recorded.path, &length);
	put(folder, "finished", bytes, length);
	kit_trace_free(bytes);
	kit_trace_fini(&recorded);
}

/* Without an end, and with a piece of a chunk. */
static void cut(const char *folder)
{
	size_t length;
	kit_trace_record_killed(&recorded, 40, &state);
	unsigned char *bytes = kit_trace_bytes(recorded.path, &length);
	put(folder, "cut", bytes, length - 30);
	kit_trace_free(bytes);
	kit_trace_fini(&recorded);
}

/* A byte in the first of two segments. */
static void damaged(const char *folder)
{
	size_t length;
	kit_trace_record(&recorded, 530, 0, &state);
	unsigned char *bytes = kit_trace_bytes(recorded.path, &length);
	bytes[length / 2] ^= 0x10;
	put(folder, "damaged", bytes, length);
	kit_trace_free(bytes);
	kit_trace_fini(&recorded);
}

/* Two answers among events. */
static void answers(const char *folder)
{
	struct gcs_error err;
	struct gcs_trace_answer a = {
	    .plugin = "paths", .message = "pauses=3", .wall_ns = 1700000000000000000};
	char path[] = "/tmp/gcspy-golden-answers.gcspy";
	size_t length;
	state = 7;
	kit_trace_record(&recorded, 4, 0, &state);
	struct gcs_trace_writer *w =
	    gcs_trace_create(&(struct gcs_trace_options){.path = path, .replace = true}, &err);
	for (uint32_t i = 0; i < recorded.count; i++) {
		gcs_trace_write(w, recorded.snapshots[i], &err);
		a.bytes = "a body of bytes";
		a.length = i == 0 ? 0 : 15;
		if (i % 2 == 0)
			gcs_trace_write_answer(w, &a, &err);
	}
	if (gcs_trace_finish(w, &err) != GCS_OK)
		exit(1);
	unsigned char *bytes = kit_trace_bytes(path, &length);
	put(folder, "answers", bytes, length);
	kit_trace_free(bytes);
	remove(path);
	kit_trace_fini(&recorded);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return fprintf(stderr, "usage: make-golden-traces FOLDER\n"), 2;
	finished(argv[1]);
	cut(argv[1]);
	damaged(argv[1]);
	answers(argv[1]);
	return 0;
}
