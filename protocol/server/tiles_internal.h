/*
 * The inside of <gcspy/tiles.h>: tiles.c keeps the marks and resizes, tiles_gather.c brings snapshots up
 * to date.
 *
 * `touched` is changed by any thread without a lock; what the lock protects says so; the rest belongs
 * to the gathering thread.
 */
#ifndef GCSPY_SERVER_TILES_INTERNAL_H
#define GCSPY_SERVER_TILES_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include <gcspy/tiles.h>

#include "columns.h"
#include "snapshot_internal.h"

enum { TILES_WORD = 64 }; /* tiles per word of marks */

/* Columns per stream that are used in turn: the newest snapshot's, those that clients have or that are
 * queued for them, and one to write. With more in use, the next one is a copy. */
enum { TILES_BUFFERS = 4 };

/* Resizes between two gatherings; after more, all tiles are read. */
enum { TILES_RESIZES = 64 };

/* A column that may be written when no snapshot has it, once the groups of tiles in `stale`, a map as
 * returned by gcs_snapshot_changed, have been copied from the newest column. */
struct tile_buffer {
	struct column *column; /* or NULL */
	uint64_t *stale;
	uint64_t used; /* number of the change that it was written for */
};

struct tile_stream {
	struct column *newest; /* of the last gathered snapshot, or NULL */
	struct tile_buffer buffers[TILES_BUFFERS];
	uint64_t changes; /* columns written so far */
};

struct gcs_tiles {
	struct gcs_tiles_options options;
	uint32_t
	    marked;  /* streams with marks: those of the options, and the names if there are any */
	bool fenced; /* lock_free, without a barrier of the whole process: see gcs_tiles_touch */
	uint32_t words; /* of the marks of a stream, a bit per tile */
	atomic_uint_least64_t *touched;
	uint32_t heads;              /* of a stream: a bit per word of its marks, set */
	atomic_uint_least64_t *head; /* if the word may not be 0 */

	pthread_mutex_t lock;
	uint32_t tiles;
	uint64_t numbering; /* counts resizes */
	uint32_t resize_count;
	bool resize_lost; /* the list is incomplete */
	struct resize resizes[TILES_RESIZES];
	uint64_t *scratch, *scratch_head; /* for shifting the marks of a stream */

	uint64_t *taken; /* marks of all streams that are being read */
	uint64_t *taken_head;
	int64_t *before; /* values of the tiles that are being read */
	bool in_step;    /* the last gathering succeeded */
	uint32_t gathered;
	struct tile_stream *streams;
	uint64_t *stale; /* of all buffers */
};

/* The words of a head for that many tiles: a space usually has far fewer than it may have. */
static inline uint32_t tiles_heads(uint32_t tiles)
{
	return (tiles + TILES_WORD * TILES_WORD - 1) / (TILES_WORD * TILES_WORD);
}

/* Takes all marks, to be read next. Lock held. */
void tiles_take(struct gcs_tiles *t);

/* gcs_tiles_gather for a space that is shown. */
bool tiles_gather(struct gcs_tiles *t, struct gcs_snapshot *snapshot);

/* In the child after fork, where another thread may have been gathering: leaves the buffers, whose
 * state is not known, and reads everything next time. */
void tiles_forget(struct gcs_tiles *t);

/* Gives up all buffers. */
void tiles_drop_buffers(struct gcs_tiles *t);

#endif
