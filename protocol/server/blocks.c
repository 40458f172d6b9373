/* The arithmetic of blocks, and the usual streams. */
#include <gcspy/blocks.h>

/* The colour-blind safe set of Okabe and Ito. */
enum { BLUE = 0x0072b2, GREY = 0x999999 };

uint32_t gcs_blocks_count(const struct gcs_blocks *b)
{
	if (b->high <= b->low || b->block == 0)
		return 0;
	const uint64_t tiles = (b->high - b->low - 1) / b->block + 1;
	return tiles > UINT32_MAX ? UINT32_MAX : (uint32_t)tiles;
}

uint32_t gcs_blocks_tile(const struct gcs_blocks *b, uint64_t address)
{
	if (address < b->low || address >= b->high)
		return GCS_NONE;
	const uint64_t tile = (address - b->low) / b->block;
	return tile < GCS_NONE ? (uint32_t)tile : GCS_NONE;
}

int64_t gcs_blocks_add(
    const struct gcs_blocks *b, int64_t *values, uint64_t start, uint64_t end, int sign)
{
	start = start < b->low ? b->low : start;
	end = end > b->high ? b->high : end;
	if (start >= end)
		return 0;
	const uint32_t first = gcs_blocks_tile(b, start), last = gcs_blocks_tile(b, end - 1);
	const int64_t bytes = (int64_t)(end - start);
	for (uint32_t tile = first; tile <= last; tile++) {
		const uint64_t left = b->block - (start - b->low) % b->block;
		const uint64_t part = end - start < left ? end - start : left;
		values[tile] += sign < 0 ? -(int64_t)part : (int64_t)part;
		start += part;
	}
	if (b->tiles != NULL)
		gcs_tiles_touch(b->tiles, b->stream, first, last - first + 1);
	return sign < 0 ? -bytes : bytes;
}

void gcs_blocks_ranges(
    const struct gcs_blocks *b, uint32_t first, uint32_t count, int64_t *starts, int64_t *ends)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t start = b->low + (uint64_t)(first + i) * b->block;
		if (starts != NULL)
			starts[i] = (int64_t)start;
		if (ends != NULL)
			ends[i] =
			    (int64_t)(b->high - start < b->block ? b->high : start + b->block);
	}
}

/* The summary of one stream; `sums` has room for the longest. */
static void add_up(const struct gcs_stream *d, const int64_t *values, uint32_t count, int64_t *sums)
{
	const bool counts = d->summary == GCS_SUMMARY_COUNTS;
	for (uint32_t i = 0; i < count; i++)
		if (!counts)
			sums[0] += values[i];
		else if (values[i] >= d->min && values[i] < d->min + d->enum_count)
			sums[values[i] - d->min]++;
}

bool gcs_blocks_summarize(struct gcs_snapshot *s, uint32_t space, uint64_t whole)
{
	const struct gcs_model *model = gcs_snapshot_model(s);
	const uint32_t tiles = gcs_snapshot_tiles(s, space);
	if (space >= model->space_count || model->spaces[space].gone)
		return true; /* withdrawn */
	for (uint32_t k = 0; k < model->spaces[space].stream_count; k++) {
		const struct gcs_stream *d = &model->spaces[space].streams[k];
		int64_t sums[GCS_MAX_ENUM] = {0};
		if (d->summary == GCS_SUMMARY_NONE)
			continue;
		add_up(d, gcs_snapshot_values(s, space, k), tiles, sums);
		if (d->summary == GCS_SUMMARY_SHARE)
			sums[1] = (int64_t)whole;
		if (!gcs_snapshot_set_summary(s, space, k, gcs_summary_length(d), sums))
			return false;
	}
	return true;
}

struct gcs_stream gcs_stream_percentage(const char *name, const char *description)
{
	return (struct gcs_stream){
	    .name = name,
	    .description = description,
	    .suffix = " %",
	    .type = GCS_TYPE_I8,
	    .presentation = GCS_PERCENT,
	    .maximum = GCS_MAX_FIXED,
	    .paint = GCS_PAINT_ZERO,
	    .max = 100,
	    .colour = BLUE,
	};
}

struct gcs_stream gcs_stream_used(const char *name, const char *description, uint64_t block)
{
	return (struct gcs_stream){
	    .name = name,
	    .description = description,
	    .suffix = " bytes",
	    .type = block > INT32_MAX ? GCS_TYPE_I64 : GCS_TYPE_I32,
	    .presentation = GCS_PERCENT,
	    .maximum = GCS_MAX_FIXED,
	    .paint = GCS_PAINT_ZERO,
	    .format = GCS_BYTES,
	    .summary = GCS_SUMMARY_SHARE,
	    .max = (int64_t)block,
	    .colour = BLUE,
	};
}

struct gcs_stream gcs_stream_enumeration(
    const char *name, const char *description, uint32_t count, const char *const *names)
{
	return (struct gcs_stream){
	    .name = name,
	    .description = description,
	    .type = count > INT8_MAX ? GCS_TYPE_I16 : GCS_TYPE_I8,
	    .presentation = GCS_ENUM,
	    .paint = GCS_PAINT_ZERO,
	    .summary = GCS_SUMMARY_COUNTS,
	    .max = (int64_t)count - 1,
	    .enum_count = count,
	    .enum_names = names,
	};
}

struct gcs_stream gcs_stream_control(int64_t initial)
{
	return (struct gcs_stream){
	    .name = "Control",
	    .description = "Which tiles are used, unused, separated or linked",
	    .role = GCS_ROLE_CONTROL,
	    .type = GCS_TYPE_I8,
	    .max = 63,
	    .initial = initial,
	    .colour = GREY,
	};
}

static struct gcs_stream range_stream(const char *name, const char *description, enum gcs_role role)
{
	return (struct gcs_stream){
	    .name = name,
	    .description = description,
	    .role = role,
	    .type = GCS_TYPE_I64,
	    .format = GCS_HEX,
	    .max = INT64_MAX,
	    .colour = GREY,
	};
}

struct gcs_stream gcs_stream_range_start(void)
{
	return range_stream("Start", "First address of the tile", GCS_ROLE_RANGE_START);
}

struct gcs_stream gcs_stream_range_end(void)
{
	return range_stream("End", "First address after the tile", GCS_ROLE_RANGE_END);
}
