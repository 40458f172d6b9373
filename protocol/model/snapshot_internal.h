/*
 * What the protocol's own files see of a snapshot beyond <gcspy/snapshot.h>: its parts, and the
 * list of changes of length, so that an encoder can send what changed and nothing else. snapshot.c
 * builds and shares, snapshot_read.c reads.
 */
#ifndef GCSPY_MODEL_SNAPSHOT_INTERNAL_H
#define GCSPY_MODEL_SNAPSHOT_INTERNAL_H

#include <gcspy/snapshot.h>

#include "columns.h"

/* Tiles inserted (positive) or removed (negative) before tile `at`, in the order in which it
 * happened. */
struct resize {
	uint32_t space;
	uint32_t at;
	int32_t count;
};

struct space_state {
	uint64_t edition; /* model_edition of the description that this state belongs to */
	uint32_t tiles;
	uint32_t stream_count;
	bool gathered;
	struct column **columns;   /* per stream; NULL when there are no tiles */
	struct column **summaries; /* per stream; NULL when there is none */
	struct names *names;
	struct text *info;
};

struct gcs_snapshot {
	atomic_uint references;
	struct gcs_model *model;
	struct gcs_occurrence occurrence;
	uint64_t serial;      /* identity within the process */
	uint64_t built_on;    /* serial of the snapshot that this one was begun from, or 0 */
	uint32_t numbers_set; /* bit per attribute */
	int64_t numbers[GCS_MAX_ATTRIBUTES];
	struct text *texts[GCS_MAX_ATTRIBUTES];
	uint64_t counters[GCS_MAX_EVENTS];
	uint32_t space_count;
	struct space_state *spaces;
	uint32_t resize_count; /* changes of length since built_on */
	uint32_t resize_capacity;
	bool resize_lost; /* the list could not be kept; only the lengths are known */
	struct resize *resizes;
	size_t own_bytes;  /* memory not shared with built_on; set by snapshot_settle */
	size_t full_bytes; /* memory if nothing were shared; likewise */
};

/*
 * Shares again with `previous` whatever was written with the same values, and computes own_bytes.
 * Called once, before the snapshot is handed on. `previous` may be NULL.
 */
void snapshot_settle(struct gcs_snapshot *snapshot, const struct gcs_snapshot *previous);

/*
 * Bytes that a queue keeps alive with the snapshot. One that follows the last one queued (`last`,
 * its serial; 0: none) shares the rest with it, and the first of them with what the receiver has.
 * After a gap, made by a filter, it may keep alive what nobody else needs.
 */
size_t snapshot_queue_cost(const struct gcs_snapshot *snapshot, uint64_t last);

/*
 * Makes a snapshot that nobody else refers to one that may be changed again, as if it had been
 * begun from itself: its own state is lost, and nothing is copied. False if it is shared or has
 * another model.
 */
bool snapshot_reopen(struct gcs_snapshot *snapshot, const struct gcs_model *model);

/*
 * gcs_snapshot_write for a writer that sets in *changed, a map as of gcs_snapshot_changed, the bits
 * of the tiles that it gives other values. *changed is NULL if there is no map to keep.
 */
int64_t *snapshot_amend(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, uint64_t **changed);

/* Makes `to`'s state of the space the same (shared) as `from`'s. Both models must describe it
 * equally. */
void snapshot_adopt_space(struct gcs_snapshot *to, const struct gcs_snapshot *from, uint32_t space);

/*
 * The same state under another model, which describes the snapshot's spaces equally, though perhaps
 * with other editions, and has more of them, all gone. One reference, settled; NULL without memory.
 */
struct gcs_snapshot *snapshot_rehouse(const struct gcs_snapshot *snapshot, struct gcs_model *model);

/* The state of a space that is there, or NULL. */
const struct space_state *snapshot_state(const struct gcs_snapshot *s, uint32_t space);

#endif
