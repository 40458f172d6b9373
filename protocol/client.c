#include <gcspy/client.h>

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "mirror.h"
#include "net.h"
#include "thread.h"

/* Most memory that snapshots wait with for gcs_client_next, whatever the server sends. */
#define QUEUE_BYTES ((size_t)256 << 20)

enum { DEFAULT_TIMEOUT_MS = 5000, DEFAULT_QUEUE = 64, READ_BYTES = 65536 };

/* Commands that wait to be sent: far more than a person can give. */
#define MAX_COMMANDS_BYTES ((size_t)1 << 20)

struct gcs_client {
	struct gcs_client_options options;
	char *token, *name;
	struct net_address address;
	int wake[2];
	pthread_t thread;

	/* The reader thread's own. */
	int fd;
	struct mirror mirror;
	uint64_t heard_ns;
	uint64_t pinged_ns;

	pthread_mutex_t lock; /* the rest */
	pthread_cond_t changed;
	bool closing;
	enum gcs_client_state state;
	struct gcs_error error;
	struct gcs_model *model;
	struct gcs_snapshot *latest;
	struct gcs_snapshot **queue;
	uint32_t queue_first, queue_count;
	size_t queue_bytes;
	uint64_t overrun;
	struct state_message run;
	char notice[GCS_MAX_TEXT + 1];
	uint32_t notice_number;
	struct wr out; /* frames to send */
	uint64_t received;
};

static void tell(struct gcs_client *c)
{
	if (c->options.changed != NULL)
		c->options.changed(c->options.context);
}

/* What the mirror has understood. On the reader thread. */

static void keep_model(struct gcs_client *c, struct gcs_model *model)
{
	pthread_mutex_lock(&c->lock);
	struct gcs_model *old = c->model;
	c->model = gcs_model_ref(model);
	pthread_mutex_unlock(&c->lock);
	gcs_model_unref(old);
}

static void on_ready(void *context, struct gcs_model *model)
{
	struct gcs_client *c = context;
	keep_model(c, model);
	pthread_mutex_lock(&c->lock);
	c->state = GCS_CLIENT_LIVE;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	tell(c);
}

static void on_model(void *context, struct gcs_model *model)
{
	keep_model(context, model);
	tell(context);
}

/* With the lock held; the caller's reference. */
static struct gcs_snapshot *take_first(struct gcs_client *c)
{
	struct gcs_snapshot *first = c->queue[c->queue_first];
	c->queue_first = (c->queue_first + 1) % c->options.queue_limit;
	c->queue_count--;
	c->queue_bytes -= first->own_bytes;
	return first;
}

static void on_snapshot(void *context, struct gcs_snapshot *snapshot)
{
	struct gcs_client *c = context;
	pthread_mutex_lock(&c->lock);
	struct gcs_snapshot *old = c->latest;
	c->latest = gcs_snapshot_ref(snapshot);
	while (c->queue_count != 0 && (c->queue_count == c->options.queue_limit ||
					  c->queue_bytes + snapshot->own_bytes > QUEUE_BYTES)) {
		gcs_snapshot_unref(take_first(c));
		c->overrun++;
	}
	c->queue[(c->queue_first + c->queue_count++) % c->options.queue_limit] =
	    gcs_snapshot_ref(snapshot);
	c->queue_bytes += snapshot->own_bytes;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	gcs_snapshot_unref(old);
	tell(c);
}

static void on_state(void *context, const struct state_message *state)
{
	struct gcs_client *c = context;
	pthread_mutex_lock(&c->lock);
	c->run = *state;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	tell(c);
}

static void on_notice(void *context, const char *words)
{
	struct gcs_client *c = context;
	pthread_mutex_lock(&c->lock);
	snprintf(c->notice, sizeof c->notice, "%s", words);
	c->notice_number++;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	tell(c);
}

static const struct mirror_events mirror_events = {
    .ready = on_ready,
    .model = on_model,
    .snapshot = on_snapshot,
    .state = on_state,
    .notice = on_notice,
};

/* The reader thread. */

static void lose(struct gcs_client *c, const struct gcs_error *why)
{
	pthread_mutex_lock(&c->lock);
	c->state = GCS_CLIENT_LOST;
	c->error = *why;
	c->run = (struct state_message){.run = GCS_RUNNING};
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	tell(c);
}

static void introduce(struct gcs_client *c)
{
	struct hello hello = {
	    .flags = (c->options.pause_at_start ? GCS_HELLO_PAUSE : 0) |
		     (c->options.compress ? GCS_HELLO_COMPRESS : 0) |
		     (c->options.every_snapshot ? GCS_HELLO_EVERY : 0),
	    .name = c->name,
	    .token = c->token,
	};
	pthread_mutex_lock(&c->lock);
	frame_preamble(&c->out);
	put_hello(&c->out, &hello);
	pthread_mutex_unlock(&c->lock);
}

static uint64_t keep_alive_ns(const struct gcs_client *c)
{
	uint64_t ms =
	    c->mirror.keep_alive_ms != 0 ? c->mirror.keep_alive_ms : c->options.connect_timeout_ms;
	return ms * 1000000u;
}

/* False when the connection is over. */
static bool transmit(struct gcs_client *c)
{
	bool ok = true;
	pthread_mutex_lock(&c->lock);
	size_t sent = 0;
	while (sent < c->out.length) {
		long n = net_write(c->fd, c->out.data + sent, c->out.length - sent);
		ok = n >= 0;
		if (n <= 0)
			break;
		sent += (size_t)n;
	}
	wr_consume(&c->out, sent);
	ok = ok && c->out.status == GCS_OK;
	pthread_mutex_unlock(&c->lock);
	return ok;
}

static bool receive(struct gcs_client *c, uint8_t *buffer)
{
	long n = net_read(c->fd, buffer, READ_BYTES);
	if (n <= 0)
		return n == 0;
	c->heard_ns = net_now_ns();
	pthread_mutex_lock(&c->lock);
	c->received += (uint64_t)n;
	pthread_mutex_unlock(&c->lock);
	mirror_input(&c->mirror, buffer, (size_t)n);
	return true;
}

/*
 * Says that we are alive often enough that two lost thirds of the limit do not end the connection.
 */
static void ping(struct gcs_client *c, uint64_t now)
{
	if (c->mirror.keep_alive_ms == 0 || now - c->pinged_ns < keep_alive_ns(c) / 3)
		return;
	c->pinged_ns = now;
	pthread_mutex_lock(&c->lock);
	put_number(&c->out, GCS_WIRE_PING, now);
	pthread_mutex_unlock(&c->lock);
}

static bool is_closing(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	bool closing = c->closing;
	pthread_mutex_unlock(&c->lock);
	return closing;
}

static void broken(struct gcs_client *c, struct gcs_error *why)
{
	bool live = c->mirror.phase == MIRROR_LIVE;
	if (c->mirror.phase == MIRROR_ENDED)
		*why = c->mirror.error;
	else if (live)
		gcs_fail(
		    why, GCS_CLOSED, "the server closed the connection: it ended or was killed");
	else
		gcs_fail(why, GCS_FOREIGN,
		    "the peer closed the connection without an answer: it is not a GCspy server, "
		    "or not one of this version");
}

static void silent(struct gcs_client *c, struct gcs_error *why)
{
	if (c->mirror.phase == MIRROR_LIVE)
		gcs_fail(why, GCS_TIMEOUT, "the server has been silent for %llu s",
		    (unsigned long long)(keep_alive_ns(c) / 1000000000u));
	else
		gcs_fail(why, GCS_FOREIGN,
		    "no answer within %u ms: the peer is not a GCspy server, or is stopped",
		    c->options.connect_timeout_ms);
}

/* A server may take so many times the limit for its first answer until its description is complete. */
enum { BOOTSTRAP_LIMITS = 6 };

/* Until the connection is over or the client is closed; true if there is something to tell. */
static bool converse(struct gcs_client *c, uint8_t *buffer, struct gcs_error *why)
{
	uint64_t begin = net_now_ns();
	uint64_t patience = (uint64_t)c->options.connect_timeout_ms * 1000000u * BOOTSTRAP_LIMITS;
	c->heard_ns = c->pinged_ns = begin;
	introduce(c);
	while (!is_closing(c)) {
		uint64_t now = net_now_ns();
		ping(c, now);
		if (!transmit(c) || c->mirror.phase == MIRROR_ENDED) {
			/* What the server said last may tell why. */
			if (c->mirror.phase != MIRROR_ENDED)
				(void)receive(c, buffer);
			broken(c, why);
			return true;
		}
		if (now - c->heard_ns >= keep_alive_ns(c)) {
			silent(c, why);
			return true;
		}
		if (c->mirror.phase != MIRROR_LIVE && now - begin >= patience) {
			gcs_fail(why, GCS_TIMEOUT,
			    "the server's description did not arrive within %llu s",
			    (unsigned long long)(patience / 1000000000u));
			return true;
		}
		pthread_mutex_lock(&c->lock);
		bool sending = c->out.length != 0;
		pthread_mutex_unlock(&c->lock);
		struct pollfd p[2] = {
		    {.fd = c->fd, .events = (short)(POLLIN | (sending ? POLLOUT : 0))},
		    {.fd = c->wake[0], .events = POLLIN}};
		uint64_t quiet = keep_alive_ns(c) / 3;
		if (poll(p, 2, (int)(quiet / 1000000u) + 1) < 0)
			continue;
		if (p[1].revents != 0)
			net_drain(c->wake[0]);
		if ((p[0].revents & ~POLLOUT) != 0 && !receive(c, buffer)) {
			broken(c, why);
			return true;
		}
	}
	return false;
}

static void *reader(void *context)
{
	struct gcs_client *c = context;
	struct gcs_error why = {.status = GCS_OK};
	uint8_t *buffer = gcs_alloc(READ_BYTES);
	if (buffer == NULL)
		gcs_fail(&why, GCS_NOMEM, "no memory to receive");
	else
		c->fd = net_connect(&c->address, c->options.connect_timeout_ms, c->wake[0], &why);
	bool lost = c->fd == -1 || converse(c, buffer, &why);
	if (lost)
		lose(c, &why);
	if (!lost) {
		/* The last commands still go out; and a server that is told can let the program go
		 * on at once. */
		pthread_mutex_lock(&c->lock);
		put_empty(&c->out, GCS_WIRE_CLOSE);
		pthread_mutex_unlock(&c->lock);
		(void)transmit(c);
	}
	net_close(c->fd);
	c->fd = -1;
	gcs_free(buffer);
	return NULL;
}

/* Construction. */

static bool start(struct gcs_client *c, struct gcs_error *err)
{
	bool ok = pthread_mutex_init(&c->lock, NULL) == 0;
	if (ok && !thread_cond_init(&c->changed)) {
		pthread_mutex_destroy(&c->lock);
		ok = false;
	}
	if (ok && !thread_start(&c->thread, "gcspy-client", reader, c)) {
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
		gcs_snapshot_unref(take_first(c));
	gcs_free(c->queue);
	gcs_snapshot_unref(c->latest);
	gcs_model_unref(c->model);
	mirror_fini(&c->mirror);
	wr_fini(&c->out);
	net_close(c->wake[0]);
	net_close(c->wake[1]);
	gcs_free(c->token);
	gcs_free(c->name);
	gcs_free(c);
}

struct gcs_client *gcs_client_open(const struct gcs_client_options *options, struct gcs_error *err)
{
	struct net_address address;
	if (options->address == NULL) {
		gcs_fail(err, GCS_ARGUMENT, "an address is needed: HOST:PORT or unix:PATH");
		return NULL;
	}
	if (!net_parse(options->address, &address, err))
		return NULL;
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
	c->address = address;
	c->fd = c->wake[0] = c->wake[1] = -1;
	if (c->options.connect_timeout_ms == 0)
		c->options.connect_timeout_ms = DEFAULT_TIMEOUT_MS;
	if (c->options.queue_limit == 0)
		c->options.queue_limit = DEFAULT_QUEUE;
	mirror_init(&c->mirror, &mirror_events, c);
	wr_init(&c->out, MAX_COMMANDS_BYTES);
	c->token = gcs_strdup(options->token == NULL ? "" : options->token);
	c->name = gcs_strdup(options->name == NULL ? "" : options->name);
	c->queue = gcs_zalloc(c->options.queue_limit * sizeof c->queue[0]);
	if (c->token == NULL || c->name == NULL || c->queue == NULL || !net_pipe(c->wake)) {
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
	uint64_t deadline = net_now_ns() + (uint64_t)timeout_ms * 1000000u;
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
	uint64_t deadline = net_now_ns() + (uint64_t)timeout_ms * 1000000u;
	struct gcs_snapshot *next = NULL;
	pthread_mutex_lock(&c->lock);
	while (c->queue_count == 0 && c->state != GCS_CLIENT_LOST && timeout_ms != 0 &&
	       thread_cond_until(&c->changed, &c->lock, deadline))
		continue;
	if (c->queue_count != 0)
		next = take_first(c);
	pthread_mutex_unlock(&c->lock);
	return next;
}

uint64_t gcs_client_overrun(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	uint64_t overrun = c->overrun;
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

uint64_t gcs_client_received(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	uint64_t received = c->received;
	pthread_mutex_unlock(&c->lock);
	return received;
}

/* Commands: between begin and end the lock is held and frames may be put. */

static bool command_begin(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	if (c->state == GCS_CLIENT_LIVE)
		return true;
	pthread_mutex_unlock(&c->lock);
	return false;
}

static enum gcs_status command_end(struct gcs_client *c)
{
	enum gcs_status status = c->out.status;
	pthread_mutex_unlock(&c->lock);
	net_wake(c->wake[1]);
	return status;
}

static enum gcs_status simple(struct gcs_client *c, enum gcs_wire_kind kind)
{
	if (!command_begin(c))
		return GCS_STATE;
	put_empty(&c->out, kind);
	return command_end(c);
}

enum gcs_status gcs_client_pause(struct gcs_client *c)
{
	return simple(c, GCS_WIRE_PAUSE);
}

enum gcs_status gcs_client_step(struct gcs_client *c)
{
	return simple(c, GCS_WIRE_STEP);
}

enum gcs_status gcs_client_resume(struct gcs_client *c, bool everyone)
{
	if (!command_begin(c))
		return GCS_STATE;
	put_number(&c->out, GCS_WIRE_RESUME, everyone ? 1 : 0);
	return command_end(c);
}

enum gcs_status gcs_client_set_filter(
    struct gcs_client *c, uint32_t event, const struct gcs_filter *filter)
{
	if (filter->delay_ms > CODEC_MAX_DELAY_MS || filter->period == 0 ||
	    filter->period > CODEC_MAX_PERIOD)
		return GCS_ARGUMENT;
	if (!command_begin(c))
		return GCS_STATE;
	if (event >= c->model->event_count) {
		pthread_mutex_unlock(&c->lock);
		return GCS_ARGUMENT;
	}
	put_filter(&c->out, event, filter);
	return command_end(c);
}

enum gcs_status gcs_client_set_pace(struct gcs_client *c, enum gcs_pace pace, uint32_t interval_ms)
{
	if ((unsigned)pace >= GCS_PACE_COUNT || interval_ms > CODEC_MAX_INTERVAL_MS)
		return GCS_ARGUMENT;
	if (!command_begin(c))
		return GCS_STATE;
	put_pace(&c->out, pace, interval_ms);
	return command_end(c);
}

enum gcs_status gcs_client_ack(struct gcs_client *c, uint64_t sequence)
{
	if (!command_begin(c))
		return GCS_STATE;
	put_number(&c->out, GCS_WIRE_ACK, sequence);
	return command_end(c);
}

static enum gcs_status collapse(struct gcs_client *c, bool group, uint32_t id, bool collapsed)
{
	if (!command_begin(c))
		return GCS_STATE;
	if (id >= (group ? c->model->group_count : c->model->space_count)) {
		pthread_mutex_unlock(&c->lock);
		return GCS_ARGUMENT;
	}
	put_collapse(&c->out, group, id, collapsed);
	return command_end(c);
}

enum gcs_status gcs_client_collapse_group(struct gcs_client *c, uint32_t group, bool collapsed)
{
	return collapse(c, true, group, collapsed);
}

enum gcs_status gcs_client_collapse_space(struct gcs_client *c, uint32_t space, bool collapsed)
{
	return collapse(c, false, space, collapsed);
}
