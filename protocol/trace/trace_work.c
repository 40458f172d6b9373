#include "trace_work.h"

#include "model_internal.h"
#include "snapshot_internal.h"

enum {
	SYSTEM_STREAMS = 4, /* control bits, ranges, block bytes and names of a space */
	SHARE_WORK = 8,     /* of a snapshot, for each stream of the one before, in values */
	DESCRIBE_WORK = 64  /* of a copy of the description, for each stream */
};

static uint64_t streams_of(const struct gcs_model *model)
{
	uint64_t count = 0;
	for (uint32_t i = 0; model != NULL && i < model->space_count; i++)
		count += model->spaces[i].stream_count + SYSTEM_STREAMS;
	return count;
}

uint64_t trace_work(struct trace_work *w, const struct decoder *decoder, const struct frame *frame)
{
	struct rd payload = frame->payload, *r = &payload;
	const struct gcs_snapshot *s = decoder->building;
	if (frame->kind == GCS_WIRE_BEGIN)
		return SHARE_WORK * streams_of(decoder->model);
	if (s == NULL)
		return DESCRIBE_WORK * streams_of(decoder->model);
	const uint32_t space = rd_count(r, GCS_MAX_SPACES - 1), stream = rd_count(r, UINT32_MAX);
	const uint64_t tiles = gcs_snapshot_tiles(s, space);
	const uint32_t second = rd_count(r, UINT32_MAX), third = rd_count(r, UINT32_MAX);
	const bool again = space == w->space && stream == w->stream;
	if (space >= s->model->space_count)
		return 0; /* it cannot be decoded, or is not about a space */
	switch (frame->kind) {
	case GCS_WIRE_TILES: /* second: removed, third: inserted */
		return (tiles + third) * (s->model->spaces[space].stream_count + SYSTEM_STREAMS);
	case GCS_WIRE_STREAM:
	case GCS_WIRE_INCR_STREAM: /* second: the first tile, third: how many */
		w->space = space;
		w->stream = stream;
		return (again && second != 0 ? 0 : tiles) + third;
	case GCS_WIRE_NAMES:
		return tiles;
	default:
		return 0;
	}
}
