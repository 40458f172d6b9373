/* Walks of parts of the heap, and of what has been touched, are what a walk of all of it says. Also with
 * deferred coalescing. */
#include <malloc.h>

#include "dlmalloc_kit.h"

enum { BLOCKS = 3000, ROUNDS = 60, STEPS = 400, MOST = 400000, TILES = 65536 };

static const struct dlmalloc_inside *in;
static void *blocks[BLOCKS];

struct chunk {
	uint64_t address, size;
	enum dlmalloc_use use;
};

struct list {
	uint32_t count;
	struct chunk chunks[100000];
};

static struct list whole, part;

static bool append(void *context, uint64_t address, uint64_t size, enum dlmalloc_use use)
{
	struct list *list = context;
	list->chunks[list->count++] = (struct chunk){address, size, use};
	return list->count < 100000;
}

static void change(uint64_t *state, int steps)
{
	for (int i = 0; i < steps; i++) {
		void **block = &blocks[kit_random(state) % BLOCKS];
		const size_t bytes = kit_size(state, MOST);
		switch (kit_random(state) % 8) {
		case 0:
			*block = realloc(*block, bytes);
			break;
		case 1:
			free(*block);
			*block = aligned_alloc(64, (bytes + 63) / 64 * 64);
			break;
		case 2:
		case 3:
			free(*block);
			*block = malloc(bytes);
			break;
		default:
			free(*block);
			*block = NULL;
		}
	}
}

/* Every part is what overlaps it of the whole. */
static void compare_parts(uint64_t *state)
{
	struct dlmalloc_segment segments[100];
	const uint32_t count = in->segments(segments, 100);
	CHECK(count != 0, "no segments");
	whole.count = 0;
	in->walk(0, UINT64_MAX, append, &whole);
	for (int i = 0; i < 50; i++) {
		const struct dlmalloc_segment *s = &segments[kit_random(state) % count];
		const uint64_t low = s->start + kit_random(state) % (s->end - s->start);
		const uint64_t high = low + 1 + kit_random(state) % 300000;
		uint32_t at = 0;
		part.count = 0;
		in->walk(low, high, append, &part);
		for (uint32_t c = 0; c < whole.count; c++) {
			const struct chunk *w = &whole.chunks[c], *p = &part.chunks[at];
			if (w->address + w->size <= low || w->address >= high)
				continue;
			CHECK(at < part.count && p->address == w->address && p->size == w->size &&
				  p->use == w->use,
			    "chunk %u of %u in %lx-%lx", at, part.count, (unsigned long)low,
			    (unsigned long)high);
			at++;
		}
		CHECK(at == part.count, "%u of %u", at, part.count);
	}
}

/* Per touched unit of memory, what a tile shows: used bytes, and free chunks that begin there, dv among them. */
struct tile {
	uint64_t used, frees;
};

static struct tile now[TILES], known[TILES];
static uint64_t base;

static bool add(void *context, uint64_t address, uint64_t size, enum dlmalloc_use use)
{
	struct tile *tiles = context;
	const uint64_t first = (address - base) / DLMALLOC_TOUCHED_BYTES;
	if (use == DLMALLOC_TOP)
		return true;
	if (use != DLMALLOC_USED) {
		tiles[first].frees++;
		return true;
	}
	for (uint64_t at = address; at < address + size;) {
		const uint64_t tile = (at - base) / DLMALLOC_TOUCHED_BYTES;
		uint64_t end = base + (tile + 1) * DLMALLOC_TOUCHED_BYTES;
		end = end < address + size ? end : address + size;
		CHECK(tile < TILES, "the heap is too large for this test");
		tiles[tile].used += end - at;
		at = end;
	}
	return true;
}

static void compare_touched(bool much)
{
	struct dlmalloc_segment segments[100];
	const uint32_t count = in->segments(segments, 100);
	uint32_t taken = 0, all = 0;
	memset(now, 0, sizeof now);
	in->walk(0, UINT64_MAX, add, now);
	for (uint32_t s = 0; s < count; s++)
		for (uint64_t at = segments[s].start & ~(uint64_t)0xffff; at < segments[s].end;
		     at += DLMALLOC_TOUCHED_BYTES, all++) {
			const uint64_t tile = (at - base) / DLMALLOC_TOUCHED_BYTES;
			if (in->take_touched(at)) {
				known[tile] = now[tile];
				taken++;
			}
			CHECK(memcmp(&known[tile], &now[tile], sizeof now[tile]) == 0,
			    "tile %lu has changed, and was not touched", (unsigned long)tile);
		}
	CHECK(much ? taken != 0 : taken < all, "%u of %u are touched", taken, all);
}

static void rounds(uint64_t seed)
{
	uint64_t state = seed;
	for (int i = 0; i < ROUNDS; i++) {
		const bool much = i % 3 == 0;
		change(&state, much ? STEPS : 5);
		compare_parts(&state);
		compare_touched(much);
		kit_check(in);
	}
}

/* A block whose chunk is not larger than it must be. */
static void *exactly(size_t bytes)
{
	void *block;
	do
		block = malloc(bytes);
	while (malloc_usable_size(block) >= bytes + 16);
	return block;
}

/* A freed block is used again for requests of its size only; all are given back above the threshold. */
static void parks(void)
{
	struct dlmalloc_state state;
	struct dlmalloc_parked sizes[10];
	in->defer(0);
	in->state(&state);
	CHECK(state.parked_chunks == 0, "%lu are parked", (unsigned long)state.parked_chunks);
	in->defer(90);
	void *const a = exactly(1000), *const b = exactly(1000);
	const uintptr_t at_a = (uintptr_t)a, at_b = (uintptr_t)b;
	free(a);
	free(b);
	in->state(&state);
	CHECK(state.parked_chunks == 2 && state.parked_bytes == 2 * 1008, "%lu bytes",
	    (unsigned long)state.parked_bytes);
	CHECK(in->parked(sizes, 10) == 1 && sizes[0].size == 1008 && sizes[0].chunks == 2, "sizes");
	CHECK((uintptr_t)malloc(970) != at_a && (uintptr_t)malloc(1000) == at_b,
	    "not the exact fit"); /* 970: 992 bytes */
	unsigned char *zeroed = calloc(10, 100);
	CHECK((uintptr_t)zeroed == at_a && zeroed[0] == 0 && zeroed[8] == 0 && zeroed[999] == 0,
	    "calloc");
	free(zeroed);
	in->defer(1);
	void *many[2000];
	for (int i = 0; i < 2000; i++)
		many[i] = malloc(2000);
	uint64_t most = 0;
	for (int i = 0; i < 2000; i++) {
		free(many[i]);
		in->state(&state);
		CHECK(state.parked_bytes <= state.footprint / 100, "above the threshold");
		most = state.parked_bytes > most ? state.parked_bytes : most;
	}
	CHECK(most > 2000, "nothing was parked");
	in->defer(0);
	in->state(&state);
	CHECK(state.parked_chunks == 0 && in->parked(sizes, 10) == 0, "some are left");
	kit_check(in);
}

int main(int argc, char **argv)
{
	in = kit_inside();
	const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	struct dlmalloc_segment first;
	CHECK(in->segments(&first, 1) == 1, "no heap");
	base = first.start & ~(uint64_t)0xffff;
	rounds(seed);
	in->defer(20);
	rounds(seed + 1);
	parks();
	return 0;
}
