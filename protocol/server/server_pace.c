/*
 * Clients at a pace of intervals (F12). A program with thousands of events in a second must not gather
 * what no client will see, so such a client is in the audience of an event only when its next snapshot is
 * due; the event is counted all the same. It is in that of every event while a client holds the
 * program, and at those where its filter does.
 *
 * If the program then has no further event, the client would keep an old state: after a grace the I/O
 * thread asks for the present one.
 */
#include "server_internal.h"

#include "now.h"

#define LONGEST_GRACE_NS 1000000000u

uint32_t server_paced(struct gcs_server *s, uint32_t event, uint32_t mask, uint64_t now)
{
	uint32_t paced = mask & atomic_load_explicit(&s->paced, memory_order_relaxed);
	if (paced == 0)
		return mask;
	const uint32_t held =
	    atomic_load(&s->gate.holds) != 0
		? paced
		: atomic_load(&s->pausing[event]) | atomic_load(&s->delayed[event]);
	for (uint32_t slot = 0; paced != 0; slot++, paced >>= 1) {
		const uint32_t bit = server_bit(slot);
		struct pace_slot *p = &s->paces[slot];
		if ((paced & 1) == 0)
			continue;
		if ((held & bit) == 0 && now < atomic_load(&p->due_ns)) {
			mask &= ~bit;
			atomic_fetch_or(&s->withheld, bit);
		} else {
			atomic_store(&p->due_ns, now + atomic_load(&p->interval_ns));
			atomic_fetch_and(&s->withheld, ~bit);
		}
	}
	return mask;
}

void server_set_pace(struct gcs_server *s, struct peer *p, enum gcs_pace pace, uint64_t interval_ns)
{
	const uint32_t bit = server_bit(p->slot);
	pthread_mutex_lock(&s->lock);
	p->pace = pace;
	pthread_mutex_unlock(&s->lock);
	p->interval_ns = interval_ns;
	p->due_ns = now_ns();
	atomic_store(&s->paces[p->slot].interval_ns, interval_ns);
	atomic_store(&s->paces[p->slot].due_ns, p->due_ns);
	if (pace == GCS_PACE_INTERVAL)
		atomic_fetch_or(&s->paced, bit);
	else
		atomic_fetch_and(&s->paced, ~bit);
	if ((atomic_fetch_and(&s->withheld, ~bit) & bit) != 0)
		server_request_state(p); /* what it has missed, before the next event */
}

static bool is_behind(const struct gcs_server *s, const struct peer *p)
{
	return peer_has_slot(p) && (atomic_load(&s->paced) & server_bit(p->slot)) != 0 &&
	       (atomic_load(&s->withheld) & server_bit(p->slot)) != 0;
}

/* When a client that has not got the last event gets the present state instead. */
static uint64_t grace_ends(const struct gcs_server *s, const struct peer *p)
{
	const uint64_t grace =
	    p->interval_ns < LONGEST_GRACE_NS ? p->interval_ns : LONGEST_GRACE_NS;
	return atomic_load(&s->paces[p->slot].due_ns) +
	       (atomic_load(&s->gate.holds) != 0 ? 0 : grace);
}

uint64_t server_pace_due(const struct gcs_server *s, const struct peer *p, uint64_t now)
{
	if (p->pace != GCS_PACE_INTERVAL)
		return UINT64_MAX;
	if (p->due_ns > now)
		return p->due_ns;
	if (is_behind(s, p))
		return grace_ends(s, p);
	/* Until then, events may be withheld without waking this thread. */
	const uint64_t due = atomic_load(&s->paces[p->slot].due_ns);
	return due > now ? due : UINT64_MAX;
}

void server_catch_up(struct gcs_server *s, struct peer *p, uint64_t now)
{
	if (!is_behind(s, p) || now < grace_ends(s, p))
		return;
	atomic_fetch_and(&s->withheld, ~server_bit(p->slot));
	atomic_store(&s->paces[p->slot].due_ns, now + p->interval_ns);
	server_request_state(p);
}
