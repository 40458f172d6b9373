#include "pair.h"

#include <stdio.h>
#include <string.h>

#include "kit.h"
#include "session_2002.h"
#include "session_native.h"

static bool admit(
    void *context, const struct hello *hello, enum bye_reason *reason, const char **message)
{
	struct pair *p = context;
	(void)hello;
	*reason = BYE_FULL;
	*message = "not today";
	return !p->refuse;
}

static void ready(void *context)
{
	struct pair *p = context;
	p->readies++;
}

static void pause_program(void *context)
{
	struct pair *p = context;
	p->pauses++;
}

static void resume(void *context, bool everyone)
{
	struct pair *p = context;
	p->resumes++;
	p->everyone = everyone;
}

static void step(void *context)
{
	struct pair *p = context;
	p->steps++;
}

static void filter(void *context, uint32_t event, const struct gcs_filter *f)
{
	struct pair *p = context;
	p->filters++;
	p->event = event;
	p->filter = *f;
}

static void pace(void *context, enum gcs_pace how, uint32_t interval_ms)
{
	struct pair *p = context;
	p->paces++;
	p->pace = how;
	p->interval_ms = interval_ms;
}

static void ack(void *context, uint64_t sequence)
{
	struct pair *p = context;
	p->acks++;
	p->acked = sequence;
}

static void collapsed(void *context, bool opened)
{
	struct pair *p = context;
	(void)opened;
	p->collapses++;
}

/* Both kinds of questions are answered at once with what was asked. */
static void answer(struct pair *p, uint32_t id, const char *message, const char *text)
{
	struct answer_message a = {.id = id, .last = true, .message = message};
	a.bytes = (const uint8_t *)text;
	a.length = strlen(text);
	a.total = (uint32_t)a.length;
	session_answer(&p->session, &a);
}

static void query(void *context, const struct query_message *q)
{
	struct pair *p = context;
	p->queries++;
	p->parameters = q->count;
	snprintf(p->topic, sizeof p->topic, "%s", q->topic);
	if (q->count != 0) {
		const struct gcs_info *last = &q->parameters[q->count - 1];
		snprintf(p->key, sizeof p->key, "%s", last->key);
		snprintf(p->value, sizeof p->value, "%s", last->value);
	}
	answer(p, q->id, "asked", q->topic);
}

static void set(void *context, const struct set_message *s)
{
	struct pair *p = context;
	p->sets++;
	snprintf(p->key, sizeof p->key, "%s", s->key);
	snprintf(p->value, sizeof p->value, "%s", s->value);
	answer(p, s->id, "set", s->value);
}

static void zoom(void *context, const struct zoom_message *z)
{
	struct pair *p = context;
	p->zooms++;
	p->zoom = *z;
	answer(p, z->id, "zoomed", "");
}

static struct gcs_model *model(void *context)
{
	struct pair *p = context;
	return gcs_model_ref(p->model);
}

static uint32_t keep_alive_ms(void *context)
{
	(void)context;
	return 1234;
}

static const struct dialect *const dialects[] = {&native_dialect, &dialect_2002, NULL};

static const struct session_host host = {
    .dialects = dialects,
    .admit = admit,
    .ready = ready,
    .pause = pause_program,
    .resume = resume,
    .step = step,
    .filter = filter,
    .pace = pace,
    .ack = ack,
    .collapsed = collapsed,
    .query = query,
    .zoom = zoom,
    .set = set,
    .model = model,
    .keep_alive_ms = keep_alive_ms,
};

static void keep_model(struct pair *p, struct gcs_model *m)
{
	gcs_model_unref(p->seen_model);
	p->seen_model = gcs_model_ref(m);
}

static void on_ready(void *context, struct gcs_model *m)
{
	keep_model(context, m);
}

static void on_model(void *context, struct gcs_model *m)
{
	struct pair *p = context;
	p->models++;
	keep_model(p, m);
}

static void on_snapshot(void *context, struct gcs_snapshot *snapshot)
{
	struct pair *p = context;
	gcs_snapshot_unref(p->received);
	p->received = gcs_snapshot_ref(snapshot);
	p->snapshots++;
}

static void on_state(void *context, const struct state_message *state)
{
	struct pair *p = context;
	p->state = *state;
}

static void on_notice(void *context, const char *message)
{
	struct pair *p = context;
	snprintf(p->notice, sizeof p->notice, "%s", message);
}

static void on_answer(void *context, const struct answer_message *a)
{
	struct pair *p = context;
	p->answers++;
	p->answer = *a;
	snprintf(p->answer_text, sizeof p->answer_text, "%s", a->message);
	snprintf(p->answer_bytes, sizeof p->answer_bytes, "%.*s", (int)a->length,
	    (const char *)a->bytes);
	p->answer.message = NULL;
	p->answer.bytes = NULL;
}

static const struct decoder_events events = {
    .ready = on_ready,
    .model = on_model,
    .snapshot = on_snapshot,
    .state = on_state,
    .notice = on_notice,
    .answer = on_answer,
};

void pair_init(struct pair *p, struct gcs_model *m)
{
	*p = (struct pair){.model = m};
	session_init(&p->session, &host, p);
	decoder_init(&p->decoder, &events, p);
}

void pair_fini(struct pair *p)
{
	session_fini(&p->session);
	decoder_fini(&p->decoder);
	gcs_model_unref(p->seen_model);
	gcs_snapshot_unref(p->received);
}

void pair_flow(struct pair *p)
{
	struct wr *out = &p->session.out;
	size_t at = 0;
	while (at < out->length) {
		size_t part = out->length - at;
		if (p->random != 0)
			part = 1 + kit_below(&p->random, part < 3000 ? (uint32_t)part : 3000);
		decoder_input(&p->decoder, out->data + at, part);
		at += part;
	}
	wr_consume(out, out->length);
}

void pair_command(struct pair *p, const struct wr *frames)
{
	session_input(&p->session, frames->data, frames->length);
}

void pair_greet(struct pair *p, uint32_t flags)
{
	struct wr w;
	struct hello hello = {.flags = flags, .name = "pair", .token = "t"};
	wr_init(&w, 1000);
	frame_preamble(&w);
	put_hello(&w, &hello);
	pair_command(p, &w);
	wr_fini(&w);
	pair_flow(p);
}
