/*
 * Free memory of granules when segments shrink and grow between their listing and the walk, and are afterwards
 * as they were listed: no mark tells of that (dl_heap.c).
 */
#include "dl_heap.h"
#include "dl_spaces.h"
#include "dlmalloc_kit.h"
#include "heap_granules.h"

enum { GRANULES = 4 };
static const uint64_t base = (uint64_t)1 << 32;

static uint64_t listed, walked; /* ends of the only segment, which is all top */
static bool touched[GRANULES];
static uint32_t walks;
static struct heap_granule granules[GRANULES];

static uint32_t segments(struct dlmalloc_segment *out, uint32_t room)
{
	CHECK(room > 1, "%u", room);
	out[0] = (struct dlmalloc_segment){base, listed};
	return 1;
}

static bool take_touched(uint64_t address)
{
	bool *mark = &touched[(address - base) / SHADOW_GRANULE];
	const bool was = *mark;
	*mark = false;
	return was;
}

static void walk(uint64_t low, uint64_t high, dlmalloc_visit *visit, void *context)
{
	walks++;
	if (base < high && walked > low)
		visit(context, base, walked - base, DLMALLOC_TOP);
}

static const struct dlmalloc_inside inside = {
    .segments = segments, .take_touched = take_touched, .walk = walk};

const struct dlmalloc_inside *dl_inside(void)
{
	return &inside;
}

/* The table of granules: always these. */

uint32_t heap_granules_count(void)
{
	return GRANULES;
}

struct heap_granule *heap_granules_at(uint32_t tile)
{
	granules[tile].start = base + (uint64_t)tile * SHADOW_GRANULE;
	return &granules[tile];
}

uint32_t heap_granules_find(uint64_t address)
{
	return address < base ? 0 : (uint32_t)((address - base) / SHADOW_GRANULE);
}

bool heap_granules_cover(uint64_t start, uint64_t end)
{
	(void)start, (void)end;
	return false;
}

void heap_granules_set_free(uint32_t tile, const struct heap_free *free)
{
	granules[tile].free = *free;
}

static void update(uint64_t in_list, uint64_t in_walk)
{
	listed = base + in_list;
	walked = base + in_walk;
	walks = 0;
	dl_heap_update();
}

static void expect(uint64_t end)
{
	for (uint32_t i = 0; i < GRANULES; i++) {
		const uint64_t from = (uint64_t)i * SHADOW_GRANULE;
		const uint64_t part = end <= from ? 0 : end - from;
		const uint64_t bytes = part < SHADOW_GRANULE ? part : SHADOW_GRANULE;
		CHECK(granules[i].free.bytes == bytes, "granule %u: %u bytes free, not %lu", i,
		    granules[i].free.bytes, (unsigned long)bytes);
	}
}

int main(void)
{
	const uint64_t g = SHADOW_GRANULE;
	update(4 * g, 4 * g);
	expect(4 * g);
	update(4 * g, 4 * g);
	CHECK(walks == 0, "nothing has changed, %u walks", walks);
	/* A segment that was trimmed, and has grown again by the next update. */
	memset(touched, true, sizeof touched);
	update(4 * g, 2 * g);
	expect(2 * g);
	update(4 * g, 4 * g);
	expect(4 * g);
	/* Grown within its last granule, and trimmed. */
	update(3 * g / 2, 3 * g / 2);
	touched[1] = true;
	update(3 * g / 2, 2 * g);
	update(3 * g / 2, 3 * g / 2);
	CHECK(granules[1].free.bytes == g / 2, "%u bytes", granules[1].free.bytes);
	/* The few bytes at a segment's end that are no chunk's are no reason. */
	touched[1] = true;
	update(3 * g / 2, 3 * g / 2 - 80);
	update(3 * g / 2, 3 * g / 2 - 80);
	CHECK(walks == 0, "%u walks", walks);
	return 0;
}
