/*
 * Where sampled objects lie, on the synthetic VM: what a place can be, what lies at an address, the
 * profile of a part of the heap, the tiles of a call site, the stream of the map (S8, F15).
 */
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

static uint32_t text(const char *words)
{
	return stack_table_text(stack_table, words, strlen(words));
}

static uint32_t stack(const char *method)
{
	const struct stack_table_frame frame = {
	    .class_name = text("App"), .method = text(method), .file = text("App.java"), .line = 7};
	const struct stack_table_stack one = {
	    .parent = STACK_TABLE_NONE, .frame = stack_table_add_frame(stack_table, &frame)};
	return stack_table_add_stack(stack_table, &one);
}

static uint64_t sampled_every = 1; /* bytes */

static void watch(uint32_t i, uint64_t address)
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

static void open_all(void (*build)(void), const uint64_t *addresses, uint32_t count)
{
	static const struct sample_store_limits limits = {
	    .live_bytes = 1 << 16, .sites = 64, .recent = 4, .frequent = 4, .seed = 1};
	build();
	open_driver((struct heap_limits){.max_tiles = 8192});
	memset(&sampler, 0, sizeof sampler);
	pthread_mutex_init(&sampler.lock, NULL);
	pthread_mutex_init(&sampler.requests_lock, NULL);
	atomic_store(&sampler.interval, 1);
	stack_table = stack_table_create(1 << 16);
	sampler.sample_store = sample_store_create(&limits, stack_table);
	cr_assert_not_null(sampler.sample_store);
	for (uint32_t i = 0; i < count; i++)
		watch(i, addresses[i]);
	object_locations = object_locations_create(&sampler, vm, driver, heap);
	cr_assert_not_null(object_locations);
}

static void close_all(void)
{
	sample_store_destroy(sampler.sample_store);
	stack_table_destroy(stack_table);
	close_driver();
}

static struct gcs_profile *profile(enum gcs_profile_kind kind, const char *where, uint64_t size)
{
	const struct profile_query query = {kind, where, size};
	return object_locations_profile(object_locations, &query, &err);
}

static struct gcs_profile *profile_of(const char *where)
{
	return profile(GCS_PROFILE_LIVE, where, 0);
}

/* The numbers of the samples there, as bits; 0x10000: refused. */
static unsigned there(const char *where)
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

/* Regions of the world: free, eden, survivor, old, humongous, its continuation, archive, none. */
Test(agent_places, parts_of_g1)
{
	const uint64_t at[] = {R(1), R(2) + 8, R(3), R(3) + 4096, R(4), R(6), 0, R(0) + 16};
	open_all(world_build_g1, at, 8);
	cr_assert_eq(there("eden"), 1u << 0);
	cr_assert_eq(there("EDEN"), 1u << 0);
	cr_assert_eq(there("survivor"), 1u << 1);
	cr_assert_eq(there("young"), 3);
	cr_assert_eq(there("old"), 1u << 2 | 1u << 3);
	cr_assert_eq(there("humongous"), 1u << 4);
	cr_assert_eq(there("Archive"), 1u << 5);
	cr_assert_eq(there("free"), 1u << 7);
	cr_assert_eq(there("tile=0x40300010"), 1u << 2 | 1u << 3);
	cr_assert_eq(there("tile=0x1"), 0);
	cr_assert_eq(there("range=0x40300000-0x40301000"), 1u << 2);
	cr_assert_eq(there("range=0x0-0xffffffffffffffff"), 0xbf, "one has died");
	struct gcs_profile *p = profile_of("old");
	const struct gcs_profile_head *head = gcs_profile_head(p);
	cr_assert_not_null(strstr(head->as_of, "; 7 of 8 tracked samples have a position"));
	cr_assert_null(strstr(head->as_of, "approximate"));
	gcs_profile_free(p);
	close_all();
}

Test(agent_places, what_is_no_place)
{
	const uint64_t at[] = {R(1)};
	static const char *const bad[] = {"", "?", "oldest", "tile=", "tile=0x", "tile=40000000",
	    "tile=0x4 ", "range=", "range=0x1", "range=0x1-", "range=0x2-0x2", "range=0x3-0x2",
	    "range=0x1-0x2-", "range=0x1-0x10000000000000000", "old,young"};
	open_all(world_build_g1, at, 1);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert_eq(there(bad[i]), 0x10000, "%s", bad[i]);
		cr_assert_eq(err.status, GCS_ARGUMENT);
	}
	cr_assert_str_eq(err.text, "where=old,young: expected one of old, young, eden, survivor, "
				   "humongous, Free, Archive, "
				   "Other, tile=0xADDRESS and range=0xSTART-0xEND");
	close_all();
}

static void build_z_25(void)
{
	world_build_z(25);
}

static void build_shenandoah_17(void)
{
	world_build_shenandoah(17);
}

/* A small young page, a medium old one of two granules, a large one. */
Test(agent_places, parts_of_zgc)
{
#ifdef __x86_64__
	enum { SHIFT = 13 };
#else
	enum { SHIFT = 16 };
#endif
	const uint64_t low = UINT64_C(1) << 42, good = 0x1000;
	const uint64_t at[] = {
	    low << SHIFT | good,
	    (low + 3 * (uint64_t)GRANULE) << SHIFT | good,
	    (low + (GRANULES - 2) * (uint64_t)GRANULE) << SHIFT | good,
	    (low + (uint64_t)GRANULE) << SHIFT | good, /* no page */
	    good,                                      /* dead */
	    (low + 2 * (uint64_t)GRANULE) << SHIFT | good,
	};
	open_all(build_z_25, at, 6);
	world.z_bad = 0xe000;
	cr_assert_eq(there("small"), 1);
	cr_assert_eq(there("young"), 5, "the large page is young too");
	cr_assert_eq(there("survivor"), 5);
	cr_assert_eq(there("eden"), 0);
	cr_assert_eq(there("old"), 1u << 1 | 1u << 5);
	cr_assert_eq(there("Medium"), 1u << 1 | 1u << 5);
	cr_assert_eq(there("humongous"), 1u << 2);
	cr_assert_eq(there("tile=0x40000600000"), 1u << 1, "a tile is a granule");
	world.z_bad = 0xf000; /* a relocation has begun */
	struct gcs_profile *p = profile_of("old");
	cr_assert_not_null(strstr(gcs_profile_head(p)->as_of,
	    "4 of 6 tracked samples have a position, 4 of them approximate"));
	gcs_profile_free(p);
	close_all();
}

Test(agent_places, parts_of_shenandoah)
{
	const uint64_t at[] = {R(2), R(3), R(5), R(6), R(7)};
	open_all(build_shenandoah_17, at, 5);
	cr_assert_eq(there("regular"), 1);
	cr_assert_eq(there("humongous"), 6);
	cr_assert_eq(there("Humongous start"), 2);
	cr_assert_eq(there("collection set"), 8);
	cr_assert_eq(there("old"), 0x10000);
	struct gcs_profile *p = profile_of("regular");
	cr_assert_not_null(strstr(gcs_profile_head(p)->as_of, "1 of them approximate"));
	gcs_profile_free(p);
	close_all();
}

static atomic_uint_least64_t object[2]; /* moved together */
static atomic_bool over;

static void *move_objects(void *context)
{
	(void)context;
	for (uint64_t i = 1; i <= 300000; i++) {
		object_locations_move(object_locations, true);
		atomic_store_explicit(&object[0], i, memory_order_relaxed);
		atomic_store_explicit(&object[1], i, memory_order_relaxed);
		object_locations_move(object_locations, false);
	}
	atomic_store(&over, true);
	return NULL;
}

/* A reader that is told that nothing has moved has read the addresses of one moment. Where the
 * processor reorders loads this takes the fence before the second look at the epoch. */
Test(agent_places, settled_is_what_was_read_between_moves)
{
	const uint64_t at[] = {R(1)};
	pthread_t thread;
	uint64_t settled = 0;
	open_all(world_build_g1, at, 1);
	cr_assert_eq(pthread_create(&thread, NULL, move_objects, NULL), 0);
	while (!atomic_load(&over) || settled == 0) {
		const uint32_t epoch = object_locations_epoch(object_locations);
		const uint64_t second = atomic_load_explicit(&object[1], memory_order_relaxed);
		const uint64_t first = atomic_load_explicit(&object[0], memory_order_relaxed);
		if (!object_locations_settled(object_locations, epoch))
			continue;
		cr_assert_eq(first, second);
		settled++;
	}
	pthread_join(thread, NULL);
	close_all();
}

/* The query waits for the end of a collection; an endless collection is an error. */
Test(agent_places, while_objects_move)
{
	const uint64_t at[] = {R(1), R(3)};
	open_all(world_build_serial, at, 0);
	close_all();
	open_all(world_build_g1, at, 2);
	object_locations_move(object_locations, true);
	object_locations_move(object_locations, true); /* once is enough */
	cr_assert_eq(object_locations_epoch(object_locations), 1);
	struct gcs_profile *p = profile_of("old");
	cr_assert_not_null(p, "%s", err.text);
	cr_assert_not_null(strstr(
	    gcs_profile_head(p)->as_of, ", all approximate: a collection is moving objects"));
	gcs_profile_free(p);
	object_locations_move(object_locations, false);
	cr_assert_eq(object_locations_epoch(object_locations), 2);
	object_locations_move(object_locations, false);
	cr_assert_eq(object_locations_epoch(object_locations), 2);
	cr_assert_eq(there("old"), 2);
	close_all();
}

Test(agent_places, is_refused_with_the_reason)
{
	const uint64_t at[] = {R(1)};
	open_all(world_build_g1, at, 1);
	atomic_store(&sampler.interval, 0);
	cr_assert_eq(there("old"), 0x10000);
	cr_assert_eq(err.status, GCS_STATE);
	vm->support[VM_WEAK_POSITIONS] = VM_MISSING;
	cr_assert_eq(there("old"), 0x10000);
	cr_assert_eq(err.status, GCS_UNSUPPORTED);
	close_all();
}

/* A number for each site; its tiles are those that name it. */
Test(agent_places, tiles_of_a_site)
{
	const uint64_t at[] = {R(1), R(2), R(3), R(3) + 8, R(3) + 16, 0, R(4), R(1) + 8};
	void *bytes = NULL;
	size_t length = 0;
	uint64_t numbers[8];
	char digits[2][16];
	open_all(world_build_g1, at, 8);
	struct gcs_profile *p = sampler_profile(&sampler, GCS_PROFILE_LIVE, NULL, &err);
	cr_assert(gcs_profile_site_numbers(p, false, numbers));
	gcs_profile_free(p);
	for (int i = 0; i < 2; i++)
		snprintf(digits[i], sizeof digits[i], "%012llx", (unsigned long long)numbers[i]);
	cr_assert_eq(object_locations_tiles(object_locations, digits[0], &bytes, &length, &err),
	    GCS_OK, "%s", err.text);
	struct gcs_site_tiles *t = gcs_site_tiles_decode(bytes, length, &err);
	cr_assert(
	    t->samples == 4 && t->placed == 4 && t->bytes == 4.0 * SIZE && t->approximate == 0);
	cr_assert_eq(t->count, 3);
	cr_assert(t->tiles[0].low == R(1) && t->tiles[0].high == R(2) && t->tiles[0].samples == 1);
	cr_assert(t->tiles[1].low == R(3) && t->tiles[1].samples == 2);
	cr_assert_float_eq(t->tiles[1].bytes, 2.0 * SIZE, 1e-9);
	cr_assert(t->errors_known && t->variance == 0, "every object is sampled");
	cr_assert_str_eq(t->tiles[1].type, "Old");
	cr_assert_str_eq(t->tiles[2].type, "Humongous");
	gcs_site_tiles_free(t);
	gcs_free(bytes);
	cr_assert_eq(
	    object_locations_tiles(object_locations, digits[1], &bytes, &length, &err), GCS_OK);
	t = gcs_site_tiles_decode(bytes, length, &err);
	cr_assert(t->samples == 4 && t->placed == 3, "one of them has died");
	gcs_site_tiles_free(t);
	gcs_free(bytes);
	cr_assert_eq(
	    object_locations_tiles(object_locations, "000000000001", &bytes, &length, &err),
	    GCS_ARGUMENT);
	cr_assert_eq(
	    object_locations_tiles(object_locations, "1", &bytes, &length, &err), GCS_ARGUMENT);
	close_all();
}

/* S8: samples are independent, so that their variances add up. */
Test(agent_places, errors_of_the_tiles_of_a_site)
{
	const uint64_t at[] = {R(1), R(2), R(3), R(3) + 8, R(3) + 16, 0};
	void *bytes = NULL;
	size_t length = 0;
	uint64_t numbers[6];
	char digits[16];
	sampled_every = 4 * SIZE;
	const struct estimate one = estimate_of(SIZE, sample_probability(SIZE, sampled_every));
	open_all(world_build_g1, at, 6);
	struct gcs_profile *p = sampler_profile(&sampler, GCS_PROFILE_LIVE, NULL, &err);
	cr_assert(gcs_profile_site_numbers(p, false, numbers));
	gcs_profile_free(p);
	for (uint32_t site = 0; site < 2; site++) {
		snprintf(digits, sizeof digits, "%012llx", (unsigned long long)numbers[site]);
		cr_assert_eq(
		    object_locations_tiles(object_locations, digits, &bytes, &length, &err), GCS_OK,
		    "%s", err.text);
		struct gcs_site_tiles *t = gcs_site_tiles_decode(bytes, length, &err);
		cr_assert(t->errors_known && one.bytes_variance > 0);
		cr_assert_float_eq(t->variance / one.bytes_variance, t->samples, 1e-9);
		cr_assert_float_eq(t->placed_variance / one.bytes_variance, t->placed, 1e-9);
		cr_assert_eq(t->placed, t->samples - site, "one of the second site has died");
		for (uint32_t i = 0; i < t->count; i++)
			cr_assert_float_eq(
			    t->tiles[i].variance / one.bytes_variance, t->tiles[i].samples, 1e-9);
		gcs_site_tiles_free(t);
		gcs_free(bytes);
	}
	close_all();
}

static void set_used(struct gcs_snapshot *s, uint32_t tile, int64_t bytes)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	for (uint32_t i = 0; i < m->space_count; i++)
		if (strcmp(m->spaces[i].name, "G1 regions") == 0)
			gcs_snapshot_write(
			    s, i, gcs_space_find_stream(&m->spaces[i], "Used"))[tile] = bytes;
}

/* The stream has what begins in each tile; it stays while objects move, and goes with sampling. */
Test(agent_places, stream_of_the_map)
{
	const char *g1 = "G1 regions";
	const uint64_t at[] = {R(1), R(3), R(3) + 8, R(3) + GRAIN - 8, R(6), 0};
	open_all(world_build_g1, at, 6);
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 0), 0);
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 1), SIZE);
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 3), 2 * SIZE + 8);
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 4), SIZE - 8, "the rest of the last one");
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 6), 24, "no more than is used");
	cr_assert_eq(summary(s, g1, STREAM_SAMPLED_NAME, 0), 4 * SIZE + 24);
	slots[0] = R(2);
	cr_assert(
	    object_locations_map(object_locations, 2, server, &ticket, s), "of another moment");
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 1), SIZE);
	const int64_t all = summary(s, g1, STREAM_SAMPLED_NAME, 0);
	set_used(s, 3, 10);
	cr_assert(object_locations_map(object_locations, 2, server, &ticket, s));
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 1), SIZE);
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 3), 10, "less is in use now");
	cr_assert_eq(summary(s, g1, STREAM_SAMPLED_NAME, 0), all - (2 * SIZE + 8) + 10);
	set_used(s, 3, GRAIN);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 1), 0);
	cr_assert_eq(
	    value(s, g1, STREAM_SAMPLED_NAME, 2), value(s, g1, "Used", 2), "less than SIZE");
	atomic_store(&sampler.interval, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, g1, STREAM_SAMPLED_NAME, 3), 0);
	cr_assert_eq(summary(s, g1, STREAM_SAMPLED_NAME, 0), 0);
	cr_assert_eq(gcs_snapshot_check(s, &err), GCS_OK, "%s", err.text);
	gcs_snapshot_unref(s);
	close_all();
}

/* Spaces of blocks, which do not follow one another. */
Test(agent_places, spaces_of_serial)
{
	world_build_serial();
	open_driver((struct heap_limits){.max_tiles = 8192});
	driver->capture(heap, raw);
	struct heap_location place;
	uint32_t found = 0;
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	const struct gcs_model *m = gcs_snapshot_model(s);
	for (uint32_t i = 0; i < m->space_count; i++) {
		const struct gcs_space *space = &m->spaces[i];
		const int64_t *starts =
		    gcs_snapshot_values(s, i, gcs_space_role(space, GCS_ROLE_RANGE_START));
		const int64_t *ends =
		    gcs_snapshot_values(s, i, gcs_space_role(space, GCS_ROLE_RANGE_END));
		const int64_t *control =
		    gcs_snapshot_values(s, i, gcs_space_role(space, GCS_ROLE_CONTROL));
		for (uint32_t t = 0; t < gcs_snapshot_tiles(s, i); t++) {
			const bool in_use = (control[t] & GCS_TILE_USED) != 0;
			const uint64_t last = (uint64_t)ends[t] - 8;
			cr_assert_eq(driver->locate(heap, raw, last, &place), in_use);
			if (!in_use)
				continue;
			cr_assert_eq((int64_t)place.low, starts[t]);
			cr_assert_eq((int64_t)place.high, ends[t]);
			cr_assert_str_eq(place.type, space->name);
			found++;
		}
	}
	cr_assert_gt(found, 3);
	cr_assert_not(driver->locate(heap, raw, 8, &place));
	gcs_snapshot_unref(s);
	close_driver();
}

/* Live samples have their address and region; new ones are not counted as live anywhere. */
Test(agent_places, entries_of_live_samples)
{
	const uint64_t at[] = {R(1) + 8, R(3), 0, R(4)};
	open_all(world_build_g1, at, 4);
	sample_store_tracked(sampler.sample_store, 1)->judged = 0;
	struct gcs_profile *p = profile_of(NULL);
	cr_assert_eq(gcs_profile_entry_count(p), 4u);
	static const char *const regions[] = {"Eden", "Old", "", "Humongous"};
	for (uint32_t i = 0; i < 4; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(p, i);
		cr_assert_eq(e->address, at[i]);
		cr_assert_not(e->approximate);
		cr_assert_eq(e->age, i != 1);
		cr_assert_str_eq(
		    e->region == 0 ? "" : gcs_profile_name(p, e->region - 1), regions[i]);
	}
	gcs_profile_free(p);
	p = profile(GCS_PROFILE_LIVE, NULL, SIZE + 1);
	cr_assert_eq(gcs_profile_entry_count(p), 0u);
	gcs_profile_free(p);
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, "G1 regions", STREAM_SAMPLED_NAME, 1), SIZE);
	cr_assert_eq(value(s, "G1 regions", STREAM_SAMPLED_NAME, 3), 0, "it is new");
	gcs_snapshot_unref(s);
	close_all();
}

/* A tile never has more live bytes than used ones. */
Test(agent_places, stream_is_limited_to_used_bytes)
{
	const uint64_t at[] = {R(1), R(3)};
	open_all(world_build_g1, at, 2);
	sample_store_tracked(sampler.sample_store, 0)->p = 1e-7;
	/* An object that covers the humongous region and a bit of the next one. */
	watch(2, R(4));
	sample_store_tracked(sampler.sample_store, 2)->size = GRAIN + 16;
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, "G1 regions", STREAM_SAMPLED_NAME, 4), GRAIN);
	cr_assert_eq(value(s, "G1 regions", STREAM_SAMPLED_NAME, 5), 16);
	const int64_t used = value(s, "G1 regions", "Used", 1);
	cr_assert_gt(used, 0);
	cr_assert_eq(value(s, "G1 regions", STREAM_SAMPLED_NAME, 1), used);
	cr_assert_eq(summary(s, "G1 regions", STREAM_SAMPLED_NAME, 0), used + SIZE + GRAIN + 16);
	gcs_snapshot_unref(s);
	close_all();
}

/* Each tile has its error, from the samples in it: 1.96 roots of the sum of s²(1 - p)/p², of what of
 * them lies there. */
Test(agent_places, stream_has_its_errors)
{
	enum { OF = 6 };
	static const double p[OF] = {0.5, 1e-3, 0.25, 1, 0.01, 0.125};
	const char *g1 = "G1 regions";
	const uint64_t at[OF] = {R(3), R(3) + 512, R(3) + GRAIN - 16, R(4), R(1), 0};
	double squares[8] = {0}, all = 0;
	open_all(world_build_g1, at, OF);
	for (uint32_t i = 0; i < OF; i++)
		sample_store_tracked(sampler.sample_store, i)->p = p[i];
	for (uint32_t i = 0; i < OF - 1; i++) {
		const uint64_t region = (at[i] - HEAP) / GRAIN, next = R(region + 1);
		const double variance = SIZE * SIZE * (1 - p[i]) / (p[i] * p[i]);
		const double here = at[i] + SIZE <= next ? 1 : (double)(next - at[i]) / SIZE;
		squares[region] += here * here * variance;
		squares[region + 1] += (1 - here) * (1 - here) * variance;
		all += variance;
	}
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	for (uint32_t tile = 0; tile < 8; tile++)
		cr_assert_eq(
		    value(s, g1, STREAM_ERROR_NAME, tile), llround(1.96 * sqrt(squares[tile])));
	cr_assert_eq(value(s, g1, STREAM_ERROR_NAME, 2), 0, "no sample, no error");
	cr_assert_gt(value(s, g1, STREAM_ERROR_NAME, 1), value(s, g1, STREAM_SAMPLED_NAME, 1));
	cr_assert_eq(summary(s, g1, STREAM_ERROR_NAME, 0), llround(1.96 * sqrt(all)));
	const uint32_t space = gcs_model_find_space(gcs_snapshot_model(s), g1);
	const struct gcs_space *described = &gcs_snapshot_model(s)->spaces[space];
	cr_assert_eq(gcs_snapshot_errors(s, space, gcs_space_find_stream(described, "Used")), NULL);
	cr_assert_eq(
	    gcs_snapshot_errors(s, space, gcs_space_find_stream(described, STREAM_SAMPLED_NAME))[3],
	    value(s, g1, STREAM_ERROR_NAME, 3));
	atomic_store(&sampler.interval, 0);
	cr_assert(object_locations_map(object_locations, 0, server, &ticket, s));
	cr_assert_eq(value(s, g1, STREAM_ERROR_NAME, 3), 0);
	cr_assert_eq(summary(s, g1, STREAM_ERROR_NAME, 0), 0);
	cr_assert_eq(gcs_snapshot_check(s, &err), GCS_OK, "%s", err.text);
	gcs_snapshot_unref(s);
	close_all();
}

static void check_bytes(struct gcs_profile *p, double expected)
{
	double sum = 0;
	for (uint32_t i = 0; i < gcs_profile_entry_count(p); i++)
		sum += gcs_profile_entry(p, i)->bytes;
	cr_assert_float_eq(sum, expected, 1e-3, "%.0f instead of %.0f", sum, expected);
	gcs_profile_free(p);
}

/* Totals and garbage are selected by where they were allocated, and by size. */
Test(agent_places, what_was_allocated_there)
{
	const uint64_t at[] = {R(1)};
	open_all(world_build_g1, at, 0);
	static const uint64_t sizes[] = {64, 3000, GRAIN / 2, GRAIN / 2 + 8, 4 * GRAIN};
	for (uint32_t i = 0; i < 5; i++) {
		struct sample sample = {.stack = stack("even"),
		    .class_name = text("Thing"),
		    .thread = text("main"),
		    .group = text("main"),
		    .weak = &slots[i],
		    .keep = UINT64_C(1) << 32,
		    .size = sizes[i],
		    .interval = 1,
		    .place = driver->birthplace(heap, sizes[i])};
		sample_store_add(sampler.sample_store, &sample);
	}
	const double huge = 4.5 * GRAIN + 8, all = huge + 64 + 3000 + GRAIN / 2;
	check_bytes(profile(GCS_PROFILE_ALLOCATED, NULL, 0), all);
	check_bytes(profile(GCS_PROFILE_ALLOCATED, "humongous", 0), huge);
	check_bytes(profile(GCS_PROFILE_ALLOCATED, "young", 0), all - huge);
	check_bytes(profile(GCS_PROFILE_ALLOCATED, "old", 0), 0);
	struct gcs_profile *p = profile(GCS_PROFILE_ALLOCATED, NULL, GRAIN);
	cr_assert_not_null(strstr(gcs_profile_head(p)->as_of, "objects of at least 1 MiB: totals"));
	check_bytes(p, 4 * GRAIN);
	p = profile(GCS_PROFILE_ALLOCATED, "Humongous", 0);
	cr_assert_str_eq(gcs_profile_name(p, gcs_profile_entry(p, 0)->region - 1), "Humongous");
	cr_assert_eq(gcs_profile_entry(p, 0)->new_bytes, gcs_profile_entry(p, 0)->bytes);
	cr_assert_eq(gcs_profile_entry(p, 0)->live_bytes, 0);
	cr_assert_not_null(strstr(gcs_profile_head(p)->as_of, "where objects were allocated"));
	gcs_profile_free(p);
	while (sample_store_tracked(sampler.sample_store, 0)->weak != NULL) {
		uint32_t count;
		(void)sample_store_live(sampler.sample_store, &count);
		if (count == 0)
			break;
		sample_store_mark_dead(sampler.sample_store, 0, 0);
	}
	check_bytes(profile(GCS_PROFILE_FREQUENT, "eden", 1000), 3000 + GRAIN / 2);
	cr_assert_null(profile(GCS_PROFILE_RECENT, "tile=0x40300000", 0));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, "only live objects have an address"));
	close_all();
}
