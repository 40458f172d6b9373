#include "session_native.h"

#include <stdio.h>
#include <string.h>

#include "model_internal.h"

/* Input: the preamble, HELLO, then commands. */

static void describe_all(struct session *s, struct gcs_model *model)
{
	put_info(&s->out, model, s->deflater);
	put_events(&s->out, model, s->deflater);
	put_groups(&s->out, model, s->deflater);
	if (model->plugin_count != 0)
		put_plugins(&s->out, model, s->deflater);
	for (uint32_t i = 0; i < model->space_count; i++) {
		put_space(&s->out, i, &model->spaces[i], s->deflater);
		if (model->spaces[i].gone)
			put_number(&s->out, GCS_WIRE_SPACE_GONE, i);
	}
	put_empty(&s->out, GCS_WIRE_READY);
	s->model = gcs_model_ref(model);
	s->base = gcs_snapshot_begin(model, NULL);
	if (s->base == NULL)
		s->out.status = GCS_NOMEM;
}

void native_open(struct session *s, struct gcs_model *model, uint32_t keep_alive_ms)
{
	struct welcome welcome = {.name = model->server_name, .keep_alive_ms = keep_alive_ms};
	put_welcome(&s->out, &welcome);
	s->dialect = &native_dialect;
	s->phase = SESSION_READY;
	describe_all(s, model);
}

static void on_hello(struct session *s, struct rd *r)
{
	struct arena arena = {0};
	struct hello hello;
	enum bye_reason reason = BYE_ENDED;
	const char *message = "";
	if (!get_hello(r, &arena, &hello)) {
		session_malformed(s, GCS_WIRE_HELLO, r->status);
	} else if (!s->host->admit(s->context, &hello, &reason, &message)) {
		session_bye(s, reason, message);
	} else {
		struct gcs_model *model = s->host->model(s->context);
		if ((hello.flags & GCS_HELLO_COMPRESS) != 0)
			s->deflater = deflater_create();
		if ((hello.flags & GCS_HELLO_NO_TILES) != 0)
			memset(s->closed_spaces, 0xff, sizeof s->closed_spaces);
		native_open(s, model, s->host->keep_alive_ms(s->context));
		gcs_model_unref(model);
		if ((hello.flags & GCS_HELLO_PAUSE) != 0)
			s->host->pause(s->context);
		s->host->ready(s->context);
	}
	arena_fini(&arena);
}

/* Answers the client's preamble with ours. */
static size_t take_preamble(struct session *s, const uint8_t *bytes, size_t length)
{
	unsigned major, minor;
	if (length < GCS_WIRE_PREAMBLE)
		return 0;
	frame_preamble(&s->out);
	s->introduced = true;
	if (frame_check_preamble(bytes, &major, &minor) != GCS_OK) {
		char message[120];
		snprintf(message, sizeof message,
		    "this server speaks version %d of the protocol, the client %u",
		    GCS_PROTOCOL_MAJOR, major);
		session_bye(s, BYE_VERSION, message);
	}
	return GCS_WIRE_PREAMBLE;
}

static size_t native_input(struct session *s, const uint8_t *bytes, size_t length)
{
	size_t used = 0;
	if (!s->introduced)
		used = take_preamble(s, bytes, length);
	while (s->introduced && s->phase != SESSION_CLOSING) {
		struct frame frame;
		enum gcs_status status =
		    frame_next(bytes + used, length - used, GCS_WIRE_MAX_TO_SERVER, NULL, &frame);
		if (status == GCS_TRUNCATED)
			break;
		if (status != GCS_OK) {
			session_malformed(s, frame.kind, status);
			break;
		}
		used += frame.bytes;
		if (s->phase == SESSION_READY) {
			session_command(s, &frame);
		} else if (frame.kind == GCS_WIRE_HELLO) {
			on_hello(s, &frame.payload);
		} else {
			session_malformed(s, frame.kind, GCS_STATE);
		}
	}
	return used;
}

/* Output. */

static bool groups_differ(const struct gcs_model *a, const struct gcs_model *b)
{
	return a->group_count != b->group_count; /* groups are never removed */
}

/* A space may have been added, changed and withdrawn since the last description. */
static void describe_change(struct session *s, const struct gcs_model *model, uint32_t space)
{
	bool known = space < s->model->space_count;
	bool gone = model->spaces[space].gone;
	if (!known || !gone)
		put_space(&s->out, space, &model->spaces[space], s->deflater);
	if (gone && (!known || !s->model->spaces[space].gone)) {
		put_number(&s->out, GCS_WIRE_SPACE_GONE, space);
		s->closed_spaces[space / 32] &= ~((uint32_t)1 << space % 32);
	}
}

static void native_model(struct session *s, struct gcs_model *model)
{
	if (model_info_edition(model) != model_info_edition(s->model))
		put_info(&s->out, model, s->deflater);
	if (groups_differ(model, s->model))
		put_groups(&s->out, model, s->deflater);
	if (model->plugin_count != 0)
		put_plugins(&s->out, model, s->deflater);
	for (uint32_t i = 0; i < model->space_count; i++) {
		if (model_edition(model, i) == model_edition(s->model, i))
			continue;
		describe_change(s, model, i);
	}
	struct gcs_snapshot *base = gcs_snapshot_begin(model, s->base);
	if (base == NULL) {
		s->out.status = GCS_NOMEM;
		return;
	}
	gcs_snapshot_unref(s->base);
	s->base = base;
	gcs_model_unref(s->model);
	s->model = gcs_model_ref(model);
}

/* Brings the base to the snapshot's number of tiles, by the snapshot's own resizes if it follows the
 * base. */
static void send_tiles(
    struct session *s, const struct gcs_snapshot *snapshot, uint32_t space, bool follows)
{
	struct resize own[GCS_MAX_SPACES]; /* a snapshot lists no more */
	uint32_t count = 0;
	for (uint32_t i = 0; follows && i < snapshot->resize_count; i++) {
		const struct resize *z = &snapshot->resizes[i];
		if (z->space != space)
			continue;
		put_tiles(&s->out, space, z->at, z->count < 0 ? (uint32_t)-z->count : 0,
		    z->count > 0 ? (uint32_t)z->count : 0);
		own[count++] = *z;
	}
	if (!snapshot_edit_tiles(s->base, space, own, count))
		s->out.status = GCS_NOMEM;
	uint32_t have = gcs_snapshot_tiles(s->base, space);
	uint32_t want = snapshot->spaces[space].tiles;
	if (have > want)
		put_tiles(&s->out, space, want, have - want, 0);
	else if (have < want)
		put_tiles(&s->out, space, have, 0, want - have);
	if (have != want && !gcs_snapshot_resize(s->base, space, want))
		s->out.status = GCS_NOMEM;
}

/* Bytes of names in one message, besides the last name: well below the limit of a frame. */
enum { NAMES_BYTES = 1 << 20 };

static void send_names(struct session *s, const struct gcs_snapshot *snapshot, uint32_t space)
{
	const struct space_state *old = &s->base->spaces[space];
	const struct space_state *new = &snapshot->spaces[space];
	uint32_t tiles = new->tiles;
	if (old->names == new->names)
		return;
	uint32_t i = 0;
	while (i < tiles) {
		uint32_t first = i;
		size_t bytes = 0;
		while (i < tiles && i - first < CODEC_TILES_PER_FRAME && bytes < NAMES_BYTES &&
		       strcmp(gcs_snapshot_name(s->base, space, i),
			   gcs_snapshot_name(snapshot, space, i)) != 0)
			bytes += strlen(gcs_snapshot_name(snapshot, space, i++));
		if (i != first)
			put_names(&s->out, snapshot, space, first, i - first);
		else
			i++;
	}
}

static void send_space(struct session *s, const struct gcs_snapshot *snapshot, uint32_t space)
{
	const struct space_state *new = &snapshot->spaces[space];
	bool fresh = s->base->spaces[space].tiles == 0;
	/* The snapshot's resizes apply only if the client has the state that it was built on. */
	bool follows = s->base_serial != 0 && s->base_serial == snapshot->built_on &&
		       !snapshot->resize_lost && (s->current[space / 32] >> space % 32 & 1) != 0;
	send_tiles(s, snapshot, space, follows);
	if (s->out.status != GCS_OK)
		return;
	const struct space_state *old = &s->base->spaces[space];
	for (uint32_t k = 0; k < new->stream_count; k++) {
		if (new->tiles != 0 && !column_equal(new->columns[k], old->columns[k]))
			put_stream(&s->out, space, k, new->columns[k]->values,
			    fresh ? NULL : old->columns[k]->values,
			    column_changes(new->columns[k], old->columns[k]), new->tiles,
			    s->deflater);
		if (!column_equal(new->summaries[k], old->summaries[k]))
			put_summary(&s->out, space, k, new->summaries[k]);
	}
	send_names(s, snapshot, space);
	if (old->info != new->info && strcmp(text_chars(old->info), text_chars(new->info)) != 0)
		put_space_info(&s->out, space, text_chars(new->info));
	snapshot_adopt_space(s->base, snapshot, space);
}

static void set_current(struct session *s, uint32_t space, bool current)
{
	uint32_t mask = (uint32_t)1 << space % 32;
	if (current)
		s->current[space / 32] |= mask;
	else
		s->current[space / 32] &= ~mask;
}

static void native_snapshot(struct session *s, const struct gcs_snapshot *snapshot, uint64_t missed)
{
	uint32_t skipped[GCS_MAX_SPACES];
	uint32_t skipped_count = 0;
	struct gcs_occurrence o = snapshot->occurrence;
	session_set_times(s, &o);
	o.missed = missed;
	put_begin(&s->out, snapshot, &o);
	for (uint32_t i = 0; i < gcs_snapshot_fired_count(snapshot); i++)
		put_fired(&s->out, gcs_snapshot_fired(snapshot, i), s->deflater);
	for (uint32_t i = 0; i < s->model->space_count && s->out.status == GCS_OK; i++) {
		if (s->model->spaces[i].gone)
			continue;
		bool same = model_edition(snapshot->model, i) == model_edition(s->model, i);
		bool send = same && !session_hides(s, s->model, i);
		if (send)
			send_space(s, snapshot, i);
		set_current(s, i, send);
		if (!send || !snapshot->spaces[i].gathered)
			skipped[skipped_count++] = i;
	}
	put_counters(&s->out, snapshot);
	put_end(&s->out, o.sequence, skipped_count, skipped);
	s->base_serial = snapshot->serial;
}

static void native_state(struct session *s, const struct state_message *state)
{
	put_state(&s->out, state);
}

static void native_notice(struct session *s, const char *message)
{
	put_notice(&s->out, message);
}

static void native_answer(struct session *s, const struct answer_message *answer)
{
	put_answer(&s->out, answer, s->deflater);
}

static void native_position(struct session *s, const struct gcs_position *position)
{
	put_position(&s->out, position);
}

static void native_bye(struct session *s, enum bye_reason reason, const char *message)
{
	/* A client with an incomplete preamble still expects ours. */
	if (!s->introduced)
		frame_preamble(&s->out);
	s->introduced = true;
	put_bye(&s->out, reason, message);
}

static void native_fini(struct session *s)
{
	(void)s;
}

const struct dialect native_dialect = {
    .name = "GCspy 1",
    .first = {'G', 'C', 'S', 'P'},
    .input = native_input,
    .model = native_model,
    .snapshot = native_snapshot,
    .state = native_state,
    .notice = native_notice,
    .answer = native_answer,
    .position = native_position,
    .bye = native_bye,
    .fini = native_fini,
};
