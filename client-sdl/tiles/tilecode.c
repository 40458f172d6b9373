#include "tilecode.h"

#include <float.h>
#include <gcspy/format.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "palette.h"

#define TOP_SHADE (PALETTE_SHADES - 1)

const int64_t *tilecode_column(
    const struct gcs_snapshot *snapshot, uint32_t space, enum gcs_role role)
{
	const struct gcs_space *s = &gcs_snapshot_model(snapshot)->spaces[space];
	return gcs_snapshot_values(snapshot, space, gcs_space_role(s, role));
}

uint32_t tilecode_counted_by(const struct gcs_space *space, uint32_t stream)
{
	return gcs_space_counted_by(space, stream);
}

const int64_t *tilecode_counted(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream)
{
	return gcs_snapshot_counted(snapshot, space, stream);
}

bool tilecode_any_counted(const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream)
{
	return gcs_snapshot_any_counted(snapshot, space, stream);
}

char *tilecode_summary(
    char *text, size_t size, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream)
{
	return gcs_format_summary(text, size, snapshot, space, stream);
}

bool tilecode_used(const int64_t *control, uint32_t tile)
{
	return control == NULL ||
	       ((control[tile] & GCS_TILE_USED) != 0 &&
		   (control[tile] & (GCS_TILE_UNUSED | GCS_TILE_BACKGROUND)) == 0);
}

bool tilecode_init(
    struct tilecode *tc, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream)
{
	memset(tc, 0, sizeof *tc);
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	if (space >= model->space_count || stream >= model->spaces[space].stream_count)
		return false;
	const struct gcs_stream *st = &model->spaces[space].streams[stream];
	tc->tiles = gcs_snapshot_tiles(snapshot, space);
	tc->values = gcs_snapshot_values(snapshot, space, stream);
	if (tc->values == NULL || tc->tiles == 0)
		return false;
	tc->control = tilecode_column(snapshot, space, GCS_ROLE_CONTROL);
	tc->counted = tilecode_counted(snapshot, space, stream);
	tc->min = st->min;
	tc->zero = st->zero;
	tc->presentation = st->presentation;
	tc->paint = st->paint;
	tc->names = st->enum_count;
	if (st->maximum == GCS_MAX_OF_STREAM) {
		tc->limits = gcs_snapshot_values(snapshot, space, st->max_stream);
		return true;
	}
	tc->max = gcs_snapshot_maximum(snapshot, space, stream, 0);
	tc->per_shade = TOP_SHADE / ((double)tc->max - (double)tc->min);
	return true;
}

void tilecode_set_errors(
    struct tilecode *tc, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream)
{
	tc->errors = gcs_snapshot_errors(snapshot, space, stream);
}

bool tilecode_is_view(const struct gcs_space *space, uint32_t stream)
{
	uint32_t i = 0;
	while (i < stream && space->streams[i].error_stream != stream)
		i++;
	return i == stream && space->streams[stream].role == GCS_ROLE_DATA;
}

void tilecode_set_share(struct tilecode *tc, const struct tileshare *share)
{
	tc->values = share->values;
	tc->real = NULL;
	tc->limits = tc->counted = tc->errors = NULL;
	tc->min = tc->zero = 0;
	tc->max = share->most > 0 ? share->most : 1;
	tc->presentation = GCS_PLAIN;
	tc->paint = GCS_PAINT_ZERO;
	tc->names = 0;
	tc->per_shade = TOP_SHADE / (double)tc->max;
}

void tilecode_set_real(struct tilecode *tc, const struct tilereal *real)
{
	tc->real = real->values;
	tc->low = real->low;
	tc->limits = tc->counted = tc->errors = NULL;
	tc->presentation = GCS_PLAIN;
	/* Halves, because the whole range may be too large for a number. */
	double half = real->high / 2 - real->low / 2;
	tc->per_shade = half > 0 ? TOP_SHADE / half / 2 : 0;
}

bool tilecode_same_rule(const struct tilecode *a, const struct tilecode *b)
{
	return a->min == b->min && a->max == b->max && a->zero == b->zero &&
	       a->presentation == b->presentation && a->paint == b->paint && a->names == b->names &&
	       (a->limits == NULL) == (b->limits == NULL) &&
	       (a->counted == NULL) == (b->counted == NULL) &&
	       (a->errors == NULL) == (b->errors == NULL);
}

static unsigned shade(double part)
{
	if (!(part > 0))
		return 0;
	return part >= TOP_SHADE ? TOP_SHADE : (unsigned)(part + 0.5);
}

#define BLOCK 16u /* values coded at a time, so that the compiler vectorises */

/* Values of an expression: zero is an empty frame, as in a stream with GCS_PAINT_ZERO. */
static void code_block(const struct tilecode *tc, const double *restrict v, uint16_t *restrict code)
{
	const double low = tc->low, per_shade = tc->per_shade;
	const double zero = low >= 0 ? 0 : (double)NAN;
	for (uint32_t i = 0; i < BLOCK; i++) {
		double c = (v[i] - low) * per_shade + 0.5;
		c = c < TOP_SHADE ? c : TOP_SHADE;
		c = c > 0 ? c : 0;
		c = v[i] == zero ? LOOK_ZERO : c;
		c = fabs(v[i]) > DBL_MAX ? LOOK_OVER : c;
		c = v[i] != v[i] ? LOOK_UNUSED : c;
		code[i] = (uint16_t)(int)c;
	}
}

static void fill_real(const struct tilecode *tc, uint32_t first, uint32_t count, uint16_t *code)
{
	uint32_t at = 0;
	for (; count - at >= BLOCK; at += BLOCK)
		code_block(tc, tc->real + first + at, code + at);
	double v[BLOCK] = {0};
	uint16_t last[BLOCK];
	memcpy(v, tc->real + first + at, (count - at) * sizeof *v);
	code_block(tc, v, last);
	memcpy(code + at, last, (count - at) * sizeof *code);
}

static unsigned look_of_value(const struct tilecode *tc, uint32_t tile)
{
	int64_t v = tc->values[tile];
	if (tc->real != NULL) {
		uint16_t code;
		fill_real(tc, tile, 1, &code);
		return code;
	}
	if (tc->presentation == GCS_ENUM) {
		if (tc->paint == GCS_PAINT_ZERO && v == tc->zero)
			return LOOK_ZERO;
		uint64_t index = (uint64_t)v - (uint64_t)tc->min;
		return index < tc->names ? LOOK_ENUM + (unsigned)index : LOOK_BACKGROUND;
	}
	if (tc->paint == GCS_PAINT_ZERO && v == tc->zero)
		return LOOK_ZERO;
	if (tc->limits != NULL) {
		double range = (double)tc->limits[tile] - (double)tc->min;
		return range > 0 ? shade(((double)v - (double)tc->min) * TOP_SHADE / range) : 0;
	}
	if (tc->presentation == GCS_PLUS && v >= tc->max)
		return LOOK_OVER;
	return shade(((double)v - (double)tc->min) * tc->per_shade);
}

/* The look of a value with its error: shades only. */
static unsigned look_with_error(const struct tilecode *tc, uint32_t tile, unsigned look)
{
	const bool unsure = tc->errors != NULL && look < PALETTE_SHADES &&
			    gcs_uncertain(tc->values[tile], tc->errors[tile]);
	return unsure ? LOOK_UNCERTAIN + look : look;
}

static unsigned code_with_control(const struct tilecode *tc, uint32_t tile)
{
	int64_t bits = tc->control[tile];
	unsigned code = 0;
	if (bits & GCS_TILE_SEPARATOR)
		code |= TILE_CODE_SEPARATOR;
	if (tile > 0 && tc->control[tile - 1] & GCS_TILE_LINK)
		code |= TILE_CODE_LINKED;
	if (bits & GCS_TILE_STALE)
		code |= TILE_CODE_STALE;
	if (bits & GCS_TILE_BACKGROUND)
		return code | LOOK_BACKGROUND;
	if (bits & GCS_TILE_UNUSED || (bits & GCS_TILE_USED) == 0)
		return code | LOOK_UNUSED;
	if (!tilecode_has_value(tc, tile))
		return code | LOOK_UNUSED;
	return code | look_with_error(tc, tile, look_of_value(tc, tile));
}

/* Plain numbers in used tiles, the content of large spaces: no branch depends on the value. */
static void fill_plain(const struct tilecode *tc, uint32_t first, uint32_t count, uint16_t *code)
{
	const int64_t *v = tc->values + first;
	bool has_zero = tc->paint == GCS_PAINT_ZERO;
	bool has_over = tc->presentation == GCS_PLUS;
	double low = (double)tc->min;
	for (uint32_t i = 0; i < count; i++) {
		double part = ((double)v[i] - low) * tc->per_shade + 0.5;
		part = part < TOP_SHADE ? part : TOP_SHADE;
		part = part > 0 ? part : 0;
		unsigned c = (unsigned)(int)part;
		c = has_over & (v[i] >= tc->max) ? LOOK_OVER : c;
		c = has_zero & (v[i] == tc->zero) ? LOOK_ZERO : c;
		code[i] = (uint16_t)c;
	}
}

static void fill_values(const struct tilecode *tc, uint32_t first, uint32_t count, uint16_t *code)
{
	if (tc->real != NULL) {
		fill_real(tc, first, count, code);
		return;
	}
	if (tc->limits == NULL && tc->presentation != GCS_ENUM && tc->max > tc->min) {
		fill_plain(tc, first, count, code);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		code[i] = (uint16_t)look_of_value(tc, first + i);
}

void tilecode_fill(const struct tilecode *tc, uint32_t first, uint32_t count, uint16_t *code)
{
	fill_values(tc, first, count, code);
	for (uint32_t i = 0; tc->errors != NULL && i < count; i++)
		code[i] = (uint16_t)look_with_error(tc, first + i, code[i]);
	for (uint32_t i = 0; tc->counted != NULL && i < count; i++)
		if (tc->counted[first + i] == 0)
			code[i] = LOOK_UNUSED;
	if (tc->control == NULL || count == 0)
		return;
	/* The bits of most tiles are only GCS_TILE_USED. */
	int64_t before = first > 0 ? tc->control[first - 1] : 0;
	for (uint32_t i = 0; i < count; i++) {
		const int64_t bits = tc->control[first + i];
		if (bits != GCS_TILE_USED || before & GCS_TILE_LINK)
			code[i] = (uint16_t)code_with_control(tc, first + i);
		before = bits;
	}
}
