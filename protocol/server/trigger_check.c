/* Evaluation at an event, in the target's thread: no lock, no allocation. What fires is noted in the
 * trigger until its snapshot is begun. */

#include <string.h>

#include "now.h"
#include "server_internal.h"
#include "updates_internal.h"

/* An occurrence of an event, as conditions see it. */
struct occurrence {
	struct gcs_server *server;
	const struct gcs_ticket *ticket; /* NULL: none yet */
	uint32_t event;
	uint64_t count;
	uint64_t time_ns; /* 0: not known */
	struct gcs_values values;
	uint32_t changes_known;
	int64_t changes[TRIGGER_SERIES];
};

static bool compute(
    const struct occurrence *o, const struct comparison *c, uint32_t attribute, int64_t *value)
{
	const struct gcs_server_options *options = &o->server->options;
	const struct gcs_ticket plain = {.event = o->event, .count = o->count};
	return options->attribute != NULL &&
	       options->attribute(options->context, o->ticket == NULL ? &plain : o->ticket,
		   o->event, attribute, c->parameters, value);
}

static bool known(const struct occurrence *o, uint32_t attribute)
{
	return (o->values.known >> attribute & 1) != 0;
}

static bool in_range(const struct trigger_op *op, int64_t value)
{
	return ((uint64_t)value - (uint64_t)op->low <= op->span) != op->negated;
}

static bool holds_text(const struct occurrence *o, const struct trigger_op *op)
{
	const char *text = known(o, op->attribute) && o->values.texts != NULL
			       ? o->values.texts[op->attribute]
			       : NULL;
	if (text == NULL)
		return false;
	if (op->kind == OP_CONTAINS)
		return strstr(text, op->of->text) != NULL;
	return (strcmp(text, op->of->text) == 0) != op->negated;
}

static bool holds(const struct occurrence *o, const struct trigger_op *op)
{
	int64_t value;
	switch (op->kind) {
	case OP_NUMBER:
		return known(o, op->attribute) && in_range(op, o->values.numbers[op->attribute]);
	case OP_COUNT:
		return in_range(op, (int64_t)o->count);
	case OP_CHANGE:
		return (o->changes_known >> op->series & 1) != 0 &&
		       in_range(op, o->changes[op->series]);
	case OP_DEMAND:
		return compute(o, op->of, op->attribute, &value) && in_range(op, value);
	default:
		return holds_text(o, op);
	}
}

/* Changes. */

/* The value of occurrence `i`, unless it was before `since` or has not stored one yet. */
static bool value_since(struct trigger_series *s, uint64_t i, uint64_t since, int64_t *value)
{
	const uint64_t at = i % GCS_MAX_TRIGGER_CHANGE;
	const uint64_t time = atomic_load_explicit(&s->ring[at].time_ns, memory_order_acquire);
	if (time == 0 || time < since)
		return false;
	*value = atomic_load_explicit(&s->ring[at].value, memory_order_relaxed);
	return true;
}

/* The value of the oldest occurrence since `since`, of the last ones before number `count`. */
static bool oldest_since(struct trigger_series *s, uint64_t count, uint64_t since, int64_t *value)
{
	const uint64_t first = count > GCS_MAX_TRIGGER_CHANGE ? count - GCS_MAX_TRIGGER_CHANGE : 0;
	for (uint64_t i = first; i < count; i++)
		if (value_since(s, i, since, value))
			return true;
	return false;
}

/* Adds the occurrence's value; true with its change if there is one. See trigger_series. */
static bool add_to_series(
    const struct occurrence *o, struct trigger_series *s, uint64_t now, int64_t *change)
{
	int64_t value, before = 0;
	const uint64_t window = s->of->window;
	if (s->on_demand ? !compute(o, s->of, s->attribute, &value) : !known(o, s->attribute))
		return false;
	if (!s->on_demand)
		value = o->values.numbers[s->attribute];
	const uint64_t count = atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
	bool any = false;
	if (s->of->window_is_time)
		any = oldest_since(s, count, now > window ? now - window : 0, &before);
	else if (count >= window)
		any = value_since(s, count - window, 0, &before);
	const uint64_t at = count % GCS_MAX_TRIGGER_CHANGE;
	atomic_store_explicit(&s->ring[at].value, value, memory_order_relaxed);
	atomic_store_explicit(&s->ring[at].time_ns, now, memory_order_release);
	*change = (int64_t)((uint64_t)value - (uint64_t)before);
	return any;
}

static void add_changes(struct occurrence *o, struct trigger *t, const struct trigger_code *code)
{
	const uint64_t now = o->time_ns != 0 ? o->time_ns : now_ns();
	for (uint32_t i = 0; i < code->series_count; i++) {
		const uint32_t series = code->first_series + i;
		const uint32_t bit = (uint32_t)1 << series;
		const bool any = add_to_series(o, &t->series[series], now, &o->changes[series]);
		o->changes_known = any ? o->changes_known | bit : o->changes_known & ~bit;
	}
}

/* Firing. */

/* True, with the number of this fire, if it is the turn of one. */
static bool its_turn(struct trigger *t, uint64_t *times)
{
	const uint64_t held = atomic_fetch_add_explicit(&t->held, 1, memory_order_relaxed) + 1;
	if (held % t->set.nth != 0 || atomic_load_explicit(&t->removed, memory_order_relaxed))
		return false;
	uint64_t before = atomic_load_explicit(&t->times, memory_order_relaxed);
	do {
		if (t->set.most != 0 && before >= t->set.most)
			return false;
	} while (!atomic_compare_exchange_weak(&t->times, &before, before + 1));
	*times = before + 1;
	return true;
}

static bool evaluate(struct occurrence *o, struct trigger *t)
{
	const struct trigger_code *code = &t->code[o->event];
	uint32_t at = code->entry;
	if (code->series_count != 0)
		add_changes(o, t, code);
	while (at < TRIGGER_FAILS)
		at = holds(o, &t->ops[at]) ? t->ops[at].yes : t->ops[at].no;
	return at == TRIGGER_HOLDS;
}

/* A place for the fire's description; NULL if too many wait. Its snapshot then does not have it, and the
 * next one's `times` shows that. */
static struct trigger_fire *take_fire(struct trigger *t)
{
	const uint32_t places = t->answers == NULL ? TRIGGER_FIRES : TRIGGER_ANSWERS;
	for (uint32_t i = 0; i < places; i++) {
		unsigned free = FIRE_FREE;
		if (atomic_compare_exchange_strong(&t->fires[i].state, &free, FIRE_FILLING)) {
			atomic_fetch_add(&t->references, 1);
			return &t->fires[i];
		}
	}
	return NULL;
}

static void fill_fire(struct occurrence *o, const struct trigger *t, struct trigger_fire *f)
{
	const struct gcs_server_options *options = &o->server->options;
	f->sequence = o->ticket->sequence;
	f->status = GCS_OK;
	f->length = 0;
	if (t->answers != NULL) {
		f->length = GCS_MAX_FIRED_ANSWER;
		f->status = options->plugin_at_event(
		    options->context, o->ticket, t->set.plugin, f->answer, &f->length);
		if (f->status != GCS_OK || f->length > GCS_MAX_FIRED_ANSWER)
			f->length = 0;
	}
	atomic_store(&f->state, FIRE_READY);
}

/* Makes the occurrence everybody's. */
static void announce(struct gcs_server *s, struct gcs_ticket *t, uint32_t everybody)
{
	t->audience |= everybody;
	if (t->sequence == 0)
		gcs_server_stamp(s, t);
}

/* A bit for each of the program's triggers whose condition holds. */
static uint32_t evaluate_all(struct occurrence *o, const struct trigger_program *p)
{
	uint32_t held = 0;
	for (uint32_t i = 0; i < p->count; i++)
		held |= evaluate(o, p->triggers[i]) ? (uint32_t)1 << i : 0;
	return held;
}

/* Fires these; notes in the ticket what has fired, if anybody is there to see it. */
static void fire(
    struct occurrence *o, const struct trigger_program *p, uint32_t held, struct gcs_ticket *t)
{
	struct trigger_fire *fires[GCS_MAX_TRIGGERS];
	const uint32_t everybody = atomic_load(&o->server->everybody);
	uint64_t times;
	bool any = false;
	for (uint32_t i = 0; i < p->count; i++) {
		struct trigger *trigger = p->triggers[i];
		fires[i] = NULL;
		if ((held >> i & 1) == 0 || !its_turn(trigger, &times) || everybody == 0)
			continue;
		if ((fires[i] = take_fire(trigger)) == NULL)
			continue;
		any = true;
		fires[i]->times = times;
		t->fired |= (uint32_t)1 << trigger->slot;
		if ((trigger->set.actions & GCS_TRIGGER_PAUSE) != 0)
			t->pausing |= server_bit(trigger->owner);
	}
	if (!any)
		return;
	announce(o->server, t, everybody);
	o->ticket = t;
	for (uint32_t i = 0; i < p->count; i++)
		if (fires[i] != NULL)
			fill_fire(o, p->triggers[i], fires[i]);
}

bool gcs_server_triggered(const struct gcs_server *s, uint32_t event)
{
	return event < GCS_MAX_EVENTS &&
	       atomic_load_explicit(&s->triggers.programs[event], memory_order_relaxed) != NULL;
}

bool gcs_server_check(struct gcs_server *s, struct gcs_ticket *t, const struct gcs_values *values)
{
	if (!gcs_server_triggered(s, t->event))
		return t->audience != 0;
	atomic_uint *readers = &s->triggers.readers[atomic_load(&s->triggers.side)];
	struct occurrence o;
	o.server = s;
	o.ticket = t;
	o.event = t->event;
	o.count = t->count;
	o.time_ns = t->time_ns;
	o.values = *values;
	o.changes_known = 0;
	atomic_fetch_add(readers, 1);
	const struct trigger_program *p = atomic_load(&s->triggers.programs[t->event]);
	const uint32_t held = p == NULL ? 0 : evaluate_all(&o, p);
	if (held != 0)
		fire(&o, p, held, t);
	atomic_fetch_sub(readers, 1);
	return t->audience != 0;
}

uint32_t triggers_held_of_many(const struct trigger_program *p, const int64_t *values)
{
	uint32_t held = 0;
	for (uint32_t i = 0; values != NULL && i < p->count; i++)
		held |= trigger_holds_simply(p->entries[i], p->triggers[i], values)
			    ? (uint32_t)1 << i
			    : 0;
	return held;
}

void triggers_count(struct gcs_updates *u, uint32_t index, const struct trigger_program *p,
    uint32_t held, uint64_t count, const int64_t *values)
{
	struct gcs_ticket ticket = {.event = u->options.events[index], .count = count};
	struct occurrence o;
	o.server = u->server;
	o.ticket = NULL;
	o.event = ticket.event;
	o.count = count;
	o.time_ns = 0;
	o.values.known = values == NULL ? 0 : UINT64_MAX;
	o.values.numbers = values;
	o.values.texts = NULL;
	o.changes_known = 0;
	if (!p->simple)
		held = evaluate_all(&o, p);
	if (held != 0)
		fire(&o, p, held, &ticket);
	if (ticket.fired != 0)
		updates_fire(u, index, values, &ticket);
}

bool gcs_server_interested(const struct gcs_server *s, uint32_t event, uint32_t attribute)
{
	return event < GCS_MAX_EVENTS && attribute < GCS_MAX_ATTRIBUTES &&
	       ((atomic_load_explicit(&s->triggers.interest[event], memory_order_relaxed) >>
			attribute &
		    1) != 0 ||
		   atomic_load_explicit(&s->interest[event][attribute], memory_order_relaxed) != 0);
}
