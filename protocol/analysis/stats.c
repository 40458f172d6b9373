/* The builder: classifies each snapshot, passes it to all parts, and gathers their results. */

#include "stats_internal.h"

#include <string.h>

#include <gcspy/memory.h>

enum { NS_PER_SECOND = 1000000000 };

/* For a snapshot outside events, and for an event that is repeated. */
static const struct stats_event_names nothing = {
    GCS_NONE, GCS_NONE, GCS_NONE, GCS_NONE, GCS_NONE, GCS_NONE, GCS_NONE, false, false};

struct gcs_stats_builder *gcs_stats_begin(void)
{
	struct gcs_stats_builder *b = gcs_zalloc(sizeof *b);
	if (b != NULL) {
		b->first_place = GCS_NO_PLACE;
		b->profiles.by = GCS_SITES_BY_FRAME;
	}
	return b;
}

void gcs_stats_skip_streams(struct gcs_stats_builder *b)
{
	b->without_streams = true;
}

static bool describe(struct gcs_stats_builder *b, struct gcs_model *model)
{
	if (b->last != NULL && gcs_snapshot_model(b->last) == model)
		return true;
	if (b->first_model == NULL)
		b->first_model = gcs_model_ref(model);
	stats_names_find(&b->names, model);
	stats_heap_describe(&b->heap, &b->names);
	stats_rates_describe(&b->rates, &b->names);
	for (uint32_t i = 0; i < model->event_count; i++)
		b->pauses.declared = b->pauses.declared || b->names.events[i].pause != GCS_NONE;
	return b->without_streams || stats_spaces_describe(&b->spaces, &b->texts, model);
}

static uint64_t grown(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

/* The clocks, from the snapshot before to this one. */
static void advance(struct gcs_stats_builder *b, const struct gcs_occurrence *before,
    const struct gcs_occurrence *now)
{
	const bool restarted = now->sequence < before->sequence || now->time_ns < before->time_ns;
	if (restarted) {
		b->restarts++;
		stats_rates_break(&b->rates);
		memset(b->counters, 0, sizeof b->counters);
		return;
	}
	/* Where a client held the program, or the heap was walked, no time passed for it; what an event costs
	 * otherwise is a part of the pause. Threads that are held at the same time lose more together. */
	enum { HELD_NS = 10000000 };
	const uint64_t elapsed = now->time_ns - before->time_ns;
	const uint64_t cost = grown(before->cost_ns, now->cost_ns);
	const uint64_t held = cost < elapsed ? cost : elapsed;
	/* An event's cost is in the next one's. An update is made by GCspy's own thread; the program runs. */
	const bool beside =
	    before->event < b->names.event_count && b->names.events[before->event].update;
	const uint64_t lost = beside || cost < HELD_NS ? 0 : held;
	b->now.seconds += (double)(elapsed - lost) / NS_PER_SECOND;
	b->before_ns += elapsed;
	b->lost_ns += lost;
	b->missed += grown(before->missed, now->missed);
	*(beside ? &b->updates_ns : &b->cost_ns) += cost;
}

/* What events have grown by that are counted between updates, without the time across a restart. */
static void count_between(struct gcs_stats_builder *b, const struct gcs_snapshot *s)
{
	const struct gcs_occurrence *before = gcs_snapshot_occurrence(b->last);
	const struct gcs_occurrence *now = gcs_snapshot_occurrence(s);
	if (now->sequence < before->sequence || now->time_ns < before->time_ns)
		return;
	for (uint32_t i = 0; i < b->names.event_count; i++)
		if (b->names.events[i].counted)
			b->counted[i] +=
			    grown(gcs_snapshot_counter(b->last, i), gcs_snapshot_counter(s, i));
}

/* The program's time since the last event of this kind, but for what another gap has taken. */
static uint64_t unwatched(struct gcs_stats_builder *b, uint32_t event)
{
	const uint64_t now = b->before_ns - b->lost_ns, until = b->watched_until_ns[event];
	const uint64_t from = until > b->unwatched_until_ns ? until : b->unwatched_until_ns;
	b->unwatched_until_ns = now;
	return now - from;
}

/* Counts the event: what of its kind is missing since the last recorded one, or since a gap. */
static void count_event(struct gcs_stats_builder *b, struct stats_view *v)
{
	const struct gcs_snapshot *s = v->snapshot;
	const uint32_t event = gcs_snapshot_occurrence(s)->event;
	if (event >= b->names.event_count)
		return;
	const uint64_t count = gcs_snapshot_counter(s, event), before = b->counters[event];
	const bool counted = b->names.events[event].counted;
	const uint64_t unseen = before != 0 && count > before && !counted ? count - before - 1 : 0;
	b->recorded[event]++;
	b->unseen[event] += unseen;
	b->counters[event] = count;
	v->adjoins = unseen == 0 || b->excused[event];
	b->excused[event] = false;
	v->behind_gap = unseen != 0;
	if (unseen != 0 && b->names.events[event].pause != GCS_NONE)
		v->unwatched_ns = unwatched(b, event);
	b->watched_until_ns[event] = b->before_ns - b->lost_ns;
}

static struct stats_view view_of(
    struct gcs_stats_builder *b, const struct gcs_snapshot *s, uint64_t place)
{
	const struct gcs_occurrence *now = gcs_snapshot_occurrence(s);
	const struct gcs_occurrence *before =
	    b->last == NULL ? NULL : gcs_snapshot_occurrence(b->last);
	const bool again = before != NULL && now->sequence == before->sequence;
	if (before != NULL) {
		count_between(b, s);
		advance(b, before, now);
	}
	b->now.place = place;
	struct stats_view v = {.snapshot = s, .event = &nothing, .when = b->now, .adjoins = true};
	v.next = before != NULL && now->sequence == before->sequence + 1 && !b->broken;
	if (again)
		return v;
	count_event(b, &v);
	v.adjoins = v.adjoins && !b->broken;
	if (!v.adjoins) {
		b->gaps++;
		for (uint32_t i = 0; i < b->names.event_count; i++)
			b->excused[i] = i != now->event;
	}
	b->broken = false;
	if (now->event < b->names.event_count) {
		v.event = &b->names.events[now->event];
		v.kind = stats_words(gcs_snapshot_model(s), s, v.event->kind);
		v.kind_class = stats_classify(v.kind);
	}
	return v;
}

/* The pause before the first snapshot was observed too. */
static void begin(struct gcs_stats_builder *b, const struct stats_view *v)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(v->snapshot);
	double pause;
	b->first_place = v->when.place;
	b->first_wall_ns = o->wall_ns;
	if (stats_number(v, v->event->pause, &pause) && pause > 0)
		b->before_ns = (uint64_t)pause;
}

enum gcs_status gcs_stats_add(
    struct gcs_stats_builder *b, const struct gcs_snapshot *snapshot, uint64_t place)
{
	struct gcs_model *model = (struct gcs_model *)gcs_snapshot_model(snapshot);
	if (!describe(b, model))
		return GCS_NOMEM;
	const struct stats_view v = view_of(b, snapshot, place);
	if (b->first_place == GCS_NO_PLACE)
		begin(b, &v);
	b->snapshots++;
	const bool ok = stats_pauses_add(&b->pauses, &b->texts, &v);
	const bool noted = stats_fired_add(&b->fired, &b->texts, &v);
	stats_heap_add(&b->heap, &b->names, &v);
	if (!v.adjoins)
		stats_rates_break(&b->rates);
	stats_rates_add(&b->rates, &b->names, &v);
	if (ok)
		stats_longest_add(&b->longest, &b->pauses, &b->rates.step, &v);
	if (!b->without_streams)
		stats_spaces_add(&b->spaces, &v);
	gcs_snapshot_unref(b->last);
	b->last = gcs_snapshot_ref(snapshot);
	return ok && noted ? GCS_OK : GCS_NOMEM;
}

void gcs_stats_watched(struct gcs_stats_builder *b, uint64_t ns)
{
	b->watched_ns = ns;
}

void gcs_stats_to_the_end(struct gcs_stats_builder *b)
{
	b->to_the_end = true;
}

static uint64_t quiet_end_ns(const struct gcs_stats_builder *b)
{
	const int64_t last = b->last == NULL ? 0 : gcs_snapshot_occurrence(b->last)->wall_ns;
	return b->to_the_end && last > 0 && b->profile_wall_ns > last
		   ? (uint64_t)(b->profile_wall_ns - last)
		   : 0;
}

/* Of the time watched what is not between the first event and the last. */
static uint64_t quiet_ns(const struct gcs_stats_builder *b)
{
	const uint64_t end = quiet_end_ns(b);
	return b->watched_ns > b->before_ns + end ? b->watched_ns - b->before_ns : end;
}

uint64_t gcs_stats_collections(const struct gcs_stats_builder *b)
{
	return b->heap.concurrent[0] != '\0' ? b->heap.cycles : b->heap.after.count;
}

void gcs_stats_skip(struct gcs_stats_builder *b, uint64_t events)
{
	b->skipped += events;
	b->broken = b->broken || events != 0;
}

void gcs_stats_count_profiles(struct gcs_stats_builder *b, uint64_t profiles)
{
	b->profiles.count += profiles;
}

void gcs_stats_add_profile(struct gcs_stats_builder *b, struct gcs_profile *profile)
{
	const int64_t wall_ns = profile == NULL ? 0 : gcs_profile_head(profile)->wall_ns;
	if (wall_ns > b->profile_wall_ns)
		b->profile_wall_ns = wall_ns;
	stats_profiles_add(&b->profiles, profile);
}

void gcs_stats_drop(struct gcs_stats_builder *b)
{
	if (b == NULL)
		return;
	arena_fini(&b->texts);
	gcs_free(b->pauses.items);
	stats_spaces_fini(&b->spaces);
	stats_profiles_fini(&b->profiles);
	gcs_snapshot_unref(b->last);
	gcs_model_unref(b->first_model);
	gcs_free(b);
}

static bool give_events(struct gcs_stats_builder *b, struct gcs_stats *result)
{
	const uint32_t count = b->first_model == NULL ? 0 : b->first_model->event_count;
	struct gcs_stats_event *events = arena_alloc(&b->texts, count + 1, sizeof *events);
	if (events == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++)
		events[i] = (struct gcs_stats_event){.name = b->first_model->events[i].name,
		    .recorded = b->recorded[i],
		    .unseen = b->unseen[i],
		    .counted = GCS_NO_PLACE,
		    .counted_per_second = -1};
	for (uint32_t i = 0; i < count && i < b->names.event_count; i++) {
		if (!b->names.events[i].counted)
			continue;
		events[i].counted = b->counted[i];
		const double seconds = b->now.seconds + (double)quiet_ns(b) / NS_PER_SECOND;
		if (b->now.seconds > 0)
			events[i].counted_per_second = (double)b->counted[i] / seconds;
	}
	result->event_count = count;
	result->events = events;
	return true;
}

static void give_head(const struct gcs_stats_builder *b, struct gcs_stats *result)
{
	*result = (struct gcs_stats){
	    .server = "",
	    .snapshots = b->snapshots,
	    .unreadable = b->skipped,
	    .first_place = b->first_place,
	    .last_place = b->snapshots == 0 ? GCS_NO_PLACE : b->now.place,
	    .first_wall_ns = b->first_wall_ns,
	    .wall_ns = b->before_ns + quiet_ns(b),
	    .run_ns = b->before_ns - b->lost_ns,
	    .watched_ns = b->before_ns - b->lost_ns + quiet_ns(b),
	    .missed = b->missed,
	    .restarts = b->restarts,
	    .gaps = b->gaps,
	    .cost_ns = b->cost_ns,
	    .updates_ns = b->updates_ns,
	    .collections = gcs_stats_collections(b),
	    .profiles = b->profiles.count,
	    .lost_profiles = b->profiles.lost,
	};
	if (b->last != NULL) {
		const struct gcs_model *model = gcs_snapshot_model(b->last);
		result->last_wall_ns =
		    gcs_snapshot_occurrence(b->last)->wall_ns + (int64_t)quiet_end_ns(b);
		result->server = model->server_name;
		result->info_count = model->info_count;
		result->info = model->info;
	}
}

/* Moves what the result refers to from the builder. */
static void take(struct stats_result *r, struct gcs_stats_builder *b)
{
	r->first_model = b->first_model;
	b->first_model = NULL;
	if (b->last != NULL)
		r->last_model = gcs_model_ref((struct gcs_model *)gcs_snapshot_model(b->last));
	r->catalogue = b->spaces.catalogue;
	b->spaces.catalogue = NULL;
	r->profiles = b->profiles;
	b->profiles = (struct stats_profiles){0};
	r->texts = b->texts;
	b->texts = (struct arena){0};
}

static bool tells_of_collections(const struct gcs_stats_builder *b)
{
	const struct stats_heap *heap = &b->heap;
	return b->pauses.declared || heap->declares_after || heap->declares_used ||
	       heap->declares_committed || b->rates.declares_before || b->rates.declares_kind ||
	       b->rates.buffers_described;
}

static bool give(struct stats_result *r, struct gcs_stats_builder *b)
{
	give_head(b, &r->stats);
	r->stats.collects = tells_of_collections(b);
	stats_heap_give(&b->heap, &r->stats);
	r->stats.fragmentation_space = NULL;
	if (b->heap.spread_space[0] != '\0')
		r->stats.fragmentation_space =
		    arena_text(&b->texts, b->heap.spread_space, strlen(b->heap.spread_space));
	stats_rates_give(&b->rates, &b->heap, &r->stats);
	stats_longest_give(&b->longest, &b->heap, &r->stats);
	const bool ok = give_events(b, &r->stats) &&
			stats_fired_give(&b->fired, &b->texts, &r->stats) &&
			stats_pauses_give(&b->pauses, &b->texts, &r->stats) &&
			stats_spaces_give(&b->spaces, &b->texts, &r->stats);
	take(r, b);
	return ok;
}

struct gcs_stats *gcs_stats_finish(struct gcs_stats_builder *b)
{
	struct stats_result *r = gcs_zalloc(sizeof *r);
	if (r == NULL) {
		gcs_stats_drop(b);
		return NULL;
	}
	const bool ok = give(r, b) && stats_profiles_give(&r->profiles, &r->stats);
	gcs_stats_drop(b);
	if (ok)
		return &r->stats;
	gcs_stats_free(&r->stats);
	return NULL;
}

void gcs_stats_free(struct gcs_stats *stats)
{
	struct stats_result *r = (struct stats_result *)(void *)stats;
	if (r == NULL)
		return;
	stats_profiles_fini(&r->profiles);
	arena_fini(&r->texts);
	gcs_model_unref(r->first_model);
	gcs_model_unref(r->last_model);
	gcs_model_unref(r->catalogue);
	gcs_free(r);
}
