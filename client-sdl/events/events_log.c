#include "events_log.h"

#include <gcspy/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moment.h"

#define SAMPLE_NS UINT64_C(250000000)  /* between two samples of the counters */
#define SPAN_NS   UINT64_C(5000000000) /* over which a rate is taken */

void events_log_clear(struct events_log *log)
{
	struct events_entry *entry = log->entry;
	memset(log, 0, sizeof *log);
	log->entry = entry;
}

void events_log_fini(struct events_log *log)
{
	free(log->entry);
	memset(log, 0, sizeof *log);
}

const struct events_entry *events_log_at(const struct events_log *log, uint32_t i)
{
	return &log->entry[(log->first + log->count - 1 - i) % EVENTS_LAST];
}

static const struct events_sample *sample_at(const struct events_log *log, uint32_t i)
{
	return &log->sample[(log->sample_first + i) % EVENTS_SAMPLES];
}

/* Figures cannot be taken back one by one, so they begin anew. */
static void go_back_to(struct events_log *log, uint64_t time_ns)
{
	while (log->count > 0 && events_log_at(log, 0)->time_ns >= time_ns)
		log->count--;
	while (log->sample_count > 0 && sample_at(log, log->sample_count - 1)->time_ns >= time_ns)
		log->sample_count--;
	memset(log->figures, 0, sizeof log->figures);
}

static void put_words(
    const struct gcs_snapshot *snapshot, const struct gcs_event *event, char *words, size_t size)
{
	size_t used = 0;
	*words = 0;
	for (uint32_t i = 0; i < event->attribute_count && used + 1 < size; i++) {
		char value[128];
		gcs_format_attribute(value, sizeof value, snapshot, i);
		if (strcmp(value, "-") == 0)
			continue;
		used += (size_t)snprintf(words + used, size - used, "%s%.60s %s",
		    used > 0 ? " \xc2\xb7 " : "", event->attributes[i].name, value);
	}
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

static void add_figures(struct events_figures *f, const struct gcs_snapshot *snapshot)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(snapshot);
	const struct moment m = moment_of(snapshot);
	f->seen = true;
	f->last_ns = o->time_ns;
	f->last_wall_ns = o->wall_ns;
	if (m.pause_ns < 0)
		return;
	f->pauses++;
	f->pause_ns += (uint64_t)m.pause_ns;
	if ((uint64_t)m.pause_ns > f->longest_ns)
		f->longest_ns = (uint64_t)m.pause_ns;
}

static bool add_entry(struct events_log *log, const struct gcs_snapshot *snapshot)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(snapshot);
	if (log->entry == NULL)
		log->entry = calloc(EVENTS_LAST, sizeof *log->entry);
	if (log->entry == NULL)
		return false;
	if (log->count == EVENTS_LAST) {
		log->first = (log->first + 1) % EVENTS_LAST;
		log->count--;
		log->forgotten++;
	}
	struct events_entry *e = &log->entry[(log->first + log->count++) % EVENTS_LAST];
	e->sequence = o->sequence;
	e->time_ns = o->time_ns;
	e->wall_ns = o->wall_ns;
	e->event = o->event;
	snprintf(e->name, sizeof e->name, "%.79s", model->events[o->event].name);
	put_words(snapshot, &model->events[o->event], e->words, sizeof e->words);
	return true;
}

bool events_log_add(struct events_log *log, const struct gcs_snapshot *snapshot, uint64_t now_ms)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(snapshot);
	if (o->event >= model->event_count || o->event >= GCS_MAX_EVENTS)
		return false;
	/* Another picture of the same event, such as the one after a zoom. */
	if (o->sequence == log->newest_sequence && o->time_ns == log->newest_ns)
		return false;
	if (o->time_ns < log->newest_ns)
		go_back_to(log, o->time_ns);
	log->newest_ns = o->time_ns;
	log->newest_sequence = o->sequence;
	log->arrived_ms = now_ms;
	add_sample(log, snapshot);
	add_figures(&log->figures[o->event], snapshot);
	return add_entry(log, snapshot);
}

/* The oldest sample of the last seconds; else, where events are rare, the newest one before now. */
static const struct events_sample *base_of(const struct events_log *log, uint64_t now)
{
	for (uint32_t i = 0; i < log->sample_count; i++) {
		const struct events_sample *s = sample_at(log, i);
		if (s->time_ns < now && now - s->time_ns <= SPAN_NS)
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
