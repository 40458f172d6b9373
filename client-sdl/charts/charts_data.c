#include "charts_data.h"
#include "text.h"

#include <gcspy/format.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilecode.h"

bool chart_used(const struct chart_data *d, uint32_t tile)
{
	return tilecode_used(d->control, tile) && (d->counted == NULL || d->counted[tile] != 0);
}

bool chart_uncounted(const struct chart_data *d, uint32_t tile)
{
	return tilecode_used(d->control, tile) && !chart_used(d, tile);
}

bool chart_background(const struct chart_data *d, uint32_t tile)
{
	return d->control != NULL && (d->control[tile] & GCS_TILE_BACKGROUND) != 0;
}

static void pass(struct chart_data *d)
{
	int64_t min = INT64_MAX, max = INT64_MIN;
	uint32_t background = 0;
	for (uint32_t i = 0; i < d->tiles; i++) {
		if (!chart_used(d, i)) {
			background += chart_background(d, i);
			d->uncounted += chart_uncounted(d, i);
			continue;
		}
		int64_t v = d->values[i];
		min = v < min ? v : min;
		max = v > max ? v : max;
		d->sum += (double)v;
		d->used++;
	}
	d->unused = d->tiles - d->used - d->uncounted - background;
	d->min = d->used > 0 ? min : 0;
	d->max = d->used > 0 ? max : 0;
}

bool chart_data_open(
    struct chart_data *d, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream)
{
	memset(d, 0, sizeof *d);
	if (snapshot == NULL)
		return false;
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	d->space_id = space;
	d->stream_id = stream;
	if (space >= model->space_count)
		return false;
	d->snapshot = snapshot;
	d->space = &model->spaces[space];
	d->tiles = gcs_snapshot_tiles(snapshot, space);
	if (stream >= d->space->stream_count)
		return false;
	d->stream = &d->space->streams[stream];
	d->values = gcs_snapshot_values(snapshot, space, stream);
	d->control = tilecode_column(snapshot, space, GCS_ROLE_CONTROL);
	d->counted = tilecode_counted(snapshot, space, stream);
	if (d->values == NULL || d->tiles == 0)
		return false;
	if (d->stream->maximum == GCS_MAX_OF_STREAM)
		d->limits = gcs_snapshot_values(snapshot, space, d->stream->max_stream);
	d->top = gcs_snapshot_maximum(snapshot, space, stream, 0);
	return true;
}

bool chart_data_init(
    struct chart_data *d, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream)
{
	if (!chart_data_open(d, snapshot, space, stream))
		return false;
	pass(d);
	return true;
}

bool chart_is_share(const struct chart_data *d)
{
	return d->stream->presentation == GCS_PERCENT;
}

double chart_share(const struct chart_data *d, uint32_t tile)
{
	double whole = d->limits != NULL ? (double)d->limits[tile] : (double)d->top;
	return whole > 0 ? 100.0 * (double)d->values[tile] / whole : 0;
}

uint32_t chart_first_tile(uint32_t tiles, uint32_t columns, uint32_t column)
{
	return (uint32_t)((uint64_t)column * tiles / columns);
}

uint32_t chart_column_of(uint32_t tiles, uint32_t columns, uint32_t tile)
{
	uint32_t column = (uint32_t)((uint64_t)tile * columns / tiles);
	while (column + 1 < columns && chart_first_tile(tiles, columns, column + 1) <= tile)
		column++;
	return column;
}

static void reduce_column(
    const struct chart_data *d, bool share, uint32_t first, uint32_t behind, struct chart_column *c)
{
	*c = (struct chart_column){.at = first};
	for (uint32_t i = first; i < behind; i++) {
		if (!chart_used(d, i)) {
			c->unused += !chart_background(d, i) && !chart_uncounted(d, i);
			continue;
		}
		double v = share ? chart_share(d, i) : (double)d->values[i];
		if (c->used == 0 || v > c->high) {
			c->high = v;
			c->at = i;
		}
		c->low = c->used == 0 || v < c->low ? v : c->low;
		c->used++;
	}
}

/* Categories have no largest value: a column shows the most common one. */
static void choose_category(
    const struct chart_data *d, uint32_t first, uint32_t behind, struct chart_column *c)
{
	uint32_t seen[GCS_MAX_ENUM + 1] = {0}, best = 0, at = behind;
	for (uint32_t i = first; i < behind; i++) {
		uint64_t name = (uint64_t)d->values[i] - (uint64_t)d->stream->min;
		seen[name < GCS_MAX_ENUM ? name : GCS_MAX_ENUM] += chart_used(d, i);
	}
	for (uint32_t name = 1; name <= GCS_MAX_ENUM; name++)
		best = seen[name] > seen[best] ? name : best;
	while (at-- > first) {
		uint64_t name = (uint64_t)d->values[at] - (uint64_t)d->stream->min;
		if (chart_used(d, at) && (name < GCS_MAX_ENUM ? name : GCS_MAX_ENUM) == best)
			c->at = at;
	}
}

void chart_reduce(
    const struct chart_data *d, bool share, uint32_t columns, struct chart_column *column)
{
	uint32_t first = 0;
	for (uint32_t i = 0; i < columns; i++) {
		uint32_t behind = chart_first_tile(d->tiles, columns, i + 1);
		reduce_column(d, share, first, behind, &column[i]);
		if (d->stream->presentation == GCS_ENUM && behind - first > 1)
			choose_category(d, first, behind, &column[i]);
		first = behind;
	}
}

/* Quickselect: moves the value of a rank into place, smaller ones before it, larger ones after. */
static int64_t rank(int64_t *v, uint32_t low, uint32_t high, uint32_t at)
{
	while (low < high) {
		int64_t pivot = v[low + (high - low) / 2];
		int64_t i = (int64_t)low - 1, j = (int64_t)high + 1;
		for (;;) {
			while (v[++i] < pivot)
				;
			while (v[--j] > pivot)
				;
			if (i >= j)
				break;
			int64_t t = v[i];
			v[i] = v[j];
			v[j] = t;
		}
		if (at <= (uint32_t)j)
			high = (uint32_t)j;
		else
			low = (uint32_t)j + 1;
	}
	return v[at];
}

/* The index of a percentile by nearest rank. */
static uint32_t nearest(uint32_t count, uint32_t percent)
{
	uint64_t place = ((uint64_t)count * percent + 99) / 100;
	return place > 0 ? (uint32_t)place - 1 : 0;
}

bool chart_ranks(const struct chart_data *d, struct chart_ranks *ranks)
{
	uint32_t every = d->used / (CHART_RANKED + 1) + 1, n = 0, seen = 0;
	int64_t *v = d->used > 0 ? malloc(((size_t)d->used / every + 1) * sizeof *v) : NULL;
	if (v == NULL)
		return false;
	for (uint32_t i = 0; i < d->tiles; i++) {
		if (chart_used(d, i) && seen++ % every == 0)
			v[n++] = d->values[i];
	}
	ranks->every = every;
	uint32_t half = nearest(n, 50), most = nearest(n, 90);
	ranks->median = rank(v, 0, n - 1, half);
	ranks->p90 = rank(v, half, n - 1, most);
	ranks->p99 = rank(v, most, n - 1, nearest(n, 99));
	free(v);
	return true;
}

static bool has_both(const struct chart_data *x, const struct chart_data *y, uint32_t tile)
{
	return chart_used(x, tile) && chart_used(y, tile);
}

bool chart_correlation(
    const struct chart_data *x, const struct chart_data *y, double *r, uint32_t *n)
{
	double sum_x = 0, sum_y = 0, xx = 0, yy = 0, xy = 0;
	uint32_t count = 0, first = 0;
	bool same_x = true, same_y = true;
	*r = 0;
	for (uint32_t i = 0; i < x->tiles; i++) {
		if (!has_both(x, y, i))
			continue;
		first = count++ == 0 ? i : first;
		same_x = same_x && x->values[i] == x->values[first];
		same_y = same_y && y->values[i] == y->values[first];
		sum_x += (double)x->values[i];
		sum_y += (double)y->values[i];
	}
	*n = count;
	if (count < 2 || same_x || same_y || x->stream->presentation == GCS_ENUM ||
	    y->stream->presentation == GCS_ENUM)
		return false;
	for (uint32_t i = 0; i < x->tiles; i++) {
		if (!has_both(x, y, i))
			continue;
		double dx = (double)x->values[i] - sum_x / count;
		double dy = (double)y->values[i] - sum_y / count;
		xx += dx * dx;
		yy += dy * dy;
		xy += dx * dy;
	}
	if (!(xx > 0) || !(yy > 0))
		return false;
	double found = xy / (sqrt(xx) * sqrt(yy));
	*r = found < -1 ? -1 : found > 1 ? 1 : found;
	return true;
}

uint32_t chart_next_stream(const struct gcs_space *space, uint32_t stream)
{
	uint32_t first = stream == GCS_NONE ? 0 : stream + 1;
	for (uint32_t i = first; i < space->stream_count; i++) {
		if (space->streams[i].role == GCS_ROLE_DATA)
			return i;
	}
	return GCS_NONE;
}

int64_t chart_whole(double value)
{
	const double limit = 9223372036854775808.0;
	if (!(value > -limit))
		return INT64_MIN;
	return value >= limit ? INT64_MAX : (int64_t)round(value);
}

/* Bytes and durations are formatted with a unit. */
static bool has_unit(const struct gcs_stream *st)
{
	return st->format == GCS_BYTES || st->format == GCS_NANOSECONDS;
}

char *chart_amount(char *text, size_t size, const struct gcs_stream *st, double value)
{
	char number[64];
	int64_t whole = chart_whole(value);
	uint64_t index = (uint64_t)whole - (uint64_t)st->min;
	if (st->presentation == GCS_ENUM && whole >= st->min && index < st->enum_count) {
		snprintf(text, size, "%s", st->enum_names[index]);
		return chart_clean(text);
	}
	/* The mean of small numbers has a fraction. */
	double part = value - (double)whole;
	if (st->format == GCS_DECIMAL && (part > 0.005 || part < -0.005) && value < 100 &&
	    value > -100)
		snprintf(number, sizeof number, "%.2f", value);
	else
		gcs_format_number(number, sizeof number, whole, st->format);
	snprintf(text, size, "%.60s%s%.60s", st->prefix, number, has_unit(st) ? "" : st->suffix);
	return chart_clean(text);
}

char *chart_count(char *text, size_t size, uint64_t count, const char *one, const char *many)
{
	char number[48];
	gcs_format_count(number, sizeof number, count);
	snprintf(text, size, "%s %s", number, count == 1 ? one : many);
	return text;
}

char *chart_tile_text(char *text, size_t size, const struct chart_data *d, uint32_t tile)
{
	if (!chart_used(d, tile)) {
		snprintf(text, size, "%s", chart_uncounted(d, tile) ? "\xe2\x80\x93" : "");
		return text;
	}
	if (!chart_is_share(d) || d->stream->maximum != GCS_MAX_OF_EVENT) {
		gcs_format_tile(text, size, d->snapshot, d->space_id, d->stream_id, tile);
		return chart_clean(text);
	}
	char amount[200];
	chart_amount(amount, sizeof amount, d->stream, (double)d->values[tile]);
	double share = chart_share(d, tile);
	bool small = share != 0 && share < 9.95 && share > -9.95;
	snprintf(text, size, small ? "%s (%.1f %%)" : "%s (%.0f %%)", amount, share);
	return text;
}

char *chart_clean(char *text)
{
	return text_clean(text);
}
