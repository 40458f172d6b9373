/* program_invocation_short_name. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "malloc_server.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/recorder.h>
#include <gcspy/token.h>
#include <gcspy/updates.h>

#include "heap_granules.h"
#include "malloc_attributes.h"
#include "malloc_each.h"
#include "malloc_spaces.h"
#include "malloc_thread.h"
#include "own_memory.h"
#include "real_malloc.h"

/* The resident bytes take the kernel a walk over all pages. */
enum { MAPS_MS = 500, RESIDENT_MS = 2000 };

static struct gcs_server *server;
static struct gcs_updates *updates;
static struct gcs_event_counter *counter; /* of what the threads have counted */
static struct gcs_recorder *recorder;
static struct malloc_options options;
static char token[GCS_MAX_TOKEN + 1];
static atomic_bool seen_client;

/* Of the flushing thread. */
static struct process_maps maps, resident;
static struct malloc_totals counted;
static uint64_t maps_ms, resident_ms, resident_filled_ms;

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void own_stack(void)
{
	static _Thread_local bool noted __attribute__((tls_model("initial-exec")));
	if (!noted && gcs_inside()) {
		noted = true;
		own_memory_add_stack();
	}
}

/* What the threads have counted since the previous update. */
static void add_counts(void)
{
	struct malloc_totals now;
	if (counter == NULL)
		counter = gcs_event_counter_create(updates);
	if (counter == NULL)
		return;
	malloc_threads_sum(&now);
	for (uint32_t i = 0; i < MALLOC_EVENTS; i++) {
		const int64_t sums[] = {(int64_t)(now.bytes[i] - counted.bytes[i]),
		    (int64_t)(now.old_bytes - counted.old_bytes)};
		gcs_count_sums(counter, i, now.count[i] - counted.count[i], sums);
	}
	counted = now;
}

static void on_prepare(void *context)
{
	const uint64_t now = now_ms();
	(void)context;
	own_stack();
	add_counts();
	const bool fresh = heap_granules_update();
	if (resident_ms == 0 || now - resident_ms >= RESIDENT_MS) {
		if (process_maps_read(&resident, true))
			resident_ms = now;
	}
	if (fresh || now - maps_ms >= MAPS_MS) {
		if (process_maps_read(&maps, false))
			heap_map_set_mappings(&maps);
		maps_ms = now;
	}
}

static void on_fill(void *context, struct gcs_snapshot *snapshot)
{
	(void)context;
	heap_map_fill(snapshot);
	size_classes_fill(snapshot);
	gaps_fill(snapshot);
	if (resident_filled_ms != resident_ms)
		mappings_fill(snapshot, &resident);
	resident_filled_ms = resident_ms;
}

static void on_state_request(void *context, const struct gcs_ticket *ticket)
{
	(void)context;
	own_stack();
	gcs_updates_state_request(updates, ticket);
}

/* It may come and go before anybody looks. */
static void on_attached(void *context, bool anybody)
{
	(void)context;
	if (anybody)
		atomic_store(&seen_client, true);
}

static void on_log(void *context, const char *line)
{
	char text[600];
	(void)context;
	const int length = snprintf(text, sizeof text, "libgcspymalloc: %.500s\n", line);
	if (options.say)
		(void)!write(STDERR_FILENO, text, (size_t)length);
}

/* Description. */

static bool add_info(void)
{
	char pid[24];
	snprintf(pid, sizeof pid, "%ld", (long)getpid());
	return gcs_server_set_info(server, "Program", program_invocation_name, NULL) == GCS_OK &&
	       gcs_server_set_info(server, "Process", pid, NULL) == GCS_OK &&
	       gcs_server_set_info(server, "Allocator", real_malloc_name(), NULL) == GCS_OK;
}

static bool describe(struct gcs_error *err)
{
	static const uint32_t ids[MALLOC_EVENTS] = {EVENT_MALLOC, EVENT_FREE, EVENT_REALLOC};
	bool good = malloc_attributes_add(server, err);
	struct gcs_tiles *tiles = good ? heap_map_add(server, err) : NULL;
	const struct gcs_updates_options to = {.event_count = MALLOC_EVENTS,
	    .events = ids,
	    .tiles_count = 1,
	    .tiles = &tiles,
	    .interval_ms = (uint32_t)options.update_ms,
	    .fill = on_fill,
	    .prepare = on_prepare,
	    .each = malloc_each_set};
	if (tiles == NULL || size_classes_add(server, err) != GCS_OK ||
	    gaps_add(server, err) != GCS_OK || mappings_add(server, err) != GCS_OK || !add_info())
		return false;
	updates = gcs_updates_create(server, &to, err);
	return updates != NULL;
}

static bool create(struct gcs_error *err)
{
	char name[GCS_MAX_NAME + 1], warning[GCS_TOKEN_WARNING];
	snprintf(
	    name, sizeof name, "%.150s, pid %ld", program_invocation_short_name, (long)getpid());
	if (options.token_file[0] != '\0' &&
	    gcs_token_read(options.token_file, token, warning, err) != GCS_OK)
		return false;
	const struct gcs_server_options to = {.name = name,
	    .host = options.host[0] == '\0' ? NULL : options.host,
	    .port = (int)options.port,
	    .socket_path = options.socket[0] == '\0' ? NULL : options.socket,
	    .token = token[0] == '\0' ? NULL : token,
	    .allow_any_user = options.any_user,
	    .state_request = on_state_request,
	    .attribute = malloc_attribute,
	    .attached = on_attached,
	    .log = on_log,
	    .fork = options.children ? GCS_FORK_OWN : GCS_FORK_OFF};
	server = gcs_server_create(&to, err);
	return server != NULL && describe(err);
}

static bool record(struct gcs_error *err)
{
	const struct gcs_recorder_options to = {.trace = {.path = options.record, .replace = true}};
	if (options.record[0] == '\0')
		return true;
	recorder = gcs_recorder_create(&to, err);
	return recorder != NULL && gcs_server_record(server, recorder, err) == GCS_OK;
}

/* In the child of fork. Its own server, if it has one, was started by the library. */
static void in_child(void)
{
	if (!options.children)
		atomic_fetch_or(&malloc_mode, MODE_OFF);
	malloc_threads_forget();
	counter = NULL; /* that of the parent may be in the middle of an addition */
}

static void hold(void)
{
}

bool malloc_server_start(const struct malloc_options *given, char *why, size_t why_bytes)
{
	struct gcs_error err = {.text = "no memory"};
	options = *given;
	/* Before the library's own handlers: the first in the child. */
	own_memory_install();
	(void)pthread_atfork(hold, hold, in_child);
	malloc_thread_watch_ends();
	bool good = create(&err) && record(&err) && gcs_server_start(server, &err) == GCS_OK;
	if (good) {
		malloc_each_use(updates);
		good = gcs_updates_start(updates, &err) == GCS_OK;
	}
	if (!good)
		snprintf(why, why_bytes, "%s", err.text);
	return good;
}

void malloc_server_wait(void)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	while (!atomic_load(&seen_client))
		nanosleep(&moment, NULL);
}

/* Appends a part of the line. */
static void explain(char *line, size_t bytes, const char *words, const char *value)
{
	const size_t used = strlen(line);
	snprintf(line + used, bytes - used, "%s%s%s", used == 0 ? "" : "; ", words, value);
}

void malloc_server_explain(char *line, size_t bytes)
{
	char tcp[MALLOC_OPTION_TEXT + 16];
	line[0] = '\0';
	snprintf(tcp, sizeof tcp, "%s:%d", options.host[0] == '\0' ? "127.0.0.1" : options.host,
	    gcs_server_port(server));
	if (options.port >= 0)
		explain(line, bytes, "listening on ", tcp);
	if (options.socket[0] != '\0')
		explain(line, bytes, "listening on unix:", options.socket);
	if (options.record[0] != '\0')
		explain(line, bytes, "recording to ", options.record);
}

void malloc_server_end(void)
{
	if (server != NULL)
		gcs_server_stop_at_exit(server);
}
