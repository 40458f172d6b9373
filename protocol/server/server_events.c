/* Events of the target: counting, the wait at the gate, and publishing. */

#include "server_internal.h"

#include "model_internal.h"
#include "net.h"
#include "now.h"
#include "paranoid.h"
#include "server_ring.h"

uint32_t server_due(struct gcs_server *s, uint32_t event, uint32_t mask, uint64_t count)
{
	uint32_t periodic = mask & atomic_load_explicit(&s->periodic[event], memory_order_relaxed);
	for (uint32_t slot = 0; periodic != 0 && slot < GCS_MAX_CLIENTS; slot++) {
		if ((periodic >> slot & 1) == 0)
			continue;
		uint32_t period =
		    atomic_load_explicit(&s->filters[event][slot].period, memory_order_relaxed);
		if (period > 1 && count % period != 0)
			mask &= ~((uint32_t)1 << slot);
	}
	return mask;
}

/* Begins and ends the numbering of an event. The order of the numbers is that of the times: the time
 * is read between the two, again if another event has got the number. */
static void begin_number(struct gcs_server *s, struct gcs_ticket *t)
{
	t->sequence = atomic_load(&s->sequence);
	t->time_ns = now_ns();
}

static void end_number(struct gcs_server *s, struct gcs_ticket *t)
{
	while (!atomic_compare_exchange_weak(&s->sequence, &t->sequence, t->sequence + 1))
		t->time_ns = now_ns();
	t->sequence++;
}

bool gcs_server_enter(struct gcs_server *s, uint32_t event, struct gcs_ticket *t)
{
	*t = (struct gcs_ticket){.event = event};
	if (event >= GCS_MAX_EVENTS)
		return false;
	t->count = atomic_fetch_add_explicit(&s->counters[event], 1, memory_order_relaxed) + 1;
	uint32_t wanted = atomic_load_explicit(&s->wanted[event], memory_order_relaxed);
	if (wanted == 0)
		return false;
	begin_number(s, t);
	t->cost_ns = atomic_load(&s->cost_ns);
	t->audience = server_paced(s, event, server_due(s, event, wanted, t->count), t->time_ns);
	if (t->audience != 0)
		end_number(s, t);
	else
		t->sequence = 0;
	return t->audience != 0;
}

/* The longest delay of these clients at this event. */
static uint64_t delay_of(struct gcs_server *s, uint32_t event, uint32_t mask)
{
	uint32_t longest = 0;
	for (uint32_t slot = 0; mask != 0 && slot < GCS_MAX_CLIENTS; slot++) {
		if ((mask >> slot & 1) == 0)
			continue;
		uint32_t delay = atomic_load(&s->filters[event][slot].delay_ms);
		longest = delay > longest ? delay : longest;
	}
	return (uint64_t)longest * 1000000u;
}

bool server_stops(struct gcs_server *s, const struct gcs_ticket *t, struct gate_event *e)
{
	*e = (struct gate_event){.audience = t->audience, .sequence = t->sequence};
	if (t->event >= GCS_MAX_EVENTS)
		return false;
	if (t->audience != 0) {
		e->pausing =
		    t->audience & atomic_load_explicit(&s->pausing[t->event], memory_order_relaxed);
		e->delaying =
		    t->audience & atomic_load_explicit(&s->delayed[t->event], memory_order_relaxed);
		e->delay_ns = e->delaying == 0 ? 0 : delay_of(s, t->event, e->delaying);
		e->pausing |= t->pausing;
	}
	return e->pausing != 0 || e->delay_ns != 0 || gate_closed(&s->gate, t->audience);
}

bool server_pass(struct gcs_server *s, const struct gate_event *e, uint64_t since_ns)
{
	bool whole = true;
	if (e != NULL) {
		since_ns = since_ns != 0 ? since_ns : now_ns();
		if (s->options.waiting != NULL)
			s->options.waiting(s->options.context);
		whole = gate_pass(&s->gate, e);
	}
	if (since_ns != 0)
		gcs_server_charge(s, now_ns() - since_ns);
	return whole;
}

bool server_leave(struct gcs_server *s, const struct gcs_ticket *t, uint64_t *interrupts)
{
	struct gate_event e;
	const bool stops = server_stops(s, t, &e);
	e.interrupts = interrupts;
	if (t->event >= GCS_MAX_EVENTS)
		return true;
	return server_pass(s, stops ? &e : NULL, t->audience != 0 ? t->time_ns : 0);
}

void gcs_server_leave(struct gcs_server *s, const struct gcs_ticket *t)
{
	server_leave(s, t, NULL);
}

bool gcs_server_wants(const struct gcs_server *s, uint32_t event)
{
	return event < GCS_MAX_EVENTS &&
	       atomic_load_explicit(&s->wanted[event], memory_order_relaxed) != 0;
}

bool gcs_server_attached(const struct gcs_server *s)
{
	return atomic_load_explicit(&s->attached, memory_order_relaxed) != 0;
}

bool gcs_server_wants_space(struct gcs_server *s, const struct gcs_ticket *t, uint32_t space)
{
	/* Where a trigger pauses the program, a client may come to look. */
	return space < GCS_MAX_SPACES &&
	       (t->pausing != 0 || (t->audience & ~atomic_load_explicit(&s->hidden[space],
						      memory_order_relaxed)) != 0);
}

void gcs_server_charge(struct gcs_server *s, uint64_t ns)
{
	atomic_fetch_add(&s->cost_ns, ns);
}

void gcs_server_stamp(struct gcs_server *s, struct gcs_ticket *t)
{
	begin_number(s, t);
	end_number(s, t);
	t->cost_ns = atomic_load(&s->cost_ns);
}

/* Whether a client wants the event and is not at a pace of intervals. */
static bool sends_each(const struct gcs_server *s, uint32_t event)
{
	return (atomic_load(&s->wanted[event]) & ~atomic_load(&s->paced)) != 0;
}

/*
 * The counters at the time of the event, though more may have occurred since: its own count is the
 * ticket's, and other events that are sent keep the last published count. Events without clients are
 * counted up to now. No counter decreases.
 */
static void set_counters(
    struct gcs_server *s, const struct gcs_ticket *t, struct gcs_snapshot *snapshot)
{
	bool first = snapshot->built_on == 0;
	for (uint32_t i = 0; i < snapshot->model->event_count; i++) {
		uint64_t before = gcs_snapshot_counter(snapshot, i);
		uint64_t count = atomic_load(&s->counters[i]);
		if (i == t->event)
			count = t->count;
		else if (!first && t->event != GCS_NONE && sends_each(s, i))
			count = before;
		gcs_snapshot_set_counter(snapshot, i, count > before ? count : before);
	}
}

struct gcs_snapshot *gcs_server_begin(struct gcs_server *s, const struct gcs_ticket *t)
{
	pthread_mutex_lock(&s->lock);
	struct gcs_model *model = gcs_model_ref(s->model);
	struct gcs_snapshot *latest = gcs_snapshot_ref(s->latest);
	pthread_mutex_unlock(&s->lock);
	struct gcs_snapshot *snapshot = gcs_snapshot_begin(model, latest);
	gcs_snapshot_unref(latest);
	gcs_model_unref(model);
	if (snapshot == NULL)
		return NULL;
	struct gcs_ticket stamped = *t;
	if (stamped.sequence == 0)
		gcs_server_stamp(s, &stamped);
	struct gcs_occurrence o = {
	    .sequence = stamped.sequence,
	    .event = stamped.event,
	    .time_ns = stamped.time_ns,
	    .wall_ns = now_wall_ns() - (int64_t)(now_ns() - stamped.time_ns),
	    .cost_ns = stamped.cost_ns,
	};
	gcs_snapshot_set_occurrence(snapshot, &o);
	set_counters(s, &stamped, snapshot);
	if (t->fired != 0)
		triggers_write(s, t, snapshot);
	return snapshot;
}

static void settle(struct gcs_server *s, uint64_t sequence)
{
	uint64_t before = atomic_load(&s->settled);
	while (before < sequence && !atomic_compare_exchange_weak(&s->settled, &before, sequence))
		continue;
}

void server_hand_out(
    struct gcs_server *s, const struct gcs_ticket *t, struct gcs_snapshot *snapshot)
{
	/* Needed at once: by a client that attaches, a trigger's client, the program. */
	bool wake = t->event == GCS_NONE || t->fired != 0 || gate_closed(&s->gate, t->audience);
	pthread_mutex_lock(&s->lock);
	struct gcs_snapshot *old = s->latest;
	s->latest = snapshot;
	s->stats.published++;
	for (uint32_t slot = 0; slot < GCS_MAX_CLIENTS; slot++)
		if ((t->audience >> slot & 1) != 0 && s->peers[slot] != NULL &&
		    s->peers[slot]->counted) {
			s->stats.thinned += peer_push(s->peers[slot], snapshot);
			wake = wake || peer_fills(s->peers[slot]);
		}
	server_record_put(s, t->audience, snapshot);
	if (atomic_load(&s->attached) == 0 && !atomic_load(&s->relays)) {
		/* The last client has left: keep no memory. */
		s->latest = NULL;
		gcs_snapshot_unref(snapshot);
	}
	pthread_mutex_unlock(&s->lock);
	gcs_snapshot_unref(old);
	if (!s->threaded)
		server_record_check(s);
	if (t->fired != 0)
		server_ring_fired(s, t);
	triggers_settle(s, t);
	settle(s, t->sequence);
	pthread_mutex_lock(&s->lock);
	wake = wake || !s->polls; /* if it polls, it will see all of the above */
	pthread_mutex_unlock(&s->lock);
	if (wake)
		net_wake(s->wake[1]);
}

void gcs_server_publish(
    struct gcs_server *s, const struct gcs_ticket *t, struct gcs_snapshot *snapshot)
{
	if (snapshot == NULL) {
		gcs_server_miss(s, t);
		return;
	}
	pthread_mutex_lock(&s->lock);
	struct gcs_snapshot *before = gcs_snapshot_ref(s->latest);
	pthread_mutex_unlock(&s->lock);
	snapshot_settle(snapshot, before);
	paranoid_snapshot(snapshot);
	gcs_snapshot_unref(before);

	server_hand_out(s, t, snapshot);
}

void gcs_server_miss(struct gcs_server *s, const struct gcs_ticket *t)
{
	pthread_mutex_lock(&s->lock);
	s->stats.missed++;
	for (uint32_t slot = 0; slot < GCS_MAX_CLIENTS; slot++)
		if ((t->audience >> slot & 1) != 0 && s->peers[slot] != NULL)
			s->peers[slot]->missed++;
	server_record_miss(s, t->audience);
	pthread_mutex_unlock(&s->lock);
	triggers_settle(s, t);
	settle(s, t->sequence);
	net_wake(s->wake[1]);
}
