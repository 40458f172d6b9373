#include "heavy.h"

#include <stdio.h>
#include <string.h>

#include "streams.h"
#include "vm_cards.h"

enum count_state { NOT_COUNTED, COUNTED, COUNTED_IN_PART, UNPARSABLE, STATE_COUNT };

static const char *const state_names[STATE_COUNT] = {
    "Not counted", "Counted", "Counted in part", "Unparsable"};

enum { BLUE = 0x0072b2, ORANGE = 0xe69f00, RED = 0xd55e00, PURPLE = 0xcc79a7 };

/* A number of things; summary: their total. */
static struct gcs_stream count_of(const char *name, const char *description, uint32_t colour)
{
	struct gcs_stream stream = stream_number(name, description, INT64_MAX);
	stream.summary = GCS_SUMMARY_TOTAL;
	stream.colour = colour;
	return stream;
}

static struct gcs_stream share_of(const char *name, const char *description, uint64_t block)
{
	struct gcs_stream stream = stream_live(description, block);
	stream.name = name;
	stream.summary = GCS_SUMMARY_TOTAL;
	return stream;
}

uint32_t heavy_describe(struct heavy *h, const struct vm *vm, uint64_t block, unsigned special,
    uint32_t control, struct gcs_stream *streams, uint32_t count)
{
	const bool walks = vm_has(vm, VM_OBJECTS) && (special & HEAVY_NOT) == 0;
	const bool cards = (special & HEAVY_HAS_CARDS) != 0 && vm_has(vm, VM_CARDS);
	const bool marked = (special & HEAVY_ONLY_MARKED) != 0;
	const struct gcs_stream all[HEAVY_COUNT] = {
	    [HEAVY_STATE] = gcs_stream_enumeration("Counted",
		"Whether the tile's objects were counted, with the heavy volume; memory that "
		"cannot be walked over safely is not guessed",
		STATE_COUNT, state_names),
	    [HEAVY_OBJECTS] = count_of("Objects",
		marked ? "Objects that begin in the tile and that the last marking found alive, or "
			 "that were allocated since"
		       : "Objects that begin in the tile, including dead ones",
		BLUE),
	    [HEAVY_BYTES] = share_of("Object bytes",
		marked ? "Bytes of the tile in such objects" : "Bytes of the tile in objects",
		block),
	    [HEAVY_SCALARS] =
		count_of("Scalars", "Objects other than arrays that begin in the tile", PURPLE),
	    [HEAVY_ARRAYS] = count_of("Arrays", "Arrays that begin in the tile", ORANGE),
	    [HEAVY_UNPARSABLE] = share_of(
		"Unparsable", "Bytes in use that the heap walk could not walk over safely", block),
	    [HEAVY_FILLERS] = share_of("Fillers",
		"Bytes that the JVM filled up: gaps in buffers and between objects", block),
	    [HEAVY_DIRTY] = count_of("Dirty cards",
		"Cards of memory in use that were written to and not scanned since", RED),
	    [HEAVY_CLEAN] = count_of("Clean cards", "Cards of memory in use that are clean", BLUE),
	    [HEAVY_OTHER] = count_of("Other cards",
		"Cards with a value of the collector's own, such as G1's mark of young regions",
		ORANGE),
	};
	*h = (struct heavy){.control = control};
	for (int i = 0; i < HEAVY_COUNT; i++) {
		const bool there = i < HEAVY_FILLERS    ? walks
				   : i == HEAVY_FILLERS ? walks && vm_objects_have_fillers(vm)
							: walks && cards;
		h->ids[i] = there ? count : GCS_NONE;
		if (there)
			streams[count++] = all[i];
	}
	return count;
}

/* The columns of a space, and their summaries. */
struct columns {
	int64_t *values[HEAVY_COUNT]; /* NULL: not there */
	int64_t totals[HEAVY_COUNT];
	int64_t states[STATE_COUNT];
};

static bool open_columns(
    const struct heavy *h, struct gcs_snapshot *s, uint32_t space, struct columns *c)
{
	*c = (struct columns){0};
	return streams_write(s, space, h->ids, HEAVY_COUNT, c->values);
}

static void close_columns(const struct heavy *h, struct gcs_snapshot *s, uint32_t space,
    struct columns *c, uint32_t tiles)
{
	for (int i = 0; i < HEAVY_COUNT; i++)
		for (uint32_t t = 0; c->values[i] != NULL && t < tiles; t++)
			c->totals[i] += c->values[i][t];
	for (uint32_t t = 0; t < tiles; t++)
		c->states[c->values[HEAVY_STATE][t]]++;
	gcs_snapshot_set_summary(s, space, h->ids[HEAVY_STATE], STATE_COUNT, c->states);
	for (int i = HEAVY_STATE + 1; i < HEAVY_COUNT; i++)
		if (c->values[i] != NULL)
			gcs_snapshot_set_summary(s, space, h->ids[i], 1, &c->totals[i]);
}

/* Sets or clears the stale bit; writes the column only if that changes it. */
static bool mark_stale(
    const struct heavy *h, struct gcs_snapshot *s, uint32_t space, uint32_t tile, bool stale)
{
	const int64_t *control = gcs_snapshot_values(s, space, h->control);
	if (control == NULL || ((control[tile] & GCS_TILE_STALE) != 0) == stale)
		return control != NULL;
	int64_t *write = gcs_snapshot_write(s, space, h->control);
	if (write == NULL)
		return false;
	write[tile] = stale ? write[tile] | GCS_TILE_STALE : write[tile] & ~GCS_TILE_STALE;
	return true;
}

static struct heap_walk_cell sum_up(
    const struct heap_walk_result *p, const struct heavy_cells *c, uint32_t tile)
{
	struct heap_walk_cell sum = {0};
	uint32_t first = tile * c->per_tile, end = first + c->per_tile;
	for (uint32_t i = first; i < end && i < c->count; i++) {
		const struct heap_walk_cell *cell = &p->cells[c->first + i];
		sum.bytes += cell->bytes;
		sum.fillers += cell->fillers;
		sum.unparsable += cell->unparsable;
		sum.objects += cell->objects;
		sum.arrays += cell->arrays;
		sum.clean += cell->clean;
		sum.dirty += cell->dirty;
		sum.other += cell->other;
		sum.behind = sum.behind || cell->behind;
		sum.cards_behind = sum.cards_behind || cell->cards_behind;
	}
	return sum;
}

static void set(struct columns *c, enum heavy_stream stream, uint32_t tile, uint64_t value)
{
	if (c->values[stream] != NULL)
		c->values[stream][tile] = (int64_t)value;
}

static void write_cell(struct columns *c, uint32_t tile, const struct heap_walk_cell *cell)
{
	bool any = cell->bytes + cell->fillers != 0;
	set(c, HEAVY_STATE, tile,
	    cell->unparsable == 0 ? COUNTED
	    : any                 ? COUNTED_IN_PART
				  : UNPARSABLE);
	set(c, HEAVY_OBJECTS, tile, cell->objects);
	set(c, HEAVY_BYTES, tile, cell->bytes);
	set(c, HEAVY_SCALARS, tile, cell->objects - cell->arrays);
	set(c, HEAVY_ARRAYS, tile, cell->arrays);
	set(c, HEAVY_UNPARSABLE, tile, cell->unparsable);
	set(c, HEAVY_FILLERS, tile, cell->fillers);
}

static void write_cards(struct columns *c, uint32_t tile, const struct heap_walk_cell *cell)
{
	set(c, HEAVY_DIRTY, tile, cell->dirty);
	set(c, HEAVY_CLEAN, tile, cell->clean);
	set(c, HEAVY_OTHER, tile, cell->other);
}

static bool write_result(struct heavy *h, const struct heap_event *e, struct gcs_snapshot *s,
    uint32_t space, const struct heavy_cells *cells)
{
	struct columns c;
	if (!open_columns(h, s, space, &c))
		return false;
	bool cards = c.values[HEAVY_DIRTY] != NULL;
	for (uint32_t t = 0; t < cells->tiles; t++) {
		struct heap_walk_cell cell = sum_up(e->heap_walk, cells, t);
		if (!cell.behind)
			write_cell(&c, t, &cell);
		if (cards && !cell.cards_behind)
			write_cards(&c, t, &cell);
		if (!mark_stale(h, s, space, t, cell.behind || (cards && cell.cards_behind)))
			return false;
	}
	close_columns(h, s, space, &c, cells->tiles);
	h->shown = true;
	return true;
}

/* Object counting is off again: clears the values of the last heap walk. */
static bool write_nothing(
    struct heavy *h, struct gcs_snapshot *s, uint32_t space, const struct heavy_cells *cells)
{
	struct columns c;
	if (!open_columns(h, s, space, &c))
		return false;
	for (int i = 0; i < HEAVY_COUNT; i++)
		if (c.values[i] != NULL)
			memset(c.values[i], 0, cells->tiles * sizeof(int64_t));
	for (uint32_t t = 0; t < cells->tiles; t++)
		if (!mark_stale(h, s, space, t, false))
			return false;
	close_columns(h, s, space, &c, cells->tiles);
	h->shown = false;
	return true;
}

/* The values stay as they are; a snapshot may never have had any. */
static bool write_states(
    const struct heavy *h, struct gcs_snapshot *s, uint32_t space, uint32_t tiles, bool stale)
{
	const int64_t *values = gcs_snapshot_values(s, space, h->ids[HEAVY_STATE]);
	int64_t states[STATE_COUNT] = {0};
	for (uint32_t t = 0; t < tiles; t++) {
		states[values == NULL ? NOT_COUNTED : values[t]]++;
		if (stale && !mark_stale(h, s, space, t, true))
			return false;
	}
	return gcs_snapshot_set_summary(s, space, h->ids[HEAVY_STATE], STATE_COUNT, states);
}

/* Says in the space's line what its counts are worth: not all zeros were counted. */
static bool set_info(const struct heavy *h, const struct heap_event *e, struct gcs_snapshot *s,
    uint32_t space, uint32_t tiles)
{
	const int64_t *control = gcs_snapshot_values(s, space, h->control);
	char text[120] = "";
	uint32_t stale = 0;
	for (uint32_t t = 0; control != NULL && t < tiles; t++)
		stale += (control[t] & GCS_TILE_STALE) != 0;
	if (!e->heavy)
		snprintf(text, sizeof text, "Object counting is off (light volume)");
	else if (!h->shown)
		snprintf(text, sizeof text, "Objects and cards have not been counted yet");
	else if (stale != 0)
		snprintf(text, sizeof text,
		    "%u of %u tiles have counts of an earlier event, or none yet", stale, tiles);
	return gcs_snapshot_set_space_info(s, space, text);
}

bool heavy_write(struct heavy *h, const struct heap_event *e, struct gcs_snapshot *s,
    uint32_t space, const struct heavy_cells *cells)
{
	bool ok;
	if (h->ids[HEAVY_STATE] == GCS_NONE || cells->tiles == 0)
		return true;
	if (e->heap_walk != NULL)
		ok = write_result(h, e, s, space, cells);
	else if (h->shown && !e->heavy)
		ok = write_nothing(h, s, space, cells);
	else
		ok = write_states(h, s, space, cells->tiles, h->shown);
	return ok && set_info(h, e, s, space, cells->tiles);
}
