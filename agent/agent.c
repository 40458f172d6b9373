/*
 * The JVMTI agent: loading, the order in which its parts start, and the JVM's callbacks.
 *
 * With -agentpath the options are read and the port is opened before the JVM starts, so that a
 * mistake is told early; the rest waits for VMInit, because the heap does not exist before. Loaded
 * into a running JVM, both happen at once. Nothing is ever taken down: the parts are needed until
 * the process ends, and a callback may be running then.
 */

#include <jvmti.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/format.h>
#include <gcspy/server.h>
#include <gcspy/token.h>

#include "announce.h"
#include "clock.h"
#include "gc_events.h"
#include "java_threads.h"
#include "options.h"
#include "questions.h"
#include "recording.h"
#include "sampler.h"
#include "sampling_api.h"
#include "sites_space.h"

static struct agent {
	atomic_bool loaded;
	struct agent_options options;
	JavaVM *java;
	jvmtiEnv *jvmti;
	struct vm *vm;
	struct gcs_server *server;
	struct threads *threads;
	struct java_threads *java_threads;
	struct heap_zooms *zooms; /* NULL: no heap map */
	struct gc_events *events;
	struct sampler *sampler;
	struct questions *questions;
	struct volume volume;
	char name[GCS_MAX_NAME + 1];
	struct clock *clock;
	bool failed;   /* half built, so that it can neither serve nor be tried again */
	char tcp[300]; /* where it listens, "" for nowhere */
	char listening[OPTIONS_PATH + 340];
} agent;

/* One line on standard error, in one write, so that it is not mixed with the program's. Standard
 * output is the program's alone. */
static void say(const char *text)
{
	char line[1024];
	int length = snprintf(line, sizeof line, "gcspy: %s\n", text);
	if (length >= (int)sizeof line)
		length = sizeof line - 1;
	ssize_t written = write(STDERR_FILENO, line, (size_t)length);
	(void)written;
}

/* What the server asks of us; on its I/O thread, but for on_waiting. */

static void on_look(void *context, const struct gcs_ticket *ticket)
{
	(void)context;
	gc_events_look(agent.events, ticket);
}

static void on_waiting(void *context)
{
	(void)context;
	gc_events_waiting(agent.events);
}

static void on_attached(void *context, bool anybody)
{
	(void)context;
	java_threads_want(agent.java_threads, anybody);
	clock_run(agent.clock, anybody);
}

static void on_strike(void *context)
{
	gc_events_strike(context);
}

static void on_query(void *context, const struct gcs_query *query)
{
	(void)context;
	questions_query(agent.questions, query);
}

static void on_set(void *context, const struct gcs_setting *setting)
{
	(void)context;
	questions_set(agent.questions, setting);
}

static void on_zoom(void *context, const struct gcs_zoom *zoom)
{
	(void)context;
	if (agent.zooms == NULL) {
		gcs_server_answer(agent.server, zoom->ticket, GCS_UNSUPPORTED,
		    "there is no heap map to look into", NULL, 0);
		return;
	}
	heap_zooms_ask(agent.zooms, zoom);
	gc_events_wake(agent.events);
}

static void on_unzoom(void *context, uint32_t space)
{
	(void)context;
	heap_zooms_end(agent.zooms, space);
	gc_events_wake(agent.events);
}

static void on_threads_known(void *context, bool known)
{
	gc_events_threads_known(context, known);
}

static void on_still(void *context)
{
	gc_events_still(context);
}

static void on_stood(void *context, bool was)
{
	gc_events_stood(context, was);
}

static void on_ask_stop(void *context)
{
	java_threads_stop(context);
}

static void on_log(void *context, const char *line)
{
	(void)context;
	say(line);
}

/* Describing the JVM. */

static void set_info(const char *key, const char *format, const char *value)
{
	char text[GCS_MAX_NAME + 1];
	snprintf(text, sizeof text, format, value);
	(void)gcs_server_set_info(agent.server, key, text, NULL);
}

/* Copies a system property of the JVM; "" without it. */
static void get_property(const char *property, char *text, size_t size)
{
	char *value = NULL;
	text[0] = '\0';
	if ((*agent.jvmti)->GetSystemProperty(agent.jvmti, property, &value) != JVMTI_ERROR_NONE)
		return;
	snprintf(text, size, "%s", value);
	(*agent.jvmti)->Deallocate(agent.jvmti, (unsigned char *)value);
}

static void set_property(const char *key, const char *property)
{
	char text[GCS_MAX_NAME + 1];
	get_property(property, text, sizeof text);
	if (text[0] != '\0')
		set_info(key, "%s", text);
}

/*
 * The main class or archive. Arguments of the program may be secrets: only the first word of its
 * command is ever told.
 */
static void name_program(void)
{
	char command[GCS_MAX_NAME + 1];
	snprintf(agent.name, sizeof agent.name, "HotSpot, process %ld", (long)getpid());
	get_property("sun.java.command", command, sizeof command);
	command[strcspn(command, " ")] = '\0';
	if (command[0] == '\0')
		return;
	set_info("Program", "%s", command);
	const char *base = strrchr(command, '/');
	snprintf(agent.name, sizeof agent.name, "%.200s, process %ld",
	    base == NULL ? command : base + 1, (long)getpid());
	(void)gcs_server_set_name(agent.server, agent.name, NULL);
}

/* Capabilities that mean something for every collector, or for this one. */
static bool matters(enum vm_capability capability)
{
	enum vm_collector collector = vm_collector(agent.vm);
	switch (capability) {
	case VM_GENERATION_SPACES:
	case VM_GENERATION_RANGES:
		return collector == VM_COLLECTOR_SERIAL || collector == VM_COLLECTOR_PARALLEL;
	case VM_G1_REGIONS:
	case VM_G1_COMMITTED:
	case VM_G1_PARSABLE:
		return collector == VM_COLLECTOR_G1;
	case VM_Z_PAGES:
	case VM_Z_LIVE:
	case VM_Z_AGE:
	case VM_Z_RELOCATION:
	case VM_Z_TOTALS:
		return collector == VM_COLLECTOR_ZGC;
	case VM_SHENANDOAH_REGIONS:
	case VM_SHENANDOAH_LIVE:
	case VM_SHENANDOAH_AGE:
	case VM_SHENANDOAH_TOTALS:
		return collector == VM_COLLECTOR_SHENANDOAH;
	case VM_SHENANDOAH_MARKS:
	case VM_OBJECTS: /* told with the heavy volume, which needs them */
	case VM_STACK_CHUNKS:
		return false;
	case VM_UNLOADED_CLASSES:
		return collector == VM_COLLECTOR_G1;
	case VM_EPSILON_SPACE:
		return collector == VM_COLLECTOR_EPSILON;
	default:
		return true;
	}
}

static void describe_jvm(void)
{
	char text[160], number[40];
	name_program();
	snprintf(text, sizeof text, "%ld", (long)getpid());
	set_info("Process", "%s", text);
	set_property("JVM", "java.vm.name");
	set_property("Version", "java.vm.version");
	set_info("Collector", "%s", vm_collector_name(vm_collector(agent.vm)));
	gcs_format_number(number, sizeof number, (int64_t)vm_max_heap(agent.vm), GCS_BYTES);
	if (vm_max_heap(agent.vm) != 0)
		set_info("Heap limit", "%s", number);
	struct vm_range heap = vm_heap_range(agent.vm);
	if (heap.high != heap.low) {
		snprintf(text, sizeof text, "0x%llx-0x%llx", (unsigned long long)heap.low,
		    (unsigned long long)heap.high);
		set_info("Heap range", "%s", text);
	}
	set_info("Agent", "GCspy %s", gcs_version());
	for (int i = 0; i < VM_CAPABILITY_COUNT; i++) {
		char key[GCS_MAX_NAME + 1];
		if (vm_has(agent.vm, (enum vm_capability)i) || !matters((enum vm_capability)i))
			continue;
		snprintf(key, sizeof key, "Not available: %s",
		    vm_capability_text((enum vm_capability)i));
		set_info(key, "%s", vm_why(agent.vm, (enum vm_capability)i));
	}
}

/* Starting, part by part. Each returns a status and fills `err`. */

/* An IPv6 address gets brackets, so that what is said can be given to a client. */
static void name_addresses(void)
{
	const struct agent_options *o = &agent.options;
	const char *host = o->host[0] == '\0' ? "127.0.0.1" : o->host;
	bool tcp = o->port != -1, path = o->socket_path[0] != '\0';
	if (tcp)
		snprintf(agent.tcp, sizeof agent.tcp, strchr(host, ':') ? "[%s]:%d" : "%s:%d", host,
		    gcs_server_port(agent.server));
	if (tcp || path)
		snprintf(agent.listening, sizeof agent.listening, "listening on %s%s%s%s",
		    agent.tcp, tcp && path ? " and " : "", path ? "unix:" : "", o->socket_path);
}

static enum gcs_status open_server(struct gcs_error *err)
{
	char name[GCS_MAX_NAME + 1], token[GCS_MAX_TOKEN + 1];
	const struct agent_options *o = &agent.options;
	bool secret = o->token_file[0] != '\0';
	if (secret && gcs_token_read(o->token_file, token, err) != GCS_OK)
		return err->status;
	snprintf(name, sizeof name, "HotSpot, process %ld", (long)getpid());
	struct gcs_server_options options = {
	    .name = name,
	    .host = o->host[0] == '\0' ? NULL : o->host,
	    .port = o->port,
	    .socket_path = o->socket_path[0] == '\0' ? NULL : o->socket_path,
	    .token = secret ? token : NULL,
	    .max_clients = o->max_clients,
	    .keep_alive_ms = o->keep_alive_s * 1000,
	    .look = on_look,
	    .waiting = on_waiting,
	    .attached = on_attached,
	    .query = on_query,
	    .set = on_set,
	    .zoom = on_zoom,
	    .unzoom = on_unzoom,
	    .log = o->verbose ? on_log : NULL,
	};
	agent.server = gcs_server_create(&options, err);
	memset(token, 0, sizeof token);
	if (agent.server == NULL)
		return err->status;
	enum gcs_status status = gcs_server_listen(agent.server, err);
	if (status == GCS_OK)
		status = recording_open(o, agent.server, say, err);
	if (status != GCS_OK) {
		gcs_server_destroy(agent.server);
		agent.server = NULL;
		return status;
	}
	name_addresses();
	return GCS_OK;
}

/* The heavy volume, if this heap can be swept. Without it the heap's other streams are there. */
static enum gcs_status open_sweep(
    struct gc_events_parts *parts, uint32_t group, struct gcs_error *err)
{
	const struct agent_options *o = &agent.options;
	atomic_store(&agent.volume.heavy, o->heavy);
	atomic_store(&agent.volume.events, o->heavy_events);
	atomic_store(&agent.volume.budget_ms, o->heavy_budget_ms);
	agent.volume.at_clock = parts->driver->stops_at_clock;
	parts->volume = &agent.volume;
	const char *why;
	parts->sweep = heap_open_sweep(agent.vm, parts->driver, parts->heap, &agent.volume, &why);
	if (parts->sweep == NULL) {
		set_info("Not available: heavy volume", "%s", why);
		return GCS_OK;
	}
	parts->classes = classes_space_create(parts->sweep);
	if (parts->classes == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the space of classes");
	return classes_space_describe(parts->classes, agent.server, group, err);
}

/* The heap's spaces, if this version knows how to draw this JVM's heap. */
static enum gcs_status open_heap(struct gc_events_parts *parts, struct gcs_error *err)
{
	char why[GCS_MAX_NAME + 1];
	struct heap_limits limits = {
	    .block_bytes = agent.options.block_bytes, .max_tiles = agent.options.max_tiles};
	parts->driver = heap_choose(agent.vm, why, sizeof why);
	if (parts->driver == NULL) {
		set_info("Not available: heap map", "%s", why);
		return GCS_OK;
	}
	uint32_t group;
	parts->heap = parts->driver->open(agent.vm, &limits, err);
	if (parts->heap == NULL)
		return err->status;
	agent.zooms = parts->zooms = heap_zooms_create(parts->driver, parts->heap, agent.server);
	if (agent.zooms == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for zooms");
	enum gcs_status status = gcs_server_add_group(agent.server,
	    &(struct gcs_group){.name = "Java heap", .parent = GCS_NONE}, &group, err);
	if (status == GCS_OK)
		status = parts->driver->describe(parts->heap, agent.server, group, err);
	return status != GCS_OK ? status : open_sweep(parts, group, err);
}

static enum gcs_status open_tlabs(struct gc_events_parts *parts, struct gcs_error *err)
{
	if (!vm_has(agent.vm, VM_TLABS))
		return GCS_OK;
	parts->tlabs = tlab_space_create(agent.vm, agent.threads, agent.options.max_tiles);
	if (parts->tlabs == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the TLAB space");
	return tlab_space_describe(parts->tlabs, agent.server, err);
}

static enum gcs_status open_sampler(struct gc_events_parts *parts, struct gcs_error *err)
{
	const struct agent_options *o = &agent.options;
	struct sampler_parts with = {
	    .java = agent.java,
	    .jvmti = agent.jvmti,
	    .vm = agent.vm,
	    .server = agent.server,
	    .name = agent.name,
	    .say = say,
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
	agent.sampler = parts->sampler = sampler_create(&with, &options, err);
	if (agent.sampler == NULL)
		return err->status;
	parts->places = places_create(agent.sampler, agent.vm, parts->driver, parts->heap);
	if (parts->places == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for positions of samples");
	agent.questions = questions_create(agent.server, agent.sampler, parts->places,
	    o->record[0] == '\0' ? 0 : o->record_profiles_s,
	    parts->sweep != NULL ? &agent.volume : NULL);
	parts->sites = sites_space_create(agent.sampler, o->max_tiles);
	if (agent.questions == NULL || parts->sites == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for call sites");
	sampling_api_set(agent.sampler);
	return sites_space_describe(parts->sites, agent.server, err);
}

/* Epsilon announces nothing: without a clock its heap would be seen once. */
static enum gcs_status open_clock(struct gcs_error *err)
{
	enum { DEFAULT_MS = 1000 };
	uint32_t ms = agent.options.clock_ms;
	if (ms == OPTIONS_CLOCK_UNSET)
		ms = vm_collector(agent.vm) == VM_COLLECTOR_EPSILON ? DEFAULT_MS : 0;
	agent.clock = clock_create(ms, on_strike, agent.events);
	if (agent.clock == NULL)
		return gcs_fail(err, GCS_NOMEM, "cannot start the agent's clock");
	questions_set_clock(agent.questions, agent.clock);
	return GCS_OK;
}

/* Epsilon has no pauses in which objects could be counted: JVMTI makes them. */
static void open_stop(const struct gc_events_parts *parts)
{
	jvmtiCapabilities capabilities = {.can_tag_objects = 1};
	struct java_threads_stop stop = {on_still, on_stood, agent.events};
	if (parts->sweep == NULL || !parts->driver->stops_at_clock)
		return;
	if ((*agent.jvmti)->AddCapabilities(agent.jvmti, &capabilities) != JVMTI_ERROR_NONE) {
		set_info("Not available: heavy volume", "%s",
		    "The JVM does not follow references for agents.");
		return;
	}
	java_threads_set_stop(agent.java_threads, &stop);
	gc_events_set_stop(agent.events, on_ask_stop, agent.java_threads);
}

static enum gcs_status build(JNIEnv *jni, struct gcs_error *err)
{
	enum gcs_status status;
	agent.vm = vm_open(jni, err);
	if (agent.vm == NULL)
		return err->status;
	agent.threads = threads_create();
	if (agent.threads == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the table of threads");
	struct gc_events_parts parts = {
	    .vm = agent.vm, .server = agent.server, .threads = agent.threads};
	describe_jvm();
	if ((status = open_heap(&parts, err)) != GCS_OK ||
	    (status = open_tlabs(&parts, err)) != GCS_OK ||
	    (status = open_sampler(&parts, err)) != GCS_OK)
		return status;
	agent.events = gc_events_create(&parts, err);
	if (agent.events == NULL)
		return err->status;
	agent.java_threads = java_threads_create(
	    agent.java, agent.jvmti, agent.vm, agent.threads, on_threads_known, agent.events);
	if (agent.java_threads == NULL)
		return gcs_fail(err, GCS_NOMEM, "cannot start the agent's thread for names");
	open_stop(&parts);
	if ((status = gc_events_describe(agent.events, err)) != GCS_OK ||
	    (status = gc_events_run(agent.events, err)) != GCS_OK ||
	    (status = open_clock(err)) != GCS_OK)
		return status;
	return gcs_server_start(agent.server, err);
}

static void say_where(void)
{
	if (agent.listening[0] != '\0')
		say(agent.listening);
	if (recording_line()[0] != '\0')
		say(recording_line());
}

static void enable(jvmtiEvent event)
{
	(*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, event, NULL);
}

/* Everything that needs the living JVM. The program goes on without us when it fails. */
static bool come_alive(JNIEnv *jni)
{
	struct gcs_error err;
	if (build(jni, &err) != GCS_OK) {
		char text[400];
		snprintf(text, sizeof text, "%s; the program runs without GCspy", err.text);
		say(text);
		announce_refusal(err.text);
		gcs_server_stop(agent.server);
		agent.failed = true;
		return false;
	}
	enable(JVMTI_EVENT_GARBAGE_COLLECTION_START);
	enable(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
	say_where();
	if (agent.listening[0] != '\0')
		announce_listening(agent.tcp, agent.options.socket_path);
	else
		announce_refusal("it records to a file and listens nowhere");
	return true;
}

/* The JVM's callbacks. */

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	(void)thread;
	come_alive(jni);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jvmti;
	(void)jni;
	sampler_end(agent.sampler);
	/* Clients get the last collections and a goodbye; one that holds the program gives it up. */
	if (agent.events != NULL)
		gc_events_flush(agent.events);
	if (agent.questions != NULL)
		questions_record_last(agent.questions);
	announce_refusal("the JVM is ending");
	gcs_server_stop(agent.server);
}

static void JNICALL on_gc_start(jvmtiEnv *jvmti)
{
	(void)jvmti;
	gc_events_start(agent.events);
}

static void JNICALL on_gc_finish(jvmtiEnv *jvmti)
{
	(void)jvmti;
	gc_events_finish(agent.events);
}

static void JNICALL on_sampled_alloc(
    jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jclass class_, jlong size)
{
	(void)jvmti;
	sampler_allocated(agent.sampler, jni, thread, object, class_, size);
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	(void)thread;
	java_threads_started(agent.java_threads, jni);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	(void)thread;
	java_threads_ended(agent.java_threads, jni);
}

/*
 * The JVM's environment for agents. A request to attach may come while the JVM starts, when it has
 * none yet; the wait is on the JVM's thread for such requests, which nothing else waits for.
 */
static bool get_jvmti(bool may_come)
{
	static const struct timespec turn = {.tv_nsec = 10000000};
	void **place = (void **)&agent.jvmti;
	int turns = may_come ? 500 : 0;
	/* An attempt that failed later has left its environment. */
	while (agent.jvmti == NULL &&
	       (*agent.java)->GetEnv(agent.java, place, JVMTI_VERSION_11) != JNI_OK) {
		if (turns-- == 0)
			return false;
		nanosleep(&turn, NULL);
	}
	return true;
}

static enum gcs_status prepare_jvmti(bool attaching, struct gcs_error *err)
{
	static const jvmtiEventCallbacks callbacks = {
	    .VMInit = on_vm_init,
	    .VMDeath = on_vm_death,
	    .ThreadStart = on_thread_start,
	    .ThreadEnd = on_thread_end,
	    .GarbageCollectionStart = on_gc_start,
	    .GarbageCollectionFinish = on_gc_finish,
	    .SampledObjectAlloc = on_sampled_alloc,
	};
	jvmtiCapabilities capabilities = {.can_generate_garbage_collection_events = 1};
	if (!get_jvmti(attaching))
		return gcs_fail(err, GCS_UNSUPPORTED,
		    "this JVM has no JVMTI 11: HotSpot of JDK 11 or later is needed");
	if ((*agent.jvmti)->AddCapabilities(agent.jvmti, &capabilities) != JVMTI_ERROR_NONE)
		return gcs_fail(
		    err, GCS_UNSUPPORTED, "this JVM announces no collections to agents");
	if ((*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, (jint)sizeof callbacks) !=
	    JVMTI_ERROR_NONE)
		return gcs_fail(err, GCS_UNSUPPORTED, "this JVM takes no callbacks from agents");
	return GCS_OK;
}

static void print_help(void)
{
	char line[300];
	say("options of -agentpath:libgcspyagent.so=key=value,key,...");
	for (size_t i = 0; options_help_line(i, line, sizeof line) != NULL; i++)
		say(line);
}

/* Options, JVMTI, sockets: what can be said before the JVM lives. */
static enum gcs_status load(JavaVM *java, char *text, bool attaching, struct gcs_error *err)
{
	agent.java = java;
	enum gcs_status status = options_parse(&agent.options, text, err);
	if (agent.options.help)
		print_help();
	if (status != GCS_OK || agent.options.help)
		return status;
	if ((status = prepare_jvmti(attaching, err)) != GCS_OK)
		return status;
	return open_server(err);
}

static jint complain(const struct gcs_error *err, bool strict)
{
	char text[500];
	snprintf(
	    text, sizeof text, "%s%s", err->text, strict ? "" : "; the program runs without GCspy");
	say(text);
	announce_refusal(err->text);
	return strict ? JNI_ERR : JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	struct gcs_error err;
	(void)reserved;
	if (atomic_exchange(&agent.loaded, true)) {
		say("the agent is loaded already; its second -agentpath is ignored");
		return JNI_OK;
	}
	if (load(java, options, false, &err) != GCS_OK)
		return complain(&err, agent.options.strict);
	if (agent.options.help)
		return JNI_OK;
	enable(JVMTI_EVENT_VM_INIT);
	enable(JVMTI_EVENT_VM_DEATH);
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *java, char *options, void *reserved)
{
	struct gcs_error err;
	JNIEnv *jni;
	(void)reserved;
	if (agent.failed) {
		say("the agent could not start in this JVM before, and cannot be tried again");
		return JNI_ERR;
	}
	if (agent.server != NULL) {
		say_where();
		return JNI_OK;
	}
	atomic_store(&agent.loaded, true);
	if (load(java, options, true, &err) != GCS_OK)
		return complain(&err, true);
	if (agent.options.help)
		return JNI_OK;
	if ((*java)->GetEnv(java, (void **)&jni, JNI_VERSION_1_8) != JNI_OK || !come_alive(jni))
		return JNI_ERR;
	enable(JVMTI_EVENT_VM_DEATH);
	return JNI_OK;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *java)
{
	(void)java;
}
