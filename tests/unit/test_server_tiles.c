/*
 * Touched tiles of a server with clients and threads (F11, F14): no touch is lost, however threads,
 * resizes, clients and gatherings meet; and what no client looks at is not read.
 */
#include <criterion/criterion.h>

#include <pthread.h>
#include <string.h>

#include <gcspy/tiles.h>

#include "kit_server.h"

enum { TILES = 1000, LEAST = 700, THREADS = 3, TOUCHES = 20000 };

/* The target's state, changed by its threads without a lock. */
static atomic_int_least64_t truth[KIT_STREAMS][TILES];
static atomic_uint reads;
static struct target target;
static struct gcs_tiles *tiles;

static void read_truth(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	(void)context;
	for (uint32_t i = 0; i < count; i++)
		values[i] = atomic_load_explicit(&truth[stream][first + i], memory_order_relaxed);
	atomic_fetch_add(&reads, 1);
}

static void change(uint32_t stream, uint32_t tile, int64_t value)
{
	atomic_store_explicit(&truth[stream][tile], value, memory_order_relaxed);
	gcs_tiles_touch(tiles, stream, tile, 1);
}

static void begin(void)
{
	const struct gcs_tiles_options options = {.space = KIT_HEAP,
	    .streams = KIT_STREAMS,
	    .tiles = TILES,
	    .lock_free = true,
	    .read = read_truth};
	kit_count_memory(0);
	memset(truth, 0, sizeof truth);
	atomic_store(&reads, 0);
	tiles = gcs_tiles_create(&options, NULL);
	cr_assert_not_null(tiles);
	cr_assert(target_init(&target, &(struct gcs_server_options){0}), "%s", target.err.text);
}

static void end(void)
{
	target_fini(&target);
	gcs_tiles_destroy(tiles);
	cr_assert_eq(kit_live_blocks(), 0);
}

static bool event(struct gcs_ticket *ticket)
{
	const bool wanted = gcs_server_enter(target.server, KIT_TICK, ticket);
	if (wanted) {
		struct gcs_snapshot *s = gcs_server_begin(target.server, ticket);
		if (s != NULL && gcs_tiles_gather(tiles, target.server, ticket, s)) {
			gcs_server_publish(target.server, ticket, s);
		} else {
			gcs_snapshot_unref(s);
			gcs_server_miss(target.server, ticket);
		}
	}
	gcs_server_leave(target.server, ticket);
	return wanted;
}

/* True if the client's newest snapshot is the target's state. */
static bool has_truth(struct gcs_client *c)
{
	struct gcs_snapshot *s = gcs_client_latest(c);
	const uint32_t count = gcs_tiles_count(tiles);
	bool same = s != NULL && gcs_snapshot_tiles(s, KIT_HEAP) == count;
	for (uint32_t k = 0; same && k < KIT_STREAMS; k++) {
		const int64_t *values = gcs_snapshot_values(s, KIT_HEAP, k);
		for (uint32_t i = 0; same && i < count; i++)
			same = values[i] == atomic_load(&truth[k][i]);
	}
	gcs_snapshot_unref(s);
	return same;
}

static atomic_bool over;

static void *touching(void *argument)
{
	uint64_t state = *(uint64_t *)argument;
	for (int64_t i = 0; i < TOUCHES; i++)
		change(kit_below(&state, KIT_STREAMS), kit_below(&state, TILES), i);
	return NULL;
}

static void *resizing(void *argument)
{
	uint64_t state = *(uint64_t *)argument;
	while (!atomic_load(&over)) {
		cr_assert(gcs_tiles_resize(tiles, LEAST + kit_below(&state, TILES - LEAST + 1)));
		kit_sleep_ms(1);
	}
	return NULL;
}

static void *attaching(void *argument)
{
	(void)argument;
	while (!atomic_load(&over)) {
		gcs_client_close(target_client(&target, &(struct gcs_client_options){0}));
		kit_sleep_ms(1);
	}
	return NULL;
}

Test(server_tiles, no_touch_is_lost_between_threads, .init = begin, .fini = end)
{
	pthread_t threads[THREADS], others[2];
	uint64_t seeds[THREADS + 1], state = kit_seed();
	struct gcs_ticket ticket;
	struct gcs_client *c = target_client(&target, &(struct gcs_client_options){0});
	cr_assert_not_null(c);
	atomic_store(&over, false);
	for (int i = 0; i <= THREADS; i++)
		seeds[i] = kit_random(&state);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, touching, &seeds[i]);
	pthread_create(&others[0], NULL, resizing, &seeds[THREADS]);
	pthread_create(&others[1], NULL, attaching, NULL);
	for (int i = 0; i < 300; i++)
		event(&ticket);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&over, true);
	pthread_join(others[0], NULL);
	pthread_join(others[1], NULL);
	event(&ticket);
	kit_until(has_truth(c));
	cr_assert_lt(
	    atomic_load(&reads), THREADS * TOUCHES * 2, "touched tiles are not read alone");
	gcs_client_close(c);
}

static bool shown(void)
{
	struct gcs_ticket ticket;
	return event(&ticket) && gcs_server_wants_space(target.server, &ticket, KIT_HEAP);
}

/* F14: tiles of a collapsed group are not read, and nothing is lost when it is expanded. */
Test(server_tiles, a_collapsed_group_costs_nothing, .init = begin, .fini = end)
{
	struct gcs_ticket ticket;
	struct gcs_client *c = target_client(&target, &(struct gcs_client_options){0});
	cr_assert_not_null(c);
	kit_until(shown());
	kit_until(has_truth(c));
	cr_assert_eq(gcs_client_collapse_group(c, KIT_GROUP_TOP, true), GCS_OK);
	kit_until(!shown());
	atomic_store(&reads, 0);
	for (uint32_t i = 0; i < 50; i++) {
		change(KIT_USED, i * 19, 1 + i);
		cr_assert(event(&ticket));
	}
	cr_assert(gcs_tiles_resize(tiles, LEAST));
	event(&ticket);
	cr_assert_eq(atomic_load(&reads), 0);
	cr_assert_eq(gcs_client_collapse_group(c, KIT_GROUP_TOP, false), GCS_OK);
	kit_until(shown() && atomic_load(&reads) != 0); // an event may find no snapshot free
	cr_assert_eq(atomic_load(&reads), 37, "the touched ones that are still there, not %u",
	    atomic_load(&reads));
	kit_until(has_truth(c));
	gcs_client_close(c);
}

/* A client that comes later, or after all have gone, has the whole state. */
Test(server_tiles, a_later_client_has_everything, .init = begin, .fini = end)
{
	for (int turn = 0; turn < 3; turn++) {
		struct gcs_client *a = target_client(&target, &(struct gcs_client_options){0});
		change(KIT_STATE, 5, turn);
		kit_until(shown());
		struct gcs_client *b = target_client(&target, &(struct gcs_client_options){0});
		cr_assert(a != NULL && b != NULL);
		change(KIT_STATE, 6, turn);
		kit_until(shown() && has_truth(a) && has_truth(b));
		gcs_client_close(a);
		gcs_client_close(b);
		kit_until(!gcs_server_attached(target.server));
		change(KIT_STATE, 7, turn + 1);
	}
}
