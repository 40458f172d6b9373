#include "malloc_attributes.h"

#include "heap_shadow.h"
#include "malloc_each.h"
#include "malloc_thread.h"

/* Of all three events; a realloc has one more at the end. */
enum { SIZE, LOCATION, FRAGMENTATION, OLD_SIZE };

/* A larger window would keep the program's thread for long. */
enum { MOST_WINDOW = 16 << 20 };

static const char *const parameter_names[] = {"most", "window"};

static const struct gcs_attribute attributes[] = {
    [SIZE] = {.name = "Size", .format = GCS_BYTES},
    [LOCATION] = {.name = "Location", .format = GCS_HEX, .on_demand = true},
    /* ISMM 2006, section 4.4.3: Fragmentation(512, 524288) > 2000. */
    [FRAGMENTATION] = {.name = "Fragmentation",
	.parameter_count = 2,
	.parameter_names = parameter_names},
    [OLD_SIZE] = {.name = "Old size", .format = GCS_BYTES},
};

bool malloc_attributes_add(struct gcs_server *server, struct gcs_error *err)
{
	const struct gcs_event events[MALLOC_EVENTS] = {
	    [EVENT_MALLOC] = {.name = "malloc",
		.description = "The program has received a block: malloc, calloc, memalign, new …",
		.colour = 0x0072b2,
		.attribute_count = 3,
		.attributes = attributes},
	    [EVENT_FREE] = {.name = "free",
		.description = "The program has given a block back",
		.colour = 0xd55e00,
		.attribute_count = 3,
		.attributes = attributes},
	    [EVENT_REALLOC] = {.name = "realloc",
		.description = "The size of a block has changed",
		.colour = 0x009e73,
		.attribute_count = 4,
		.attributes = attributes}};
	for (int i = 0; i < MALLOC_EVENTS; i++)
		if (gcs_server_add_event(server, &events[i], NULL, err) != GCS_OK)
			return false;
	return true;
}

struct window {
	uint64_t low, high;
	uint64_t end;    /* of the chunk before */
	uint64_t chunks; /* blocks and gaps */
	uint64_t largest;
};

static void add_chunk(struct window *w, uint64_t bytes)
{
	w->chunks++;
	w->largest = bytes > w->largest ? bytes : w->largest;
}

static void visit(void *context, uintptr_t start, uint64_t bytes)
{
	struct window *w = context;
	if (start > w->end)
		add_chunk(w, start - w->end);
	add_chunk(w, bytes);
	w->end = start + bytes;
}

/*
 * The chunks into which `window` bytes around the block are cut, if the largest has at most `most` bytes;
 * else 0. Chunks are blocks and the gaps between them: free chunks side by side count as one. A block that
 * reaches into the window from before counts as a gap.
 */
static bool fragmentation(uintptr_t location, const int64_t *parameters, int64_t *value)
{
	const uint64_t most = (uint64_t)parameters[0], bytes = (uint64_t)parameters[1];
	if (parameters[0] < 0 || parameters[1] < SHADOW_UNIT || bytes > MOST_WINDOW)
		return false;
	struct window w = {.low = location - location % bytes};
	w.high = w.low + bytes;
	w.end = w.low;
	shadow_scan(w.low, w.high, visit, &w);
	if (w.end < w.high)
		add_chunk(&w, w.high - w.end);
	*value = w.largest <= most ? (int64_t)w.chunks : 0;
	return true;
}

bool malloc_attribute(void *context, const struct gcs_ticket *ticket, uint32_t event,
    uint32_t attribute, const int64_t *parameters, int64_t *value)
{
	const uintptr_t location = malloc_each_location();
	(void)context;
	(void)ticket;
	(void)event;
	if (location == 0)
		return false;
	if (attribute == FRAGMENTATION)
		return fragmentation(location, parameters, value);
	*value = (int64_t)location;
	return attribute == LOCATION;
}
