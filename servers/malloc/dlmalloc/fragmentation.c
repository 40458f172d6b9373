/* The attribute Fragmentation(y, n) of the paper, at an event. */
#include "dl_spaces.h"

#include <pthread.h>

enum {
	LEAST_WINDOW = 4096,
	MOST_WINDOW = 16 << 20,
	LEAST_CHUNK = 32,
	RING = MOST_WINDOW / LEAST_CHUNK
};

/* Free chunks of the window that ends with the last one. One event at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t starts[RING];

struct count {
	uint64_t most, window;
	uint64_t low, high; /* what is walked */
	uint64_t from;      /* behind the last chunk with more than `most` bytes */
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

static bool visit(void *context, uint64_t address, uint64_t size, enum dlmalloc_use use)
{
	struct count *c = context;
	const uint64_t end = address + size;
	if (use == DLMALLOC_USED)
		return true;
	if (size > c->most) {
		end_stretch(c, address > c->from ? address : c->from);
		c->from = end;
		return true;
	}
	if (address < c->low || end > c->high)
		return true;
	starts[c->last++ % RING] = address;
	while (end - starts[c->first % RING] > c->window)
		c->first++;
	if (c->last - c->first > c->best_here)
		c->best_here = c->last - c->first;
	return true;
}

bool dl_fragmentation(const struct dlmalloc_inside *inside, uint64_t location,
    const int64_t parameters[2], int64_t *value)
{
	if (parameters[0] < 0 || parameters[1] < LEAST_WINDOW || parameters[1] > MOST_WINDOW)
		return false;
	struct count c = {.most = (uint64_t)parameters[0], .window = (uint64_t)parameters[1]};
	struct dlmalloc_segment segments[256];
	const uint32_t count = inside->segments(segments, 256);
	*value = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct dlmalloc_segment *s = &segments[i];
		if (location < s->start || location >= s->end)
			continue;
		c.low = location - s->start > c.window ? location - c.window : s->start;
		c.high = s->end - location > c.window ? location + c.window : s->end;
		c.from = c.low;
		pthread_mutex_lock(&lock);
		inside->walk(c.low, c.high, visit, &c);
		end_stretch(&c, c.high > c.from ? c.high : c.from);
		pthread_mutex_unlock(&lock);
		*value = c.best;
	}
	return true;
}
