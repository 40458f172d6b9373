/* Values for a client of 2002: units, ranges, control, streams and summaries. */
#include "compat2002_server.h"

#include <string.h>

struct unit {
	const char *word;
	int64_t size;
};

enum { UNITS = 5 };

static const struct unit units[GCS_FORMAT_COUNT][UNITS] = {
    [GCS_DECIMAL] = {{"", 1}, {"thousand", 1000}, {"million", 1000000},
	{"thousand million", 1000000000}, {"million million", 1000000000000}},
    [GCS_HEX] = {{"", 1}, {"x 2^10", 1 << 10}, {"x 2^20", 1 << 20}, {"x 2^30", 1 << 30},
	{"x 2^40", (int64_t)1 << 40}},
    [GCS_BYTES] = {{"", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	{"TiB", (int64_t)1 << 40}},
    [GCS_NANOSECONDS] = {{"", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000},
	{"1000 s", 1000000000000}},
};

const char *compat_server_unit_name(const struct gcs_stream *stream, unsigned unit)
{
	return units[stream->format][unit].word;
}

/* Converts to the unit, rounding away from 0, so that only 0 becomes 0. */
static int64_t in_unit(int64_t value, int64_t size)
{
	int64_t whole = value / size;
	return value % size == 0 ? whole : value > 0 ? whole + 1 : whole - 1;
}

static int64_t clamp(int64_t value, int64_t min, int64_t max)
{
	return value < min ? min : value > max ? max : value;
}

/* The smallest unit from `unit` on in which the value fits. */
static unsigned unit_for(const struct gcs_stream *t, int64_t value, unsigned unit)
{
	while (unit < UNITS - 1) {
		int64_t v = in_unit(value, units[t->format][unit].size);
		if (v >= -COMPAT_SERVER_MOST && v <= COMPAT_SERVER_MOST)
			break;
		unit++;
	}
	return unit;
}

static void widen(struct compat_server_stream *p, const struct gcs_stream *t, int64_t value)
{
	p->unit = unit_for(t, value, p->unit);
}

static int32_t scale(
    const struct compat_server_stream *p, const struct gcs_stream *t, int64_t value)
{
	return (int32_t)clamp(in_unit(value, units[t->format][p->unit].size), -COMPAT_SERVER_MOST,
	    COMPAT_SERVER_MOST);
}

/* Ranges. */

static uint8_t type_for(const struct compat_server_stream *p)
{
	if (p->open ||
	    p->presentation == W2002_PLUS) /* values above the maximum are sent unchanged */
		return W2002_INT;
	if (p->min >= INT8_MIN && p->max <= INT8_MAX)
		return W2002_BYTE;
	return p->min >= INT16_MIN && p->max <= INT16_MAX ? W2002_SHORT : W2002_INT;
}

static void describe_range(struct compat_server_stream *p, const struct gcs_stream *t)
{
	if (p->presentation == W2002_ENUM) {
		p->min = 0;
		p->max = p->enum_count - 1;
		p->zero = (int32_t)(clamp(t->zero, t->min, t->max) - t->min);
		p->initial = (int32_t)(clamp(t->initial, t->min, t->max) - t->min);
		p->type = W2002_BYTE;
		return;
	}
	if (!p->open) {
		widen(p, t, t->min);
		widen(p, t, t->max);
	}
	p->min = scale(p, t, p->open ? p->low : t->min);
	p->max = p->open && t->max >= COMPAT_SERVER_NO_MAXIMUM ? p->min : scale(p, t, t->max);
	/* The client divides by the range, and needs two steps for a legend with a frame for zero;
	 * for an open stream it takes the maximum of the values. */
	int32_t least = p->open ? 100 : p->paint == W2002_PAINT_ZERO ? 2 : 1;
	if (p->max < p->min + least)
		p->max = p->min + least;
	p->zero = scale(p, t, t->zero);
	p->initial = (int32_t)clamp(scale(p, t, t->initial), p->min, p->max);
	p->type = type_for(p);
}

static void describe_all(struct compat_server_space *p, const struct gcs_space *space)
{
	for (uint32_t i = 0; i < p->stream_count; i++)
		describe_range(&p->streams[i], compat_server_stream_of(space, &p->streams[i]));
}

void compat_server_describe_ranges(struct compat_server_space *p, const struct gcs_space *space)
{
	describe_all(p, space);
	/* A percentage needs both numbers in the same unit, which several streams may share. A
	 * maximum is not itself a percentage. */
	bool again = false;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < p->stream_count; i++) {
			struct compat_server_stream *share = &p->streams[i];
			struct compat_server_stream *whole = &p->streams[share->max_index];
			if (share->presentation != W2002_PERCENT_VAR || share->unit == whole->unit)
				continue;
			unsigned unit = share->unit > whole->unit ? share->unit : whole->unit;
			share->unit = whole->unit = unit;
			again = true;
		}
	}
	if (again)
		describe_all(p, space);
}

/* What is sent of one space. */

struct source {
	const struct compat_server_space *p;
	const struct gcs_space *space;
	const struct gcs_snapshot *snapshot;
	uint32_t tiles;         /* 0: one unused tile */
	const int64_t *control; /* NULL: all are used */
};

static struct source source_of(const struct compat_server_space *p, const struct gcs_space *space,
    const struct gcs_snapshot *snapshot)
{
	struct source s = {.p = p, .space = space, .snapshot = snapshot};
	s.tiles = compat_server_tiles(p, snapshot);
	uint32_t control = gcs_space_role(space, GCS_ROLE_CONTROL);
	if (s.tiles != 0 && control != GCS_NONE)
		s.control = gcs_snapshot_values(snapshot, p->space, control);
	return s;
}

/* The client expects exactly one of used, unused and background. */
static uint8_t control_at(const struct source *s, uint32_t tile)
{
	if (s->tiles == 0)
		return GCS_TILE_UNUSED;
	if (s->control == NULL)
		return GCS_TILE_USED;
	uint8_t bits = (uint8_t)(s->control[tile] & W2002_CONTROL_BITS);
	uint8_t border = bits & (GCS_TILE_SEPARATOR | GCS_TILE_LINK);
	if ((bits & GCS_TILE_BACKGROUND) != 0)
		return border | GCS_TILE_BACKGROUND;
	return border |
	       ((bits & GCS_TILE_UNUSED) == 0 && (bits & GCS_TILE_USED) != 0 ? GCS_TILE_USED
									     : GCS_TILE_UNUSED);
}

static bool is_used(const struct source *s, uint32_t tile)
{
	return (control_at(s, tile) & GCS_TILE_USED) != 0;
}

static const struct gcs_stream *stream_of(
    const struct source *s, const struct compat_server_stream *p)
{
	return compat_server_stream_of(s->space, p);
}

static const int64_t *values_of(const struct source *s, const struct compat_server_stream *p)
{
	return s->tiles == 0 ? NULL : gcs_snapshot_values(s->snapshot, s->p->space, p->stream);
}

/* One tile's value, clamped to the declared range. */
static int32_t send_value(const struct source *s, const struct compat_server_stream *p,
    const struct gcs_stream *t, int64_t value, uint32_t tile)
{
	switch (p->presentation) {
	case W2002_ENUM:
		return (int32_t)(clamp(value, t->min, t->max) - t->min);
	case W2002_PLUS:
		return (int32_t)clamp(scale(p, t, value), p->min, COMPAT_SERVER_MOST);
	case W2002_MAX_VAR:
		/* The client takes the maximum of used tiles only. */
		return is_used(s, tile)
			   ? (int32_t)clamp(scale(p, t, value), p->min, COMPAT_SERVER_MOST)
			   : p->min;
	default:
		return (int32_t)clamp(scale(p, t, value), p->min, p->max);
	}
}

/* The largest value of this tile as a share of another stream. */
static int32_t whole_at(const struct source *s, const struct compat_server_stream *whole,
    const struct gcs_stream *t, const int64_t *values, uint32_t tile)
{
	int32_t most =
	    values == NULL ? whole->initial : send_value(s, whole, t, values[tile], tile);
	return most < 0 ? 0 : most;
}

static void put_value(struct wr *w, uint8_t type, int32_t value)
{
	if (type == W2002_BYTE)
		wr_u8(w, (uint8_t)(int8_t)value);
	else if (type == W2002_SHORT)
		w2002_put_short(w, (int16_t)value);
	else
		w2002_put_int(w, value);
}

static void send_stream(struct wr *w, const struct source *s, uint32_t id, uint32_t index)
{
	const struct compat_server_stream *p = &s->p->streams[index];
	const struct compat_server_stream *whole = &s->p->streams[p->max_index];
	const struct gcs_stream *t = stream_of(s, p);
	const int64_t *values = values_of(s, p);
	const int64_t *wholes = values_of(s, whole);
	bool share = p->presentation == W2002_PERCENT_VAR;
	uint32_t count = s->tiles == 0 ? 1 : s->tiles;
	size_t at = w2002_command_begin(w, W2002_STREAM);
	wr_u8(w, (uint8_t)id);
	wr_u8(w, (uint8_t)index);
	w2002_put_int(w, (int32_t)count);
	for (uint32_t i = 0; i < count; i++) {
		/* A tile that is not used has no maximum that its value may exceed. */
		int32_t value = p->presentation == W2002_MAX_VAR ? p->min : p->initial;
		if (share) {
			int32_t most = whole_at(s, whole, stream_of(s, whole), wholes, i);
			value = values == NULL ? 0 : scale(p, t, values[i]);
			value = (int32_t)clamp(value, 0, most);
		} else if (values != NULL) {
			value = send_value(s, p, t, values[i], i);
		}
		put_value(w, p->type, value);
	}
	w2002_command_end(w, at);
}

static void send_control(struct wr *w, const struct source *s, uint32_t id)
{
	uint32_t count = s->tiles == 0 ? 1 : s->tiles;
	size_t at = w2002_command_begin(w, W2002_CONTROL);
	wr_u8(w, (uint8_t)id);
	w2002_put_int(w, (int32_t)count);
	for (uint32_t i = 0; i < count; i++)
		wr_u8(w, control_at(s, i));
	w2002_command_end(w, at);
}

/* Summaries. */

static int64_t add(int64_t a, int64_t b)
{
	if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
		return b > 0 ? INT64_MAX : INT64_MIN;
	return a + b;
}

/* The whole of a total if the summary has none: the sum of the maxima of used tiles. */
static int64_t sum_of_maxima(const struct source *s, const struct compat_server_stream *p)
{
	const struct gcs_stream *t = stream_of(s, p);
	bool var = p->presentation == W2002_PERCENT_VAR;
	const int64_t *wholes = var ? values_of(s, &s->p->streams[p->max_index]) : NULL;
	int64_t sum = 0;
	for (uint32_t i = 0; i < s->tiles; i++)
		if (is_used(s, i))
			sum = add(sum, wholes != NULL ? wholes[i] : t->max);
	return sum;
}

/* The summary in the form for the presentation, in units of 1; returns its length, 0 for none. */
static uint32_t summary_of(
    const struct source *s, const struct compat_server_stream *p, int64_t values[W2002_MAX_ID])
{
	const struct gcs_stream *t = stream_of(s, p);
	uint32_t count = 0;
	const int64_t *ours =
	    s->tiles == 0 ? NULL
			  : gcs_snapshot_summary(s->snapshot, s->p->space, p->stream, &count);
	if (ours == NULL)
		return 0;
	if (p->presentation == W2002_ENUM) {
		if (t->summary != GCS_SUMMARY_COUNTS)
			return 0;
		memset(values, 0, p->enum_count * sizeof values[0]);
		memcpy(values, ours, count * sizeof values[0]);
		return p->enum_count;
	}
	if (t->summary != GCS_SUMMARY_TOTAL && t->summary != GCS_SUMMARY_SHARE)
		return 0;
	values[0] = ours[0];
	if (p->presentation != W2002_PERCENT && p->presentation != W2002_PERCENT_VAR)
		return 1;
	values[1] = count == 2 ? ours[1] : sum_of_maxima(s, p);
	return 2;
}

static void send_summary(struct wr *w, const struct source *s, uint32_t id, uint32_t index)
{
	const struct compat_server_stream *p = &s->p->streams[index];
	int64_t values[W2002_MAX_ID];
	uint32_t count = summary_of(s, p, values);
	bool counts = p->presentation == W2002_ENUM;
	size_t at = w2002_command_begin(w, W2002_SUMMARY);
	wr_u8(w, (uint8_t)id);
	wr_u8(w, (uint8_t)index);
	w2002_put_int(w, (int32_t)count);
	for (uint32_t i = 0; i < count; i++)
		w2002_put_int(w, counts ? (int32_t)clamp(values[i], 0, COMPAT_SERVER_MOST)
					: scale(p, stream_of(s, p), values[i]));
	w2002_command_end(w, at);
}

void compat_server_put_values(struct wr *w, const struct compat_server_space *p, uint32_t id,
    const struct gcs_space *space, const struct gcs_snapshot *snapshot)
{
	struct source s = source_of(p, space, snapshot);
	/* First, because the client takes the maximum of a stream over used tiles. */
	send_control(w, &s, id);
	for (uint32_t i = 0; i < p->stream_count && w->status == GCS_OK; i++) {
		send_stream(w, &s, id, i);
		send_summary(w, &s, id, i);
	}
}

/* Widening. */

/* The next lower power of two, so that a slowly falling value is seldom declared again. */
static int64_t below(int64_t value)
{
	int64_t low = -1;
	while (low > value)
		low *= 2;
	return low;
}

static void observe_values(const struct source *s, struct compat_server_stream *p)
{
	const struct gcs_stream *t = stream_of(s, p);
	const int64_t *values = values_of(s, p);
	int64_t low = p->low, high = p->low;
	for (uint32_t i = 0; values != NULL && i < s->tiles; i++) {
		if (!is_used(s, i))
			continue;
		low = values[i] < low ? values[i] : low;
		high = values[i] > high ? values[i] : high;
	}
	/* Only an open stream may fall below its declared minimum. */
	if (low < p->low && t->min < p->low)
		p->low = below(low);
	widen(p, t, p->low);
	widen(p, t, high);
}

bool compat_server_observe(struct compat_server_space *p, const struct gcs_snapshot *snapshot)
{
	const struct gcs_space *space = &gcs_snapshot_model(snapshot)->spaces[p->space];
	struct source s = source_of(p, space, snapshot);
	bool changed = false;
	for (uint32_t i = 0; i < p->stream_count; i++) {
		struct compat_server_stream *stream = &p->streams[i];
		int64_t values[W2002_MAX_ID];
		unsigned unit = stream->unit;
		int64_t low = stream->low;
		if (stream->presentation == W2002_ENUM)
			continue;
		if (stream->open)
			observe_values(&s, stream);
		uint32_t count = summary_of(&s, stream, values);
		for (uint32_t k = 0; k < count; k++)
			widen(stream, stream_of(&s, stream), values[k]);
		changed = changed || unit != stream->unit || low != stream->low;
	}
	if (changed)
		compat_server_describe_ranges(p, space);
	return changed;
}
