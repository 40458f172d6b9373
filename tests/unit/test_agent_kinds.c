/* What kind of pause a collection was (H2), from counts as the JVMs gave them. */
#include <criterion/criterion.h>

#include "gc_kind.h"

static enum gc_kind pause_caused(struct gc_kinds *k, uint64_t total, uint64_t full, bool caused)
{
	struct vm_gc_counts counts = k->start;
	const struct vm_gc_signs none = {.phase = VM_GC_PHASE_UNKNOWN};
	gc_kinds_start(k, &counts, &none);
	counts.total += total;
	counts.full += full;
	counts.caused = caused;
	enum gc_kind kind = gc_kinds_finish(k, &counts, &none);
	k->start = counts; /* where the next one begins */
	return kind;
}

static enum gc_kind pause(struct gc_kinds *k, uint64_t total, uint64_t full)
{
	return pause_caused(k, total, full, true);
}

/* A pause of G1's concurrent cycle; the JVM counts one of the two. */
static enum gc_kind concurrent(struct gc_kinds *k, uint64_t total)
{
	return pause_caused(k, total, 0, false);
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
	cr_assert_eq(concurrent(&k, 0), GC_REMARK);
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG, "between the two");
	cr_assert_eq(concurrent(&k, 1), GC_CLEANUP);
	cr_assert_eq(concurrent(&k, 0), GC_REMARK, "of the next cycle");
	cr_assert_eq(pause(&k, 1, 1), GC_FULL, "ends the cycle");
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG);
	cr_assert_eq(concurrent(&k, 0), GC_REMARK);
}

/* Metaspace was full while a cycle ran: nothing is done, and the JVM counts nothing. */
Test(agent_kinds, tell_a_pause_without_a_collection)
{
	static const int jdks[] = {17, 25};
	for (int i = 0; i < 2; i++) {
		const bool remark = jdks[i] == 25;
		struct gc_kinds k = {.collector = VM_COLLECTOR_G1, .jdk = jdks[i], .concurrent = 6};
		k.start.tells_concurrent = true;
		k.start.concurrent = 6;
		cr_assert_eq(pause(&k, 1, 0), GC_YOUNG);
		cr_assert_eq(concurrent(&k, 0), GC_OTHER);
		k.start.concurrent++; /* before the start */
		cr_assert_eq(concurrent(&k, remark), GC_REMARK);
		cr_assert_eq(concurrent(&k, 0), GC_OTHER, "between the two");
		k.start.concurrent++;
		cr_assert_eq(concurrent(&k, !remark), GC_CLEANUP);
		cr_assert_eq(concurrent(&k, 0), GC_OTHER);
	}
}

/* An agent that was loaded between the two, and a Remark that had to be repeated. */
Test(agent_kinds, know_which_of_remark_and_cleanup_is_counted)
{
	struct gc_kinds old = {.collector = VM_COLLECTOR_G1, .jdk = 17};
	cr_assert_eq(concurrent(&old, 1), GC_CLEANUP);
	cr_assert_eq(concurrent(&old, 0), GC_REMARK);
	cr_assert_eq(concurrent(&old, 0), GC_REMARK);
	cr_assert_eq(concurrent(&old, 1), GC_CLEANUP);
	struct gc_kinds new = {.collector = VM_COLLECTOR_G1, .jdk = 25, .start.total = 7};
	cr_assert_eq(concurrent(&new, 0), GC_CLEANUP);
	cr_assert_eq(concurrent(&new, 1), GC_REMARK);
	cr_assert_eq(new.number, 8);
	cr_assert_eq(pause(&new, 1, 0), GC_YOUNG, "between the two");
	cr_assert_eq(new.number, 9);
	new.start.caused = false; /* at the start of a pause of the cycle */
	cr_assert_eq(gc_kinds_expected(&new), 8);
	cr_assert_eq(concurrent(&new, 0), GC_CLEANUP);
	cr_assert_eq(new.number, 8, "both are of the same cycle");
	cr_assert_eq(pause(&new, 1, 0), GC_YOUNG);
	cr_assert_eq(new.number, 10);
}

/* Remark counts only if it ends the marking: not if the mark stack overflowed, nor after a full
 * collection. */
Test(agent_kinds, tell_a_remark_that_is_not_counted)
{
	struct gc_kinds k = {.collector = VM_COLLECTOR_G1, .jdk = 25};
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG);
	cr_assert_eq(concurrent(&k, 0), GC_REMARK, "marking restarts");
	cr_assert_eq(concurrent(&k, 1), GC_REMARK);
	cr_assert_eq(concurrent(&k, 0), GC_CLEANUP);
	cr_assert_eq(pause(&k, 1, 1), GC_FULL, "while the next cycle marks");
	cr_assert_eq(concurrent(&k, 0), GC_REMARK, "which had been requested");
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG);
	cr_assert_eq(concurrent(&k, 1), GC_REMARK);
	cr_assert_eq(pause(&k, 1, 1), GC_FULL, "before the Cleanup");
	cr_assert_eq(concurrent(&k, 0), GC_CLEANUP, "which had been requested");
	cr_assert_eq(concurrent(&k, 1), GC_REMARK);
	cr_assert_eq(pause(&k, 1, 1), GC_FULL, "and nothing had been requested");
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG);
	cr_assert_eq(concurrent(&k, 0), GC_REMARK);
}

/* JDK 17 counts the Cleanup, but not if a full collection came after it had been requested. */
Test(agent_kinds, tell_a_cleanup_that_is_not_counted)
{
	struct gc_kinds k = {.collector = VM_COLLECTOR_G1, .jdk = 17};
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG);
	cr_assert_eq(concurrent(&k, 0), GC_REMARK);
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG, "between the two");
	cr_assert_eq(pause(&k, 1, 1), GC_FULL);
	cr_assert_eq(concurrent(&k, 0), GC_CLEANUP, "which had been requested");
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG);
	cr_assert_eq(concurrent(&k, 0), GC_REMARK);
	cr_assert_eq(pause(&k, 1, 1), GC_FULL, "and nothing had been requested");
	cr_assert_eq(pause(&k, 1, 0), GC_YOUNG);
	cr_assert_eq(concurrent(&k, 0), GC_REMARK);
	cr_assert_eq(concurrent(&k, 1), GC_CLEANUP);
	cr_assert_eq(pause(&k, 1, 1), GC_FULL, "while the next cycle marks");
	cr_assert_eq(concurrent(&k, 0), GC_REMARK, "which had been requested");
}

Test(agent_kinds, claim_nothing_without_signs)
{
	struct gc_kinds z = {.collector = VM_COLLECTOR_ZGC};
	cr_assert_eq(pause(&z, 1, 1), GC_OTHER);
	cr_assert_eq(pause(&z, 0, 0), GC_OTHER);
	struct gc_kinds unknown = {.collector = VM_COLLECTOR_UNKNOWN};
	cr_assert_eq(pause(&unknown, 1, 1), GC_OTHER);
	cr_assert_eq(gc_kinds_expected(&unknown), 2);
}

Test(agent_kinds, claim_nothing_where_nothing_tells_them)
{
	struct gc_kinds k = {.collector = VM_COLLECTOR_SERIAL, .blind = true};
	cr_assert_eq(pause(&k, 1, 0), GC_OTHER, "it may be a full one");
	cr_assert_eq(k.number, 1);
	struct gc_kinds s = {.collector = VM_COLLECTOR_SHENANDOAH, .blind = true};
	const struct vm_gc_counts none = {0};
	struct vm_gc_signs signs = {.way = VM_GC_WAY_CONCURRENT};
	cr_assert_eq(gc_kinds_finish(&s, &none, &signs), GC_OTHER);
	cr_assert(s.number == 0 && gc_kinds_expected(&s) == 0);
	signs.way = VM_GC_WAY_FULL;
	cr_assert_eq(gc_kinds_finish(&s, &none, &signs), GC_FULL, "which its cause tells");
}

Test(agent_kinds, have_names)
{
	for (int i = 0; i < GC_KIND_COUNT; i++)
		cr_assert_not_null(gc_kind_names[i]);
}
