#include "peer.h"

#include <gcspy/memory.h>

#include "net.h"
#include "now.h"

struct peer *peer_create(struct gcs_server *server, int fd, const struct session_host *host)
{
	struct peer *p = gcs_zalloc(sizeof *p);
	if (p == NULL)
		return NULL;
	p->server = server;
	p->slot = PEER_NO_SLOT;
	p->fd = fd;
	p->came_ns = p->heard_ns = p->progress_ns = now_ns();
	session_init(&p->session, host, p);
	return p;
}

void peer_destroy(struct peer *p)
{
	if (p == NULL)
		return;
	while (p->queue_count != 0)
		gcs_snapshot_unref(peer_pop(p, false));
	answers_fini(&p->answers);
	session_fini(&p->session);
	net_close(p->fd);
	gcs_free(p);
}

/* Takes the queued snapshot number `i` out. */
static struct gcs_snapshot *take_out(struct peer *p, uint32_t i)
{
	uint32_t at = (p->queue_first + i) % PEER_QUEUE;
	struct gcs_snapshot *taken = p->queue[at];
	p->queue_bytes -= p->queue_costs[at];
	for (p->queue_count--; i < p->queue_count; i++) {
		const uint32_t next = (at + 1) % PEER_QUEUE;
		p->queue[at] = p->queue[next];
		p->queue_costs[at] = p->queue_costs[next];
		at = next;
	}
	return taken;
}

/* Which one is dropped first: the oldest without a trigger that has fired, or the oldest one. */
static uint32_t least_important(const struct peer *p)
{
	for (uint32_t i = 0; i < p->queue_count; i++)
		if (gcs_snapshot_fired_count(p->queue[(p->queue_first + i) % PEER_QUEUE]) == 0)
			return i;
	return 0;
}

static struct gcs_snapshot *take_first(struct peer *p)
{
	uint32_t at = p->queue_first;
	struct gcs_snapshot *first = p->queue[at];
	p->queue_first = (at + 1) % PEER_QUEUE;
	p->queue_count--;
	p->queue_bytes -= p->queue_costs[at];
	return first;
}

uint32_t peer_push(struct peer *p, const struct gcs_snapshot *snapshot)
{
	const size_t cost = snapshot_queue_cost(snapshot, p->last_serial);
	uint32_t dropped = 0;
	while (p->queue_count != 0 &&
	       (p->queue_count == PEER_QUEUE || p->queue_bytes + cost > p->queue_limit)) {
		gcs_snapshot_unref(take_out(p, least_important(p)));
		dropped++;
	}
	uint32_t at = (p->queue_first + p->queue_count) % PEER_QUEUE;
	p->queue[at] = gcs_snapshot_ref(snapshot);
	p->queue_costs[at] = cost;
	p->queue_count++;
	p->queue_bytes += cost;
	p->last_serial = snapshot->serial;
	/* At a pace of intervals only the newest one is sent: older ones are not missed. */
	if (p->pace == GCS_PACE_INTERVAL)
		return 0;
	p->missed += dropped;
	return dropped;
}

bool peer_fills(const struct peer *p)
{
	return p->pace != GCS_PACE_INTERVAL &&
	       (p->queue_count >= PEER_QUEUE / 2 || p->queue_bytes >= p->queue_limit / 2);
}

struct gcs_snapshot *peer_pop(struct peer *p, bool newest)
{
	struct gcs_snapshot *snapshot = NULL;
	while (p->queue_count != 0) {
		gcs_snapshot_unref(snapshot);
		snapshot = take_first(p);
		if (!newest || gcs_snapshot_fired_count(snapshot) != 0)
			break;
	}
	return snapshot;
}

bool peer_has_fired(const struct peer *p)
{
	for (uint32_t i = 0; i < p->queue_count; i++)
		if (gcs_snapshot_fired_count(p->queue[(p->queue_first + i) % PEER_QUEUE]) != 0)
			return true;
	return false;
}
