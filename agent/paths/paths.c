#include "paths.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "chain_tree.h"
#include "hash.h"
#include "now.h"
#include "pass_size.h"
#include "path_result.h"
#include "service_thread.h"
#include "thread.h"
#include "vm_heap.h"

/* Passes of a usual search; the program runs this many times as long between two of them. */
enum { USUAL_PASSES = 8, SPACING = 4 };

/* Before, a JDK restores mark words after each pass (pass_size.h). */
enum { RESTORED_SINCE = 19 };

struct paths {
	struct paths_parts parts;
	struct service_thread thread;
	sem_t wake;
	atomic_bool ending, busy;
	bool started;
	atomic_uint last_passes; /* of the last search that had any; 0: there was none */
	struct pass_cost cost;   /* of a pass, as a multiple of what its size says */
	struct pass_clock clock; /* of the VM thread; our thread's */
	/* The question that is being answered; of our thread while `busy`. */
	struct path_question question;
	struct path_targets targets;
	struct path_heap heap;
	struct pass_size size;
	uint64_t limit_ns;
	/* Our thread's: of the last histogram. */
	struct path_counted counted;
};

struct paths *paths_create(const struct paths_parts *parts)
{
	struct paths *p = gcs_zalloc(sizeof *p);
	if (p == NULL)
		return NULL;
	p->parts = *parts;
	pass_cost_begin(&p->cost, 1);
	if (sem_init(&p->wake, 0, 0) != 0) {
		gcs_free(p);
		return NULL;
	}
	return p;
}

bool paths_end(struct paths *p, uint64_t deadline_ns)
{
	if (p == NULL)
		return true;
	atomic_store(&p->ending, true);
	sem_post(&p->wake);
	return service_thread_join(&p->thread, deadline_ns);
}

void paths_destroy(struct paths *p)
{
	if (p == NULL)
		return;
	path_targets_free(&p->targets);
	sem_destroy(&p->wake);
	gcs_free(p);
}

/* A search in progress. */
struct search {
	struct paths *p;
	struct climb climb;
	const char *ended; /* why it ended early; NULL: it has not */
	bool late;         /* then: a pause was longer than the limit */
	uint64_t paused_ns;
	struct climb_address *humongous; /* targets that are known by their addresses */
	uint32_t humongous_count;
};

/* Lets the program run for a while; after a hurried pass for longer. False if the search has to end. */
static bool wait_between(struct search *s)
{
	enum { STEP_US = 10000 };
	uint64_t left_us = 0;
	if (!s->climb.hurried) {
		left_us = (s->climb.total.wall_ns - s->paused_ns) * SPACING / 1000;
		s->paused_ns = s->climb.total.wall_ns;
	}
	for (;;) {
		if (atomic_load(&s->p->ending))
			s->ended = "the agent ends";
		else if (!gcs_server_attached(s->p->parts.server))
			s->ended = "no client is attached any more";
		if (s->ended != NULL || left_us == 0)
			return s->ended == NULL;
		const uint64_t step = left_us < STEP_US ? left_us : STEP_US;
		thread_sleep_us((uint32_t)step);
		left_us -= step;
	}
}

static bool ends(void *context, const struct climb *c)
{
	struct search *s = context;
	s->late = c->longest.wall_ns > s->p->limit_ns;
	return s->late || !wait_between(s);
}

/* On the sampler's thread. The objects have no references but weak ones afterwards. */
static void tag_targets(void *context, JNIEnv *jni, const struct tracked *live, uint32_t count)
{
	struct search *s = context;
	struct path_targets *t = &s->p->targets;
	struct hash_table ids = {.slots = NULL};
	bool ok = hash_reserve(&ids, t->count);
	for (uint32_t i = 0; ok && i < t->count; i++)
		ok = hash_put(&ids, t->items[i].id, i);
	for (uint32_t i = 0; ok && i < count; i++) {
		const uint64_t target = hash_get(&ids, live[i].id);
		const uint64_t address = sample_address(live[i].weak);
		if (target == HASH_NONE)
			continue;
		if (address != 0 && s->humongous != NULL)
			s->humongous[s->humongous_count++] =
			    (struct climb_address){.address = address,
				.size = live[i].size,
				.class_ = hash_text(
				    HASH_BEGIN, sampler_class(s->p->parts.sampler, &live[i])),
				.target = (uint32_t)target,
				.node = TAG_NONE};
		jobject object = address != 0 ? NULL : (*jni)->NewLocalRef(jni, live[i].weak);
		if (object == NULL)
			continue;
		t->items[target].node = climb_add(&s->climb, object);
		(*jni)->DeleteLocalRef(jni, object);
	}
	hash_fini(&ids);
}

/* After tag_targets. */
static void tag_humongous(struct search *s, const struct climb_limits *limits)
{
	climb_add_addresses(&s->climb, limits, s->humongous, s->humongous_count);
	for (uint32_t i = 0; i < s->humongous_count; i++)
		s->p->targets.items[s->humongous[i].target].node = s->humongous[i].node;
	gcs_free(s->humongous);
}

static void note_clock(void *clock)
{
	pass_clock_note(clock);
}

static double size_ns(const struct paths *p)
{
	return pass_size_ns(&p->size, vm_jdk_major(p->parts.vm) < RESTORED_SINCE);
}

static uint64_t expected_ns(const struct paths *p)
{
	return (uint64_t)(size_ns(p) * pass_cost_expected(&p->cost));
}

static enum gcs_status search(struct paths *p, JNIEnv *jni, void **bytes, size_t *length,
    char *message, size_t size, struct gcs_error *err)
{
	struct search s = {.p = p, .climb = {.vm = p->parts.vm, .clock = p->clock}};
	const struct climb_limits limits = {
	    .pause_ns = p->limit_ns, .pass_ns = expected_ns(p), .ends = ends, .context = &s};
	enum gcs_status status = tag_space_begin(&s.climb.tags, p->parts.java, jni, err);
	if (status != GCS_OK)
		return status;
	/* Once: a moment at a safepoint. */
	if (!s.climb.clock.known)
		(void)tag_space_pause(&s.climb.tags, note_clock, &s.climb.clock);
	if (!climb_reserve(&s.climb, p->targets.count))
		status = gcs_fail(err, GCS_NOMEM, "no memory for a search");
	else
		status = path_targets_of_loaders(&p->question, &s.climb, &p->targets, err);
	if (status == GCS_OK && !p->targets.loaders) {
		s.humongous = gcs_alloc((p->targets.count + (size_t)1) * sizeof *s.humongous);
		if (!sampler_visit(p->parts.sampler, tag_targets, &s))
			status = gcs_fail(err, GCS_STATE, "sampling was turned off");
		tag_humongous(&s, &limits);
	}
	if (status == GCS_OK && !climb_run(&s.climb, &limits))
		status = gcs_fail(err, GCS_NOMEM, "no memory for a search, or the JVM is ending");
	s.late = s.late || s.climb.late;
	if (s.climb.unfinished && s.ended == NULL)
		s.ended = "it has made as many pauses as a search may";
	const struct path_result result = {
	    &p->question, &p->targets, &s.climb, p->limit_ns, s.late, s.ended};
	if (status == GCS_OK)
		status = path_result_write(&result, bytes, length, message, size, err);
	if (s.ended == NULL && !s.late && s.climb.passes != 0)
		atomic_store(&p->last_passes, s.climb.passes);
	if (size_ns(p) >= 1 && s.climb.class_ns != 0)
		pass_cost_add(&p->cost, (double)s.climb.class_ns / size_ns(p), s.climb.class_whole);
	p->clock = s.climb.clock;
	tag_space_end(&s.climb.tags);
	climb_free(&s.climb);
	return status;
}

/* Answers a client, or has the answer recorded. */
static void respond(struct paths *p, const struct path_question *q, enum gcs_status status,
    const char *message, const void *bytes, size_t length)
{
	const struct gcs_trace_answer answer = {.plugin = q->histogram ? "histogram" : "paths",
	    .message = message,
	    .wall_ns = now_wall_ns(),
	    .bytes = bytes,
	    .length = length};
	if (!q->record)
		gcs_server_answer(p->parts.server, q->ticket, status, message, bytes, length);
	else if (status == GCS_OK)
		(void)gcs_server_record_answer(p->parts.server, &answer);
}

/* Of small objects all over memory, such as a tree's nodes, a pass takes as much longer. */
#define UNMEASURED " (not measured yet: up to 3 times that)"

/* What a search would cost: "about 8 pauses of about 400 ms on an idle machine, at most 40 of them: …". How many it
 * takes, depends on how long the chains are: the last search's number, or that of a usual one. */
static void write_estimate(struct paths *p, char *text, size_t size)
{
	const bool restores = vm_jdk_major(p->parts.vm) < RESTORED_SINCE;
	const uint32_t last = atomic_load(&p->last_passes),
		       passes = last == 0 ? USUAL_PASSES : last;
	char ns[40], through[300];
	gcs_format_number(ns, sizeof ns, (int64_t)expected_ns(p), GCS_NANOSECONDS);
	pass_size_text(&p->size, through, sizeof through);
	snprintf(text, size,
	    "about %u pause%s of about %s on an idle machine%s, at most %d of them: %s%s", passes,
	    passes == 1 ? "" : "s", ns, pass_cost_is_measured(&p->cost) ? "" : UNMEASURED,
	    CLIMB_MOST_PASSES, through,
	    restores ? "; JDKs before 19 visit the whole heap in each" : "");
}

/* A tree without rows: what a search would cost, or why a recording has none. */
static enum gcs_status write_title(
    const char *text, void **bytes, size_t *length, struct gcs_error *err)
{
	struct chain_tree *empty = chain_tree_create(false);
	const enum gcs_status status = empty == NULL
					   ? gcs_fail(err, GCS_NOMEM, "no memory for an answer")
					   : chain_tree_encode(empty, text, bytes, length, err);
	chain_tree_destroy(empty);
	return status;
}

/* The search, or what it would cost. */
static enum gcs_status search_or_estimate(struct paths *p, JNIEnv *jni, void **bytes,
    size_t *length, char *message, size_t size, struct gcs_error *err)
{
	char text[600], limit[100];
	p->size = (struct pass_size){.objects = path_heap_objects(&p->heap, &p->counted)};
	pass_size_count_threads(&p->size, p->parts.jvmti, jni);
	if (vm_jdk_major(p->parts.vm) >= VIRTUAL_SINCE)
		pass_size_count_virtual(&p->size, p->parts.sampler);
	const uint64_t pause = expected_ns(p);
	write_estimate(p, text, sizeof text);
	if (p->question.estimate) {
		snprintf(message, size, "longest-us=%" PRIu64 " objects=%.0f", pause / 1000,
		    p->size.objects);
		return write_title(text, bytes, length, err);
	}
	if (pause > p->limit_ns) {
		path_limit_text(&p->question, p->limit_ns, pause, limit, sizeof limit);
		return gcs_fail(
		    err, GCS_LIMIT, "a pause would be longer than %s; expected: %s", limit, text);
	}
	return search(p, jni, bytes, length, message, size, err);
}

/* A recording has the reason in the place of an answer. */
static void respond_or_record(struct paths *p, const struct path_question *q,
    enum gcs_status status, const char *message, const void *bytes, size_t length)
{
	struct gcs_error err;
	void *title = NULL;
	size_t title_length = 0;
	if (status == GCS_OK || !q->record || q->histogram) {
		respond(p, q, status, message, bytes, length);
		return;
	}
	if (write_title(message, &title, &title_length, &err) == GCS_OK)
		respond(p, q, GCS_OK, "longest-us=0", title, title_length);
	gcs_plugin_free(title);
}

static void answer(struct paths *p, JNIEnv *jni)
{
	const struct path_question question = p->question;
	struct gcs_error err;
	char message[300] = "";
	void *bytes = NULL;
	size_t length = 0;
	const enum gcs_status status =
	    question.histogram
		? class_histogram(
		      &p->parts, jni, &p->counted, &bytes, &length, message, sizeof message, &err)
		: search_or_estimate(p, jni, &bytes, &length, message, sizeof message, &err);
	path_targets_free(&p->targets);
	atomic_store(&p->busy, false);
	respond_or_record(
	    p, &question, status, status == GCS_OK ? message : err.text, bytes, length);
	gcs_plugin_free(bytes);
}

static void run(void *context)
{
	struct paths *p = context;
	JNIEnv *jni = NULL;
	char name[] = "gcspy-paths";
	JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_8, .name = name};
	const bool in_jvm =
	    (*p->parts.java)
		->AttachCurrentThreadAsDaemon(p->parts.java, (void **)&jni, &arguments) == JNI_OK;
	while (!atomic_load(&p->ending)) {
		if (sem_wait(&p->wake) != 0 || atomic_load(&p->ending) || !atomic_load(&p->busy))
			continue;
		if (in_jvm) {
			answer(p, jni);
			continue;
		}
		const struct path_question question = p->question;
		atomic_store(&p->busy, false);
		respond_or_record(p, &question, GCS_STATE,
		    "the agent's thread cannot attach to the JVM", NULL, 0);
	}
	if (in_jvm)
		(*p->parts.java)->DetachCurrentThread(p->parts.java);
}

static bool start(struct paths *p)
{
	if (!p->started)
		p->started = service_thread_start(&p->thread, "gcspy-paths", run, p);
	return p->started;
}

static void begin(struct paths *p, const struct path_question *q, struct path_targets *targets,
    const struct path_heap *heap)
{
	if (atomic_load(&p->busy) || !start(p)) {
		path_targets_free(targets);
		respond_or_record(p, q, GCS_LIMIT,
		    p->started ? "another search is running"
			       : "cannot start the thread of searches",
		    NULL, 0);
		return;
	}
	p->question = *q;
	p->targets = *targets;
	p->heap = *heap;
	p->limit_ns = (q->limit_ms != 0 ? q->limit_ms : p->parts.limit_ms) * UINT64_C(1000000);
	atomic_store(&p->busy, true);
	sem_post(&p->wake);
}

bool paths_busy(const struct paths *p)
{
	return p != NULL && atomic_load(&p->busy);
}

/* Of all of the heap: the profile of a part of it, which is freed, does not tell. */
static struct path_heap heap_of(const struct paths *p, const struct path_question *q,
    struct object_locations *object_locations, struct gcs_profile *profile)
{
	const struct profile_query all = {GCS_PROFILE_LIVE, NULL, 0};
	struct path_heap heap = {.used = 0};
	struct gcs_error ignored;
	if (profile != NULL && q->where[0] != '\0') {
		gcs_profile_free(profile);
		profile = object_locations_profile(object_locations, &all, &ignored);
	}
	if (profile != NULL)
		heap = path_heap_of(profile, vm_used(p->parts.vm));
	gcs_profile_free(profile);
	return heap;
}

void paths_ask(
    struct paths *p, const struct path_question *q, struct object_locations *object_locations)
{
	struct path_question question = *q;
	const struct profile_query live = {
	    GCS_PROFILE_LIVE, q->where[0] == '\0' ? NULL : q->where, 0};
	struct path_targets targets = {.items = NULL};
	struct gcs_profile *profile = NULL;
	struct gcs_error err = {.status = GCS_OK};
	question.uncollected = vm_collector(p->parts.vm) == VM_COLLECTOR_EPSILON;
	if (!q->histogram) {
		profile = object_locations_profile(object_locations, &live, &err);
		if (profile != NULL &&
		    path_targets_choose(profile, &question, &targets, &err) == GCS_ARGUMENT &&
		    path_targets_loaders(&question, &err, &targets))
			err.status = GCS_OK;
	}
	const struct path_heap heap = heap_of(p, q, object_locations, profile);
	if (err.status == GCS_OK)
		begin(p, &question, &targets, &heap);
	else
		respond_or_record(p, q, err.status, err.text, NULL, 0);
}
