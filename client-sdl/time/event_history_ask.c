/* Queries about the present or an earlier moment; declared in event_history.h. */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "event_history_store.h"
#include "trace_format.h"
#include "trace_thread.h"

#define OF_PAST                                                                                    \
	UINT32_C(0x80000000) /* set in the ids of queries to the store; sources count from 1 */

bool app_asked_history(uint32_t id)
{
	return (id & OF_PAST) != 0;
}

bool app_asks_history(const struct app *app)
{
	const struct event_history *p = &app->event_history;
	if (p->back)
		return true;
	return app->state != SOURCE_LIVE && !app->replay.on && app->snapshot != NULL &&
	       p->history != NULL && p->profiles > 0;
}

bool app_can_ask(const struct app *app)
{
	if (app_asks_history(app))
		return app->event_history.history != NULL;
	return app->state == SOURCE_LIVE && app->source.ops->query != NULL;
}

/* Only profiles are kept; other topics have no history. */
static enum gcs_status ask_history(struct app *app, const char *topic, uint32_t count,
    const struct gcs_info *parameters, uint32_t *id)
{
	struct event_history *p = &app->event_history;
	enum gcs_profile_kind kind = GCS_PROFILE_LIVE;
	bool known = p->history != NULL && strcmp(topic, "sites") == 0;
	for (uint32_t i = 0; known && i < count; i++)
		known = strcmp(parameters[i].key, "kind") == 0 &&
			gcs_profile_find_kind(parameters[i].value, &kind);
	if (!known)
		return GCS_UNSUPPORTED;
	*id = OF_PAST | (++p->question & ~OF_PAST);
	return event_history_store_ask(p->history, kind, event_history_shown_ns(app), *id);
}

enum gcs_status app_ask(struct app *app, const char *topic, uint32_t count,
    const struct gcs_info *parameters, uint32_t *id)
{
	if (app_asks_history(app))
		return ask_history(app, topic, count, parameters, id);
	if (app->source.ops == NULL || app->source.ops->query == NULL)
		return GCS_UNSUPPORTED;
	return app->source.ops->query(app->source.self, topic, count, parameters, id);
}

struct gcs_answer *app_answer(struct app *app, uint32_t id)
{
	/* As with a lost connection, what was asked ends with the history. */
	if (app_asked_history(id) && (id & ~OF_PAST) <= app->event_history.lost)
		return trace_thread_make_answer(id, GCS_CLOSED, "", NULL, 0);
	if (app_asked_history(id))
		return app->event_history.history != NULL
			   ? event_history_store_answer(app->event_history.history, id)
			   : NULL;
	return app->source.ops != NULL && app->source.ops->answer != NULL
		   ? app->source.ops->answer(app->source.self, id)
		   : NULL;
}

enum {
	RING = sizeof((struct event_history *)0)->profile /
	       sizeof *((struct event_history *)0)->profile
};

/* The second byte is the kind (docs/protocol.md, section 11). */
static uint8_t kind_of(const void *bytes)
{
	return ((const uint8_t *)bytes)[1];
}

/* In the files, too, a profile has no place before that of an earlier one. */
static void keep_profile(
    struct event_history *p, const struct gcs_snapshot *of, const void *bytes, size_t length)
{
	const uint8_t kind = kind_of(bytes);
	const uint64_t last_ns =
	    p->profiles == 0 ? 0 : p->profile[(p->profiles - 1) % RING].time_ns;
	const uint64_t time_ns = gcs_snapshot_occurrence(of)->time_ns;
	if (!event_history_store_put_profile(p->history, of, kind, bytes, length))
		return;
	p->profile[p->profiles % RING].time_ns = time_ns > last_ns ? time_ns : last_ns;
	p->profile[p->profiles++ % RING].kind = kind;
}

static void drop_early(struct event_history *p, uint32_t i)
{
	gcs_snapshot_unref(p->early[i].of);
	free(p->early[i].bytes);
	memmove(&p->early[i], &p->early[i + 1], (--p->early_count - i) * sizeof *p->early);
}

/* The first profile may arrive before the files exist, and the next of its kind much later. */
static void hold_early(
    struct event_history *p, struct gcs_snapshot *of, const void *bytes, size_t length)
{
	void *copy = malloc(length);
	if (copy == NULL)
		return;
	memcpy(copy, bytes, length);
	for (uint32_t i = p->early_count; i-- > 0;)
		if (kind_of(p->early[i].bytes) == kind_of(bytes))
			drop_early(p, i);
	p->early[p->early_count].of = gcs_snapshot_ref(of);
	p->early[p->early_count].bytes = copy;
	p->early[p->early_count++].length = length;
}

void event_history_feed_profiles(struct event_history *p)
{
	if (p->early_count == 0 || !event_history_store_is_ready(p->history))
		return;
	for (uint32_t i = 0; i < p->early_count; i++)
		keep_profile(p, p->early[i].of, p->early[i].bytes, p->early[i].length);
	event_history_drop_profiles(p);
}

void event_history_drop_profiles(struct event_history *p)
{
	while (p->early_count > 0)
		drop_early(p, p->early_count - 1);
}

struct event_history_times event_history_times_of(const void *bytes, size_t length)
{
	struct event_history_times times = {0};
	if (trace_is_profile(bytes, length))
		times.wall_ns = trace_profile_ns(bytes, length, &times.judged_ns);
	return times;
}

void event_history_profile(
    struct app *app, const struct event_history_times *times, const void *bytes, size_t length)
{
	struct event_history *p = &app->event_history;
	if (p->history == NULL || p->newest == NULL || !trace_is_profile(bytes, length))
		return;
	int64_t *last_ns = &p->judged_ns[kind_of(bytes)];
	/* Recorders do not write a further profile of the same collection. */
	const bool repeated = times->judged_ns != 0 && times->judged_ns == *last_ns;
	*last_ns = times->judged_ns;
	if (repeated)
		return;
	struct gcs_snapshot *of = event_history_judge(p, times->wall_ns);
	event_history_feed_profiles(p);
	if (p->early_count > 0 || !event_history_store_is_ready(p->history))
		hold_early(p, of, bytes, length);
	else
		keep_profile(p, of, bytes, length);
}

uint64_t event_history_profile_at(const struct app *app, int kind, uint64_t time_ns)
{
	const struct event_history *p = &app->event_history;
	const uint64_t least = p->profiles > RING ? p->profiles - RING : 0;
	if (app->replay.on)
		return 0;
	for (uint64_t i = p->profiles; i > least; i--)
		if (p->profile[(i - 1) % RING].kind == kind &&
		    p->profile[(i - 1) % RING].time_ns <= time_ns)
			return i + 1;
	/* Profiles no longer in the ring: each time counts as another one. */
	return least > 0 ? UINT64_MAX - time_ns : 1;
}

uint64_t app_profile_moment(const struct app *app, int kind)
{
	if (app->replay.on && app->source.ops != NULL && app->source.ops->file)
		return app->replay.at.place + 1;
	if (!app_asks_history(app))
		return 0;
	const uint64_t at = event_history_profile_at(app, kind, event_history_shown_ns(app));
	/* After the end, what the program answered stays where the history has nothing. */
	return app->event_history.back || at > 1 ? at : 0;
}
