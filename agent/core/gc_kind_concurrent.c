/*
 * The pauses of ZGC and Shenandoah.
 *
 * ZGC of JDK 20 and earlier exports its phase. Later releases have two generations, and only the
 * colours of good pointers are known: marking a generation flips two bits of the mask of marked
 * pointers, relocating one flips two bits of the mask of loaded ones. Nothing flips at the end of
 * marking. The threads that drive the two generations do not stop for each other's pauses: one may
 * free pages during a pause of the other.
 *
 * Shenandoah exports the state of its regions: the collection set appears at the end of marking and
 * becomes trash when the references have been updated. A pause that changes no state is identified
 * by the one before it, or by the live bytes, which are 0 until marking has begun. Without a client
 * regions are not counted: the order of pauses, or what has been marked, is sufficient.
 */
#include "gc_kind.h"

/* Bits of the pointers of JDK 21 and later (zAddress.hpp), as x86-64 stores them: two of each pair. */
enum { MARKED_YOUNG = 0x300, MARKED_OLD = 0xc00 };

/* The four values of "remapped", one bit each from 12 on: bit 0 of their number belongs to the
 * young generation, bit 1 to the old one. */
enum { REMAPPED_SHIFT = 12, REMAPPED = 0xf000 };

static int remapped_number(uint64_t mask)
{
	const unsigned bits = (unsigned)((mask & REMAPPED) >> REMAPPED_SHIFT);
	return bits == 1 ? 0 : bits == 2 ? 1 : bits == 4 ? 2 : bits == 8 ? 3 : -1;
}

/* Nothing flipped: the end of marking. If a young collection runs alone while the old generation is
 * marked, or may be, it may be either. */
static enum gc_kind mark_end(struct gc_kinds *k)
{
	if (k->young && !k->alone)
		return GC_YOUNG_MARK_END;
	k->number = k->old && !k->young ? k->old_number : 0;
	return k->old && !k->young ? GC_OLD_MARK_END : GC_MARK_END;
}

static enum gc_kind finish_generations(struct gc_kinds *k, const struct vm_gc_signs *signs)
{
	const uint64_t marked = k->signs.mark_good ^ signs->mark_good;
	const int before = remapped_number(k->signs.load_good);
	const int after = remapped_number(signs->load_good);
	if (before != after) {
		if (before < 0 || after < 0)
			return GC_OTHER;
		if (((before ^ after) & 1) != 0) {
			k->young = k->alone = false;
			return GC_YOUNG_RELOCATE_START;
		}
		k->old = false;
		k->number = k->old_number;
		return GC_OLD_RELOCATE_START;
	}
	if ((marked & MARKED_YOUNG) == 0)
		return mark_end(k);
	k->young = true;
	k->alone = (k->old || k->unsure) && (marked & MARKED_OLD) == 0;
	if ((marked & MARKED_OLD) == 0)
		return GC_YOUNG_MARK_START;
	k->old = true;
	k->old_number = k->number;
	return GC_BOTH_MARK_START;
}

/* The pause may have been the first one of the JVM, or begin or end an old collection: from then on
 * it is known whether one runs. */
static enum gc_kind finish_either(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs)
{
	if (k->start.total == 0 && counts->total == 1)
		k->unsure = false;
	const bool alone = k->alone || k->unsure;
	const enum gc_kind kind = finish_generations(k, signs);
	if (kind == GC_BOTH_MARK_START || kind == GC_OLD_RELOCATE_START)
		k->unsure = false;
	k->overlap = kind != GC_BOTH_MARK_START && (alone || k->alone || kind == GC_MARK_END);
	return kind;
}

enum gc_kind gc_kinds_finish_z(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs)
{
	const enum vm_gc_phase before = k->signs.phase, after = signs->phase;
	k->number = counts->total; /* counted inside the first pause */
	if (signs->load_good != 0 && k->signs.load_good != 0)
		return finish_either(k, counts, signs);
	if (before == VM_GC_RELOCATE && after == VM_GC_MARK)
		return GC_MARK_START;
	if (before == VM_GC_MARKED && after == VM_GC_RELOCATE)
		return GC_RELOCATE_START;
	if (before == VM_GC_MARK && (after == VM_GC_MARK || after == VM_GC_MARKED))
		return GC_MARK_END; /* if much is left to mark, it continues and ends again */
	return GC_OTHER;
}

uint64_t gc_kinds_expected_z(const struct gc_kinds *k)
{
	if (k->signs.load_good == 0)
		return k->start.total + (k->signs.phase == VM_GC_RELOCATE);
	if ((k->unsure && k->start.total != 0) || (k->old && (k->alone || !k->young)))
		return 0;
	return k->young ? k->start.total : k->start.total + 1;
}

/* Before JDK 25 (exact release unknown) a cycle without a collection set has a third pause. */
static bool has_final_roots(const struct gc_kinds *k)
{
	enum { FIRST_WITHOUT = 25 };
	return k->jdk < FIRST_WITHOUT;
}

/* From JDK 26 on the update of references begins without a pause. */
static bool has_init_update(const struct gc_kinds *k)
{
	enum { FIRST_WITHOUT = 26 };
	return k->jdk < FIRST_WITHOUT;
}

static enum gc_kind step(struct gc_kinds *k, enum gc_cycle next, enum gc_kind kind)
{
	k->cycle = next;
	return kind;
}

static enum gc_kind begin_cycle(struct gc_kinds *k)
{
	k->cycles++;
	return step(k, GC_MARKING, GC_INIT_MARK);
}

/* Marking has ended. Without a collection set, and without a third pause, so has the cycle. */
static enum gc_kind end_marking(struct gc_kinds *k, uint32_t collected)
{
	const enum gc_cycle without = has_final_roots(k) ? GC_MARKED : GC_IDLE;
	return step(k, collected != 0 ? GC_EVACUATING : without, GC_FINAL_MARK);
}

/* The program was stopped for a whole collection. Only a full one commits all memory. */
static enum gc_kind stopped(struct gc_kinds *k, const struct vm_gc_signs *signs)
{
	const struct vm_shenandoah_census *before = &k->signs.census, *after = &signs->census;
	k->cycles++;
	k->cycle = GC_IDLE;
	if (signs->way == VM_GC_WAY_FULL)
		return GC_FULL;
	if (!after->known || (after->uncommitted == 0 && !before->known))
		return GC_STOPPED;
	if (after->uncommitted != 0)
		return GC_DEGENERATED;
	return before->uncommitted != 0 ? GC_FULL : GC_STOPPED;
}

/* By the order of pauses. `collected` is the size of the collection set after marking. */
static enum gc_kind by_order(struct gc_kinds *k, uint32_t collected)
{
	switch (k->cycle) {
	case GC_MARKING:
		return end_marking(k, collected);
	case GC_MARKED:
		return has_final_roots(k) ? step(k, GC_IDLE, GC_FINAL_ROOTS) : begin_cycle(k);
	case GC_EVACUATING:
		if (has_init_update(k))
			return step(k, GC_UPDATING, GC_INIT_UPDATE_REFS);
		return step(k, GC_IDLE, GC_FINAL_UPDATE_REFS);
	case GC_UPDATING:
		return step(k, GC_IDLE, GC_FINAL_UPDATE_REFS);
	default:
		return begin_cycle(k);
	}
}

/* By the generations that are marked; both are, for a while, before the next cycle begins. */
static enum gc_kind by_marking(struct gc_kinds *k, const struct vm_shenandoah_marking *after)
{
	const struct vm_shenandoah_marking *before = &k->signs.marking;
	if (before->young != after->young)
		return step(k, GC_MARKED, GC_FINAL_MARK);
	if (before->old != after->old) /* it began before the last young cycle */
		return step(k, k->cycle, GC_FINAL_MARK);
	if (!after->young)
		return begin_cycle(k);
	if (k->cycle == GC_MARKED || k->cycle == GC_EVACUATING)
		return step(k, GC_UPDATING, GC_INIT_UPDATE_REFS);
	return k->cycle == GC_UPDATING ? step(k, GC_IDLE, GC_FINAL_UPDATE_REFS) : GC_OTHER;
}

/* Which generation was marked in the pause. A cycle begins with the young one not marked. */
static enum gc_kind quiet_generations(struct gc_kinds *k, const struct vm_shenandoah_marking *after)
{
	const struct vm_shenandoah_marking *before = &k->signs.marking;
	if (before->young != after->young)
		return end_marking(k, 0);
	if (before->old != after->old)
		return step(k, k->cycle, GC_FINAL_MARK);
	return after->young ? by_order(k, 0) : begin_cycle(k);
}

/* No collection set and no new trash. */
static enum gc_kind quiet(struct gc_kinds *k, const struct vm_gc_signs *signs)
{
	const struct vm_shenandoah_census *before = &k->signs.census, *after = &signs->census;
	const bool idle = k->cycle == GC_IDLE || k->cycle == GC_CYCLE_UNKNOWN ||
			  (k->cycle == GC_MARKED && !has_final_roots(k));
	if (k->generational && k->signs.marking.known)
		return quiet_generations(k, &signs->marking);
	if (k->cycle == GC_EVACUATING || k->cycle == GC_UPDATING)
		return begin_cycle(k); /* that cycle was cancelled */
	if (k->generational) {
		/* The end of an old marking, which spans several young cycles. */
		if (idle && before->live != after->live)
			return end_marking(k, 0);
		return by_order(k, 0);
	}
	if (after->live_known && after->live == 0)
		return begin_cycle(k); /* at the end of marking something is alive */
	/* Attached in the middle of a cycle: objects marked alive do not tell. */
	if (k->cycle == GC_CYCLE_UNKNOWN)
		return GC_OTHER;
	return by_order(k, 0);
}

static enum gc_kind by_regions(struct gc_kinds *k, const struct vm_gc_signs *signs)
{
	const struct vm_shenandoah_census *before = &k->signs.census, *after = &signs->census;
	if (after->collected != 0)
		return before->collected == 0 ? end_marking(k, after->collected)
					      : step(k, GC_UPDATING, GC_INIT_UPDATE_REFS);
	if (before->collected != 0)
		return step(k, GC_IDLE, GC_FINAL_UPDATE_REFS);
	if (after->trash > before->trash)
		return end_marking(k, 0);
	return quiet(k, signs);
}

enum gc_kind gc_kinds_finish_shenandoah(struct gc_kinds *k, const struct vm_gc_signs *signs)
{
	enum gc_kind kind;
	if (signs->way == VM_GC_WAY_FAILED || signs->way == VM_GC_WAY_FULL)
		kind = stopped(k, signs);
	else if (k->signs.census.known && signs->census.known)
		kind = by_regions(k, signs);
	else if (k->signs.marking.known)
		kind = by_marking(k, &signs->marking);
	else
		kind = by_order(k, signs->census.collected);
	k->number = k->cycles;
	return kind;
}

uint64_t gc_kinds_expected_shenandoah(const struct gc_kinds *k)
{
	if (k->signs.way == VM_GC_WAY_FAILED || k->signs.way == VM_GC_WAY_FULL)
		return k->cycles + 1;
	switch (k->cycle) {
	case GC_MARKING:
	case GC_EVACUATING:
	case GC_UPDATING:
		return k->cycles;
	case GC_MARKED:
		return k->generational ? 0 : has_final_roots(k) ? k->cycles : k->cycles + 1;
	case GC_IDLE:
		return k->generational ? 0 : k->cycles + 1;
	default:
		return 0;
	}
}
