#include "streams.h"

#include <stdio.h>

#include <gcspy/format.h>

/* The colour-blind safe set of Okabe and Ito. */
enum { BLUE = 0x0072b2, GREEN = 0x009e73, ORANGE = 0xe69f00, RED = 0xd55e00, GREY = 0x999999 };

/* Bytes of something, as a share of a block. */
static struct gcs_stream share(const char *name, const char *description, uint64_t block,
    enum gcs_summary_kind summary, uint32_t colour)
{
	struct gcs_stream s = gcs_stream_used(name, description, block);
	s.type = GCS_TYPE_I32;
	s.summary = summary;
	s.colour = colour;
	return s;
}

struct gcs_stream stream_used(uint64_t block)
{
	return share("Used", "Allocated bytes: live objects, garbage and allocation buffers", block,
	    GCS_SUMMARY_SHARE, BLUE);
}

bool stream_set_used(
    struct gcs_snapshot *s, uint32_t space, uint32_t stream, uint64_t used, uint64_t committed)
{
	const int64_t share[2] = {(int64_t)used, (int64_t)committed};
	return gcs_snapshot_set_summary(s, space, stream, 2, share);
}

struct gcs_stream stream_tlab(uint64_t block)
{
	return share("TLABs",
	    "Bytes in threads' allocation buffers, which exist at a collection's start and are "
	    "retired at its finish",
	    block, GCS_SUMMARY_TOTAL, GREEN);
}

struct gcs_stream stream_live(const char *description, uint64_t block)
{
	return share("Live", description, block, GCS_SUMMARY_TOTAL, ORANGE);
}

struct gcs_stream stream_bytes(const char *name, const char *description)
{
	return (struct gcs_stream){
	    .name = name,
	    .description = description,
	    .suffix = " bytes",
	    .type = GCS_TYPE_I64,
	    .presentation = GCS_PLAIN,
	    .maximum = GCS_MAX_OF_EVENT,
	    .paint = GCS_PAINT_ZERO,
	    .format = GCS_BYTES,
	    .summary = GCS_SUMMARY_TOTAL,
	    .max = INT64_MAX,
	    .colour = GREEN,
	};
}

struct gcs_stream stream_count(const char *name, const char *description, const char *suffix)
{
	struct gcs_stream s = stream_bytes(name, description);
	s.suffix = suffix;
	s.format = GCS_DECIMAL;
	s.colour = RED;
	return s;
}

struct gcs_stream stream_sampled(uint32_t error)
{
	struct gcs_stream stream = stream_bytes(STREAM_SAMPLED_NAME,
	    "Bytes of live objects in the tile, estimated from sampled allocations; "
	    "with their call sites on request. 0 while sampling is off");
	stream.colour = 0xcc79a7;
	stream.error_stream = error;
	return stream;
}

struct gcs_stream stream_sampled_error(void)
{
	return stream_bytes(STREAM_ERROR_NAME,
	    "Half the width of the 95 % interval of " STREAM_SAMPLED_NAME
	    ": 1.96 standard errors. Below it, the estimate is uncertain");
}

struct gcs_stream stream_number(const char *name, const char *description, int64_t most)
{
	return (struct gcs_stream){
	    .name = name,
	    .description = description,
	    .type = most > INT8_MAX ? GCS_TYPE_I64 : GCS_TYPE_I8,
	    .presentation = GCS_PLAIN,
	    .maximum = GCS_MAX_OF_EVENT,
	    .paint = GCS_PAINT_ZERO,
	    .max = most,
	    .colour = RED,
	};
}

uint32_t stream_commonest(const uint32_t *counts, uint32_t count)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < count; i++)
		if (counts[i] != 0 && (best == 0 || counts[i] > counts[best]))
			best = i;
	return best;
}

uint32_t streams_select(struct gcs_stream *streams, uint32_t count, const struct vm *vm,
    const enum vm_capability *needs, uint32_t *ids)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < count; i++) {
		ids[i] = needs[i] == 0 || vm_has(vm, needs[i]) ? left : GCS_NONE;
		if (ids[i] != GCS_NONE)
			streams[left++] = streams[i];
	}
	for (uint32_t i = 0; i < left; i++)
		if (streams[i].error_stream != 0)
			streams[i].error_stream = ids[streams[i].error_stream];
	return left;
}

bool streams_write(
    struct gcs_snapshot *s, uint32_t space, const uint32_t *ids, uint32_t count, int64_t **values)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t id = ids == NULL ? i : ids[i];
		values[i] = id == GCS_NONE ? NULL : gcs_snapshot_write(s, space, id);
		if (values[i] == NULL && id != GCS_NONE)
			return false;
	}
	return true;
}

struct gcs_space space_of_blocks(const char *name, const char *description, uint32_t group,
    uint64_t block, struct block_info *info)
{
	char bytes[32];
	gcs_format_number(bytes, sizeof bytes, (int64_t)block, GCS_BYTES);
	snprintf(info->text, sizeof info->text, "Blocks of %s", bytes);
	return (struct gcs_space){
	    .name = name,
	    .description = description,
	    .tile_title = "Block",
	    .block_info = info->text,
	    .unused_text = "uncommitted",
	    .group = group,
	    .kind = GCS_SPACE_ADDRESSES,
	    .block_bytes = block,
	};
}
