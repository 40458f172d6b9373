/* What a search for reference chains allocates. */
#include <criterion/criterion.h>

#include <malloc.h>
#include <stdlib.h>

#include <gcspy/memory.h>

#include "climb.h"

enum { TWO_MB = 2 << 20 };

static size_t now, most;

static void *counted(void *block)
{
	now += malloc_usable_size(block);
	most = now > most ? now : most;
	return block;
}

static void *allocate(size_t bytes, void *context)
{
	(void)context;
	return counted(malloc(bytes));
}

static void release(void *block, void *context)
{
	(void)context;
	now -= malloc_usable_size(block);
	free(block);
}

static void *resize(void *block, size_t bytes, void *context)
{
	(void)context;
	const size_t before = block == NULL ? 0 : malloc_usable_size(block);
	now -= before;
	return counted(realloc(block, bytes));
}

static struct climb c;

static void begin(uint32_t classes)
{
	const struct gcs_allocator counting = {
	    .allocate = allocate, .resize = resize, .release = release};
	gcs_set_allocator(&counting);
	c.tags.classes = gcs_zalloc(classes * sizeof *c.tags.classes);
	c.tags.count = c.tags.capacity = classes;
}

static void end(void)
{
	gcs_free(c.tags.classes);
	climb_free(&c);
	cr_assert_eq(now, 0);
}

/* A list of 100,000 nodes in a JVM with 6,000 classes, as an application server has. */
Test(climb_memory, a_long_list_fits_into_two_megabytes)
{
	begin(6000);
	cr_assert(climb_reserve(&c, 1000));
	cr_assert(climb_reserve(&c, 1000000));
	cr_assert_geq(c.capacity, 100000);
	cr_assert_leq(c.capacity, TAG_NONE);
	void *names = gcs_zalloc(6001 * sizeof(char *));
	cr_assert_not_null(names);
	cr_assert_leq(most + CLIMB_NAMES_BYTES, TWO_MB);
	gcs_free(names);
	end();
}

/* Many classes take room from the objects. */
Test(climb_memory, classes_count)
{
	begin(30000);
	cr_assert(climb_reserve(&c, 1000000));
	cr_assert_lt(c.capacity, 100000);
	cr_assert_geq(c.capacity, CLIMB_LEAST_NODES);
	void *names = gcs_zalloc(30001 * sizeof(char *));
	cr_assert_not_null(names);
	cr_assert_leq(most + CLIMB_NAMES_BYTES, TWO_MB);
	gcs_free(names);
	end();
}

/* A usual search takes a small part of it. */
Test(climb_memory, a_usual_search_is_small)
{
	begin(1500);
	cr_assert(climb_reserve(&c, 1000));
	cr_assert(climb_reserve(&c, 6000));
	cr_assert_leq(most, TWO_MB / 8);
	end();
}
