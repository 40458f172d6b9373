/* The bins of dlmalloc as the table shows them: order, bounds, traps. */
#include "dlmalloc_kit.h"

static const struct dlmalloc_inside *in;

enum { MANY = 10000 };

static struct dlmalloc_chunk chunks[2 * MANY];

/* `count` blocks of `bytes` with a used one after each, so that none coalesces when it is freed. */
static void make(void **blocks, void **guards, int count, size_t bytes)
{
	for (int i = 0; i < count; i++) {
		blocks[i] = malloc(bytes);
		guards[i] = malloc(24);
		CHECK(blocks[i] != NULL && guards[i] != NULL, "no memory");
	}
}

/* A small bin is a stack, and its walk is in the order in which malloc takes from it. */
static void small_bins_in_list_order(void)
{
	enum { COUNT = 40, BYTES = 100, CHUNK = 112 };
	void *blocks[COUNT], *guards[COUNT];
	struct dlmalloc_bin state;
	const uint32_t bin = kit_bin(in, CHUNK);
	CHECK(bin < DLMALLOC_SMALL_BINS, "bin %u", bin);
	make(blocks, guards, COUNT, BYTES);
	in->take_dirty();
	for (int i = 0; i < COUNT; i++)
		free(blocks[(i * 7) % COUNT]);
	CHECK(in->take_dirty() == (uint64_t)1 << bin, "another bin is dirty");
	CHECK(in->take_dirty() == 0, "the mask is not cleared");
	const uint32_t count = in->walk_bin(bin, chunks, 2 * MANY, &state);
	CHECK(count >= COUNT && state.chunks == count && state.more == 0, "%u chunks", count);
	CHECK(state.bytes == (uint64_t)count * CHUNK, "%lu bytes", (unsigned long)state.bytes);
	for (int i = 0; i < COUNT; i++) {
		CHECK(chunks[i].address == kit_chunk(blocks[((COUNT - 1 - i) * 7) % COUNT]),
		    "chunk %d is out of order", i);
		CHECK(chunks[i].size == CHUNK, "%lu bytes", (unsigned long)chunks[i].size);
	}
	void *first = malloc(BYTES);
	CHECK(kit_chunk(first) == chunks[0].address, "malloc takes another one");
	kit_check(in);
}

/* Empty bins keep pointers to chunks that have gone. */
static void empty_bins_with_old_pointers(void)
{
	struct dlmalloc_check c;
	void *blocks[14], *guards[14];
	for (int i = 0; i < 14; i++)
		make(blocks + i, guards + i, 1, 24 + (size_t)i * 16);
	for (int i = 0; i < 14; i++)
		free(blocks[i]);
	for (int i = 0; i < 14; i++)
		blocks[i] = malloc(24 + (size_t)i * 16);
	in->check(&c);
	CHECK(c.stale != 0, "no bin is in this state: the test shows nothing");
	CHECK(c.length_mismatch == 0 && c.free_mismatch == 0, "a walk follows old pointers");
	uint32_t empty = 0;
	for (uint32_t bin = 0; bin < DLMALLOC_BINS; bin++) {
		struct dlmalloc_bin state;
		const uint32_t count = in->walk_bin(bin, chunks, MANY, &state);
		CHECK((count == 0) == (state.chunks == 0), "bin %u: %u chunks", bin, count);
		empty += count == 0;
	}
	CHECK(empty != 0, "no bin is empty");
}

static void long_bins_are_cut_short(void)
{
	static void *blocks[MANY], *guards[MANY];
	struct dlmalloc_bin state, whole;
	const uint32_t bin = kit_bin(in, 64);
	make(blocks, guards, MANY, 56);
	for (int i = 0; i < MANY; i++)
		free(blocks[i]);
	const uint32_t count = in->walk_bin(bin, chunks, DLMALLOC_BIN_ROOM, &state);
	CHECK(count == DLMALLOC_BIN_ROOM, "%u chunks", count);
	CHECK(
	    state.more == state.chunks - DLMALLOC_BIN_ROOM && state.chunks > 2 * DLMALLOC_BIN_ROOM,
	    "%lu more", (unsigned long)state.more);
	CHECK(in->walk_bin(bin, chunks, 2 * MANY, &whole) == state.chunks, "the count is wrong");
	CHECK(whole.more == 0, "%lu more", (unsigned long)whole.more);
	kit_check(in);
}

/* Nodes of different sizes, each with all chunks of its size. */
static void trees_by_size(void)
{
	enum { SIZES = 20, SAME = 5 };
	void *blocks[SIZES * SAME], *guards[SIZES * SAME];
	struct dlmalloc_bin state;
	const uint32_t bin = kit_bin(in, 1024);
	CHECK(bin >= DLMALLOC_SMALL_BINS, "bin %u", bin);
	for (int i = 0; i < SIZES * SAME; i++)
		make(blocks + i, guards + i, 1, 1016 + (size_t)(i % SIZES) * 16);
	for (int i = 0; i < SIZES * SAME; i++)
		free(blocks[i]);
	const uint32_t count = in->walk_bin(bin, chunks, MANY, &state);
	CHECK(count >= SIZES && state.more == 0, "%u nodes", count);
	uint64_t total = 0, bytes = 0;
	int found = 0;
	for (uint32_t i = 0; i < count; i++) {
		total += 1 + chunks[i].same;
		bytes += (1 + chunks[i].same) * chunks[i].size;
		CHECK(i == 0 ? chunks[i].depth == 0
			     : chunks[i].depth > 0 && chunks[i].depth <= chunks[i - 1].depth + 1,
		    "depth %u", chunks[i].depth);
		for (uint32_t j = 0; j < i; j++)
			CHECK(chunks[j].size != chunks[i].size, "two nodes of one size");
		found += chunks[i].size >= 1024 && chunks[i].size < 1024 + SIZES * 16 &&
			 chunks[i].same >= SAME - 1;
	}
	CHECK(found == SIZES, "%d sizes", found);
	CHECK(total == state.chunks && bytes == state.bytes, "%lu chunks", (unsigned long)total);
	CHECK(in->walk_bin(bin, chunks, 3, &state) == 3 && state.more == 1, "no bound");
	kit_check(in);
}

static void mspaces_come_and_go(void)
{
	struct dlmalloc_mspace all[DLMALLOC_MSPACES];
	CHECK(in->mspaces(all, DLMALLOC_MSPACES) == 0, "mspaces at the start");
	void *a = in->mspace_create(0), *b = in->mspace_create(1 << 20);
	CHECK(a != NULL && b != NULL, "no memory");
	void *block = in->mspace_allocate(b, 5000);
	CHECK(in->mspaces(all, DLMALLOC_MSPACES) == 2, "not both");
	CHECK(all[0].number == 1 && all[1].number == 2, "numbers");
	CHECK((uintptr_t)block > all[1].start && (uintptr_t)block < all[1].end, "range");
	CHECK(all[1].end - all[1].start >= 1 << 20 && all[1].footprint >= 1 << 20, "size");
	const uint64_t before = all[1].free_bytes;
	in->mspace_release(b, block);
	CHECK(in->mspaces(all, 1) == 1, "no bound");
	CHECK(in->mspaces(all, DLMALLOC_MSPACES) == 2 && all[1].free_bytes >= before + 5000,
	    "%lu free", (unsigned long)all[1].free_bytes);
	CHECK(in->mspace_destroy(a) != 0 && in->mspaces(all, 2) == 1 && all[0].number == 2,
	    "the first one is still there");
	kit_check(in);
}

int main(void)
{
	in = kit_inside();
	setvbuf(stderr, NULL, _IONBF, 0);
	mspaces_come_and_go();
	trees_by_size(); /* before there are free chunks, so that the guards are between the blocks */
	small_bins_in_list_order();
	empty_bins_with_old_pointers();
	long_bins_are_cut_short();
	return 0;
}
