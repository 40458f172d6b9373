/* Creates the parts of the agent in the order of their dependencies. Declared in agent.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/token.h>

#include "agent.h"
#include "clock.h"
#include "gc_attributes.h"
#include "ring_files.h"
#include "java_threads.h"
#include "native_frames.h"
#include "plugins.h"
#include "queries.h"
#include "recording.h"
#include "sampler.h"
#include "sampling_api.h"
#include "sites_space.h"
#include "tracked_memory.h"
#include "trigger_option.h"

/* Callbacks of the server; on its I/O thread, except on_waiting. */

static void on_state_request(void *context, const struct gcs_ticket *ticket)
{
	struct agent *a = context;
	gc_events_state_request(a->events, ticket);
}

static void on_waiting(void *context)
{
	struct agent *a = context;
	gc_events_waiting(a->events);
}

static void on_attached(void *context, bool anybody)
{
	struct agent *a = context;
	java_threads_want(a->java_threads, anybody);
	native_heap_want(a->parts.native, anybody);
	clock_run(a->clock, anybody);
}

static void on_clock_tick(void *context)
{
	gc_events_clock_tick(context);
}

/* Of call sites in a native heap that is not here. */
static bool is_of_native_heap(const struct gcs_query *query)
{
	const char *where = gcs_query_value(query, "where");
	return strcmp(query->topic, "sites") == 0 && where != NULL && strcmp(where, "native") == 0;
}

static void on_query(void *context, const struct gcs_query *query)
{
	struct agent *a = context;
	if (a->parts.native == NULL && is_of_native_heap(query))
		gcs_server_answer(a->server, query->ticket, GCS_STATE,
		    "where=native: the native heap cannot be asked; it is where the program was "
		    "started by `gcspy run -- java ...` without --output",
		    NULL, 0);
	else if (!native_heap_query(a->parts.native, query) && !plugins_query(a->plugins, query))
		queries_query(a->queries, query);
}

static void on_set(void *context, const struct gcs_setting *setting)
{
	struct agent *a = context;
	queries_set(a->queries, setting);
}

static void on_zoom(void *context, const struct gcs_zoom *zoom)
{
	struct agent *a = context;
	if (native_heap_zoom(a->parts.native, zoom))
		return;
	if (a->zooms == NULL) {
		gcs_server_answer(a->server, zoom->ticket, GCS_UNSUPPORTED,
		    "no heap map is available for this JVM", NULL, 0);
		return;
	}
	heap_zooms_request(a->zooms, zoom);
	gc_events_wake(a->events);
}

static void on_unzoom(void *context, uint32_t space)
{
	struct agent *a = context;
	if (native_heap_unzoom(a->parts.native, space))
		return;
	heap_zooms_end(a->zooms, space);
	gc_events_wake(a->events);
}

static void on_threads_known(void *context, bool known)
{
	gc_events_threads_known(context, known);
}

static void on_at_safepoint(void *context)
{
	gc_events_at_safepoint(context);
}

static void on_safepoint_done(void *context, bool reached)
{
	gc_events_safepoint_done(context, reached);
}

static void on_request_safepoint(void *context)
{
	java_threads_request_safepoint(context);
}

static void on_log(void *context, const char *line)
{
	(void)context;
	agent_log(line);
}

/* The parts. Each function returns a status and fills `err`. */

/* An IPv6 address gets brackets, so that the text is an address for clients. */
static void name_addresses(struct agent *a)
{
	const struct agent_options *o = &a->options;
	const char *host = o->host[0] == '\0' ? "127.0.0.1" : o->host;
	bool tcp = o->port != -1, path = o->socket_path[0] != '\0';
	if (tcp)
		snprintf(a->tcp, sizeof a->tcp, strchr(host, ':') ? "[%s]:%d" : "%s:%d", host,
		    gcs_server_port(a->server));
	if (tcp || path)
		snprintf(a->listening, sizeof a->listening, "listening on %s%s%s%s", a->tcp,
		    tcp && path ? " and " : "", path ? "unix:" : "", o->socket_path);
}

enum gcs_status agent_listen(struct agent *a, struct gcs_error *err)
{
	char name[GCS_MAX_NAME + 1], token[GCS_MAX_TOKEN + 1], warning[GCS_TOKEN_WARNING];
	const struct agent_options *o = &a->options;
	bool secret = o->token_file[0] != '\0';
	if (secret && gcs_token_read(o->token_file, token, warning, err) != GCS_OK)
		return err->status;
	if (secret && warning[0] != '\0')
		agent_log(warning);
	snprintf(name, sizeof name, "HotSpot, process %ld", (long)getpid());
	struct gcs_server_options options = {
	    .name = name,
	    .host = o->host[0] == '\0' ? NULL : o->host,
	    .port = o->port,
	    .socket_path = o->socket_path[0] == '\0' ? NULL : o->socket_path,
	    .token = secret ? token : NULL,
	    .allow_any_user = o->allow != 0,
	    .max_clients = o->max_clients,
	    .keep_alive_ms = o->keep_alive_s * 1000,
	    .state_request = on_state_request,
	    .waiting = on_waiting,
	    .attached = on_attached,
	    .query = on_query,
	    .set = on_set,
	    .zoom = on_zoom,
	    .unzoom = on_unzoom,
	    .log = o->verbose ? on_log : NULL,
	    .context = a,
	};
	a->server = gcs_server_create(&options, err);
	memset(token, 0, sizeof token);
	if (a->server == NULL)
		return err->status;
	enum gcs_status status = gcs_server_listen(a->server, err);
	if (status == GCS_OK)
		status = recording_open(o, a->server, agent_log, err);
	if (status == GCS_OK)
		status = ring_files_open(o, a->server, agent_log, err);
	if (status != GCS_OK) {
		gcs_server_destroy(a->server);
		a->server = NULL;
		return status;
	}
	name_addresses(a);
	return GCS_OK;
}

/* The heavy volume, if this heap can be walked. */
static enum gcs_status open_heap_walk(struct agent *a, uint32_t group, struct gcs_error *err)
{
	struct gc_events_parts *parts = &a->parts;
	const struct agent_options *o = &a->options;
	atomic_store(&a->volume.heavy, o->heavy);
	atomic_store(&a->volume.events, o->heavy_events);
	atomic_store(&a->volume.budget_ms, o->heavy_budget_ms);
	a->volume.at_clock = parts->driver->stops_at_clock;
	parts->volume = &a->volume;
	const char *why;
	parts->heap_walk = heap_open_walk(a->vm, parts->driver, parts->heap, &a->volume, &why);
	if (parts->heap_walk == NULL) {
		agent_info(a, "Not available: heavy volume", "%s", why);
		return GCS_OK;
	}
	parts->classes = classes_space_create(parts->heap_walk);
	if (parts->classes == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the space of classes");
	return classes_space_describe(parts->classes, a->server, group, err);
}

/* The heap's spaces, if there is a driver for this JVM's heap. */
static enum gcs_status open_heap(struct agent *a, struct gcs_error *err)
{
	struct gc_events_parts *parts = &a->parts;
	char why[GCS_MAX_NAME + 1];
	struct heap_limits limits = {
	    .block_bytes = a->options.block_bytes, .max_tiles = a->options.max_tiles};
	parts->driver = heap_choose(a->vm, why, sizeof why);
	if (parts->driver == NULL) {
		agent_info(a, "Not available: heap map", "%s", why);
		agent_info(a, "Not available: heavy volume", "%s", why);
		return GCS_OK;
	}
	uint32_t group;
	parts->heap = parts->driver->open(a->vm, &limits, err);
	if (parts->heap == NULL)
		return err->status;
	a->zooms = parts->zooms = heap_zooms_create(parts->driver, parts->heap, a->server);
	if (a->zooms == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for zooms");
	enum gcs_status status = gcs_server_add_group(
	    a->server, &(struct gcs_group){.name = "Java heap", .parent = GCS_NONE}, &group, err);
	if (status == GCS_OK)
		status = parts->driver->describe(parts->heap, a->server, group, err);
	return status != GCS_OK ? status : open_heap_walk(a, group, err);
}

static enum gcs_status open_tlabs(struct agent *a, struct gcs_error *err)
{
	struct gc_events_parts *parts = &a->parts;
	if (!vm_has(a->vm, VM_TLABS))
		return GCS_OK;
	parts->tlabs = tlab_space_create(a->vm, a->threads, a->options.max_tiles);
	if (parts->tlabs == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the TLAB space");
	return tlab_space_describe(parts->tlabs, a->server, err);
}

static enum gcs_status open_sampler(struct agent *a, struct gcs_error *err)
{
	struct gc_events_parts *parts = &a->parts;
	const struct agent_options *o = &a->options;
	struct sampler_parts with = {
	    .java = a->java,
	    .jvmti = a->jvmti,
	    .vm = a->vm,
	    .server = a->server,
	    .name = a->name,
	    .log = agent_log,
	    .driver = parts->driver,
	    .heap = parts->heap,
	    .event = GC_EVENT_ALLOCATION,
	};
	struct sampler_options options = {
	    .interval = o->interval,
	    .depth = o->depth,
	    .live_bytes = o->live_bytes,
	    .site_bytes = o->site_bytes,
	    .recent = o->recent,
	    .frequent = o->frequent,
	    .walk = (enum walk_choice)o->stackwalk,
	};
	a->sampler = parts->sampler = sampler_create(&with, &options, err);
	if (a->sampler == NULL)
		return err->status;
	parts->object_locations =
	    object_locations_create(a->sampler, a->vm, parts->driver, parts->heap);
	if (parts->object_locations == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for addresses of samples");
	a->queries = queries_create(a->server, a->sampler, parts->object_locations,
	    o->record[0] == '\0' && o->ring_s == 0 ? 0 : o->record_profiles_s,
	    parts->heap_walk != NULL ? &a->volume : NULL);
	parts->sites = sites_space_create(a->sampler, o->max_tiles);
	if (a->queries == NULL || parts->sites == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for call sites");
	ring_files_set_queries(a->queries);
	sampling_api_set(a->sampler);
	return sites_space_describe(parts->sites, a->server, err);
}

static enum gcs_status open_memory(struct agent *a, struct gcs_error *err)
{
	a->parts.memory = memory_space_create(a->vm, a->threads);
	if (a->parts.memory == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the space of the process");
	const enum gcs_status status = memory_space_describe(a->parts.memory, a->server, err);
	if (status != GCS_OK || !tracked_memory_on(a->vm))
		return status;
	a->parts.tracked = tracked_space_create(a->vm);
	if (a->parts.tracked == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the JVM's account");
	return tracked_space_describe(
	    a->parts.tracked, a->server, memory_space_group(a->parts.memory), err);
}

/* Without libgcspymalloc.so in the process there is nothing to say about it. */
static void open_native_heap(struct agent *a)
{
	char why[400];
	a->parts.native = native_heap_create(a->server, why, sizeof why);
	if (a->parts.native != NULL)
		agent_info(a, "Native heap", "%s", native_heap_address(a->parts.native));
	else if (why[0] != '\0')
		agent_info(a, "Not available: native heap", "%s", why);
	if (native_heap_find() == NULL)
		return;
	/* Also for a recording of the library's own. */
	const char *no_frames = a->options.stackwalk == WALK_JVMTI
				    ? "The option stackwalk=jvmti has turned them off."
				    : native_frames_begin(a->java, a->vm);
	if (no_frames != NULL)
		agent_info(a, "Not available: Java frames of native stacks", "%s", no_frames);
}

static enum gcs_status describe_events(struct agent *a, struct gcs_error *err)
{
	const enum gcs_status status = gc_events_describe(a->events, err);
	return status != GCS_OK || a->parts.native == NULL
		   ? status
		   : native_heap_describe(a->parts.native, gc_events_native, a->events, err);
}

/* Epsilon announces no events: without a clock its heap would be seen only once. */
static enum gcs_status open_clock(struct agent *a, struct gcs_error *err)
{
	enum { DEFAULT_MS = 1000 };
	uint32_t ms = a->options.clock_ms;
	if (ms == OPTIONS_CLOCK_UNSET)
		ms = vm_collector(a->vm) == VM_COLLECTOR_EPSILON ? DEFAULT_MS : 0;
	a->clock = clock_create(ms, on_clock_tick, a->events);
	if (a->clock == NULL)
		return gcs_fail(err, GCS_NOMEM, "cannot start the agent's clock");
	queries_set_clock(a->queries, a->clock);
	queries_set_events(a->queries, a->events);
	return GCS_OK;
}

/* Epsilon has no pauses to count objects in: JVMTI makes them. */
static void open_safepoint(struct agent *a)
{
	const struct gc_events_parts *parts = &a->parts;
	jvmtiCapabilities capabilities = {.can_tag_objects = 1};
	struct java_threads_safepoint safepoint = {on_at_safepoint, on_safepoint_done, a->events};
	if (parts->heap_walk == NULL || !parts->driver->stops_at_clock)
		return;
	if ((*a->jvmti)->AddCapabilities(a->jvmti, &capabilities) != JVMTI_ERROR_NONE) {
		agent_info(a, "Not available: heavy volume", "%s",
		    "The JVM does not let agents follow references.");
		return;
	}
	java_threads_set_safepoint(a->java_threads, &safepoint);
	gc_events_set_safepoint(a->events, on_request_safepoint, a->java_threads);
}

enum gcs_status agent_build(struct agent *a, JNIEnv *jni, struct gcs_error *err)
{
	enum gcs_status status;
	a->vm = vm_open(jni, err);
	if (a->vm == NULL)
		return err->status;
	a->threads = threads_create();
	if (a->threads == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the table of threads");
	a->parts =
	    (struct gc_events_parts){.vm = a->vm, .server = a->server, .threads = a->threads};
	agent_describe(a);
	if ((status = open_heap(a, err)) != GCS_OK || (status = open_tlabs(a, err)) != GCS_OK ||
	    (status = open_sampler(a, err)) != GCS_OK || (status = open_memory(a, err)) != GCS_OK)
		return status;
	open_native_heap(a);
	a->events = gc_events_create(&a->parts, err);
	if (a->events == NULL)
		return err->status;
	sampler_on_fired(a->sampler, gc_events_allocation, a->events);
	a->java_threads =
	    java_threads_create(a->java, a->jvmti, a->vm, a->threads, on_threads_known, a->events);
	if (a->java_threads == NULL)
		return gcs_fail(err, GCS_NOMEM, "cannot start the agent's thread for thread names");
	a->force_gc = force_gc_create(a->jvmti, a->vm, a->server, a->events, a->java_threads);
	if (a->force_gc == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for requests of collections");
	queries_set_force_gc(a->queries, a->force_gc);
	a->paths = paths_create(&(struct paths_parts){.java = a->java,
	    .jvmti = a->jvmti,
	    .vm = a->vm,
	    .server = a->server,
	    .sampler = a->sampler,
	    .driver = a->parts.driver,
	    .heap = a->parts.heap,
	    .limit_ms = a->options.paths_pause_ms});
	if (a->paths == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for searches");
	queries_set_paths(a->queries, a->paths);
	if (a->options.record[0] != '\0' || a->options.ring_s != 0)
		queries_record_paths(
		    a->queries, a->options.record_paths_s, a->options.record_histogram_s);
	a->plugins = plugins_create(a->jvmti, a->vm, a->server, a->java_threads, a->threads,
	    a->queries, a->options.memory != 0, err);
	if (a->plugins == NULL)
		return err->status;
	open_safepoint(a);
	if ((status = describe_events(a, err)) != GCS_OK ||
	    (status = trigger_option_set(&a->options, a->server, err)) != GCS_OK ||
	    (status = gc_events_run(a->events, err)) != GCS_OK ||
	    (status = open_clock(a, err)) != GCS_OK)
		return status;
	return gcs_server_start(a->server, err);
}
