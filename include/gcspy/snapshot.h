/*
 * The state of all spaces at one occurrence of an event.
 *
 * A snapshot is built by one thread (gcs_snapshot_begin … setters) and then shared by reference;
 * from then on it never changes. Its columns - one array of int64_t per stream - are shared with
 * the snapshot before it wherever nothing changed, so that history is cheap and "did this stream
 * change?" is a comparison of two pointers.
 */
#ifndef GCSPY_SNAPSHOT_H
#define GCSPY_SNAPSHOT_H

#include "model.h"

GCS_BEGIN_DECLS

struct gcs_snapshot;

/*
 * A snapshot that may be changed, with one reference: the state of `previous` (may be NULL: all
 * spaces empty), described by `model`. A space that `model` describes differently starts empty.
 * NULL without memory. The result keeps references to what it needs.
 */
GCS_API struct gcs_snapshot *gcs_snapshot_begin(
    struct gcs_model *model, const struct gcs_snapshot *previous);

/* One more reference; NULL gives NULL. Any thread. */
GCS_API struct gcs_snapshot *gcs_snapshot_ref(const struct gcs_snapshot *snapshot);

/* Gives a reference back; the last one frees. NULL is fine. Any thread. */
GCS_API void gcs_snapshot_unref(const struct gcs_snapshot *snapshot);

/* What happened: everything about the event itself. */
struct gcs_occurrence {
	uint64_t sequence; /* grows with every occurrence of any event in the server; gaps were
			      filtered or missed */
	/* id; GCS_NONE before any event: the state that a client finds on attaching */
	uint32_t event;
	uint64_t time_ns; /* the server's monotonic clock at the event */
	int64_t wall_ns;  /* time of day, nanoseconds since 1970 UTC */
	uint64_t cost_ns; /* the server's own cost so far: time that the program spent in us (F7) */
	/* since the snapshot that this receiver got before; 0 for its first one */
	uint64_t elapsed_ns;
	uint64_t compensation_ns; /* how much of elapsed_ns was our own cost */
	uint64_t missed; /* snapshots that this receiver did not get because it was slow, so far */
};

/* Setters, only between gcs_snapshot_begin and the first sharing. Out-of-range ids are ignored
 * (false). */
GCS_API bool gcs_snapshot_set_occurrence(
    struct gcs_snapshot *snapshot, const struct gcs_occurrence *occurrence);
GCS_API bool gcs_snapshot_set_number(
    struct gcs_snapshot *snapshot, uint32_t attribute, int64_t value);
GCS_API bool gcs_snapshot_set_text(
    struct gcs_snapshot *snapshot, uint32_t attribute, const char *text);
GCS_API bool gcs_snapshot_set_counter(
    struct gcs_snapshot *snapshot, uint32_t event, uint64_t count);

/* Inserts or removes `count` tiles before tile `at`; new tiles have their streams' initial values
 * and no name (F13). */
GCS_API bool gcs_snapshot_insert_tiles(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t at, uint32_t count);
GCS_API bool gcs_snapshot_remove_tiles(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t at, uint32_t count);

/* Adds tiles at the end or removes them there, so that the space has `tiles` of them. */
GCS_API bool gcs_snapshot_resize(struct gcs_snapshot *snapshot, uint32_t space, uint32_t tiles);

/*
 * The stream's values for writing, one per tile, holding the previous values; a private copy until
 * the snapshot is shared. Valid until the space is resized. NULL for a wrong id, without memory, or
 * for a space without tiles.
 */
GCS_API int64_t *gcs_snapshot_write(struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);

/* Replaces the stream's summary; `count` must fit its kind (gcs_summary_length). */
GCS_API bool gcs_snapshot_set_summary(struct gcs_snapshot *snapshot, uint32_t space,
    uint32_t stream, uint32_t count, const int64_t *values);

/* Names a tile (F2): a thread's name, a call site. Sent only when it changes. "" takes the name
 * away. */
GCS_API bool gcs_snapshot_set_name(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile, const char *name);

/* One line about the whole space at this event: "12 of 64 regions uncommitted". */
GCS_API bool gcs_snapshot_set_space_info(
    struct gcs_snapshot *snapshot, uint32_t space, const char *text);

/* Says whether this event's data of the space were gathered; if not, its tiles are those of an
 * earlier event. */
GCS_API bool gcs_snapshot_set_gathered(
    struct gcs_snapshot *snapshot, uint32_t space, bool gathered);

/* Readers. What they return lives as long as the snapshot. Any thread once it is shared. */
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
GCS_API const int64_t *gcs_snapshot_summary(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, uint32_t *count);
GCS_API const char *gcs_snapshot_name(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile); /* "": none */
GCS_API const char *gcs_snapshot_space_info(
    const struct gcs_snapshot *snapshot, uint32_t space); /* "": none */
GCS_API bool gcs_snapshot_gathered(const struct gcs_snapshot *snapshot, uint32_t space);

/* Tiles to a bit of what gcs_snapshot_changed returns. */
#define GCS_CHANGED_TILES 8

/*
 * Where the stream's values in `now` may differ from those in `before`: bit i % 64 of word i / 64
 * is set if one of the tiles from i * GCS_CHANGED_TILES on may, and no tile elsewhere does. Lives
 * as long as `now`. NULL when that is not known: it is known when a client received `now` next
 * after `before` and the space kept its tiles. Says nothing of a column that both share, to which
 * gcs_snapshot_values gives the same pointer.
 */
GCS_API const uint64_t *gcs_snapshot_changed(const struct gcs_snapshot *now,
    const struct gcs_snapshot *before, uint32_t space, uint32_t stream);

/*
 * The maximum against which the stream's value at a tile is shown: fixed, of the event or of
 * another stream. Never below min + 1, so that it can be divided by. `tile` matters only for
 * GCS_MAX_OF_STREAM; GCS_MAX_OF_EVENT takes a pass over all tiles, so ask once for a stream.
 */
GCS_API int64_t gcs_snapshot_maximum(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, uint32_t tile);

/*
 * How many values a summary of that stream has: 0, 1, 2 or the number of its enumeration's names.
 */
GCS_API uint32_t gcs_summary_length(const struct gcs_stream *stream);

/* Checks all that must hold of a snapshot; GCS_OK or the first breach in `err`. For tests. */
GCS_API enum gcs_status gcs_snapshot_check(
    const struct gcs_snapshot *snapshot, struct gcs_error *err);

GCS_END_DECLS

#endif
