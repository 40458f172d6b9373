/* What suites of the recorder share: a file, snapshots of a random program, and what a file says.
 * The suite has `setup` and `teardown`. */
#ifndef GCSPY_TESTS_RECORDER_SUITE_H
#define GCSPY_TESTS_RECORDER_SUITE_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/recorder.h>
#include <gcspy/trace.h>

#include "kit.h"
#include "kit_profile.h"
#include "snapshot_internal.h"

/* The profiles are of the collection at this event. */
enum { MOST = 1000, JUDGED_EVENT = 300 };

static char path[100], copy[110];
static struct gcs_model *model;
static struct gcs_snapshot *made[MOST];
static uint32_t made_count;
static uint64_t state;
static struct gcs_error err;
static atomic_uint changes, failures;
static struct gcs_recorder *watched;

static inline void setup(void)
{
	kit_count_memory(0);
	state = kit_seed();
	snprintf(path, sizeof path, "/tmp/gcspy-recorder-%ld-%u", (long)getpid(),
	    (unsigned)kit_below(&state, 1000000));
	snprintf(copy, sizeof copy, "%s.copy", path);
	model = kit_model();
	made_count = 0;
	watched = NULL;
	atomic_store(&changes, 0);
	atomic_store(&failures, 0);
}

static inline void teardown(void)
{
	for (uint32_t i = 0; i < made_count; i++)
		gcs_snapshot_unref(made[i]);
	gcs_model_unref(model);
	unlink(path);
	unlink(copy);
	kit_until(kit_live_blocks() == 0);
}

static inline void changed(void *context)
{
	struct gcs_recorder_stats stats;
	(void)context;
	atomic_fetch_add(&changes, 1);
	if (watched == NULL)
		return;
	gcs_recorder_get_stats(watched, &stats);
	if (stats.error.status != GCS_OK)
		atomic_fetch_add(&failures, 1);
}

static inline struct gcs_recorder *start(const struct gcs_recorder_options *options)
{
	struct gcs_recorder *r = gcs_recorder_create(options, &err);
	cr_assert_not_null(r, "%s", err.text);
	return r;
}

/* The next snapshot of a random program, as a server would have made it. */
static inline struct gcs_snapshot *next(void)
{
	struct gcs_snapshot *last = made_count == 0 ? NULL : made[made_count - 1];
	struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
	const struct gcs_occurrence o = {.sequence = made_count + 1,
	    .event = kit_below(&state, KIT_EVENTS),
	    .time_ns = 1000000000u + made_count * 1000000u,
	    .wall_ns = KIT_PROFILE_JUDGED + ((int64_t)made_count - JUDGED_EVENT) * 1000000};
	gcs_snapshot_set_occurrence(s, &o);
	kit_change(s, &state);
	snapshot_settle(s, last);
	cr_assert_lt(made_count, MOST);
	made[made_count++] = s;
	return s;
}

/* The same with values that no compression makes smaller than this. */
enum { LARGE_BYTES = 8000 };

static inline struct gcs_snapshot *next_large(void)
{
	enum { TILES = 4000 };
	struct gcs_snapshot *last = made_count == 0 ? NULL : made[made_count - 1];
	struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
	const struct gcs_occurrence o = {.sequence = made_count + 1, .event = KIT_TICK};
	gcs_snapshot_set_occurrence(s, &o);
	gcs_snapshot_resize(s, KIT_HEAP, TILES);
	int64_t *values = gcs_snapshot_write(s, KIT_HEAP, KIT_USED);
	for (uint32_t i = 0; i < TILES; i++)
		values[i] = kit_below(&state, 1000000);
	snapshot_settle(s, last);
	made[made_count++] = s;
	return s;
}

static inline void put_profile(struct gcs_recorder *r, enum gcs_profile_kind kind)
{
	struct gcs_profile *p = kit_profile(kind);
	void *bytes;
	size_t length;
	cr_assert_eq(gcs_profile_encode(p, &bytes, &length, &err), GCS_OK);
	cr_assert(gcs_recorder_put_profile(r, bytes, length));
	gcs_free(bytes);
	gcs_profile_free(p);
}

static inline struct gcs_trace *open_trace(const char *file, struct gcs_trace_info *info)
{
	struct gcs_trace *t = gcs_trace_open(file, &err);
	cr_assert_not_null(t, "%s", err.text);
	gcs_trace_get_info(t, info);
	return t;
}

/* Every event of the file is the one put in, with the gaps that it tells and no others. Returns how
 * many it says to be lost. */
static inline uint64_t expect_told(struct gcs_trace *t, uint64_t events)
{
	uint64_t missed = 0;
	for (uint64_t i = 0; i < events; i++) {
		struct gcs_snapshot *s = gcs_trace_at(t, i, &err);
		cr_assert_not_null(s, "%s", err.text);
		const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
		missed = o->missed;
		cr_assert_eq(o->sequence, i + 1 + missed, "event %u", (unsigned)i);
		cr_assert_null(kit_difference(s, made[o->sequence - 1], UINT64_MAX));
		gcs_snapshot_unref(s);
	}
	return missed;
}

#endif
