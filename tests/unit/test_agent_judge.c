/*
 * Which collections tell live samples from dead ones: the pauses of each collector in order, and for
 * samples allocated before, during and after them whether and when they are judged.
 */
#include <criterion/criterion.h>

#include "judge.h"

static struct judge judge;
static int64_t clock_ns;

static unsigned pause_of(enum gc_kind kind)
{
	return judge_finish(
	    &judge, &(struct judge_pause){
			.kind = kind, .wall_ns = ++clock_ns, .used = (uint64_t)clock_ns * 10});
}

static uint32_t first(uint32_t birth, bool old)
{
	const struct judgement now = judge_read(&judge);
	return judge_first(&now, birth, old);
}

static uint32_t age(uint32_t judged)
{
	const struct judgement now = judge_read(&judge);
	return judge_age(&now, judged);
}

static void begin(void)
{
	clock_ns = 0;
	judge = (struct judge){0};
	judge_begin(&judge);
}

/* A cycle has three or four pauses, and begins at any of them. */
Test(agent_judge, pauses_that_cannot_be_told_apart)
{
	const struct judge_pause any = {.kind = GC_OTHER, .blind = true, .wall_ns = 1};
	begin();
	judge_finish(&judge, &any); /* the first one after sampling began */
	for (uint32_t before = 0; before < 2 * JUDGE_BLIND_PAUSES; before++) {
		const uint32_t birth = judge_birth(&judge);
		uint32_t pauses = 0;
		for (; first(birth, false) == 0; pauses++)
			judge_finish(&judge, &any);
		cr_assert_geq(pauses, (uint32_t)JUDGE_BLIND_PAUSES, "%u", pauses);
		cr_assert_leq(pauses, 2u * JUDGE_BLIND_PAUSES, "%u", pauses);
		judge_finish(&judge, &any);
	}
	const uint32_t birth = judge_birth(&judge);
	judge_finish(&judge, &(struct judge_pause){.kind = GC_FULL, .blind = true});
	cr_assert_neq(first(birth, false), 0u, "a full collection judges all");
	cr_assert_eq(judge_birth(&judge) & 1, 1u);
}

Test(agent_judge, young_and_full_collections)
{
	begin();
	const uint32_t a = judge_birth(&judge);
	cr_assert_eq(first(a, false), 0u, "new");
	cr_assert_eq(age(0), 0u);
	cr_assert_eq(pause_of(GC_YOUNG), JUDGE_YOUNG);
	const uint32_t b = judge_birth(&judge);
	cr_assert_eq(first(a, false), 1u);
	cr_assert_eq(first(b, false), 0u);
	cr_assert_eq(
	    first(a, true), 0u, "young collections do not judge what is in the old generation");
	pause_of(GC_YOUNG);
	cr_assert_eq(first(a, false), 1u);
	cr_assert_eq(first(b, false), 2u);
	cr_assert_eq(age(1), 2u);
	cr_assert_eq(age(2), 1u);
	const struct judgement before = judge_read(&judge);
	cr_assert(before.judged.number == 2 && before.judged.wall_ns == 2 && before.used == 20);
	cr_assert_eq(before.judged_old.number, 0u);
	cr_assert_eq(pause_of(GC_FULL), JUDGE_ALL);
	cr_assert_eq(first(a, true), 3u);
	const struct judgement now = judge_read(&judge);
	cr_assert(now.judged_old.number == 3 && now.judged_old.wall_ns == 3 && now.used == 30);
	cr_assert_eq(now.judged.kind, (uint64_t)GC_FULL);
}

/* A pause of which nothing is known may have freed objects, but is no collection. */
Test(agent_judge, other_pauses)
{
	begin();
	cr_assert_eq(pause_of(GC_OTHER), JUDGE_ALL);
	cr_assert_eq(first(0, false), 0u);
	cr_assert_eq(judge_read(&judge).collections, 0u);
	cr_assert_eq(judge_read(&judge).judged.number, 0u);
	cr_assert_eq(pause_of(GC_YOUNG_MARK_START), 0u);
}

/* G1: a humongous object from before the first young pause after a Cleanup is judged by the next
 * Remark; one from after it may be younger than the marking. */
Test(agent_judge, concurrent_marking_of_g1)
{
	begin();
	const uint32_t a = judge_birth(&judge);
	cr_assert_eq(pause_of(GC_REMARK), JUDGE_ALL, "of a marking that began before sampling");
	cr_assert_eq(first(a, true), 0u);
	pause_of(GC_CLEANUP);
	pause_of(GC_YOUNG);
	const uint32_t b = judge_birth(&judge);
	pause_of(GC_YOUNG);
	pause_of(GC_REMARK);
	cr_assert_eq(first(a, true), 2u);
	cr_assert_eq(first(b, true), 0u);
	cr_assert_eq(judge_read(&judge).collections, 2u);
	cr_assert_eq(judge_read(&judge).judged_old.kind, (uint64_t)GC_REMARK);
	pause_of(GC_CLEANUP);
	pause_of(GC_YOUNG);
	const uint32_t c = judge_birth(&judge);
	judge_finish(&judge, &(struct judge_pause){.kind = GC_YOUNG, .humongous = true});
	const uint32_t d = judge_birth(&judge);
	pause_of(GC_REMARK);
	cr_assert_eq(first(b, true), 4u);
	cr_assert_eq(first(c, true), 4u, "a humongous allocation begins a marking");
	cr_assert_eq(first(d, true), 0u);
}

/* A cycle judges what is older than its marking. */
static void check_cycle(enum gc_kind begins, enum gc_kind middle, enum gc_kind judges)
{
	begin();
	const uint32_t a = judge_birth(&judge);
	pause_of(judges);
	cr_assert_eq(first(a, false), 0u, "its marking began before sampling");
	pause_of(begins);
	const uint32_t b = judge_birth(&judge);
	pause_of(middle);
	const uint32_t c = judge_birth(&judge);
	cr_assert_eq(first(a, false), 0u, "not before the marking's end");
	cr_assert_neq(pause_of(judges) & JUDGE_ALL, 0u);
	const uint32_t d = judge_birth(&judge);
	cr_assert_eq(first(a, false), 1u);
	cr_assert_eq(first(b, false), 0u, "allocated while marking ran");
	cr_assert_eq(first(c, false), 0u);
	pause_of(begins);
	pause_of(judges);
	cr_assert_eq(first(b, false), 2u);
	cr_assert_eq(first(c, false), 2u);
	cr_assert_eq(first(d, false), 2u);
	cr_assert_eq(age(1), 2u);
}

Test(agent_judge, cycles)
{
	check_cycle(GC_MARK_START, GC_MARK_END, GC_RELOCATE_START);
	check_cycle(GC_INIT_MARK, GC_INIT_UPDATE_REFS, GC_FINAL_MARK);
}

/* Shenandoah: what stops the program after a marking only finishes the cycle. */
Test(agent_judge, degenerated_cycles)
{
	begin();
	pause_of(GC_INIT_MARK);
	pause_of(GC_FINAL_MARK);
	const uint32_t a = judge_birth(&judge);
	pause_of(GC_DEGENERATED);
	cr_assert_eq(first(a, false), 0u);
	pause_of(GC_DEGENERATED);
	cr_assert_eq(first(a, false), 2u, "a whole collection");
	pause_of(GC_INIT_MARK);
	const uint32_t b = judge_birth(&judge);
	pause_of(GC_STOPPED);
	cr_assert_eq(first(b, false), 0u, "younger than the marking that it finished");
	pause_of(GC_INIT_MARK);
	const uint32_t c = judge_birth(&judge);
	pause_of(GC_FULL);
	cr_assert_eq(first(c, false), 4u);
}

/* A marking that finds nothing to evacuate may end the cycle: what stops the program after it is a
 * collection of its own. */
Test(agent_judge, abbreviated_cycles)
{
	begin();
	pause_of(GC_INIT_MARK);
	judge_finish(&judge, &(struct judge_pause){.kind = GC_FINAL_MARK, .idle = true});
	cr_assert_eq(judge_read(&judge).collections, 1u);
	const uint32_t a = judge_birth(&judge);
	pause_of(GC_DEGENERATED);
	cr_assert_eq(first(a, false), 2u);
}

/* The end of an old marking between young cycles judges no young object. */
Test(agent_judge, generations_of_shenandoah)
{
	begin();
	const struct judge_pause old = {.kind = GC_FINAL_MARK, .generational = true, .wall_ns = 9};
	pause_of(GC_INIT_MARK);
	judge_finish(&judge, &old);
	cr_assert_eq(judge_read(&judge).judged_old.number, 0u, "a young one");
	const uint32_t a = judge_birth(&judge);
	judge_finish(&judge, &old);
	cr_assert_eq(first(a, false), 0u);
	cr_assert_eq(judge_read(&judge).judged_old.number, 1u);
}

/* Generational ZGC: young collections are counted, the old one judges. */
Test(agent_judge, generations_of_zgc)
{
	begin();
	pause_of(GC_YOUNG_MARK_START);
	cr_assert_eq(pause_of(GC_YOUNG_MARK_END), JUDGE_PAGES);
	cr_assert_eq(pause_of(GC_YOUNG_RELOCATE_START), JUDGE_ALL | JUDGE_PAGES);
	cr_assert_eq(judge_read(&judge).collections, 1u);
	cr_assert_eq(judge_read(&judge).judged.number, 0u);
	pause_of(GC_BOTH_MARK_START);
	pause_of(GC_YOUNG_RELOCATE_START);
	cr_assert_eq(pause_of(GC_OLD_RELOCATE_START), JUDGE_ALL | JUDGE_PAGES | JUDGE_OLD);
	cr_assert_eq(judge_read(&judge).judged_old.number, 2u);
}
