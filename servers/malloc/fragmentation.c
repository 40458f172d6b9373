#include "fragmentation.h"

#include <pthread.h>

#include "dl_spaces.h"
#include "heap_shadow.h"

enum {
	LEAST_WINDOW = 4096,
	MOST_WINDOW = 16 << 20,
	LEAST_CHUNK = 32, /* or a gap of 16 bytes and the block after it */
	RING = MOST_WINDOW / LEAST_CHUNK
};

/* Free chunks of the window that ends with the last one. One event at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t starts[RING];

struct count {
	uint64_t most, window;
	uint64_t low, high; /* what is walked */
	uint64_t from;      /* after the last chunk with more than `most` bytes */
	uint64_t gap;       /* where the shadow's next gap starts; 0: not known */
	uint32_t first, last;
	uint32_t best_here, best;
};

/* A stretch without a larger chunk ends: it counts if it has room for the window. */
static void end_stretch(struct count *c, uint64_t end)
{
	if (end - c->from >= c->window && c->best_here > c->best)
		c->best = c->best_here;
	c->best_here = 0;
	c->first = c->last;
}

static void add_free(struct count *c, uint64_t address, uint64_t size)
{
	const uint64_t end = address + size;
	if (size > c->most) {
		end_stretch(c, address > c->from ? address : c->from);
		c->from = end;
		return;
	}
	if (address < c->low || end > c->high)
		return;
	starts[c->last++ % RING] = address;
	while (end - starts[c->first % RING] > c->window)
		c->first++;
	if (c->last - c->first > c->best_here)
		c->best_here = c->last - c->first;
}

static bool add_chunk(void *context, uint64_t address, uint64_t size, enum dlmalloc_use use)
{
	if (use != DLMALLOC_USED)
		add_free(context, address, size);
	return true;
}

/* The gap before the window's first block is not known: a block from before may reach into it. */
static void add_block(void *context, uintptr_t start, uint64_t bytes)
{
	struct count *c = context;
	if (c->gap != 0 && start > c->gap)
		add_free(c, c->gap, start - c->gap);
	c->gap = start + bytes;
}

/* What a walk may reach: the window to both sides, within the block's segment. False: it is in none. */
static bool find_range(struct count *c, uint64_t location)
{
	struct dlmalloc_segment segments[256];
	uint64_t start = 0, end = UINT64_MAX;
	const uint32_t count = dl_inside() == NULL ? 0 : dl_inside()->segments(segments, 256);
	uint32_t i = 0;
	while (i < count && (location < segments[i].start || location >= segments[i].end))
		i++;
	if (dl_inside() != NULL) {
		if (i == count)
			return false;
		start = segments[i].start;
		end = segments[i].end;
	}
	c->low = location - start > c->window ? location - c->window : start;
	c->high = end - location > c->window ? location + c->window : end;
	c->from = c->low;
	return true;
}

bool fragmentation_accepts(const int64_t parameters[2])
{
	return parameters[0] >= 0 && parameters[1] >= LEAST_WINDOW && parameters[1] <= MOST_WINDOW;
}

bool fragmentation(uint64_t location, const int64_t parameters[2], int64_t *value)
{
	if (!fragmentation_accepts(parameters))
		return false;
	struct count c = {.most = (uint64_t)parameters[0], .window = (uint64_t)parameters[1]};
	*value = 0;
	if (!find_range(&c, location))
		return true;
	pthread_mutex_lock(&lock);
	if (dl_inside() != NULL)
		dl_inside()->walk(c.low, c.high, add_chunk, &c);
	else
		shadow_scan(c.low, c.high, add_block, &c);
	end_stretch(&c, c.high > c.from ? c.high : c.from);
	pthread_mutex_unlock(&lock);
	*value = c.best;
	return true;
}

void fragmentation_forget(void)
{
	pthread_mutex_init(&lock, NULL);
}
