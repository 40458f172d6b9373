/* Pauses by kind and by cause: each pause is kept, so that percentiles are exact. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "stats_internal.h"

/* The group's number; it is added if new, and groups over the limit share the last one. */
static uint32_t group_of(struct stats_groups *groups, struct arena *texts, const char *name)
{
	for (uint32_t i = 0; i < groups->count; i++)
		if (strcmp(groups->items[i].name, name) == 0)
			return i;
	if (groups->count == STATS_MAX_GROUPS)
		return STATS_MAX_GROUPS - 1;
	if (groups->count == STATS_MAX_GROUPS - 1)
		name = "(others)";
	const char *copy = arena_text(texts, name, strlen(name));
	if (copy == NULL)
		return GCS_NONE;
	groups->items[groups->count] = (struct stats_group){.name = copy};
	return groups->count++;
}

static void count(struct stats_group *group, uint64_t ns, const struct stats_view *v)
{
	if (group->total_ns == 0 || ns > group->max_ns) {
		group->max_ns = ns;
		group->max_place = v->when.place;
	}
	group->total_ns += ns;
	group->watched_ns += v->behind_gap ? 0 : ns;
}

static bool reserve(struct stats_pauses *p)
{
	if (p->count < p->capacity)
		return true;
	const uint64_t capacity = p->capacity == 0 ? 256 : p->capacity * 2;
	struct stats_pause *items = gcs_realloc(p->items, capacity * sizeof *items);
	if (items == NULL)
		return false;
	p->items = items;
	p->capacity = capacity;
	return true;
}

/* The event begins a collection: it has a cause, which its end may not have, and no pause. */
static void note_begin(struct stats_pauses *p, const struct stats_view *v)
{
	if (v->event->cause == GCS_NONE || v->event->pause != GCS_NONE)
		return;
	const char *cause =
	    stats_words(gcs_snapshot_model(v->snapshot), v->snapshot, v->event->cause);
	snprintf(p->begun, sizeof p->begun, "%s", cause == NULL ? "" : cause);
	p->begun_sequence = gcs_snapshot_occurrence(v->snapshot)->sequence;
}

/* The pause's cause, or that of the event right before it; NULL: not known. */
static const char *cause_of(const struct stats_pauses *p, const struct stats_view *v)
{
	const char *cause =
	    stats_words(gcs_snapshot_model(v->snapshot), v->snapshot, v->event->cause);
	const bool known = cause != NULL && cause[0] != '\0';
	const bool begun = p->begun[0] != '\0' &&
			   gcs_snapshot_occurrence(v->snapshot)->sequence == p->begun_sequence + 1;
	return known ? cause : begun ? p->begun : NULL;
}

bool stats_pauses_add(struct stats_pauses *p, struct arena *texts, const struct stats_view *v)
{
	const struct gcs_model *model = gcs_snapshot_model(v->snapshot);
	double ns;
	p->unwatched_ns += v->unwatched_ns;
	note_begin(p, v);
	if (!stats_number(v, v->event->pause, &ns) || ns < 0)
		return true;
	const char *cause = cause_of(p, v);
	struct stats_pause pause = {.ns = (uint64_t)ns};
	if (v->event->kind == GCS_NONE)
		pause.kind = group_of(&p->kinds, texts,
		    model->events[gcs_snapshot_occurrence(v->snapshot)->event].name);
	else
		pause.kind = group_of(&p->kinds, texts, v->kind == NULL ? "(unknown)" : v->kind);
	pause.cause = group_of(&p->causes, texts, cause == NULL ? "(unknown)" : cause);
	if (pause.kind == GCS_NONE || pause.cause == GCS_NONE || !reserve(p))
		return false;
	p->items[p->count++] = pause;
	count(&p->kinds.items[pause.kind], pause.ns, v);
	count(&p->causes.items[pause.cause], pause.ns, v);
	count(&p->all, pause.ns, v);
	return true;
}

static int by_ns(const struct stats_pause *x, const struct stats_pause *y)
{
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static int compare_all(const void *a, const void *b)
{
	return by_ns(a, b);
}

static int compare_kinds(const void *a, const void *b)
{
	const struct stats_pause *x = a, *y = b;
	return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : by_ns(x, y);
}

static int compare_causes(const void *a, const void *b)
{
	const struct stats_pause *x = a, *y = b;
	return x->cause != y->cause ? (x->cause < y->cause ? -1 : 1) : by_ns(x, y);
}

/* The nearest rank: the least value that `percent` of all do not exceed. */
static uint64_t rank(const struct stats_pause *sorted, uint64_t count, unsigned percent)
{
	uint64_t n = count / 100 * percent + (count % 100 * percent + 99) / 100;
	return sorted[n == 0 ? 0 : n - 1].ns;
}

static struct gcs_stats_pauses figures(const struct stats_pause *sorted, uint64_t count,
    const struct stats_group *group, uint64_t watched_ns)
{
	const double mean = (double)group->total_ns / (double)count;
	double squares = 0;
	for (uint64_t i = 0; i < count; i++)
		squares += ((double)sorted[i].ns - mean) * ((double)sorted[i].ns - mean);
	return (struct gcs_stats_pauses){
	    .name = group->name,
	    .count = count,
	    .total_ns = group->total_ns,
	    .mean_ns = mean,
	    .deviation_ns = count > 1 ? sqrt(squares / (double)(count - 1)) : 0,
	    .min_ns = sorted[0].ns,
	    .median_ns = rank(sorted, count, 50),
	    .p90_ns = rank(sorted, count, 90),
	    .p99_ns = rank(sorted, count, 99),
	    .max_ns = sorted[count - 1].ns,
	    .max_place = group->max_place,
	    .share = watched_ns == 0 ? -1 : (double)group->watched_ns / (double)watched_ns,
	};
}

static int by_total(const void *a, const void *b)
{
	const struct gcs_stats_pauses *x = a, *y = b;
	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* The figures of each group; the pauses are sorted by group. */
static const struct gcs_stats_pauses *groups_of(const struct stats_pauses *p, struct arena *texts,
    const struct stats_groups *groups, bool causes, uint64_t watched_ns)
{
	struct gcs_stats_pauses *list = arena_alloc(texts, groups->count + 1, sizeof *list);
	uint64_t from = 0;
	if (list == NULL)
		return NULL;
	for (uint32_t i = 0; i < groups->count; i++) {
		uint64_t end = from;
		while (end < p->count && (causes ? p->items[end].cause : p->items[end].kind) == i)
			end++;
		list[i] = figures(p->items + from, end - from, &groups->items[i], watched_ns);
		from = end;
	}
	qsort(list, groups->count, sizeof *list, by_total);
	return list;
}

/* A collection of ZGC has several pauses with its cause, but begins in one: "Mark start", "Young mark start" or
 * "Young and old mark start". Its marking may end in several. */
static uint64_t stalled(const struct stats_pauses *p)
{
	static const char start[] = "ark start";
	uint64_t count = 0;
	for (uint64_t i = 0; i < p->count; i++) {
		const struct stats_pause *one = &p->items[i];
		const char *kind = p->kinds.items[one->kind].name;
		const size_t length = strlen(kind);
		count += strcmp(p->causes.items[one->cause].name, "Allocation Stall") == 0 &&
			 length >= sizeof start - 1 &&
			 strcmp(kind + length - (sizeof start - 1), start) == 0;
	}
	return count;
}

bool stats_pauses_give(struct stats_pauses *p, struct arena *texts, struct gcs_stats *result)
{
	if (p->count == 0) {
		stats_because(&result->no_pauses, "%s",
		    p->declared ? "no event with its pause was recorded"
				: "no event has an attribute \"Pause\"");
		return true;
	}
	result->watched_ns -= p->unwatched_ns;
	result->has_unwatched = p->unwatched_ns != 0;
	result->stalled = stalled(p);
	qsort(p->items, p->count, sizeof *p->items, compare_kinds);
	result->kinds = groups_of(p, texts, &p->kinds, false, result->watched_ns);
	result->kind_count = p->kinds.count;
	qsort(p->items, p->count, sizeof *p->items, compare_causes);
	result->causes = groups_of(p, texts, &p->causes, true, result->watched_ns);
	result->cause_count = p->causes.count;
	qsort(p->items, p->count, sizeof *p->items, compare_all);
	p->all.name = "all";
	result->pauses = figures(p->items, p->count, &p->all, result->watched_ns);
	uint64_t *sorted = arena_alloc(texts, p->count, sizeof *sorted);
	for (uint64_t i = 0; sorted != NULL && i < p->count; i++)
		sorted[i] = p->items[i].ns;
	result->sorted_pauses_ns = sorted;
	return result->kinds != NULL && result->causes != NULL && sorted != NULL;
}
