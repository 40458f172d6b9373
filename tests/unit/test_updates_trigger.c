/* Triggers at counted events (F12, F17): what fires is published at once, with the event's attributes
 * and the touched tiles, and pauses all threads. */
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>

#include "server_internal.h"
#include "updates_suite.h"

enum { SIZE, SITE, RUNS, AGE };

static const char *const run_parameters[] = {"most"};
static const struct gcs_attribute attributes[] = {
    [SIZE] = {.name = "size", .format = GCS_BYTES},
    [SITE] = {.name = "site", .kind = GCS_ATTRIBUTE_TEXT},
    [RUNS] = {.name = "runs", .parameter_count = 1, .parameter_names = run_parameters},
    [AGE] = {.name = "age"},
};
static const struct gcs_event events[] = {
    {.name = "Allocate", .attribute_count = 4, .attributes = attributes},
    {.name = "Free"},
};

static struct gcs_client *client;

static bool compute(void *context, const struct gcs_ticket *ticket, uint32_t event,
    uint32_t attribute, const int64_t *parameters, int64_t *value)
{
	(void)context;
	*value = parameters[0] + (int64_t)ticket->count;
	return event == ALLOCATE && attribute == RUNS;
}

static void on_state(void *context, const struct gcs_ticket *ticket)
{
	(void)context;
	gcs_updates_state_request(updates, ticket);
}

static void setup(void)
{
	char address[16];
	make_target(
	    &(struct gcs_server_options){
		.name = "t", .state_request = on_state, .attribute = compute},
	    events);
	updates = make_updates(GCS_MAX_UPDATE_MS, NULL);
	start_target(address);
	client =
	    gcs_client_open(&(struct gcs_client_options){.address = address, .name = "test"}, &err);
	cr_assert_eq(gcs_client_wait(client, 10000), GCS_CLIENT_LIVE);
	struct gcs_snapshot *first = gcs_client_next(client, 10000);
	cr_assert_not_null(first, "the present state");
	gcs_snapshot_unref(first);
}

static void teardown(void)
{
	gcs_client_close(client);
	drop_target();
}

#define CountTest(name) Test(updates_trigger, name, .init = setup, .fini = teardown, .timeout = 60)

static void set_trigger(const char *condition, uint32_t actions)
{
	uint32_t id;
	const struct gcs_trigger t = {.name = "t", .condition = condition, .actions = actions};
	cr_assert_eq(gcs_client_set_trigger(client, &t, &id), GCS_OK);
	struct gcs_answer *a = gcs_client_answer(client, id, 10000);
	cr_assert_eq(a->status, GCS_OK, "%s", a->message);
	gcs_answer_free(a);
}

static void allocate(struct gcs_event_counter *c, int64_t size, int64_t age)
{
	gcs_count_event(c, ALLOCATE, (const int64_t[]){size, age});
}

/* The next snapshot, where the trigger has fired. */
static struct gcs_snapshot *fired(int64_t size, int64_t age, uint64_t count)
{
	int64_t value;
	struct gcs_snapshot *s = gcs_client_next(client, 10000);
	cr_assert_not_null(s);
	cr_assert_eq(gcs_snapshot_occurrence(s)->event, ALLOCATE);
	cr_assert_eq(gcs_snapshot_fired_count(s), 1);
	cr_assert(gcs_snapshot_number(s, SIZE, &value) && value == size);
	cr_assert(gcs_snapshot_number(s, AGE, &value) && value == age);
	cr_assert_not(gcs_snapshot_number(s, RUNS, &value));
	cr_assert_eq(gcs_snapshot_counter(s, ALLOCATE), count);
	return s;
}

CountTest(the_next_event_of_a_thread_may_fire)
{
	struct gcs_event_counter *c = gcs_event_counter_create(updates);
	allocate(c, 2000, 5);
	set_trigger("event = Allocate and size > 1k", 0);
	allocate(c, 3000, 4);
	gcs_snapshot_unref(fired(3000, 4, 2));
	gcs_event_counter_destroy(c);
}

CountTest(what_fires_is_published_at_once_with_its_attributes_and_tiles)
{
	struct gcs_event_counter *c = gcs_event_counter_create(updates);
	allocate(c, 900, 5);
	set_trigger("event = Allocate and size >= 1k and age != 3", 0);
	cr_assert_not(gcs_server_triggered(server, ALLOCATE), "it is not entered");
	allocate(c, 1, 1);
	allocate(c, 1023, 5);
	allocate(c, 1024, 3);
	atomic_store(&truth[7], 42);
	gcs_tiles_touch(tiles, 0, 7, 1);
	allocate(c, 1024, 4);
	struct gcs_snapshot *s = fired(1024, 4, 5);
	cr_assert_eq(gcs_snapshot_values(s, 0, 0)[7], 42);
	gcs_snapshot_unref(s);
	allocate(c, 5000, -1);
	gcs_snapshot_unref(fired(5000, -1, 6));
	gcs_count_event(c, FREE, NULL);
	gcs_count_event(c, ALLOCATE, NULL);
	/* Its statistics are still those since the last update. */
	gcs_updates_set_interval(updates, 1);
	s = gcs_client_next(client, 10000);
	cr_assert_eq(gcs_snapshot_occurrence(s)->event, UPDATE);
	int64_t least;
	cr_assert(gcs_snapshot_number(s, 2, &least));
	cr_assert_eq(least, 1);
	gcs_snapshot_unref(s);
	gcs_event_counter_destroy(c);
}

static bool both_ends(int64_t size, int64_t age)
{
	return size != 0 && size >= -5 && age != 9 && age != -6;
}

static bool either(int64_t size, int64_t age)
{
	return size != 7 && (age < 0 || (size == 0 && age != 9) || size > 1000);
}

static bool no_number(int64_t size, int64_t age)
{
	return (size != -1 || age == -1) && age != 0;
}

/* Each pair of values, also the extremes, fires if and only if the condition holds. */
CountTest(chains_of_and_and_or_at_the_ends_of_the_numbers)
{
	static const struct {
		const char *condition;
		bool (*holds)(int64_t size, int64_t age);
	} rows[] = {
	    {"event = Allocate and size != 0 and size >= -5 and age != 9 and age != -6", both_ends},
	    {"event = Allocate and size != 7 and (age < 0 or size = 0 and age != 9 or size > 1000)",
		either},
	    {"event = Allocate and (size != -1 or age = -1) and age != 0 and age != 2.5",
		no_number},
	};
	static const int64_t values[] = {INT64_MIN, -6, -5, -1, 0, 7, 9, 1001, INT64_MAX};
	enum { VALUES = sizeof values / sizeof values[0] };
	struct gcs_event_counter *c = gcs_event_counter_create(updates);
	uint64_t count = 0;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		set_trigger(rows[i].condition, 0);
		for (int k = 0; k < VALUES * VALUES; k++) {
			const int64_t size = values[k / VALUES], age = values[k % VALUES];
			allocate(c, size, age);
			count++;
			if (rows[i].holds(size, age))
				gcs_snapshot_unref(fired(size, age, count));
		}
	}
	gcs_event_counter_destroy(c);
}

CountTest(changes_counts_and_what_is_computed)
{
	struct gcs_event_counter *c = gcs_event_counter_create(updates);
	allocate(c, 1, 1);
	set_trigger("change(size, 2 events) = 10 and count > 5 and runs(100) = 106", 0);
	for (int i = 2; i <= 7; i++)
		allocate(c, 5 * i, i);
	gcs_snapshot_unref(fired(30, 6, 6));
	allocate(c, 1, 1);
	gcs_event_counter_destroy(c);
}

/* `count` is the number that snapshots have: of all threads, also of what was counted before. */
CountTest(counts_are_those_of_all_threads_since_the_start)
{
	struct gcs_event_counter *a = gcs_event_counter_create(updates);
	struct gcs_event_counter *b = gcs_event_counter_create(updates);
	for (int i = 0; i < 10; i++)
		allocate(a, 1, 1);
	gcs_count_sums(b, ALLOCATE, 1000, NULL);
	set_trigger("event = Allocate and (count = 1013 or count > 1014 or count = 1011)", 0);
	struct gcs_event_counter *c = gcs_event_counter_create(updates);
	allocate(c, 2, 1);
	gcs_snapshot_unref(fired(2, 1, 1011));
	allocate(c, 3, 1);
	allocate(c, 4, 1);
	gcs_snapshot_unref(fired(4, 1, 1013));
	allocate(a, 5, 1); /* 1,014th */
	gcs_event_counter_destroy(b);
	gcs_event_counter_destroy(c);
	allocate(a, 6, 1);
	gcs_snapshot_unref(fired(6, 1, 1015));
	gcs_event_counter_destroy(a);
}

static void *count_some(void *context)
{
	struct gcs_event_counter *c = gcs_event_counter_create(updates);
	(void)context;
	for (int i = 0; i < 20000; i++)
		allocate(c, 1, 1);
	gcs_event_counter_destroy(c);
	return NULL;
}

/* Each number is one event's. */
CountTest(each_count_occurs_once)
{
	pthread_t threads[THREADS];
	set_trigger("event = Allocate and count = 30000", 0);
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, count_some, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	struct gcs_snapshot *s = gcs_client_next(client, 10000);
	cr_assert(s != NULL && gcs_snapshot_fired_count(s) == 1);
	cr_assert_eq(gcs_snapshot_fired(s, 0)->times, 1);
	gcs_snapshot_unref(s);
	cr_assert_null(gcs_client_next(client, 50));
}

/* Texts are not counted: a condition on them can never hold. */
CountTest(a_condition_on_a_text_is_rejected)
{
	uint32_t id;
	const struct gcs_trigger t = {.name = "t", .condition = "site ~ main"};
	cr_assert_eq(gcs_client_set_trigger(client, &t, &id), GCS_OK);
	struct gcs_answer *a = gcs_client_answer(client, id, 10000);
	cr_assert_eq(a->status, GCS_ARGUMENT);
	gcs_answer_free(a);
}

static atomic_bool stop;
static atomic_uint_least64_t counted[THREADS];

static void *count(void *context)
{
	atomic_uint_least64_t *mine = context;
	struct gcs_event_counter *c = gcs_event_counter_create(updates);
	while (!atomic_load(&stop)) {
		allocate(c, 2048, 1);
		atomic_fetch_add(mine, 1);
	}
	gcs_event_counter_destroy(c);
	return NULL;
}

CountTest(a_pause_stops_all_threads)
{
	pthread_t threads[THREADS];
	uint64_t before[THREADS];
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, count, &counted[i]), 0);
	for (int i = 0; i < THREADS; i++)
		kit_until(atomic_load(&counted[i]) > 10);
	const struct gcs_trigger once = {
	    .name = "once", .condition = "size = 2k", .actions = GCS_TRIGGER_PAUSE, .most = 1};
	uint32_t id;
	cr_assert_eq(gcs_client_set_trigger(client, &once, &id), GCS_OK);
	bool own;
	kit_until(gcs_client_run_state(client, &own, NULL) == GCS_PAUSED && own);
	/* Each thread stops at its next event. */
	for (int i = 0; i < THREADS; i++)
		kit_until((before[i] = atomic_load(&counted[i]), kit_sleep_ms(20),
		    before[i] == atomic_load(&counted[i])));
	gcs_client_resume(client, false);
	for (int i = 0; i < THREADS; i++)
		kit_until(atomic_load(&counted[i]) > before[i] + 10);
	atomic_store(&stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Programs of removed triggers are freed, also of a thread that no longer counts. */
CountTest(triggers_come_and_go_while_threads_count)
{
	pthread_t threads[THREADS];
	struct gcs_event_counter *idle = gcs_event_counter_create(updates);
	allocate(idle, 1, 1);
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, count, &counted[i]), 0);
	for (int i = 0; i < 300; i++) {
		char condition[40];
		snprintf(condition, sizeof condition, "size > %d", 3000 + i);
		set_trigger(condition, 0);
	}
	allocate(idle, 1, 1);
	atomic_store(&stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	gcs_event_counter_destroy(idle);
	cr_assert_eq(gcs_server_remove_trigger(server, "t", &err), GCS_OK, "%s", err.text);
	cr_assert_null(server->triggers.replaced);
}
