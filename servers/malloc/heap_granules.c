#include "heap_granules.h"

#include <string.h>

#include <gcspy/memory.h>

/* Where each granule is: for each piece of the shadow a table, by the granule's number in it. */
static struct heap_granule **tables[SHADOW_PIECES];
static struct heap_granule **order; /* by address */
static uint32_t count, room;
static struct heap_sums sums;
static struct heap_granules_hooks hooks;

/* What is marked in this update. */
static struct marked {
	uint64_t *starts;
	uint32_t count, room;
} marked;

void heap_granules_hook(const struct heap_granules_hooks *to)
{
	hooks = *to;
}

uint32_t heap_granules_count(void)
{
	return count;
}

struct heap_granule *heap_granules_at(uint32_t tile)
{
	return order[tile];
}

const struct heap_sums *heap_granules_sums(void)
{
	return &sums;
}

uint32_t heap_granules_find(uint64_t address)
{
	uint32_t low = 0, high = count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (order[middle]->start + SHADOW_GRANULE <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct heap_granule **place_of(uint64_t start)
{
	struct heap_granule **table = tables[start >> SHADOW_PIECE_SHIFT];
	return table == NULL ? NULL
			     : &table[start >> SHADOW_GRANULE_SHIFT & (SHADOW_PIECE_GRANULES - 1)];
}

static struct heap_granule *known(uint64_t start)
{
	struct heap_granule **place = place_of(start);
	return place == NULL ? NULL : *place;
}

static void mark_again(uint64_t start)
{
	struct shadow_piece *piece = shadow_piece(start);
	if (piece != NULL)
		shadow_mark(piece, shadow_unit(start));
}

/* Collecting the marks. */

static bool note_marked(uint64_t start)
{
	if (marked.count == marked.room) {
		const uint32_t more = marked.room == 0 ? 1024 : marked.room * 2;
		uint64_t *starts = gcs_realloc(marked.starts, more * sizeof *starts);
		if (starts == NULL)
			return false;
		marked.starts = starts;
		marked.room = more;
	}
	marked.starts[marked.count++] = start;
	return true;
}

/* Eight at a time; the exchange is what counts. */
static void take_marks(uint32_t index, struct shadow_piece *piece)
{
	for (uint32_t i = 0; i < SHADOW_PIECE_GRANULES; i += 8) {
		uint64_t word;
		memcpy(&word, (const void *)&piece->dirty[i], sizeof word);
		if (word == 0)
			continue;
		for (uint32_t k = i; k < i + 8; k++) {
			const uint64_t start = (uint64_t)index << SHADOW_PIECE_SHIFT |
					       (uint64_t)k << SHADOW_GRANULE_SHIFT;
			if (atomic_exchange(&piece->dirty[k], 0) != 0 && !note_marked(start))
				mark_again(start);
		}
	}
}

/* New granules. */

static struct heap_granule *create(uint64_t start)
{
	struct heap_granule ***table = &tables[start >> SHADOW_PIECE_SHIFT];
	if (*table == NULL)
		*table = gcs_zalloc(SHADOW_PIECE_GRANULES * sizeof **table);
	struct heap_granule **place = place_of(start);
	if (place == NULL)
		return NULL;
	*place = gcs_zalloc(sizeof **place);
	if (*place != NULL)
		(*place)->start = start;
	return *place;
}

static bool make_room(uint32_t more)
{
	if (count + more <= room)
		return true;
	const uint32_t larger = (count + more) * 2;
	struct heap_granule **moved = gcs_realloc(order, larger * sizeof(struct heap_granule *));
	if (moved == NULL)
		return false;
	order = moved;
	room = larger;
	return true;
}

/* Adds `more` adjacent granules from `start` on. None of them is known. False without memory: some of
 * them may have been added. */
static bool insert_run(uint64_t start, uint32_t more)
{
	uint32_t made = 0;
	if (more > HEAP_GRANULES_MOST - count || !make_room(more))
		return false;
	const uint32_t tile = heap_granules_find(start);
	memmove(order + tile + more, order + tile, (count - tile) * sizeof order[0]);
	while (made < more &&
	       (order[tile + made] = create(start + (uint64_t)made * SHADOW_GRANULE)) != NULL)
		made++;
	memmove(order + tile + made, order + tile + more, (count - tile) * sizeof order[0]);
	count += made;
	if (made != 0 && hooks.inserted != NULL)
		hooks.inserted(tile, made);
	return made == more;
}

bool heap_granules_cover(uint64_t start, uint64_t end)
{
	bool any = false;
	start -= start % SHADOW_GRANULE;
	while (start < end) {
		uint64_t to = start;
		while (to < end && known(to) == NULL)
			to += SHADOW_GRANULE;
		if (to != start) {
			any = true;
			if (!insert_run(start, (uint32_t)((to - start) / SHADOW_GRANULE)))
				return any;
			start = to;
		} else {
			start += SHADOW_GRANULE;
		}
	}
	return any;
}

/* Scanning. */

struct scan {
	struct heap_granule *g;
	uint64_t end; /* of the block before; 0: none */
};

static void add_block(void *context, uintptr_t start, uint64_t bytes)
{
	struct scan *s = context;
	struct heap_granule *g = s->g;
	const uint64_t units = bytes / SHADOW_UNIT;
	const uint32_t class = size_class_of(units);
	if (s->end == 0) {
		g->first = (uint16_t)((start - g->start) / SHADOW_UNIT);
	} else if (start > s->end) {
		const uint64_t gap = (start - s->end) / SHADOW_UNIT;
		g->gap = gap > g->gap ? (uint16_t)gap : g->gap;
		g->gaps[gap_class_of(gap)]++;
		g->gap_units[gap_class_of(gap)] += (uint32_t)gap;
	}
	s->end = start + bytes;
	const uint64_t limit = g->start + SHADOW_GRANULE;
	g->own += (uint32_t)((s->end < limit ? s->end : limit) - start);
	g->bytes += bytes;
	g->blocks++;
	g->classes[class]++;
	g->class_units[class] += (uint32_t)units;
}

/* Adds the granule to the sums, or takes it out. Numbers wrap around in between. */
static void sum(const struct heap_granule *g, uint64_t sign)
{
	sums.bytes += sign * g->bytes;
	sums.blocks += sign * g->blocks;
	for (uint32_t i = 0; i < SIZE_CLASSES; i++) {
		sums.classes[i] += sign * g->classes[i];
		sums.class_units[i] += sign * g->class_units[i];
	}
	for (uint32_t i = 0; i < GAP_CLASSES; i++) {
		sums.gaps[i] += sign * g->gaps[i];
		sums.gap_units[i] += sign * g->gap_units[i];
	}
}

static void set_changed(struct heap_granule *g)
{
	g->changed = true;
	if (hooks.changed != NULL)
		hooks.changed(heap_granules_find(g->start));
}

/* What the granule's last block covers of those after it: adds it, or takes it away. */
static void spread(const struct heap_granule *g, bool add)
{
	const uint64_t from = g->start + SHADOW_GRANULE;
	if (g->end <= from)
		return;
	for (uint32_t i = heap_granules_find(from); i < count && order[i]->start < g->end; i++) {
		const uint64_t rest = g->end - order[i]->start;
		const uint32_t covers = rest < SHADOW_GRANULE ? (uint32_t)rest : SHADOW_GRANULE;
		if (order[i]->spill != (add ? covers : 0)) {
			order[i]->spill = add ? covers : 0;
			set_changed(order[i]);
		}
	}
}

static void scan(struct heap_granule *g)
{
	const struct heap_granule keep = *g;
	struct scan s = {.g = g};
	sum(g, (uint64_t)-1);
	*g = (struct heap_granule){
	    .start = keep.start, .spill = keep.spill, .mapped = keep.mapped, .free = keep.free};
	shadow_scan(keep.start, keep.start + SHADOW_GRANULE, add_block, &s);
	g->end = s.end;
	sum(g, 1);
	set_changed(g);
}

static void clear_changed(void)
{
	for (uint32_t i = 0; i < count; i++)
		if (order[i]->changed) {
			order[i]->changed = false;
			if (hooks.changed != NULL)
				hooks.changed(i);
		}
}

/*
 * A block may cover a granule until a mark, and another from a different granule after it: first all
 * that was covered is taken away, then added.
 */
bool heap_granules_update(void)
{
	bool fresh = false;
	marked.count = 0;
	clear_changed();
	for (uint32_t i = 0; (i = shadow_next_piece(i)) < SHADOW_PIECES; i++)
		take_marks(i, atomic_load(&shadow_pieces[i]));
	for (uint32_t i = 0; i < marked.count; i++) {
		uint32_t run = 1; /* adjacent new ones at once */
		if (known(marked.starts[i]) != NULL) {
			spread(known(marked.starts[i]), false);
			continue;
		}
		while (i + run < marked.count && known(marked.starts[i + run]) == NULL &&
		       marked.starts[i + run] == marked.starts[i] + (uint64_t)run * SHADOW_GRANULE)
			run++;
		(void)insert_run(marked.starts[i], run);
		fresh = true;
		i += run - 1;
	}
	for (uint32_t i = 0; i < marked.count; i++) {
		struct heap_granule *g = known(marked.starts[i]);
		if (g == NULL) {
			mark_again(marked.starts[i]);
			continue;
		}
		scan(g);
		if (g->end > g->start + SHADOW_GRANULE)
			fresh = heap_granules_cover(g->start, g->end) || fresh;
	}
	for (uint32_t i = 0; i < marked.count; i++)
		if (known(marked.starts[i]) != NULL)
			spread(known(marked.starts[i]), true);
	return fresh;
}

void heap_granules_set_free(uint32_t tile, const struct heap_free *free)
{
	order[tile]->free = *free;
	if (hooks.changed != NULL)
		hooks.changed(tile);
}

/* Mappings. */

void heap_granules_map_begin(void)
{
	for (uint32_t i = 0; i < count; i++)
		order[i]->mapping = 0;
}

void heap_granules_map(uint64_t start, uint64_t end)
{
	for (uint32_t i = heap_granules_find(start); i < count && order[i]->start < end; i++) {
		struct heap_granule *g = order[i];
		const uint64_t from = g->start > start ? g->start : start;
		const uint64_t limit = g->start + SHADOW_GRANULE;
		g->mapping += (uint32_t)((limit < end ? limit : end) - from);
	}
}

static bool is_gone(const struct heap_granule *g)
{
	return g->mapped == 0 && g->blocks == 0 && g->spill == 0;
}

/* Forgets a run of granules that are gone. */
static void forget(uint32_t tile, uint32_t run)
{
	for (uint32_t i = tile; i < tile + run; i++) {
		*place_of(order[i]->start) = NULL;
		gcs_free(order[i]);
	}
	count -= run;
	memmove(order + tile, order + tile + run, (count - tile) * sizeof order[0]);
	if (hooks.removed != NULL)
		hooks.removed(tile, run);
}

void heap_granules_map_end(void)
{
	for (uint32_t i = 0; i < count; i++) {
		struct heap_granule *g = order[i];
		const bool other = g->mapped != g->mapping;
		g->mapped = g->mapping;
		if (other && hooks.changed != NULL)
			hooks.changed(i);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t run = 0;
		while (i + run < count && is_gone(order[i + run]))
			run++;
		if (run != 0)
			forget(i, run);
	}
}
