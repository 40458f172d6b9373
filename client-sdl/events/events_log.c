#include "events_log.h"

#include <string.h>

#define SAMPLE_NS UINT64_C(250000000) /* between two samples of the counters */

void events_log_clear(struct events_log *log)
{
	memset(log, 0, sizeof *log);
}

static const struct events_sample *sample_at(const struct events_log *log, uint32_t i)
{
	return &log->sample[(log->sample_first + i) % EVENTS_SAMPLES];
}

/* Maxima cannot be undone one by one: starts again. */
static void go_back_to(struct events_log *log, uint64_t time_ns)
{
	while (log->sample_count > 0 && sample_at(log, log->sample_count - 1)->time_ns >= time_ns)
		log->sample_count--;
	memset(log->figures, 0, sizeof log->figures);
}

static void add_sample(struct events_log *log, const struct gcs_snapshot *snapshot)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	const uint64_t now = gcs_snapshot_occurrence(snapshot)->time_ns;
	if (log->sample_count > 0 &&
	    now - sample_at(log, log->sample_count - 1)->time_ns < SAMPLE_NS)
		return;
	if (log->sample_count == EVENTS_SAMPLES) {
		log->sample_first = (log->sample_first + 1) % EVENTS_SAMPLES;
		log->sample_count--;
	}
	struct events_sample *s =
	    &log->sample[(log->sample_first + log->sample_count++) % EVENTS_SAMPLES];
	s->time_ns = now;
	for (uint32_t i = 0; i < model->event_count && i < GCS_MAX_EVENTS; i++)
		s->counter[i] = gcs_snapshot_counter(snapshot, i);
}

void events_figures_add(struct events_figures *f, const struct event_header *m)
{
	f->seen = true;
	f->last_ns = m->time_ns;
	f->last_wall_ns = m->wall_ns;
	if (m->pause_ns < 0)
		return;
	f->pauses++;
	f->pause_ns += (uint64_t)m->pause_ns;
	if ((uint64_t)m->pause_ns > f->longest_ns)
		f->longest_ns = (uint64_t)m->pause_ns;
}

void events_log_add(struct events_log *log, const struct gcs_snapshot *snapshot, uint64_t now_ms)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(snapshot);
	if (o->event >= model->event_count || o->event >= GCS_MAX_EVENTS)
		return;
	/* Another snapshot at the same event, such as one after a zoom. */
	if (o->sequence == log->newest_sequence && o->time_ns == log->newest_ns)
		return;
	if (o->time_ns < log->newest_ns)
		go_back_to(log, o->time_ns);
	log->newest_ns = o->time_ns;
	log->newest_sequence = o->sequence;
	log->arrived_ms = now_ms;
	add_sample(log, snapshot);
	const struct event_header m = event_header_of(snapshot);
	events_figures_add(&log->figures[o->event], &m);
}

/* The oldest sample in the span; if events are rare, the newest one before the last. */
static const struct events_sample *base_of(const struct events_log *log, uint64_t now)
{
	for (uint32_t i = 0; i < log->sample_count; i++) {
		const struct events_sample *s = sample_at(log, i);
		if (s->time_ns < now && now - s->time_ns <= EVENTS_SPAN_NS)
			return s;
	}
	for (uint32_t i = log->sample_count; i-- > 0;) {
		if (sample_at(log, i)->time_ns < now)
			return sample_at(log, i);
	}
	return NULL;
}

double events_log_rate(const struct events_log *log, const struct gcs_snapshot *snapshot,
    uint32_t event, uint64_t idle_ms)
{
	const struct events_sample *s = base_of(log, log->newest_ns);
	if (s == NULL || event >= GCS_MAX_EVENTS)
		return -1;
	const uint64_t count = gcs_snapshot_counter(snapshot, event);
	const uint64_t before = s->counter[event];
	const double seconds = (double)(log->newest_ns - s->time_ns) / 1e9 + (double)idle_ms / 1e3;
	return count > before ? (double)(count - before) / seconds : 0;
}
