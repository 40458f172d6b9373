#include "heap_walk_internal.h"

#include <stdatomic.h>
#include <string.h>

#include <gcspy/memory.h>

#include "now.h"

/* Since this release a collection's end is announced before the allocation that it was made for. */
enum { EARLY_FINISH = 25 };

static bool open_buffer(struct result_buffer *p, const struct heap_walk_size *size)
{
	p->shown.ranges = gcs_zalloc(size->ranges * sizeof *p->shown.ranges);
	p->shown.cells = gcs_zalloc(size->cells * sizeof *p->shown.cells);
	p->shown.classes = gcs_zalloc((MAX_CLASSES + 1) * sizeof *p->shown.classes);
	p->versions = gcs_zalloc(size->ranges * sizeof *p->versions);
	p->missing = gcs_zalloc(size->ranges * sizeof *p->missing);
	p->pending = gcs_zalloc(TLABS * sizeof *p->pending);
	return p->shown.ranges != NULL && p->shown.cells != NULL && p->shown.classes != NULL &&
	       p->versions != NULL && p->missing != NULL && p->pending != NULL;
}

static void close_buffer(struct result_buffer *p)
{
	gcs_free(p->shown.ranges);
	gcs_free(p->shown.cells);
	gcs_free(p->shown.classes);
	gcs_free(p->versions);
	gcs_free(p->missing);
	gcs_free(p->pending);
}

struct heap_walk *heap_walk_create(
    const struct vm *vm, const struct heap_walk_driver *driver, const struct volume *volume)
{
	struct heap_walk *s = gcs_zalloc(sizeof *s);
	if (s == NULL)
		return NULL;
	s->vm = vm;
	s->driver = *driver;
	s->volume = volume;
	s->first = true;
	s->unloaded = vm_objects_unloaded(vm);
	/* Classes unloaded before the agent was attached are unknown. */
	s->tainted = !vm_has(vm, VM_UNLOADED_CLASSES) || s->unloaded != 0;
	s->classes = vm_classes_create(vm, MAX_CLASSES);
	s->totals = walk_totals_create(driver->size.ranges, MAX_CLASSES + 1, CHUNKS);
	s->before = gcs_zalloc((MAX_CLASSES + 1) * sizeof *s->before);
	s->ranges = gcs_zalloc(driver->size.ranges * sizeof *s->ranges);
	s->tracks = gcs_zalloc(driver->size.ranges * sizeof *s->tracks);
	s->cells = gcs_zalloc(driver->size.cells * sizeof *s->cells);
	bool ok = s->classes != NULL && s->totals != NULL && s->before != NULL &&
		  s->ranges != NULL && s->tracks != NULL && s->cells != NULL;
	for (int i = 0; i < BUFFERS; i++)
		ok = open_buffer(&s->buffers[i], &driver->size) && ok;
	if (ok)
		return s;
	heap_walk_destroy(s);
	return NULL;
}

void heap_walk_destroy(struct heap_walk *s)
{
	if (s == NULL)
		return;
	vm_classes_destroy(s->classes);
	walk_totals_destroy(s->totals);
	gcs_free(s->before);
	gcs_free(s->ranges);
	gcs_free(s->tracks);
	gcs_free(s->cells);
	for (int i = 0; i < BUFFERS; i++)
		close_buffer(&s->buffers[i]);
	gcs_free(s);
}

const char *heap_walk_class_name(const struct heap_walk *s, uint32_t id)
{
	return vm_classes_name(s->classes, id);
}

void heap_walk_release(struct heap_walk *s, const struct heap_walk_result *result)
{
	for (int i = 0; i < BUFFERS; i++)
		if (result == &s->buffers[i].shown)
			atomic_store_explicit(&s->buffers[i].taken, false, memory_order_release);
}

/* At every collection. */

void heap_walk_start(struct heap_walk *s, const struct vm_gc_counts *counts)
{
	s->moments++;
	s->epoch += counts->full != s->full;
	s->full = counts->full;
}

/* The later pauses of a Shenandoah cycle. */
static bool is_shenandoah(enum gc_kind kind)
{
	return kind == GC_FINAL_ROOTS || kind == GC_INIT_UPDATE_REFS ||
	       kind == GC_FINAL_UPDATE_REFS;
}

/* True if ranges that do not move keep their contents and, with Shenandoah, their marks. */
static bool old_stays(enum gc_kind kind)
{
	return kind == GC_YOUNG || kind == GC_MIXED || kind == GC_REMARK || is_shenandoah(kind);
}

/*
 * A full collection moves everything, and removes dead objects of unloaded classes. Between G1's
 * Remark and Cleanup dead objects in old regions are overwritten. Without the count of full
 * collections any collection may have been one.
 */
void heap_walk_finish(struct heap_walk *s, enum gc_kind kind, const struct vm_gc_counts *counts)
{
	uint64_t unloaded = vm_objects_unloaded(s->vm);
	s->moments++;
	s->kind = kind;
	if (kind == GC_FULL)
		s->tainted = false;
	else if (kind == GC_REMARK && unloaded != s->unloaded) {
		s->tainted = true;
		for (uint32_t i = 0; i < s->driver.size.ranges; i++)
			s->tracks[i].trusted = false;
	}
	s->unloaded = unloaded;
	s->epoch +=
	    !old_stays(kind) ||
	    ((counts->full != s->full || !vm_has(s->vm, VM_GC_FULL_COUNT)) && !is_shenandoah(kind));
	s->full = counts->full;
}

/* Preparing a walk. */

static bool buffers_free(const struct heap_walk *s)
{
	for (int i = 0; i < BUFFERS; i++)
		if (atomic_load_explicit(&s->buffers[i].taken, memory_order_acquire))
			return false;
	return true;
}

/* All but the cells, which are cleared when they are walked again, and the classes, whose names a
 * reader may be using. */
static void forget_all(struct heap_walk *s)
{
	uint32_t classes = vm_classes_count(s->classes);
	for (uint32_t i = 0; i < s->driver.size.ranges; i++)
		s->tracks[i] = (struct track){0};
	walk_totals_clear(s->totals, classes);
	memset(s->before, 0, classes * sizeof *s->before);
	s->first = true;
	s->turn = s->card_turn = s->copy_turn = 0;
	s->pending_count = 0;
}

/* Reassigns class ids before they are used up. */
static void renew_classes(struct heap_walk *s)
{
	if (vm_classes_count(s->classes) <= MAX_CLASSES / 4 * 3 || !buffers_free(s))
		return;
	forget_all(s);
	vm_classes_clear(s->classes);
	s->generation++;
}

static struct result_buffer *free_buffer(struct heap_walk *s)
{
	for (int i = 0; i < BUFFERS; i++)
		if (!atomic_load_explicit(&s->buffers[i].taken, memory_order_acquire))
			return &s->buffers[i];
	return NULL;
}

struct area heap_walk_area(const struct heap_walk_range *r)
{
	return (struct area){r->low, r->block, area_tiles(r->low, r->top, r->block)};
}

/* True if the range has the contents that it had at the last event, perhaps with more behind. */
static bool holds_the_same(
    const struct heap_walk *s, const struct track *t, const struct heap_walk_range *r)
{
	const struct heap_walk_range *was = &t->range;
	return !r->moves && !was->moves && r->kind == was->kind && r->low == was->low &&
	       r->from == was->from && r->block == was->block && r->cell == was->cell &&
	       r->marked == was->marked && r->follows == was->follows && r->top >= was->top &&
	       t->epoch == s->epoch && t->walked != 0;
}

void heap_walk_give_up(struct heap_walk *s, uint32_t i, uint64_t bad)
{
	s->tracks[i].walked = s->tracks[i].range.top;
	s->tracks[i].bad = bad;
	s->tracks[i].known = true;
	s->tracks[i].fresh = false;
	walk_totals_drop(s->totals, i);
}

/* The range has other contents: it is walked from its beginning. */
static void start_again(struct heap_walk *s, uint32_t i, const struct heap_walk_range *r)
{
	struct track *t = &s->tracks[i];
	const struct heap_walk_range *was = &t->range;
	/* A range that takes longer than the budget must not starve the others. */
	if (s->turn == i && s->whole && t->walked > was->from && t->walked < was->top)
		s->turn = i + 1;
	t->changed =
	    t->changed || r->cell != was->cell || r->low != was->low || r->block != was->block;
	t->walked = t->last = r->from;
	t->known = t->by_table = false;
	t->cleared = 0;
	t->bad = UINT64_MAX;
	t->epoch = s->epoch;
	t->fresh = !r->grows;
	walk_totals_restart(s->totals, i);
}

static void take_up(struct heap_walk *s, uint32_t i, const struct heap_walk_range *r)
{
	struct track *t = &s->tracks[i];
	bool came = r->kind != t->range.kind || t->range.low == t->range.top;
	bool same = holds_the_same(s, t, r);
	/* Memory in use at the last event is complete; memory added since may end in something that
	 * is no object yet. */
	t->limit = r->way != HEAP_WALK_LATER ? r->top : same ? t->range.top : r->from;
	t->anew = !same;
	if (!same)
		start_again(s, i, r);
	t->trusted = t->trusted || (came && t->range.block != 0);
	t->range = *r;
}

/* Gives up a range that need not or must not be walked. */
static void check_walkable(struct heap_walk *s, uint32_t i)
{
	struct track *t = &s->tracks[i];
	const struct heap_walk_range *r = &t->range;
	if (r->low == r->top)
		heap_walk_give_up(s, i, UINT64_MAX);
	else if (r->way == HEAP_WALK_NEVER ||
		 (r->way == HEAP_WALK_OBJECTS_OLD && s->tainted && !t->trusted))
		heap_walk_give_up(s, i, r->low);
	else if (t->bad != UINT64_MAX)
		t->walked = r->top;
}

/*
 * Compares the heap's ranges with those at the last event. False if nothing is known in this pause.
 */
static bool compare_ranges(struct heap_walk *s, const struct heap_walk_event *e, bool finish)
{
	struct heap_walk_pause pause = {
	    .finish = finish,
	    .kind = s->kind,
	    .allocated = vm_jdk_major(s->vm) < EARLY_FINISH &&
			 (e->cause[0] == '\0' || strcmp(e->cause, "Allocation Failure") == 0 ||
			     strcmp(e->cause, "Ergonomics") == 0),
	    .buffers = vm_has(s->vm, VM_TLAB_HARD_END) && vm_has(s->vm, VM_TLAB_LIST) &&
		       e->tlab_total == e->tlab_count,
	};
	uint32_t count = s->driver.ranges(s->driver.self, e->raw, &pause, s->ranges);
	/*
	 * After more than two starts and finishes, collections went by unseen, and contents may
	 * have gone and come again. Until a range is walked again, its counts by class are the old
	 * ones.
	 */
	if (!s->active)
		forget_all(s);
	else if (s->moments - s->seen > 2)
		s->epoch++;
	s->seen = s->moments;
	s->active = true;
	if (count == 0)
		return false;
	s->range_count = count;
	for (uint32_t i = 0; i < count; i++) {
		take_up(s, i, &s->ranges[i]);
		check_walkable(s, i);
	}
	s->gap_count = heap_walk_find_gaps(e->tlabs, e->tlab_count, s->gaps, TLABS);
	heap_walk_drop_pending(s);
	return true;
}

/* Time to reserve for copying the cells in use, if all of them change; a quarter of the budget at
 * most. */
static uint64_t time_to_copy(const struct heap_walk *s, uint64_t budget)
{
	enum { CELL_NS = 20 };
	uint64_t cells = 0;
	for (uint32_t i = 0; i < s->range_count; i++)
		cells += heap_walk_area(&s->ranges[i]).tiles;
	return cells * CELL_NS < budget / 4 ? cells * CELL_NS : budget / 4;
}

const struct heap_walk_result *heap_walk_now(struct heap_walk *s, const struct heap_walk_event *e)
{
	if (!volume_counts(s->volume, e->finish)) {
		s->active = s->active && atomic_load(&s->volume->heavy) != 0;
		return NULL;
	}
	uint64_t begin = now_ns();
	uint64_t budget = (uint64_t)atomic_load(&s->volume->budget_ms) * 1000000u;
	renew_classes(s);
	struct result_buffer *result = free_buffer(s);
	if (!compare_ranges(s, e, e->finish) || result == NULL)
		return NULL;
	const uint64_t copying = time_to_copy(s, budget);
	vm_classes_begin(s->classes);
	heap_walk_count_cards(s, begin + budget / 2);
	heap_walk_objects(s, begin + budget - copying);
	/* Copy for that long even if the thread was preempted and is late. */
	uint64_t now = now_ns();
	heap_walk_take_result(
	    s, result, now + copying > begin + budget ? now + copying : begin + budget);
	atomic_store_explicit(&result->taken, true, memory_order_relaxed);
	return &result->shown;
}
