#include "report_series.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "trace_walk.h"

/* Sizes of the heap closer than this give no rate. */
#define LEAST_NS 100000u

void report_series_init(struct series *s, uint64_t first_ns, uint64_t last_ns)
{
	memset(s, 0, sizeof *s);
	s->first_ns = first_ns;
	s->last_ns = last_ns > first_ns ? last_ns : first_ns + 1;
	s->most_place = UINT64_MAX;
}

void report_series_fini(struct series *s)
{
	for (uint32_t i = 0; i < s->kind_count; i++)
		gcs_free(s->kinds[i]);
	s->kind_count = 0;
}

static double since_first(const struct series *s, uint64_t ns)
{
	return ns > s->first_ns ? (double)(ns - s->first_ns) : 0;
}

static uint32_t column_of(const struct series *s, uint64_t ns)
{
	double part = since_first(s, ns) / (double)(s->last_ns - s->first_ns);
	uint32_t column = (uint32_t)(part * SERIES_COLUMNS);
	return column < SERIES_COLUMNS ? column : SERIES_COLUMNS - 1;
}

static void value_add(struct series_value *v, double value, double ns)
{
	v->min = v->count == 0 || value < v->min ? value : v->min;
	v->max = v->count == 0 || value > v->max ? value : v->max;
	v->sum += value;
	v->time_sum += ns;
	v->count++;
}

static void line_add(struct series *s, enum series_line line, uint64_t ns, int64_t value)
{
	value_add(&s->lines[line][column_of(s, ns)], (double)value, since_first(s, ns));
	s->line_count[line]++;
}

static void rate_put(struct series_rate *r, double speed, double seconds)
{
	r->max = r->count == 0 || speed > r->max ? speed : r->max;
	r->bytes += speed * seconds;
	r->seconds += seconds;
	r->count++;
}

/* Spreads bytes allocated between two moments evenly over the columns between them. */
static void rate_add(struct series *s, uint64_t from_ns, uint64_t to_ns, double bytes)
{
	double width = (double)(s->last_ns - s->first_ns) / SERIES_COLUMNS;
	double speed = bytes / ((double)(to_ns - from_ns) / 1e9);
	double from = since_first(s, from_ns), to = since_first(s, to_ns);
	for (uint32_t i = column_of(s, from_ns); i <= column_of(s, to_ns); i++) {
		double begin = i * width > from ? i * width : from;
		double end = (i + 1) * width < to ? (i + 1) * width : to;
		if (end > begin)
			rate_put(&s->rate[i], speed, (end - begin) / 1e9);
	}
	s->rate_count++;
}

/* Notes the heap's size; its growth since the last known size was allocated. */
static void note_used(struct series *s, uint64_t ns, int64_t used, uint64_t place)
{
	double now = (double)used;
	if (s->known && ns > s->used_ns + LEAST_NS && now >= s->used)
		rate_add(s, s->used_ns, ns, now - s->used);
	if (!s->known || ns > s->used_ns + LEAST_NS) {
		s->used = now;
		s->used_ns = ns;
	}
	s->known = true;
	if (s->most_place == UINT64_MAX || now > s->most_used) {
		s->most_used = now;
		s->most_place = place;
	}
}

/* The kind with that name, created if new; NULL without memory. */
static struct series_kind *kind_of(struct series *s, const char *name)
{
	char cut[SERIES_KIND_NAME];
	snprintf(cut, sizeof cut, "%s", name);
	for (uint32_t i = 0; i < s->kind_count; i++)
		if (strcmp(s->kinds[i]->name, cut) == 0)
			return s->kinds[i];
	if (s->kind_count == SERIES_KINDS)
		return s->kinds[SERIES_KINDS - 1];
	struct series_kind *kind = gcs_zalloc(sizeof *kind);
	if (kind == NULL)
		return NULL;
	snprintf(kind->name, sizeof kind->name, "%s",
	    s->kind_count == SERIES_KINDS - 1 ? "Other kinds" : cut);
	s->kinds[s->kind_count++] = kind;
	return kind;
}

static bool pause_add(
    struct series *s, const struct gcs_snapshot *snapshot, int64_t pause, uint64_t place)
{
	uint64_t ns = gcs_snapshot_occurrence(snapshot)->time_ns;
	const char *name = trace_walk_kind(snapshot, NULL);
	struct series_kind *kind = kind_of(s, name == NULL ? "Pause" : name);
	if (kind == NULL)
		return false;
	struct series_pause *p = &kind->columns[column_of(s, ns)];
	uint32_t cause =
	    trace_walk_attribute(snapshot, "Cause", GCS_ATTRIBUTE_TEXT, GCS_FORMAT_COUNT);
	const char *words = cause == GCS_NONE ? NULL : gcs_snapshot_text(snapshot, cause);
	if (p->all.count == 0 || (double)pause > p->all.max) {
		p->place = place;
		p->time_ns = ns;
		snprintf(p->cause, sizeof p->cause, "%s", words == NULL ? "" : words);
	}
	value_add(&p->all, (double)pause, since_first(s, ns));
	s->pause_count++;
	return true;
}

bool report_series_add(struct series *s, const struct gcs_snapshot *snapshot, uint64_t place)
{
	uint64_t now = gcs_snapshot_occurrence(snapshot)->time_ns;
	int64_t pause = 0, bytes;
	bool good = true;
	if (trace_walk_number(snapshot, "Pause", GCS_NANOSECONDS, &pause) && pause > 0)
		good = pause_add(s, snapshot, pause, place);
	uint64_t begin = pause > 0 && (uint64_t)pause < now ? now - (uint64_t)pause : now;
	if (trace_walk_number(snapshot, "Used", GCS_BYTES, &bytes)) {
		line_add(s, LINE_BEFORE, now, bytes);
		note_used(s, now, bytes, place);
	}
	/* The event at the pause's beginning may have had the same figure. */
	bool told = s->known && s->used_ns + LEAST_NS >= begin;
	if (trace_walk_number(snapshot, "Used before", GCS_BYTES, &bytes) && !told) {
		line_add(s, LINE_BEFORE, begin, bytes);
		note_used(s, begin, bytes, place);
	}
	if (trace_walk_number(snapshot, "Used after", GCS_BYTES, &bytes)) {
		line_add(s, LINE_AFTER, now, bytes);
		s->used = (double)bytes;
		s->used_ns = now;
		s->known = true;
	}
	if (trace_walk_number(snapshot, "Committed", GCS_BYTES, &bytes))
		line_add(s, LINE_COMMITTED, now, bytes);
	return good;
}
