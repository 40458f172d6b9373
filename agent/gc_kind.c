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
		if (counted)
			return GC_YOUNG;
		k->remarked = !k->remarked;
		return k->remarked ? GC_REMARK : GC_CLEANUP;
	default:
		return GC_OTHER; /* ZGC and Shenandoah: pauses of a concurrent cycle */
	}
}
