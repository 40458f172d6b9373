/* How long the I/O thread waits, and for which clients no longer. */
#include "server_internal.h"

#include <poll.h>

#include "now.h"
#include "own_files.h"

/* Drop a client whose output is stalled for this many keep-alive periods. */
enum { SLOW_LIMITS = 3 };

/* How often in a keep-alive period the thread wakes at least, to notice when it could not. */
enum { AWAKE = 4 };

#define STALL_NS 100000000u /* of the thread; shorter ones do not count */

/* When a silent client is dropped. One without keep-alive is watched by the system. */
static uint64_t silence_ends(const struct gcs_server *s, const struct peer *p)
{
	if (p->session.phase == SESSION_READY && p->session.dialect->quiet)
		return UINT64_MAX;
	return p->heard_ns + (uint64_t)s->options.keep_alive_ms * 1000000u;
}

/* When a client whose output is stalled is dropped. */
static uint64_t slowness_ends(const struct gcs_server *s, const struct peer *p)
{
	if (p->out_sent >= p->session.out.length)
		return UINT64_MAX;
	return p->progress_ns + SLOW_LIMITS * (uint64_t)s->options.keep_alive_ms * 1000000u;
}

void server_check_limits(struct gcs_server *s, struct peer *p, uint64_t now)
{
	if (p->session.phase == SESSION_CLOSING)
		return;
	if (now >= silence_ends(s, p)) {
		pthread_mutex_lock(&s->lock);
		s->stats.clients_silent++;
		pthread_mutex_unlock(&s->lock);
		session_bye(&p->session, BYE_SILENT,
		    "the client was silent for longer than the keep-alive limit");
	} else if (now >= slowness_ends(s, p)) {
		session_bye(&p->session, BYE_SLOW, "the client does not read what it is sent");
	}
}

/* Milliseconds until something is due without a ready descriptor; -1: never. */
static int timeout_ms(struct gcs_server *s, uint64_t now)
{
	const uint64_t keep_alive_ns = (uint64_t)s->options.keep_alive_ms * 1000000u;
	uint64_t next = s->accept_backoff_until_ns > now ? s->accept_backoff_until_ns : UINT64_MAX;
	for (uint32_t i = 0; i < SERVER_PEERS; i++) {
		const struct peer *p = server_peer_at(s, i);
		if (p == NULL)
			continue;
		uint64_t at = silence_ends(s, p);
		uint64_t slow = slowness_ends(s, p);
		at = slow < at ? slow : at;
		if (at != UINT64_MAX && at > now + keep_alive_ns / AWAKE)
			at = now + keep_alive_ns / AWAKE;
		if (p->session.phase == SESSION_CLOSING)
			at = p->closing_ns + SERVER_LINGER_NS;
		const uint64_t due = server_pace_due(s, p, now);
		at = due < at ? due : at;
		next = at < next ? at : next;
	}
	if (s->polls && next > now + SERVER_POLL_MS * 1000000u)
		return SERVER_POLL_MS;
	if (next == UINT64_MAX)
		return -1;
	return next <= now ? 0 : (int)((next - now) / 1000000u) + 1;
}

/*
 * While this thread does not run, because the machine sleeps, or has too much to do, clients may not have
 * run either: who wakes first must not find the other one silent.
 */
static void make_up(struct gcs_server *s, uint64_t lost_ns)
{
	for (uint32_t i = 0; i < SERVER_PEERS && lost_ns >= STALL_NS; i++) {
		struct peer *p = server_peer_at(s, i);
		if (p == NULL)
			continue;
		p->heard_ns += lost_ns;
		p->progress_ns += lost_ns;
	}
}

int server_wait(struct gcs_server *s, struct pollfd *p, nfds_t count, uint64_t begin_ns)
{
	const int limit_ms = own_files_wait_ms(timeout_ms(s, begin_ns));
	uint64_t lost_ns = s->waited_ns == 0 ? 0 : begin_ns - s->waited_ns;
	const int ready = poll(p, count, limit_ms);
	s->waited_ns = now_ns();
	const uint64_t took_ns = s->waited_ns - begin_ns;
	if (limit_ms >= 0 && took_ns > (uint64_t)limit_ms * 1000000u)
		lost_ns += took_ns - (uint64_t)limit_ms * 1000000u;
	make_up(s, lost_ns);
	return ready;
}
