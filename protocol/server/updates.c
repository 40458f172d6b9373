/* The update thread: flushing at an interval, or at each event. */
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/zoom.h>

#include "now.h"
#include "reserved.h"
#include "server_internal.h"
#include "updates_internal.h"
#include "thread.h"
#include "tiles_internal.h"

/* Longest wait while no client is attached, or at the interval 0. */
enum { IDLE_MS = 100 };

/* Texts of the event Update, which the model copies. */
struct described {
	uint32_t count;
	struct gcs_attribute attributes[GCS_MAX_ATTRIBUTES];
	char names[GCS_MAX_ATTRIBUTES][GCS_MAX_NAME + 1];
};

static bool add_attribute(struct described *d, const char *event, const char *attribute,
    const char *what, enum gcs_format format)
{
	if (d->count == GCS_MAX_ATTRIBUTES)
		return false;
	char *name = d->names[d->count];
	if (attribute == NULL)
		snprintf(name, GCS_MAX_NAME + 1, "%.200s %s", event, what);
	else
		snprintf(name, GCS_MAX_NAME + 1, "%.100s: %.100s, %s", event, attribute, what);
	d->attributes[d->count++] = (struct gcs_attribute){.name = name, .format = format};
	return true;
}

static enum gcs_status describe_updates(struct gcs_updates *u, struct gcs_error *err)
{
	static const char *const kinds[] = {"sum", "least", "most"};
	const struct gcs_model *model = u->server->model;
	struct described *d = gcs_zalloc(sizeof *d);
	bool ok = d != NULL;
	if (d == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for updates");
	for (uint32_t i = 0; ok && i < u->options.event_count; i++) {
		struct statistics *s = &u->statistics[i];
		s->id = u->options.events[i];
		if (s->id >= model->event_count) {
			gcs_free(d);
			return gcs_fail(err, GCS_ARGUMENT, "there is no event %u", s->id);
		}
		const struct gcs_event *e = &model->events[s->id];
		s->first = d->count;
		ok = add_attribute(d, e->name, NULL, "per second", GCS_DECIMAL);
		for (uint32_t a = 0; ok && a < e->attribute_count; a++) {
			if (!updates_counts(&e->attributes[a]))
				continue;
			/* A sum of addresses means nothing. */
			const bool summed = e->attributes[a].format != GCS_HEX;
			s->at[s->values] = d->count;
			s->summed[s->values++] = summed;
			for (int k = summed ? 0 : 1; ok && k < 3; k++)
				ok = add_attribute(d, e->name, e->attributes[a].name, kinds[k],
				    e->attributes[a].format);
		}
	}
	const struct gcs_event update = {.name = "Update",
	    .description = "The tiles and events since the previous update",
	    .attribute_count = d->count,
	    .attributes = d->attributes};
	const enum gcs_status status =
	    ok ? gcs_server_add_event(u->server, &update, &u->event, err)
	       : gcs_fail(err, GCS_LIMIT, "the counted events have more than %u statistics",
		     GCS_MAX_ATTRIBUTES);
	gcs_free(d);
	return status;
}

static void free_updates(struct gcs_updates *u)
{
	gcs_free((void *)(uintptr_t)u->options.events);
	gcs_free((void *)(uintptr_t)u->options.tiles);
	gcs_free(u);
}

static bool copy_lists(struct gcs_updates *u)
{
	const struct gcs_updates_options *o = &u->options;
	uint32_t *events = gcs_alloc(o->event_count * sizeof *events);
	struct gcs_tiles **tiles = gcs_alloc((o->tiles_count + 1) * sizeof *tiles);
	if (events != NULL)
		memcpy(events, o->events, o->event_count * sizeof *events);
	if (tiles != NULL && o->tiles_count != 0)
		memcpy(tiles, o->tiles, o->tiles_count * sizeof *tiles);
	u->options.events = events;
	u->options.tiles = tiles;
	return events != NULL && tiles != NULL;
}

/* Says whether each event is to be counted by itself. Whoever changes that calls it afterwards, so that
 * the last call has the last value. */
static void tell_each(struct gcs_updates *u)
{
	if (u->options.each == NULL)
		return;
	pthread_mutex_lock(&u->telling);
	u->options.each(u->options.context,
	    (atomic_load(&u->attention) & 1) != 0 || atomic_load(&u->triggered));
	pthread_mutex_unlock(&u->telling);
}

void updates_renew(struct gcs_updates *u, bool triggered)
{
	atomic_store(&u->triggered, triggered);
	atomic_fetch_add(&u->attention, 2);
	tell_each(u);
}

struct gcs_updates *gcs_updates_create(
    struct gcs_server *server, const struct gcs_updates_options *options, struct gcs_error *err)
{
	if (RESERVED_CHECK("the options of updates", options, err) != GCS_OK ||
	    GIVEN_ARRAY("the events of updates", options->events, options->event_count, err) !=
		GCS_OK ||
	    GIVEN_ARRAY("the tiles of updates", options->tiles, options->tiles_count, err) !=
		GCS_OK)
		return NULL;
	if (options->event_count == 0 || options->event_count > GCS_MAX_EVENTS ||
	    options->interval_ms > GCS_MAX_UPDATE_MS) {
		gcs_fail(err, GCS_ARGUMENT,
		    "updates need 1 to %u events and an interval of at most %u ms", GCS_MAX_EVENTS,
		    GCS_MAX_UPDATE_MS);
		return NULL;
	}
	struct gcs_updates *u = gcs_zalloc(sizeof *u);
	if (u == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for updates");
		return NULL;
	}
	u->options = *options;
	u->server = server;
	u->interval_ms = options->interval_ms;
	atomic_init(&u->attention, u->interval_ms == 0 ? 1 : 0);
	if (!copy_lists(u))
		gcs_fail(err, GCS_NOMEM, "no memory for updates");
	else if (describe_updates(u, err) == GCS_OK) {
		counters_reset(u);
		u->flushed_ns = now_ns();
		if (thread_cond_init(&u->changed)) {
			pthread_mutex_init(&u->lock, NULL);
			pthread_mutex_init(&u->flushing, NULL);
			pthread_mutex_init(&u->telling, NULL);
			tell_each(u);
			server_use_updates(server, u);
			triggers_add_updates(server, u);
			return u;
		}
		gcs_fail(err, GCS_NOMEM, "no memory for updates");
	}
	free_updates(u);
	return NULL;
}

/* Lock held. */
static void set_detained(struct gcs_updates *u)
{
	if (u->held != 0 || u->interval_ms == 0)
		atomic_fetch_or(&u->attention, 1u);
	else
		atomic_fetch_and(&u->attention, ~1u);
	tell_each(u);
}

/* A counted event where triggers have fired. */
struct fired_event {
	uint32_t index;
	const int64_t *values; /* or NULL */
};

static void set_attributes(
    struct gcs_snapshot *s, const struct gcs_ticket *t, const int64_t *values)
{
	const struct gcs_event *e = &gcs_snapshot_model(s)->events[t->event];
	for (uint32_t a = 0; values != NULL && a < e->attribute_count; a++)
		if (updates_counts(&e->attributes[a]))
			gcs_snapshot_set_number(s, a, *values++);
}

/* Whether a client or a trigger wants this update. */
static bool is_wanted(
    struct gcs_updates *u, struct gcs_ticket *ticket, const struct counted_numbers *n)
{
	const struct gcs_values values = {.known = n->known, .numbers = n->numbers};
	return gcs_server_check(u->server, ticket, &values);
}

/* Publishes the present state for this ticket. `flushing` held; no other lock over the callbacks. The
 * triggers of Update are evaluated: nobody may want it without them. */
static void flush_updates(
    struct gcs_updates *u, struct gcs_ticket *ticket, const struct fired_event *fired)
{
	const uint64_t now = now_ns();
	const bool update = ticket->event == u->event;
	struct counted_numbers n;
	if (u->options.prepare != NULL)
		u->options.prepare(u->options.context);
	pthread_mutex_lock(&u->lock);
	counters_collect(u);
	if (update)
		counters_take(u, now - u->flushed_ns, &n);
	if (fired != NULL)
		ticket->count = u->statistics[fired->index].total;
	pthread_mutex_unlock(&u->lock);
	if (update && !is_wanted(u, ticket, &n)) {
		u->flushed_ns = now;
		return;
	}
	struct gcs_snapshot *s = gcs_server_begin(u->server, ticket);
	bool ok = s != NULL;
	for (uint32_t i = 0; ok && i < u->options.tiles_count; i++)
		ok = gcs_tiles_gather(u->options.tiles[i], u->server, ticket, s);
	ok = ok && gcs_zooms_gather(u->server, ticket, s);
	if (!ok) {
		pthread_mutex_lock(&u->lock);
		if (update)
			counters_give_back(u, &n);
		pthread_mutex_unlock(&u->lock);
		gcs_snapshot_unref(s);
		gcs_server_miss(u->server, ticket);
		return;
	}
	if (update) {
		counters_write(u, &n, s);
		u->flushed_ns = now;
	}
	if (fired != NULL)
		set_attributes(s, ticket, fired->values);
	if (u->options.fill != NULL)
		u->options.fill(u->options.context, s);
	gcs_server_publish(u->server, ticket, s);
}

void updates_collect(struct gcs_updates *u)
{
	pthread_mutex_lock(&u->flushing);
	if (u->options.prepare != NULL)
		u->options.prepare(u->options.context);
	pthread_mutex_lock(&u->lock);
	counters_collect(u);
	pthread_mutex_unlock(&u->lock);
	pthread_mutex_unlock(&u->flushing);
}

/* One update, if a client or a trigger wants it; the caller leaves the event. */
static void publish_update(struct gcs_updates *u, struct gcs_ticket *ticket)
{
	pthread_mutex_lock(&u->flushing);
	if (gcs_server_enter(u->server, u->event, ticket) ||
	    gcs_server_triggered(u->server, u->event))
		flush_updates(u, ticket, NULL);
	pthread_mutex_unlock(&u->flushing);
}

void gcs_updates_flush(struct gcs_updates *u)
{
	struct gcs_ticket ticket;
	if (gcs_server_attached(u->server))
		publish_update(u, &ticket);
}

void updates_detain(struct gcs_updates *u)
{
	struct gcs_ticket ticket;
	if (!gcs_server_attached(u->server))
		return;
	pthread_mutex_lock(&u->lock);
	while (u->held != 0)
		pthread_cond_wait(&u->changed, &u->lock);
	const bool each = u->interval_ms == 0 && !u->stopping;
	pthread_mutex_unlock(&u->lock);
	if (!each)
		return;
	publish_update(u, &ticket);
	gcs_server_leave(u->server, &ticket);
}

/* Passes the gate for the program: its threads wait at their next event while this one does. A hold that
 * comes after `server_stops` is for the next update, which tells the threads. `since_ns`: from when on the
 * program pays; 0: while it is held. */
static void leave_update(struct gcs_updates *u, const struct gcs_ticket *ticket, uint64_t since_ns)
{
	struct gcs_server *s = u->server;
	struct gate_event e;
	const bool stops = server_stops(s, ticket, &e);
	pthread_mutex_lock(&u->lock);
	uint64_t interrupts = gate_interrupts(&s->gate); /* before gcs_updates_destroy's */
	const bool waits = stops && !u->stopping;
	u->held += waits;
	const struct gcs_ticket asking = {.event = GCS_NONE, .audience = waits ? u->asking : 0};
	u->asking &= ~asking.audience;
	set_detained(u);
	pthread_mutex_unlock(&u->lock);
	if (asking.audience != 0)
		gcs_server_relay_again(s, &asking);
	e.interrupts = &interrupts;
	server_pass(s, waits ? &e : NULL, since_ns);
	pthread_mutex_lock(&u->lock);
	u->held -= waits;
	set_detained(u);
	pthread_cond_broadcast(&u->changed);
	pthread_mutex_unlock(&u->lock);
}

void updates_fire(
    struct gcs_updates *u, uint32_t index, const int64_t *values, const struct gcs_ticket *ticket)
{
	struct gcs_ticket copy = *ticket;
	pthread_mutex_lock(&u->flushing);
	flush_updates(u, &copy, &(struct fired_event){.index = index, .values = values});
	pthread_mutex_unlock(&u->flushing);
	leave_update(u, ticket, ticket->time_ns);
}

void updates_show_state(struct gcs_updates *u, uint32_t audience)
{
	struct gcs_ticket ticket = {.event = GCS_NONE, .audience = audience};
	pthread_mutex_lock(&u->flushing);
	gcs_server_stamp(u->server, &ticket);
	flush_updates(u, &ticket, NULL);
	pthread_mutex_unlock(&u->flushing);
}

/* Waits until the next update is due, and for state requests; false at the end. */
static bool wait_for_turn(struct gcs_updates *u, uint64_t last_ns, bool *due, uint32_t *asking)
{
	pthread_mutex_lock(&u->lock);
	for (;;) {
		const bool each = u->interval_ms == 0;
		const uint64_t until =
		    last_ns + (uint64_t)(each ? IDLE_MS : u->interval_ms) * 1000000u;
		*due = !each && now_ns() >= until;
		*asking = u->asking;
		if (*due || *asking != 0 || u->stopping)
			break;
		if (!thread_cond_until(&u->changed, &u->lock, until) && each)
			last_ns = now_ns();
	}
	u->asking = 0;
	const bool goes_on = !u->stopping;
	pthread_mutex_unlock(&u->lock);
	return goes_on;
}

static void *run_updates(void *argument)
{
	struct gcs_updates *u = argument;
	uint64_t last_ns = now_ns();
	uint32_t asking;
	bool due;
	while (wait_for_turn(u, last_ns, &due, &asking)) {
		if (asking != 0)
			updates_show_state(u, asking);
		if (!due)
			continue;
		last_ns = now_ns();
		if (!gcs_server_attached(u->server))
			continue;
		struct gcs_ticket ticket;
		publish_update(u, &ticket);
		leave_update(u, &ticket, 0);
	}
	return NULL;
}

enum gcs_status gcs_updates_start(struct gcs_updates *u, struct gcs_error *err)
{
	if (u->running)
		return gcs_fail(err, GCS_STATE, "the updates have started already");
	if (!u->server->running)
		return gcs_fail(err, GCS_STATE, "the updates need a server that has started");
	if (!thread_start(&u->thread, "gcspy-updates", run_updates, u))
		return gcs_fail(err, GCS_NOMEM, "cannot start the update thread");
	u->running = true;
	return GCS_OK;
}

void gcs_updates_destroy(struct gcs_updates *u)
{
	if (u == NULL)
		return;
	server_use_updates(u->server, NULL);
	pthread_mutex_lock(&u->lock);
	u->stopping = true;
	pthread_cond_broadcast(&u->changed);
	pthread_mutex_unlock(&u->lock);
	gate_interrupt(&u->server->gate); /* the thread waits no longer for a client's hold */
	if (u->running)
		pthread_join(u->thread, NULL);
	triggers_drop_updates(u->server, u);
	pthread_cond_destroy(&u->changed);
	pthread_mutex_destroy(&u->lock);
	pthread_mutex_destroy(&u->flushing);
	pthread_mutex_destroy(&u->telling);
	free_updates(u);
}

bool updates_forget(struct gcs_updates *u)
{
	const bool ran = u->running;
	pthread_mutex_init(&u->flushing, NULL);
	pthread_mutex_init(&u->lock, NULL);
	pthread_mutex_init(&u->telling, NULL);
	(void)thread_cond_init(&u->changed);
	u->running = false;
	u->held = 0;
	u->asking = 0;
	set_detained(u);
	for (uint32_t i = 0; i < u->options.tiles_count; i++)
		tiles_forget(u->options.tiles[i]);
	return ran;
}

bool gcs_updates_set_interval(struct gcs_updates *u, uint32_t ms)
{
	if (ms > GCS_MAX_UPDATE_MS)
		return false;
	pthread_mutex_lock(&u->lock);
	u->interval_ms = ms;
	set_detained(u);
	pthread_cond_broadcast(&u->changed);
	pthread_mutex_unlock(&u->lock);
	return true;
}

void gcs_updates_state_request(struct gcs_updates *u, const struct gcs_ticket *ticket)
{
	pthread_mutex_lock(&u->lock);
	const bool held = u->held != 0;
	if (!held)
		u->asking |= ticket->audience;
	pthread_cond_broadcast(&u->changed);
	pthread_mutex_unlock(&u->lock);
	if (held) /* the last update is the present state, and the thread waits for a client */
		gcs_server_relay_again(u->server, ticket);
}
