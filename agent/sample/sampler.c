#include "sampler_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "initial_interval.h"
#include "now.h"
#include "thread.h"

/* How often the ring is emptied while samples come, and how many empty rounds make the thread sleep
 * until one comes. */
enum { ROUND_MS = 50, QUIET_ROUNDS = 20 };

/* How often the capability is tried again while another agent has it. */
#define RETRY_NS 5000000000u

/* Watched samples with generational ZGC: each keeps its object, and what that refers to, alive
 * until the next major collection (measured: 84,000 of them cost 2.5 times the processor time). */
enum { MOST_DELAYED = 1024 };

/* How often general information is renewed. */
#define TELL_NS 2000000000u

/* The JVM's own interval, for agents that come later. */
enum { JVM_INTERVAL = 512 * 1024 };

/* Turning off waits so long for threads that are inside the callback. */
enum { LEAVE_PATIENCE_MS = 2000 };

/*
 * Where the next sampler begins to count, after this one is destroyed: threads keep names by the
 * generation of their stack table, and samples are told apart by their numbers.
 */
static struct {
	uint32_t generation;
	uint64_t id;
} next_sampler;

/* The JVM's thread. */

static bool attach(struct sampler *s)
{
	char name[] = "gcspy-sampler";
	JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_8, .name = name};
	return s->jni != NULL || (*s->parts.java)
					 ->AttachCurrentThreadAsDaemon(
					     s->parts.java, (void **)&s->jni, &arguments) == JNI_OK;
}

static void detach(struct sampler *s)
{
	if (s->jni != NULL)
		(*s->parts.java)->DetachCurrentThread(s->parts.java);
	s->jni = NULL;
}

static void set_event(struct sampler *s, jvmtiEventMode mode)
{
	(*s->parts.jvmti)
	    ->SetEventNotificationMode(
		s->parts.jvmti, mode, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
}

static void set_last_error(struct sampler *s, const char *words)
{
	pthread_mutex_lock(&s->wishes_lock);
	snprintf(s->last_error, sizeof s->last_error, "%s", words);
	pthread_mutex_unlock(&s->wishes_lock);
}

/* A fresh sample store and stack table: what was sampled before the pause is not mixed with what
 * comes. */
static enum gcs_status begin_anew(struct sampler *s)
{
	size_t stack_table_bytes = s->options.site_bytes * SAMPLER_DEPOT_PERCENT / 100;
	struct sample_store_limits limits = {
	    .live_bytes = s->options.live_bytes,
	    .live_most = s->delayed ? MOST_DELAYED : 0,
	    .sites = (uint32_t)((s->options.site_bytes - stack_table_bytes) / SAMPLER_SITE_BYTES),
	    .recent = s->options.recent,
	    .frequent = s->options.frequent,
	    .seed = now_ns(),
	};
	pthread_mutex_lock(&s->lock);
	sample_store_destroy(s->sample_store);
	s->sample_store = NULL;
	table_epochs_fini(&s->table_epochs);
	atomic_fetch_add(&s->table_epochs.generation, 2); /* threads' cached names are void */
	if (table_epochs_init(&s->table_epochs, stack_table_bytes)) {
		s->sample_store = sample_store_create(&limits,
		    s->table_epochs.two[atomic_load(&s->table_epochs.generation) & 1].stack_table);
		s->since_wall_ns = now_wall_ns();
		s->lost_before = atomic_load(&s->lost);
	}
	bool ok = s->sample_store != NULL;
	pthread_mutex_unlock(&s->lock);
	s->moving = false;
	s->stash.count = 0;
	walker_forget(s->walker);
	atomic_store(&s->collections, 0);
	atomic_store(&s->threshold, (uint64_t)1 << 32);
	s->lost_seen[0] = atomic_load(&s->lost);
	s->lost_seen[1] = atomic_load(&s->lost_bytes);
	s->lost_seen[2] = atomic_load(&s->lost_objects);
	return ok ? GCS_OK : GCS_NOMEM;
}

static enum gcs_status refuse_capability(struct sampler *s, jvmtiError error, uint64_t interval)
{
	detach(s);
	if (error != JVMTI_ERROR_NOT_AVAILABLE) {
		set_last_error(
		    s, "this JVM has no sampling of allocations: JDK 11 or later is needed");
		return GCS_UNSUPPORTED;
	}
	set_last_error(
	    s, "another agent holds the JVM's sampling of allocations; tried again every 5 s");
	s->retry_ns = now_ns() + RETRY_NS;
	s->retry_interval = interval;
	return GCS_STATE;
}

static jvmtiCapabilities sampling_capability(void)
{
	return (jvmtiCapabilities){.can_generate_sampled_object_alloc_events = 1};
}

/* Lines and files of frames: other agents may have them as well, and they cost nothing. */
static void add_names_of_sources(jvmtiEnv *jvmti)
{
	jvmtiCapabilities lines = {.can_get_line_numbers = 1};
	jvmtiCapabilities files = {.can_get_source_file_name = 1};
	(void)(*jvmti)->AddCapabilities(jvmti, &lines);
	(void)(*jvmti)->AddCapabilities(jvmti, &files);
}

static bool nobody_inside(struct sampler *s)
{
	return table_epoch_quiescent(&s->table_epochs.two[0]) &&
	       table_epoch_quiescent(&s->table_epochs.two[1]);
}

static enum gcs_status turn_on(struct sampler *s, uint64_t interval)
{
	jvmtiEnv *jvmti = s->parts.jvmti;
	jvmtiCapabilities capabilities = sampling_capability();
	if (!nobody_inside(s)) {
		set_last_error(s, "a sample from before is not finished; try again");
		return GCS_STATE;
	}
	if (!attach(s)) {
		set_last_error(s, "the agent's thread cannot attach to the JVM");
		return GCS_STATE;
	}
	jvmtiError error = (*jvmti)->AddCapabilities(jvmti, &capabilities);
	if (error != JVMTI_ERROR_NONE)
		return refuse_capability(s, error, interval);
	add_names_of_sources(jvmti);
	if (begin_anew(s) != GCS_OK) {
		(*jvmti)->RelinquishCapabilities(jvmti, &capabilities);
		detach(s);
		set_last_error(s, "no memory for samples");
		return GCS_NOMEM;
	}
	initial_interval_begin();
	s->interval_set = true;
	(*jvmti)->SetHeapSamplingInterval(jvmti, (jint)interval);
	atomic_store(&s->interval, interval);
	atomic_store(&s->idle, false);
	s->quiet_rounds = 0;
	atomic_store(&s->on, true);
	set_event(s, JVMTI_ENABLE);
	set_last_error(s, "");
	return GCS_OK;
}

static void turn_off(struct sampler *s)
{
	jvmtiCapabilities capabilities = sampling_capability();
	set_event(s, JVMTI_DISABLE);
	atomic_store(&s->on, false);
	for (int i = 0; i < LEAVE_PATIENCE_MS && !nobody_inside(s); i++)
		thread_sleep_us(1000);
	sampler_release_all(s);
	atomic_store(&s->interval, 0);
	(*s->parts.jvmti)->RelinquishCapabilities(s->parts.jvmti, &capabilities);
	detach(s);
}

/* Wishes. */

static enum gcs_status apply(struct sampler *s, uint64_t interval)
{
	bool on = atomic_load(&s->on);
	s->retry_ns = 0;
	if (interval == 0) {
		if (on)
			turn_off(s);
		set_last_error(s, "");
		return GCS_OK;
	}
	if (!on)
		return turn_on(s, interval);
	(*s->parts.jvmti)->SetHeapSamplingInterval(s->parts.jvmti, (jint)interval);
	atomic_store(&s->interval, interval);
	return GCS_OK;
}

static void tell_state(struct sampler *s)
{
	char text[GCS_MAX_NAME + 1];
	sampler_describe(s, text, sizeof text);
	(void)gcs_server_set_info(s->parts.server, "Sampling", text, NULL);
	sampler_describe_walk(s, text, sizeof text);
	(void)gcs_server_set_info(s->parts.server, "Stack walk", text, NULL);
}

/* Counters for whoever watches, now and then. */
static void tell_now_and_then(struct sampler *s)
{
	uint64_t now = now_ns();
	/* The first to attach is told at once. */
	if (!gcs_server_attached(s->parts.server))
		s->tell_ns = 0;
	if (now < s->tell_ns || !gcs_server_attached(s->parts.server))
		return;
	s->tell_ns = now + TELL_NS;
	tell_state(s);
}

static bool next_wish(struct sampler *s, struct wish *wish)
{
	pthread_mutex_lock(&s->wishes_lock);
	bool any = s->wish_count != 0;
	if (any) {
		*wish = s->wishes[0];
		memmove(&s->wishes[0], &s->wishes[1], --s->wish_count * sizeof s->wishes[0]);
	}
	pthread_mutex_unlock(&s->wishes_lock);
	return any;
}

static void grant_wishes(struct sampler *s)
{
	struct wish wish;
	while (next_wish(s, &wish)) {
		char text[GCS_MAX_NAME + 1];
		enum gcs_status status = apply(s, wish.interval);
		sampler_describe(s, text, sizeof text);
		tell_state(s);
		if (wish.ticket != 0)
			gcs_server_answer(s->parts.server, wish.ticket, status, text, NULL, 0);
		else if (status != GCS_OK)
			s->parts.say(text);
	}
	if (s->retry_ns != 0 && now_ns() >= s->retry_ns) {
		if (apply(s, s->retry_interval) == GCS_OK)
			s->parts.say("sampling of allocations begins: the other agent has gone");
		tell_state(s);
	}
}

bool sampler_want(struct sampler *s, uint64_t interval, uint64_t ticket)
{
	pthread_mutex_lock(&s->wishes_lock);
	bool room = s->wish_count < SAMPLER_WISHES;
	if (room)
		s->wishes[s->wish_count++] = (struct wish){interval, ticket};
	pthread_mutex_unlock(&s->wishes_lock);
	sem_post(&s->wake);
	return room;
}

/* The thread. */

static void wait_ms(struct sampler *s, long ms)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ms % 1000 * 1000000;
	until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	(void)sem_timedwait(&s->wake, &until);
}

static void wait_for_work(struct sampler *s)
{
	if (s->retry_ns != 0) {
		wait_ms(s, 1000);
	} else if (!atomic_load(&s->on)) {
		while (sem_wait(&s->wake) != 0 && errno == EINTR)
			continue;
	} else if (s->quiet_rounds < QUIET_ROUNDS) {
		wait_ms(s, ROUND_MS);
	} else {
		/* A sample put before the flag was set is found in the round that follows; one put
		 * after it wakes us. */
		atomic_store(&s->idle, true);
		if (sampler_drain(s) == 0)
			while (sem_wait(&s->wake) != 0 && errno == EINTR)
				continue;
		atomic_store(&s->idle, false);
		s->quiet_rounds = 0;
	}
}

/* Sets the interval back that the JVM had before us; that needs the capability. */
static void restore_interval(struct sampler *s)
{
	jvmtiEnv *jvmti = s->parts.jvmti;
	jvmtiCapabilities capabilities = sampling_capability();
	const bool on = atomic_load(&s->on);
	if (!s->interval_set ||
	    (!on && (*jvmti)->AddCapabilities(jvmti, &capabilities) != JVMTI_ERROR_NONE))
		return;
	(*jvmti)->SetHeapSamplingInterval(jvmti, JVM_INTERVAL);
	if (!on)
		(*jvmti)->RelinquishCapabilities(jvmti, &capabilities);
}

static void run(void *context)
{
	struct sampler *s = context;
	for (;;) {
		wait_for_work(s);
		if (atomic_load(&s->ending))
			break;
		grant_wishes(s);
		if (!atomic_load(&s->on))
			continue;
		s->quiet_rounds = sampler_drain(s) == 0 ? s->quiet_rounds + 1 : 0;
		sampler_judge(s);
		sampler_make_room(s);
		sampler_discard(s);
		tell_now_and_then(s);
	}
	restore_interval(s);
	if (atomic_load(&s->on))
		turn_off(s);
}

/* Creation. */

static bool is_delayed(const struct vm *vm)
{
	bool generational = false;
	if (vm_collector(vm) != VM_COLLECTOR_ZGC)
		return false;
	/* The flag came with JDK 21 and went, with the other mode, after 23. */
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
	s->delayed = is_delayed(s->parts.vm);
	s->walker = walker_create(s->parts.vm, s->parts.jvmti, s->options.depth, s->options.walk);
	s->ring = ring_create(SAMPLER_RING);
	atomic_init(&s->threshold, (uint64_t)1 << 32);
	atomic_init(&s->table_epochs.generation, next_sampler.generation);
	atomic_init(&s->next_id, next_sampler.id);
	s->has_lock = pthread_mutex_init(&s->lock, NULL) == 0;
	s->has_wishes_lock = pthread_mutex_init(&s->wishes_lock, NULL) == 0;
	s->has_wake = sem_init(&s->wake, 0, 0) == 0;
	return s->walker != NULL && s->ring != NULL && s->has_lock && s->has_wishes_lock &&
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

/* A thread that was inside the callback when sampling was turned off has left a reference. */
static void empty_ring(struct sampler *s, JNIEnv *jni)
{
	struct sample sample;
	while (s->ring != NULL && ring_take(s->ring, &sample))
		if (sample.weak != NULL)
			(*jni)->DeleteWeakGlobalRef(jni, sample.weak);
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
	if (s->has_wake)
		sem_destroy(&s->wake);
	if (s->has_wishes_lock)
		pthread_mutex_destroy(&s->wishes_lock);
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
	tell_state(s);
	if (options->interval != 0)
		sampler_want(s, options->interval, 0);
	return s;
}

/* What a pause means for watched samples: is a collection over, which an object has survived or
 * not; and which references may have been cleared. */
struct collected {
	bool counts;
	bool young; /* those of young objects */
	bool all;
};

static struct collected what_happened(enum gc_kind kind)
{
	switch (kind) {
	case GC_YOUNG:
	case GC_MIXED:
		return (struct collected){.counts = true, .young = true};
	/* Between two pauses of a cycle. */
	case GC_CLEANUP:
	case GC_MARK_START:
	case GC_YOUNG_MARK_START:
	case GC_BOTH_MARK_START:
	case GC_INIT_MARK:
	case GC_INIT_UPDATE_REFS:
	case GC_MARK_END:
	case GC_YOUNG_MARK_END:
	case GC_OLD_MARK_END:
		return (struct collected){0};
	/* References have been processed, the collection is not over or is not one of its own. */
	case GC_REMARK:
	case GC_FINAL_MARK:
	case GC_OLD_RELOCATE_START:
		return (struct collected){.all = true};
	default:
		return (struct collected){.counts = true, .all = true};
	}
}

void sampler_collected(struct sampler *s, enum gc_kind kind)
{
	if (s == NULL || !atomic_load_explicit(&s->on, memory_order_relaxed))
		return;
	struct collected c = what_happened(kind);
	if (!c.counts && !c.young && !c.all)
		return;
	if (c.counts)
		atomic_fetch_add(&s->collections, 1);
	if (c.young)
		atomic_store(&s->swept_young, true);
	if (c.all)
		atomic_store(&s->swept_all, true);
	sem_post(&s->wake);
}

void sampler_vm_death(struct sampler *s)
{
	if (s == NULL || !atomic_exchange(&s->on, false))
		return;
	set_event(s, JVMTI_DISABLE);
}

uint64_t sampler_interval(const struct sampler *s)
{
	return atomic_load(&s->interval);
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

bool sampler_in_trouble(struct sampler *s)
{
	pthread_mutex_lock(&s->wishes_lock);
	bool last_error = s->wish_count == 0 && s->last_error[0] != '\0';
	pthread_mutex_unlock(&s->wishes_lock);
	return last_error;
}

void sampler_describe(struct sampler *s, char *text, size_t size)
{
	char number[40];
	uint64_t interval = sampler_interval(s);
	pthread_mutex_lock(&s->wishes_lock);
	if (interval != 0) {
		gcs_format_number(number, sizeof number, (int64_t)interval, GCS_BYTES);
		snprintf(text, size, "on, one sample every %s on average", number);
	} else if (s->last_error[0] != '\0') {
		snprintf(text, size, "off: %s", s->last_error);
	} else {
		snprintf(text, size, "off");
	}
	pthread_mutex_unlock(&s->wishes_lock);
}

void sampler_describe_walk(const struct sampler *s, char *text, size_t size)
{
	walker_describe(s->walker, text, size);
}
