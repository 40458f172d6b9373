/*
 * Where sampled objects lie, on the synthetic VM: what a place can be, what lies at an address, the
 * profile of a part of the heap, the tiles of a call site (S8, F15).
 */
#include "object_locations_suite.h"

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
	cr_assert_eq(there("range=0x3-0x2"), 0x10000);
	cr_assert_str_eq(err.text,
	    "where=range=0x3-0x2: the second address is not above the first: "
	    "range=0xSTART-0xEND");
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
	const struct vm_machine *machine = vm_machine_here();
	const unsigned shift = machine->z_shift_varies ? 13 : 16;
	const uint64_t low = UINT64_C(1) << 42, good = 0x1000 ^ machine->z_inverted;
	const uint64_t at[] = {
	    low << shift | good,
	    (low + 3 * (uint64_t)GRANULE) << shift | good,
	    (low + (GRANULES - 2) * (uint64_t)GRANULE) << shift | good,
	    (low + (uint64_t)GRANULE) << shift | good, /* no page */
	    good,                                      /* dead */
	    (low + 2 * (uint64_t)GRANULE) << shift | good,
	};
	open_all(build_z_25, at, 6);
	world.z_bad = 0xf000 ^ good;
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

static const struct heap_driver *real;
static int moves;

static bool locate_and_move(
    const void *self, const void *capture, uint64_t address, struct heap_location *location)
{
	for (int begins = 1; moves > 0 && begins >= 0; begins--)
		object_locations_move(object_locations, begins != 0);
	moves--;
	return real->locate(self, capture, address, location);
}

/* A collection comes between, and the query is tried again: no error is left of that. */
Test(agent_places, tried_again_without_an_error)
{
	const uint64_t at[] = {R(1)};
	open_all(world_build_g1, at, 1);
	real = object_locations->driver;
	struct heap_driver moving = *real;
	moving.locate = locate_and_move;
	object_locations->driver = &moving;
	moves = 2;
	err.status = GCS_OK;
	const struct profile_query query = {GCS_PROFILE_LIVE, NULL, 0};
	struct gcs_profile *p = object_locations_profile(object_locations, &query, &err);
	cr_assert_not_null(p);
	cr_assert_lt(moves, 2);
	cr_assert_eq(err.status, GCS_OK, "%s", err.text);
	gcs_profile_free(p);
	object_locations->driver = real;
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

/* Shenandoah and ZGC copy sampled objects to one place: a tile then has as much as fits into it. */
Test(agent_places, tiles_hold_no_more_than_fits)
{
	cr_assert_float_eq(gcs_site_tile_sum(0, 10, 8, 100), 10, 1e-9);
	cr_assert_float_eq(gcs_site_tile_sum(95, 10, 8, 100), 100, 1e-9);
	cr_assert_float_eq(gcs_site_tile_sum(0, 500, 8, 100), 100, 1e-9, "one sample for many");
	cr_assert_float_eq(gcs_site_tile_sum(0, 500, 480, 100), 500, 1e-9, "a large object");
	cr_assert_float_eq(gcs_site_tile_sum(500, 10, 8, 100), 500, 1e-9);
	cr_assert_float_eq(gcs_site_tile_sum(10, 500, 480, 100), 500, 1e-9);
	/* Each sample stands for a fourth of a region. */
	uint64_t at[] = {R(3), R(3) + 8, R(3) + 16, R(3) + 24, R(3) + 32, R(3) + 40, R(3) + 48,
	    R(3) + 56, R(3) + 64, R(3) + 72, R(3) + 80, R(3) + 88};
	void *bytes = NULL;
	size_t length = 0;
	uint64_t numbers[12];
	char digits[16];
	sampled_every = GRAIN / 4;
	open_all(world_build_g1, at, 12);
	struct gcs_profile *p = sampler_profile(&sampler, GCS_PROFILE_LIVE, NULL, &err);
	cr_assert(gcs_profile_site_numbers(p, false, numbers));
	gcs_profile_free(p);
	snprintf(digits, sizeof digits, "%012llx", (unsigned long long)numbers[0]);
	cr_assert_eq(object_locations_tiles(object_locations, digits, &bytes, &length, &err),
	    GCS_OK, "%s", err.text);
	struct gcs_site_tiles *t = gcs_site_tiles_decode(bytes, length, &err);
	cr_assert_eq(t->count, 1);
	cr_assert_eq(t->tiles[0].samples, 6, "each other one is of this site");
	cr_assert_float_eq(t->tiles[0].bytes, GRAIN, 1e-9);
	cr_assert_gt(t->bytes, GRAIN);
	gcs_site_tiles_free(t);
	gcs_free(bytes);
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
		    .weak = (char *)&slots[i] + 1,
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

/* Humongous objects are known by their addresses, and dead once a pause has ended without them. */
Test(agent_places, humongous_by_address)
{
	uint64_t word = 0;
	uint32_t first = 9, second = 9;
	open_all(world_build_g1, &word, 0);
	const uint64_t start = world.region[4][3];
	struct humongous *h = sampler.humongous = humongous_create(vm);
	cr_assert_not_null(h);
	jobject local = (jobject)(void *)&word;
	const uint64_t others[] = {R(3), R(4) + 8, R(5), R(6), R(7), 8, R(8)};
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		word = others[i];
		cr_assert_eq(humongous_track(h, local, GRAIN, &first), 0, "%zu", i);
	}
	word = R(4);
	cr_assert_eq(humongous_track(h, local, GRAIN / 2 - 8, &first), 0);
	cr_assert_eq(humongous_track(NULL, local, GRAIN, &first), 0);
	cr_assert_eq(humongous_track(h, local, GRAIN, &first), R(4));
	cr_assert_eq(first, 0);
	const struct tracked one = {.weak = sample_by_address(R(4)), .pause = first};
	humongous_pause_ends(h);
	cr_assert_eq(sampler_position(&sampler, &one).address, R(4));
	cr_assert(sampler_position(&sampler, &one).exact);
	world.region[4][3] = world.region[3][3]; /* freed, and an old region now */
	cr_assert_not(humongous_is_dead(h, R(4), first), "seen when the pause ends");
	humongous_pause_ends(h);
	cr_assert(humongous_is_dead(h, R(4), first));
	cr_assert_eq(sampler_position(&sampler, &one).address, 0);
	world.region[4][3] = start; /* another one */
	cr_assert_eq(humongous_track(h, local, GRAIN, &second), R(4));
	cr_assert_eq(second, 2);
	humongous_pause_ends(h);
	cr_assert(humongous_is_dead(h, R(4), first), "the first stays dead");
	cr_assert_not(humongous_is_dead(h, R(4), second));
	humongous_destroy(h);
	sampler.humongous = NULL;
	close_all();
}
