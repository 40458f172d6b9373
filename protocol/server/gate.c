#include "gate.h"

#include "net.h"
#include "now.h"
#include "thread.h"

bool gate_init(struct gate *g, int wake)
{
	*g = (struct gate){.wake = wake};
	if (pthread_mutex_init(&g->lock, NULL) != 0)
		return false;
	if (thread_cond_init(&g->changed))
		return true;
	pthread_mutex_destroy(&g->lock);
	return false;
}

void gate_fini(struct gate *g)
{
	pthread_cond_destroy(&g->changed);
	pthread_mutex_destroy(&g->lock);
}

void gate_forget(struct gate *g, int wake)
{
	atomic_store(&g->holds, 0);
	atomic_store(&g->lockstep, 0);
	g->present = g->tokens = g->token_mask = g->stepping = g->parked = 0;
	g->wake = wake;
	(void)thread_cond_init(&g->changed);
}

static uint32_t bit(uint32_t slot)
{
	return (uint32_t)1 << slot;
}

void gate_enter(struct gate *g, uint32_t slot)
{
	pthread_mutex_lock(&g->lock);
	g->present |= bit(slot);
	g->acked[slot] = 0;
	pthread_mutex_unlock(&g->lock);
}

/* With the lock held. Without a hold, pending steps are void. */
static void drop_holds(struct gate *g, uint32_t slots)
{
	uint32_t left = atomic_load(&g->holds) & ~slots;
	atomic_store(&g->holds, left);
	g->stepping &= ~slots;
	if (left == 0)
		g->tokens = g->token_mask = g->stepping = 0;
	pthread_cond_broadcast(&g->changed);
}

void gate_leave(struct gate *g, uint32_t slot)
{
	pthread_mutex_lock(&g->lock);
	g->present &= ~bit(slot);
	atomic_store(&g->lockstep, atomic_load(&g->lockstep) & ~bit(slot));
	drop_holds(g, bit(slot));
	pthread_mutex_unlock(&g->lock);
}

void gate_hold(struct gate *g, uint32_t slot)
{
	pthread_mutex_lock(&g->lock);
	if ((g->present & bit(slot)) != 0)
		atomic_store(&g->holds, atomic_load(&g->holds) | bit(slot));
	pthread_mutex_unlock(&g->lock);
}

void gate_release(struct gate *g, uint32_t slots)
{
	pthread_mutex_lock(&g->lock);
	drop_holds(g, slots);
	pthread_mutex_unlock(&g->lock);
}

void gate_step(struct gate *g, uint32_t slot, bool own_events)
{
	pthread_mutex_lock(&g->lock);
	if ((g->present & bit(slot)) != 0) {
		atomic_store(&g->holds, atomic_load(&g->holds) | bit(slot));
		/* In a running program a step is a pause at the next event. */
		if (g->parked != 0) {
			g->tokens++;
			g->token_mask |= own_events ? bit(slot) : 0;
		} else if (own_events) {
			g->stepping |= bit(slot);
		}
		pthread_cond_broadcast(&g->changed);
	}
	pthread_mutex_unlock(&g->lock);
}

void gate_step_replay(struct gate *g, uint32_t slot, bool own_events)
{
	pthread_mutex_lock(&g->lock);
	if ((g->present & bit(slot)) != 0) {
		atomic_store(&g->holds, atomic_load(&g->holds) | bit(slot));
		g->stepping |= own_events ? bit(slot) : 0;
	}
	pthread_mutex_unlock(&g->lock);
}

void gate_set_lockstep(struct gate *g, uint32_t slot, bool on)
{
	pthread_mutex_lock(&g->lock);
	uint32_t mask = atomic_load(&g->lockstep) & ~bit(slot);
	if (on && (g->present & bit(slot)) != 0)
		mask |= bit(slot);
	atomic_store(&g->lockstep, mask);
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

void gate_ack(struct gate *g, uint32_t slot, uint64_t sequence)
{
	pthread_mutex_lock(&g->lock);
	if (sequence > g->acked[slot])
		g->acked[slot] = sequence;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

/* Clients in lock-step that have not yet acknowledged the event. With the lock held. */
static uint32_t unacknowledged(const struct gate *g, const struct gate_event *e)
{
	uint32_t waiting = e->audience & atomic_load(&g->lockstep) & g->present;
	uint32_t left = 0;
	for (uint32_t slot = 0; waiting >> slot != 0; slot++) {
		if ((waiting >> slot & 1) != 0 && g->acked[slot] < e->sequence)
			left |= bit(slot);
		if (slot == GCS_MAX_CLIENTS - 1)
			break;
	}
	return left;
}

static bool interrupted(const struct gate *g, const struct gate_event *e)
{
	return e->interrupts != NULL && g->interrupts != *e->interrupts;
}

static void wait_for_delay(struct gate *g, const struct gate_event *e)
{
	uint64_t deadline = now_ns() + e->delay_ns;
	while ((e->delaying & g->present) != 0 && !interrupted(g, e) &&
	       thread_cond_until(&g->changed, &g->lock, deadline))
		continue;
}

static void wait_for_acks(struct gate *g, const struct gate_event *e)
{
	uint64_t deadline = now_ns() + GATE_LOCKSTEP_NS;
	while (unacknowledged(g, e) != 0 && !interrupted(g, e) &&
	       thread_cond_until(&g->changed, &g->lock, deadline))
		continue;
}

static void wait_for_holds(struct gate *g, const struct gate_event *e)
{
	/* A step continues past events that its client does not get. */
	if (g->stepping != 0 && (g->stepping & e->audience) == 0)
		return;
	g->stepping = 0;
	g->parked++;
	g->parked_sequence = e->audience != 0 ? e->sequence : 0;
	net_wake(g->wake);
	while (atomic_load(&g->holds) != 0 && g->tokens == 0 && !interrupted(g, e))
		pthread_cond_wait(&g->changed, &g->lock);
	g->parked--;
	if (g->tokens != 0) {
		g->tokens--;
		g->stepping = g->token_mask;
		g->token_mask = g->tokens == 0 ? 0 : g->token_mask;
	}
	net_wake(g->wake);
}

bool gate_pass(struct gate *g, const struct gate_event *e)
{
	uint64_t begin = now_ns();
	pthread_mutex_lock(&g->lock);
	if (e->delay_ns != 0)
		wait_for_delay(g, e);
	wait_for_acks(g, e);
	uint32_t pausing = e->pausing & g->present;
	if (pausing != 0)
		atomic_store(&g->holds, atomic_load(&g->holds) | pausing);
	if (atomic_load(&g->holds) != 0)
		wait_for_holds(g, e);
	g->held_ns += now_ns() - begin;
	const bool whole = !interrupted(g, e);
	if (!whole)
		*e->interrupts = g->interrupts;
	pthread_mutex_unlock(&g->lock);
	return whole;
}

void gate_interrupt(struct gate *g)
{
	pthread_mutex_lock(&g->lock);
	g->interrupts++;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

uint64_t gate_interrupts(struct gate *g)
{
	pthread_mutex_lock(&g->lock);
	const uint64_t interrupts = g->interrupts;
	pthread_mutex_unlock(&g->lock);
	return interrupts;
}

void gate_read(struct gate *g, struct gate_view *view)
{
	pthread_mutex_lock(&g->lock);
	*view = (struct gate_view){
	    .holds = atomic_load(&g->holds),
	    .parked = g->parked != 0,
	    .stepping = g->stepping,
	    .parked_sequence = g->parked_sequence,
	    .held_ns = g->held_ns,
	};
	pthread_mutex_unlock(&g->lock);
}
