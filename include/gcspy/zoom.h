/*
 * Zooms by one callback (F16): users look into parts of a space in finer blocks, and a target only reads
 * the blocks.
 *
 * A zoom into a space has the same streams as the space. The library describes it, cuts the range into
 * blocks, fills the streams of address ranges, and uses the ids of spaces again; the target's `read`
 * fills the other streams. With updates (updates.h), zooms are gathered with their tiles; else a target
 * calls gcs_zooms_gather for each snapshot.
 *
 *	static void read_zoom(void *heap, uint32_t space, uint32_t stream,
 *	    const struct gcs_blocks *blocks, uint32_t count, int64_t *values)
 *	{
 *		… for each object in blocks->low .. blocks->high - 1:
 *			gcs_blocks_add(blocks, values, start, end, 1);
 *	}
 *
 * A target that wants other streams in zooms, or serves requests later, has the callbacks `zoom` and
 * `unzoom` of struct gcs_server_options instead.
 */
#ifndef GCSPY_ZOOM_H
#define GCSPY_ZOOM_H

#include "blocks.h"

GCS_BEGIN_DECLS

struct gcs_zoom_options {
	/*
	 * Writes the stream's present values of the blocks: `count` values, which are the stream's
	 * `initial` value before. `space` is the space that is zoomed into, never a zoom. On the
	 * thread that calls gcs_zooms_gather, or the update thread, with no lock held.
	 */
	void (*read)(void *context, uint32_t space, uint32_t stream,
	    const struct gcs_blocks *blocks, uint32_t count, int64_t *values);
	void *context;
	GCS_RESERVED(4);
};

/*
 * Lets clients zoom into each space that has blocks of one size (`block_bytes`) and streams of address
 * ranges. Before the start; options are copied. STATE after it, or if the server has the callback
 * `zoom` or zooms already.
 */
GCS_API enum gcs_status gcs_zooms_enable(
    struct gcs_server *server, const struct gcs_zoom_options *options, struct gcs_error *err);

/*
 * Fills all zooms that a client in the ticket's audience shows, in `snapshot` from gcs_server_begin.
 * Summaries of bytes, shares and counts are set from the values. False without memory: drop the
 * snapshot and call gcs_server_miss. One thread at a time.
 */
GCS_API bool gcs_zooms_gather(
    struct gcs_server *server, const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);

GCS_END_DECLS

#endif
