/* Counters from snapshots: stats_rates does what they have in common with recordings. */
#include "running_figures.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "free_runs.h"
#include "heap_limit.h"
#include "stats_internal.h"

/* Which tiles are which pool: all of a space, or those with a value of an enumeration. */
static const struct part {
	const char *collector, *space, *stream, *value, *pool;
} parts[] = {
    {"Serial", "Eden", NULL, NULL, "Eden Space"},
    {"Serial", "From", NULL, NULL, "Survivor Space"},
    {"Serial", "To", NULL, NULL, "Survivor Space"},
    {"Serial", "Old", NULL, NULL, "Tenured Gen"},
    {"Parallel", "Eden", NULL, NULL, "PS Eden Space"},
    {"Parallel", "From", NULL, NULL, "PS Survivor Space"},
    {"Parallel", "To", NULL, NULL, "PS Survivor Space"},
    {"Parallel", "Old", NULL, NULL, "PS Old Gen"},
    {"G1", "G1 regions", "Type", "Eden", "G1 Eden Space"},
    {"G1", "G1 regions", "Type", "Survivor", "G1 Survivor Space"},
    {"G1", "G1 regions", "Type", "Old", "G1 Old Gen"},
    {"G1", "G1 regions", "Type", "Humongous", "G1 Old Gen"},
    {"G1", "G1 regions", "Type", "Archive", "G1 Old Gen"},
    {"ZGC", "ZGC pages", "Generation", "Young", "ZGC Young Generation"},
    {"ZGC", "ZGC pages", "Generation", "Old", "ZGC Old Generation"},
};

enum { PARTS = sizeof parts / sizeof parts[0] };

struct running_figures {
	struct running_values now;
	struct gcs_model *model;
	struct stats_names names;
	struct stats_rates rates;
	struct running_mark mark;
	bool frees_in_pauses;
	uint32_t free_space; /* whose free runs are looked at, or GCS_NONE */
	double began,
	    earlier;    /* bytes used at first; allocated from there to the first collection */
	bool collected; /* a collection has ended */
	bool has_last;
	struct gcs_occurrence last;
	uint64_t counters[GCS_MAX_EVENTS];
};

static const char *collector_of(const struct gcs_model *model)
{
	for (uint32_t i = 0; i < model->info_count; i++)
		if (strcmp(model->info[i].key, "Collector") == 0)
			return model->info[i].value;
	return "";
}

static const char native_heap[] = "Native heap";

bool running_figures_use(const struct gcs_model *model, uint32_t space)
{
	const struct gcs_space *s = &model->spaces[space];
	const char *collector = collector_of(model);
	if (s->gone || strcmp(s->name, "TLABs") == 0 || strcmp(s->name, native_heap) == 0)
		return !s->gone;
	if (s->main && free_memory_known(s))
		return true;
	for (size_t i = 0; i < PARTS; i++)
		if (strcmp(parts[i].collector, collector) == 0 &&
		    strcmp(parts[i].space, s->name) == 0)
			return true;
	return false;
}

static bool reserve_pauses(struct running_values *values, uint32_t count)
{
	if (count <= values->pause_room)
		return true;
	struct running_pauses *pauses = gcs_realloc(values->pauses, count * sizeof *pauses);
	if (pauses == NULL)
		return false;
	values->pauses = pauses;
	values->pause_room = count;
	return true;
}

bool running_values_copy(struct running_values *to, const struct running_values *from)
{
	if (!reserve_pauses(to, from->pause_count))
		return false;
	struct running_pauses *pauses = to->pauses;
	const uint32_t room = to->pause_room;
	*to = *from;
	to->pauses = pauses;
	to->pause_room = room;
	if (from->pause_count != 0)
		memcpy(pauses, from->pauses, from->pause_count * sizeof *pauses);
	return true;
}

uint64_t running_values_used(const struct running_values *v)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < v->pool_count; i++)
		sum += v->pools[i].used;
	return v->pool_count == 0 ? v->used : sum;
}

void running_values_fini(struct running_values *values)
{
	gcs_free(values->pauses);
	values->pauses = NULL;
	values->pause_count = values->pause_room = 0;
}

struct running_figures *running_figures_create(void)
{
	return gcs_zalloc(sizeof(struct running_figures));
}

void running_figures_free(struct running_figures *figures)
{
	if (figures == NULL)
		return;
	gcs_model_unref(figures->model);
	running_values_fini(&figures->now);
	gcs_free(figures);
}

void running_figures_mark(struct running_figures *figures, const struct running_mark *mark)
{
	figures->mark = *mark;
}

const struct running_values *running_figures_now(const struct running_figures *figures)
{
	return &figures->now;
}

static void describe_running(struct running_figures *f, struct gcs_model *model)
{
	static const char *const in_pauses[] = {"Serial", "Parallel", "G1", "Epsilon"};
	if (f->model == model)
		return;
	gcs_model_unref(f->model);
	f->model = gcs_model_ref(model);
	stats_names_find(&f->names, model);
	stats_rates_describe(&f->rates, &f->names);
	f->now.limit = (uint64_t)heap_limit_of(model->info, model->info_count);
	f->free_space = f->names.main != GCS_NONE ? f->names.main : f->names.old_space;
	f->frees_in_pauses = false;
	for (size_t i = 0; i < sizeof in_pauses / sizeof in_pauses[0]; i++)
		f->frees_in_pauses =
		    f->frees_in_pauses || strcmp(collector_of(model), in_pauses[i]) == 0;
}

/* As the builder of figures does for a recording; false for a snapshot that was taken before. */
static bool view_running(
    struct running_figures *f, const struct gcs_snapshot *s, struct stats_view *v)
{
	static const struct stats_event_names nothing = {
	    GCS_NONE, GCS_NONE, GCS_NONE, GCS_NONE, GCS_NONE, GCS_NONE, GCS_NONE, false, false};
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	*v = (struct stats_view){.snapshot = s, .event = &nothing, .adjoins = true};
	v->when.seconds = (double)o->time_ns / 1e9;
	v->when.place = f->now.events;
	v->next = f->has_last && o->sequence == f->last.sequence + 1;
	if (f->has_last && o->sequence == f->last.sequence)
		return false;
	if (o->event >= f->names.event_count)
		return true;
	const uint64_t count = gcs_snapshot_counter(s, o->event), before = f->counters[o->event];
	v->adjoins = before == 0 || count == before + 1;
	f->counters[o->event] = count;
	v->event = &f->names.events[o->event];
	v->kind = stats_words(f->model, s, v->event->kind);
	v->kind_class = stats_classify(v->kind);
	return true;
}

/* Of the regions, or of the old generation, if its free memory is known. */
static void find_fragmentation(struct running_figures *f, const struct gcs_snapshot *s)
{
	struct free_rule rule;
	struct free_runs runs;
	const uint32_t space = f->free_space;
	f->now.has_fragmentation =
	    space != GCS_NONE && !stats_is_c_heap(f->model) && !f->model->spaces[space].gone &&
	    gcs_snapshot_gathered(s, space) && free_rule_init(&rule, s, space) && rule.in_bytes;
	if (!f->now.has_fragmentation)
		return;
	free_runs_fill(&runs, &rule);
	const double share = free_fragmentation(&runs);
	f->now.has_fragmentation = share >= 0;
	f->now.fragmentation = share;
	f->now.largest_free = (uint64_t)runs.longest;
}

static void find_native(struct running_figures *f, const struct gcs_snapshot *s)
{
	const uint32_t id =
	    gcs_model_find_space(f->model, stats_is_c_heap(f->model) ? "Heap" : native_heap);
	uint32_t count = 0;
	if (id == GCS_NONE || f->model->spaces[id].gone || !gcs_snapshot_gathered(s, id))
		return;
	const uint32_t used = gcs_space_find_stream(&f->model->spaces[id], "Used");
	const int64_t *total = used == GCS_NONE ? NULL : gcs_snapshot_summary(s, id, used, &count);
	f->now.has_native = total != NULL && count != 0 && total[0] >= 0;
	f->now.native_used = f->now.has_native ? (uint64_t)total[0] : 0;
}

/* NULL without memory. */
static struct running_pauses *pauses_of(
    struct running_values *now, const char *kind, const char *cause)
{
	for (uint32_t i = 0; i < now->pause_count; i++)
		if (strcmp(now->pauses[i].kind, kind) == 0 &&
		    strcmp(now->pauses[i].cause, cause) == 0)
			return &now->pauses[i];
	if (now->pause_count == RUNNING_PAUSES)
		return &now->pauses[RUNNING_PAUSES - 1];
	if (!reserve_pauses(now, now->pause_count + 1))
		return NULL;
	struct running_pauses *p = &now->pauses[now->pause_count++];
	*p = (struct running_pauses){.count = 0};
	const bool rest = now->pause_count == RUNNING_PAUSES;
	snprintf(p->kind, sizeof p->kind, "%s", rest ? "other" : kind);
	snprintf(p->cause, sizeof p->cause, "%s", rest ? "other" : cause);
	return p;
}

static void add_running_pause(struct running_figures *f, const struct stats_view *v)
{
	char kind[sizeof f->now.pauses[0].kind], cause[sizeof f->now.pauses[0].cause];
	double ns;
	if (!stats_number(v, v->event->pause, &ns) || ns < 0)
		return;
	const char *words = stats_words(f->model, v->snapshot, v->event->cause);
	snprintf(kind, sizeof kind, "%s", v->kind == NULL ? "" : v->kind);
	snprintf(cause, sizeof cause, "%s", words == NULL ? "" : words);
	struct running_pauses *p = pauses_of(&f->now, kind, cause);
	if (p == NULL)
		return;
	running_pauses_add(p, ns);
	const int64_t wall_ns = gcs_snapshot_occurrence(v->snapshot)->wall_ns;
	const struct running_mark *mark = &f->mark;
	if (mark->number != 0 && wall_ns >= mark->from_ns && wall_ns <= mark->until_ns &&
	    (p->mark != mark->number || (uint64_t)ns > p->marked_ns)) {
		p->mark = mark->number;
		p->marked_ns = (uint64_t)ns;
		p->marked_wall_ns = wall_ns;
	}
}

static bool attribute_value(const struct running_figures *f, const struct gcs_snapshot *s,
    const char *name, uint64_t *value)
{
	const uint32_t event = gcs_snapshot_occurrence(s)->event;
	int64_t found;
	for (uint32_t i = 0;
	     event < f->model->event_count && i < f->model->events[event].attribute_count; i++)
		if (strcmp(f->model->events[event].attributes[i].name, name) == 0 &&
		    gcs_snapshot_number(s, i, &found) && found >= 0) {
			*value = (uint64_t)found;
			return true;
		}
	return false;
}

static struct running_pool *pool_of(struct running_values *now, const char *name)
{
	for (uint32_t i = 0; i < now->pool_count; i++)
		if (strcmp(now->pools[i].name, name) == 0)
			return &now->pools[i];
	if (now->pool_count == RUNNING_POOLS)
		return NULL;
	now->pools[now->pool_count] = (struct running_pool){.name = name};
	return &now->pools[now->pool_count++];
}

/* The value of an enumeration, or false if several regions share a tile, which then has the type of most
 * of them only. */
static bool find_value(
    const struct gcs_snapshot *s, uint32_t id, uint32_t stream, const char *name, int64_t *value)
{
	const struct gcs_stream *type = &gcs_snapshot_model(s)->spaces[id].streams[stream];
	uint32_t count = 0;
	const int64_t *summary = gcs_snapshot_summary(s, id, stream, &count);
	int64_t regions = 0;
	for (uint32_t i = 0; summary != NULL && type->summary == GCS_SUMMARY_COUNTS && i < count;
	     i++)
		regions += summary[i];
	for (uint32_t i = 0; i < type->enum_count; i++)
		if (strcmp(type->enum_names[i], name) == 0) {
			*value = type->min + i;
			return regions <= (int64_t)gcs_snapshot_tiles(s, id);
		}
	return false;
}

/* Used bytes of a part; false if not known. */
static bool part_used(const struct gcs_snapshot *s, const struct part *part, uint64_t *bytes)
{
	const struct gcs_model *model = gcs_snapshot_model(s);
	const uint32_t id = gcs_model_find_space(model, part->space);
	uint32_t count = 0;
	int64_t wanted = 0, sum = 0;
	if (id == GCS_NONE || model->spaces[id].gone || !gcs_snapshot_gathered(s, id))
		return false;
	const uint32_t used = gcs_space_find_stream(&model->spaces[id], "Used");
	if (used == GCS_NONE)
		return false;
	if (part->stream == NULL) {
		const int64_t *total = gcs_snapshot_summary(s, id, used, &count);
		*bytes = total == NULL || count == 0 ? 0 : (uint64_t)total[0];
		return total != NULL && count != 0;
	}
	const uint32_t stream = gcs_space_find_stream(&model->spaces[id], part->stream);
	if (stream == GCS_NONE || !find_value(s, id, stream, part->value, &wanted))
		return false;
	const int64_t *types = gcs_snapshot_values(s, id, stream);
	const int64_t *values = gcs_snapshot_values(s, id, used);
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, id); i++)
		sum += types[i] == wanted ? values[i] : 0;
	*bytes = (uint64_t)sum;
	return true;
}

/* All parts of the heap, or none. */
static void find_pools(struct running_figures *f, const struct gcs_snapshot *s)
{
	const char *collector = collector_of(f->model);
	bool all = true;
	uint64_t bytes;
	f->now.pool_count = 0;
	for (size_t i = 0; i < PARTS; i++) {
		if (strcmp(parts[i].collector, collector) != 0)
			continue;
		struct running_pool *pool = pool_of(&f->now, parts[i].pool);
		all = all && pool != NULL && part_used(s, &parts[i], &bytes);
		if (all)
			pool->used += bytes;
	}
	if (!all)
		f->now.pool_count = 0;
}

/* Nothing is freed between pauses: the heap has only grown since the last event with used bytes after it,
 * or before the first one since the first snapshot. */
static void add_allocation(struct running_figures *f, const struct stats_view *v, bool first)
{
	struct running_values *now = &f->now;
	double used = (double)now->used, before;
	if (!f->frees_in_pauses || !now->has_used)
		return;
	if (first) {
		if (stats_number(v, v->event->before, &before))
			used = before;
		if (f->now.events == 0)
			f->began = used;
		f->earlier = used > f->began + f->earlier ? used - f->began : f->earlier;
	}
	double bytes = f->earlier + f->rates.allocation.bytes;
	if (f->rates.has_last && (double)now->used > f->rates.last_after)
		bytes += (double)now->used - f->rates.last_after;
	now->has_allocated = true;
	if (bytes > (double)now->allocated)
		now->allocated = (uint64_t)bytes;
}

static void add_sizes(struct running_figures *f, const struct gcs_snapshot *s)
{
	struct running_values *now = &f->now;
	uint64_t value;
	if (attribute_value(f, s, "Used after", &now->used) ||
	    attribute_value(f, s, "Used", &now->used))
		now->has_used = true;
	now->has_committed =
	    attribute_value(f, s, "Committed", &now->committed) || now->has_committed;
	now->has_humongous =
	    attribute_value(f, s, "Humongous regions", &now->humongous) || now->has_humongous;
	if (attribute_value(f, s, "Promoted", &value)) {
		now->has_promoted = true;
		now->promoted += value;
	}
}

void running_figures_add(struct running_figures *f, const struct gcs_snapshot *s)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	struct stats_view v;
	describe_running(f, (struct gcs_model *)gcs_snapshot_model(s));
	if (!view_running(f, s, &v))
		return;
	const bool first = f->now.events == 0 || !f->collected;
	stats_rates_add(&f->rates, &f->names, &v);
	f->collected = f->collected || f->rates.has_last;
	add_running_pause(f, &v);
	add_sizes(f, s);
	add_allocation(f, &v, first);
	if (f->frees_in_pauses && f->rates.retired != 0) {
		f->now.has_tlab_waste = true;
		f->now.tlab_waste = (uint64_t)(f->rates.refill_bytes + f->rates.unused_bytes);
	}
	find_pools(f, s);
	find_fragmentation(f, s);
	find_native(f, s);
	if (f->frees_in_pauses &&
	    (v.kind_class == STATS_COLLECTION || v.kind_class == STATS_YOUNG)) {
		f->now.after_count = f->now.pool_count;
		memcpy(f->now.after, f->now.pools, sizeof f->now.after);
	}
	if (v.kind != NULL &&
	    (strcmp(v.kind, "Full") == 0 || strcmp(v.kind, "Degenerated or full") == 0))
		f->now.full++;
	f->now.cost_ns = o->cost_ns;
	f->now.missed = o->missed;
	f->now.wall_ns = o->wall_ns;
	f->now.events++;
	f->last = *o;
	f->has_last = true;
}
