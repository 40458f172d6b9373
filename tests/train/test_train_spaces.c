/*
 * The four spaces as clients and recordings have them (R2): at every event the regions, the cars and the trains
 * say the same, each from its own side.
 */
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <gcspy/client.h>
#include <gcspy/trace.h>

#include "kit.h"
#include "train_kit.h"
#include "train_server.h"

static const char *const kinds[] = {
    "Direct allocation", "Promotion", "Evacuation", "Weak evacuation"};
static const char *const names[] = {"Young generation", "Trains", "Cars", "Regions"};
enum { YOUNG, TRAINS, CARS, REGIONS, SPACES };
enum { YOUNG_START, YOUNG_END, TRAIN_START, TRAIN_END, EVENTS };

struct program {
	struct train_server_options options;
	uint64_t seed, steps;
	struct train_statistics done;
	atomic_int port;    /* 0: not known so far */
	atomic_bool finish; /* the mutator may end */
};

/* Runs until the steps are done and `finish` is set. */
static bool finished(void *context)
{
	struct program *program = context;
	return program->steps == UINT64_MAX && atomic_load(&program->finish);
}

static void *run_program(void *context)
{
	struct program *program = context;
	struct gcs_error err = {0};
	struct train_options options = kit_train_options();
	mutator_random.tune(&options);
	options.young_bytes = 32768;
	options.large_bytes = 8192;
	options.regions = 128;
	options.fill_cars = 2;
	options.rate = 3;
	struct train_server *server = train_server_create(&program->options, &err);
	cr_assert_not_null(server, "%s", err.text);
	options.hooks = train_server_hooks(server);
	struct train_heap *heap = kit_train_heap(&options);
	cr_assert_eq(train_server_start(server, heap, &err), GCS_OK, "%s", err.text);
	struct mutator_run run = {.heap = heap,
	    .size = 1024,
	    .steps = program->steps,
	    .seed = program->seed,
	    .stopped = finished,
	    .context = program};
	atomic_store(&program->port, train_server_port(server));
	const char *wrong = mutator_random.run(&run);
	cr_expect_null(wrong, "%s", wrong);
	program->done = *train_heap_statistics(heap);
	train_server_destroy(server);
	kit_train_end(heap);
	return NULL;
}

/* A snapshot, and where its spaces are in its description. */
struct state {
	struct gcs_snapshot *snapshot;
	const struct gcs_model *model;
	uint32_t spaces[SPACES], tiles[SPACES];
};

static struct state state_of(struct gcs_snapshot *snapshot)
{
	struct state state = {.snapshot = snapshot, .model = gcs_snapshot_model(snapshot)};
	struct gcs_error err = {0};
	cr_assert_eq(gcs_snapshot_check(snapshot, &err), GCS_OK, "%s", err.text);
	for (int i = 0; i < SPACES; i++) {
		state.spaces[i] = gcs_model_find_space(state.model, names[i]);
		cr_assert_neq(state.spaces[i], GCS_NONE, "%s", names[i]);
		state.tiles[i] = gcs_snapshot_tiles(snapshot, state.spaces[i]);
	}
	return state;
}

static uint32_t stream_of(const struct state *state, int space, const char *name)
{
	uint32_t stream = gcs_space_find_stream(&state->model->spaces[state->spaces[space]], name);
	cr_assert_neq(stream, GCS_NONE, "%s of %s", name, names[space]);
	return stream;
}

static const int64_t *values(const struct state *state, int space, const char *name)
{
	return gcs_snapshot_values(
	    state->snapshot, state->spaces[space], stream_of(state, space, name));
}

/* The sum over the tiles, which is the summary's first value too. */
static int64_t sum(const struct state *state, int space, const char *name)
{
	const int64_t *of = values(state, space, name);
	int64_t total = 0;
	uint32_t count;
	for (uint32_t i = 0; i < state->tiles[space]; i++)
		total += of[i];
	const int64_t *summary = gcs_snapshot_summary(
	    state->snapshot, state->spaces[space], stream_of(state, space, name), &count);
	cr_assert(count == 1 || count == 2);
	cr_expect_eq(summary[0], total, "%s of %s", name, names[space]);
	return total;
}

static void expect_same_sums(const struct state *state, const char *name)
{
	int64_t regions = sum(state, REGIONS, name);
	cr_expect_eq(sum(state, CARS, name), regions, "%s", name);
	cr_expect_eq(sum(state, TRAINS, name), regions, "%s", name);
}

/* Each train is the sum of its cars, which follow each other; ids ascend. */
static void check_trains(const struct state *state)
{
	const int64_t *train_ids = values(state, TRAINS, "Train ID");
	const int64_t *lengths = values(state, TRAINS, "Length");
	const int64_t *higher = values(state, TRAINS, "Higher references");
	const int64_t *chosen = values(state, TRAINS, "In collection set");
	const int64_t *train_of = values(state, CARS, "Train ID");
	const int64_t *car_ids = values(state, CARS, "Car ID");
	const int64_t *car_higher = values(state, CARS, "Higher references");
	const int64_t *car_chosen = values(state, CARS, "In collection set");
	const int64_t *control = values(state, CARS, "Control");
	uint32_t car = 0;
	for (uint32_t i = 0; i < state->tiles[TRAINS]; i++) {
		int64_t any_higher = 0, any_chosen = 0, last = 0;
		char name[64];
		cr_expect(i == 0 || train_ids[i] > train_ids[i - 1]);
		for (int64_t k = 0; k < lengths[i]; k++, car++) {
			cr_assert_lt(car, state->tiles[CARS]);
			cr_expect_eq(train_of[car], train_ids[i]);
			cr_expect_gt(car_ids[car], last);
			cr_expect_eq((control[car] & GCS_TILE_SEPARATOR) != 0, k == 0 && i > 0);
			snprintf(name, sizeof name, "%lld.%lld", (long long)train_of[car],
			    (long long)car_ids[car]);
			cr_expect_str_eq(
			    gcs_snapshot_name(state->snapshot, state->spaces[CARS], car), name);
			last = car_ids[car];
			any_higher |= car_higher[car];
			any_chosen |= car_chosen[car];
		}
		cr_expect_eq(higher[i], any_higher);
		cr_expect_eq(chosen[i], any_chosen);
	}
	cr_expect_eq(car, state->tiles[CARS]);
	cr_expect_eq(sum(state, TRAINS, "Length"), state->tiles[CARS]);
}

/* A car's range leads to its regions, which name it; a link joins those of an oversized car. */
static void check_regions(const struct state *state)
{
	const int64_t *start = values(state, CARS, "Start"), *end = values(state, CARS, "End");
	const int64_t *base = values(state, REGIONS, "Start");
	const int64_t *type = values(state, CARS, "Car type");
	const int64_t *region_type = values(state, REGIONS, "Region type");
	const int64_t *control = values(state, REGIONS, "Control");
	uint32_t used = 0, parts = 0;
	for (uint32_t i = 0; i < state->tiles[REGIONS]; i++)
		used += control[i] != GCS_TILE_UNUSED;
	for (uint32_t i = 0; i < state->tiles[CARS]; i++) {
		uint32_t first = (uint32_t)((start[i] - base[0]) / REGION_BYTES);
		uint32_t last = (uint32_t)((end[i] - 1 - base[0]) / REGION_BYTES);
		cr_assert_lt(last, state->tiles[REGIONS]);
		for (uint32_t at = first; at <= last; at++) {
			cr_expect_eq(region_type[at], type[i]);
			cr_expect_eq((control[at] & GCS_TILE_LINK) != 0, at < last);
			if (type[i] == CAR_POPULAR)
				continue;
			cr_expect_eq(values(state, REGIONS, "Train ID")[at],
			    values(state, CARS, "Train ID")[i]);
			cr_expect_eq(
			    values(state, REGIONS, "Car ID")[at], values(state, CARS, "Car ID")[i]);
			parts++;
		}
	}
	uint32_t popular = 0;
	for (uint32_t i = 0; i < state->tiles[REGIONS]; i++)
		popular += control[i] != GCS_TILE_UNUSED && region_type[i] == CAR_POPULAR;
	cr_expect_eq(parts + popular, used);
}

/* Values that belong to one event are 0 at the others (section 5.4). */
static void check_events(const struct state *state, uint32_t event)
{
	static const uint32_t when[] = {YOUNG_START, YOUNG_END, TRAIN_END, TRAIN_END};
	for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
		if (event != when[kind] && event != GCS_NONE)
			cr_expect_eq(sum(state, CARS, kinds[kind]), 0, "%s", kinds[kind]);
	int64_t chosen = sum(state, CARS, "Collection set space");
	cr_expect_eq(sum(state, TRAINS, "Collection set space"), chosen);
	if (event != GCS_NONE)
		cr_expect_eq(chosen > 0, event == TRAIN_START);
}

static void check_young(const struct state *state)
{
	const int64_t *control = values(state, YOUNG, "Control");
	const int64_t *used = values(state, YOUNG, "Used space");
	uint32_t half = state->tiles[YOUNG] / 2, active = 0;
	cr_expect_eq(half, 8, "32 KiB in blocks of 4");
	for (uint32_t i = 0; i < 2 * half; i++) {
		bool in_use = (control[i] & GCS_TILE_USED) != 0;
		active += in_use;
		cr_expect(in_use || used[i] == 0);
		cr_expect_eq(in_use, (control[i / half * half] & GCS_TILE_USED) != 0);
		cr_expect_eq((control[i] & GCS_TILE_SEPARATOR) != 0, i == half);
	}
	cr_expect_eq(active, half);
	sum(state, YOUNG, "Used space");
	sum(state, YOUNG, "Objects");
}

static void check_snapshot(struct gcs_snapshot *snapshot)
{
	struct state state = state_of(snapshot);
	expect_same_sums(&state, "Used space");
	for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
		expect_same_sums(&state, kinds[kind]);
	cr_expect_eq(sum(&state, CARS, "Objects"), sum(&state, TRAINS, "Objects"));
	cr_expect_eq(sum(&state, CARS, "RS entries"), sum(&state, TRAINS, "RS length"));
	cr_expect_eq(sum(&state, CARS, "Size"), sum(&state, TRAINS, "Size"));
	check_trains(&state);
	check_regions(&state);
	check_events(&state, gcs_snapshot_occurrence(snapshot)->event);
	check_young(&state);
}

/* The paper has forty streams over regions, cars and trains, and four events. */
Test(train_spaces, streams_are_those_of_the_paper)
{
	static const uint32_t expected[] = {[TRAINS] = 14, [CARS] = 17, [REGIONS] = 9};
	struct program program = {.options = {.server = {.name = "paper", .port = -1},
				      .record = "train-spaces-paper.gcspy"},
	    .seed = 1,
	    .steps = 2000};
	run_program(&program);
	struct gcs_error err = {0};
	struct gcs_trace *trace = gcs_trace_open(program.options.record, &err);
	cr_assert_not_null(trace, "%s", err.text);
	struct gcs_snapshot *snapshot = gcs_trace_at(trace, 0, &err);
	cr_assert_not_null(snapshot, "%s", err.text);
	struct state state = state_of(snapshot);
	for (int space = TRAINS; space <= REGIONS; space++) {
		const struct gcs_space *is = &state.model->spaces[state.spaces[space]];
		uint32_t data = 0;
		for (uint32_t i = 0; i < is->stream_count; i++)
			data += is->streams[i].role == GCS_ROLE_DATA;
		cr_expect_eq(data, expected[space], "%s", names[space]);
	}
	cr_expect_eq(state.model->event_count, EVENTS);
	gcs_snapshot_unref(snapshot);
	gcs_trace_close(trace);
	unlink(program.options.record);
}

/* Every event of a run; what is allocated at events is what the heap has counted. */
Test(train_spaces, a_recording_agrees_with_itself_and_with_the_heap)
{
	struct program program = {.options = {.server = {.name = "recorded", .port = -1},
				      .record = "train-spaces-run.gcspy"},
	    .seed = kit_seed(),
	    .steps = 30000};
	run_program(&program);
	struct gcs_error err = {0};
	struct gcs_trace *trace = gcs_trace_open(program.options.record, &err);
	cr_assert_not_null(trace, "%s", err.text);
	struct gcs_snapshot *snapshot;
	uint64_t seen[EVENTS] = {0}, missed = 0;
	int64_t allocated[OLD_ALLOCATIONS] = {0};
	for (uint64_t i = 0; (snapshot = gcs_trace_at(trace, i, &err)) != NULL; i++) {
		const struct gcs_occurrence *now = gcs_snapshot_occurrence(snapshot);
		check_snapshot(snapshot);
		struct state state = state_of(snapshot);
		missed += now->missed;
		if (now->event != GCS_NONE) {
			seen[now->event]++;
			for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
				allocated[kind] += sum(&state, REGIONS, kinds[kind]);
		}
		gcs_snapshot_unref(snapshot);
	}
	cr_expect_eq(missed, 0);
	cr_expect_eq(seen[YOUNG_START], program.done.young_collections);
	cr_expect_eq(seen[YOUNG_END], program.done.young_collections);
	cr_expect_eq(seen[TRAIN_START], program.done.steps);
	cr_expect_eq(seen[TRAIN_END], program.done.steps);
	cr_expect_gt(program.done.steps, 10);
	cr_expect_eq(allocated[OLD_PROMOTION], (int64_t)program.done.promoted);
	cr_expect_eq(allocated[OLD_EVACUATION], (int64_t)program.done.evacuated);
	cr_expect_eq(allocated[OLD_WEAK_EVACUATION], (int64_t)program.done.weakly_evacuated);
	gcs_trace_close(trace);
	unlink(program.options.record);
}

/* Clients that come and go, one of which pauses the program; another is then sent its present state. */
Test(train_spaces, clients_see_consistent_spaces)
{
	struct program program = {.options = {.server = {.name = "live", .port = 0}},
	    .seed = kit_seed(),
	    .steps = UINT64_MAX};
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, run_program, &program), 0);
	kit_until(atomic_load(&program.port) != 0);
	char address[32];
	snprintf(address, sizeof address, "127.0.0.1:%d", atomic_load(&program.port));
	struct gcs_client_options options = {.address = address, .name = "first"};
	struct gcs_client *first = gcs_client_open(&options, NULL);
	for (int i = 0; i < 60; i++) {
		struct gcs_snapshot *snapshot = gcs_client_next(first, 60000);
		cr_assert_not_null(snapshot);
		check_snapshot(snapshot);
		gcs_snapshot_unref(snapshot);
	}
	cr_assert_eq(gcs_client_pause(first), GCS_OK);
	kit_until(gcs_client_run_state(first, NULL, NULL) == GCS_PAUSED);
	options.name = "second";
	struct gcs_client *second = gcs_client_open(&options, NULL);
	struct gcs_snapshot *snapshot = gcs_client_next(second, 60000);
	cr_assert_not_null(snapshot, "the present state of a program that is held");
	cr_expect_eq(gcs_snapshot_occurrence(snapshot)->event, GCS_NONE);
	check_snapshot(snapshot);
	gcs_snapshot_unref(snapshot);
	gcs_client_close(second);
	atomic_store(&program.finish, true);
	gcs_client_close(first);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}
