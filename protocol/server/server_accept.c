/*
 * Accepting connections. A connection without a complete hello is pending and has no slot, so that
 * idle connections do not lock clients out. When too many are pending, a new one replaces another.
 */

#include "server_internal.h"

#include <stdio.h>
#include <unistd.h>

#include "net.h"
#include "now.h"

/* Pause in accepting after the system has run out of descriptors; poll would report the connection
 * again at once. */
#define ACCEPT_BACKOFF_NS 200000000u

/* After a longer lookup of a connection's user, accepting pauses for the same time. */
#define SLOW_LOOKUP_NS 1000000u

/* Connections accepted in one round: fewer than may be pending, so that each is served before it can
 * be replaced. */
enum { ACCEPTED_AT_ONCE = SERVER_PENDING / 2 };

/* Rejections per second with a line each in the log. */
enum { REJECTIONS_LOGGED = 10 };

void server_log(struct gcs_server *s, const char *format, const char *detail)
{
	char line[400];
	if (s->options.log == NULL)
		return;
	snprintf(line, sizeof line, format, detail);
	s->options.log(s->options.context, line);
}

void server_log_rejection(struct gcs_server *s, const char *why)
{
	const uint64_t now = now_ns();
	if (now - s->rejections_ns >= 1000000000u) {
		char more[80];
		snprintf(more, sizeof more, "%u", s->rejections - REJECTIONS_LOGGED);
		if (s->rejections > REJECTIONS_LOGGED)
			server_log(s, "%s more clients were rejected", more);
		s->rejections_ns = now;
		s->rejections = 0;
	}
	if (s->rejections++ < REJECTIONS_LOGGED)
		server_log(s, "a client was rejected: %s", why);
}

/* The connection of the lowest rank is replaced first, and among these the oldest one. A connection
 * of another user never replaces one of ours. */
static int rank_of(const struct peer *p)
{
	return (p->resumes ? 1 : 0) + (p->trusted ? 2 : 0);
}

static const char too_many[] = "there are too many connections";

/* The place for a new connection, or NULL if all pending ones rank higher. */
static struct peer **make_way(struct gcs_server *s, const struct peer *newcomer)
{
	struct peer **first = &s->pending[0];
	for (uint32_t i = 0; i < SERVER_PENDING; i++) {
		struct peer **at = &s->pending[i];
		if (*at == NULL)
			return at;
		const int rank = rank_of(*at), lowest = rank_of(*first);
		if (rank < lowest || (rank == lowest && (*at)->came_ns < (*first)->came_ns))
			first = at;
	}
	if (rank_of(*first) > rank_of(newcomer))
		return NULL;
	server_end(s, *first, BYE_FULL, too_many);
	return first;
}

void server_identify(struct peer *p)
{
	struct gcs_server *s = p->server;
	const uint64_t begin = now_ns();
	p->known = net_peer_user(&s->lookup, p->fd, &p->uid);
	p->trusted = p->known && (p->uid == geteuid() || p->uid == 0);
	p->identified = true;
	/* Leave half of the thread's time to the clients. */
	const uint64_t end = now_ns();
	if (end - begin > SLOW_LOOKUP_NS)
		s->accept_backoff_until_ns = end + (end - begin);
}

/* A lookup in the kernel's tables of all sockets is delayed until the hello is complete. */
static void identify(struct gcs_server *s, struct peer *p, bool tcp)
{
	if (!tcp)
		p->identified = p->trusted = true; /* by the socket's mode 0600 */
	else if (s->lookup.direct)
		server_identify(p);
}

static void reject(struct gcs_server *s)
{
	pthread_mutex_lock(&s->lock);
	s->stats.clients_rejected++;
	pthread_mutex_unlock(&s->lock);
	server_log_rejection(s, too_many);
}

void server_accept(struct gcs_server *s, int listener)
{
	int fd = -1;
	for (int i = 0; i < ACCEPTED_AT_ONCE && s->accept_backoff_until_ns <= now_ns() &&
			(fd = net_accept(listener)) >= 0;
	     i++) {
		struct peer *p = peer_create(s, fd, &server_session_host);
		if (p != NULL)
			identify(s, p, listener == s->listeners[0]);
		struct peer **place = p == NULL ? NULL : make_way(s, p);
		if (place != NULL) {
			*place = p;
			continue;
		}
		if (p == NULL)
			net_close(fd);
		peer_destroy(p);
		reject(s);
	}
	if (fd == -2)
		s->accept_backoff_until_ns = now_ns() + ACCEPT_BACKOFF_NS;
}

bool server_take_slot(struct peer *p)
{
	struct gcs_server *s = p->server;
	const uint32_t slots = server_slots(s);
	uint32_t slot = 0;
	while (slot < slots && s->peers[slot] != NULL)
		slot++;
	if (slot == slots)
		return false;
	p->slot = slot;
	gate_enter(&s->gate, slot);
	pthread_mutex_lock(&s->lock);
	s->peers[slot] = p;
	pthread_mutex_unlock(&s->lock);
	return true;
}
