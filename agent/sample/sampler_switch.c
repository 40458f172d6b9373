/* Turning sampling on and off in the JVM. On the sampler's thread. */
#include "sampler_internal.h"

#include <stdio.h>

#include "initial_interval.h"
#include "now.h"
#include "thread.h"

/* Retry period while another agent holds the capability. */
#define RETRY_NS 5000000000u

/* Maximum of tracked samples with generational ZGC: each keeps its object, and everything that that
 * refers to, alive until the next major collection (measured: 84,000 of them cost 2.5 times the
 * processor time). */
enum { MOST_DELAYED = 1024 };

/* And of the maximum heap, the share of their objects: large ones would fill it with garbage. G1 keeps
 * humongous ones until the next marking, which young collections would have freed at once without a
 * reference (G1EagerReclaimHumongousObjects); but there a limit leaves too few of the live ones. */
enum { DELAYED_SHARE = 16 };

/* HotSpot's default interval, for agents that are attached later. */
enum { JVM_INTERVAL = 512 * 1024 };

/* Maximum wait for threads that are inside the callback. */
enum { LEAVE_TIMEOUT_MS = 2000 };

static bool attach(struct sampler *s)
{
	char name[] = "gcspy-sampler";
	JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_8, .name = name};
	return s->jni != NULL || (*s->parts.java)
					 ->AttachCurrentThreadAsDaemon(
					     s->parts.java, (void **)&s->jni, &arguments) == JNI_OK;
}

void sampler_leave_jvm(struct sampler *s)
{
	if (s->jni != NULL)
		(*s->parts.java)->DetachCurrentThread(s->parts.java);
	s->jni = NULL;
}

void sampler_set_event(struct sampler *s, jvmtiEventMode mode)
{
	(*s->parts.jvmti)
	    ->SetEventNotificationMode(
		s->parts.jvmti, mode, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
}

static void set_last_error(struct sampler *s, const char *text)
{
	pthread_mutex_lock(&s->requests_lock);
	snprintf(s->last_error, sizeof s->last_error, "%s", text);
	pthread_mutex_unlock(&s->requests_lock);
}

/* Creates a new sample store and stack table, so that samples from before a break are not mixed
 * with later ones. */
static enum gcs_status begin_anew(struct sampler *s)
{
	size_t stack_table_bytes = s->options.site_bytes * SAMPLER_TABLE_PERCENT / 100;
	struct sample_store_limits limits = {
	    .live_bytes = s->options.live_bytes,
	    .live_most = s->delayed ? MOST_DELAYED : 0,
	    .object_bytes = s->delayed ? vm_max_heap(s->parts.vm) / DELAYED_SHARE : 0,
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
	if (ok)
		sample_store_thresholds(s->sample_store, &s->threshold);
	pthread_mutex_unlock(&s->lock);
	s->moving = false;
	s->stash.count = 0;
	walker_forget(s->walker);
	judge_begin(&s->judge);
	s->judgement = judge_read(&s->judge);
	atomic_store(&s->looks, 0);
	atomic_store(&s->marked, atomic_load(&s->collected));
	s->lost_seen[0] = atomic_load(&s->lost);
	s->lost_seen[1] = atomic_load(&s->lost_bytes);
	s->lost_seen[2] = atomic_load(&s->lost_objects);
	return ok ? GCS_OK : GCS_NOMEM;
}

static enum gcs_status reject_capability(struct sampler *s, jvmtiError error, uint64_t interval)
{
	if (error != JVMTI_ERROR_NOT_AVAILABLE) {
		set_last_error(
		    s, "this JVM has no sampling of allocations: JDK 11 or later is needed");
		return GCS_UNSUPPORTED;
	}
	set_last_error(
	    s, "another agent holds the JVM's sampling of allocations; retrying every 5 s");
	s->retry_ns = now_ns() + RETRY_NS;
	s->retry_interval = interval;
	return GCS_STATE;
}

static jvmtiCapabilities sampling_capability(void)
{
	return (jvmtiCapabilities){.can_generate_sampled_object_alloc_events = 1};
}

/* Lines and files of frames: other agents may have these capabilities as well, and they cost
 * nothing. */
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
		set_last_error(s, "an earlier sample is not finished; try again");
		return GCS_STATE;
	}
	if (!attach(s)) {
		set_last_error(s, "the agent's thread cannot attach to the JVM");
		return GCS_STATE;
	}
	jvmtiError error = (*jvmti)->AddCapabilities(jvmti, &capabilities);
	if (error != JVMTI_ERROR_NONE)
		return reject_capability(s, error, interval);
	add_names_of_sources(jvmti);
	if (begin_anew(s) != GCS_OK) {
		(*jvmti)->RelinquishCapabilities(jvmti, &capabilities);
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
	sampler_set_event(s, JVMTI_ENABLE);
	atomic_store(&s->sampled, true);
	set_last_error(s, "");
	return GCS_OK;
}

void sampler_turn_off(struct sampler *s)
{
	jvmtiCapabilities capabilities = sampling_capability();
	sampler_set_event(s, JVMTI_DISABLE);
	atomic_store(&s->on, false);
	for (int i = 0; i < LEAVE_TIMEOUT_MS && !nobody_inside(s); i++)
		thread_sleep_us(1000);
	sampler_release_all(s);
	atomic_store(&s->sampled, false);
	atomic_store(&s->interval, 0);
	(*s->parts.jvmti)->RelinquishCapabilities(s->parts.jvmti, &capabilities);
}

enum gcs_status sampler_set_interval(struct sampler *s, uint64_t interval)
{
	bool on = atomic_load(&s->on);
	s->retry_ns = 0;
	if (interval == 0) {
		if (on)
			sampler_turn_off(s);
		set_last_error(s, "");
		return GCS_OK;
	}
	if (!on)
		return turn_on(s, interval);
	(*s->parts.jvmti)->SetHeapSamplingInterval(s->parts.jvmti, (jint)interval);
	atomic_store(&s->interval, interval);
	return GCS_OK;
}

/* Restores the interval that the JVM had before us; that requires the capability. */
void sampler_restore_interval(struct sampler *s)
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
