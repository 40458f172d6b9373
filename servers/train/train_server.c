#include "train_server.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "train_spaces.h"

enum { YOUNG_START, YOUNG_END, TRAIN_START, TRAIN_END, EVENTS };
enum { WAITING_TICKETS = 64 };
enum { MOST_ATTRIBUTES = 4 };
enum { MOST_WAITING = 64 }; /* snapshots in the recorder's queue */

struct train_server {
	struct gcs_server *server;
	struct train_heap *heap;
	struct train_spaces spaces;
	uint32_t events_per_second;
	bool steps_only;
	struct timespec due;             /* the next event, to keep the pace */
	struct train_statistics counted; /* at the last event */

	pthread_mutex_t heap_lock; /* held by the mutator's thread while the heap may change */

	/* State requests, for the thread that answers them while the mutator waits. */
	pthread_mutex_t requests_lock;
	pthread_cond_t requested;
	struct gcs_recorder
	    *recorder; /* the server's until it stops, or NULL; with requests_lock */
	struct gcs_ticket requests[WAITING_TICKETS];
	uint32_t request_count;
	bool ending;
	bool incomplete; /* the recording */
	pthread_t answerer;
	bool started;
};

static const char *const no_yes[] = {"no", "yes"};

static const struct gcs_attribute young_start_attributes[] = {
    {.name = "young used", .format = GCS_BYTES},
    {.name = "allocated directly", .format = GCS_BYTES},
};
static const struct gcs_attribute young_end_attributes[] = {
    {.name = "survived", .format = GCS_BYTES},
    {.name = "promoted", .format = GCS_BYTES},
};
static const struct gcs_attribute train_start_attributes[] = {
    {.name = "train"},
    {.name = "cars"},
    {.name = "collection set", .format = GCS_BYTES},
};
static const struct gcs_attribute train_end_attributes[] = {
    {.name = "whole train freed",
	.kind = GCS_ATTRIBUTE_ENUM,
	.enum_count = 2,
	.enum_names = no_yes},
    {.name = "cars relinked"},
    {.name = "evacuated", .format = GCS_BYTES},
    {.name = "guarded", .kind = GCS_ATTRIBUTE_ENUM, .enum_count = 2, .enum_names = no_yes},
};

#define ATTRIBUTES(array)                                                                          \
	.attribute_count = sizeof(array) / sizeof((array)[0]), .attributes = (array)

static const struct gcs_event events[EVENTS] = {
    [YOUNG_START] = {.name = "Young GC start",
	.description = "What the mutator has done since the last collection",
	.colour = 0xe69f00,
	ATTRIBUTES(young_start_attributes)},
    [YOUNG_END] = {.name = "Young GC end",
	.description = "What has been promoted",
	.colour = 0x56b4e9,
	ATTRIBUTES(young_end_attributes)},
    [TRAIN_START] = {.name = "Train GC start",
	.description = "The collection set has been chosen",
	.colour = 0xd55e00,
	ATTRIBUTES(train_start_attributes)},
    [TRAIN_END] = {.name = "Train GC end",
	.description = "What was evacuated, relinked and freed",
	.colour = 0x0072b2,
	ATTRIBUTES(train_end_attributes)},
};

static void count_collection_set(const struct old_generation *old, int64_t *values)
{
	values[0] = (int64_t)old->oldest->id;
	for (const struct car *car = old->oldest->first; car != NULL && car->from;
	     car = car->next) {
		values[1]++;
		values[2] += (int64_t)car->chosen;
	}
}

/* The event's attributes; returns their number. */
static uint32_t attributes_of(
    const struct train_server *server, uint32_t event, int64_t values[MOST_ATTRIBUTES])
{
	const struct train_statistics *now = train_heap_statistics(server->heap);
	const struct train_statistics *last = &server->counted;
	memset(values, 0, MOST_ATTRIBUTES * sizeof *values);
	if (event == YOUNG_START || event == YOUNG_END) {
		values[0] = server->heap->young.top - server->heap->young.base;
		values[1] = (int64_t)(event == YOUNG_START ? now->direct - last->direct
							   : now->promoted - last->promoted);
	} else if (event == TRAIN_START) {
		count_collection_set(&server->heap->old, values);
	} else {
		values[0] = now->trains_freed > last->trains_freed;
		values[1] = (int64_t)(now->relinked - last->relinked);
		values[2] = (int64_t)(now->evacuated + now->weakly_evacuated - last->evacuated -
				      last->weakly_evacuated);
		values[3] = now->guarded > last->guarded;
	}
	return events[event].attribute_count;
}

static void set_attributes(
    const struct train_server *server, struct gcs_snapshot *snapshot, uint32_t event)
{
	int64_t values[MOST_ATTRIBUTES];
	uint32_t count = attributes_of(server, event, values);
	for (uint32_t i = 0; i < count; i++)
		gcs_snapshot_set_number(snapshot, i, values[i]);
}

/* Evaluates the event's triggers; true if a client wants the event. */
static bool check_triggers(struct train_server *server, struct gcs_ticket *ticket)
{
	int64_t numbers[MOST_ATTRIBUTES];
	uint32_t count = attributes_of(server, ticket->event, numbers);
	struct gcs_values values = {.known = (1u << count) - 1, .numbers = numbers};
	return gcs_server_check(server->server, ticket, &values);
}

/* With heap_lock. */
static void publish(struct train_server *server, const struct gcs_ticket *ticket)
{
	struct gcs_snapshot *snapshot = gcs_server_begin(server->server, ticket);
	if (snapshot != NULL && train_spaces_look(&server->spaces) &&
	    train_spaces_gather(&server->spaces, server->server, ticket, snapshot)) {
		if (ticket->event != GCS_NONE)
			set_attributes(server, snapshot, ticket->event);
		gcs_server_publish(server->server, ticket, snapshot);
		return;
	}
	gcs_snapshot_unref(snapshot);
	gcs_server_miss(server->server, ticket);
}

/* Called on the I/O thread. More requests than clients can be waiting; the rest is missed. */
static void request_state(void *context, const struct gcs_ticket *ticket)
{
	struct train_server *server = context;
	pthread_mutex_lock(&server->requests_lock);
	bool room = server->request_count < WAITING_TICKETS;
	if (room)
		server->requests[server->request_count++] = *ticket;
	pthread_cond_signal(&server->requested);
	pthread_mutex_unlock(&server->requests_lock);
	if (!room)
		gcs_server_miss(server->server, ticket);
}

/* With heap_lock. */
static void answer_requests(struct train_server *server)
{
	struct gcs_ticket ticket;
	for (;;) {
		pthread_mutex_lock(&server->requests_lock);
		bool any = server->request_count > 0;
		if (any)
			ticket = server->requests[--server->request_count];
		pthread_mutex_unlock(&server->requests_lock);
		if (!any)
			return;
		publish(server, &ticket);
	}
}

static void *answer_while_waiting(void *context)
{
	struct train_server *server = context;
	pthread_mutex_lock(&server->requests_lock);
	while (!server->ending) {
		if (server->request_count == 0) {
			pthread_cond_wait(&server->requested, &server->requests_lock);
			continue;
		}
		pthread_mutex_unlock(&server->requests_lock);
		pthread_mutex_lock(&server->heap_lock);
		answer_requests(server);
		pthread_mutex_unlock(&server->heap_lock);
		pthread_mutex_lock(&server->requests_lock);
	}
	pthread_mutex_unlock(&server->requests_lock);
	return NULL;
}

/* Waits until the next event is due: not before its time, but never to catch up. */
static void keep_pace(struct train_server *server)
{
	struct timespec now;
	if (server->events_per_second == 0 || !gcs_server_attached(server->server))
		return;
	long long period = 1000000000LL / server->events_per_second;
	clock_gettime(CLOCK_MONOTONIC, &now);
	long long wait = (long long)(server->due.tv_sec - now.tv_sec) * 1000000000LL +
			 (server->due.tv_nsec - now.tv_nsec);
	wait = wait < 0 ? 0 : wait > period ? period : wait;
	struct timespec left = {
	    .tv_sec = (time_t)(wait / 1000000000LL), .tv_nsec = (long)(wait % 1000000000LL)};
	nanosleep(&left, NULL);
	long long next = (long long)now.tv_nsec + wait + period;
	server->due.tv_sec = now.tv_sec + (time_t)(next / 1000000000LL);
	server->due.tv_nsec = (long)(next % 1000000000LL);
}

/* A recording has all events: waits until the recorder's queue has room. */
static void wait_for_recorder(struct train_server *server)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	bool full = true;
	while (full) {
		struct gcs_recorder_stats stats = {0};
		pthread_mutex_lock(&server->requests_lock);
		if (server->recorder != NULL)
			gcs_recorder_get_stats(server->recorder, &stats);
		pthread_mutex_unlock(&server->requests_lock);
		full = stats.waiting > MOST_WAITING && stats.error.status == GCS_OK;
		if (full)
			nanosleep(&moment, NULL);
	}
}

static void event(struct train_server *server, uint32_t which)
{
	struct gcs_ticket ticket;
	if (server->server == NULL || (server->steps_only && which != TRAIN_END))
		return;
	answer_requests(server);
	bool wanted = gcs_server_enter(server->server, which, &ticket);
	if (gcs_server_triggered(server->server, which))
		wanted = check_triggers(server, &ticket);
	if (wanted)
		publish(server, &ticket);
	server->counted = *train_heap_statistics(server->heap);
	pthread_mutex_unlock(&server->heap_lock);
	gcs_server_leave(server->server, &ticket);
	if (ticket.audience != 0)
		keep_pace(server);
	wait_for_recorder(server);
	pthread_mutex_lock(&server->heap_lock);
}

static void on_young_start(void *context)
{
	event(context, YOUNG_START);
}

static void on_young_end(void *context)
{
	event(context, YOUNG_END);
}

static void on_train_start(void *context)
{
	event(context, TRAIN_START);
}

static void on_train_end(void *context)
{
	event(context, TRAIN_END);
}

struct train_hooks train_server_hooks(struct train_server *server)
{
	return (struct train_hooks){.young_start = on_young_start,
	    .young_end = on_young_end,
	    .train_start = on_train_start,
	    .train_end = on_train_end,
	    .context = server};
}

static void on_recorded(void *context, const struct gcs_recorder_stats *stats)
{
	struct train_server *server = context;
	server->incomplete = stats->error.status != GCS_OK;
}

static bool record(struct train_server *server, const char *path, struct gcs_error *err)
{
	struct gcs_recorder_options options = {
	    .trace = {.path = path}, .finished = on_recorded, .context = server};
	struct gcs_recorder *recorder = gcs_recorder_create(&options, err);
	if (recorder == NULL)
		return false;
	if (gcs_server_record(server->server, recorder, err) == GCS_OK) {
		server->recorder = recorder;
		return true;
	}
	gcs_recorder_finish(recorder, NULL);
	return false;
}

struct train_server *train_server_create(
    const struct train_server_options *options, struct gcs_error *err)
{
	struct train_server *server = calloc(1, sizeof *server);
	struct gcs_server_options to = options->server;
	if (server == NULL) {
		*err = (struct gcs_error){.status = GCS_NOMEM, .text = "no memory"};
		return NULL;
	}
	to.state_request = request_state;
	to.context = server;
	server->events_per_second = options->events_per_second;
	server->steps_only = options->steps_only;
	pthread_mutex_init(&server->heap_lock, NULL);
	pthread_mutex_init(&server->requests_lock, NULL);
	pthread_cond_init(&server->requested, NULL);
	server->server = gcs_server_create(&to, err);
	bool good = server->server != NULL;
	for (uint32_t i = 0; good && i < EVENTS; i++)
		good = gcs_server_add_event(server->server, &events[i], NULL, err) == GCS_OK;
	if (!good || (options->record != NULL && !record(server, options->record, err))) {
		train_server_destroy(server);
		return NULL;
	}
	return server;
}

enum gcs_status train_server_start(
    struct train_server *server, struct train_heap *heap, struct gcs_error *err)
{
	struct train_spaces *spaces = &server->spaces;
	enum gcs_status status;
	server->heap = spaces->heap = heap;
	if ((status = train_add_spaces(spaces, server->server, err)) != GCS_OK)
		return status;
	pthread_mutex_lock(&server->heap_lock);
	server->started =
	    pthread_create(&server->answerer, NULL, answer_while_waiting, server) == 0;
	return gcs_server_start(server->server, err);
}

int train_server_port(const struct train_server *server)
{
	return gcs_server_port(server->server);
}

bool train_server_attached(const struct train_server *server)
{
	return gcs_server_attached(server->server);
}

void train_server_stop(struct train_server *server)
{
	pthread_mutex_lock(&server->requests_lock);
	server->recorder = NULL;
	pthread_mutex_unlock(&server->requests_lock);
	gcs_server_stop_at_exit(server->server);
}

bool train_server_destroy(struct train_server *server)
{
	if (server == NULL)
		return true;
	if (server->heap != NULL)
		pthread_mutex_unlock(&server->heap_lock);
	if (server->server != NULL)
		gcs_server_stop_at_exit(server->server);
	if (server->started) {
		pthread_mutex_lock(&server->requests_lock);
		server->ending = true;
		pthread_cond_signal(&server->requested);
		pthread_mutex_unlock(&server->requests_lock);
		pthread_join(server->answerer, NULL);
	}
	gcs_server_destroy(server->server);
	train_spaces_fini(&server->spaces);
	pthread_mutex_destroy(&server->heap_lock);
	pthread_mutex_destroy(&server->requests_lock);
	pthread_cond_destroy(&server->requested);
	const bool complete = !server->incomplete;
	free(server);
	return complete;
}
