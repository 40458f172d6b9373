/* The commands of a client, after its hello. */

#include <stdio.h>

#include "session_native.h"

void session_malformed(struct session *s, unsigned kind, enum gcs_status status)
{
	char message[120];
	snprintf(message, sizeof message, "bad message %s: %s", frame_kind_name(kind),
	    gcs_status_text(status));
	session_bye(s, status == GCS_VERSION ? BYE_VERSION : BYE_MALFORMED, message);
}

static void on_collapse(struct session *s, struct rd *r)
{
	bool group, collapsed;
	uint32_t id;
	if (!get_collapse(r, &group, &id, &collapsed))
		return;
	uint32_t *bits = group ? s->closed_groups : s->closed_spaces;
	uint32_t mask = (uint32_t)1 << id % 32;
	if (collapsed)
		bits[id / 32] |= mask;
	else
		bits[id / 32] &= ~mask;
	s->host->collapsed(s->context, !collapsed);
}

static void on_filter(struct session *s, struct rd *r)
{
	uint32_t event;
	struct gcs_filter filter;
	if (!get_filter(r, &event, &filter))
		return;
	if (event >= s->model->event_count)
		rd_fail(r, GCS_MALFORMED);
	else
		s->host->filter(s->context, event, &filter);
}

static void on_pace(struct session *s, struct rd *r)
{
	enum gcs_pace pace;
	uint32_t interval;
	if (get_pace(r, &pace, &interval))
		s->host->pace(s->context, pace, interval);
}

static void on_query(struct session *s, struct rd *r)
{
	struct arena arena = {0};
	struct query_message query;
	if (get_query(r, &arena, &query))
		s->host->query(s->context, &query);
	arena_fini(&arena);
}

static void on_zoom(struct session *s, struct rd *r)
{
	struct zoom_message zoom;
	if (get_zoom(r, &zoom))
		s->host->zoom(s->context, &zoom);
}

static void on_set(struct session *s, struct rd *r)
{
	struct arena arena = {0};
	struct set_message set;
	if (get_set(r, &arena, &set))
		s->host->set(s->context, &set);
	arena_fini(&arena);
}

static void on_trigger(struct session *s, struct rd *r)
{
	struct arena arena = {0};
	struct trigger_message trigger;
	if (get_trigger(r, &arena, &trigger) && s->host->trigger != NULL)
		s->host->trigger(s->context, &trigger);
	arena_fini(&arena);
}

static void on_interest(struct session *s, struct rd *r)
{
	struct interest_message interest;
	if (!get_interest(r, &interest))
		return;
	const struct gcs_model *m = s->model;
	if (interest.event >= m->event_count ||
	    interest.attribute >= m->events[interest.event].attribute_count)
		rd_fail(r, GCS_MALFORMED);
	else if (s->host->interest != NULL)
		s->host->interest(s->context, &interest);
}

static void on_seek(struct session *s, struct rd *r)
{
	struct gcs_seek seek;
	if (get_seek(r, &seek) && s->host->seek != NULL)
		s->host->seek(s->context, &seek);
}

/* Unsent bytes above which pings are no longer answered. */
enum { PONG_UP_TO = 64 * 1024 };

void session_command(struct session *s, struct frame *frame)
{
	struct rd *r = &frame->payload;
	switch (frame->kind) {
	case GCS_WIRE_PAUSE:
		s->host->pause(s->context);
		break;
	case GCS_WIRE_RESUME: {
		bool everyone = rd_u8(r) != 0;
		if (r->status == GCS_OK)
			s->host->resume(s->context, everyone);
		break;
	}
	case GCS_WIRE_STEP:
		s->host->step(s->context);
		break;
	case GCS_WIRE_FILTER:
		on_filter(s, r);
		break;
	case GCS_WIRE_PACE:
		on_pace(s, r);
		break;
	case GCS_WIRE_ACK: {
		uint64_t sequence = rd_varint(r);
		if (r->status == GCS_OK)
			s->host->ack(s->context, sequence);
		break;
	}
	case GCS_WIRE_COLLAPSE:
		on_collapse(s, r);
		break;
	case GCS_WIRE_QUERY:
		on_query(s, r);
		break;
	case GCS_WIRE_ZOOM:
		on_zoom(s, r);
		break;
	case GCS_WIRE_SET:
		on_set(s, r);
		break;
	case GCS_WIRE_TRIGGER:
		on_trigger(s, r);
		break;
	case GCS_WIRE_INTEREST:
		on_interest(s, r);
		break;
	case GCS_WIRE_SEEK:
		on_seek(s, r);
		break;
	case GCS_WIRE_PING: {
		/* Answers to a client that only sends must not accumulate. */
		uint64_t number = rd_varint(r);
		if (s->out.length < PONG_UP_TO)
			put_number(&s->out, GCS_WIRE_PONG, number);
		break;
	}
	case GCS_WIRE_CLOSE:
		snprintf(s->why, sizeof s->why, "it disconnected");
		s->phase = SESSION_CLOSING;
		break;
	default:
		if ((frame->flags & GCS_WIRE_MUST) != 0)
			rd_fail(r, GCS_VERSION);
		break;
	}
	if (r->status != GCS_OK)
		session_malformed(s, frame->kind, r->status);
}
