/*
 * Sample-driven mode (F12): what threads count arrives, once each, in the updates of a client; the
 * interval is a setting; 0 is an update for each event; a client's hold stops the program.
 */
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>

#include "now.h"
#include "updates_suite.h"

enum {
	PER_SECOND,
	SIZE_SUM,
	SIZE_LEAST,
	SIZE_MOST,
	AGE_SUM,
	AGE_LEAST,
	AGE_MOST,
	ADDRESS_LEAST,
	ADDRESS_MOST,
	FREES
};
enum { EVENTS = 30000 };

static const struct gcs_attribute attributes[] = {
    {.name = "size", .format = GCS_BYTES},
    {.name = "site", .kind = GCS_ATTRIBUTE_TEXT},
    {.name = "age"},
    {.name = "address", .format = GCS_HEX},
};
static const struct gcs_event events[] = {
    {.name = "Allocate", .attribute_count = 4, .attributes = attributes},
    {.name = "Free"},
};

static char address[16];

static void fill(void *context, struct gcs_snapshot *snapshot)
{
	cr_assert_eq(context, truth);
	gcs_snapshot_set_space_info(snapshot, 0, "filled");
}

static void describe(void)
{
	make_target(&(struct gcs_server_options){.name = "updates",
			.queue_bytes = 256 << 20}, /* no update is thinned on a busy machine */
	    events);
}

static void begin(void)
{
	describe();
	updates = make_updates(GCS_MAX_UPDATE_MS, fill);
	start_target(address);
	cr_assert_eq(gcs_updates_start(updates, &err), GCS_STATE);
}

#define UpdatesTest(name) Test(updates, name, .init = begin, .fini = drop_target)

static struct gcs_client *attach(void)
{
	struct gcs_client *c = gcs_client_open(
	    &(struct gcs_client_options){.address = address, .queue_limit = 100000}, &err);
	cr_assert_not_null(c);
	cr_assert_eq(gcs_client_wait(c, 10000), GCS_CLIENT_LIVE);
	kit_until(gcs_server_wants(server, UPDATE));
	return c;
}

static void allocate(struct gcs_event_counter *counter, uint32_t tile, int64_t size, int64_t age)
{
	const int64_t values[] = {size, age, tile};
	atomic_fetch_add_explicit(&truth[tile], size, memory_order_relaxed);
	gcs_tiles_touch(tiles, 0, tile, 1);
	gcs_count_event(counter, ALLOCATE, values);
}

/* What all updates that a client got say together. */
struct seen {
	uint64_t updates, allocations, frees;
	int64_t sum, least, most, address_least, address_most; /* addresses: of the last */
};

static int64_t number(const struct gcs_snapshot *s, uint32_t attribute, int64_t otherwise)
{
	int64_t value;
	return gcs_snapshot_number(s, attribute, &value) ? value : otherwise;
}

/* Takes updates until the client has seen that many allocations. */
static void take_until(struct gcs_client *c, struct seen *seen, uint64_t allocations)
{
	while (seen->allocations < allocations) {
		struct gcs_snapshot *s = gcs_client_next(c, 20000);
		cr_assert_not_null(
		    s, "%lu of %lu", (unsigned long)seen->allocations, (unsigned long)allocations);
		cr_assert_eq(gcs_snapshot_occurrence(s)->missed, 0);
		cr_assert_geq(gcs_snapshot_counter(s, ALLOCATE), seen->allocations);
		if (gcs_snapshot_occurrence(s)->event == UPDATE) {
			seen->allocations = gcs_snapshot_counter(s, ALLOCATE);
			seen->frees = gcs_snapshot_counter(s, FREE);
			seen->updates++;
			const int64_t least = number(s, SIZE_LEAST, INT64_MAX);
			const int64_t most = number(s, SIZE_MOST, INT64_MIN);
			seen->address_least = number(s, ADDRESS_LEAST, seen->address_least);
			seen->address_most = number(s, ADDRESS_MOST, seen->address_most);
			seen->sum += number(s, SIZE_SUM, 0);
			seen->least = least < seen->least ? least : seen->least;
			seen->most = most > seen->most ? most : seen->most;
			cr_assert_str_eq(gcs_snapshot_space_info(s, 0), "filled");
		}
		gcs_snapshot_unref(s);
	}
}

static void *allocating(void *argument)
{
	uint64_t state = *(uint64_t *)argument;
	struct gcs_event_counter *counter = gcs_event_counter_create(updates);
	cr_assert_not_null(counter);
	for (int i = 0; i < EVENTS; i++) {
		allocate(counter, kit_below(&state, TILES), 100 + kit_below(&state, 1000), i);
		if (i % 3 == 0)
			gcs_count_event(counter, FREE, NULL);
	}
	gcs_event_counter_destroy(counter);
	return NULL;
}

static bool has_truth(struct gcs_client *c)
{
	struct gcs_snapshot *s = gcs_client_latest(c);
	bool same = s != NULL && gcs_snapshot_tiles(s, 0) == TILES;
	for (uint32_t i = 0; same && i < TILES; i++)
		same = gcs_snapshot_values(s, 0, 0)[i] == atomic_load(&truth[i]);
	gcs_snapshot_unref(s);
	return same;
}

UpdatesTest(each_event_of_each_thread_is_counted_once)
{
	pthread_t threads[THREADS];
	uint64_t seeds[THREADS], state = kit_seed();
	struct seen seen = {.least = INT64_MAX, .most = INT64_MIN};
	struct gcs_client *c = attach();
	cr_assert(gcs_updates_set_interval(updates, 1));
	for (int i = 0; i < THREADS; i++) {
		seeds[i] = kit_random(&state);
		pthread_create(&threads[i], NULL, allocating, &seeds[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	/* The last two events have the extremes. */
	struct gcs_event_counter *counter = gcs_event_counter_create(updates);
	allocate(counter, 0, 1, 0);
	allocate(counter, 1, 5000, 0);
	gcs_count_event(counter, 2, NULL); /* no such event */
	take_until(c, &seen, THREADS * EVENTS + 2);
	kit_until(has_truth(c));
	/* The values of the last event may come one update after its count. */
	int64_t total = 0;
	for (uint32_t i = 0; i < TILES; i++)
		total += atomic_load(&truth[i]);
	for (uint64_t more = 1; seen.sum != total || seen.most != 5000; more++) {
		cr_assert_leq(more, 2);
		gcs_count_event(counter, ALLOCATE, NULL);
		take_until(c, &seen, THREADS * EVENTS + 2 + more);
	}
	cr_assert_eq(seen.least, 1);
	cr_assert_eq(seen.frees, THREADS * (EVENTS / 3));
	gcs_event_counter_destroy(counter);
	gcs_client_close(c);
}

UpdatesTest(attributes_are_of_the_time_since_the_previous_update)
{
	struct gcs_client *c = attach();
	struct gcs_event_counter *counter = gcs_event_counter_create(updates);
	struct seen seen = {0};
	allocate(counter, 4, 10, -5);
	allocate(counter, 2, 30, 7);
	gcs_updates_set_interval(updates, 1);
	take_until(c, &seen, 2);
	struct gcs_model *model = gcs_client_model(c);
	const struct gcs_event *e = &model->events[UPDATE];
	cr_assert_str_eq(e->name, "Update");
	cr_assert_eq(e->attribute_count, FREES + 1);
	cr_assert_str_eq(e->attributes[PER_SECOND].name, "Allocate per second");
	cr_assert_str_eq(e->attributes[SIZE_LEAST].name, "Allocate: size, least");
	cr_assert_eq(e->attributes[SIZE_LEAST].format, GCS_BYTES);
	cr_assert_str_eq(e->attributes[AGE_SUM].name, "Allocate: age, sum");
	cr_assert_str_eq(
	    e->attributes[ADDRESS_LEAST].name, "Allocate: address, least", "addresses have no sum");
	cr_assert_str_eq(e->attributes[ADDRESS_MOST].name, "Allocate: address, most");
	cr_assert_eq(e->attributes[ADDRESS_MOST].format, GCS_HEX);
	cr_assert_str_eq(e->attributes[FREES].name, "Free per second");
	gcs_model_unref(model);
	cr_assert_eq(seen.sum, 40);
	cr_assert(seen.address_least == 2 && seen.address_most == 4);
	struct gcs_snapshot *s = gcs_client_next(c, 10000);
	cr_assert_not_null(s);
	cr_assert_eq(number(s, SIZE_SUM, -1), 0);
	cr_assert_eq(number(s, PER_SECOND, -1), 0);
	cr_assert_eq(number(s, SIZE_LEAST, -1), -1, "nothing has a least size");
	gcs_snapshot_unref(s);
	gcs_event_counter_destroy(counter);
	gcs_client_close(c);
}

static struct gcs_event_counter *leaving;

static void leave(void)
{
	allocate(leaving, 3, 700, 0);
	gcs_event_counter_destroy(leaving);
}

/* What a thread counted while an update was made is in the next one. */
UpdatesTest(a_thread_that_ends_during_an_update_loses_nothing)
{
	struct gcs_client *c = attach();
	struct seen seen = {.least = INT64_MAX, .most = INT64_MIN};
	leaving = gcs_event_counter_create(updates);
	kit_until(has_truth(c)); /* the state that it attached to */
	allocate(leaving, 4, 10, 0);
	atomic_store(&while_reading, leave);
	gcs_updates_flush(updates);
	take_until(c, &seen, 1);
	cr_assert_eq(seen.allocations, 1);
	cr_assert(seen.sum == 10 && seen.most == 10);
	gcs_updates_flush(updates);
	take_until(c, &seen, 2);
	cr_assert(seen.sum == 710 && seen.most == 700);
	gcs_client_close(c);
}

UpdatesTest(what_found_no_memory_is_in_the_next_update)
{
	struct gcs_client *c = attach();
	struct gcs_event_counter *counter = gcs_event_counter_create(updates);
	kit_until(has_truth(c));
	allocate(counter, 4, 10, 0);
	kit_fail_after(0);
	gcs_updates_flush(updates);
	kit_fail_after(SIZE_MAX);
	allocate(counter, 4, 30, 0);
	gcs_updates_flush(updates);
	struct gcs_snapshot *s = gcs_client_next(c, 10000);
	while (s != NULL && gcs_snapshot_occurrence(s)->event != UPDATE) {
		gcs_snapshot_unref(s);
		s = gcs_client_next(c, 10000);
	}
	cr_assert_not_null(s);
	cr_assert_eq(gcs_snapshot_occurrence(s)->missed, 1);
	cr_assert_eq(gcs_snapshot_counter(s, ALLOCATE), 2);
	cr_assert_eq(number(s, SIZE_SUM, 0), 40);
	cr_assert_eq(number(s, SIZE_LEAST, 0), 10);
	cr_assert_eq(number(s, SIZE_MOST, 0), 30);
	gcs_snapshot_unref(s);
	gcs_event_counter_destroy(counter);
	gcs_client_close(c);
}

static enum gcs_status set(struct gcs_client *c, const char *value)
{
	uint32_t id;
	cr_assert_eq(gcs_client_set(c, "update", value, &id), GCS_OK);
	struct gcs_answer *answer = gcs_client_answer(c, id, 10000);
	cr_assert_not_null(answer);
	const enum gcs_status status = answer->status;
	gcs_answer_free(answer);
	return status;
}

UpdatesTest(any_client_sets_the_interval)
{
	static const char *const bad[] = {"", "ms", "61s", "60001", "-1", "123456", "1 ms",
	    "1500us", "1m", "99999999999s", "18446744073709551616", "s"};
	struct gcs_client *c = attach();
	cr_assert_eq(set(c, "50ms"), GCS_OK);
	cr_assert_eq(gcs_updates_interval(updates), 50);
	static const struct {
		const char *value;
		uint32_t ms;
	} units[] = {{"1s", 1000}, {"60s", 60000}, {"20000us", 20}, {"5000000ns", 5}, {"0s", 0}};
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		cr_assert_eq(set(c, units[i].value), GCS_OK, "%s", units[i].value);
		cr_assert_eq(gcs_updates_interval(updates), units[i].ms);
	}
	cr_assert_eq(set(c, "7"), GCS_OK);
	cr_assert_eq(gcs_updates_interval(updates), 7);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert_eq(set(c, bad[i]), GCS_ARGUMENT, "%s", bad[i]);
	cr_assert_eq(gcs_updates_interval(updates), 7);
	cr_assert_not(gcs_updates_set_interval(updates, GCS_MAX_UPDATE_MS + 1));
	gcs_client_close(c);
}

/* A program that ends cannot wait until an update is due. */
UpdatesTest(a_flush_publishes_at_once)
{
	struct seen seen = {.least = INT64_MAX, .most = INT64_MIN};
	gcs_updates_flush(updates); /* for nobody */
	struct gcs_client *c = attach();
	struct gcs_event_counter *counter = gcs_event_counter_create(updates);
	for (uint32_t i = 0; i < 20; i++)
		allocate(counter, i, i + 1, 0);
	gcs_updates_flush(updates);
	take_until(c, &seen, 20);
	cr_assert_eq(seen.updates, 1);
	cr_assert_eq(seen.sum, 210);
	cr_assert(has_truth(c));
	gcs_event_counter_destroy(counter);
	gcs_client_close(c);
}

static void *stepping(void *argument)
{
	(void)argument;
	struct gcs_event_counter *counter = gcs_event_counter_create(updates);
	for (uint32_t i = 0; i < 20; i++)
		allocate(counter, i, i + 1, 0);
	gcs_event_counter_destroy(counter);
	return NULL;
}

/* Lock-step: the program waits for the acknowledgement of each event. */
UpdatesTest(without_an_interval_each_event_is_an_update)
{
	pthread_t thread;
	struct gcs_client *c = attach();
	uint32_t id;
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_LOCKSTEP, 0), GCS_OK);
	cr_assert_eq(gcs_client_set(c, "update", "0", &id), GCS_OK);
	struct gcs_answer *answer = gcs_client_answer(c, id, 10000); /* both have been done */
	cr_assert(answer != NULL && answer->status == GCS_OK);
	gcs_answer_free(answer);
	pthread_create(&thread, NULL, stepping, NULL);
	for (uint32_t i = 0; i < 20;) {
		struct gcs_snapshot *s = gcs_client_next(c, 10000);
		cr_assert_not_null(s);
		const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
		if (o->event == UPDATE) {
			cr_assert_eq(gcs_snapshot_counter(s, ALLOCATE), i + 1);
			cr_assert_eq(number(s, SIZE_SUM, 0), i + 1);
			cr_assert_eq(gcs_snapshot_values(s, 0, 0)[i], i + 1);
			const bool waits = atomic_load(&truth[i + 1]) == 0;
			/* It waits for a second at most (gcs_server_leave). */
			cr_assert(waits || now_ns() - o->time_ns > 900000000u);
			i++;
		}
		cr_assert_eq(gcs_client_ack(c, o->sequence), GCS_OK);
		gcs_snapshot_unref(s);
	}
	pthread_join(thread, NULL);
	gcs_client_close(c);
}

static atomic_uint_least64_t done;
static atomic_bool over;

static void *running(void *argument)
{
	(void)argument;
	struct gcs_event_counter *counter = gcs_event_counter_create(updates);
	while (!atomic_load(&over)) {
		gcs_count_event(counter, FREE, NULL);
		atomic_fetch_add(&done, 1);
	}
	gcs_event_counter_destroy(counter);
	return NULL;
}

/* F10: a hold stops the program's threads, not only the library's. */
UpdatesTest(a_hold_stops_the_program)
{
	pthread_t threads[2];
	struct gcs_client *c = attach();
	atomic_store(&over, false);
	gcs_updates_set_interval(updates, 1);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, running, NULL);
	cr_assert_eq(gcs_client_pause(c), GCS_OK);
	kit_until(gcs_client_run_state(c, NULL, NULL) == GCS_PAUSED);
	uint64_t before;
	do {
		before = atomic_load(&done);
		kit_sleep_ms(20);
	} while (atomic_load(&done) != before);
	struct gcs_client *later = attach(); /* sees the state that the program stands at */
	kit_until(has_truth(later));
	gcs_client_close(later);
	cr_assert_eq(atomic_load(&done), before);
	cr_assert_eq(gcs_client_resume(c, false), GCS_OK);
	kit_until(atomic_load(&done) > before + 1000);
	atomic_store(&over, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	gcs_client_pause(c); /* the end waits for nobody */
	kit_until(gcs_client_run_state(c, NULL, NULL) == GCS_PAUSED);
	gcs_updates_destroy(updates);
	updates = NULL;
	gcs_client_close(c);
}

Test(updates, impossible_updates_are_refused)
{
	static const uint32_t ids[GCS_MAX_EVENTS + 1] = {ALLOCATE, FREE, FREE, FREE, 9};
	struct gcs_updates_options options = {.events = ids};
	describe();
	cr_assert_null(gcs_updates_create(server, &options, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	options.event_count = 5;
	cr_assert_null(gcs_updates_create(server, &options, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT, "event 9");
	options.event_count = 64;
	cr_assert_null(gcs_updates_create(server, &options, &err));
	options.events = ids + 6; /* only ALLOCATE: nine statistics each */
	options.event_count = 5;
	cr_assert_null(gcs_updates_create(server, &options, &err));
	cr_assert_eq(err.status, GCS_LIMIT);
	options.event_count = 4;
	options.reserved[0] = 1;
	cr_assert_null(gcs_updates_create(server, &options, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	options.reserved[0] = 0;
	options.interval_ms = GCS_MAX_UPDATE_MS + 1;
	cr_assert_null(gcs_updates_create(server, &options, &err));
	bool failed = true;
	for (size_t after = 0; failed; after++) {
		kit_fail_after(after);
		updates = make_updates(50, fill);
		failed = updates == NULL;
		kit_fail_after(SIZE_MAX);
		cr_assert(!failed || err.status == GCS_NOMEM, "%s", err.text);
	}
	kit_fail_after(0);
	cr_assert_null(gcs_event_counter_create(updates));
	kit_fail_after(SIZE_MAX);
	gcs_event_counter_destroy(NULL);
	drop_target();
	gcs_updates_destroy(NULL);
}
