/*
 * The state of all spaces at one occurrence of an event.
 *
 * A snapshot is built by one thread (gcs_snapshot_begin, then setters) and never changes after it
 * has been shared. Each stream is a column, an array of int64_t, which consecutive snapshots share
 * while it does not change: history is cheap, and comparing two pointers shows whether a stream has
 * changed.
 */
#ifndef GCSPY_SNAPSHOT_H
#define GCSPY_SNAPSHOT_H

#include "model.h"

GCS_BEGIN_DECLS

struct gcs_snapshot;
struct gcs_fired;

/*
 * A new snapshot to be filled, with one reference. It has the state of `previous` (NULL: all spaces
 * are empty) and the description `model`; spaces whose description differs start empty. It holds
 * references to what it needs. NULL without memory.
 */
GCS_API struct gcs_snapshot *gcs_snapshot_begin(
    struct gcs_model *model, const struct gcs_snapshot *previous);

/* Adds a reference and returns the snapshot; NULL for NULL. Any thread. */
GCS_API struct gcs_snapshot *gcs_snapshot_ref(const struct gcs_snapshot *snapshot);

/* Drops a reference; the last one frees the snapshot. NULL has no effect. Any thread. */
GCS_API void gcs_snapshot_unref(const struct gcs_snapshot *snapshot);

/* The event itself. */
struct gcs_occurrence {
	uint64_t
	    sequence; /* numbers what any receiver gets, states too; gaps were filtered or missed */
	uint32_t event;      /* id; GCS_NONE: no event, but the state when the client attached */
	uint64_t time_ns;    /* the server's monotonic clock at the event */
	int64_t wall_ns;     /* time of day, nanoseconds since 1970 UTC */
	uint64_t cost_ns;    /* total time that GCspy has cost the program so far (F7) */
	uint64_t elapsed_ns; /* since this receiver's previous snapshot; 0 for its first one */
	uint64_t compensation_ns; /* GCspy's cost within elapsed_ns */
	uint64_t missed;          /* snapshots that this receiver has missed because it was slow */
};

/* Setters, only until the snapshot is shared. False for an id out of range, or without memory. */
GCS_API bool gcs_snapshot_set_occurrence(
    struct gcs_snapshot *snapshot, const struct gcs_occurrence *occurrence);
GCS_API bool gcs_snapshot_set_number(
    struct gcs_snapshot *snapshot, uint32_t attribute, int64_t value);
GCS_API bool gcs_snapshot_set_text(
    struct gcs_snapshot *snapshot, uint32_t attribute, const char *text);
GCS_API bool gcs_snapshot_set_counter(
    struct gcs_snapshot *snapshot, uint32_t event, uint64_t count);

/* Inserts or removes `count` tiles at tile `at`; new tiles have the initial values and no name
 * (F13). */
GCS_API bool gcs_snapshot_insert_tiles(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t at, uint32_t count);
GCS_API bool gcs_snapshot_remove_tiles(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t at, uint32_t count);

/* Adds or removes tiles at the end until the space has `tiles` tiles. */
GCS_API bool gcs_snapshot_resize(struct gcs_snapshot *snapshot, uint32_t space, uint32_t tiles);

/* The stream's values, one per tile, to be changed in place; at first they are the previous ones.
 * Valid until the space is resized. NULL for an unknown id, without memory, or in a space without
 * tiles. */
GCS_API int64_t *gcs_snapshot_write(struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);

/* Replaces the stream's summary; `count` must be gcs_summary_length. */
GCS_API bool gcs_snapshot_set_summary(struct gcs_snapshot *snapshot, uint32_t space,
    uint32_t stream, uint32_t count, const int64_t *values);

/* Names a tile, as by a thread or a call site (F2); "" removes the name. Sent only when it
 * changes. */
GCS_API bool gcs_snapshot_set_name(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile, const char *name);

/* One line about the whole space at this event: "12 of 64 regions uncommitted". */
GCS_API bool gcs_snapshot_set_space_info(
    struct gcs_snapshot *snapshot, uint32_t space, const char *text);

/* Sets whether the space's data were gathered at this event; if not, they are from an earlier
 * one. */
GCS_API bool gcs_snapshot_set_gathered(
    struct gcs_snapshot *snapshot, uint32_t space, bool gathered);

/* Adds a trigger that has fired at the event (trigger.h), at most GCS_MAX_TRIGGERS; copied. It belongs
 * to this snapshot only: later ones do not inherit it. */
GCS_API bool gcs_snapshot_add_fired(struct gcs_snapshot *snapshot, const struct gcs_fired *fired);

/* Readers. Results are valid as long as the snapshot. Any thread once it is shared. */
GCS_API const struct gcs_model *gcs_snapshot_model(const struct gcs_snapshot *snapshot);
GCS_API const struct gcs_occurrence *gcs_snapshot_occurrence(const struct gcs_snapshot *snapshot);
GCS_API bool gcs_snapshot_number(
    const struct gcs_snapshot *snapshot, uint32_t attribute, int64_t *value);
GCS_API const char *gcs_snapshot_text(
    const struct gcs_snapshot *snapshot, uint32_t attribute); /* NULL: absent */
GCS_API uint64_t gcs_snapshot_counter(const struct gcs_snapshot *snapshot, uint32_t event);
GCS_API uint32_t gcs_snapshot_tiles(const struct gcs_snapshot *snapshot, uint32_t space);
GCS_API const int64_t *gcs_snapshot_values(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);
/* The errors of an estimate's values (`error_stream`); NULL for other streams. */
GCS_API const int64_t *gcs_snapshot_errors(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);
GCS_API const int64_t *gcs_snapshot_summary(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, uint32_t *count);
GCS_API const char *gcs_snapshot_name(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile); /* "": none */
GCS_API const char *gcs_snapshot_space_info(
    const struct gcs_snapshot *snapshot, uint32_t space); /* "": none */
GCS_API bool gcs_snapshot_gathered(const struct gcs_snapshot *snapshot, uint32_t space);

/* The triggers that have fired at this event; NULL for an index out of range. */
GCS_API uint32_t gcs_snapshot_fired_count(const struct gcs_snapshot *snapshot);
GCS_API const struct gcs_fired *gcs_snapshot_fired(
    const struct gcs_snapshot *snapshot, uint32_t index);

/* Tiles per bit of gcs_snapshot_changed. */
#define GCS_CHANGED_TILES 8

/*
 * Where the stream's values in `now` may differ from those in `before`: bit i % 64 of word i / 64
 * covers the GCS_CHANGED_TILES tiles from i * GCS_CHANGED_TILES on, and tiles of clear bits are
 * equal. Valid as long as `now`. NULL if not known: it is known if a client received `now` right
 * after `before`, or gcs_tiles_gather made it from `before`, and the space kept its tiles. Undefined
 * for a column that both snapshots share (for which gcs_snapshot_values returns the same pointer).
 */
GCS_API const uint64_t *gcs_snapshot_changed(const struct gcs_snapshot *now,
    const struct gcs_snapshot *before, uint32_t space, uint32_t stream);

/*
 * The maximum for showing the stream's value at a tile (enum gcs_maximum); at least min + 1, so that
 * the range is never empty. `tile` matters only for GCS_MAX_OF_STREAM. GCS_MAX_OF_EVENT takes a pass
 * over all tiles: call it once per stream.
 */
GCS_API int64_t gcs_snapshot_maximum(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, uint32_t tile);

/* True for an estimate below its error: it may be nothing but chance. Any thread. */
static inline bool gcs_uncertain(int64_t value, int64_t error)
{
	return value < error && value > -error;
}

/* The number of values in the stream's summary: 0, 1, 2 or one per name of its enumeration. */
GCS_API uint32_t gcs_summary_length(const struct gcs_stream *stream);

/* Checks all invariants of a snapshot; GCS_OK, or the first violation in `err`. For tests. */
GCS_API enum gcs_status gcs_snapshot_check(
    const struct gcs_snapshot *snapshot, struct gcs_error *err);

GCS_END_DECLS

#endif
