#include "sampler_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "initial_interval.h"
#include "now.h"
#include "vm_gc.h"
#include "vm_heap.h"

/* Period of emptying the ring while samples arrive; after this many empty rounds the thread sleeps
 * until the next sample. */
enum { ROUND_MS = 50, QUIET_ROUNDS = 20, MS = 1000000 };

/* memAllocator.cpp of JDK 11 and 12: an allocation outside of the TLAB resets its end, and with it the
 * thread's next sampling point; mended by JDK 17. threadLocalAllocBuffer.cpp up to 24: such an allocation adds
 * to the bytes since the last sampling point again; mended by JDK-8356372. */
enum { KEEPS_NEXT_SINCE = 17, COUNTS_ONCE_SINCE = 25 };
static const char counts_twice[] =
    "HotSpot of this release counts bytes twice where a thread allocates an object outside of "
    "its TLAB, as a large array: beside many of these a site can be two thirds too large, and "
    "their own a third too small";
static const char loses_next[] =
    "HotSpot of this release loses a thread's next sample after an object outside of the TLAB, "
    "and takes objects near the interval's size too often: a site can be a third off";

/* Period of updating general information. */
#define PUBLISH_NS 2000000000u

/* Initial counters of the next sampler, after this one is destroyed: threads keep names by the
 * generation of their stack table, and samples are identified by their numbers. */
static struct {
	uint32_t generation;
	uint64_t id;
} next_sampler;

static void publish_state(struct sampler *s)
{
	char text[GCS_MAX_NAME + 1];
	sampler_describe(s, text, sizeof text);
	(void)gcs_server_set_info(s->parts.server, "Sampling", text, NULL);
	sampler_describe_walk(s, text, sizeof text);
	(void)gcs_server_set_info(s->parts.server, "Stack walk", text, NULL);
}

/* Updates counters in the general information periodically, also before the first client: what it
 * receives on attaching is at most a period old. */
static void publish_periodically(struct sampler *s)
{
	const uint64_t now = now_ns();
	s->stale = true;
	if (now < s->publish_ns)
		return;
	s->publish_ns = now + PUBLISH_NS;
	s->stale = false;
	publish_state(s);
}

/* The same before a wait that may be long. */
static void publish_last(struct sampler *s)
{
	if (s->stale)
		publish_state(s);
	s->stale = false;
}

static bool next_request(struct sampler *s, struct request *request)
{
	pthread_mutex_lock(&s->requests_lock);
	bool any = s->request_count != 0;
	if (any) {
		*request = s->requests[0];
		memmove(
		    &s->requests[0], &s->requests[1], --s->request_count * sizeof s->requests[0]);
	}
	pthread_mutex_unlock(&s->requests_lock);
	return any;
}

static void serve_requests(struct sampler *s)
{
	struct request request;
	while (next_request(s, &request)) {
		static const char subject[] = "sampling of allocations is ";
		char line[sizeof subject + GCS_MAX_NAME + 1];
		char *text = line + sizeof subject - 1;
		enum gcs_status status = sampler_set_interval(s, request.interval);
		memcpy(line, subject, sizeof subject - 1);
		sampler_describe(s, text, GCS_MAX_NAME + 1);
		publish_state(s);
		atomic_fetch_sub(&s->unserved, 1);
		if (request.ticket != 0)
			gcs_server_answer(s->parts.server, request.ticket, status, text, NULL, 0);
		else if (status != GCS_OK)
			s->parts.log(line);
	}
	if (s->retry_ns != 0 && now_ns() >= s->retry_ns) {
		if (sampler_set_interval(s, s->retry_interval) == GCS_OK)
			s->parts.log("sampling of allocations starts: the other agent has gone");
		publish_state(s);
	}
}

bool sampler_request(struct sampler *s, uint64_t interval, uint64_t ticket)
{
	pthread_mutex_lock(&s->requests_lock);
	bool room = s->request_count < SAMPLER_REQUESTS;
	if (room) {
		s->requests[s->request_count++] = (struct request){interval, ticket};
		atomic_fetch_add(&s->unserved, 1);
	}
	pthread_mutex_unlock(&s->requests_lock);
	sem_post(&s->wake);
	return room;
}

static void wait_for_work(struct sampler *s)
{
	if (s->retry_ns != 0) {
		service_thread_sem_wait(&s->wake, 1000 * MS);
	} else if (!atomic_load(&s->on)) {
		while (sem_wait(&s->wake) != 0 && errno == EINTR)
			continue;
	} else if (s->quiet_rounds < QUIET_ROUNDS) {
		service_thread_sem_wait(&s->wake, ROUND_MS * MS);
	} else {
		/* A sample put before the flag was set is found in the round that follows; one put
		 * after it wakes us. */
		publish_last(s);
		atomic_store(&s->idle, true);
		if (sampler_drain(s) == 0)
			while (sem_wait(&s->wake) != 0 && errno == EINTR)
				continue;
		atomic_store(&s->idle, false);
		s->quiet_rounds = 0;
	}
}

static void run(void *context)
{
	struct sampler *s = context;
	for (;;) {
		wait_for_work(s);
		if (atomic_load(&s->ending))
			break;
		serve_requests(s);
		sampler_serve_visit(s);
		if (!atomic_load(&s->on))
			continue;
		s->quiet_rounds = sampler_drain(s) == 0 ? s->quiet_rounds + 1 : 0;
		sampler_find_dead(s);
		sampler_make_room(s);
		sampler_discard(s);
		publish_periodically(s);
	}
	sampler_restore_interval(s);
	if (atomic_load(&s->on))
		sampler_turn_off(s);
	sampler_leave_jvm(s);
}

static bool is_delayed(const struct vm *vm)
{
	bool generational = false;
	if (vm_collector(vm) != VM_COLLECTOR_ZGC)
		return false;
	/* The flag exists from JDK 21 to 23; later there is no other mode. */
	return vm_flag_bool(vm, "ZGenerational", &generational) ? generational
								: vm_jdk_major(vm) >= 24;
}

static bool prepare(struct sampler *s)
{
	JNIEnv *jni;
	enum { JDK_21 = 0x00150000 };
	if ((*s->parts.java)->GetEnv(s->parts.java, (void **)&jni, JNI_VERSION_1_8) == JNI_OK)
		s->virtual_threads = (*jni)->GetVersion(jni) >= JDK_21;
	s->picks_early = vm_jdk_major(s->parts.vm) < 25;
	tlab_rests_init(&s->tlab_rests, s->parts.vm);
	s->delayed = is_delayed(s->parts.vm);
	s->humongous = humongous_create(s->parts.vm);
	const struct heap_driver *driver = s->parts.driver;
	if (s->delayed && driver != NULL)
		s->raw = gcs_zalloc(driver->raw_bytes(s->parts.heap));
	s->walker = walker_create(s->parts.vm, s->parts.jvmti, s->options.depth, s->options.walk);
	s->ring = ring_create(SAMPLER_RING);
	atomic_init(&s->threshold.priority, (uint64_t)1 << 32);
	atomic_init(&s->threshold.size, UINT64_MAX);
	atomic_init(&s->table_epochs.generation, next_sampler.generation);
	atomic_init(&s->next_id, next_sampler.id);
	s->has_lock = pthread_mutex_init(&s->lock, NULL) == 0;
	s->has_requests_lock = pthread_mutex_init(&s->requests_lock, NULL) == 0;
	s->has_wake = sem_init(&s->wake, 0, 0) == 0;
	return s->walker != NULL && s->ring != NULL && s->has_lock && s->has_requests_lock &&
	       s->has_wake;
}

bool sampler_end(struct sampler *s, uint64_t deadline_ns)
{
	if (s == NULL)
		return true;
	atomic_store(&s->ending, true);
	sem_post(&s->wake);
	return service_thread_join(&s->thread, deadline_ns);
}

/* Threads that were inside the callback when sampling was turned off have left references. */
static void empty_ring(struct sampler *s, JNIEnv *jni)
{
	struct sample sample;
	while (s->ring != NULL && ring_take(s->ring, &sample))
		sample_forget(jni, sample.weak);
}

void sampler_destroy(struct sampler *s, JNIEnv *jni)
{
	if (s == NULL)
		return;
	empty_ring(s, jni);
	next_sampler.generation = atomic_load(&s->table_epochs.generation) + 2;
	next_sampler.id = atomic_load(&s->next_id);
	initial_interval_forget();
	sample_store_destroy(s->sample_store);
	table_epochs_fini(&s->table_epochs);
	walker_destroy(s->walker);
	ring_destroy(s->ring);
	gcs_free(s->stash.items);
	gcs_free(s->cleared);
	gcs_free(s->raw);
	humongous_destroy(s->humongous);
	if (s->has_wake)
		sem_destroy(&s->wake);
	if (s->has_requests_lock)
		pthread_mutex_destroy(&s->requests_lock);
	if (s->has_lock)
		pthread_mutex_destroy(&s->lock);
	gcs_free(s);
}

struct sampler *sampler_create(
    const struct sampler_parts *parts, const struct sampler_options *options, struct gcs_error *err)
{
	struct sampler *s = gcs_zalloc(sizeof *s);
	if (s != NULL) {
		s->parts = *parts;
		s->options = *options;
		snprintf(s->name, sizeof s->name, "%s", parts->name);
	}
	if (s == NULL || !prepare(s) ||
	    !service_thread_start(&s->thread, "gcspy-sampler", run, s)) {
		sampler_destroy(s, NULL);
		gcs_fail(err, GCS_NOMEM, "cannot start the sampler of allocations");
		return NULL;
	}
	const char *why = native_stack_open();
	if (why != NULL)
		(void)gcs_server_set_info(parts->server, "Not available: native frames", why, NULL);
	if (vm_jdk_major(parts->vm) < COUNTS_ONCE_SINCE)
		(void)gcs_server_set_info(parts->server, "Not available: sampling without bias",
		    vm_jdk_major(parts->vm) < KEEPS_NEXT_SINCE ? loses_next : counts_twice, NULL);
	publish_state(s);
	if (options->interval != 0)
		sampler_request(s, options->interval, 0);
	return s;
}

static bool caused_by_humongous(const struct vm *vm)
{
	char cause[40];
	(void)vm_gc_cause(vm, VM_GC_FINISH, cause, sizeof cause);
	return strcmp(cause, "G1 Humongous Allocation") == 0;
}

void sampler_collects(struct sampler *s)
{
	if (s != NULL && atomic_load_explicit(&s->on, memory_order_relaxed))
		tlab_rests_note(&s->tlab_rests, s->parts.vm);
}

static bool is_concurrent(const struct vm *vm)
{
	return vm_collector(vm) == VM_COLLECTOR_ZGC || vm_collector(vm) == VM_COLLECTOR_SHENANDOAH;
}

void sampler_collected(struct sampler *s, enum gc_kind kind, uint64_t collection, bool idle)
{
	if (s == NULL || !atomic_load_explicit(&s->on, memory_order_relaxed))
		return;
	walker_collected(s->walker);
	humongous_pause_ends(s->humongous);
	const struct judge_pause pause = {
	    .kind = kind,
	    .collection = collection,
	    .humongous = kind == GC_YOUNG && caused_by_humongous(s->parts.vm),
	    .blind = !vm_has(s->parts.vm, VM_GC_KINDS) && is_concurrent(s->parts.vm),
	    .generational = vm_gc_generational(s->parts.vm),
	    .idle = idle,
	    .wall_ns = now_wall_ns(),
	    .used = vm_used(s->parts.vm),
	};
	unsigned look = judge_finish(&s->judge, &pause);
	if (look == 0)
		return;
	atomic_fetch_or(&s->looks, look);
	atomic_fetch_add(&s->collected, 1);
	sem_post(&s->wake);
}

void sampler_on_judged(struct sampler *s, sampler_judged *judged, void *context)
{
	s->judged_context = context;
	atomic_store(&s->on_judged, judged);
}

void sampler_on_fired(struct sampler *s, sampler_fired *fired, void *context)
{
	s->fired_context = context;
	atomic_store(&s->on_fired, fired);
}

void sampler_vm_death(struct sampler *s)
{
	if (s == NULL || !atomic_exchange(&s->on, false))
		return;
	sampler_set_event(s, JVMTI_DISABLE);
}

uint64_t sampler_interval(const struct sampler *s)
{
	return atomic_load(&s->sampled) ? atomic_load(&s->interval) : 0;
}

struct sample_store *sampler_lock(struct sampler *s)
{
	pthread_mutex_lock(&s->lock);
	if (s->sample_store == NULL)
		pthread_mutex_unlock(&s->lock);
	return s->sample_store;
}

void sampler_unlock(struct sampler *s)
{
	pthread_mutex_unlock(&s->lock);
}

bool sampler_has_error(struct sampler *s)
{
	pthread_mutex_lock(&s->requests_lock);
	bool last_error = s->request_count == 0 && s->last_error[0] != '\0';
	pthread_mutex_unlock(&s->requests_lock);
	return last_error;
}

void sampler_describe(struct sampler *s, char *text, size_t size)
{
	char number[40];
	uint64_t interval = sampler_interval(s);
	pthread_mutex_lock(&s->requests_lock);
	if (interval != 0) {
		gcs_format_number(number, sizeof number, (int64_t)interval, GCS_BYTES);
		snprintf(text, size, "on, one sample every %s on average", number);
	} else if (s->last_error[0] != '\0') {
		snprintf(text, size, "off: %s", s->last_error);
	} else {
		snprintf(text, size, "off");
	}
	pthread_mutex_unlock(&s->requests_lock);
}

void sampler_describe_walk(const struct sampler *s, char *text, size_t size)
{
	walker_describe(s->walker, text, size);
}
