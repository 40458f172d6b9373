/*
 * Reptile: pictures that are drawn lazily. A picture is a list of cells; a cell has a line, and a thunk that is empty
 * until the next cell has been computed, so that the list grows by a reference from an old object to a
 * new one. Some cells share their line with an older picture. The last pictures live, and some of the
 * others are kept in a gallery (section 6.1 of the paper).
 */
#include "mutator.h"

enum { CELLS = 1200, RECENT = 8, GALLERY_EVERY = 3, SHARED_PERCENT = 30 };
enum { CELLS_PER_GARBAGE = 12, GARBAGE_BYTES = 20000, LINE_BYTES = 200 };
enum { LINE, THUNK, CELL_FIELDS };

/* The cell after this one, or NULL if that has not been computed. */
static struct object *next_cell(struct object *cell)
{
	return cell != NULL ? object_field(object_field(cell, THUNK), 0) : NULL;
}

/* A cell with an empty thunk, and the line of the root `shared`, or its own if that is NULL. */
static size_t new_cell(struct train_heap *heap, size_t shared)
{
	size_t cell = train_new(heap, CELL_FIELDS, 0), thunk = train_new(heap, 1, 8);
	train_write(heap, train_root(heap, cell), THUNK, train_root(heap, thunk));
	struct object *line =
	    train_root(heap, shared) != NULL ? object_field(train_root(heap, shared), LINE) : NULL;
	if (line == NULL)
		line = train_root(heap, train_new(heap, 0, LINE_BYTES));
	train_write(heap, train_root(heap, cell), LINE, line);
	train_pop(heap, cell + 1);
	return cell;
}

/* Draws a picture, and follows the one of the root `model` as it does so. */
static size_t draw(struct mutator_run *run, size_t model)
{
	struct train_heap *heap = run->heap;
	size_t nothing = train_push(heap, NULL), first = new_cell(heap, nothing);
	size_t last = train_push(heap, train_root(heap, first));
	for (uint32_t i = 1; i < CELLS && !mutator_stopped(run); i++) {
		bool shares = mutator_below(run, 100) < SHARED_PERCENT;
		size_t cell = new_cell(heap, shares ? model : nothing);
		struct object *thunk = object_field(train_root(heap, last), THUNK);
		train_write(heap, thunk, 0, train_root(heap, cell));
		train_set_root(heap, last, train_root(heap, cell));
		train_set_root(heap, model, next_cell(train_root(heap, model)));
		train_pop(heap, cell);
		if (i % CELLS_PER_GARBAGE == 0)
			mutator_garbage(run, GARBAGE_BYTES);
	}
	return mutator_return(heap, nothing, first);
}

static bool whole(struct object *cell)
{
	uint32_t cells = 0;
	for (; cell != NULL && object_field(cell, LINE) != NULL; cell = next_cell(cell))
		cells++;
	return cells == CELLS;
}

static const char *run_reptile(struct mutator_run *run)
{
	struct train_heap *heap = run->heap;
	size_t recent = train_new(heap, RECENT, 0);
	size_t gallery = train_new(heap, (uint32_t)(run->size / GALLERY_EVERY + 1), 0);
	uint32_t kept = 0;
	for (uint64_t i = 0; i < run->size && !mutator_stopped(run); i++) {
		uint32_t place = (uint32_t)(i % RECENT),
			 older = (uint32_t)mutator_below(run, RECENT);
		size_t model = train_push(heap, object_field(train_root(heap, recent), older));
		size_t picture = draw(run, model);
		train_write(heap, train_root(heap, recent), place, train_root(heap, picture));
		if (i % GALLERY_EVERY == 0)
			train_write(
			    heap, train_root(heap, gallery), kept++, train_root(heap, picture));
		train_pop(heap, model);
	}
	for (uint64_t step = 0; step < run->steps && !mutator_stopped(run); step++)
		mutator_garbage(run, 500000);
	for (uint32_t i = 0; i < kept && !mutator_stopped(run); i++)
		if (!whole(object_field(train_root(heap, gallery), i)))
			return "a picture of the gallery has lost cells";
	return NULL;
}

static void tune(struct train_options *options)
{
	options->rate = 5;
	options->fill_cars = 4;
	options->max_cset = 16;
}

const struct mutator mutator_reptile = {.name = "reptile",
    .summary = "lazy lists, drawn cell by cell; some of them are kept",
    .size_means = "pictures of 350 KB",
    .size = 450,
    .steps = 300,
    .tune = tune,
    .run = run_reptile};
