/* The functions of a client: opening and closing, readers, commands. */

#include "client_internal.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "now.h"
#include "reserved.h"
#include "thread.h"

enum { DEFAULT_TIMEOUT_MS = 5000, DEFAULT_QUEUE = 64 };

/* Bytes of commands to be sent: far more than a user can cause. */
#define MAX_COMMANDS_BYTES ((size_t)1 << 20)

void client_tell(struct gcs_client *c)
{
	if (c->options.changed != NULL)
		c->options.changed(c->options.context);
}

/* Construction. */

static bool start(struct gcs_client *c, struct gcs_error *err)
{
	bool ok = pthread_mutex_init(&c->lock, NULL) == 0;
	if (ok && !thread_cond_init(&c->changed)) {
		pthread_mutex_destroy(&c->lock);
		ok = false;
	}
	if (ok && !thread_start(&c->thread, "gcspy-client", client_read, c)) {
		pthread_cond_destroy(&c->changed);
		pthread_mutex_destroy(&c->lock);
		ok = false;
	}
	if (!ok)
		gcs_fail(err, GCS_NOMEM, "cannot start the client's thread");
	return ok;
}

static void release(struct gcs_client *c)
{
	while (c->queue_count != 0)
		gcs_snapshot_unref(client_take_first(c));
	gcs_free(c->queue);
	client_forget_questions(c);
	gcs_snapshot_unref(c->latest);
	gcs_model_unref(c->model);
	decoder_fini(&c->decoder);
	wr_fini(&c->out);
	net_close(c->wake[0]);
	net_close(c->wake[1]);
	gcs_free(c->served);
	gcs_free(c->token);
	gcs_free(c->name);
	gcs_free(c);
}

struct gcs_client *gcs_client_open(const struct gcs_client_options *options, struct gcs_error *err)
{
	static const char prefix[] = "2002:";
	struct net_address address;
	if (RESERVED_CHECK("the options of a client", options, err) != GCS_OK)
		return NULL;
	const char *text = options->address;
	if (text == NULL) {
		gcs_fail(err, GCS_ARGUMENT, "the address is missing: HOST:PORT or unix:PATH");
		return NULL;
	}
	bool old = options->of_2002 || strncmp(text, prefix, sizeof prefix - 1) == 0;
	if (strncmp(text, prefix, sizeof prefix - 1) == 0)
		text += sizeof prefix - 1;
	struct served_address served;
	const bool is_served = served_address_is(text);
	if (is_served ? !served_address_parse(text, &served, err) : !net_parse(text, &address, err))
		return NULL;
	if (old && is_served) {
		gcs_fail(err, GCS_ARGUMENT, "gcspy serve has no servers of 2002");
		return NULL;
	}
	if (old && options->token != NULL && options->token[0] != '\0') {
		gcs_fail(err, GCS_ARGUMENT, "a server of 2002 does not use a token");
		return NULL;
	}
	if (options->token != NULL && strlen(options->token) > CODEC_MAX_TOKEN) {
		gcs_fail(err, GCS_ARGUMENT, "the token has more than %u bytes", CODEC_MAX_TOKEN);
		return NULL;
	}
	if (options->name != NULL && strlen(options->name) > GCS_MAX_NAME) {
		gcs_fail(err, GCS_ARGUMENT, "the name has more than %u bytes", GCS_MAX_NAME);
		return NULL;
	}
	struct gcs_client *c = gcs_zalloc(sizeof *c);
	if (c == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for a client");
		return NULL;
	}
	c->options = *options;
	c->options.address = NULL;
	if (is_served) {
		c->served = gcs_alloc(sizeof *c->served);
		if (c->served != NULL)
			*c->served = served;
	} else {
		c->address = address;
	}
	c->client_dialect = old ? &client_dialect_2002 : &client_dialect_native;
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		c->filters[i] = (struct gcs_filter){.enabled = true, .period = 1};
	c->fd = c->wake[0] = c->wake[1] = -1;
	if (c->options.connect_timeout_ms == 0)
		c->options.connect_timeout_ms = DEFAULT_TIMEOUT_MS;
	if (c->options.queue_limit == 0)
		c->options.queue_limit = DEFAULT_QUEUE;
	decoder_init(&c->decoder, &client_decoder_events, c);
	decoder_choose(&c->decoder, c->client_dialect->decoder);
	wr_init(&c->out, MAX_COMMANDS_BYTES);
	c->token = gcs_strdup(options->token == NULL ? "" : options->token);
	c->name = gcs_strdup(options->name == NULL ? "" : options->name);
	c->queue = gcs_zalloc(c->options.queue_limit * sizeof c->queue[0]);
	if (c->token == NULL || c->name == NULL || c->queue == NULL ||
	    (is_served && c->served == NULL) || !net_pipe(c->wake)) {
		gcs_fail(err, GCS_NOMEM, "no memory or descriptors for a client");
		release(c);
		return NULL;
	}
	if (!start(c, err)) {
		release(c);
		return NULL;
	}
	return c;
}

void gcs_client_close(struct gcs_client *c)
{
	if (c == NULL)
		return;
	pthread_mutex_lock(&c->lock);
	c->closing = true;
	pthread_mutex_unlock(&c->lock);
	net_wake(c->wake[1]);
	pthread_join(c->thread, NULL);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	release(c);
}

/* Readers. */

enum gcs_client_state gcs_client_state(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	enum gcs_client_state state = c->state;
	pthread_mutex_unlock(&c->lock);
	return state;
}

void gcs_client_error(struct gcs_client *c, struct gcs_error *err)
{
	pthread_mutex_lock(&c->lock);
	*err = c->error;
	pthread_mutex_unlock(&c->lock);
}

enum gcs_client_state gcs_client_wait(struct gcs_client *c, uint32_t timeout_ms)
{
	uint64_t deadline = now_ns() + (uint64_t)timeout_ms * 1000000u;
	pthread_mutex_lock(&c->lock);
	while (
	    c->state == GCS_CLIENT_CONNECTING && thread_cond_until(&c->changed, &c->lock, deadline))
		continue;
	enum gcs_client_state state = c->state;
	pthread_mutex_unlock(&c->lock);
	return state;
}

struct gcs_model *gcs_client_model(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	struct gcs_model *model = gcs_model_ref(c->model);
	pthread_mutex_unlock(&c->lock);
	return model;
}

struct gcs_snapshot *gcs_client_latest(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	struct gcs_snapshot *newest = gcs_snapshot_ref(c->latest);
	pthread_mutex_unlock(&c->lock);
	return newest;
}

struct gcs_snapshot *gcs_client_next(struct gcs_client *c, uint32_t timeout_ms)
{
	uint64_t deadline = now_ns() + (uint64_t)timeout_ms * 1000000u;
	struct gcs_snapshot *next = NULL;
	pthread_mutex_lock(&c->lock);
	while (c->queue_count == 0 && c->state != GCS_CLIENT_LOST && timeout_ms != 0 &&
	       thread_cond_until(&c->changed, &c->lock, deadline))
		continue;
	const bool was_many =
	    c->options.every_snapshot && c->queue_count >= c->options.queue_limit / 2;
	if (c->queue_count != 0) {
		next = client_take_first(c);
		c->overrun_before = c->overrun;
	}
	pthread_mutex_unlock(&c->lock);
	if (was_many)
		net_wake(c->wake[1]); /* the reader thread may have stopped reading */
	return next;
}

uint64_t gcs_client_overrun(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	uint64_t overrun = c->overrun_before;
	pthread_mutex_unlock(&c->lock);
	return overrun;
}

enum gcs_run_state gcs_client_run_state(struct gcs_client *c, bool *own, uint32_t *others)
{
	pthread_mutex_lock(&c->lock);
	struct state_message run = c->run;
	pthread_mutex_unlock(&c->lock);
	if (own != NULL)
		*own = run.own;
	if (others != NULL)
		*others = run.others;
	return run.run;
}

uint32_t gcs_client_notice(struct gcs_client *c, char *buffer, size_t size)
{
	pthread_mutex_lock(&c->lock);
	snprintf(buffer, size, "%s", c->notice);
	uint32_t number = c->notice_number;
	pthread_mutex_unlock(&c->lock);
	return number;
}

bool gcs_client_of_2002(const struct gcs_client *c)
{
	return !c->client_dialect->native;
}

uint64_t gcs_client_received(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	uint64_t received = c->received;
	pthread_mutex_unlock(&c->lock);
	return received;
}

/* Commands. */

bool client_begin(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	if (c->state == GCS_CLIENT_LIVE)
		return true;
	pthread_mutex_unlock(&c->lock);
	return false;
}

enum gcs_status client_end(struct gcs_client *c)
{
	enum gcs_status status = c->out.status;
	pthread_mutex_unlock(&c->lock);
	net_wake(c->wake[1]);
	return status;
}

enum gcs_status gcs_client_pause(struct gcs_client *c)
{
	if (!client_begin(c))
		return GCS_STATE;
	if (!c->client_dialect->native)
		client_set_run_state(c, inferred_state_pause(&c->inferred_state));
	c->client_dialect->pause(&c->out);
	return client_end(c);
}

enum gcs_status gcs_client_step(struct gcs_client *c)
{
	if (!client_begin(c))
		return GCS_STATE;
	bool play = true;
	if (!c->client_dialect->native)
		client_set_run_state(c, inferred_state_step(&c->inferred_state, &play));
	if (play)
		c->client_dialect->step(&c->out);
	else
		c->client_dialect->pause(&c->out);
	return client_end(c);
}

enum gcs_status gcs_client_resume(struct gcs_client *c, bool everyone)
{
	if (!client_begin(c))
		return GCS_STATE;
	if (!c->client_dialect->native)
		client_set_run_state(c, inferred_state_resume(&c->inferred_state));
	c->client_dialect->resume(&c->out, everyone);
	return client_end(c);
}

enum gcs_status gcs_client_set_filter(
    struct gcs_client *c, uint32_t event, const struct gcs_filter *filter)
{
	if (filter->delay_ms > CODEC_MAX_DELAY_MS || filter->period == 0 ||
	    filter->period > CODEC_MAX_PERIOD)
		return GCS_ARGUMENT;
	if (!client_begin(c))
		return GCS_STATE;
	if (event >= c->model->event_count) {
		pthread_mutex_unlock(&c->lock);
		return GCS_ARGUMENT;
	}
	c->filters[event] = *filter;
	c->client_dialect->filter(&c->out, event, c->model->event_count, c->filters);
	return client_end(c);
}

enum gcs_status gcs_client_set_pace(struct gcs_client *c, enum gcs_pace pace, uint32_t interval_ms)
{
	if ((unsigned)pace >= GCS_PACE_COUNT || interval_ms > CODEC_MAX_INTERVAL_MS)
		return GCS_ARGUMENT;
	if (!c->client_dialect->native)
		return GCS_UNSUPPORTED;
	if (!client_begin(c))
		return GCS_STATE;
	put_pace(&c->out, pace, interval_ms);
	return client_end(c);
}

enum gcs_status gcs_client_ack(struct gcs_client *c, uint64_t sequence)
{
	if (!c->client_dialect->native)
		return GCS_UNSUPPORTED;
	if (!client_begin(c))
		return GCS_STATE;
	put_number(&c->out, GCS_WIRE_ACK, sequence);
	return client_end(c);
}

static enum gcs_status collapse(struct gcs_client *c, bool group, uint32_t id, bool collapsed)
{
	if (!c->client_dialect->native)
		return GCS_UNSUPPORTED;
	if (!client_begin(c))
		return GCS_STATE;
	if (id >= (group ? c->model->group_count : c->model->space_count)) {
		pthread_mutex_unlock(&c->lock);
		return GCS_ARGUMENT;
	}
	put_collapse(&c->out, group, id, collapsed);
	return client_end(c);
}

enum gcs_status gcs_client_collapse_group(struct gcs_client *c, uint32_t group, bool collapsed)
{
	return collapse(c, true, group, collapsed);
}

enum gcs_status gcs_client_collapse_space(struct gcs_client *c, uint32_t space, bool collapsed)
{
	return collapse(c, false, space, collapsed);
}

bool gcs_client_position(struct gcs_client *c, struct gcs_position *position)
{
	pthread_mutex_lock(&c->lock);
	*position = c->position;
	pthread_mutex_unlock(&c->lock);
	return position->events != 0;
}

enum gcs_status gcs_client_seek(struct gcs_client *c, const struct gcs_seek *seek)
{
	if (!client_begin(c))
		return GCS_STATE;
	const bool replays = c->position.events != 0;
	if (replays)
		put_seek(&c->out, seek);
	const enum gcs_status status = client_end(c);
	return replays ? status : GCS_UNSUPPORTED;
}
