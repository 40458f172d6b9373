/* The messages of a snapshot, BEGIN to END, and the commands. */

#include "codec.h"

#include <string.h>

#include "runs.h"

enum { ABSENT, NUMBER, TEXT, VALUE_KIND_COUNT };

void put_begin(struct wr *w, const struct gcs_snapshot *s, const struct gcs_occurrence *o)
{
	size_t at = frame_begin(w, GCS_WIRE_BEGIN);
	wr_varint(w, o->sequence);
	wr_varint(w, o->event == GCS_NONE ? 0 : (uint64_t)o->event + 1);
	wr_varint(w, o->time_ns);
	wr_zigzag(w, o->wall_ns);
	wr_varint(w, o->cost_ns);
	wr_varint(w, o->elapsed_ns);
	wr_varint(w, o->compensation_ns);
	wr_varint(w, o->missed);
	const struct gcs_model *model = s->model;
	uint32_t attributes =
	    o->event < model->event_count ? model->events[o->event].attribute_count : 0;
	wr_varint(w, attributes);
	for (uint32_t i = 0; i < attributes; i++) {
		if ((s->numbers_set >> i & 1) != 0) {
			wr_u8(w, NUMBER);
			wr_zigzag(w, s->numbers[i]);
		} else if (s->texts[i] != NULL) {
			wr_u8(w, TEXT);
			wr_text(w, s->texts[i]->chars);
		} else {
			wr_u8(w, ABSENT);
		}
	}
	frame_end(w, at, NULL);
}

static void get_attribute(struct rd *r, struct gcs_snapshot *s, uint32_t i)
{
	char text[GCS_MAX_TEXT + 1];
	size_t length;
	switch (rd_enum(r, VALUE_KIND_COUNT)) {
	case NUMBER:
		if (!gcs_snapshot_set_number(s, i, rd_zigzag(r)))
			rd_fail(r, GCS_MALFORMED);
		break;
	case TEXT: {
		const char *bytes = rd_text(r, GCS_MAX_TEXT, &length);
		if (bytes != NULL)
			memcpy(text, bytes, length);
		text[length] = '\0';
		if (!gcs_snapshot_set_text(s, i, text))
			rd_fail(r, GCS_MALFORMED);
		break;
	}
	default:
		break;
	}
}

bool get_begin(struct rd *r, struct gcs_snapshot *s)
{
	struct gcs_occurrence o;
	o.sequence = rd_varint(r);
	uint32_t event = rd_count(r, GCS_MAX_EVENTS);
	o.event = event == 0 ? GCS_NONE : event - 1;
	o.time_ns = rd_varint(r);
	o.wall_ns = rd_zigzag(r);
	o.cost_ns = rd_varint(r);
	o.elapsed_ns = rd_varint(r);
	o.compensation_ns = rd_varint(r);
	o.missed = rd_varint(r);
	if (r->status == GCS_OK && !gcs_snapshot_set_occurrence(s, &o))
		rd_fail(r, GCS_MALFORMED);
	uint32_t attributes = rd_count(r, GCS_MAX_ATTRIBUTES);
	for (uint32_t i = 0; r->status == GCS_OK && i < attributes; i++)
		get_attribute(r, s, i);
	return r->status == GCS_OK;
}

void put_tiles(struct wr *w, uint32_t space, uint32_t at, uint32_t removed, uint32_t inserted)
{
	size_t begin = frame_begin(w, GCS_WIRE_TILES);
	wr_varint(w, space);
	wr_varint(w, at);
	wr_varint(w, removed);
	wr_varint(w, inserted);
	frame_end(w, begin, NULL);
}

bool get_tiles(struct rd *r, struct gcs_snapshot *s)
{
	uint32_t space = rd_count(r, GCS_MAX_SPACES - 1);
	uint32_t at = rd_count(r, GCS_MAX_TILES);
	uint32_t removed = rd_count(r, GCS_MAX_TILES);
	uint32_t inserted = rd_count(r, GCS_MAX_TILES);
	if (r->status != GCS_OK)
		return false;
	if (!gcs_snapshot_remove_tiles(s, space, at, removed) ||
	    !gcs_snapshot_insert_tiles(s, space, at, inserted))
		rd_fail(r, GCS_MALFORMED);
	return r->status == GCS_OK;
}

void put_names(
    struct wr *w, const struct gcs_snapshot *s, uint32_t space, uint32_t first, uint32_t count)
{
	size_t at = frame_begin(w, GCS_WIRE_NAMES);
	wr_varint(w, space);
	wr_varint(w, first);
	wr_varint(w, count);
	for (uint32_t i = 0; i < count; i++)
		wr_text(w, gcs_snapshot_name(s, space, first + i));
	frame_end(w, at, NULL);
}

/* True if the range is within the space's tiles. */
static bool in_space(const struct gcs_snapshot *s, uint32_t space, uint32_t first, uint32_t count)
{
	uint32_t tiles = gcs_snapshot_tiles(s, space);
	return first <= tiles && count <= tiles - first;
}

bool get_names(struct rd *r, struct gcs_snapshot *s)
{
	char name[GCS_MAX_TEXT + 1];
	uint32_t space = rd_count(r, GCS_MAX_SPACES - 1);
	uint32_t first = rd_count(r, GCS_MAX_TILES);
	uint32_t count = rd_count(r, CODEC_TILES_PER_FRAME);
	if (!in_space(s, space, first, count))
		rd_fail(r, GCS_MALFORMED);
	for (uint32_t i = 0; r->status == GCS_OK && i < count; i++) {
		size_t length;
		const char *bytes = rd_text(r, GCS_MAX_TEXT, &length);
		if (bytes != NULL)
			memcpy(name, bytes, length);
		name[length] = '\0';
		if (r->status == GCS_OK && !gcs_snapshot_set_name(s, space, first + i, name))
			rd_fail(r, GCS_MALFORMED);
	}
	return r->status == GCS_OK;
}

void put_stream(struct wr *w, uint32_t space, uint32_t stream, const int64_t *values,
    const int64_t *old, const uint64_t *changed, uint32_t count, struct deflater *d)
{
	for (uint32_t first = 0; first < count; first += CODEC_TILES_PER_FRAME) {
		uint32_t part =
		    count - first < CODEC_TILES_PER_FRAME ? count - first : CODEC_TILES_PER_FRAME;
		size_t at = frame_begin(w, old == NULL ? GCS_WIRE_STREAM : GCS_WIRE_INCR_STREAM);
		wr_varint(w, space);
		wr_varint(w, stream);
		wr_varint(w, first);
		wr_varint(w, part);
		runs_encode_changes(w, values, old, first, part, changed);
		frame_end(w, at, d);
	}
}

bool get_stream(struct rd *r, struct gcs_snapshot *s, bool incremental)
{
	uint32_t space = rd_count(r, GCS_MAX_SPACES - 1);
	uint32_t stream = rd_count(r, GCS_MAX_STREAMS);
	uint32_t first = rd_count(r, GCS_MAX_TILES);
	uint32_t count = rd_count(r, CODEC_TILES_PER_FRAME);
	if (r->status != GCS_OK)
		return false;
	int64_t *values = NULL;
	uint64_t *changed = NULL;
	if (in_space(s, space, first, count))
		values = incremental ? snapshot_amend(s, space, stream, &changed)
				     : gcs_snapshot_write(s, space, stream);
	if (values == NULL)
		rd_fail(r, GCS_MALFORMED);
	else if (incremental)
		runs_add(r, values, first, count, changed);
	else
		runs_decode(r, values + first, count, false);
	return r->status == GCS_OK;
}

void put_summary(struct wr *w, uint32_t space, uint32_t stream, const struct column *summary)
{
	size_t at = frame_begin(w, GCS_WIRE_SUMMARY);
	uint32_t count = summary == NULL ? 0 : summary->count;
	wr_varint(w, space);
	wr_varint(w, stream);
	wr_varint(w, count);
	for (uint32_t i = 0; i < count; i++)
		wr_zigzag(w, summary->values[i]);
	frame_end(w, at, NULL);
}

bool get_summary(struct rd *r, struct gcs_snapshot *s)
{
	int64_t values[GCS_MAX_ENUM];
	uint32_t space = rd_count(r, GCS_MAX_SPACES - 1);
	uint32_t stream = rd_count(r, GCS_MAX_STREAMS);
	uint32_t count = rd_count(r, GCS_MAX_ENUM);
	for (uint32_t i = 0; i < count; i++)
		values[i] = rd_zigzag(r);
	if (r->status == GCS_OK && !gcs_snapshot_set_summary(s, space, stream, count, values))
		rd_fail(r, GCS_MALFORMED);
	return r->status == GCS_OK;
}

void put_space_info(struct wr *w, uint32_t space, const char *text)
{
	size_t at = frame_begin(w, GCS_WIRE_SPACE_INFO);
	wr_varint(w, space);
	wr_text(w, text);
	frame_end(w, at, NULL);
}

bool get_space_info(struct rd *r, struct gcs_snapshot *s)
{
	char text[GCS_MAX_TEXT + 1];
	size_t length;
	uint32_t space = rd_count(r, GCS_MAX_SPACES - 1);
	const char *bytes = rd_text(r, GCS_MAX_TEXT, &length);
	if (bytes != NULL)
		memcpy(text, bytes, length);
	text[length] = '\0';
	if (r->status == GCS_OK && !gcs_snapshot_set_space_info(s, space, text))
		rd_fail(r, GCS_MALFORMED);
	return r->status == GCS_OK;
}

void put_counters(struct wr *w, const struct gcs_snapshot *s)
{
	size_t at = frame_begin(w, GCS_WIRE_COUNTERS);
	wr_varint(w, s->model->event_count);
	for (uint32_t i = 0; i < s->model->event_count; i++)
		wr_varint(w, s->counters[i]);
	frame_end(w, at, NULL);
}

bool get_counters(struct rd *r, struct gcs_snapshot *s)
{
	uint32_t count = rd_count(r, s->model->event_count);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = rd_varint(r);
		if (r->status == GCS_OK)
			gcs_snapshot_set_counter(s, i, value);
	}
	return r->status == GCS_OK;
}

void put_end(struct wr *w, uint64_t sequence, uint32_t skipped, const uint32_t *spaces)
{
	size_t at = frame_begin(w, GCS_WIRE_END);
	wr_varint(w, sequence);
	wr_varint(w, skipped);
	for (uint32_t i = 0; i < skipped; i++)
		wr_varint(w, spaces[i]);
	frame_end(w, at, NULL);
}

bool get_end(struct rd *r, struct gcs_snapshot *s)
{
	if (rd_varint(r) != s->occurrence.sequence)
		rd_fail(r, GCS_MALFORMED);
	for (uint32_t i = 0; i < s->space_count; i++)
		gcs_snapshot_set_gathered(s, i, true);
	uint32_t skipped = rd_count(r, GCS_MAX_SPACES);
	for (uint32_t i = 0; r->status == GCS_OK && i < skipped; i++)
		gcs_snapshot_set_gathered(s, rd_count(r, GCS_MAX_SPACES - 1), false);
	return r->status == GCS_OK;
}

void put_state(struct wr *w, const struct state_message *state)
{
	size_t at = frame_begin(w, GCS_WIRE_STATE);
	wr_u8(w, (uint8_t)state->run);
	wr_u8(w, state->own ? 1 : 0);
	wr_varint(w, state->others);
	frame_end(w, at, NULL);
}

bool get_state(struct rd *r, struct state_message *state)
{
	state->run = (enum gcs_run_state)rd_enum(r, GCS_PAUSED + 1);
	state->own = rd_u8(r) != 0;
	state->others = rd_count(r, UINT32_MAX);
	return r->status == GCS_OK;
}

void put_filter(struct wr *w, uint32_t event, const struct gcs_filter *filter)
{
	size_t at = frame_begin(w, GCS_WIRE_FILTER);
	wr_varint(w, event);
	wr_u8(w, filter->enabled ? 1 : 0);
	wr_varint(w, filter->delay_ms);
	wr_u8(w, filter->pause ? 1 : 0);
	wr_varint(w, filter->period);
	frame_end(w, at, NULL);
}

bool get_filter(struct rd *r, uint32_t *event, struct gcs_filter *filter)
{
	*event = rd_count(r, GCS_MAX_EVENTS - 1);
	filter->enabled = rd_u8(r) != 0;
	filter->delay_ms = rd_count(r, CODEC_MAX_DELAY_MS);
	filter->pause = rd_u8(r) != 0;
	filter->period = rd_count(r, CODEC_MAX_PERIOD);
	if (filter->period == 0)
		rd_fail(r, GCS_MALFORMED);
	return r->status == GCS_OK;
}

void put_pace(struct wr *w, enum gcs_pace pace, uint32_t interval_ms)
{
	size_t at = frame_begin(w, GCS_WIRE_PACE);
	wr_u8(w, (uint8_t)pace);
	wr_varint(w, interval_ms);
	frame_end(w, at, NULL);
}

bool get_pace(struct rd *r, enum gcs_pace *pace, uint32_t *interval_ms)
{
	*pace = (enum gcs_pace)rd_enum(r, GCS_PACE_COUNT);
	*interval_ms = rd_count(r, CODEC_MAX_INTERVAL_MS);
	return r->status == GCS_OK;
}

void put_collapse(struct wr *w, bool group, uint32_t id, bool collapsed)
{
	size_t at = frame_begin(w, GCS_WIRE_COLLAPSE);
	wr_u8(w, group ? 0 : 1);
	wr_varint(w, id);
	wr_u8(w, collapsed ? 1 : 0);
	frame_end(w, at, NULL);
}

bool get_collapse(struct rd *r, bool *group, uint32_t *id, bool *collapsed)
{
	*group = rd_enum(r, 2) == 0;
	*id = rd_count(r, GCS_MAX_GROUPS - 1);
	*collapsed = rd_u8(r) != 0;
	return r->status == GCS_OK;
}
