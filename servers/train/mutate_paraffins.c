/*
 * Paraffins: all molecules of up to `size` carbon atoms (section 6.1 of the paper). A radical is an atom with three
 * smaller radicals; a paraffin is a bond between two radicals of the same size, or an atom with four that
 * are smaller than half of the molecule. The radicals of no and of one atom become popular, and the
 * arrays of paraffins are oversized.
 */
#include "mutator.h"

enum { MAX_ATOMS = 25, MAX_RADICAL = MAX_ATOMS / 2 + 1 };

struct paraffins {
	struct mutator_run *run;
	struct train_heap *heap;
	size_t radicals[MAX_RADICAL]; /* roots: arrays, by number of atoms */
	uint64_t count[MAX_RADICAL];
};

/* What has been found so far: the number alone while counting, then also an array. */
struct output {
	size_t array; /* root */
	bool fill;
	uint64_t count;
};

static void put(struct paraffins *p, struct output *output, uint32_t parts, const uint32_t sizes[],
    const uint64_t which[])
{
	if (output->fill) {
		size_t made = train_new(p->heap, parts, 0);
		for (uint32_t i = 0; i < parts; i++) {
			struct object *array = train_root(p->heap, p->radicals[sizes[i]]);
			train_write(p->heap, train_root(p->heap, made), i,
			    object_field(array, (uint32_t)which[i]));
		}
		train_write(p->heap, train_root(p->heap, output->array), (uint32_t)output->count,
		    train_root(p->heap, made));
		train_pop(p->heap, made);
	}
	output->count++;
}

/* All ways to choose the parts from `part` on with `left` atoms, in ascending order, none above `most`. */
static void choose(struct paraffins *p, struct output *output, uint32_t parts, uint32_t part,
    uint32_t left, uint32_t most, uint32_t sizes[], uint64_t which[])
{
	if (part == parts) {
		if (left == 0)
			put(p, output, parts, sizes, which);
		return;
	}
	uint32_t rest = parts - part, least = part > 0 ? sizes[part - 1] : 0;
	for (uint32_t size = least; size <= most && size * rest <= left; size++) {
		sizes[part] = size;
		which[part] = part > 0 && size == least ? which[part - 1] : 0;
		for (; which[part] < p->count[size]; which[part]++)
			choose(p, output, parts, part + 1, left - size, most, sizes, which);
	}
}

/* Counts first, because the array is allocated whole. Bonds: two radicals of `bond` atoms each. */
static uint64_t make(
    struct paraffins *p, uint32_t parts, uint32_t atoms, uint32_t most, uint32_t bond)
{
	struct output output = {0};
	uint32_t sizes[4];
	uint64_t which[4];
	for (int pass = 0; pass < 2; pass++) {
		output.fill = pass == 1;
		if (output.fill)
			output.array = train_new(p->heap, (uint32_t)output.count, 0);
		output.count = 0;
		choose(p, &output, parts, 0, atoms, most, sizes, which);
		sizes[0] = sizes[1] = bond;
		for (which[0] = 0; bond != 0 && which[0] < p->count[bond]; which[0]++)
			for (which[1] = which[0]; which[1] < p->count[bond]; which[1]++)
				put(p, &output, 2, sizes, which);
	}
	return output.count;
}

/* The published numbers of paraffins. */
static bool count_right(uint32_t atoms, uint64_t count)
{
	static const uint32_t counts[] = {0, 1, 1, 1, 2, 3, 5, 9, 18, 35, 75, 159, 355, 802, 1858,
	    4347, 10359, 24894, 60523, 148284, 366319, 910726};
	return atoms >= sizeof counts / sizeof counts[0] || counts[atoms] == count;
}

static const char *run_paraffins(struct mutator_run *run)
{
	struct paraffins p = {.run = run, .heap = run->heap, .count = {1}};
	const char *wrong = NULL;
	uint32_t atoms = run->size < MAX_ATOMS ? (uint32_t)run->size : MAX_ATOMS;
	p.radicals[0] = train_new(p.heap, 1, 0);
	size_t hydrogen = train_new(p.heap, 0, 8);
	train_write(p.heap, train_root(p.heap, p.radicals[0]), 0, train_root(p.heap, hydrogen));
	train_pop(p.heap, hydrogen);
	for (uint32_t n = 1; n <= atoms / 2; n++) {
		p.radicals[n] = train_root_count(p.heap);
		p.count[n] = make(&p, 3, n - 1, n - 1, 0);
	}
	for (uint32_t n = 1; n <= atoms && !mutator_stopped(run); n++)
		if (!count_right(n, make(&p, 4, n - 1, (n - 1) / 2, n % 2 == 0 ? n / 2 : 0)))
			wrong = "the number of paraffins is not the published one";
	/* All of it lives; steps go on moving it. */
	for (uint64_t step = 0; step < run->steps && !mutator_stopped(run); step++)
		train_collect_cars(p.heap, train_heap_options(p.heap)->max_cset);
	return wrong;
}

static void tune(struct train_options *options)
{
	options->rate = 1.5;
	options->fill_cars = 8;
	options->max_cset = 4;
	options->popular_at = 200;
	options->coarsen_at = 1024;
}

const struct mutator mutator_paraffins = {.name = "paraffins",
    .summary = "all molecules with up to `size` carbon atoms",
    .size_means = "carbon atoms, 1 to 25",
    .size = 19,
    .steps = 300,
    .tune = tune,
    .run = run_paraffins};
