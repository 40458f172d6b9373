/*
 * How connections come in. Until its hello is complete a connection is pending, in an array of its
 * own: those who only connect take no client's slot. When the array is full, a newcomer takes the
 * place of another.
 */

#include "server_internal.h"

#include <stdio.h>
#include <unistd.h>

#include "net.h"
#include "now.h"

/* How long nobody is accepted after the system had no descriptor for a client: it would be reported
 * at once, again and again. */
#define ACCEPT_BACKOFF_NS 200000000u

/* A longer search for a connection's user is paid for by a pause in accepting. */
#define SLOW_LOOKUP_NS 1000000u

/* Connections accepted before all others have their turn: fewer than are pending, so that each of
 * them has one before it must make way. */
enum { ACCEPTED_AT_ONCE = SERVER_PENDING / 2 };

/* Clients turned away within a second that the log names one by one. */
enum { REFUSALS_LOGGED = 10 };

void server_log(struct gcs_server *s, const char *format, const char *detail)
{
	char line[400];
	if (s->options.log == NULL)
		return;
	snprintf(line, sizeof line, format, detail);
	s->options.log(s->options.context, line);
}

void server_log_refusal(struct gcs_server *s, const char *why)
{
	const uint64_t now = now_ns();
	if (now - s->refusals_ns >= 1000000000u) {
		char more[80];
		snprintf(more, sizeof more, "%u", s->refusals - REFUSALS_LOGGED);
		if (s->refusals > REFUSALS_LOGGED)
			server_log(s, "%s more clients were turned away", more);
		s->refusals_ns = now;
		s->refusals = 0;
	}
	if (s->refusals++ < REFUSALS_LOGGED)
		server_log(s, "a client was turned away: %s", why);
}

/* Who makes way first: the lowest rank, and of these the one that came first. Those of other users
 * never make those of our own way. */
static int rank_of(const struct peer *p)
{
	return (p->resumes ? 1 : 0) + (p->trusted ? 2 : 0);
}

static const char too_many[] = "there are too many connections";

/* Where a newcomer is put, or NULL: all who are there rank higher. */
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
	/* Half of the thread's time is the clients', however many come. */
	const uint64_t end = now_ns();
	if (end - begin > SLOW_LOOKUP_NS)
		s->accept_backoff_until_ns = end + (end - begin);
}

/* Where the kernel has to be asked for all sockets, that waits until a hello is complete. */
static void identify(struct gcs_server *s, struct peer *p, bool tcp)
{
	if (!tcp)
		p->identified = p->trusted = true; /* the mode 0600 of the socket has decided */
	else if (s->lookup.direct)
		server_identify(p);
}

static void turn_away(struct gcs_server *s)
{
	pthread_mutex_lock(&s->lock);
	s->stats.clients_refused++;
	pthread_mutex_unlock(&s->lock);
	server_log_refusal(s, too_many);
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
		turn_away(s);
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
