/*
 * Which tiles of a space a target has touched since they were last gathered (F11).
 *
 * A target that changes its heap in few places at a time need not fill whole streams at an event. It
 * keeps a `struct gcs_tiles` for each space and touches tiles as it goes; at an event only these are
 * read, compared, encoded and sent, so that the event costs what has changed:
 *
 *	gcs_tiles_touch(tiles, USED, block, 1);                 after each change of a block
 *	…
 *	struct gcs_snapshot *snapshot = gcs_server_begin(server, &ticket);
 *	if (gcs_tiles_gather(tiles, server, &ticket, snapshot))
 *		gcs_server_publish(server, &ticket, snapshot);
 *
 * The values of the space's streams then belong to the tiles, and their names if the options have `name`:
 * gcs_snapshot_write is for other spaces. Summaries and the info line are still set in the snapshot, after
 * the gathering. A struct gcs_tiles is owned by its creator, and may outlive the server.
 */
#ifndef GCSPY_TILES_H
#define GCSPY_TILES_H

#include "server.h"

GCS_BEGIN_DECLS

struct gcs_tiles;

struct gcs_tiles_options {
	uint32_t space;   /* id */
	uint32_t streams; /* number of streams of the space, 1..GCS_MAX_STREAMS */
	uint32_t tiles;   /* at first */
	uint32_t most;    /* tiles that the space can ever have, 1..GCS_MAX_TILES; 0: `tiles` */

	/*
	 * The target's threads change what `read` reads while it reads, with atomic operations
	 * instead of under a lock or at a safepoint. Each gathering then takes a barrier of the
	 * whole process (microseconds).
	 */
	bool lock_free;

	/*
	 * Writes the stream's present values of the tiles first .. first + count - 1. Called by
	 * gcs_tiles_gather, on its thread, with no lock held. If another thread resizes meanwhile,
	 * the tiles may no longer exist: any values will do, because all are then read again.
	 */
	void (*read)(
	    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values);
	void *context;

	/*
	 * Writes a tile's name, with its NUL at most `bytes`; "" for none. Called like `read`, for new
	 * tiles, and for those touched in the stream `streams`, after the last one. NULL: the tiles have
	 * no names, or the target sets them in the snapshot.
	 */
	void (*name)(void *context, uint32_t tile, char *name, uint32_t bytes);
	GCS_RESERVED(3);
};

/* All tiles count as touched at first. Options are copied. NULL with the reason in `err`. */
GCS_API struct gcs_tiles *gcs_tiles_create(
    const struct gcs_tiles_options *options, struct gcs_error *err);

/* No other thread may be inside a function of these tiles. NULL has no effect. */
GCS_API void gcs_tiles_destroy(struct gcs_tiles *tiles);

/*
 * The stream's values of the tiles first .. first + count - 1 have changed: call it after the change.
 * Tiles beyond `most` are ignored. Any thread, also inside a safepoint or a signal-free callback: no
 * lock, no allocation. For a tile that is touched already, one load and a comparison.
 */
GCS_API void gcs_tiles_touch(
    struct gcs_tiles *tiles, uint32_t stream, uint32_t first, uint32_t count);

/* The same for all streams, but not the names. */
GCS_API void gcs_tiles_touch_all(struct gcs_tiles *tiles, uint32_t first, uint32_t count);

/*
 * Inserts or removes `count` tiles at tile `at` (F13), with their marks; new tiles are touched. False
 * for a number out of range. Any thread; takes a short lock. A target whose threads touch tiles
 * behind `at` at the same time must itself order these calls, because the tiles' numbers change.
 */
GCS_API bool gcs_tiles_insert(struct gcs_tiles *tiles, uint32_t at, uint32_t count);
GCS_API bool gcs_tiles_remove(struct gcs_tiles *tiles, uint32_t at, uint32_t count);

/* Adds or removes tiles at the end. Other threads may go on touching. */
GCS_API bool gcs_tiles_resize(struct gcs_tiles *tiles, uint32_t count);

/* The present number of tiles. Any thread; takes a short lock. */
GCS_API uint32_t gcs_tiles_count(struct gcs_tiles *tiles);

/*
 * Brings the space in `snapshot`, from gcs_server_begin, up to date: applies resizes, and reads the
 * touched tiles, or all of them if the snapshot does not continue the last gathered one. A touch that
 * happens before the call is seen; one during it is seen now or at the next gathering. Does nothing,
 * and calls no `read`, while every client in the ticket's audience has collapsed the space (F14):
 * what is touched then waits. One thread at a time.
 *
 * False without memory, or if the space does not match or is resized again and again: drop the
 * snapshot and call gcs_server_miss. Nothing is lost.
 */
GCS_API bool gcs_tiles_gather(struct gcs_tiles *tiles, struct gcs_server *server,
    const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);

GCS_END_DECLS

#endif
