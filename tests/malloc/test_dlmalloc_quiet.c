/*
 * For test_dlmalloc_spaces.py: allocates and frees at random, and is then quiet, having written what a walk of
 * its heap says; again for each line on standard input. Options: steps per round, percent of deferred
 * coalescing.
 */
#include <unistd.h>

#include "dlmalloc_kit.h"

enum { BLOCKS = 4000, MOST = 60000, ROOM = 1 << 23, BIN = 8192 };

static const struct dlmalloc_inside *in;
static char text[ROOM];
static size_t used;

static void line(const char *what, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	used += (size_t)snprintf(text + used, ROOM - used, "%s %lu %lu %lu %lu\n", what,
	    (unsigned long)a, (unsigned long)b, (unsigned long)c, (unsigned long)d);
	CHECK(used + 200 < ROOM, "too much to write");
}

static bool write_chunk(void *context, uint64_t address, uint64_t size, enum dlmalloc_use use)
{
	(void)context;
	line("chunk", address, size, (uint64_t)use, 0);
	return true;
}

static void write_all(void)
{
	static struct dlmalloc_chunk chunks[BIN];
	static struct dlmalloc_mspace mspaces[DLMALLOC_MSPACES];
	static struct dlmalloc_segment segments[256];
	static struct dlmalloc_parked parked[2000];
	struct dlmalloc_state state;
	struct dlmalloc_bin bin_state;
	uint64_t least, most;
	used = 0;
	for (uint32_t i = 0, count = in->segments(segments, 256); i < count; i++)
		line("segment", segments[i].start, segments[i].end, 0, 0);
	in->walk(0, UINT64_MAX, write_chunk, NULL);
	for (uint32_t bin = 0; bin < DLMALLOC_BINS; bin++) {
		if (!in->bin_sizes(bin, &least, &most))
			continue;
		const uint32_t count = in->walk_bin(bin, chunks, BIN, &bin_state);
		line("bin", bin, bin_state.chunks, bin_state.bytes, 0);
		for (uint32_t i = 0; i < count; i++)
			line("free", chunks[i].address, chunks[i].size, chunks[i].same + 1,
			    chunks[i].depth);
	}
	for (uint32_t i = 0, count = in->mspaces(mspaces, DLMALLOC_MSPACES); i < count; i++)
		line("mspace", mspaces[i].footprint, mspaces[i].free_bytes, mspaces[i].start,
		    mspaces[i].end);
	for (uint32_t i = 0, count = in->parked(parked, 2000); i < count; i++)
		line("parked", parked[i].size, parked[i].chunks, 0, 0);
	in->state(&state);
	line("ends", state.dv, state.dv_size, state.top, state.top_size);
	for (size_t at = 0; at < used;) {
		const ssize_t wrote = write(STDOUT_FILENO, text + at, used - at);
		CHECK(wrote > 0, "write");
		at += (size_t)wrote;
	}
	CHECK(write(STDOUT_FILENO, "end 0 0 0 0\n", 12) == 12, "write");
}

int main(int argc, char **argv)
{
	static void *blocks[BLOCKS];
	void *mspaces[4] = {NULL};
	uint64_t state = 1;
	char byte;
	in = kit_inside();
	const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
	in->defer(argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0);
	write_all();
	while (read(STDIN_FILENO, &byte, 1) == 1) {
		/* Now and then everything goes: the heap becomes small again. */
		const bool less = kit_random(&state) % 4 == 0;
		for (int i = 0; less && i < BLOCKS; i++) {
			free(blocks[i]);
			blocks[i] = NULL;
		}
		for (long i = 0; i < steps; i++) {
			void **block = &blocks[kit_random(&state) % BLOCKS];
			const size_t bytes = kit_size(&state, MOST);
			if (kit_random(&state) % 8 == 0) {
				*block = realloc(*block, bytes);
			} else {
				free(*block);
				*block = kit_random(&state) % 2 == 0 ? malloc(bytes) : NULL;
			}
		}
		void **mspace = &mspaces[kit_random(&state) % 4];
		if (*mspace != NULL)
			in->mspace_destroy(*mspace);
		*mspace = *mspace == NULL ? in->mspace_create(kit_random(&state) % 1000000) : NULL;
		if (*mspace != NULL)
			in->mspace_allocate(*mspace, 10000);
		write_all();
	}
	return 0;
}
