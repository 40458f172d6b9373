/*
 * The end of the agent's parts: what the JVM gets back, and no block of memory left, whatever could
 * not be made.
 */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <gcspy/memory.h>
#include <gcspy/sampling.h>

#include "agent_memory.h"
#include "clock.h"
#include "gc_events.h"
#include "inflight.h"
#include "java_threads.h"
#include "kit.h"
#include "now.h"
#include "queries.h"
#include "sampler_internal.h"
#include "sampling_api.h"
#include "vm_world.h"

enum { TIMEOUT_MS = 20000 };

static uint64_t after_ms(uint64_t ms)
{
	return now_ns() + ms * 1000000u;
}

/* A JVM that counts what it gives and gets back. */

static atomic_int attached, weak_references, events_on, capabilities, interval;

static jint JNICALL attach(JavaVM *java, void **jni, void *arguments);

static jint JNICALL detach(JavaVM *java)
{
	(void)java;
	atomic_fetch_sub(&attached, 1);
	return JNI_OK;
}

static jint JNICALL get_version(JNIEnv *jni)
{
	(void)jni;
	return JNI_VERSION_10;
}

static void JNICALL delete_weak(JNIEnv *jni, jweak weak)
{
	(void)jni;
	(void)weak;
	atomic_fetch_sub(&weak_references, 1);
}

static const struct JNINativeInterface_ jni_table = {
    .GetVersion = get_version, .DeleteWeakGlobalRef = delete_weak};
static JNIEnv jni = &jni_table;

static jint JNICALL attach(JavaVM *java, void **place, void *arguments)
{
	(void)java;
	(void)arguments;
	*place = &jni;
	atomic_fetch_add(&attached, 1);
	return JNI_OK;
}

static jint JNICALL get_env(JavaVM *java, void **place, jint version)
{
	(void)java;
	(void)version;
	*place = &jni;
	return JNI_OK;
}

static const struct JNIInvokeInterface_ java_table = {
    .GetEnv = get_env, .AttachCurrentThreadAsDaemon = attach, .DetachCurrentThread = detach};
static JavaVM java = &java_table;

static jvmtiError JNICALL set_mode(
    jvmtiEnv *env, jvmtiEventMode mode, jvmtiEvent event, jthread thread, ...)
{
	(void)env;
	(void)thread;
	const int bit = 1 << (event - JVMTI_MIN_EVENT_TYPE_VAL);
	if (mode == JVMTI_ENABLE)
		atomic_fetch_or(&events_on, bit);
	else
		atomic_fetch_and(&events_on, ~bit);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL add(jvmtiEnv *env, const jvmtiCapabilities *wanted)
{
	(void)env;
	if (wanted->can_generate_sampled_object_alloc_events != 0)
		atomic_store(&capabilities, 1);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL relinquish(jvmtiEnv *env, const jvmtiCapabilities *given)
{
	(void)env;
	if (given->can_generate_sampled_object_alloc_events != 0)
		atomic_store(&capabilities, 0);
	return JVMTI_ERROR_NONE;
}

static atomic_bool slow; /* until sampling is on */

static jvmtiError JNICALL set_interval(jvmtiEnv *env, jint bytes)
{
	(void)env;
	if (atomic_load(&slow))
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	if (atomic_load(&capabilities) == 0)
		return JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
	atomic_store(&interval, bytes);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL all_threads(jvmtiEnv *env, jint *count, jthread **list)
{
	(void)env;
	(void)count;
	(void)list;
	return JVMTI_ERROR_WRONG_PHASE;
}

static const struct jvmtiInterface_1_ jvmti_table = {
    .SetEventNotificationMode = set_mode,
    .AddCapabilities = add,
    .RelinquishCapabilities = relinquish,
    .SetHeapSamplingInterval = set_interval,
    .GetAllThreads = all_threads,
};
static jvmtiEnv jvmti = &jvmti_table;

/* The parts with threads, as agent_build.c makes them. */

static struct vm *vm;
static struct {
	struct gcs_server *server;
	struct threads *threads;
	struct sampler *sampler;
	struct object_locations *object_locations;
	struct sites_space *sites;
	struct queries *queries;
	struct gc_events *events;
	struct java_threads *java_threads;
	struct clock *clock;
} parts;

static void say(const char *line)
{
	(void)line;
}

static atomic_bool another_client; /* comes when the table is given up */

static void known(void *context, bool complete)
{
	if (!complete && atomic_exchange(&another_client, false)) {
		java_threads_want(parts.java_threads, true);
		java_threads_request_asked(parts.java_threads);
	}
	if (parts.events != NULL)
		gc_events_threads_known(context, true);
}

static void tick(void *context)
{
	gc_events_clock_tick(context);
}

static bool make(uint64_t bytes)
{
	struct gcs_error err;
	struct gcs_server_options options = {.name = "test", .port = -1};
	struct sampler_options sampling = {.interval = bytes,
	    .depth = 32,
	    .live_bytes = 1 << 16,
	    .site_bytes = 1 << 18,
	    .recent = 10,
	    .frequent = 10,
	    .walk = WALK_JVMTI};
	if ((parts.server = gcs_server_create(&options, &err)) == NULL ||
	    (parts.threads = threads_create()) == NULL)
		return false;
	struct sampler_parts with = {&java, &jvmti, vm, parts.server, "test", say, NULL, NULL, 0};
	if ((parts.sampler = sampler_create(&with, &sampling, &err)) == NULL ||
	    (parts.object_locations = object_locations_create(parts.sampler, vm, NULL, NULL)) ==
		NULL ||
	    (parts.sites = sites_space_create(parts.sampler, 100)) == NULL ||
	    (parts.queries = queries_create(
		 parts.server, parts.sampler, parts.object_locations, 0, NULL)) == NULL)
		return false;
	struct gc_events_parts of = {.vm = vm,
	    .server = parts.server,
	    .threads = parts.threads,
	    .sampler = parts.sampler,
	    .sites = parts.sites,
	    .object_locations = parts.object_locations};
	if ((parts.events = gc_events_create(&of, &err)) == NULL ||
	    (parts.java_threads = java_threads_create(
		 &java, &jvmti, vm, parts.threads, known, parts.events)) == NULL ||
	    gc_events_run(parts.events, &err) != GCS_OK)
		return false;
	parts.clock = clock_create(1, tick, parts.events);
	return parts.clock != NULL;
}

/* At any stage of making. */
static void end(void)
{
	const uint64_t deadline = after_ms(TIMEOUT_MS);
	cr_assert(clock_end(parts.clock, deadline));
	cr_assert(java_threads_end(parts.java_threads, deadline));
	cr_assert(gc_events_end(parts.events, deadline));
	cr_assert(queries_end(parts.queries, deadline));
	cr_assert(sampler_end(parts.sampler, deadline));
	clock_destroy(parts.clock);
	java_threads_destroy(parts.java_threads);
	gc_events_destroy(parts.events);
	queries_destroy(parts.queries);
	sites_space_destroy(parts.sites);
	object_locations_destroy(parts.object_locations);
	sampler_destroy(parts.sampler, &jni);
	threads_destroy(parts.threads);
	gcs_server_destroy(parts.server);
	memset(&parts, 0, sizeof parts);
}

static void setup(void)
{
	kit_count_memory(0);
	world_build_common();
	vm = world_open();
}

static void teardown(void)
{
	vm_close(vm);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define EndTest(name) Test(agent_end, name, .init = setup, .fini = teardown)

EndTest(all_parts_end_and_leave_no_memory)
{
	const size_t before = kit_live_blocks();
	for (int i = 0; i < 20; i++) {
		cr_assert(make(0));
		clock_run(parts.clock, true);
		java_threads_want(parts.java_threads, true);
		if (i % 2 == 0)
			kit_until(atomic_load(&attached) == 1);
		end();
		cr_assert_eq(atomic_load(&attached), 0);
		cr_assert_eq(atomic_load(&events_on), 0);
		cr_assert_eq(kit_live_blocks(), before);
	}
}

static atomic_uint answers, outside;

static void asked(void *context, JNIEnv *env)
{
	(void)context;
	if (env == NULL)
		atomic_fetch_add(&outside, 1);
	atomic_fetch_add(&answers, 1);
}

/* One client goes, and the next one asks before its table of threads has been given up. */
EndTest(who_asks_right_after_another_left_is_answered_in_the_jvm)
{
	cr_assert(make(0));
	java_threads_set_asked(parts.java_threads, asked, NULL);
	java_threads_want(parts.java_threads, true);
	java_threads_request_asked(parts.java_threads);
	kit_until(atomic_load(&answers) == 1);
	atomic_store(&another_client, true);
	java_threads_want(parts.java_threads, false);
	kit_until(atomic_load(&answers) == 2);
	cr_assert_eq(atomic_load(&outside), 0);
	end();
}

EndTest(what_is_asked_while_sampling_starts_waits_for_it)
{
	struct gcs_error err;
	atomic_store(&slow, true);
	cr_assert(make(4096));
	struct gcs_profile *p = sampler_profile(parts.sampler, GCS_PROFILE_ALLOCATED, NULL, &err);
	cr_assert_not_null(p, "%s", err.text);
	cr_assert_eq(gcs_profile_head(p)->interval, 4096);
	gcs_profile_free(p);
	cr_assert(sampler_request(parts.sampler, 0, 0));
	kit_until(sampler_interval(parts.sampler) == 0);
	cr_assert_null(sampler_profile(parts.sampler, GCS_PROFILE_LIVE, NULL, &err));
	cr_assert_str_eq(err.text, "sampling of allocations is off");
	end();
}

EndTest(sampling_ends_and_the_jvm_is_as_before)
{
	const size_t before = kit_live_blocks();
	uint64_t last = 0;
	for (int i = 0; i < 5; i++) {
		size_t position;
		cr_assert(make(1000));
		kit_until(sampler_interval(parts.sampler) == 1000);
		cr_assert_eq(atomic_load(&interval), 1000);
		cr_assert_eq(atomic_load(&capabilities), 1);
		cr_assert_geq(atomic_load(&parts.sampler->next_id), last, "numbers go on");
		last = atomic_fetch_add(&parts.sampler->next_id, 5) + 5;
		/* One that the sampler takes, and one of a thread that comes too late for it. */
		struct sample sample = {.weak = &sample,
		    .size = 16,
		    .interval = 1000,
		    .id = last,
		    .keep = UINT64_C(1) << 32,
		    .stack = STACK_TABLE_NONE};
		atomic_fetch_add(&weak_references, 2);
		sample.generation = atomic_load(&parts.sampler->table_epochs.generation);
		cr_assert(ring_put(parts.sampler->ring, &sample, &position));
		cr_assert(sampler_end(parts.sampler, after_ms(TIMEOUT_MS)));
		cr_assert_eq(atomic_load(&weak_references), 1);
		cr_assert(ring_put(parts.sampler->ring, &sample, &position));
		end();
		cr_assert_eq(atomic_load(&weak_references), 0);
		cr_assert_eq(atomic_load(&capabilities), 0);
		cr_assert_eq(atomic_load(&interval), 512 * 1024, "the JVM's own");
		cr_assert_eq(atomic_load(&events_on), 0);
		cr_assert_eq(atomic_load(&attached), 0);
		cr_assert_eq(kit_live_blocks(), before);
	}
}

/* Turned off and on again: nothing that was sampled before is left or accepted, also of a thread that
 * was late. */
EndTest(sampling_starts_anew)
{
	size_t position;
	uint32_t tracked = 0;
	cr_assert(make(1000));
	struct sampler *s = parts.sampler;
	kit_until(sampler_interval(s) == 1000);
	struct sample sample = {.weak = &sample,
	    .size = 16,
	    .interval = 1000,
	    .id = 1,
	    .keep = UINT64_C(1) << 32,
	    .stack = STACK_TABLE_NONE,
	    .generation = atomic_load(&s->table_epochs.generation)};
	atomic_store(&weak_references, 2);
	cr_assert(ring_put(s->ring, &sample, &position));
	cr_assert(sampler_request(s, 0, 0));
	kit_until(sampler_interval(s) == 0 && atomic_load(&capabilities) == 0);
	cr_assert_eq(atomic_load(&weak_references), 1, "the ring was emptied");
	cr_assert(ring_put(s->ring, &sample, &position));
	cr_assert(sampler_request(s, 2000, 0));
	kit_until(atomic_load(&weak_references) == 0);
	cr_assert_eq(sampler_interval(s), 2000);
	const struct sample_store *store = sampler_lock(s);
	cr_assert_not_null(store);
	(void)sample_store_live(store, &tracked);
	cr_assert_eq(tracked, 0);
	cr_assert_eq(sample_store_counts(store)->samples, 0);
	sampler_unlock(s);
	end();
}

/* S5: the exported calls before, during and after. */
EndTest(native_callers_are_turned_away)
{
	struct gcs_sampled_trace *traces;
	uint32_t count;
	cr_assert_eq(gcs_sampling_start(NULL), GCS_STATE);
	cr_assert(make(0));
	sampling_api_set(parts.sampler);
	cr_assert_eq(gcs_sampling_live(&traces, &count), GCS_STATE, "it does not live yet");
	inflight_begin();
	cr_assert_eq(gcs_sampling_start(NULL), GCS_OK);
	cr_assert_eq(gcs_sampling_live(&traces, &count), GCS_OK);
	sampling_api_set(NULL);
	cr_assert_eq(inflight_close(after_ms(TIMEOUT_MS)), 0);
	end();
	cr_assert_eq(gcs_sampling_stop(), GCS_STATE);
	gcs_sampling_release(traces);
	cr_assert_eq(gcs_sampling_recent_garbage(&traces, &count), GCS_STATE);
	cr_assert_null(traces);
}

EndTest(what_was_half_made_ends_too)
{
	const size_t before = kit_live_blocks();
	bool made = false;
	for (size_t n = 0; !made && n < 400; n++) {
		kit_fail_after(n);
		made = make(0);
		const bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		cr_assert(made || failed);
		made = made && !failed;
		end();
		cr_assert_eq(kit_live_blocks(), before, "after %zu allocations", n);
	}
	cr_assert(made);
}

/* The agent's own allocator: small and large blocks, grown and shrunk over its limit. */
Test(agent_end, large_blocks_have_pages_of_their_own)
{
	agent_memory_use();
	agent_memory_use();
	static const size_t sizes[] = {
	    0, 1, 100, 70000, 131072, 1 << 20, 5 << 20, 3 << 20, 40, 2 << 20};
	const size_t before = agent_memory_blocks();
	unsigned char *table = gcs_zalloc(64 << 20), *block = gcs_realloc(NULL, 8);
	cr_assert_not_null(table);
	cr_assert_eq(table[12345678] | table[0], 0);
	for (int i = 0; i < 8; i++)
		block[i] = (unsigned char)i;
	for (size_t i = 2; i < sizeof sizes / sizeof sizes[0]; i++) {
		block = gcs_realloc(block, sizes[i]);
		cr_assert_not_null(block);
		cr_assert_eq((uintptr_t)block % 16, 0);
		for (int k = 0; k < 8; k++)
			cr_assert_eq(block[k], k, "at %zu", sizes[i]);
		block[sizes[i] - 1] = 7;
	}
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		unsigned char *zeros = gcs_zalloc(sizes[i]);
		for (size_t k = 0; k < sizes[i]; k++)
			cr_assert_eq(zeros[k], 0);
		gcs_free(zeros);
	}
	cr_assert_null(gcs_alloc(SIZE_MAX - 3));
	cr_assert_null(gcs_zalloc(SIZE_MAX / 2));
	cr_assert_eq(agent_memory_blocks(), before + 2);
	gcs_free(table);
	gcs_free(block);
	cr_assert_eq(agent_memory_blocks(), before);
}
