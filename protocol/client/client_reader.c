/* The reader thread of a client: connects, feeds the decoder and stores the results. */

#include "client_internal.h"

#include <poll.h>
#include <stdio.h>

#include <gcspy/memory.h>

#include "now.h"

/* Most memory of the queue of gcs_client_next. */
#define QUEUE_BYTES ((size_t)256 << 20)

enum { READ_BYTES = 16384 };

/* Callbacks of the decoder, on the reader thread. */

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
	c->minor = c->decoder.minor;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	client_tell(c);
}

static void on_model(void *context, struct gcs_model *model)
{
	keep_model(context, model);
	client_tell(context);
}

struct gcs_snapshot *client_take_first(struct gcs_client *c)
{
	struct gcs_snapshot *first = c->queue[c->queue_first];
	c->queue_first = (c->queue_first + 1) % c->options.queue_limit;
	c->queue_count--;
	c->queue_bytes -= first->own_bytes;
	return first;
}

void client_set_run_state(struct gcs_client *c, enum gcs_run_state run)
{
	c->run = (struct state_message){.run = run, .own = run != GCS_RUNNING};
}

static void on_snapshot(void *context, struct gcs_snapshot *snapshot)
{
	struct gcs_client *c = context;
	pthread_mutex_lock(&c->lock);
	if (!c->client_dialect->native)
		client_set_run_state(c, inferred_state_event(&c->inferred_state, c->run.run));
	struct gcs_snapshot *old = c->latest;
	c->latest = gcs_snapshot_ref(snapshot);
	while (c->queue_count != 0 && (c->queue_count == c->options.queue_limit ||
					  c->queue_bytes + snapshot->own_bytes > QUEUE_BYTES)) {
		gcs_snapshot_unref(client_take_first(c));
		c->overrun++;
	}
	c->queue[(c->queue_first + c->queue_count++) % c->options.queue_limit] =
	    gcs_snapshot_ref(snapshot);
	c->queue_bytes += snapshot->own_bytes;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	gcs_snapshot_unref(old);
	client_tell(c);
}

static void on_state(void *context, const struct state_message *state)
{
	struct gcs_client *c = context;
	pthread_mutex_lock(&c->lock);
	if (c->client_dialect->native)
		c->run = *state;
	else if (state->run == GCS_PAUSED)
		client_set_run_state(c, inferred_state_paused(&c->inferred_state));
	else if (c->options.pause_at_start) /* reported as running once, at the start */
		client_set_run_state(c, inferred_state_pause(&c->inferred_state));
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	client_tell(c);
}

static void on_notice(void *context, const char *message)
{
	struct gcs_client *c = context;
	pthread_mutex_lock(&c->lock);
	snprintf(c->notice, sizeof c->notice, "%s", message);
	c->notice_number++;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	client_tell(c);
}

static void on_position(void *context, const struct gcs_position *position)
{
	struct gcs_client *c = context;
	pthread_mutex_lock(&c->lock);
	c->position = *position;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	client_tell(c);
}

const struct decoder_events client_decoder_events = {
    .ready = on_ready,
    .model = on_model,
    .snapshot = on_snapshot,
    .state = on_state,
    .notice = on_notice,
    .answer = client_on_answer,
    .position = on_position,
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
	client_tell(c);
}

static void introduce(struct gcs_client *c)
{
	struct hello hello = {
	    .flags = (c->options.pause_at_start ? GCS_HELLO_PAUSE : 0) |
		     (c->options.compress ? GCS_HELLO_COMPRESS : 0) |
		     (c->options.every_snapshot ? GCS_HELLO_EVERY : 0) |
		     (c->options.resume_only ? GCS_HELLO_RESUME : 0) |
		     (c->options.no_tiles ? GCS_HELLO_NO_TILES : 0),
	    .name = c->name,
	    .token = c->served != NULL ? "" : c->token, /* that of `gcspy serve` */
	};
	pthread_mutex_lock(&c->lock);
	c->client_dialect->hello(&c->out, &hello);
	pthread_mutex_unlock(&c->lock);
}

/* Long, but safe to add to a time. */
#define FOREVER_NS ((uint64_t)1 << 62)

static uint64_t keep_alive_ns(const struct gcs_client *c)
{
	/* A server of 2002 is silent between events, and TCP keep-alive watches it; but it must
	 * complete a message. */
	if (!c->client_dialect->native && c->decoder.phase == DECODER_LIVE &&
	    c->decoder.in.length == 0)
		return FOREVER_NS;
	uint64_t ms = c->decoder.keep_alive_ms != 0 ? c->decoder.keep_alive_ms
						    : c->options.connect_timeout_ms;
	return ms * 1000000u;
}

/* False if the connection is closed. */
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
	c->heard_ns = now_ns();
	pthread_mutex_lock(&c->lock);
	c->received += (uint64_t)n;
	pthread_mutex_unlock(&c->lock);
	decoder_input(&c->decoder, buffer, (size_t)n);
	return true;
}

/* What has arrived: the last bytes may have the reason of the end. */
static void receive_rest(struct gcs_client *c, uint8_t *buffer)
{
	uint64_t before;
	do
		before = c->received;
	while (c->decoder.phase != DECODER_ENDED && receive(c, buffer) && c->received != before);
}

/* False after a silence of the server; this process may have been stopped itself. */
static bool is_readable(const struct gcs_client *c)
{
	struct pollfd p = {.fd = c->fd, .events = POLLIN};
	return poll(&p, 1, 0) > 0;
}

/* Sends a ping three times per keep-alive limit. */
static void ping(struct gcs_client *c, uint64_t now)
{
	if (c->decoder.keep_alive_ms == 0 || now - c->pinged_ns < keep_alive_ns(c) / 3)
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
	bool live = c->decoder.phase == DECODER_LIVE;
	if (c->decoder.phase == DECODER_ENDED)
		*why = c->decoder.error;
	else if (live)
		gcs_fail(
		    why, GCS_CLOSED, "the server closed the connection: it ended or was killed");
	else if (c->decoder.phase != DECODER_PREAMBLE)
		gcs_fail(why, GCS_CLOSED,
		    "the server closed the connection while it described itself: it ended or was "
		    "killed");
	else
		gcs_fail(why, GCS_FOREIGN,
		    "the peer closed the connection without an answer: it is not a GCspy server%s, "
		    "or "
		    "has just ended",
		    c->client_dialect->native ? " of this version" : " of 2002");
}

static void silent(struct gcs_client *c, struct gcs_error *why)
{
	if (c->decoder.phase == DECODER_LIVE)
		gcs_fail(why, GCS_TIMEOUT, "the server has been silent for %.3g s%s",
		    (double)keep_alive_ns(c) / 1e9,
		    c->client_dialect->native ? "" : " within a message");
	else
		gcs_fail(why, GCS_FOREIGN,
		    "no answer within %u ms: the peer is not a GCspy server%s, or is stopped",
		    c->options.connect_timeout_ms,
		    c->client_dialect->native ? "" : " of 2002, or has a client already");
}

/* Maximum wait in poll. */
enum { LONG_WAIT_MS = 60000, QUIET_LIMIT_MS = 10000 };

/* Multiple of the timeout within which the whole description must arrive. */
enum { BOOTSTRAP_LIMITS = 6 };

/* True while the queue is full enough to stop reading. */
static bool is_full(struct gcs_client *c)
{
	pthread_mutex_lock(&c->lock);
	const bool full =
	    c->options.every_snapshot &&
	    (c->queue_count >= c->options.queue_limit / 2 || c->queue_bytes >= QUEUE_BYTES / 2);
	pthread_mutex_unlock(&c->lock);
	return full;
}

static bool converse(struct gcs_client *c, uint8_t *buffer, struct gcs_error *why)
{
	if (!c->client_dialect->native)
		net_keep_alive(c->fd, QUIET_LIMIT_MS);
	uint64_t begin = now_ns();
	uint64_t timeout_ns = (uint64_t)c->options.connect_timeout_ms * 1000000u * BOOTSTRAP_LIMITS;
	c->heard_ns = c->pinged_ns = begin;
	introduce(c);
	while (!is_closing(c)) {
		uint64_t now = now_ns();
		/* After a stop of this process: a ping to a server that has closed would lose its reason. */
		if (c->decoder.keep_alive_ms != 0 && now - c->pinged_ns >= keep_alive_ns(c))
			receive_rest(c, buffer);
		ping(c, now);
		if (!transmit(c) || c->decoder.phase == DECODER_ENDED) {
			receive_rest(c, buffer);
			broken(c, why);
			return true;
		}
		if (now - c->heard_ns >= keep_alive_ns(c) && !is_readable(c)) {
			silent(c, why);
			return true;
		}
		if (c->decoder.phase != DECODER_LIVE && now - begin >= timeout_ns) {
			gcs_fail(why, GCS_TIMEOUT,
			    "the server's description did not arrive within %llu s",
			    (unsigned long long)(timeout_ns / 1000000000u));
			return true;
		}
		const bool full = is_full(c);
		if (full)
			c->heard_ns = now; /* unread bytes may be waiting */
		pthread_mutex_lock(&c->lock);
		bool sending = c->out.length != 0;
		pthread_mutex_unlock(&c->lock);
		struct pollfd p[2] = {
		    {.fd = c->fd, .events = (short)((full ? 0 : POLLIN) | (sending ? POLLOUT : 0))},
		    {.fd = c->wake[0], .events = POLLIN}};
		uint64_t quiet_ms = keep_alive_ns(c) / 3000000u;
		if (poll(p, 2, quiet_ms > LONG_WAIT_MS ? LONG_WAIT_MS : (int)quiet_ms + 1) < 0)
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

/* Sends the last commands and a goodbye, so that the server can resume the program at once. */
static void take_leave(struct gcs_client *c, uint8_t *buffer)
{
	uint64_t deadline = now_ns() + (uint64_t)c->client_dialect->farewell_ms * 1000000u;
	uint64_t now;
	pthread_mutex_lock(&c->lock);
	c->client_dialect->leave(&c->out);
	pthread_mutex_unlock(&c->lock);
	bool open = transmit(c);
	while (open && c->decoder.phase != DECODER_ENDED && (now = now_ns()) < deadline) {
		struct pollfd p = {.fd = c->fd, .events = POLLIN};
		if (poll(&p, 1, (int)((deadline - now) / 1000000u) + 1) > 0)
			open = receive(c, buffer);
	}
}

void *client_read(void *context)
{
	struct gcs_client *c = context;
	struct gcs_error why = {.status = GCS_OK};
	uint8_t *buffer = gcs_alloc(READ_BYTES);
	if (buffer == NULL)
		gcs_fail(&why, GCS_NOMEM, "no memory to receive");
	else
		c->fd = c->served != NULL ? upgrade_connect(c->served, c->token,
						c->options.connect_timeout_ms, c->wake[0], &why)
					  : net_connect(&c->address, c->options.connect_timeout_ms,
						c->wake[0], &why);
	bool lost = c->fd == -1 || converse(c, buffer, &why);
	if (lost)
		lose(c, &why);
	if (!lost)
		take_leave(c, buffer);
	net_close(c->fd);
	c->fd = -1;
	gcs_free(buffer);
	return NULL;
}
