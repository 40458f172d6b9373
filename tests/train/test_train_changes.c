/*
 * An event costs what the collector has changed (R2, F11): only these tiles are read, however large the heap is;
 * and no tile is forgotten. Zooms add up to their tiles (F16).
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/trace.h>

#include "changes.h"
#include "kit.h"
#include "train_kit.h"
#include "train_spaces.h"

/* A heap whose events are recorded, so that all are wanted. */
struct shown {
	struct train_heap *heap;
	struct train_spaces spaces;
	struct gcs_server *server;
	const char *path;
	bool all_again;     /* compare with a reading of all tiles, and with zooms */
	uint64_t zoomed[2]; /* blocks in regions with cars: plain, popular */
	uint64_t events, read, most;
};

/* What differs between two snapshots is what the first one has missed. */
static void expect_equal(const struct gcs_snapshot *a, const struct gcs_snapshot *b, uint64_t event)
{
	const struct gcs_model *model = gcs_snapshot_model(a);
	for (uint32_t space = 0; space < model->space_count; space++) {
		uint32_t tiles = gcs_snapshot_tiles(a, space);
		cr_assert_eq(gcs_snapshot_tiles(b, space), tiles);
		for (uint32_t k = 0; tiles > 0 && k < model->spaces[space].stream_count; k++)
			cr_expect_eq(memcmp(gcs_snapshot_values(a, space, k),
					 gcs_snapshot_values(b, space, k), tiles * sizeof(int64_t)),
			    0, "event %llu: %s of %s", (unsigned long long)event,
			    model->spaces[space].streams[k].name, model->spaces[space].name);
		for (uint32_t tile = 0; tile < tiles; tile++)
			cr_expect_str_eq(
			    gcs_snapshot_name(a, space, tile), gcs_snapshot_name(b, space, tile));
	}
}

/* Touches everything, and gathers again. */
static struct gcs_snapshot *gather_all(
    struct shown *shown, const struct gcs_ticket *ticket, const struct gcs_snapshot *now)
{
	struct train_spaces *spaces = &shown->spaces;
	struct gcs_tiles *all[] = {
	    spaces->young_tiles, spaces->train_tiles, spaces->car_tiles, spaces->region_tiles};
	const uint32_t names[] = {GCS_NONE, TRAIN_STREAMS, CAR_STREAMS, GCS_NONE};
	struct gcs_snapshot *again =
	    gcs_snapshot_begin((struct gcs_model *)(uintptr_t)gcs_snapshot_model(now), now);
	for (int i = 0; i < 4; i++) {
		gcs_tiles_touch_all(all[i], 0, gcs_tiles_count(all[i]));
		gcs_tiles_touch(all[i], names[i], 0, gcs_tiles_count(all[i]));
	}
	cr_assert(train_spaces_gather(spaces, shown->server, ticket, again));
	return again;
}

enum { ZOOM_BLOCKS = REGION_BYTES / 512 };

static uint32_t stream_of(const struct gcs_snapshot *now, uint32_t space, const char *name)
{
	return gcs_space_find_stream(&gcs_snapshot_model(now)->spaces[space], name);
}

/* Reads a stream of one tile in blocks; returns what the tile has. */
static int64_t zoom_into(struct shown *shown, const struct gcs_snapshot *now, uint32_t space,
    uint32_t tile, const char *name, int64_t values[ZOOM_BLOCKS], struct gcs_blocks *blocks)
{
	const uint32_t stream = stream_of(now, space, name);
	const struct gcs_stream *is = &gcs_snapshot_model(now)->spaces[space].streams[stream];
	*blocks = (struct gcs_blocks){.block = 512,
	    .low = (uint64_t)gcs_snapshot_values(now, space, stream_of(now, space, "Start"))[tile],
	    .high = (uint64_t)gcs_snapshot_values(now, space, stream_of(now, space, "End"))[tile]};
	for (uint32_t i = 0; i < ZOOM_BLOCKS; i++)
		values[i] = is->initial;
	if (space == shown->spaces.regions)
		train_zoom_regions(&shown->spaces, stream, blocks, values);
	else
		train_zoom_young(&shown->spaces, stream, blocks, values);
	return gcs_snapshot_values(now, space, stream)[tile];
}

static void expect_sum(struct shown *shown, const struct gcs_snapshot *now, uint32_t space,
    uint32_t tile, const char *name)
{
	int64_t values[ZOOM_BLOCKS], sum = 0;
	struct gcs_blocks blocks;
	const int64_t whole = zoom_into(shown, now, space, tile, name, values, &blocks);
	for (uint32_t i = 0; i < gcs_blocks_count(&blocks); i++)
		sum += values[i];
	cr_expect_eq(sum, whole, "%s of tile %u: %lld, not %lld", name, tile, (long long)sum,
	    (long long)whole);
}

static void expect_region(struct shown *shown, const struct gcs_snapshot *now, uint32_t tile)
{
	static const char *const sums[] = {
	    "Used space", "Direct allocation", "Promotion", "Evacuation", "Weak evacuation"};
	static const char *const same[] = {"Train ID", "Car ID", "Region type"};
	const uint32_t space = shown->spaces.regions;
	const struct old_generation *old = &shown->heap->old;
	const bool popular = old->regions[tile].type == REGION_POPULAR;
	struct gcs_blocks blocks;
	int64_t values[ZOOM_BLOCKS], used[ZOOM_BLOCKS], most = 0;
	for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
		expect_sum(shown, now, space, tile, sums[i]);
	zoom_into(shown, now, space, tile, "Control", used, &blocks);
	for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
		const int64_t whole = zoom_into(shown, now, space, tile, same[k], values, &blocks);
		for (uint32_t i = 0; i < ZOOM_BLOCKS; i++) {
			const struct car *car =
			    old_car(old, (const char *)(uintptr_t)(blocks.low + i * blocks.block));
			cr_expect_eq((used[i] & GCS_TILE_USED) != 0, car != NULL);
			shown->zoomed[popular] += car != NULL;
			if (car != NULL && k == 1)
				cr_expect_eq(values[i], (int64_t)car->id);
			else if (car != NULL && !popular)
				cr_expect_eq(values[i], whole, "%s", same[k]);
		}
	}
	/* DIRTY is less than YOUNG as a number, but says more. */
	const int64_t cards =
	    zoom_into(shown, now, space, tile, "Card table state", values, &blocks);
	for (uint32_t i = 0; i < ZOOM_BLOCKS; i++)
		most = values[i] == CARD_DIRTY || most == CARD_CLEAN ? values[i] : most;
	for (uint32_t i = 0; i < ZOOM_BLOCKS; i++)
		most = values[i] == CARD_DIRTY ? CARD_DIRTY : most;
	cr_expect_eq(most, cards);
}

static void expect_zooms(struct shown *shown, const struct gcs_snapshot *now)
{
	const uint32_t young = shown->spaces.young;
	for (uint32_t tile = 0; tile < shown->heap->old.region_count; tile++)
		expect_region(shown, now, tile);
	for (uint32_t tile = 0; tile < gcs_snapshot_tiles(now, young); tile++) {
		expect_sum(shown, now, young, tile, "Used space");
		expect_sum(shown, now, young, tile, "Objects");
	}
}

static void at_event(void *context, uint32_t event)
{
	struct shown *shown = context;
	struct gcs_ticket ticket;
	if (shown->server == NULL)
		return;
	cr_assert(gcs_server_enter(shown->server, event, &ticket));
	struct gcs_snapshot *now = gcs_server_begin(shown->server, &ticket);
	const uint64_t before = shown->spaces.tiles_read;
	cr_assert(train_spaces_look(&shown->spaces));
	cr_assert(train_spaces_gather(&shown->spaces, shown->server, &ticket, now));
	const uint64_t read = shown->spaces.tiles_read - before;
	shown->events++;
	shown->read += read;
	shown->most = read > shown->most ? read : shown->most;
	if (shown->all_again) {
		struct gcs_snapshot *again = gather_all(shown, &ticket, now);
		expect_equal(now, again, shown->events);
		if (shown->events % 16 < 4)
			expect_zooms(shown, now);
		gcs_snapshot_unref(again);
	}
	gcs_server_publish(shown->server, &ticket, now);
	gcs_server_leave(shown->server, &ticket);
}

static void on_young_start(void *context)
{
	at_event(context, 0);
}

static void on_young_end(void *context)
{
	at_event(context, 1);
}

static void on_train_start(void *context)
{
	at_event(context, 2);
}

static void on_train_end(void *context)
{
	at_event(context, 3);
}

static struct train_hooks hooks_of(struct shown *shown)
{
	return (struct train_hooks){.young_start = on_young_start,
	    .young_end = on_young_end,
	    .train_start = on_train_start,
	    .train_end = on_train_end,
	    .context = shown};
}

/* From now on events are shown. */
static void show(struct shown *shown)
{
	static const char *const names[] = {"one", "two", "three", "four"};
	struct gcs_error err = {0};
	struct gcs_server_options options = {.name = "changes", .port = -1};
	struct gcs_recorder_options record = {.trace = {.path = shown->path, .replace = true}};
	struct gcs_server *server = gcs_server_create(&options, &err);
	struct gcs_recorder *recorder = gcs_recorder_create(&record, &err);
	cr_assert_not_null(server, "%s", err.text);
	cr_assert_not_null(recorder, "%s", err.text);
	shown->spaces.heap = shown->heap;
	for (int i = 0; i < 4; i++)
		cr_assert_eq(
		    gcs_server_add_event(server, &(struct gcs_event){.name = names[i]}, NULL, &err),
		    GCS_OK);
	cr_assert_eq(train_add_spaces(&shown->spaces, server, &err), GCS_OK);
	cr_assert_eq(gcs_server_record(server, recorder, &err), GCS_OK, "%s", err.text);
	cr_assert_eq(gcs_server_start(server, &err), GCS_OK, "%s", err.text);
	shown->server = server;
}

static void end(struct shown *shown)
{
	gcs_server_destroy(shown->server);
	shown->server = NULL;
	train_spaces_fini(&shown->spaces);
	kit_train_end(shown->heap);
	unlink(shown->path);
}

/* Every tile of every event of a run that does everything. */
Test(train_changes, no_tile_is_forgotten)
{
	struct shown shown = {.path = "train-changes-all.gcspy", .all_again = true};
	struct train_options options = kit_train_options();
	mutator_random.tune(&options);
	options.young_bytes = 32768;
	options.large_bytes = 8192;
	options.regions = 160;
	options.fill_cars = 2;
	options.rate = 3;
	options.popular_at = 20;
	options.coarsen_at = 64;
	options.hooks = hooks_of(&shown);
	shown.heap = kit_train_heap(&options);
	show(&shown);
	struct mutator_run run = {
	    .heap = shown.heap, .size = 1024, .steps = 30000, .seed = kit_seed()};
	const char *wrong = mutator_random.run(&run);
	cr_expect_null(wrong, "%s", wrong);
	cr_expect_gt(shown.heap->statistics.steps, 20);
	cr_expect_gt(shown.heap->statistics.relinked, 0);
	cr_expect_gt(shown.zoomed[false], 10000);
	cr_expect_gt(shown.zoomed[true], 100);
	end(&shown);
}

/* The values read at the events of one step that moves one car of a heap of `rings` rings; the values that
 * there are in `whole`. */
static uint64_t read_by_a_step(uint32_t rings, uint64_t *whole)
{
	struct shown shown = {.path = "train-changes-step.gcspy"};
	struct train_options options = kit_train_options();
	options.regions = 1024;
	options.hooks = hooks_of(&shown);
	options.verify = false;
	shown.heap = kit_train_heap(&options);
	kit_old_object(shown.heap, 0, 8); /* the oldest train has one car */
	for (uint32_t i = 0; i < rings; i++)
		kit_ring(shown.heap, 6000, 80);
	show(&shown);
	train_collect_cars(shown.heap, 1); /* everything is read once, at its first event */
	*whole = shown.most;
	shown.most = shown.read = shown.events = 0;
	train_collect_cars(shown.heap, 1);
	cr_expect_eq(shown.events, 4);
	const uint64_t read = shown.read;
	for (int i = 0; i < 20; i++) /* no event of those that follow reads everything again */
		train_collect_cars(shown.heap, 1);
	cr_expect_lt(shown.most, 600, "%llu of %llu", (unsigned long long)shown.most,
	    (unsigned long long)*whole);
	end(&shown);
	return read;
}

Test(train_changes, an_event_reads_what_has_changed_however_large_the_heap_is)
{
	uint64_t small_whole, large_whole;
	const uint64_t small = read_by_a_step(4, &small_whole);
	const uint64_t large = read_by_a_step(40, &large_whole);
	cr_assert_gt(large_whole, 6 * 1024, "%llu", (unsigned long long)large_whole);
	cr_assert_gt(large_whole, small_whole + 4000);
	cr_expect_leq(large, small + 64, "%llu, but %llu in a tenth of the heap",
	    (unsigned long long)large, (unsigned long long)small);
	cr_expect_lt(
	    large, 600, "%llu of %llu", (unsigned long long)large, (unsigned long long)large_whole);
}

/* Nothing has happened between two collections: what is read is what belonged to the last event. */
Test(train_changes, nothing_new_is_nothing_read)
{
	struct shown shown = {.path = "train-changes-none.gcspy"};
	struct train_options options = kit_train_options();
	options.hooks = hooks_of(&shown);
	shown.heap = kit_train_heap(&options);
	kit_ring(shown.heap, 6000, 80);
	show(&shown);
	train_collect(shown.heap); /* all, and then the young generation changes sides */
	shown.read = shown.most = 0;
	at_event(&shown, 0);
	at_event(&shown, 0);
	cr_expect_eq(shown.read, 0);
	end(&shown);
}
