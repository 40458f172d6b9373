/*
 * Random objects and references, with a second account of them that is compared after each collection. Large
 * objects, objects that everything refers to, and finalisable ones are among them.
 */
#include "mutator.h"
#include "shadow.h"

enum { ROOTS = 64, HUBS = 8, TABLE = 200, DEEPEST = 12, CLEARED = 10 };

struct random_run {
	struct mutator_run *run;
	struct shadow shadow;
	uint64_t collections; /* at the last check */
};

static uint64_t below(struct random_run *r, uint64_t bound)
{
	return mutator_below(r->run, bound);
}

/* Compares after a collection. */
static void check(struct random_run *r)
{
	const struct train_statistics *done = train_heap_statistics(r->run->heap);
	uint64_t collections = done->young_collections + done->steps;
	if (collections == r->collections)
		return;
	r->collections = collections;
	shadow_check(&r->shadow);
}

/* An object that a walk of random length from a random root comes to, or NULL. */
static struct object *some_object(struct random_run *r)
{
	struct object *object = train_root(r->run->heap, (size_t)below(r, ROOTS));
	for (uint64_t left = below(r, DEEPEST); left > 0 && object != NULL; left--) {
		struct object *next =
		    object->pointers > 0
			? object_field(object, (uint32_t)below(r, object->pointers))
			: NULL;
		if (next == NULL)
			break;
		object = next;
	}
	return object;
}

static void write_some_field(struct random_run *r, struct object *value)
{
	struct object *object = some_object(r);
	if (object != NULL && object->pointers > 0)
		shadow_write(&r->shadow, object, (uint32_t)below(r, object->pointers), value);
}

static void allocate(struct random_run *r)
{
	struct train_heap *heap = r->run->heap;
	uint32_t pointers = (uint32_t)below(r, 5);
	size_t payload = 8 + 8 * below(r, 8);
	uint64_t kind = below(r, 4000);
	if (kind == 0) /* oversized */
		pointers = (uint32_t)below(r, 20000), payload = 66000;
	else if (kind < 4) /* large */
		pointers = (uint32_t)below(r, 3000), payload = 34000;
	size_t fresh = shadow_new(&r->shadow, pointers, payload);
	check(r);
	for (uint32_t i = 0; i < pointers && i < 5; i++)
		shadow_write(&r->shadow, train_root(heap, fresh), i, some_object(r));
	write_some_field(r, train_root(heap, fresh));
	if (below(r, 500) == 0)
		shadow_finalise(&r->shadow, train_root(heap, fresh));
	train_pop(heap, fresh);
}

/* Takes all that have died, which nothing reaches; then some come back, perhaps with others below. */
static void take_finalisable(struct random_run *r)
{
	struct train_heap *heap = r->run->heap;
	size_t first = train_root_count(heap);
	for (struct object *object; (object = shadow_take(&r->shadow)) != NULL;)
		train_push(heap, object);
	for (size_t i = first; i < train_root_count(heap); i++)
		if (below(r, 2) == 0)
			write_some_field(r, train_root(heap, i));
	train_pop(heap, first);
}

/* The first roots are objects that many others refer to, the rest tables. */
static void new_root(struct random_run *r, size_t root)
{
	size_t fresh = shadow_new(&r->shadow, root < HUBS ? 2 : TABLE, 8);
	check(r);
	train_set_root(r->run->heap, root, train_root(r->run->heap, fresh));
	train_pop(r->run->heap, fresh);
}

static void clear_fields(struct random_run *r)
{
	struct object *table = train_root(r->run->heap, (size_t)below(r, ROOTS));
	for (int i = 0; i < CLEARED; i++)
		shadow_write(&r->shadow, table, (uint32_t)below(r, table->pointers), NULL);
}

static void step(struct random_run *r)
{
	uint64_t action = below(r, 10000);
	bool full = r->shadow.live_bytes > r->run->size * 1024;
	if (action < 5000)
		allocate(r);
	else if (action < 7000)
		write_some_field(r, some_object(r));
	else if (action < 9000)
		write_some_field(r, train_root(r->run->heap, (size_t)below(r, HUBS)));
	else if (action < (full ? 9900u : 9010u))
		clear_fields(r);
	else if (full && action < 9902)
		new_root(r, (size_t)below(r, ROOTS));
	else
		take_finalisable(r);
}

static const char *run_random(struct mutator_run *run)
{
	struct random_run r = {.run = run};
	shadow_init(&r.shadow, run->heap);
	for (size_t i = 0; i < ROOTS; i++) {
		train_push(run->heap, NULL);
		new_root(&r, i);
	}
	for (uint64_t i = 0; i < run->steps && r.shadow.wrong == NULL; i++) {
		if (i % 1024 == 0 && mutator_stopped(run))
			break;
		step(&r);
	}
	train_collect(run->heap);
	check(&r);
	const char *wrong = r.shadow.wrong;
	shadow_fini(&r.shadow);
	return wrong;
}

static void tune(struct train_options *options)
{
	options->young_bytes = 64 * 1024;
	options->regions = 1024;
	options->fill_cars = 2;
	options->max_cset = 3;
	options->popular_at = 30;
	options->coarsen_at = 48;
}

const struct mutator mutator_random = {.name = "random",
    .summary = "random objects, compared with a second account after each collection",
    .size_means = "KB that live",
    .size = 2048,
    .steps = 1000000,
    .tune = tune,
    .run = run_random};
