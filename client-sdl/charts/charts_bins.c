#include "charts_bins.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "charts_axis.h"

uint32_t bins_of(const struct bins *b, double value)
{
	double at = (value - b->first) / b->step;
	uint32_t last = b->count - 1;
	if (b->names)
		return at >= 0 && at < b->named ? (uint32_t)at : b->named;
	return at > 0 ? (at < last ? (uint32_t)at : last) : 0;
}

void bins_fill(struct bins *b, const struct chart_data *d, int wanted)
{
	const struct gcs_stream *st = d->stream;
	memset(b, 0, sizeof *b);
	wanted = wanted < 1 ? 1 : wanted > 100 ? 100 : wanted;
	b->step = 1;
	if (st->presentation == GCS_ENUM) {
		b->names = true;
		b->first = (double)st->min;
		b->named = st->enum_count;
		b->count = st->enum_count + 1;
	} else {
		double range = (double)d->max - (double)d->min;
		b->step = axis_step(range, wanted, st->format == GCS_BYTES);
		b->first = floor((double)d->min / b->step) * b->step;
		double bins = floor(((double)d->max - b->first) / b->step) + 1;
		b->count = bins < BINS_MOST ? (uint32_t)bins : BINS_MOST;
	}
	for (uint32_t i = 0; i < d->tiles; i++) {
		if (chart_used(d, i))
			b->tiles[bins_of(b, (double)d->values[i])]++;
	}
	for (uint32_t i = 0; i < b->count; i++) {
		b->used += b->tiles[i];
		b->most = b->tiles[i] > b->most ? b->tiles[i] : b->most;
	}
	/* No bin for unnamed values unless there are any. */
	if (b->names && b->tiles[b->count - 1] == 0)
		b->count--;
}

char *bins_text(
    char *text, size_t size, const struct bins *b, const struct chart_data *d, uint32_t bin)
{
	char low[160], high[160];
	if (b->names && bin >= d->stream->enum_count) {
		snprintf(text, size, "unnamed values");
		return text;
	}
	double from = b->first + bin * b->step;
	chart_amount(low, sizeof low, d->stream, from);
	if (b->names || b->step <= 1) {
		snprintf(text, size, "%s", low);
		return text;
	}
	chart_amount(high, sizeof high, d->stream, from + b->step);
	snprintf(text, size, "%s to %s", low, high);
	return text;
}

static bool inside(const struct bins *b, const struct chart_data *d, uint32_t bin, uint32_t tile)
{
	return chart_used(d, tile) && bins_of(b, (double)d->values[tile]) == bin;
}

uint32_t bins_tile(
    const struct bins *b, const struct chart_data *d, uint32_t bin, uint32_t from, int dir)
{
	if (bin >= b->count || d->tiles == 0)
		return GCS_NONE;
	uint32_t n = d->tiles;
	uint32_t at = from < n ? from : dir > 0 ? n - 1 : 0;
	for (uint32_t i = 0; i < n; i++) {
		if (dir > 0)
			at = at + 1 < n ? at + 1 : 0;
		else
			at = at > 0 ? at - 1 : n - 1;
		if (inside(b, d, bin, at))
			return at;
	}
	return GCS_NONE;
}

uint32_t bins_rank(const struct bins *b, const struct chart_data *d, uint32_t bin, uint32_t tile)
{
	uint32_t rank = 0;
	if (tile >= d->tiles || bin >= b->count || !inside(b, d, bin, tile))
		return 0;
	for (uint32_t i = 0; i <= tile; i++)
		rank += inside(b, d, bin, i);
	return rank;
}
