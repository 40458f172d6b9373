#include "report_look.h"

#include <string.h>

/* Viridis without its darkest end, which would be lost on a dark page. */
static const uint32_t ramp[] = {
    0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725};

enum { ANCHORS = sizeof ramp / sizeof ramp[0] };

/* Okabe and Ito's colours in the visualiser's order, then the same darker. */
static const uint32_t names[NAME_COLOURS / 2] = {
    0x56b4e9, 0xe69f00, 0x009e73, 0xf0e442, 0x0072b2, 0xd55e00, 0xcc79a7};

static uint32_t mix(uint32_t a, uint32_t b, double part)
{
	uint32_t colour = 0;
	for (unsigned shift = 0; shift < 24; shift += 8) {
		double x = a >> shift & 0xff, y = b >> shift & 0xff;
		colour |= (uint32_t)(x + (y - x) * part + 0.5) << shift;
	}
	return colour;
}

uint32_t look_colour(unsigned look)
{
	if (look == LOOK_UNUSED)
		return 0x30808894;
	if (look == LOOK_ZERO)
		return 0x70808894;
	if (look >= LOOK_NAMES) {
		unsigned i = (look - LOOK_NAMES) % NAME_COLOURS;
		uint32_t colour = names[i % (NAME_COLOURS / 2)];
		return 0xff000000u | (i < NAME_COLOURS / 2 ? colour : mix(colour, 0x16181c, 0.45));
	}
	if (look < LOOK_SHADES)
		return 0;
	double at = (double)(look - LOOK_SHADES) * (ANCHORS - 1) / (SHADES - 1);
	unsigned i = (unsigned)at < ANCHORS - 2 ? (unsigned)at : ANCHORS - 2;
	return 0xff000000u | mix(ramp[i], ramp[i + 1], at - i);
}

static uint32_t choose(const struct gcs_model *m, const char *name)
{
	uint32_t best = GCS_NONE;
	if (name != NULL)
		best = gcs_model_find_space(m, name);
	if (name != NULL)
		return best != GCS_NONE && !m->spaces[best].gone ? best : GCS_NONE;
	for (uint32_t i = 0; i < m->space_count; i++) {
		const struct gcs_space *s = &m->spaces[i];
		if (s->gone || s->stream_count == 0)
			continue;
		if (s->main)
			return i;
		if (best == GCS_NONE ||
		    (s->kind == GCS_SPACE_ADDRESSES && m->spaces[best].kind != GCS_SPACE_ADDRESSES))
			best = i;
	}
	return best;
}

bool look_init(struct look_rule *r, const struct gcs_snapshot *snapshot, const char *name)
{
	const struct gcs_model *m = gcs_snapshot_model(snapshot);
	uint32_t id = choose(m, name);
	memset(r, 0, sizeof *r);
	if (id == GCS_NONE || m->spaces[id].default_stream >= m->spaces[id].stream_count)
		return false;
	r->space = &m->spaces[id];
	r->space_id = id;
	r->stream_id = r->space->default_stream;
	r->stream = &r->space->streams[r->stream_id];
	r->tiles = gcs_snapshot_tiles(snapshot, id);
	r->values = gcs_snapshot_values(snapshot, id, r->stream_id);
	if (r->values == NULL)
		r->tiles = 0;
	uint32_t control = gcs_space_role(r->space, GCS_ROLE_CONTROL);
	if (control != GCS_NONE)
		r->control = gcs_snapshot_values(snapshot, id, control);
	r->low = (double)r->stream->min;
	if (r->stream->maximum == GCS_MAX_OF_STREAM)
		r->limits = gcs_snapshot_values(snapshot, id, r->stream->max_stream);
	else
		r->range = (double)gcs_snapshot_maximum(snapshot, id, r->stream_id, 0) - r->low;
	return true;
}

bool look_is_name(const struct look_rule *r)
{
	return r->stream->presentation == GCS_ENUM;
}

uint8_t look_at(const struct look_rule *r, uint32_t tile)
{
	int64_t bits = r->control == NULL ? GCS_TILE_USED : r->control[tile];
	int64_t v = r->values[tile];
	if ((bits & GCS_TILE_BACKGROUND) != 0)
		return LOOK_NOTHING;
	if ((bits & GCS_TILE_UNUSED) != 0 || (bits & GCS_TILE_USED) == 0)
		return LOOK_UNUSED;
	if (r->stream->paint == GCS_PAINT_ZERO && v == r->stream->zero)
		return LOOK_ZERO;
	if (look_is_name(r)) {
		uint64_t index = (uint64_t)v - (uint64_t)r->stream->min;
		return index < r->stream->enum_count ? (uint8_t)(LOOK_NAMES + index % NAME_COLOURS)
						     : LOOK_NOTHING;
	}
	double range = r->limits == NULL ? r->range : (double)r->limits[tile] - r->low;
	double part = range > 0 ? ((double)v - r->low) / range : 0;
	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return (uint8_t)(LOOK_SHADES + (unsigned)(part * (SHADES - 1) + 0.5));
}
