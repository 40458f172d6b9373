/* What kind of pause a collection was (H2), from counts as the JVMs gave them. */
#include <criterion/criterion.h>

#include "gc_kind.h"

static enum gc_kind pause(struct gc_kinds *k, uint64_t total, uint64_t full)
{
	struct vm_gc_counts counts = k->start;
	gc_kinds_start(k, &counts);
	counts.total += total;
	counts.full += full;
	enum gc_kind kind = gc_kinds_finish(k, &counts);
	k->start = counts; /* where the next one begins */
	return kind;
}

Test(agent_kinds, tell_young_and_full_of_serial_and_parallel)
{
	static const enum vm_collector both[] = {VM_COLLECTOR_SERIAL, VM_COLLECTOR_PARALLEL};
	for (int i = 0; i < 2; i++) {
		struct gc_kinds k = {.collector = both[i]};
		cr_assert_eq(pause(&k, 1, 0), GC_YOUNG);
		cr_assert_eq(pause(&k, 1, 1), GC_FULL);
		cr_assert_eq(pause(&k, 2, 1), GC_FULL, "a young collection that became a full one");
		cr_assert_eq(pause(&k, 0, 0), GC_OTHER);
	}
}

Test(agent_kinds, tell_remark_and_cleanup_in_turn)
{
	struct gc_kinds k = {.collector = VM_COLLECTOR_G1};
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG);
	cr_assert_eq(pause(&k, 0, 0), GC_REMARK);
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG, "between the two");
	cr_assert_eq(pause(&k, 0, 0), GC_CLEANUP);
	cr_assert_eq(pause(&k, 0, 0), GC_REMARK, "of the next cycle");
	cr_assert_eq(pause(&k, 1, 1), GC_FULL, "ends the cycle");
	cr_assert_eq(pause(&k, 0, 0), GC_REMARK);
}

Test(agent_kinds, claim_nothing_of_other_collectors)
{
	struct gc_kinds k = {.collector = VM_COLLECTOR_ZGC};
	cr_assert_eq(pause(&k, 1, 1), GC_OTHER);
	cr_assert_eq(pause(&k, 0, 0), GC_OTHER);
}

Test(agent_kinds, have_names)
{
	for (int i = 0; i < GC_KIND_COUNT; i++)
		cr_assert_not_null(gc_kind_names[i]);
}
