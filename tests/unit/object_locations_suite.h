/*
 * The stage of suites of object locations: a sampler without its threads, with one sample at each address, of
 * two sites in turn, on the synthetic VM. Included by one test file of a program, or by several with
 * copies of their own.
 */
#ifndef GCSPY_TESTS_OBJECT_LOCATIONS_SUITE_H
#define GCSPY_TESTS_OBJECT_LOCATIONS_SUITE_H

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <gcspy/memory.h>

#include "agent_driver.h"
#include "object_locations_internal.h"
#include "sampler_internal.h"
#include "sites.h"
#include "streams.h"
#include "site_tiles.h"
#include "heap_filter.h"

/* A sampler without its threads: one sample at each address, of two sites in turn. */
enum { MOST = 16, SIZE = 64 };

static struct sampler sampler;
static struct stack_table *stack_table;
static struct object_locations *object_locations;
static uint64_t slots[MOST];
static struct gcs_error err;

static inline uint32_t text(const char *words)
{
	return stack_table_text(stack_table, words, strlen(words));
}

static inline uint32_t stack(const char *method)
{
	const struct stack_table_frame frame = {
	    .class_name = text("App"), .method = text(method), .file = text("App.java"), .line = 7};
	const struct stack_table_stack one = {
	    .parent = STACK_TABLE_NONE, .frame = stack_table_add_frame(stack_table, &frame)};
	return stack_table_add_stack(stack_table, &one);
}

static uint64_t sampled_every = 1; /* bytes */

static inline void watch(uint32_t i, uint64_t address)
{
	const struct sample sample = {
	    .weak = (char *)&slots[i] + 1,
	    .stack = stack(i % 2 == 0 ? "even" : "odd"),
	    .class_name = text("Thing"),
	    .thread = text("main"),
	    .group = text("main"),
	    .priority = i,
	    .keep = UINT64_C(1) << 32,
	    .id = i,
	    .size = SIZE,
	    .interval = sampled_every,
	};
	slots[i] = address;
	sample_store_add(sampler.sample_store, &sample);
	sample_store_tracked(sampler.sample_store, i)->judged = 1;
}

static inline void open_all(void (*build)(void), const uint64_t *addresses, uint32_t count)
{
	static const struct sample_store_limits limits = {
	    .live_bytes = 1 << 16, .sites = 64, .recent = 4, .frequent = 4, .seed = 1};
	build();
	open_driver((struct heap_limits){.max_tiles = 8192});
	memset(&sampler, 0, sizeof sampler);
	sampler.parts.vm = vm;
	pthread_mutex_init(&sampler.lock, NULL);
	pthread_mutex_init(&sampler.requests_lock, NULL);
	atomic_store(&sampler.interval, 1);
	atomic_store(&sampler.sampled, true);
	stack_table = stack_table_create(1 << 16);
	sampler.sample_store = sample_store_create(&limits, stack_table);
	cr_assert_not_null(sampler.sample_store);
	for (uint32_t i = 0; i < count; i++)
		watch(i, addresses[i]);
	object_locations = object_locations_create(&sampler, vm, driver, heap);
	cr_assert_not_null(object_locations);
}

static inline void close_all(void)
{
	sample_store_destroy(sampler.sample_store);
	stack_table_destroy(stack_table);
	close_driver();
}

static inline struct gcs_profile *profile(
    enum gcs_profile_kind kind, const char *where, uint64_t size)
{
	const struct profile_query query = {kind, where, size};
	return object_locations_profile(object_locations, &query, &err);
}

static inline struct gcs_profile *profile_of(const char *where)
{
	return profile(GCS_PROFILE_LIVE, where, 0);
}

/* The numbers of the samples there, as bits; 0x10000: refused. */
static inline unsigned there(const char *where)
{
	struct gcs_profile *p = profile_of(where);
	unsigned bits = 0;
	if (p == NULL)
		return 0x10000;
	for (uint32_t i = 0; i < gcs_profile_entry_count(p); i++)
		bits |= 1u << gcs_profile_entry(p, i)->id;
	gcs_profile_free(p);
	return bits;
}

#define R(i) (HEAP + (uint64_t)(i)*GRAIN)

#endif
