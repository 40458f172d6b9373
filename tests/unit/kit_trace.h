/* Recordings for tests: a random program's snapshots in memory and in a trace file. */
#ifndef GCSPY_TESTS_KIT_TRACE_H
#define GCSPY_TESTS_KIT_TRACE_H

#include <gcspy/trace.h>

enum { KIT_TRACE_MOST = 4096 };

struct kit_trace {
	char path[128];
	uint32_t count;
	struct gcs_snapshot *snapshots[KIT_TRACE_MOST];
};

/* Records `count` snapshots with random changes, also of the description, into a new file of the
 * folder for temporary files; a profile after each `profile_every`-th (0: none). */
void kit_trace_record(struct kit_trace *t, uint32_t count, uint32_t profile_every, uint64_t *state);

/* The same, without the end: as if the writer had been killed. */
void kit_trace_record_killed(struct kit_trace *t, uint32_t count, uint64_t *state);

/* Removes the file and gives the snapshots back. */
void kit_trace_fini(struct kit_trace *t);

/* The first thing in which the trace's snapshot at a place differs from what was recorded, or
 * NULL. */
const char *kit_trace_difference(
    struct gcs_trace *trace, const struct kit_trace *t, uint32_t place);

/* The file's bytes, and back; free with kit_trace_free. */
unsigned char *kit_trace_bytes(const char *path, size_t *length);
void kit_trace_put(const char *path, const unsigned char *bytes, size_t length);
void kit_trace_free(unsigned char *bytes);

#endif
