#include "gc_kind.h"

const char *const gc_kind_names[GC_KIND_COUNT] = {
#define X(id, name) name,
    GC_KINDS(X)
#undef X
};

void gc_kinds_start(struct gc_kinds *k, const struct vm_gc_counts *counts)
{
	k->start = *counts;
}

/* Which of the two pauses of G1's concurrent cycle it was. */
static enum gc_kind concurrent(struct gc_kinds *k, bool counted)
{
	enum { LAST_WITH_COUNTED_CLEANUP = 20, FIRST_WITH_COUNTED_REMARK = 22 };
	bool remark = !k->remarked;
	if (k->jdk >= FIRST_WITH_COUNTED_REMARK)
		remark = counted;
	else if (k->jdk > 0 && k->jdk <= LAST_WITH_COUNTED_CLEANUP)
		remark = !counted;
	k->remarked = remark;
	return remark ? GC_REMARK : GC_CLEANUP;
}

enum gc_kind gc_kinds_finish(struct gc_kinds *k, const struct vm_gc_counts *counts)
{
	bool counted = counts->total != k->start.total;
	switch (k->collector) {
	case VM_COLLECTOR_SERIAL:
	case VM_COLLECTOR_PARALLEL:
		return counts->full != k->start.full ? GC_FULL : counted ? GC_YOUNG : GC_OTHER;
	case VM_COLLECTOR_G1:
		if (counts->full != k->start.full) {
			k->remarked = false; /* a full collection ends the concurrent cycle */
			return GC_FULL;
		}
		return counted && counts->caused ? GC_YOUNG : concurrent(k, counted);
	default:
		return GC_OTHER; /* ZGC and Shenandoah: pauses of a concurrent cycle */
	}
}
