/*
 * Tunnels: a connection of HTTP that has become one to the agent of a JVM. A thread for each moves bytes both
 * ways, and takes no more than it can give: who reads slowly is a slow client of the agent, as over the
 * agent's own socket, and holds nothing else.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <microhttpd.h>

#include <gcspy/memory.h>

#include "http.h"
#include "now.h"
#include "thread.h"

enum { CONNECT_MS = 5000, PIPE_BYTES = 65536, LINGER_MS = 2000 };

/* Bytes under way from one end to the other. */
struct pipe {
	int from, to;
	bool ended; /* nothing more comes */
	size_t first, count;
	uint8_t bytes[PIPE_BYTES];
};

struct tunnel {
	struct http *http;
	struct MHD_UpgradeResponseHandle *handle;
	struct net_address address;
	int client, jvm;
	struct pipe up, down;
};

bool http_tunnels_init(struct http *http)
{
	pthread_mutex_init(&http->lock, NULL);
	if (thread_cond_init(&http->changed)) {
		if (net_pipe(http->end))
			return true;
		pthread_cond_destroy(&http->changed);
	}
	pthread_mutex_destroy(&http->lock);
	return false;
}

void http_tunnels_end(struct http *http)
{
	net_wake(http->end[1]);
	pthread_mutex_lock(&http->lock);
	while (http->tunnels != 0)
		pthread_cond_wait(&http->changed, &http->lock);
	pthread_mutex_unlock(&http->lock);
}

void http_tunnels_fini(struct http *http)
{
	net_close(http->end[0]);
	net_close(http->end[1]);
	pthread_cond_destroy(&http->changed);
	pthread_mutex_destroy(&http->lock);
}

/* False if there are too many, or the program is about to end. */
static bool take_place(struct http *http)
{
	pthread_mutex_lock(&http->lock);
	const bool free = http->tunnels < HTTP_TUNNELS && !atomic_load(&http->stopping);
	http->tunnels += free;
	pthread_mutex_unlock(&http->lock);
	return free;
}

/* A place is taken when a connection is asked for. Until the tunnel has begun it is the HTTP connection's,
 * which leaves it if it ends before. */
void http_leave_tunnel(struct http *http)
{
	pthread_mutex_lock(&http->lock);
	http->tunnels--;
	pthread_cond_broadcast(&http->changed);
	pthread_mutex_unlock(&http->lock);
}

/* Moves what there is; false if the connection cannot go on. */
static bool move(struct pipe *p)
{
	if (p->count == 0 && !p->ended) {
		const long n = net_read(p->from, p->bytes, sizeof p->bytes);
		p->ended = n < 0;
		p->first = 0;
		p->count = n > 0 ? (size_t)n : 0;
	}
	if (p->count != 0) {
		const long n = net_write(p->to, p->bytes + p->first, p->count);
		if (n < 0)
			return false;
		p->first += (size_t)n;
		p->count -= (size_t)n;
	}
	return !p->ended || p->count != 0;
}

static short wanted(const struct pipe *reads, const struct pipe *writes)
{
	return (short)((reads->count == 0 ? POLLIN : 0) | (writes->count != 0 ? POLLOUT : 0));
}

/* Gives the other end what one has said before it ended, for a moment. */
static void finish(struct pipe *p)
{
	const uint64_t deadline = now_ms() + LINGER_MS;
	while (p->count != 0 && now_ms() < deadline) {
		struct pollfd wait = {.fd = p->to, .events = POLLOUT};
		const long n = net_write(p->to, p->bytes + p->first, p->count);
		if (n < 0)
			return;
		p->first += (size_t)n;
		p->count -= (size_t)n;
		if (n == 0)
			poll(&wait, 1, LINGER_MS / 10);
	}
}

static void pump(struct tunnel *t)
{
	for (;;) {
		const short client = wanted(&t->up, &t->down), jvm = wanted(&t->down, &t->up);
		struct pollfd p[3] = {
		    {.fd = client != 0 ? t->client : -1, .events = client},
		    {.fd = jvm != 0 ? t->jvm : -1, .events = jvm},
		    {.fd = t->http->end[0], .events = POLLIN},
		};
		if (poll(p, 3, -1) < 0)
			continue;
		if (p[2].revents != 0)
			return;
		if (!move(&t->up) || !move(&t->down))
			break;
	}
	finish(&t->up);
	finish(&t->down);
}

static void *run_tunnel(void *context)
{
	struct tunnel *t = context;
	struct http *http = t->http;
	struct gcs_error err;
	t->jvm = net_connect(&t->address, CONNECT_MS, http->end[0], &err);
	t->up.from = t->down.to = t->client;
	t->up.to = t->down.from = t->jvm;
	if (t->jvm != -1)
		pump(t);
	net_close(t->jvm);
	MHD_upgrade_action(t->handle, MHD_UPGRADE_ACTION_CLOSE);
	gcs_free(t);
	http_leave_tunnel(http);
	return NULL;
}

/* Where the agent of the target listens; false if it is not known. */
static bool find_address(struct http *http, uint64_t number, struct net_address *address)
{
	struct gcs_error err;
	char text[sizeof((struct target *)0)->address] = "";
	struct target *target = targets_numbered(http->targets, number);
	if (target == NULL)
		return false;
	pthread_mutex_lock(&http->targets->lock);
	if (target->state == TARGET_LIVE)
		memcpy(text, target->address, sizeof text);
	pthread_mutex_unlock(&http->targets->lock);
	target_release(http->targets, target);
	return text[0] != '\0' && net_parse(text, address, &err);
}

/* Called once the client has been told. The target's number is what `context` is instead of an address: nothing
 * is to be freed if the client has gone before. */
static void begin_tunnel(void *context, struct MHD_Connection *connection, void *state,
    const char *extra, size_t extra_size, MHD_socket fd, struct MHD_UpgradeResponseHandle *handle)
{
	struct http *http = state;
	struct tunnel *t = gcs_zalloc(sizeof *t);
	pthread_t thread;
	http_place_of(connection)->tunnel = false;
	if (t != NULL) {
		*t = (struct tunnel){.http = http, .handle = handle, .client = fd, .jvm = -1};
		if (extra_size <= sizeof t->up.bytes && net_adopt(fd) &&
		    find_address(http, (uintptr_t)context, &t->address)) {
			memcpy(t->up.bytes, extra, extra_size);
			t->up.count = extra_size;
			/* On the connection's own thread, which this is: libmicrohttpd may free a
			 * connection that another thread closes just when this one leaves it. With TLS
			 * this one has to encrypt what the tunnel moves, and leaves it only after the
			 * other has closed it: the same window, of a few instructions. */
			if (!http->secure) {
				(void)run_tunnel(t);
				return;
			}
			if (thread_start(&thread, "gcspy-tunnel", run_tunnel, t)) {
				pthread_detach(thread);
				return;
			}
		}
	}
	gcs_free(t);
	http_leave_tunnel(http);
	MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

struct MHD_Response *http_connect(struct http *http, struct MHD_Connection *connection,
    const char *instance, struct http_answer *answer)
{
	struct http_place *place = http_place_of(connection);
	struct target *target = http_choose(http, instance, answer);
	struct MHD_Response *response = NULL;
	char why[sizeof target->error] = "", name[TARGET_NAME];
	if (target == NULL)
		return NULL;
	pthread_mutex_lock(&http->targets->lock);
	const bool live = target->state == TARGET_LIVE;
	snprintf(why, sizeof why, "%s", live ? "" : target->error);
	pthread_mutex_unlock(&http->targets->lock);
	if (place != NULL && !place->tunnel && live)
		place->tunnel = take_place(http);
	if (!live)
		http_say(answer, MHD_HTTP_SERVICE_UNAVAILABLE, "%s: %s", target_name(target, name),
		    why[0] == '\0' ? "not connected yet" : why);
	else if (place == NULL || !place->tunnel)
		http_say(answer, MHD_HTTP_SERVICE_UNAVAILABLE,
		    "%d connections to JVMs, as many as there may be", HTTP_TUNNELS);
	else if ((response = MHD_create_response_for_upgrade(
		      begin_tunnel, (void *)(uintptr_t)target->is.number)) == NULL)
		http_say(answer, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory");
	else
		MHD_add_response_header(response, MHD_HTTP_HEADER_UPGRADE, HTTP_PROTOCOL);
	target_release(http->targets, target);
	return response;
}
