#include "gc_kind.h"

const char *const gc_kind_names[GC_KIND_COUNT] = {
#define X(id, name) name,
    GC_KINDS(X)
#undef X
};

void gc_kinds_init(struct gc_kinds *k, const struct vm *vm)
{
	*k = (struct gc_kinds){
	    .collector = vm_collector(vm),
	    .jdk = vm_jdk_major(vm),
	    .generational = vm_gc_generational(vm),
	    .blind = !vm_has(vm, VM_GC_KINDS),
	    .unsure = vm_collector(vm) == VM_COLLECTOR_ZGC,
	};
	struct vm_gc_counts counts;
	vm_gc_counts(vm, &counts);
	k->concurrent = counts.concurrent;
}

/* Without clients one count is sufficient, at the end of marking: is there a collection set? None is
 * needed where each generation tells whether it has been marked. */
struct vm_gc_ask gc_kinds_ask(const struct gc_kinds *k, bool finish, bool attached)
{
	const bool shenandoah = k->collector == VM_COLLECTOR_SHENANDOAH;
	const bool once = finish && k->cycle == GC_MARKING && !k->signs.marking.known;
	return (struct vm_gc_ask){
	    .regions = shenandoah && (attached || once),
	    .live = shenandoah && attached && (k->generational || finish),
	};
}

enum { LAST_WITH_COUNTED_CLEANUP = 20, FIRST_WITH_COUNTED_REMARK = 22 };

void gc_kinds_start(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs)
{
	/* Loaded in the middle of a cycle: an uncounted pause is taken for its Cleanup. */
	if (!k->begun && k->jdk >= FIRST_WITH_COUNTED_REMARK)
		k->remarked = counts->total != 0;
	k->begun = true;
	k->start = *counts;
	k->signs = *signs;
}

/* Which of the two pauses of G1's concurrent cycle it was. A Remark is not counted if marking has to
 * continue after it, or if a full collection has made it needless. */
static enum gc_kind concurrent(struct gc_kinds *k, bool counted)
{
	bool remark = !k->remarked;
	if (k->jdk >= FIRST_WITH_COUNTED_REMARK)
		remark = remark || counted;
	else if (k->jdk > 0 && k->jdk <= LAST_WITH_COUNTED_CLEANUP)
		/* After a full collection neither is: what had been requested before ends at once. */
		remark = !counted && !(k->aborted && k->remarked);
	/* Both have the number of their cycle, though young collections come between them. */
	if (remark)
		k->remark = counted ? k->number : 0;
	else if (k->remark != 0)
		k->number = k->remark;
	k->remarked = remark;
	return remark ? GC_REMARK : GC_CLEANUP;
}

static enum gc_kind finish_g1(struct gc_kinds *k, const struct vm_gc_counts *counts)
{
	bool counted = counts->total != k->start.total;
	if (counts->full != k->start.full) {
		k->aborted = true;
		return GC_FULL;
	}
	/* An operation that found nothing to do: metaspace was full, but a cycle runs already. */
	const bool idle = counts->tells_concurrent && counts->concurrent == k->concurrent;
	k->concurrent = counts->concurrent;
	if (!counted && idle)
		return GC_OTHER;
	if (!counted || !counts->caused)
		return concurrent(k, counted);
	/* A full collection ends the concurrent cycle, but for a pause already requested, which
	 * follows at once. The next cycle begins with a young collection. */
	if (k->aborted)
		k->remarked = k->aborted = false;
	return GC_YOUNG;
}

/* Only the cause of a Shenandoah collection that stops the program is known. */
static enum gc_kind finish_blind(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs)
{
	const bool shenandoah = k->collector == VM_COLLECTOR_SHENANDOAH;
	k->number = counts->total;
	if (shenandoah && signs->way == VM_GC_WAY_FULL)
		return GC_FULL;
	return shenandoah && signs->way == VM_GC_WAY_FAILED ? GC_STOPPED : GC_OTHER;
}

enum gc_kind gc_kinds_finish(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs)
{
	/* A pause that the JVM does not count keeps the number of its start. */
	k->number = counts->total > k->start.total ? counts->total : k->start.total + 1;
	if (k->blind)
		return finish_blind(k, counts, signs);
	switch (k->collector) {
	case VM_COLLECTOR_SERIAL:
	case VM_COLLECTOR_PARALLEL:
		if (counts->full != k->start.full)
			return GC_FULL;
		return counts->total != k->start.total ? GC_YOUNG : GC_OTHER;
	case VM_COLLECTOR_G1:
		return finish_g1(k, counts);
	case VM_COLLECTOR_ZGC:
		return gc_kinds_finish_z(k, counts, signs);
	case VM_COLLECTOR_SHENANDOAH:
		return gc_kinds_finish_shenandoah(k, signs);
	default:
		return GC_OTHER;
	}
}

uint64_t gc_kinds_expected(const struct gc_kinds *k)
{
	if (k->blind)
		return 0;
	if (k->collector == VM_COLLECTOR_G1 && k->remarked && !k->start.caused && k->remark != 0)
		return k->remark;
	switch (k->collector) {
	case VM_COLLECTOR_ZGC:
		return gc_kinds_expected_z(k);
	case VM_COLLECTOR_SHENANDOAH:
		return gc_kinds_expected_shenandoah(k);
	default:
		return k->start.total + 1;
	}
}
