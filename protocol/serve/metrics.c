/*
 * Names are those of OpenTelemetry's conventions for JVMs, as Prometheus writes them, where there are such;
 * what GCspy alone knows begins with gcspy_. What is not known of a target has no sample.
 */
#include "metrics.h"

#include <string.h>

#include <gcspy/memory.h>

struct metrics_shot {
	struct target_identity is;
	enum target_state state;
	int64_t connected_ns;
	char collector[40];
	struct running_values values;
	struct target_samples *samples; /* with a reference; or NULL */
	struct process_usage usage;
	struct running_mark mark;
	char recording[RECORDING_NAME];
};

struct metrics {
	struct metrics_shot *shots;
	size_t count;
	struct targets *targets;
	/* What is being encoded. */
	struct metric metric;
	metric_encode *encode;
	void *context;
};

static void label(struct metrics *m, const char *key, const char *value)
{
	m->metric.labels[m->metric.label_count++] = (struct metric_label){key, value};
}

/* Passes the value on, and begins the next one. */
static void pass(struct metrics *m)
{
	m->encode(m->context, &m->metric);
	m->metric.label_count = 0;
}

static void whole(struct metrics *m, uint64_t value)
{
	m->metric.kind = METRIC_WHOLE;
	m->metric.whole = value;
	pass(m);
}

static void real(struct metrics *m, double value)
{
	m->metric.kind = METRIC_REAL;
	m->metric.real = value;
	pass(m);
}

static void whole_if(struct metrics *m, bool known, uint64_t value)
{
	if (known)
		whole(m, value);
}

static void write_up(struct metrics *m, const struct metrics_shot *s)
{
	whole_if(m, true, s->state == TARGET_LIVE);
}

static void write_info(struct metrics *m, const struct metrics_shot *s)
{
	if (s->state != TARGET_LIVE)
		return;
	label(m, "java_version", s->is.java);
	label(m, "jvm_gc_name", s->collector);
	if (s->is.container[0] != '\0')
		label(m, "container_id", s->is.container);
	whole(m, 1);
}

static void write_used(struct metrics *m, const struct metrics_shot *s)
{
	const struct running_values *v = &s->values;
	for (uint32_t i = 0; i < v->pool_count; i++) {
		label(m, "jvm_memory_type", "heap");
		label(m, "jvm_memory_pool_name", v->pools[i].name);
		whole(m, v->pools[i].used);
	}
	if (v->pool_count != 0 || !v->has_used)
		return;
	label(m, "jvm_memory_type", "heap");
	whole(m, v->used);
}

static void write_committed(struct metrics *m, const struct metrics_shot *s)
{
	if (!s->values.has_committed)
		return;
	label(m, "jvm_memory_type", "heap");
	whole(m, s->values.committed);
}

static void write_heap_limit(struct metrics *m, const struct metrics_shot *s)
{
	if (s->values.limit == 0)
		return;
	label(m, "jvm_memory_type", "heap");
	whole(m, s->values.limit);
}

static void write_after(struct metrics *m, const struct metrics_shot *s)
{
	const struct running_values *v = &s->values;
	for (uint32_t i = 0; i < v->after_count; i++) {
		label(m, "jvm_memory_type", "heap");
		label(m, "jvm_memory_pool_name", v->after[i].name);
		whole(m, v->after[i].used);
	}
}

static void write_fragmentation(struct metrics *m, const struct metrics_shot *s)
{
	if (s->values.has_fragmentation)
		real(m, s->values.fragmentation);
}

static void write_largest(struct metrics *m, const struct metrics_shot *s)
{
	whole_if(m, s->values.has_fragmentation, s->values.largest_free);
}

static void write_native(struct metrics *m, const struct metrics_shot *s)
{
	whole_if(m, s->values.has_native, s->values.native_used);
}

static void write_cpu(struct metrics *m, const struct metrics_shot *s)
{
	if (s->usage.known)
		real(m, s->usage.cpu_s);
}

static void write_gc_cpu(struct metrics *m, const struct metrics_shot *s)
{
	if (s->usage.known && s->usage.gc_known)
		real(m, s->usage.gc_cpu_s);
}

static void write_resident(struct metrics *m, const struct metrics_shot *s)
{
	whole_if(m, s->usage.known, s->usage.resident_bytes);
}

static void write_allocated(struct metrics *m, const struct metrics_shot *s)
{
	whole_if(m, s->values.has_allocated, s->values.allocated);
}

static void write_promoted(struct metrics *m, const struct metrics_shot *s)
{
	whole_if(m, s->values.has_promoted, s->values.promoted);
}

static void write_waste(struct metrics *m, const struct metrics_shot *s)
{
	whole_if(m, s->values.has_tlab_waste, s->values.tlab_waste);
}

static void write_humongous(struct metrics *m, const struct metrics_shot *s)
{
	whole_if(m, s->values.has_humongous, s->values.humongous);
}

static void write_pauses(struct metrics *m, const struct metrics_shot *s)
{
	for (uint32_t i = 0; i < s->values.pause_count; i++) {
		const struct running_pauses *p = &s->values.pauses[i];
		label(m, "jvm_gc_name", s->collector);
		label(m, "jvm_gc_action", p->kind);
		label(m, "jvm_gc_cause", p->cause);
		m->metric.kind = METRIC_PAUSES;
		m->metric.pauses = p;
		pass(m);
	}
}

static void write_sampled(struct metrics *m, const struct metrics_shot *s)
{
	if (s->samples != NULL && s->samples->known)
		whole(m, (uint64_t)s->samples->allocated_bytes);
}

/* The profile is some seconds old, and what has died in the old generation counts as live until a collection of
 * it: like `gcspy sites`, no more is shown than the heap has in use, and all classes are reduced alike. */
static double live_factor(const struct metrics_shot *s)
{
	const double used = (double)running_values_used(&s->values), live = s->samples->live_bytes;
	return s->values.has_used && used < live ? used / live : 1;
}

static void write_classes(struct metrics *m, const struct metrics_shot *s)
{
	if (s->samples == NULL || !s->samples->known || s->samples->live_bytes == 0)
		return;
	const double factor = live_factor(s);
	for (uint32_t i = 0; i < s->samples->class_count; i++) {
		label(m, "class", s->samples->classes[i].name);
		whole(m, (uint64_t)(factor * s->samples->classes[i].bytes));
	}
	label(m, "class", "(other)");
	whole(m, (uint64_t)(factor * s->samples->other_bytes));
}

static void write_profile_time(struct metrics *m, const struct metrics_shot *s)
{
	if (s->samples != NULL && s->samples->known)
		real(m, (double)s->samples->wall_ns / 1e9);
}

static void write_cost(struct metrics *m, const struct metrics_shot *s)
{
	if (s->values.events == 0)
		return;
	real(m, (double)s->values.cost_ns / 1e9);
}

static void write_events(struct metrics *m, const struct metrics_shot *s)
{
	whole_if(m, s->values.events != 0, s->values.events);
}

static void write_missed(struct metrics *m, const struct metrics_shot *s)
{
	whole_if(m, s->values.events != 0, s->values.missed);
}

static void write_time(struct metrics *m, const struct metrics_shot *s)
{
	if (s->values.events == 0)
		return;
	real(m, (double)s->values.wall_ns / 1e9);
}

static void write_push(struct metrics *m, const char *outcome, size_t field)
{
	for (uint32_t i = 0; i < TARGETS_PUSHES; i++) {
		const struct push_counts *p = &m->targets->pushes[i];
		if (p->receiver == NULL)
			continue;
		label(m, "receiver", p->receiver);
		if (outcome != NULL)
			label(m, "outcome", outcome);
		whole(m, atomic_load((const atomic_ullong *)((const char *)p + field)));
	}
}

static void write_requests(struct metrics *m, const struct metrics_shot *s)
{
	(void)s;
	write_push(m, "sent", offsetof(struct push_counts, sent));
	write_push(m, "refused", offsetof(struct push_counts, refused));
	write_push(m, "dropped", offsetof(struct push_counts, dropped));
}

static void write_failures(struct metrics *m, const struct metrics_shot *s)
{
	(void)s;
	write_push(m, NULL, offsetof(struct push_counts, failures));
}

static void write_queue(struct metrics *m, const struct metrics_shot *s)
{
	(void)s;
	write_push(m, NULL, offsetof(struct push_counts, queued_bytes));
}

const struct metric_family metric_families[] = {
    {"gcspy_target_up", "gauge", NULL,
	"Whether the JVM's agent is connected: 1, or 0 for a JVM that cannot be attached to "
	"(/targets says why)",
	write_up, METRIC_OF_JVM},
    {"gcspy_target_info", "gauge", NULL, "Always 1; release and collector of the JVM", write_info,
	METRIC_OF_JVM},
    {"jvm_memory_used_bytes", "gauge", "bytes",
	"Used bytes of the Java heap at the last event: a collection, or a clock tick of the "
	"agent. By pool where the collector tells its pools; garbage that is not collected yet is "
	"included",
	write_used, METRIC_OF_JVM},
    {"jvm_memory_committed_bytes", "gauge", "bytes",
	"Committed bytes of the Java heap at the last event", write_committed, METRIC_OF_JVM},
    {"jvm_memory_limit_bytes", "gauge", "bytes", "The most that the Java heap may have: -Xmx",
	write_heap_limit, METRIC_OF_JVM},
    {"jvm_memory_used_after_last_gc_bytes", "gauge", "bytes",
	"Used bytes of the Java heap at the end of the last collection, by pool. Not known of "
	"collectors that free memory while the program runs",
	write_after, METRIC_OF_JVM},
    {"gcspy_fragmentation_ratio", "gauge", NULL,
	"Share of the free memory of the heap's regions, or of the old generation, outside its "
	"longest free run, at the last event",
	write_fragmentation, METRIC_OF_JVM},
    {"gcspy_largest_free_bytes", "gauge", "bytes",
	"Longest free run of the heap's regions, or of the old generation, at the last event",
	write_largest, METRIC_OF_JVM},
    {"gcspy_native_used_bytes", "gauge", "bytes",
	"Bytes of blocks of the native heap, where libgcspymalloc.so is preloaded", write_native,
	METRIC_OF_JVM},
    {"process_memory_usage_bytes", "gauge", "bytes", "Resident memory of the process",
	write_resident, METRIC_OF_JVM},
    {"jvm_cpu_time_seconds", "counter", "seconds", "Processor time of the process since it began",
	write_cpu, METRIC_OF_JVM},
    {"gcspy_gc_cpu_seconds", "counter", "seconds",
	"Processor time of the collector's threads since they began, by their names; with Serial "
	"of the VM's thread, which collects",
	write_gc_cpu, METRIC_OF_JVM},
    {"gcspy_allocated_bytes", "counter", "bytes",
	"Bytes allocated in the Java heap since gcspy serve connected, by the growth of the heap "
	"between collections. Not known of collectors that free memory while the program runs",
	write_allocated, METRIC_SINCE_CONNECTED},
    {"gcspy_promoted_bytes", "counter", "bytes",
	"Growth of the old generation in young collections since gcspy serve connected",
	write_promoted, METRIC_SINCE_CONNECTED},
    {"gcspy_tlab_waste_bytes", "counter", "bytes",
	"Bytes in threads' allocation buffers that collections and refills left unused",
	write_waste, METRIC_SINCE_CONNECTED},
    {"gcspy_humongous_regions", "gauge", NULL,
	"Regions of humongous objects after the last collection", write_humongous, METRIC_OF_JVM},
    {"jvm_gc_duration_seconds", "histogram", "seconds",
	"Pauses of the program for collections, by kind (jvm_gc_action) and cause; at most 48 "
	"pairs of these, the rest is \"other\". The sum is the time in pauses, not the collector's "
	"processor time",
	write_pauses, METRIC_SINCE_CONNECTED},
    {"gcspy_sampled_allocated_bytes", "counter", "bytes",
	"Bytes allocated since sampling began, estimated from sampled allocations", write_sampled,
	METRIC_OF_JVM},
    {"gcspy_live_bytes", "gauge", "bytes",
	"Bytes of live objects by class, estimated from sampled allocations: of the classes with "
	"most, as many as --top-classes says, and \"(other)\" for the rest. Objects older than "
	"sampling are missing. What has died in the old generation counts until a collection of "
	"it; together no more than the heap has in use",
	write_classes, METRIC_OF_JVM},
    {"gcspy_profile_timestamp_seconds", "gauge", "seconds",
	"Time of the profile that gcspy_live_bytes is from, since 1970 UTC", write_profile_time,
	METRIC_OF_JVM},
    {"gcspy_cost_seconds", "counter", "seconds",
	"Time that the agent has added to pauses of the program since it was loaded", write_cost,
	METRIC_OF_JVM},
    {"gcspy_events", "counter", NULL, "Events received from the agent", write_events,
	METRIC_SINCE_CONNECTED},
    {"gcspy_events_missed", "counter", NULL,
	"Events that were dropped because this process was slow; what happened in them is not "
	"counted",
	write_missed, METRIC_SINCE_CONNECTED},
    {"gcspy_last_event_timestamp_seconds", "gauge", "seconds",
	"Time of the last event, since 1970 UTC: how old the other values are", write_time,
	METRIC_OF_JVM},
    {"gcspy_push_requests", "counter", NULL,
	"Requests of gcspy push, by receiver and outcome: sent, refused, or dropped because the "
	"queue was full",
	write_requests, METRIC_OF_US},
    {"gcspy_push_failures", "counter", NULL,
	"Attempts to send one that failed; they are made again", write_failures, METRIC_OF_US},
    {"gcspy_push_queue_bytes", "gauge", "bytes", "Size of the requests that wait", write_queue,
	METRIC_OF_US},
};

const size_t metric_family_count = sizeof metric_families / sizeof metric_families[0];

struct metrics *metrics_take(struct targets *t)
{
	struct metrics *m = gcs_zalloc(sizeof *m);
	if (m == NULL)
		return NULL;
	struct target **all = targets_all(t, &m->count);
	m->shots = all == NULL ? NULL : gcs_zalloc((m->count + 1) * sizeof *m->shots);
	m->targets = t;
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; m->shots != NULL && i < m->count; i++) {
		struct metrics_shot *s = &m->shots[i];
		s->is = all[i]->is;
		s->state = all[i]->state;
		s->connected_ns = all[i]->connected_ns;
		memcpy(s->collector, all[i]->collector, sizeof s->collector);
		(void)running_values_copy(&s->values, &all[i]->values);
		s->samples = all[i]->samples;
		if (s->samples != NULL)
			s->samples->references++;
		s->usage = all[i]->usage;
		s->mark = all[i]->mark;
		memcpy(s->recording, all[i]->recording, sizeof s->recording);
	}
	pthread_mutex_unlock(&t->lock);
	targets_release_all(t, all, m->count);
	if (m->shots != NULL)
		return m;
	gcs_free(m);
	return NULL;
}

void metrics_free(struct metrics *m)
{
	if (m == NULL)
		return;
	pthread_mutex_lock(&m->targets->lock);
	for (size_t i = 0; i < m->count; i++)
		target_samples_release(m->shots[i].samples);
	pthread_mutex_unlock(&m->targets->lock);
	for (size_t i = 0; i < m->count; i++)
		running_values_fini(&m->shots[i].values);
	gcs_free(m->shots);
	gcs_free(m);
}

size_t metrics_count(const struct metrics *m)
{
	return m->count + 1;
}

const struct metrics_shot *metrics_at(const struct metrics *m, size_t target)
{
	return target < m->count ? &m->shots[target] : NULL;
}

const struct target_identity *metrics_identity(const struct metrics_shot *shot)
{
	return &shot->is;
}

const char *metrics_recording(const struct metrics_shot *shot, const struct running_pauses *pauses)
{
	return pauses->mark != 0 && pauses->mark == shot->mark.number &&
		       pauses->marked_wall_ns <= shot->mark.until_ns
		   ? shot->recording
		   : NULL;
}

int64_t metrics_connected_ns(const struct metrics_shot *shot)
{
	return shot->connected_ns;
}

void metrics_encode(struct metrics *m, const struct metric_family *family,
    const struct metrics_shot *target, metric_encode *encode, void *context)
{
	if ((family->scope == METRIC_OF_US) != (target == NULL))
		return;
	m->metric = (struct metric){.family = family, .of = target};
	m->encode = encode;
	m->context = context;
	family->write(m, target);
}
