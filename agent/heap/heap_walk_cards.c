#include "heap_walk_internal.h"
#include "now.h"
#include "vm_cards.h"

/* Cells between two reads of the clock. */
enum { STRIDE = 16 };

/* Counts a cell's cards; true if the counts have changed. */
static bool count(const struct heap_walk *s, const struct heap_walk_range *r, uint64_t k)
{
	struct heap_walk_cell *cell = &s->cells[r->cell + k];
	struct vm_cards cards;
	const uint64_t low = r->low + k * r->block, high = low + r->block;
	vm_cards_count(s->vm, low, high < r->top ? high : r->top, &cards);
	if (cell->clean == cards.clean && cell->dirty == cards.dirty && cell->other == cards.other)
		return false;
	cell->clean = cards.clean;
	cell->dirty = cards.dirty;
	cell->other = cards.other;
	return true;
}

/* False when time is up. */
static bool count_range(struct heap_walk *s, uint32_t i, uint64_t deadline)
{
	struct track *t = &s->tracks[i];
	const uint32_t cells = heap_walk_area(&t->range).tiles;
	bool time = true;
	while (time && t->cards_to < cells) {
		t->changed = count(s, &t->range, t->cards_to) || t->changed;
		t->cards_to++;
		time = t->cards_to % STRIDE != 0 || now_ns() < deadline;
	}
	return time;
}

/* Cards change at any time: all are counted at each event, for at most half of the budget. */
void heap_walk_count_cards(struct heap_walk *s, uint64_t deadline)
{
	bool time = vm_has(s->vm, VM_CARDS);
	const uint32_t first = s->card_turn < s->range_count ? s->card_turn : 0;
	for (uint32_t n = 0; n < s->range_count; n++) {
		const uint32_t i = (first + n) % s->range_count;
		s->tracks[i].cards_to = 0;
		if (!time || !s->ranges[i].cards)
			continue;
		time = count_range(s, i, deadline);
		if (!time)
			s->card_turn = n == 0 ? i + 1 : i;
	}
}
