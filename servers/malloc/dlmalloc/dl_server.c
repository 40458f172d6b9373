/*
 * The server of libgcspydlmalloc.so by itself: LD_PRELOAD=libgcspydlmalloc.so GCSPYMALLOC=port=0 PROGRAM.
 *
 * Its memory is an mspace apart, as in the paper, and its threads' allocations are not observed. Where another
 * library's malloc comes before this one, that library is the server, or none is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/recorder.h>

#include "dl_options.h"
#include "dl_spaces.h"

enum { MALLOC, FREE, REALLOC, EVENTS };
enum { ATTRIBUTE_SIZE, ATTRIBUTE_LOCATION, ATTRIBUTE_FRAGMENTATION, ATTRIBUTE_GAP, ATTRIBUTES };

static struct gcs_server *server;
static struct gcs_updates *updates;
static struct dl_spaces *spaces;
static const struct dlmalloc_inside *inside;
static pthread_key_t thread_key;

static _Thread_local struct {
	struct gcs_event_counter *counter;
	uint64_t location; /* of the event that is being counted; 0: none */
	bool busy;         /* in our code, or at the thread's end */
} here __attribute__((tls_model("initial-exec")));

/* GCspy's own memory. */

static void *own_allocate(size_t bytes, void *context)
{
	(void)context;
	return inside->own_allocate(bytes);
}

static void *own_resize(void *block, size_t bytes, void *context)
{
	(void)context;
	return inside->own_resize(block, bytes);
}

static void own_release(void *block, void *context)
{
	(void)context;
	inside->own_release(block);
}

/* Events. */

/* At a thread's end; what its later destructors allocate and free is shown, and not counted. */
static void end_thread(void *counter)
{
	here.busy = true;
	here.counter = NULL;
	gcs_event_counter_destroy(counter);
}

static void count(uint32_t event, const void *block, size_t bytes)
{
	const int saved = errno;
	const int64_t values[] = {(int64_t)bytes, (int64_t)(uintptr_t)block};
	if (here.busy)
		return;
	here.busy = true;
	if (here.counter == NULL) {
		here.counter = gcs_event_counter_create(updates);
		(void)pthread_setspecific(thread_key, here.counter);
	}
	here.location = (uintptr_t)block;
	if (here.counter != NULL)
		gcs_count_event(here.counter, event, values);
	here.location = 0;
	here.busy = false;
	errno = saved;
}

static void on_allocated(void *block, size_t requested)
{
	count(MALLOC, block, requested);
}

static void on_freed(void *block, size_t usable)
{
	count(FREE, block, usable);
}

static void on_reallocated(void *old, void *block, size_t requested)
{
	(void)old;
	count(REALLOC, block, requested);
}

static bool on_inside(void)
{
	return here.busy || gcs_inside();
}

static bool on_attribute(void *context, const struct gcs_ticket *ticket, uint32_t event,
    uint32_t attribute, const int64_t *parameters, int64_t *value)
{
	(void)context;
	(void)ticket;
	(void)event;
	if (attribute == ATTRIBUTE_GAP) {
		*value = (int64_t)inside->largest_gap();
		return true;
	}
	return attribute == ATTRIBUTE_FRAGMENTATION && here.location != 0 &&
	       dl_fragmentation(inside, here.location, parameters, value);
}

static void on_prepare(void *context)
{
	(void)context;
	dl_spaces_prepare(spaces);
}

static void on_fill(void *context, struct gcs_snapshot *snapshot)
{
	(void)context;
	dl_spaces_fill(spaces, snapshot);
}

static void on_read_zoom(void *context, uint32_t space, uint32_t stream,
    const struct gcs_blocks *blocks, uint32_t count_of, int64_t *values)
{
	(void)context;
	dl_spaces_read_zoom(spaces, space, stream, blocks, count_of, values);
}

static void say(void *context, const char *line)
{
	char text[1200];
	(void)context;
	const int length = snprintf(text, sizeof text, "libgcspydlmalloc: %.1100s\n", line);
	(void)!write(STDERR_FILENO, text, (size_t)length);
}

/* Description. */

static bool add_events(struct gcs_error *err)
{
	static const char *const parameters[] = {"most", "window"};
	static const struct gcs_attribute attributes[ATTRIBUTES] = {
	    [ATTRIBUTE_SIZE] = {.name = "Size", .format = GCS_BYTES},
	    [ATTRIBUTE_LOCATION] = {.name = "Location", .format = GCS_HEX},
	    [ATTRIBUTE_FRAGMENTATION] = {.name = "Fragmentation",
		.parameter_count = 2,
		.parameter_names = parameters},
	    [ATTRIBUTE_GAP] = {.name = "Largest gap", .format = GCS_BYTES, .on_demand = true}};
	static const struct gcs_event events[EVENTS] = {
	    [MALLOC] = {.name = "malloc",
		.description = "The program has received a block",
		.colour = 0x0072b2,
		.attribute_count = ATTRIBUTES,
		.attributes = attributes},
	    [FREE] = {.name = "free",
		.description = "The program has given a block back",
		.colour = 0xd55e00,
		.attribute_count = ATTRIBUTES,
		.attributes = attributes},
	    [REALLOC] = {.name = "realloc",
		.description = "The size of a block has changed",
		.colour = 0x009e73,
		.attribute_count = ATTRIBUTES,
		.attributes = attributes}};
	for (int i = 0; i < EVENTS; i++)
		if (gcs_server_add_event(server, &events[i], NULL, err) != GCS_OK)
			return false;
	return true;
}

static bool describe(const struct dl_options *options, struct gcs_error *err)
{
	static const uint32_t ids[] = {MALLOC, FREE, REALLOC};
	static const struct gcs_group group = {.name = "dlmalloc", .parent = GCS_NONE};
	const struct gcs_zoom_options zooms = {.read = on_read_zoom};
	struct gcs_tiles *tiles[DL_SPACES_TILES];
	uint32_t id;
	if (!add_events(err) || gcs_server_add_group(server, &group, &id, err) != GCS_OK ||
	    gcs_server_set_info(server, "Allocator", "dlmalloc 2.8.3", err) != GCS_OK)
		return false;
	spaces = dl_spaces_add(server, inside, id, (uint32_t)options->block, err);
	if (spaces == NULL || gcs_zooms_enable(server, &zooms, err) != GCS_OK)
		return false;
	const struct gcs_updates_options to = {.event_count = EVENTS,
	    .events = ids,
	    .tiles_count = dl_spaces_tiles(spaces, tiles),
	    .tiles = tiles,
	    .interval_ms = (uint32_t)options->update_ms,
	    .fill = on_fill,
	    .prepare = on_prepare};
	updates = gcs_updates_create(server, &to, err);
	return updates != NULL;
}

static bool start(const struct dl_options *options, struct gcs_error *err)
{
	char name[200];
	const struct gcs_allocator memory = {
	    .allocate = own_allocate, .resize = own_resize, .release = own_release};
	gcs_set_allocator(&memory);
	snprintf(name, sizeof name, "dlmalloc in %.100s, pid %ld", program_invocation_short_name,
	    (long)getpid());
	const struct gcs_server_options to = {.name = name,
	    .port = (int)options->port,
	    .socket_path = options->socket[0] == '\0' ? NULL : options->socket,
	    .attribute = on_attribute,
	    .log = say};
	const struct gcs_recorder_options record = {
	    .trace = {.path = options->record, .replace = true}};
	server = gcs_server_create(&to, err);
	if (server == NULL || !describe(options, err))
		return false;
	if (options->record[0] != '\0') {
		struct gcs_recorder *recorder = gcs_recorder_create(&record, err);
		if (recorder == NULL || gcs_server_record(server, recorder, err) != GCS_OK)
			return false;
	}
	return gcs_server_start(server, err) == GCS_OK && gcs_updates_start(updates, err) == GCS_OK;
}

static void announce(const struct dl_options *options)
{
	char line[1300] = "listening on";
	size_t used = strlen(line);
	if (options->port >= 0)
		used += (size_t)snprintf(
		    line + used, sizeof line - used, " 127.0.0.1:%d", gcs_server_port(server));
	if (options->socket[0] != '\0')
		used +=
		    (size_t)snprintf(line + used, sizeof line - used, " unix:%s", options->socket);
	if (options->port < 0 && options->socket[0] == '\0')
		snprintf(line, sizeof line, "recording to %s", options->record);
	say(NULL, line);
}

/*
 * Processes that this one starts have the library, and no server: the variable of the environment names this
 * process. What it executes next has one, as a program that a script begins. The text becomes part of the
 * environment.
 */
static void keep_to_this_process(const char *given)
{
	static char text[4096];
	const int length = snprintf(text, sizeof text, "GCSPYMALLOC=%s%spid=%ld", given,
	    given[0] == '\0' ? "" : ",", (long)getpid());
	if (length < (int)sizeof text)
		(void)putenv(text);
}

static void begin_server(const struct dl_options *options)
{
	static const struct dlmalloc_observer observer = {.allocated = on_allocated,
	    .freed = on_freed,
	    .reallocated = on_reallocated,
	    .inside = on_inside};
	struct gcs_error err = {.text = "no memory"};
	if (pthread_key_create(&thread_key, end_thread) != 0 || !start(options, &err)) {
		say(NULL, err.text);
		return;
	}
	inside->observe(&observer);
	announce(options);
	const struct timespec moment = {.tv_nsec = 10000000};
	while (options->wait != 0 && !gcs_server_attached(server))
		nanosleep(&moment, NULL);
}

/* The program's malloc is this library's. */
static bool is_first(void)
{
	void *(*own)(size_t) = malloc;
	void *found = dlsym(RTLD_DEFAULT, "malloc");
	return memcmp(&own, &found, sizeof found) == 0;
}

__attribute__((constructor)) static void begin(void)
{
	static struct dl_options options;
	char why[600];
	const struct dlmalloc_inside *const *table =
	    (const struct dlmalloc_inside *const *)dlsym(RTLD_DEFAULT, DLMALLOC_INSIDE_SYMBOL);
	const char *given = getenv("GCSPYMALLOC");
	if (table == NULL)
		return;
	inside = *table;
	here.busy = true;
	if (!dl_options_parse(&options, given, getenv("GCSPYDLMALLOC"), why, sizeof why)) {
		say(NULL, why);
	} else {
		inside->defer((uint32_t)options.deferred);
		if (given != NULL && is_first() && (options.pid == 0 || options.pid == getpid())) {
			if (options.pid == 0)
				keep_to_this_process(given);
			begin_server(&options);
		}
	}
	here.busy = false;
}

__attribute__((destructor)) static void end(void)
{
	here.busy = true;
	if (updates != NULL)
		gcs_server_stop_at_exit(server);
}
