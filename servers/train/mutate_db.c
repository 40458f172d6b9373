/*
 * A database in memory: an index of records, each with eight strings and one of three shared descriptions, which
 * become popular. Fields are updated, records deleted and inserted, and the index is shuffled. Cursors
 * are finalisable. After DB, section 6.1 of the paper.
 */
#include "mutator.h"

enum { STRINGS = 8, DESCRIPTION = STRINGS, DESCRIPTIONS = 3, CURSORS = 2000 };
enum { UPDATES = 60, DELETIONS = 14, INSERTIONS = 2, SHUFFLE_EVERY = 100 };

struct db {
	struct mutator_run *run;
	struct train_heap *heap;
	size_t index, descriptions; /* roots: arrays */
};

static size_t string(struct db *db)
{
	return train_new(db->heap, 0, 32 + mutator_below(db->run, 5) * 8);
}

static void new_record(struct db *db, uint32_t at)
{
	size_t record = train_new(db->heap, STRINGS + 1, 8);
	for (uint32_t i = 0; i < STRINGS; i++) {
		size_t text = string(db);
		train_write(db->heap, train_root(db->heap, record), i, train_root(db->heap, text));
		train_pop(db->heap, text);
	}
	struct object *description = object_field(
	    train_root(db->heap, db->descriptions), (uint32_t)mutator_below(db->run, DESCRIPTIONS));
	object_payload(train_root(db->heap, record))[0] = object_serial(description);
	train_write(db->heap, train_root(db->heap, record), DESCRIPTION, description);
	train_write(db->heap, train_root(db->heap, db->index), at, train_root(db->heap, record));
	train_pop(db->heap, record);
}

static uint32_t random_place(struct db *db)
{
	return (uint32_t)mutator_below(db->run, db->run->size);
}

static void load(struct db *db)
{
	db->descriptions = train_new(db->heap, DESCRIPTIONS, 0);
	for (uint32_t i = 0; i < DESCRIPTIONS; i++) {
		size_t description = train_new(db->heap, 0, 64);
		train_write(db->heap, train_root(db->heap, db->descriptions), i,
		    train_root(db->heap, description));
		train_pop(db->heap, description);
	}
	db->index = train_new(db->heap, (uint32_t)db->run->size, 0);
	for (uint32_t i = 0; i < db->run->size && !mutator_stopped(db->run); i++)
		new_record(db, i);
	for (uint32_t i = 0; i < CURSORS; i++) {
		size_t cursor = train_new(db->heap, 1, 24);
		train_write(db->heap, train_root(db->heap, cursor), 0,
		    object_field(train_root(db->heap, db->index), random_place(db)));
		train_add_weak(db->heap, train_root(db->heap, cursor), TRAIN_FINALISABLE);
		/* In use until its record has been replaced. */
		struct object *record =
		    object_field(train_root(db->heap, db->index), random_place(db));
		if (record != NULL)
			train_write(db->heap, record, (uint32_t)mutator_below(db->run, STRINGS),
			    train_root(db->heap, cursor));
		train_pop(db->heap, cursor);
	}
}

static void update(struct db *db)
{
	size_t text = string(db);
	struct object *record = object_field(train_root(db->heap, db->index), random_place(db));
	if (record != NULL)
		train_write(db->heap, record, (uint32_t)mutator_below(db->run, STRINGS),
		    train_root(db->heap, text));
	train_pop(db->heap, text);
}

static void shuffle(struct db *db)
{
	struct object *index = train_root(db->heap, db->index);
	for (uint32_t i = (uint32_t)db->run->size - 1; i > 0; i--) {
		uint32_t k = (uint32_t)mutator_below(db->run, i + 1);
		struct object *moved = object_field(index, i);
		train_write(db->heap, index, i, object_field(index, k));
		train_write(db->heap, index, k, moved);
	}
}

static void change(struct db *db, uint64_t step)
{
	mutator_garbage(db->run, 1000000);
	for (int i = 0; i < UPDATES; i++)
		update(db);
	for (int i = 0; i < DELETIONS; i++)
		train_write(db->heap, train_root(db->heap, db->index), random_place(db), NULL);
	for (int i = 0; i < INSERTIONS; i++)
		new_record(db, random_place(db));
	while (train_take_finalisable(db->heap) != NULL)
		;
	if (step % SHUFFLE_EVERY == SHUFFLE_EVERY - 1)
		shuffle(db);
}

static const char *run_db(struct mutator_run *run)
{
	struct db db = {.run = run, .heap = run->heap};
	load(&db);
	for (uint64_t step = 0; step < run->steps && !mutator_stopped(run); step++)
		change(&db, step);
	for (uint32_t i = 0; i < run->size; i++) {
		struct object *record = object_field(train_root(db.heap, db.index), i);
		if (record != NULL &&
		    object_payload(record)[0] != object_serial(object_field(record, DESCRIPTION)))
			return "a record has a wrong description";
	}
	return NULL;
}

static void tune(struct train_options *options)
{
	options->rate = 3;
	options->max_cset = 8;
	options->target_cars = 300;
}

const struct mutator mutator_db = {.name = "db",
    .summary = "an index of records that are updated, deleted and shuffled",
    .size_means = "records of 650 bytes",
    .size = 40000,
    .steps = 1500,
    .tune = tune,
    .run = run_db};
