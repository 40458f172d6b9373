#include "plugins.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "heap_bytes.h"
#include "memory_answer.h"
#include "thread_stack.h"
#include "tracked_memory.h"

enum { MOST_WAITING = GCS_MAX_CLIENTS * GCS_MAX_QUERIES };

/* In the place of a depth: not a backtrace but the memory of the process, by the kernel or by the JVM. */
enum { OF_PROCESS = 0, OF_JVM = -1 };

/* A backtrace that is asked for. */
struct request {
	uint64_t ticket;
	jint depth;
	char thread[GCS_MAX_NAME + 1];
};

struct plugins {
	jvmtiEnv *jvmti;
	const struct vm *vm;
	struct gcs_server *server;
	struct java_threads *threads;
	struct threads *table;
	struct queries *queries;
	bool memory;
	pthread_mutex_t lock; /* the rest */
	struct request waiting[MOST_WAITING];
	uint32_t count;
};

enum { THREAD, DEPTH, BACKTRACE_PARAMETERS };

static const struct gcs_parameter backtrace_parameters[BACKTRACE_PARAMETERS] = {
    [THREAD] = {.name = "thread",
	.description = "Name of a Java thread; virtual threads are not among them",
	.kind = GCS_PARAMETER_TEXT,
	.initial = "main"},
    [DEPTH] = {.name = "depth",
	.description = "Most frames, 1 to 1024",
	.kind = GCS_PARAMETER_NUMBER,
	.initial = "64"},
};

enum { ADDRESS, LENGTH, MEMORY_PARAMETERS };

static const struct gcs_parameter memory_parameters[MEMORY_PARAMETERS] = {
    [ADDRESS] = {.name = "address",
	.description = "Where in the heap, such as the start of a tile",
	.kind = GCS_PARAMETER_ADDRESS},
    [LENGTH] = {.name = "length",
	.description = "1 to 65536 bytes",
	.kind = GCS_PARAMETER_LENGTH,
	.initial = "256"},
};

static const struct gcs_plugin backtrace = {.name = "backtrace",
    .title = "Backtrace",
    .description = "The stack of a Java thread as it is now. While a collection pauses the "
		   "program, the answer comes after it",
    .kind = GCS_PLUGIN_TABLE,
    .parameter_count = BACKTRACE_PARAMETERS,
    .parameters = backtrace_parameters};

static const struct gcs_plugin memory = {.name = "memory",
    .title = "Memory",
    .description = "Bytes of the heap, marked with the sampled objects that begin there",
    .kind = GCS_PLUGIN_BYTES,
    .parameter_count = MEMORY_PARAMETERS,
    .parameters = memory_parameters};

static const struct gcs_plugin native_memory = {.name = "native-memory",
    .title = "Memory of the process",
    .description = "What the process has in memory, by what it is for: the Java heap, metaspace, "
		   "stacks, malloc, libraries. The same as the space Memory, read when asked",
    .kind = GCS_PLUGIN_TABLE};

static const struct gcs_plugin tracked = {.name = "nmt",
    .title = "Native memory tracking",
    .description = "The JVM's account of the memory that it asked for, by category, as jcmd's "
		   "VM.native_memory has it",
    .kind = GCS_PLUGIN_TABLE};

static bool take(struct plugins *p, struct request *request)
{
	pthread_mutex_lock(&p->lock);
	const bool any = p->count != 0;
	if (any) {
		*request = p->waiting[0];
		memmove(p->waiting, p->waiting + 1, --p->count * sizeof p->waiting[0]);
	}
	pthread_mutex_unlock(&p->lock);
	return any;
}

/* Lines and files of frames: they cost nothing, and the sampler may have them already. */
static void add_names_of_sources(jvmtiEnv *jvmti)
{
	jvmtiCapabilities lines = {.can_get_line_numbers = 1};
	jvmtiCapabilities files = {.can_get_source_file_name = 1};
	(void)(*jvmti)->AddCapabilities(jvmti, &lines);
	(void)(*jvmti)->AddCapabilities(jvmti, &files);
}

/* On the thread of java_threads.h, in the JVM; without it `jni` is NULL. */
static void answer_all(void *context, JNIEnv *jni)
{
	struct plugins *p = context;
	struct request request;
	while (take(p, &request)) {
		struct gcs_error err;
		void *bytes = NULL;
		size_t length = 0;
		enum gcs_status status;
		if (request.depth == OF_JVM) {
			status = tracked_memory_answer(p->vm, &bytes, &length, &err);
		} else if (request.depth == OF_PROCESS) {
			status = memory_answer(p->vm, p->table, &bytes, &length, &err);
		} else if (jni == NULL) {
			status = gcs_fail(&err, GCS_STATE, "the agent is not in the JVM");
		} else {
			add_names_of_sources(p->jvmti);
			status = thread_stack_answer(
			    p->jvmti, jni, request.thread, request.depth, &bytes, &length, &err);
		}
		gcs_server_answer(p->server, request.ticket, status,
		    status == GCS_OK ? "" : err.text, bytes, length);
		gcs_plugin_free(bytes);
	}
}

struct plugins *plugins_create(jvmtiEnv *jvmti, const struct vm *vm, struct gcs_server *server,
    struct java_threads *threads, struct threads *table, struct queries *queries, bool with_memory,
    struct gcs_error *err)
{
	const struct vm_range heap = vm_heap_range(vm);
	struct plugins *p = gcs_zalloc(sizeof *p);
	if (p == NULL || pthread_mutex_init(&p->lock, NULL) != 0) {
		gcs_free(p);
		gcs_fail(err, GCS_NOMEM, "no memory for plugins");
		return NULL;
	}
	p->jvmti = jvmti;
	p->server = server;
	p->threads = threads;
	p->vm = vm;
	p->table = table;
	p->queries = queries;
	p->memory = with_memory && heap.low != heap.high;
	if (gcs_server_add_plugin(server, &backtrace, NULL, err) != GCS_OK ||
	    gcs_server_add_plugin(server, &native_memory, NULL, err) != GCS_OK ||
	    (tracked_memory_on(vm) &&
		gcs_server_add_plugin(server, &tracked, NULL, err) != GCS_OK) ||
	    (p->memory && gcs_server_add_plugin(server, &memory, NULL, err) != GCS_OK)) {
		plugins_destroy(p);
		return NULL;
	}
	if (paths_describe(server, err) != GCS_OK) {
		plugins_destroy(p);
		return NULL;
	}
	java_threads_set_asked(threads, answer_all, p);
	return p;
}

void plugins_destroy(struct plugins *p)
{
	if (p == NULL)
		return;
	pthread_mutex_destroy(&p->lock);
	gcs_free(p);
}

static void reject(struct plugins *p, uint64_t ticket, enum gcs_status status, const char *message)
{
	gcs_server_answer(p->server, ticket, status, message, NULL, 0);
}

/* To be answered on the thread of java_threads.h. */
static void ask(struct plugins *p, uint64_t ticket, jint depth, const char *thread)
{
	pthread_mutex_lock(&p->lock);
	const bool room = p->count < MOST_WAITING;
	if (room) {
		struct request *r = &p->waiting[p->count++];
		*r = (struct request){.ticket = ticket, .depth = depth};
		snprintf(r->thread, sizeof r->thread, "%s", thread);
	}
	pthread_mutex_unlock(&p->lock);
	if (room)
		java_threads_request_asked(p->threads);
	else
		reject(p, ticket, GCS_LIMIT, "too many queries wait");
}

static void ask_backtrace(struct plugins *p, const struct gcs_query *query)
{
	const unsigned long long depth = strtoull(query->parameters[DEPTH].value, NULL, 10);
	if (depth < 1 || depth > THREAD_STACK_MOST) {
		reject(p, query->ticket, GCS_ARGUMENT, "depth: expected 1 to 1024 frames");
		return;
	}
	ask(p, query->ticket, (jint)depth, query->parameters[THREAD].value);
}

bool plugins_query(struct plugins *p, const struct gcs_query *query)
{
	struct path_question question;
	if (paths_parse(query, &question))
		queries_paths(p->queries, &question);
	else if (strcmp(query->topic, backtrace.name) == 0)
		ask_backtrace(p, query);
	else if (strcmp(query->topic, native_memory.name) == 0)
		ask(p, query->ticket, OF_PROCESS, "");
	else if (strcmp(query->topic, tracked.name) == 0)
		ask(p, query->ticket, OF_JVM, "");
	else if (strcmp(query->topic, memory.name) != 0)
		return false;
	else if (p->memory)
		queries_memory(p->queries, query->ticket,
		    strtoull(query->parameters[ADDRESS].value, NULL, 16),
		    strtoull(query->parameters[LENGTH].value, NULL, 10));
	else
		reject(p, query->ticket, GCS_UNSUPPORTED,
		    "the agent does not show memory; its option memory=on allows it");
	return true;
}
