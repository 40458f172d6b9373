/* The places of triggers, their programs, and what of a fire is sent. */

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "server_internal.h"
#include "thread.h"
#include "updates_internal.h"

bool triggers_init(struct triggers *t)
{
	return pthread_mutex_init(&t->lock, NULL) == 0;
}

static void free_program(struct trigger_program *p)
{
	for (uint32_t i = 0; p != NULL && i < p->count; i++)
		atomic_fetch_sub(&p->triggers[i]->references, 1);
	gcs_free(p);
}

void triggers_fini(struct triggers *t)
{
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++) {
		free_program(atomic_load(&t->programs[i]));
		free_program(t->counted_programs[i]);
	}
	while (t->replaced != NULL) {
		struct trigger_program *next = t->replaced->next;
		free_program(t->replaced);
		t->replaced = next;
	}
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++)
		trigger_free(t->slots[i]);
	pthread_mutex_destroy(&t->lock);
}

/* Frees replaced programs that no thread uses, and removed triggers without programs and fires. Lock
 * held. */
static void reap(struct triggers *t)
{
	enum { BOTH = 3 };
	const unsigned side = atomic_load(&t->side);
	unsigned left = 0;
	for (unsigned i = 0; i < 2; i++)
		left |= atomic_load(&t->readers[i]) == 0 ? 1u << i : 0;
	if ((left >> (1 - side) & 1) != 0)
		atomic_store(&t->side, 1 - side);
	for (struct trigger_program **at = &t->replaced; *at != NULL;) {
		struct trigger_program *p = *at;
		p->left |= left;
		if (p->left == BOTH && atomic_load(&p->references) == 0) {
			*at = p->next;
			free_program(p);
		} else {
			at = &p->next;
		}
	}
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++) {
		struct trigger *trigger = t->slots[i];
		if (trigger == NULL || !atomic_load(&trigger->removed) ||
		    atomic_load(&trigger->references) != 1)
			continue;
		trigger_free(trigger);
		t->slots[i] = NULL;
	}
}

static bool belongs(const struct trigger *t, uint32_t event)
{
	return t != NULL && !atomic_load(&t->removed) && t->code[event].entry != TRIGGER_FAILS;
}

/* The program of an event; `*ok` is cleared without memory. */
static struct trigger_program *make_program(const struct triggers *t, uint32_t event, bool *ok)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++)
		count += belongs(t->slots[i], event);
	if (count == 0)
		return NULL;
	struct trigger_program *p = gcs_zalloc(sizeof *p + count * sizeof p->triggers[0]);
	*ok = *ok && p != NULL;
	for (uint32_t i = 0; p != NULL && i < GCS_MAX_TRIGGERS; i++) {
		if (!belongs(t->slots[i], event))
			continue;
		struct trigger *trigger = t->slots[i];
		const struct trigger_code *code = &trigger->code[event];
		p->simple = (p->count == 0 || p->simple) && code->simple;
		p->entries[p->count] = code->simple ? &trigger->ops[code->entry] : NULL;
		p->triggers[p->count++] = trigger;
		atomic_fetch_add(&trigger->references, 1);
	}
	return p;
}

static bool same_program(const struct trigger_program *a, const struct trigger_program *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return a->count == b->count &&
	       memcmp(a->triggers, b->triggers, a->count * sizeof a->triggers[0]) == 0;
}

/* Replaces an event's program. */
static void install(struct triggers *t, uint32_t event, struct trigger_program *p)
{
	const bool counted = (t->counted >> event & 1) != 0;
	struct trigger_program *old =
	    counted ? t->counted_programs[event] : atomic_load(&t->programs[event]);
	uint32_t interest = 0;
	for (uint32_t k = 0; p != NULL && k < p->count; k++)
		interest |= p->triggers[k]->code[event].attributes;
	atomic_store(&t->interest[event], interest);
	if (counted)
		t->counted_programs[event] = p;
	else
		atomic_store(&t->programs[event], p);
	if (old == NULL)
		return;
	old->left = 0;
	old->next = t->replaced;
	t->replaced = old;
}

/* True if an event that is counted by these updates has triggers. Lock held. */
static bool counts_any(const struct triggers *t, const struct gcs_updates *u)
{
	bool any = false;
	for (uint32_t i = 0; i < u->options.event_count; i++)
		any = any || t->counted_programs[u->options.events[i]] != NULL;
	return any;
}

/* Makes the programs follow the places; false, with nothing changed, without memory. Lock held. */
static bool rebuild(struct triggers *t)
{
	struct trigger_program *made[GCS_MAX_EVENTS];
	bool ok = true;
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		made[i] = make_program(t, i, &ok);
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++) {
		const struct trigger_program *old = (t->counted >> i & 1) != 0
							? t->counted_programs[i]
							: atomic_load(&t->programs[i]);
		if (!ok || same_program(old, made[i]))
			free_program(made[i]);
		else
			install(t, i, made[i]);
	}
	for (struct gcs_updates *u = t->updates; u != NULL; u = u->next)
		updates_renew(u, counts_any(t, u));
	reap(t);
	return ok;
}

static struct trigger *find_trigger(const struct triggers *t, const char *name)
{
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++)
		if (t->slots[i] != NULL && !atomic_load(&t->slots[i]->removed) &&
		    strcmp(t->slots[i]->set.name, name) == 0)
			return t->slots[i];
	return NULL;
}

static enum gcs_status check_owner(const struct trigger *t, uint32_t owner, struct gcs_error *err)
{
	if (owner == GCS_NONE || t->owner == GCS_NONE || t->owner == owner ||
	    (t->set.actions & GCS_TRIGGER_KEEP) != 0)
		return GCS_OK;
	return gcs_fail(err, GCS_STATE, "trigger \"%.60s\" belongs to another client", t->set.name);
}

/* True if a removed trigger still has a place. */
static bool any_removed(const struct triggers *t)
{
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++)
		if (t->slots[i] != NULL && atomic_load(&t->slots[i]->removed))
			return true;
	return false;
}

/* A free place, or GCS_MAX_TRIGGERS. Threads leave a program soon: it waits for that, up to 0.1 s. Lock
 * held, but not while it waits. */
static uint32_t free_place(struct triggers *t)
{
	enum { SLOT_TRIES = 100, TRY_US = 1000 };
	for (int tries = 0;; tries++) {
		uint32_t slot = 0;
		reap(t);
		while (slot < GCS_MAX_TRIGGERS && t->slots[slot] != NULL)
			slot++;
		if (slot != GCS_MAX_TRIGGERS || tries == SLOT_TRIES || !any_removed(t))
			return slot;
		pthread_mutex_unlock(&t->lock);
		thread_sleep_us(TRY_US);
		pthread_mutex_lock(&t->lock);
	}
}

/* Puts the trigger into a free place, instead of one with its name. Lock held. */
static enum gcs_status place(struct triggers *t, struct trigger *new, struct gcs_error *err)
{
	new->slot = free_place(t);
	struct trigger *old = find_trigger(t, new->set.name);
	if (old != NULL && check_owner(old, new->owner, err) != GCS_OK)
		return GCS_STATE;
	if (new->slot == GCS_MAX_TRIGGERS)
		return gcs_fail(err, GCS_LIMIT,
		    "trigger \"%.60s\": this server has %u triggers, the maximum", new->set.name,
		    GCS_MAX_TRIGGERS);
	t->slots[new->slot] = new;
	if (old != NULL)
		atomic_store(&old->removed, true);
	if (rebuild(t))
		return GCS_OK;
	t->slots[new->slot] = NULL;
	if (old != NULL)
		atomic_store(&old->removed, false);
	return gcs_fail(err, GCS_NOMEM, "no memory for a trigger");
}

static enum gcs_status check_target(
    const struct gcs_server *s, const struct gcs_trigger *t, uint32_t owner, struct gcs_error *err)
{
	const bool pauses = (t->actions & GCS_TRIGGER_PAUSE) != 0;
	if (s->options.seek != NULL || atomic_load(&s->relays))
		return gcs_fail(
		    err, GCS_UNSUPPORTED, "triggers work in a running program, not in a recording");
	if (pauses && owner == GCS_NONE)
		return gcs_fail(err, GCS_ARGUMENT,
		    "trigger \"%.60s\": only a client's trigger can pause the program", t->name);
	if ((t->actions & GCS_TRIGGER_RECORD) != 0 && owner != GCS_NONE && s->ring == NULL)
		return gcs_fail(err, GCS_STATE, "this program keeps no ring of its last seconds");
	if (t->plugin != NULL && t->plugin[0] != '\0' && s->options.plugin_at_event == NULL)
		return gcs_fail(
		    err, GCS_UNSUPPORTED, "this server's plugins do not answer at events");
	return GCS_OK;
}

enum gcs_status triggers_set(
    struct gcs_server *s, const struct gcs_trigger *set, uint32_t owner, struct gcs_error *err)
{
	struct gcs_error local = {.status = GCS_OK};
	err = err == NULL ? &local : err;
	if (check_target(s, set, owner, err) != GCS_OK)
		return err->status;
	pthread_mutex_lock(&s->lock);
	struct gcs_model *model = gcs_model_ref(s->model);
	pthread_mutex_unlock(&s->lock);
	struct trigger *t = NULL;
	if (set->plugin != NULL && set->plugin[0] != '\0' &&
	    gcs_model_find_plugin(model, set->plugin) == GCS_NONE)
		gcs_fail(err, GCS_ARGUMENT, "unknown plugin \"%.60s\"", set->plugin);
	else
		t = trigger_create(set, model, s->triggers.counted, err);
	if (t != NULL && !trigger_accepted(t, model, &s->options, err)) {
		trigger_free(t);
		t = NULL;
	}
	gcs_model_unref(model);
	if (t == NULL)
		return err->status;
	t->owner = owner;
	pthread_mutex_lock(&s->triggers.lock);
	const enum gcs_status status = place(&s->triggers, t, err);
	pthread_mutex_unlock(&s->triggers.lock);
	if (status != GCS_OK)
		trigger_free(t);
	return status;
}

enum gcs_status triggers_remove(
    struct gcs_server *s, const char *name, uint32_t owner, struct gcs_error *err)
{
	pthread_mutex_lock(&s->triggers.lock);
	reap(&s->triggers);
	struct trigger *t = find_trigger(&s->triggers, name);
	enum gcs_status status = GCS_ARGUMENT;
	if (t != NULL)
		status = check_owner(t, owner, err);
	else
		gcs_fail(err, GCS_ARGUMENT, "there is no trigger \"%.60s\"", name);
	if (status == GCS_OK) {
		atomic_store(&t->removed, true);
		rebuild(&s->triggers);
	}
	pthread_mutex_unlock(&s->triggers.lock);
	return status;
}

void triggers_leave(struct gcs_server *s, uint32_t owner)
{
	struct triggers *t = &s->triggers;
	bool any = false;
	pthread_mutex_lock(&t->lock);
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++) {
		struct trigger *trigger = t->slots[i];
		if (trigger == NULL || trigger->owner != owner)
			continue;
		any = true;
		if ((trigger->set.actions & GCS_TRIGGER_KEEP) != 0)
			trigger->owner = GCS_NONE;
		else
			atomic_store(&trigger->removed, true);
	}
	if (any)
		rebuild(t);
	pthread_mutex_unlock(&t->lock);
}

void triggers_forget(struct triggers *t)
{
	atomic_store(&t->readers[0], 0);
	atomic_store(&t->readers[1], 0);
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++)
		if (t->slots[i] != NULL && t->slots[i]->owner != GCS_NONE)
			atomic_store(&t->slots[i]->removed, true);
}

bool triggers_list(struct gcs_server *s, uint32_t owner, struct wr *w)
{
	struct gcs_trigger_state states[GCS_MAX_TRIGGERS];
	uint32_t count = 0;
	pthread_mutex_lock(&s->triggers.lock);
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++) {
		const struct trigger *t = s->triggers.slots[i];
		if (t == NULL || atomic_load(&t->removed))
			continue;
		states[count++] = (struct gcs_trigger_state){
		    .trigger = t->set, .times = atomic_load(&t->times), .own = t->owner == owner};
	}
	put_trigger_list(w, count, states);
	pthread_mutex_unlock(&s->triggers.lock);
	return w->status == GCS_OK;
}

void triggers_add_updates(struct gcs_server *s, struct gcs_updates *u)
{
	pthread_mutex_lock(&s->triggers.lock);
	for (uint32_t i = 0; i < u->options.event_count; i++)
		s->triggers.counted |= (uint64_t)1 << u->options.events[i];
	u->next = s->triggers.updates;
	s->triggers.updates = u;
	pthread_mutex_unlock(&s->triggers.lock);
}

void triggers_drop_updates(struct gcs_server *s, struct gcs_updates *u)
{
	pthread_mutex_lock(&s->triggers.lock);
	for (struct gcs_updates **at = &s->triggers.updates; *at != NULL; at = &(*at)->next)
		if (*at == u) {
			*at = u->next;
			break;
		}
	pthread_mutex_unlock(&s->triggers.lock);
}

struct trigger_program *triggers_take(struct triggers *t, uint32_t event)
{
	if (t->counted_programs[event] != NULL)
		atomic_fetch_add(&t->counted_programs[event]->references, 1);
	return t->counted_programs[event];
}

void triggers_drop(struct trigger_program *p)
{
	if (p != NULL)
		atomic_fetch_sub(&p->references, 1);
}

/* The trigger's fire at this occurrence, or NULL. */
static struct trigger_fire *fire_of(struct trigger *t, const struct gcs_ticket *ticket)
{
	for (uint32_t i = 0; t != NULL && i < TRIGGER_FIRES; i++)
		if (atomic_load(&t->fires[i].state) == FIRE_READY &&
		    t->fires[i].sequence == ticket->sequence)
			return &t->fires[i];
	return NULL;
}

void triggers_write(
    struct gcs_server *s, const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot)
{
	pthread_mutex_lock(&s->triggers.lock);
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++) {
		struct trigger *t = s->triggers.slots[i];
		const struct trigger_fire *f =
		    (ticket->fired >> i & 1) == 0 ? NULL : fire_of(t, ticket);
		if (f == NULL)
			continue;
		const struct gcs_fired fired = {.trigger = t->set.name,
		    .condition = t->set.condition,
		    .times = f->times,
		    .plugin = t->set.plugin,
		    .status = f->status,
		    .message = f->status == GCS_OK ? "" : gcs_status_text(f->status),
		    .length = f->length,
		    .answer = f->answer,
		    .actions = t->set.actions};
		gcs_snapshot_add_fired(snapshot, &fired);
	}
	pthread_mutex_unlock(&s->triggers.lock);
}

void triggers_settle(struct gcs_server *s, const struct gcs_ticket *ticket)
{
	if (ticket->fired == 0)
		return;
	pthread_mutex_lock(&s->triggers.lock);
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS; i++) {
		struct trigger *t = s->triggers.slots[i];
		struct trigger_fire *f = (ticket->fired >> i & 1) == 0 ? NULL : fire_of(t, ticket);
		if (f == NULL)
			continue;
		atomic_store(&f->state, FIRE_FREE);
		atomic_fetch_sub(&t->references, 1);
	}
	reap(&s->triggers);
	pthread_mutex_unlock(&s->triggers.lock);
}

bool triggers_record(struct gcs_server *s, const struct gcs_ticket *ticket, char *name, size_t size)
{
	bool records = false;
	pthread_mutex_lock(&s->triggers.lock);
	for (uint32_t i = 0; i < GCS_MAX_TRIGGERS && !records; i++) {
		const struct trigger *t =
		    (ticket->fired >> i & 1) == 0 ? NULL : s->triggers.slots[i];
		records = t != NULL && (t->set.actions & GCS_TRIGGER_RECORD) != 0;
		if (records)
			snprintf(name, size, "%s", t->set.name);
	}
	pthread_mutex_unlock(&s->triggers.lock);
	return records;
}
