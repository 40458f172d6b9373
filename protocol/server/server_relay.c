/* Relaying snapshots of a trace or of another server. */

#include "server_internal.h"

#include "model_internal.h"
#include "net.h"

/* True if clients that know `previous` need not be sent `model`. */
static bool same_description(const struct gcs_model *previous, const struct gcs_model *model)
{
	bool same = previous->space_count == model->space_count &&
		    previous->group_count == model->group_count &&
		    model_info_edition(previous) == model_info_edition(model) &&
		    model_plugins_edition(previous) == model_plugins_edition(model);
	for (uint32_t i = 0; same && i < model->space_count; i++)
		same = model_edition(previous, i) == model_edition(model, i);
	return same;
}

/*
 * The description `model` as a successor of `previous`. Clients never forget groups and spaces, so those
 * missing from `model` (no longer there or, when a replay goes back, not yet) are kept, with spaces as
 * withdrawn.
 */
static struct gcs_model *follow(const struct gcs_model *previous, const struct gcs_model *model)
{
	struct gcs_model *m = gcs_model_copy(model);
	enum gcs_status status = m == NULL ? GCS_NOMEM : GCS_OK;
	for (uint32_t i = model->group_count; status == GCS_OK && i < previous->group_count; i++)
		status = gcs_model_add_group(m, &previous->groups[i], NULL, NULL);
	for (uint32_t i = model->space_count; status == GCS_OK && i < previous->space_count; i++) {
		status = gcs_model_add_space(m, &previous->spaces[i], NULL, NULL);
		if (status == GCS_OK)
			status = gcs_model_remove_space(m, i, NULL);
	}
	if (status == GCS_OK) {
		model_inherit(m, previous);
		return m;
	}
	gcs_model_unref(m);
	return NULL;
}

/* The snapshot with the server's description, which is updated if necessary; NULL without memory. */
static struct gcs_snapshot *adopt(struct gcs_server *s, const struct gcs_snapshot *snapshot)
{
	pthread_mutex_lock(&s->lock);
	struct gcs_model *previous = gcs_model_ref(s->model);
	pthread_mutex_unlock(&s->lock);
	struct gcs_model *model = NULL;
	struct gcs_snapshot *adopted = NULL;
	if (same_description(previous, snapshot->model))
		adopted = gcs_snapshot_ref(snapshot);
	else if ((model = follow(previous, snapshot->model)) != NULL)
		adopted = snapshot_rehouse(snapshot, model);
	if (adopted != NULL && model != NULL && !same_description(previous, model)) {
		pthread_mutex_lock(&s->lock);
		s->model = gcs_model_ref(model);
		pthread_mutex_unlock(&s->lock);
		gcs_model_unref(previous);
	}
	gcs_model_unref(model);
	gcs_model_unref(previous);
	return adopted;
}

/* All attached clients, which get snapshots without an event. */
static uint32_t all_attached(struct gcs_server *s)
{
	pthread_mutex_lock(&s->lock);
	uint32_t mask = server_record_audience(s);
	for (uint32_t slot = 0; slot < GCS_MAX_CLIENTS; slot++)
		if (s->peers[slot] != NULL && s->peers[slot]->counted)
			mask |= (uint32_t)1 << slot;
	pthread_mutex_unlock(&s->lock);
	return mask;
}

enum gcs_status gcs_server_relay(struct gcs_server *s, const struct gcs_snapshot *snapshot,
    struct gcs_ticket *t, struct gcs_error *err)
{
	const struct gcs_occurrence *o = &snapshot->occurrence;
	*t = (struct gcs_ticket){.event = o->event,
	    .sequence = o->sequence,
	    .time_ns = o->time_ns,
	    .cost_ns = o->cost_ns,
	    .interrupts = gate_interrupts(&s->gate)};
	/* Events are fixed at the start. */
	if (!model_same_events(s->model, snapshot->model))
		return gcs_fail(err, GCS_ARGUMENT, "the events differ from those of the server");
	struct gcs_snapshot *adopted = adopt(s, snapshot);
	if (adopted == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory to relay an event");
	atomic_store(&s->relays, true);
	for (uint32_t i = 0; i < snapshot->model->event_count; i++)
		atomic_store(&s->counters[i], snapshot->counters[i]);
	if (o->event == GCS_NONE) {
		t->audience = all_attached(s);
	} else {
		t->count = snapshot->counters[o->event];
		t->audience = server_due(s, o->event, atomic_load(&s->wanted[o->event]), t->count);
		if (gcs_snapshot_fired_count(snapshot) != 0)
			t->audience = all_attached(s);
	}
	server_hand_out(s, t, adopted);
	return GCS_OK;
}

void gcs_server_relay_again(struct gcs_server *s, const struct gcs_ticket *t)
{
	pthread_mutex_lock(&s->lock);
	for (uint32_t slot = 0; slot < GCS_MAX_CLIENTS; slot++)
		if ((t->audience >> slot & 1) != 0 && s->peers[slot] != NULL && s->latest != NULL)
			s->stats.thinned += peer_push(s->peers[slot], s->latest);
	pthread_mutex_unlock(&s->lock);
	net_wake(s->wake[1]);
}

uint32_t gcs_server_backlog(struct gcs_server *s)
{
	uint32_t most = 0;
	pthread_mutex_lock(&s->lock);
	for (uint32_t slot = 0; slot < GCS_MAX_CLIENTS; slot++)
		if (s->peers[slot] != NULL && s->peers[slot]->pace != GCS_PACE_INTERVAL) {
			const struct peer *p = s->peers[slot];
			const uint32_t waits = p->queue_count + (atomic_load(&p->unsent) ? 1 : 0);
			most = waits > most ? waits : most;
		}
	pthread_mutex_unlock(&s->lock);
	return most;
}

bool gcs_server_relay_leave(struct gcs_server *s, struct gcs_ticket *t)
{
	return server_leave(s, t, &t->interrupts);
}

void gcs_server_interrupt(struct gcs_server *s)
{
	gate_interrupt(&s->gate);
}

bool gcs_server_steps_over(struct gcs_server *s, const struct gcs_ticket *t)
{
	struct gate_view view;
	gate_read(&s->gate, &view);
	return view.stepping != 0 && (view.stepping & t->audience) == 0;
}

void gcs_server_set_position(struct gcs_server *s, const struct gcs_position *position)
{
	pthread_mutex_lock(&s->lock);
	s->position = *position;
	s->position_number++;
	pthread_mutex_unlock(&s->lock);
	net_wake(s->wake[1]);
}
