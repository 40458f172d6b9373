/*
 * The inside of a snapshot, beyond <gcspy/snapshot.h>: its parts, and the list of inserted and removed
 * tiles, so that an encoder sends only changes. snapshot.c builds and shares, snapshot_read.c reads.
 */
#ifndef GCSPY_MODEL_SNAPSHOT_INTERNAL_H
#define GCSPY_MODEL_SNAPSHOT_INTERNAL_H

#include <gcspy/snapshot.h>

#include "columns.h"
#include "shared.h"

/* Tiles inserted (positive) or removed (negative) before tile `at`, in the order of the calls. */
struct resize {
	uint32_t space;
	uint32_t at;
	int32_t count;
};

struct space_state {
	uint64_t edition; /* model_edition of its description */
	uint32_t tiles;
	uint32_t stream_count;
	bool gathered;
	struct column **columns;   /* per stream; NULL without tiles */
	struct column **summaries; /* per stream; NULL: none */
	struct names *names;
	struct text *info;
};

/* The triggers that have fired at an event; shared like columns. NULL is the empty list. */
struct fired_list;

struct fired_list *fired_ref(struct fired_list *list);
void fired_unref(struct fired_list *list);
size_t fired_bytes(const struct fired_list *list);

struct gcs_snapshot {
	atomic_uint references;
	struct gcs_model *model;
	struct gcs_occurrence occurrence;
	uint64_t serial;      /* identity within the process */
	uint64_t built_on;    /* serial of the snapshot that this one was begun from, or 0 */
	uint32_t numbers_set; /* bit per attribute */
	int64_t numbers[GCS_MAX_ATTRIBUTES];
	struct text *texts[GCS_MAX_ATTRIBUTES];
	struct fired_list *fired; /* NULL: none */
	uint64_t counters[GCS_MAX_EVENTS];
	uint32_t space_count;
	struct space_state *spaces;
	uint32_t resize_count; /* since built_on */
	uint32_t resize_capacity;
	bool resize_lost; /* the list is incomplete, for lack of memory */
	struct resize *resizes;
	size_t own_bytes;  /* memory not shared with built_on; set by snapshot_settle */
	size_t full_bytes; /* all memory; likewise */
};

/*
 * Completes a snapshot before it is shared: shares columns that are equal to those of `previous` (may
 * be NULL), and computes own_bytes.
 */
SHARED_WITH_CLIENT void snapshot_settle(
    struct gcs_snapshot *snapshot, const struct gcs_snapshot *previous);

/*
 * Memory that a queue retains with this snapshot. If it was built on the last queued one (`last`, its
 * serial; 0: none), only its own bytes; after a gap, as from a filter, all of its memory.
 */
size_t snapshot_queue_cost(const struct gcs_snapshot *snapshot, uint64_t last);

/*
 * Makes a snapshot with a single reference writable again, as a new snapshot built on itself, without
 * a copy. False if it is shared or has another model.
 */
SHARED_WITH_CLIENT bool snapshot_reopen(
    struct gcs_snapshot *snapshot, const struct gcs_model *model);

/*
 * gcs_snapshot_write for a writer that sets the bits of changed tiles in *changed, a map as returned
 * by gcs_snapshot_changed, or NULL if no map is needed.
 */
SHARED_WITH_CLIENT int64_t *snapshot_amend(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, uint64_t **changed);

/* Makes `to` share the state of the space with `from`. Both models must describe it equally. */
void snapshot_adopt_space(struct gcs_snapshot *to, const struct gcs_snapshot *from, uint32_t space);

/*
 * The same state with another model, which describes the snapshot's spaces equally, perhaps with other
 * editions, and may have more spaces, all gone. One reference, settled; NULL without memory.
 */
struct gcs_snapshot *snapshot_rehouse(const struct gcs_snapshot *snapshot, struct gcs_model *model);

/* Applies resizes of one space in their order, with one copy of its columns. False for a number out of
 * range or without memory; then perhaps only the first ones have been applied. */
bool snapshot_edit_tiles(
    struct gcs_snapshot *s, uint32_t space, const struct resize *list, uint32_t count);

/* The state of a space that exists and is not gone, or NULL. */
struct space_state *snapshot_own_state(struct gcs_snapshot *s, uint32_t space);
const struct space_state *snapshot_state(const struct gcs_snapshot *s, uint32_t space);

#endif
