#include "session.h"

#include <stdio.h>
#include <string.h>

#include "model_internal.h"
#include "session_native.h"

void session_init(struct session *s, const struct session_host *host, void *context)
{
	*s = (struct session){.host = host, .context = context, .phase = SESSION_OPENING};
	wr_init(&s->in, GCS_WIRE_MAX_TO_SERVER + GCS_WIRE_HEADER);
	wr_init(&s->out, SESSION_MAX_OUT);
}

void session_fini(struct session *s)
{
	if (s->dialect != NULL)
		s->dialect->fini(s);
	wr_fini(&s->in);
	wr_fini(&s->out);
	deflater_destroy(s->deflater);
	gcs_model_unref(s->model);
	gcs_snapshot_unref(s->base);
	*s = (struct session){.phase = SESSION_CLOSING};
}

/* Closes without a goodbye. */
static void reject(struct session *s, const char *why)
{
	snprintf(s->why, sizeof s->why, "%s", why);
	s->phase = SESSION_CLOSING;
}

static void choose_dialect(struct session *s)
{
	for (const struct dialect *const *d = s->host->dialects; *d != NULL; d++)
		if (memcmp(s->in.data, (*d)->first, sizeof((*d)->first)) == 0)
			s->dialect = *d;
	if (s->dialect == NULL)
		reject(s, "it does not speak GCspy's protocol");
	else
		s->phase = SESSION_HELLO;
}

void session_input(struct session *s, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	while (length != 0 && s->phase != SESSION_CLOSING) {
		/* Buffers at most one message. */
		size_t room = s->in.limit - s->in.length;
		size_t part = length < room ? length : room;
		wr_bytes(&s->in, at, part);
		at += part;
		length -= part;
		if (s->in.status != GCS_OK) {
			reject(s, "no memory for its messages");
			return;
		}
		if (s->dialect == NULL && s->in.length >= sizeof s->dialect->first)
			choose_dialect(s);
		if (s->dialect == NULL || s->phase == SESSION_CLOSING)
			continue;
		size_t used = s->dialect->input(s, s->in.data, s->in.length);
		wr_consume(&s->in, used);
		if (used == 0 && s->in.length == s->in.limit)
			reject(s, "it sent a message over the limit");
	}
}

void session_model(struct session *s, struct gcs_model *model)
{
	if (s->phase == SESSION_READY && s->model != model)
		s->dialect->model(s, model);
}

void session_snapshot(struct session *s, const struct gcs_snapshot *snapshot, uint64_t missed)
{
	if (s->phase == SESSION_READY)
		s->dialect->snapshot(s, snapshot, missed);
}

void session_state(struct session *s, const struct state_message *state)
{
	if (s->phase == SESSION_READY)
		s->dialect->state(s, state);
}

void session_notice(struct session *s, const char *message)
{
	if (s->phase == SESSION_READY)
		s->dialect->notice(s, message);
}

void session_answer(struct session *s, const struct answer_message *answer)
{
	if (s->phase == SESSION_READY && s->dialect->answer != NULL)
		s->dialect->answer(s, answer);
}

void session_position(struct session *s, const struct gcs_position *position)
{
	if (s->phase == SESSION_READY && s->dialect->position != NULL)
		s->dialect->position(s, position);
}

void session_bye(struct session *s, enum bye_reason reason, const char *message)
{
	if (s->phase == SESSION_CLOSING)
		return;
	snprintf(s->why, sizeof s->why, "%s", message);
	if (s->dialect != NULL)
		s->dialect->bye(s, reason, message);
	s->phase = SESSION_CLOSING;
}

void session_set_times(struct session *s, struct gcs_occurrence *o)
{
	/* The answer to a state request may be published before an earlier event. */
	bool later =
	    s->last_time_ns != 0 && o->time_ns > s->last_time_ns && o->cost_ns >= s->last_cost_ns;
	o->elapsed_ns = later ? o->time_ns - s->last_time_ns : 0;
	o->compensation_ns = later ? o->cost_ns - s->last_cost_ns : 0;
	s->last_time_ns = o->time_ns;
	s->last_cost_ns = o->cost_ns;
}

static bool bit(const uint32_t *bits, uint32_t i)
{
	return (bits[i / 32] >> i % 32 & 1) != 0;
}

bool session_hides(const struct session *s, const struct gcs_model *model, uint32_t space)
{
	if (space >= model->space_count || bit(s->closed_spaces, space))
		return space < model->space_count;
	for (uint32_t g = model->spaces[space].group; g != GCS_NONE; g = model->groups[g].parent)
		if (bit(s->closed_groups, g))
			return true;
	return false;
}
