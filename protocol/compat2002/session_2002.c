/*
 * The dialect of 2002: hello, bootstrap, commands, and the output at each event. docs/protocol-2002.md
 * describes that protocol and the conversion of ours.
 */
#include "session_2002.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "compat2002_server.h"
#include "model_internal.h"

/* Most pending steps: far more than a user can request. */
enum { MAX_STEPS = 1000 };

/* Longest payload of a client: ten times the filters of all events. */
enum { MAX_FROM_CLIENT = 65536 };

static struct compat_server *compat_server_of(struct session *s)
{
	return s->own;
}

/* The protocol has no message for errors of the client: log them. */
static void blame(struct session *s, const char *message)
{
	s->blamed = true;
	session_bye(s, BYE_MALFORMED, message);
}

/* Bootstrap. */

static void let_in(struct session *s, bool pause)
{
	struct gcs_model *model = s->host->model(s->context);
	struct compat_server *compat_server = gcs_zalloc(sizeof *compat_server);
	s->own = compat_server;
	s->model = model;
	if (compat_server == NULL || !compat_server_choose_spaces(compat_server, model)) {
		s->out.status = GCS_NOMEM;
		s->phase = SESSION_CLOSING;
		return;
	}
	compat_server_put_bootstrap(&s->out, compat_server, model);
	for (uint32_t i = 0; i < compat_server->space_count; i++)
		compat_server->spaces[i].tiles = 1;
	compat_server->moved = true;
	s->phase = SESSION_READY;
	if (pause)
		s->host->pause(s->context);
	s->host->ready(s->context);
}

static void on_hello(struct session *s, struct rd *r)
{
	struct arena arena = {0};
	const char *magic = w2002_get_text(r, &arena, GCS_MAX_NAME);
	int32_t endianness = w2002_get_int(r);
	bool pause = rd_u8(r) != 0;
	struct hello hello = {.name = "a client of 2002", .token = ""};
	enum bye_reason reason = BYE_ENDED;
	const char *message = "";
	if (r->status != GCS_OK || rd_left(r) != 0 || strcmp(magic, W2002_MAGIC) != 0)
		session_bye(s, BYE_MALFORMED, "its hello of 14 bytes is not one of 2002");
	else if (endianness != W2002_ENDIANNESS)
		session_bye(s, BYE_VERSION, "it uses a different byte order");
	else if (!s->host->admit(s->context, &hello, &reason, &message))
		session_bye(s, reason, message);
	else
		let_in(s, pause);
	arena_fini(&arena);
}

/* Commands. */

/* All or nothing: a list with a bad filter changes none. */
static void on_filters(struct session *s, struct rd *r)
{
	struct gcs_filter filters[W2002_MAX_ID];
	uint32_t events = compat_server_of(s)->event_count;
	int16_t count = w2002_get_short(r);
	if (count < 0 || (uint32_t)count > events + 1) {
		rd_fail(r, GCS_LIMIT);
		return;
	}
	for (int16_t i = 0; i < count; i++) {
		bool enabled = rd_u8(r) != 0;
		int32_t delay = w2002_get_int(r);
		bool pause = rd_u8(r) != 0;
		int32_t period = w2002_get_int(r);
		if (delay < 0 || delay > (int32_t)CODEC_MAX_DELAY_MS || period < 1 ||
		    period > (int32_t)CODEC_MAX_PERIOD)
			rd_fail(r, GCS_MALFORMED);
		filters[i] = (struct gcs_filter){.enabled = enabled,
		    .delay_ms = (uint32_t)delay,
		    .pause = pause,
		    .period = (uint32_t)period};
	}
	/* The last one is the event for states without an event. */
	for (uint32_t i = 0; r->status == GCS_OK && i < events && i < (uint32_t)count; i++)
		s->host->filter(s->context, i, &filters[i]);
}

static void on_restart(struct session *s)
{
	/* Resumes for all clients, as our visualiser does. If the program pauses again before this
	 * has been sent, that must be sent again. */
	s->host->resume(s->context, true);
	compat_server_of(s)->pause_sent = false;
	compat_server_of(s)->steps = 0;
	compat_server_of(s)->moved = true;
	s->restate = true;
}

/*
 * The end of a step is not reported: the client sees the event, and may request the next step before
 * the program has paused again. Steps are counted, so that each one leads to an event.
 */
static void on_play_one(struct session *s)
{
	struct compat_server *compat_server = compat_server_of(s);
	if (compat_server->run == GCS_RUNNING)
		s->host->step(s->context);
	else if (compat_server->steps < MAX_STEPS)
		compat_server->steps++;
	s->restate = true;
}

static void on_command(struct session *s, unsigned command, struct rd *r)
{
	char message[100];
	switch (command) {
	case W2002_PAUSE_REQ:
		s->host->pause(s->context);
		break;
	case W2002_RESTART:
		on_restart(s);
		break;
	case W2002_PLAY_ONE:
		on_play_one(s);
		break;
	case W2002_SHUTDOWN_REQ:
		/* The client disconnects, and waits for the answer. */
		session_bye(s, BYE_ENDED, "it disconnected");
		break;
	case W2002_EVENT_FILTERS:
		on_filters(s, r);
		break;
	default:
		snprintf(message, sizeof message, "it sent command %u, which is not a client's",
		    command);
		blame(s, message);
		break;
	}
	if (r->status != GCS_OK && s->phase != SESSION_CLOSING) {
		snprintf(message, sizeof message, "it sent a bad command %s: %s",
		    w2002_command_name(command), gcs_status_text(r->status));
		blame(s, message);
	}
}

static void on_commands(struct session *s, struct rd *r)
{
	if (w2002_get_int(r) != W2002_COMMANDS) {
		blame(s, "it sent a frame that does not begin like commands");
		return;
	}
	while (s->phase == SESSION_READY) {
		unsigned command = rd_u8(r);
		if (r->status == GCS_OK && command != W2002_END_STREAM) {
			on_command(s, command, r);
			continue;
		}
		if (w2002_get_int(r) != W2002_COMMANDS_END || rd_left(r) != 0)
			blame(s, "it sent a frame that does not end like commands");
		break;
	}
}

static size_t input_2002(struct session *s, const uint8_t *bytes, size_t length)
{
	size_t used = 0;
	while (s->phase != SESSION_CLOSING) {
		struct rd payload;
		size_t taken = 0;
		enum gcs_status status =
		    w2002_next(bytes + used, length - used, MAX_FROM_CLIENT, &payload, &taken);
		if (status == GCS_TRUNCATED)
			break;
		used += taken;
		if (status == GCS_CLOSED)
			session_bye(s, BYE_ENDED, "it disconnected");
		else if (status != GCS_OK)
			blame(s, "it sent a message over the limit");
		else if (s->phase == SESSION_READY)
			on_commands(s, &payload);
		else
			on_hello(s, &payload);
	}
	return used;
}

/* Output. */

static void model_2002(struct session *s, struct gcs_model *model)
{
	/* Descriptions are sent with the snapshot, by its model. */
	gcs_model_unref(s->model);
	s->model = gcs_model_ref(model);
}

/* True if the client needs a new description before this snapshot. */
static bool describe(
    struct session *s, struct compat_server_space *p, const struct gcs_snapshot *snapshot)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	bool anew = p->edition != model_edition(model, p->space);
	if (anew && !compat_server_space_plan(p, model, p->space)) {
		s->out.status = GCS_NOMEM;
		return false;
	}
	uint32_t tiles = compat_server_tiles(p, snapshot);
	bool resized = p->tiles != (tiles == 0 ? 1 : tiles);
	p->tiles = tiles == 0 ? 1 : tiles;
	/* Both must be called: they keep state. */
	bool widened = compat_server_observe(p, snapshot);
	bool renamed = compat_server_names_changed(p, snapshot);
	return anew || resized || widened || renamed;
}

/* The protocol has no message for a trigger that has fired: one line for each. */
static void tell_fired(struct session *s, const struct gcs_snapshot *snapshot)
{
	for (uint32_t i = 0; i < gcs_snapshot_fired_count(snapshot); i++) {
		const struct gcs_fired *f = gcs_snapshot_fired(snapshot, i);
		wr_bytes(&s->out, "\nTrigger ", strlen("\nTrigger "));
		wr_bytes(&s->out, f->trigger, strlen(f->trigger));
		wr_bytes(&s->out, " fired: ", strlen(" fired: "));
		wr_bytes(&s->out, f->condition, strlen(f->condition));
	}
}

/* The space's line of information, with additions for this client. */
static void send_space_info(
    struct session *s, uint32_t id, const struct gcs_snapshot *snapshot, uint64_t missed)
{
	const struct compat_server *compat_server = compat_server_of(s);
	const struct compat_server_space *p = &compat_server->spaces[id];
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	uint32_t tiles = gcs_snapshot_tiles(snapshot, p->space);
	char more[500] = "", missing[400] = "";
	if (id == compat_server->main)
		compat_server_list_missing(compat_server, model, missing, sizeof missing);
	if (model->spaces[p->space].gone)
		snprintf(more, sizeof more, "\nThis space no longer exists");
	else if (tiles > W2002_MAX_TILES)
		snprintf(
		    more, sizeof more, "\nIts %u tiles exceed the limits of this protocol", tiles);
	else if (p->left_out != 0)
		snprintf(more, sizeof more,
		    "\n%u more streams are shown to clients that connect now", p->left_out);
	if (missing[0] != '\0' && more[0] == '\0')
		snprintf(more, sizeof more, "\nNot shown to this client: %s", missing);
	size_t at = w2002_command_begin(&s->out, W2002_SPACE_INFO);
	const char *info = gcs_snapshot_space_info(snapshot, p->space);
	wr_u8(&s->out, (uint8_t)id);
	const size_t begin = s->out.length;
	wr_bytes(&s->out, info, strlen(info));
	wr_bytes(&s->out, more, strlen(more));
	if (id == compat_server->main)
		tell_fired(s, snapshot);
	if (id == compat_server->main && missed != 0) {
		snprintf(more, sizeof more,
		    "\n%llu events were left out because this client is slow",
		    (unsigned long long)missed);
		wr_bytes(&s->out, more, strlen(more));
	}
	/* The summaries follow it without a line end. */
	if (s->out.length != begin)
		wr_u8(&s->out, '\n');
	wr_u8(&s->out, 0);
	w2002_command_end(&s->out, at);
}

static void send_space(
    struct session *s, uint32_t id, const struct gcs_snapshot *snapshot, uint64_t missed)
{
	struct compat_server *compat_server = compat_server_of(s);
	struct compat_server_space *p = &compat_server->spaces[id];
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	if (describe(s, p, snapshot)) {
		size_t at = w2002_command_begin(&s->out, W2002_SPACE);
		compat_server_put_space(&s->out, compat_server, id, model, snapshot);
		w2002_command_end(&s->out, at);
	}
	if (s->out.status != GCS_OK)
		return;
	/* All streams each time, because SPACE discards those of the client. */
	compat_server_put_values(&s->out, p, id, &model->spaces[p->space], snapshot);
	send_space_info(s, id, snapshot, missed);
}

static int32_t int_of(uint64_t v)
{
	return v > INT32_MAX ? INT32_MAX : (int32_t)v;
}

static void send_event(struct session *s, const struct gcs_snapshot *snapshot)
{
	struct compat_server *compat_server = compat_server_of(s);
	struct gcs_occurrence o = *gcs_snapshot_occurrence(snapshot);
	session_set_times(s, &o);
	bool no_event = o.event == GCS_NONE || o.event >= compat_server->event_count;
	if (no_event && compat_server->states < INT32_MAX)
		compat_server->states++;
	size_t at = w2002_command_begin(&s->out, W2002_EVENT_COUNT);
	w2002_put_int(&s->out, (int32_t)compat_server->event_count + 1);
	for (uint32_t i = 0; i < compat_server->event_count; i++)
		w2002_put_int(&s->out, int_of(gcs_snapshot_counter(snapshot, i)));
	w2002_put_int(&s->out, compat_server->states);
	w2002_command_end(&s->out, at);

	at = w2002_command_begin(&s->out, W2002_EVENT);
	wr_u8(&s->out, (uint8_t)(no_event ? compat_server->event_count : o.event));
	w2002_put_int(&s->out, int_of(o.elapsed_ns / 1000000u));
	w2002_put_int(&s->out, int_of(o.compensation_ns / 1000000u));
	w2002_command_end(&s->out, at);
}

static void snapshot_2002(struct session *s, const struct gcs_snapshot *snapshot, uint64_t missed)
{
	for (uint32_t i = 0; i < compat_server_of(s)->space_count && s->out.status == GCS_OK; i++)
		send_space(s, i, snapshot, missed);
	send_event(s, snapshot);
	compat_server_of(s)->moved = true;
	s->base_serial = snapshot->serial;
}

/* Sends only that the program has paused, and once: the end of a step is shown by its event. */
static void state_2002(struct session *s, const struct state_message *state)
{
	struct compat_server *compat_server = compat_server_of(s);
	compat_server->run = state->run;
	/* A step may end before a change of the state is seen, so ask for the state each time. */
	s->restate = true;
	if (state->run == GCS_RUNNING)
		compat_server->pause_sent = false;
	if (state->run != GCS_PAUSED) {
		compat_server->moved = true;
		return;
	}
	if (!compat_server->pause_sent) {
		compat_server->pause_sent = true;
		w2002_put_command(&s->out, W2002_PAUSE);
	}
	if (compat_server->steps != 0 && compat_server->moved) {
		compat_server->steps--;
		compat_server->moved = false;
		s->host->step(s->context);
	}
}

static void notice_2002(struct session *s, const char *message)
{
	/* The protocol has no such message. */
	(void)s;
	(void)message;
}

static void bye_2002(struct session *s, enum bye_reason reason, const char *message)
{
	(void)reason;
	(void)message;
	if (s->phase == SESSION_READY)
		w2002_put_command(&s->out, W2002_SHUTDOWN);
}

static void fini_2002(struct session *s)
{
	struct compat_server *compat_server = compat_server_of(s);
	for (uint32_t i = 0; compat_server != NULL && i < compat_server->space_count; i++)
		compat_server_space_fini(&compat_server->spaces[i]);
	gcs_free(compat_server);
	s->own = NULL;
}

const struct dialect dialect_2002 = {
    .name = "GCspy of 2002",
    .first = {0, 0, 0, 14},
    .quiet = true,
    .input = input_2002,
    .model = model_2002,
    .snapshot = snapshot_2002,
    .state = state_2002,
    .notice = notice_2002,
    .bye = bye_2002,
    .fini = fini_2002,
};
