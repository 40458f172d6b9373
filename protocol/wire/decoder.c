#include "decoder.h"

#include <string.h>

#include "model_internal.h"
#include "out_of_memory.h"

void decoder_init(struct decoder *m, const struct decoder_events *events, void *context)
{
	*m = (struct decoder){.events = events, .context = context, .dialect = &native_decoder};
	wr_init(&m->in, GCS_WIRE_MAX_TO_CLIENT + GCS_WIRE_HEADER);
}

void decoder_choose(struct decoder *m, const struct decoder_dialect *dialect)
{
	m->dialect = dialect;
}

void decoder_fini(struct decoder *m)
{
	if (m->dialect != NULL)
		m->dialect->fini(m);
	wr_fini(&m->in);
	gcs_snapshot_unref(m->building);
	gcs_snapshot_unref(m->last);
	gcs_model_unref(m->model);
	*m = (struct decoder){.phase = DECODER_ENDED};
}

void decoder_end(struct decoder *m, enum gcs_status status, const char *message)
{
	gcs_fail(&m->error, status, "%s", message);
	m->phase = DECODER_ENDED;
}

void decoder_resume(struct decoder *m, struct gcs_snapshot *snapshot)
{
	gcs_snapshot_unref(m->building);
	m->building = NULL;
	struct gcs_snapshot *before = m->last;
	m->last = gcs_snapshot_ref(snapshot);
	gcs_snapshot_unref(before);
	struct gcs_model *model = gcs_model_ref(snapshot->model);
	gcs_model_unref(m->model);
	m->model = model;
	m->model_shared = true;
	m->model_changed = false;
	m->in.length = 0;
	m->phase = DECODER_LIVE;
}

static void malformed(struct decoder *m, unsigned kind, enum gcs_status status)
{
	gcs_fail(&m->error, status == GCS_OK ? GCS_MALFORMED : status,
	    "the server sent a bad message %s: %s", frame_kind_name(kind),
	    gcs_status_text(status == GCS_OK ? GCS_MALFORMED : status));
	m->phase = DECODER_ENDED;
}

static void on_bye(struct decoder *m, struct rd *r, struct arena *a)
{
	static const enum gcs_status meaning[BYE_REASON_COUNT] = {
	    [BYE_ENDED] = GCS_CLOSED,
	    [BYE_FULL] = GCS_REJECTED,
	    [BYE_TOKEN] = GCS_DENIED,
	    [BYE_VERSION] = GCS_VERSION,
	    [BYE_MALFORMED] = GCS_MALFORMED,
	    [BYE_SILENT] = GCS_TIMEOUT,
	    [BYE_SLOW] = GCS_TIMEOUT,
	    [BYE_USER] = GCS_REJECTED,
	    [BYE_PROGRAM] = GCS_ENDED,
	};
	enum bye_reason reason;
	const char *message;
	if (!get_bye(r, a, &reason, &message))
		return;
	decoder_end(m, meaning[reason], message[0] != '\0' ? message : "the server said goodbye");
}

/*
 * The description. A bootstrap describes each thing only once.
 */

bool decoder_own_model(struct decoder *m)
{
	if (!m->model_shared)
		return m->model != NULL;
	struct gcs_model *copy = gcs_model_copy(m->model);
	if (copy == NULL)
		return false;
	gcs_model_unref(m->model);
	m->model = copy;
	m->model_shared = false;
	return true;
}

static enum gcs_status on_info(struct decoder *m, struct rd *r, struct arena *a)
{
	uint32_t count;
	struct gcs_info *info;
	if (m->phase == DECODER_BOOTSTRAP && m->model->info_count != 0)
		return GCS_MALFORMED;
	if (!get_info(r, a, &count, &info))
		return r->status;
	return model_replace_info(m->model, count, info, NULL);
}

static enum gcs_status on_events(struct decoder *m, struct rd *r, struct arena *a)
{
	uint32_t count;
	struct gcs_event *events;
	if (m->phase != DECODER_BOOTSTRAP || m->model->event_count != 0)
		return GCS_MALFORMED;
	if (!get_events(r, a, &count, &events))
		return r->status;
	enum gcs_status status = GCS_OK;
	for (uint32_t i = 0; status == GCS_OK && i < count; i++)
		status = gcs_model_add_event(m->model, &events[i], NULL, NULL);
	return status;
}

/* Groups are never removed: the list begins with the known ones. */
static enum gcs_status on_groups(struct decoder *m, struct rd *r, struct arena *a)
{
	uint32_t count;
	struct gcs_group *groups;
	if (!get_groups(r, a, &count, &groups))
		return r->status;
	if (count < m->model->group_count)
		return GCS_MALFORMED;
	enum gcs_status status = GCS_OK;
	for (uint32_t i = m->model->group_count; status == GCS_OK && i < count; i++)
		status = gcs_model_add_group(m->model, &groups[i], NULL, NULL);
	return status;
}

static enum gcs_status on_plugins(struct decoder *m, struct rd *r, struct arena *a)
{
	uint32_t count;
	struct gcs_plugin *plugins;
	if (m->phase == DECODER_BOOTSTRAP && m->model->plugin_count != 0)
		return GCS_MALFORMED;
	if (!get_plugins(r, a, &count, &plugins))
		return r->status;
	return model_replace_plugins(m->model, count, plugins, NULL);
}

static enum gcs_status on_space(struct decoder *m, struct rd *r, struct arena *a)
{
	uint32_t id;
	struct gcs_space space;
	if (!get_space(r, a, &id, &space))
		return r->status;
	if (id == m->model->space_count)
		return gcs_model_add_space(m->model, &space, NULL, NULL);
	if (m->phase == DECODER_BOOTSTRAP)
		return GCS_MALFORMED;
	return gcs_model_set_space(m->model, id, &space, NULL);
}

static enum gcs_status on_space_gone(struct decoder *m, struct rd *r)
{
	uint32_t id = rd_count(r, GCS_MAX_SPACES - 1);
	return r->status != GCS_OK ? r->status : gcs_model_remove_space(m->model, id, NULL);
}

static enum gcs_status on_description(struct decoder *m, struct frame *frame, struct arena *a)
{
	if (m->building != NULL || m->phase == DECODER_WELCOME)
		return GCS_STATE;
	if (!decoder_own_model(m))
		return GCS_NOMEM;
	m->model_changed = true;
	switch (frame->kind) {
	case GCS_WIRE_INFO:
		return on_info(m, &frame->payload, a);
	case GCS_WIRE_EVENTS:
		return on_events(m, &frame->payload, a);
	case GCS_WIRE_GROUPS:
		return on_groups(m, &frame->payload, a);
	case GCS_WIRE_PLUGINS:
		return on_plugins(m, &frame->payload, a);
	case GCS_WIRE_SPACE:
		return on_space(m, &frame->payload, a);
	default:
		return on_space_gone(m, &frame->payload);
	}
}

void decoder_report_model(struct decoder *m)
{
	if (!m->model_changed || m->phase != DECODER_LIVE)
		return;
	m->model_changed = false;
	m->model_shared = true;
	m->events->model(m->context, m->model);
}

static enum gcs_status on_welcome(struct decoder *m, struct rd *r, struct arena *a)
{
	struct welcome welcome;
	if (m->phase != DECODER_WELCOME)
		return GCS_STATE;
	if (!get_welcome(r, a, &welcome))
		return r->status;
	m->keep_alive_ms = welcome.keep_alive_ms;
	m->model = gcs_model_create(welcome.name);
	m->phase = DECODER_BOOTSTRAP;
	return m->model == NULL ? GCS_NOMEM : GCS_OK;
}

static enum gcs_status on_ready(struct decoder *m)
{
	if (m->phase != DECODER_BOOTSTRAP)
		return GCS_STATE;
	m->phase = DECODER_LIVE;
	m->model_changed = false;
	m->model_shared = true;
	m->events->ready(m->context, m->model);
	return GCS_OK;
}

static enum gcs_status on_state(struct decoder *m, struct rd *r)
{
	struct state_message state;
	decoder_report_model(m);
	if (get_state(r, &state) && m->events->state != NULL)
		m->events->state(m->context, &state);
	return r->status;
}

static enum gcs_status on_notice(struct decoder *m, struct rd *r, struct arena *a)
{
	const char *message;
	if (get_notice(r, a, &message) && m->events->notice != NULL)
		m->events->notice(m->context, message);
	return r->status;
}

static enum gcs_status on_position(struct decoder *m, struct rd *r)
{
	struct gcs_position position;
	if (get_position(r, &position) && m->events->position != NULL)
		m->events->position(m->context, &position);
	return r->status;
}

static enum gcs_status on_answer(struct decoder *m, struct rd *r, struct arena *a)
{
	struct answer_message answer;
	/* The answer may name a new space. */
	decoder_report_model(m);
	if (get_answer(r, a, &answer) && m->events->answer != NULL)
		m->events->answer(m->context, &answer);
	return r->status;
}

static enum gcs_status on_frame(struct decoder *m, struct frame *frame, struct arena *a)
{
	if (m->other_version && frame->kind != GCS_WIRE_BYE)
		return GCS_VERSION;
	switch (frame->kind) {
	case GCS_WIRE_WELCOME:
		return on_welcome(m, &frame->payload, a);
	case GCS_WIRE_BYE:
		on_bye(m, &frame->payload, a);
		return frame->payload.status;
	case GCS_WIRE_INFO:
	case GCS_WIRE_EVENTS:
	case GCS_WIRE_GROUPS:
	case GCS_WIRE_PLUGINS:
	case GCS_WIRE_SPACE:
	case GCS_WIRE_SPACE_GONE:
		return on_description(m, frame, a);
	case GCS_WIRE_READY:
		return on_ready(m);
	case GCS_WIRE_BEGIN:
	case GCS_WIRE_TILES:
	case GCS_WIRE_NAMES:
	case GCS_WIRE_STREAM:
	case GCS_WIRE_INCR_STREAM:
	case GCS_WIRE_SUMMARY:
	case GCS_WIRE_SPACE_INFO:
	case GCS_WIRE_COUNTERS:
	case GCS_WIRE_FIRE_TRIGGER:
	case GCS_WIRE_END:
		return m->phase == DECODER_LIVE ? decoder_snapshot(m, frame, a) : GCS_STATE;
	case GCS_WIRE_STATE:
		return m->phase == DECODER_LIVE ? on_state(m, &frame->payload) : GCS_STATE;
	case GCS_WIRE_NOTICE:
		return on_notice(m, &frame->payload, a);
	case GCS_WIRE_ANSWER:
		return m->phase == DECODER_LIVE ? on_answer(m, &frame->payload, a) : GCS_STATE;
	case GCS_WIRE_POSITION:
		return m->phase == DECODER_LIVE ? on_position(m, &frame->payload) : GCS_STATE;
	case GCS_WIRE_PONG:
		return GCS_OK;
	default:
		return (frame->flags & GCS_WIRE_MUST) != 0 ? GCS_VERSION : GCS_OK;
	}
}

static size_t take_preamble(struct decoder *m)
{
	unsigned major;
	/* A foreign peer is recognised by its first bytes; it may never send eight. */
	size_t known = m->in.length < 4 ? m->in.length : 4;
	if (memcmp(m->in.data, GCS_WIRE_MAGIC, known) != 0) {
		decoder_end(m, GCS_FOREIGN,
		    "the peer is not a GCspy server: it answered with something else");
		return 0;
	}
	if (m->in.length < GCS_WIRE_PREAMBLE)
		return 0;
	/* A server of another version still sends BYE in a common form, with the reason. */
	m->other_version = frame_check_preamble(m->in.data, &major, &m->minor) != GCS_OK;
	m->phase = DECODER_WELCOME;
	return GCS_WIRE_PREAMBLE;
}

static bool take_frame(struct decoder *m, size_t *used)
{
	struct frame frame;
	enum gcs_status status = frame_next(
	    m->in.data + *used, m->in.length - *used, GCS_WIRE_MAX_TO_CLIENT, m->inflater, &frame);
	if (status == GCS_TRUNCATED)
		return false;
	if (status == GCS_MALFORMED && m->inflater == NULL &&
	    (m->inflater = inflater_create()) != NULL)
		return true; /* the first deflated frame: retry with an inflater */
	if (status == GCS_OK) {
		struct arena arena = {0};
		const unsigned before = out_of_memory_count();
		*used += frame.bytes;
		status = on_frame(m, &frame, &arena);
		if (status != GCS_OK && out_of_memory_count() != before)
			status = GCS_NOMEM;
		arena_fini(&arena);
	}
	if (status != GCS_OK && m->phase != DECODER_ENDED)
		malformed(m, frame.kind, status);
	return m->phase != DECODER_ENDED;
}

static size_t native_input(struct decoder *m)
{
	size_t used = m->phase == DECODER_PREAMBLE ? take_preamble(m) : 0;
	if (m->phase != DECODER_PREAMBLE && m->phase != DECODER_ENDED)
		while (take_frame(m, &used))
			continue;
	return used;
}

static void native_fini(struct decoder *m)
{
	inflater_destroy(m->inflater);
}

const struct decoder_dialect native_decoder = {
    .name = "GCspy 1", .input = native_input, .fini = native_fini};

void decoder_input(struct decoder *m, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	while (length != 0 && m->phase != DECODER_ENDED) {
		size_t room = m->in.limit - m->in.length;
		size_t part = length < room ? length : room;
		wr_bytes(&m->in, at, part);
		at += part;
		length -= part;
		if (m->in.status != GCS_OK) {
			decoder_end(m, GCS_NOMEM, "no memory for the server's messages");
			return;
		}
		wr_consume(&m->in, m->dialect->input(m));
	}
	if (m->phase == DECODER_LIVE && m->building == NULL)
		decoder_report_model(m);
}
