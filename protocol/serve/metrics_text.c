#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "metrics.h"

/* The page under construction. */
struct page {
	struct text *text;
	bool open; /* OpenMetrics */
};

/* A value between quotes. */
static void escaped(struct text *t, const char *value)
{
	for (; *value != '\0'; value++) {
		const bool newline = *value == '\n';
		if (newline || *value == '\\' || *value == '"')
			text_bytes(t, "\\", 1);
		text_bytes(t, newline ? "n" : value, 1);
	}
}

static void write_label(struct page *p, bool first, const char *key, const char *value)
{
	text_format(p->text, "%s%s=\"", first ? "{" : ",", key);
	escaped(p->text, value);
	text_raw(p->text, "\"");
}

void metrics_label_identity(const struct metrics_shot *shot,
    struct metric_label labels[METRICS_IDENTITY], char pid[METRICS_PID])
{
	const struct target_identity *is = metrics_identity(shot);
	snprintf(pid, METRICS_PID, "%ld", is->pid);
	labels[0] = is->pid != 0 ? (struct metric_label){"pid", pid}
				 : (struct metric_label){"socket", is->socket};
	labels[1] = (struct metric_label){"program", is->program};
}

/* The name and the labels; `limit` is a bucket's, or NULL. */
static void begin_sample(
    struct page *p, const struct metric *m, const char *suffix, const char *limit)
{
	struct metric_label identity[METRICS_IDENTITY];
	char pid[METRICS_PID];
	bool first = true;
	text_format(p->text, "%s%s", m->family->name, suffix);
	if (m->of != NULL) {
		metrics_label_identity(m->of, identity, pid);
		for (uint32_t i = 0; i < METRICS_IDENTITY; i++, first = false)
			write_label(p, first, identity[i].key, identity[i].value);
	}
	for (uint32_t i = 0; i < m->label_count; i++, first = false)
		write_label(p, first, m->labels[i].key, m->labels[i].value);
	if (limit != NULL) {
		write_label(p, first, "le", limit);
		first = false;
	}
	text_raw(p->text, first ? " " : "} ");
}

/* OpenMetrics wants a fraction, also of a whole number. */
static void write_limit(char *text, size_t size, double limit, bool open)
{
	snprintf(text, size, "%g%s", limit, open && limit == (double)(int)limit ? ".0" : "");
}

/* Of the bucket with the longest pause that is in a recording of ours: that recording. */
static void write_exemplar(struct page *p, const struct metric *m, uint32_t bucket)
{
	const struct running_pauses *pauses = m->pauses;
	const char *recording = metrics_recording(m->of, pauses);
	if (p->open && recording != NULL && bucket == running_bucket((double)pauses->marked_ns))
		text_format(p->text, " # {recording=\"%s\"} %.9g %.13g", recording,
		    (double)pauses->marked_ns / 1e9, (double)pauses->marked_wall_ns / 1e9);
}

static void write_histogram(struct page *p, const struct metric *m)
{
	const struct running_pauses *pauses = m->pauses;
	uint64_t sum = 0;
	for (uint32_t k = 0; k < RUNNING_BUCKETS; k++) {
		char limit[32] = "+Inf";
		if (k < RUNNING_BUCKETS - 1)
			write_limit(limit, sizeof limit, running_bucket_limits[k], p->open);
		sum += pauses->buckets[k];
		begin_sample(p, m, "_bucket", limit);
		text_format(p->text, "%" PRIu64, sum);
		write_exemplar(p, m, k);
		text_raw(p->text, "\n");
	}
	begin_sample(p, m, "_sum", NULL);
	text_format(p->text, "%.9g\n", (double)pauses->total_ns / 1e9);
	begin_sample(p, m, "_count", NULL);
	text_format(p->text, "%" PRIu64 "\n", pauses->count);
}

static void write_sample(void *context, const struct metric *m)
{
	struct page *p = context;
	if (m->kind == METRIC_PAUSES) {
		write_histogram(p, m);
		return;
	}
	begin_sample(p, m, strcmp(m->family->type, "counter") == 0 ? "_total" : "", NULL);
	if (m->kind == METRIC_WHOLE)
		text_format(p->text, "%" PRIu64 "\n", m->whole);
	else /* a time since 1970 in milliseconds has thirteen digits */
		text_format(p->text, "%.13g\n", m->real);
}

static void write_head(struct page *p, const struct metric_family *f)
{
	const bool plain_counter = !p->open && strcmp(f->type, "counter") == 0;
	const char *suffix = plain_counter ? "_total" : "";
	text_format(p->text, "# TYPE %s%s %s\n", f->name, suffix, f->type);
	if (p->open && f->unit != NULL)
		text_format(p->text, "# UNIT %s %s\n", f->name, f->unit);
	text_format(p->text, "# HELP %s%s ", f->name, suffix);
	/* In a help text a quote is escaped in OpenMetrics only. */
	if (p->open)
		escaped(p->text, f->help);
	else
		text_raw(p->text, f->help);
	text_raw(p->text, "\n");
}

bool metrics_write(struct targets *t, bool open, struct text *text)
{
	struct page page = {.text = text, .open = open};
	struct metrics *m = metrics_take(t);
	for (size_t f = 0; m != NULL && f < metric_family_count; f++) {
		write_head(&page, &metric_families[f]);
		for (size_t i = 0; i < metrics_count(m); i++)
			metrics_encode(
			    m, &metric_families[f], metrics_at(m, i), write_sample, &page);
	}
	if (m != NULL && open)
		text_raw(text, "# EOF\n");
	metrics_free(m);
	return m != NULL;
}
