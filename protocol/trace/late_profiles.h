/*
 * Profiles that a recorder has got before the events of their collection: the sampler tells them
 * apart at once, while another thread publishes the events. They are kept until a later event comes,
 * so that each gets its place; one of each kind at most. The recorder's thread.
 */
#ifndef GCSPY_TRACE_LATE_PROFILES_H
#define GCSPY_TRACE_LATE_PROFILES_H

#include <gcspy/trace_writer.h>

#include "trace_format.h"

struct late_profiles {
	struct late_profile {
		void *bytes; /* NULL: none */
		size_t length;
		int64_t wall_ns; /* trace_profile_ns */
	} of[GCS_PROFILE_KIND_COUNT];
	int64_t judged_ns[GCS_PROFILE_KIND_COUNT]; /* of the last profile of each kind */
	int64_t newest_ns; /* wall clock of the newest event; 0: it has none */
};

/* Writes a profile (trace_is_profile) if a later event has been written, or else takes its bytes and
 * sets *bytes to NULL. One as of the same collection as the last of its kind is ignored. */
enum gcs_status late_profiles_put(struct late_profiles *late, struct gcs_trace_writer *writer,
    void **bytes, size_t length, struct gcs_error *err);

/* Writes an event, and the profiles of before it. */
enum gcs_status late_profiles_event(struct late_profiles *late, struct gcs_trace_writer *writer,
    const struct gcs_snapshot *snapshot, struct gcs_error *err);

/* Writes all of them, and what is in the writer's memory. */
enum gcs_status late_profiles_flush(
    struct late_profiles *late, struct gcs_trace_writer *writer, struct gcs_error *err);

void late_profiles_fini(struct late_profiles *late);

#endif
