/* The size of the heap at events, and the fragmentation of its free memory. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "free_runs.h"
#include "stats_internal.h"

/* So many collections of old objects, or markings, are enough for a line through what they leave. */
enum { ENOUGH_LEAST = 5, ENOUGH_MARKED = 3 };

static void add_spread(
    struct stats_heap *h, const struct stats_names *names, const struct stats_view *v, bool after)
{
	struct free_rule rule;
	struct free_runs runs;
	if (names->main == GCS_NONE || !gcs_snapshot_gathered(v->snapshot, names->main))
		return;
	h->is_c_heap = stats_is_c_heap(gcs_snapshot_model(v->snapshot));
	if (h->is_c_heap)
		return;
	const struct gcs_space *space = &gcs_snapshot_model(v->snapshot)->spaces[names->main];
	snprintf(h->spread_space, sizeof h->spread_space, "%s", space->name);
	if (!free_memory_known(space)) {
		snprintf(h->unused, sizeof h->unused, "%s", space->unused_text);
		return;
	}
	if (!free_rule_init(&rule, v->snapshot, names->main))
		return;
	free_runs_fill(&runs, &rule);
	const double share = free_fragmentation(&runs);
	if (share < 0)
		return;
	stats_series_add(&h->spread, &v->when, share);
	if (after)
		stats_series_add(&h->spread_after, &v->when, share);
}

/* An event with used bytes after it ends a collection, unless its kind says otherwise. */
static bool ends_collection(const struct stats_view *v)
{
	return v->event->after != GCS_NONE &&
	       (v->event->kind == GCS_NONE || v->kind_class == STATS_COLLECTION ||
		   v->kind_class == STATS_YOUNG);
}

/* A collection that finds out which old objects are garbage; mixed ones then take it away. */
static bool judges_old(const struct stats_view *v)
{
	return v->kind != NULL && strcmp(v->kind, "Mixed") != 0 &&
	       (v->kind_class == STATS_COLLECTION || strcmp(v->kind, "Remark") == 0);
}

static void take_lowest(struct stats_lowest *lowest, const struct stats_view *v, double value)
{
	if (!lowest->known || value < lowest->value)
		*lowest = (struct stats_lowest){true, value, v->when.seconds};
}

/* Young collections promote garbage, and spare humongous one: what they leave may grow until the
 * next collection of old objects, of a program that holds no more than before. */
static void add_least(struct stats_heap *h, const struct stats_view *v, double after)
{
	const bool begins = judges_old(v);
	if (!begins && !h->has_least)
		take_lowest(&h->before_least, v, after);
	if (begins && h->has_least)
		stats_series_add(&h->least, &h->least_when, h->least_now);
	if (begins || (h->has_least && after < h->least_now)) {
		h->least_now = after;
		h->least_when = v->when;
	}
	h->has_least = h->has_least || begins;
}

/* Marks of whole cycles begin at 0; those of generations keep what is known of the other one. */
static void add_marked(
    struct stats_heap *h, const struct stats_names *names, const struct stats_view *v)
{
	uint32_t count = 0;
	if (v->kind_class != STATS_CONCURRENT || names->main_live == GCS_NONE ||
	    !gcs_snapshot_gathered(v->snapshot, names->main))
		return;
	const int64_t *live =
	    gcs_snapshot_summary(v->snapshot, names->main, names->main_live, &count);
	const bool begins = strcmp(v->kind, "Init mark") == 0 || strcmp(v->kind, "Mark start") == 0;
	const bool ends = strcmp(v->kind, "Final mark") == 0 || strcmp(v->kind, "Mark end") == 0;
	if (count == 0)
		return;
	if ((begins && live[0] != 0) || strncmp(v->kind, "Young", 5) == 0 ||
	    strncmp(v->kind, "Old", 3) == 0)
		h->marks_parts = true;
	if (ends)
		stats_series_add(&h->marked, &v->when, (double)live[0]);
}

void stats_heap_describe(struct stats_heap *h, const struct stats_names *names)
{
	h->has_main = h->has_main || names->main != GCS_NONE;
	for (uint32_t i = 0; i < names->event_count; i++) {
		const struct stats_event_names *event = &names->events[i];
		h->declares_after = h->declares_after || event->after != GCS_NONE;
		h->declares_used = h->declares_used || event->used != GCS_NONE;
		h->declares_committed = h->declares_committed || event->committed != GCS_NONE;
	}
}

void stats_heap_add(
    struct stats_heap *h, const struct stats_names *names, const struct stats_view *v)
{
	double value;
	if (v->kind_class == STATS_CONCURRENT && h->concurrent[0] == '\0')
		snprintf(h->concurrent, sizeof h->concurrent, "%s", v->kind);
	h->cycles += v->kind_class == STATS_CONCURRENT && strcmp(h->concurrent, v->kind) == 0;
	if (ends_collection(v) && stats_number(v, v->event->after, &value))
		stats_series_add(&h->after, &v->when, value);
	if (stats_number(v, v->event->after, &value))
		add_least(h, v, value);
	if (stats_number(v, v->event->after, &value) || stats_number(v, v->event->used, &value)) {
		stats_series_add(&h->used, &v->when, value);
		if (h->marked.count == 0)
			take_lowest(&h->before_marked, v, value);
	}
	if (stats_number(v, v->event->committed, &value))
		stats_series_add(&h->committed, &v->when, value);
	add_marked(h, names, v);
	h->young = h->young || v->kind_class == STATS_YOUNG;
	add_spread(h, names, v, ends_collection(v));
}

bool stats_heap_frees_in_pauses(const struct stats_heap *h, struct gcs_stats_reason *why)
{
	if (h->concurrent[0] == '\0')
		return true;
	stats_because(why,
	    "the collector frees memory while the program runs (it has pauses of the kind "
	    "\"%s\")",
	    h->concurrent);
	return false;
}

static void give_course(struct gcs_stats_course *course, const struct stats_series *series,
    bool declared, const char *attribute)
{
	stats_series_give(series, &course->series);
	if (series->count != 0)
		return;
	if (declared)
		stats_because(&course->why, "no event with \"%s\" was recorded", attribute);
	else
		stats_because(&course->why, "no event has an attribute \"%s\"", attribute);
}

/* A share cannot change by more than 100 points in an hour: a line that does, within its error, was seen for
 * too short a time. */
static void leave_out_short(struct gcs_stats_series *s)
{
	const double error = s->trend_error > 0 ? s->trend_error : 0;
	if (!s->has_trend || fabs(s->trend_per_hour) + error <= 1)
		return;
	s->has_trend = false;
	s->trend_per_hour = NAN;
	s->trend_error = -1;
}

static void give_spread(const struct stats_heap *h, struct gcs_stats *result)
{
	struct gcs_stats_course *course = &result->fragmentation;
	const bool after = h->concurrent[0] == '\0' && h->spread_after.count != 0;
	stats_series_give(after ? &h->spread_after : &h->spread, &course->series);
	leave_out_short(&course->series);
	if (course->series.count != 0)
		return;
	if (h->is_c_heap)
		stats_because(&course->why,
		    "a C program's free memory is between its blocks, not in whole tiles");
	else if (h->unused[0] != '\0')
		stats_because(&course->why,
		    "unused tiles of \"%.60s\" are \"%.60s\", which does not distinguish free "
		    "memory from uncommitted",
		    h->spread_space, h->unused);
	else if (h->has_main)
		stats_because(&course->why, "the main space was not recorded with free memory");
	else
		stats_because(&course->why,
		    "there is no main space in address order with a stream \"Used\" in bytes");
}

static void give_earlier(const struct stats_lowest *lowest, struct gcs_stats *result)
{
	result->has_earlier = lowest->known;
	result->earlier_bytes = lowest->value;
	result->earlier_seconds = lowest->seconds;
}

/* What collections leave, with as little garbage in it as is known. */
static void give_growth(const struct stats_heap *h, struct gcs_stats *result)
{
	result->heap_growth = result->heap_after;
	if (h->concurrent[0] != '\0') {
		result->left_is = GCS_LEFT_USED;
		if (h->marks_parts || h->marked.count < ENOUGH_MARKED)
			return;
		result->left_is = GCS_LEFT_LIVE;
		result->heap_growth.why.text[0] = '\0';
		stats_series_give(&h->marked, &result->heap_growth.series);
		give_earlier(&h->before_marked, result);
	} else if (h->least.count >= ENOUGH_LEAST) {
		stats_series_give(&h->least, &result->heap_growth.series);
		give_earlier(&h->before_least, result);
	} else if (h->young && !h->has_least) {
		result->left_is = GCS_LEFT_YOUNG;
	}
}

void stats_heap_give(const struct stats_heap *h, struct gcs_stats *result)
{
	give_course(&result->heap_after, &h->after, h->declares_after, "Used after");
	if (!stats_heap_frees_in_pauses(h, &result->heap_after.why))
		result->heap_after.series =
		    (struct gcs_stats_series){.min_place = GCS_NO_PLACE, .max_place = GCS_NO_PLACE};
	give_growth(h, result);
	give_course(&result->heap_used, &h->used, h->declares_after || h->declares_used, "Used");
	give_course(&result->committed, &h->committed, h->declares_committed, "Committed");
	give_spread(h, result);
}
