#include "judge.h"

#include <string.h>

static void publish(struct judge *j, bool marking)
{
	uint64_t words[JUDGE_WORDS];
	memcpy(words, &j->now, sizeof words);
	atomic_fetch_add(&j->sequence, 1);
	atomic_thread_fence(memory_order_release);
	for (int i = 0; i < JUDGE_WORDS; i++)
		atomic_store_explicit(&j->words[i], words[i], memory_order_relaxed);
	atomic_fetch_add_explicit(&j->sequence, 1, memory_order_release);
	atomic_store(&j->birth, (uint32_t)j->now.collections * 2 + marking);
}

struct judgement judge_read(const struct judge *j)
{
	struct judgement copy;
	uint64_t words[JUDGE_WORDS];
	unsigned before;
	do {
		before = atomic_load_explicit(&j->sequence, memory_order_acquire);
		for (int i = 0; i < JUDGE_WORDS; i++)
			words[i] = atomic_load_explicit(&j->words[i], memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
	} while ((before & 1) != 0 ||
		 atomic_load_explicit(&j->sequence, memory_order_relaxed) != before);
	memcpy(&copy, words, sizeof copy);
	return copy;
}

void judge_begin(struct judge *j)
{
	j->now = (struct judgement){0};
	j->boundary = 0;
	j->blind = 0;
	j->marked = false;
	publish(j, false);
}

static void note(struct judge *j, const struct judge_pause *pause, bool old)
{
	const struct judge_collection c = {
	    j->now.collections, pause->collection, pause->wall_ns, pause->kind};
	j->now.judged = c;
	j->now.used = pause->used;
	if (old)
		j->now.judged_old = c;
}

static unsigned young(struct judge *j, const struct judge_pause *pause)
{
	j->now.collections++;
	if (j->boundary == 0 || pause->humongous)
		j->boundary = j->now.collections;
	note(j, pause, false);
	return JUDGE_YOUNG;
}

static unsigned full(struct judge *j, const struct judge_pause *pause)
{
	j->now.whole = ++j->now.collections;
	j->boundary = 0;
	j->marked = false;
	note(j, pause, true);
	return JUDGE_ALL;
}

/* The end of a cycle's marking; one that began before sampling, or between young cycles, judges
 * nothing that was sampled since. */
static unsigned marking_ends(struct judge *j, const struct judge_pause *pause, bool marking)
{
	if (marking) {
		j->now.collections++;
		note(j, pause, !pause->generational);
		j->marked = pause->kind == GC_FINAL_MARK && !pause->idle;
	} else if (pause->generational && j->now.collections != 0) {
		note(j, pause, true);
	}
	return JUDGE_ALL;
}

/* Shenandoah stops the program to finish a cycle, or for a whole one. */
static unsigned stopped(struct judge *j, const struct judge_pause *pause)
{
	if (!j->marked) {
		j->now.collections++;
		note(j, pause, !pause->generational);
	}
	j->marked = false;
	return JUDGE_ALL;
}

/* A sample is judged at the second of these after its allocation. */
static unsigned blind(struct judge *j, const struct judge_pause *pause)
{
	if (++j->blind == JUDGE_BLIND_PAUSES) {
		j->blind = 0;
		j->now.collections++;
		note(j, pause, true);
	}
	return JUDGE_ALL;
}

unsigned judge_finish(struct judge *j, const struct judge_pause *pause)
{
	bool marking = (judge_birth(j) & 1) != 0;
	unsigned look = 0;
	switch (pause->kind) {
	case GC_YOUNG:
	case GC_MIXED:
		look = young(j, pause);
		break;
	case GC_FULL:
		look = full(j, pause);
		marking = false;
		break;
	case GC_REMARK:
		if (j->boundary != 0) {
			j->now.marked = j->boundary;
			note(j, pause, true);
		}
		look = JUDGE_ALL;
		break;
	case GC_CLEANUP:
		j->boundary = 0;
		break;
	case GC_MARK_START:
	case GC_INIT_MARK:
		marking = true;
		j->marked = false;
		break;
	case GC_RELOCATE_START:
	case GC_FINAL_MARK:
		look = marking_ends(j, pause, marking);
		marking = false;
		break;
	case GC_DEGENERATED:
	case GC_STOPPED:
		look = stopped(j, pause);
		marking = false;
		break;
	case GC_YOUNG_RELOCATE_START:
		j->now.collections++;
		look = JUDGE_ALL | JUDGE_PAGES; /* asking the JVM also updates the references */
		break;
	case GC_MARK_END:
	case GC_YOUNG_MARK_END:
	case GC_OLD_MARK_END:
		look = JUDGE_PAGES;
		break;
	case GC_OLD_RELOCATE_START:
		note(j, pause, true);
		look = JUDGE_ALL | JUDGE_PAGES | JUDGE_OLD;
		break;
	case GC_FINAL_ROOTS:
	case GC_FINAL_UPDATE_REFS:
		j->marked = false;
		look = JUDGE_ALL;
		break;
	case GC_OTHER:
		look = pause->blind ? blind(j, pause) : JUDGE_ALL;
		break;
	default:
		break;
	}
	publish(j, marking || pause->blind);
	return look;
}

uint32_t judge_first(const struct judgement *j, uint32_t birth, bool old)
{
	const uint32_t born = birth >> 1, first = born + 1 + (birth & 1);
	if (!old && first <= j->collections)
		return first;
	if (born < j->whole)
		return (uint32_t)j->whole;
	return old && born < j->marked ? (uint32_t)j->judged_old.number : 0;
}
