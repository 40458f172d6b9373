/* TRIGGER, INTEREST, FIRE_TRIGGER, and the list of triggers. */

#include "codec.h"

enum { REMOVE = 1, LIST_VERSION = 1 };

static void put_condition(struct wr *w, const struct gcs_trigger *t)
{
	wr_text(w, t->name);
	wr_text(w, t->condition);
	wr_varint(w, t->actions);
	wr_varint(w, t->nth);
	wr_varint(w, t->most);
	wr_text(w, t->plugin);
}

/* The server checks the fields, so that its answer can say what is allowed. */
static void get_condition(struct rd *r, struct arena *a, struct gcs_trigger *t)
{
	*t = (struct gcs_trigger){.name = arena_read_text(a, r, GCS_MAX_NAME)};
	t->condition = arena_read_text(a, r, GCS_MAX_TEXT);
	t->actions = rd_count(r, UINT32_MAX);
	t->nth = rd_varint(r);
	t->most = rd_varint(r);
	t->plugin = arena_read_text(a, r, GCS_MAX_NAME);
}

void put_trigger(struct wr *w, const struct trigger_message *m)
{
	size_t at = frame_begin(w, GCS_WIRE_TRIGGER);
	wr_varint(w, m->id);
	wr_varint(w, m->remove ? REMOVE : 0);
	put_condition(w, &m->trigger);
	frame_end(w, at, NULL);
}

bool get_trigger(struct rd *r, struct arena *a, struct trigger_message *m)
{
	m->id = rd_count(r, UINT32_MAX);
	m->remove = (rd_varint(r) & REMOVE) != 0;
	get_condition(r, a, &m->trigger);
	return r->status == GCS_OK;
}

void put_interest(struct wr *w, const struct interest_message *interest)
{
	size_t at = frame_begin(w, GCS_WIRE_INTEREST);
	wr_varint(w, interest->event);
	wr_varint(w, interest->attribute);
	wr_u8(w, interest->on ? 1 : 0);
	frame_end(w, at, NULL);
}

bool get_interest(struct rd *r, struct interest_message *interest)
{
	interest->event = rd_count(r, GCS_MAX_EVENTS - 1);
	interest->attribute = rd_count(r, GCS_MAX_ATTRIBUTES - 1);
	interest->on = rd_u8(r) != 0;
	return r->status == GCS_OK;
}

void put_fired(struct wr *w, const struct gcs_fired *f, struct deflater *d)
{
	size_t at = frame_begin(w, GCS_WIRE_FIRE_TRIGGER);
	wr_text(w, f->trigger);
	wr_text(w, f->condition);
	wr_varint(w, f->times);
	wr_text(w, f->plugin);
	wr_u8(w, codec_answer_number(f->status));
	wr_text(w, f->message);
	wr_u32(w, (uint32_t)f->length);
	wr_bytes(w, f->answer, f->length);
	if (f->actions != 0)
		wr_varint(w, f->actions);
	frame_end(w, at, d);
}

bool get_fired(struct rd *r, struct arena *a, struct gcs_snapshot *s)
{
	struct gcs_fired f = {.trigger = arena_read_text(a, r, GCS_MAX_NAME)};
	f.condition = arena_read_text(a, r, GCS_MAX_TEXT);
	f.times = rd_varint(r);
	f.plugin = arena_read_text(a, r, GCS_MAX_NAME);
	f.status = codec_answer_status(rd_u8(r));
	f.message = arena_read_text(a, r, GCS_MAX_TEXT);
	f.length = rd_u32(r);
	if (f.length > GCS_MAX_FIRED_ANSWER)
		rd_fail(r, GCS_LIMIT);
	f.answer = rd_bytes(r, f.length);
	f.actions = rd_left(r) == 0 ? 0 : rd_count(r, UINT32_MAX);
	if (r->status == GCS_OK && !gcs_snapshot_add_fired(s, &f))
		rd_fail(r, GCS_MALFORMED);
	return r->status == GCS_OK;
}

void put_trigger_list(struct wr *w, uint32_t count, const struct gcs_trigger_state *states)
{
	wr_u8(w, LIST_VERSION);
	wr_varint(w, count);
	for (uint32_t i = 0; i < count; i++) {
		put_condition(w, &states[i].trigger);
		wr_varint(w, states[i].times);
		wr_u8(w, states[i].own ? 1 : 0);
	}
}

bool get_trigger_list(
    struct rd *r, struct arena *a, uint32_t *count, struct gcs_trigger_state **states)
{
	if (rd_u8(r) != LIST_VERSION)
		rd_fail(r, GCS_VERSION);
	*count = rd_count(r, GCS_MAX_TRIGGERS);
	*states = arena_alloc(a, *count + 1, sizeof **states);
	if (*states == NULL)
		rd_fail(r, GCS_NOMEM);
	for (uint32_t i = 0; r->status == GCS_OK && i < *count; i++) {
		get_condition(r, a, &(*states)[i].trigger);
		(*states)[i].times = rd_varint(r);
		(*states)[i].own = rd_u8(r) != 0;
	}
	return r->status == GCS_OK;
}
