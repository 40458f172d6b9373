/*
 * Prometheus' protobuf format: a stream of messages MetricFamily of io.prometheus.client (metrics.proto of its
 * repository client_model). Names and labels of series are those of the text; histograms have the buckets of the
 * text, and in the same message those of a native histogram.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metrics.h"
#include "protobuf.h"

enum {
	FAMILY_NAME = 1,
	FAMILY_HELP = 2,
	FAMILY_TYPE = 3,
	FAMILY_SERIES = 4,
	FAMILY_UNIT = 5,
	TYPE_COUNTER = 0,
	TYPE_GAUGE = 1,
	TYPE_HISTOGRAM = 4,
	SERIES_LABEL = 1,
	SERIES_GAUGE = 2,
	SERIES_COUNTER = 3,
	SERIES_HISTOGRAM = 7,
	LABEL_NAME = 1,
	LABEL_VALUE = 2,
	NUMBER_VALUE = 1, /* of a gauge, of a counter */
	COUNTER_CREATED = 3,
	PAUSES_COUNT = 1,
	PAUSES_SUM = 2,
	PAUSES_BUCKET = 3,
	PAUSES_SCHEMA = 5,
	PAUSES_ZERO_LIMIT = 6,
	PAUSES_ZERO_COUNT = 7,
	PAUSES_SPAN = 12,
	PAUSES_DELTA = 13,
	PAUSES_CREATED = 15,
	BUCKET_COUNT = 1, /* cumulative */
	BUCKET_LIMIT = 2,
	BUCKET_EXEMPLAR = 3,
	EXEMPLAR_LABEL = 1,
	EXEMPLAR_VALUE = 2,
	EXEMPLAR_TIME = 3,
	SPAN_GAP = 1, /* before it; of the first one the number of its first bucket */
	SPAN_LENGTH = 2,
	TIME_SECONDS = 1,
	TIME_NANOS = 2,
	PROTOBUF_LARGEST = 64 << 20
};

/* The messages under construction, from the inner one to the outer. */
struct exposition {
	struct wr inner, exemplar, bucket, value, series, family;
};

static void add_label(struct exposition *e, struct wr *outer, const char *name, const char *value)
{
	_Static_assert((int)SERIES_LABEL == (int)EXEMPLAR_LABEL, "the same field of both");
	pb_text(&e->inner, LABEL_NAME, name);
	pb_text(&e->inner, LABEL_VALUE, value);
	pb_message(outer, SERIES_LABEL, &e->inner);
}

static void add_time(struct exposition *e, struct wr *outer, uint32_t field, int64_t ns)
{
	pb_varint(&e->inner, TIME_SECONDS, (uint64_t)(ns / 1000000000));
	pb_varint(&e->inner, TIME_NANOS, (uint64_t)(ns % 1000000000));
	pb_message(outer, field, &e->inner);
}

static void add_buckets(struct exposition *e, const struct metric *m)
{
	const struct running_pauses *p = m->pauses;
	const char *recording = metrics_recording(m->of, p);
	const uint32_t marked = running_bucket((double)p->marked_ns);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < RUNNING_BUCKETS; i++) {
		sum += p->buckets[i];
		pb_varint(&e->bucket, BUCKET_COUNT, sum);
		pb_double(&e->bucket, BUCKET_LIMIT,
		    i + 1 < RUNNING_BUCKETS ? running_bucket_limits[i] : (double)INFINITY);
		if (recording != NULL && i == marked) {
			add_label(e, &e->exemplar, "recording", recording);
			pb_double(&e->exemplar, EXEMPLAR_VALUE, (double)p->marked_ns / 1e9);
			add_time(e, &e->exemplar, EXEMPLAR_TIME, p->marked_wall_ns);
			pb_message(&e->bucket, BUCKET_EXEMPLAR, &e->exemplar);
		}
		pb_message(&e->value, PAUSES_BUCKET, &e->bucket);
	}
}

/* Spans of buckets that have pauses, and what each of these has more than the one before. */
static void add_native(struct exposition *e, const struct running_pauses *p)
{
	uint32_t last = 0, after = 0; /* the count of the last bucket, and where its span ended */
	pb_sint(&e->value, PAUSES_SCHEMA, RUNNING_FINE_SCHEMA);
	pb_double(&e->value, PAUSES_ZERO_LIMIT, RUNNING_FINE_LEAST);
	pb_varint(&e->value, PAUSES_ZERO_COUNT, p->shortest);
	for (uint32_t i = 0; i < RUNNING_FINE; i++) {
		const uint32_t from = i;
		for (; i < RUNNING_FINE && p->fine[i] != 0; i++) {
			wr_zigzag(&e->bucket, (int64_t)p->fine[i] - last);
			last = p->fine[i];
		}
		if (i == from)
			continue;
		pb_sint(&e->inner, SPAN_GAP,
		    after == 0 ? (int64_t)from + RUNNING_FINE_FIRST : (int64_t)from - after);
		pb_varint(&e->inner, SPAN_LENGTH, i - from);
		pb_message(&e->value, PAUSES_SPAN, &e->inner);
		after = i;
	}
	if (after != 0)
		pb_message(&e->value, PAUSES_DELTA, &e->bucket);
}

static void add_histogram(struct exposition *e, const struct metric *m)
{
	pb_varint(&e->value, PAUSES_COUNT, m->pauses->count);
	pb_double(&e->value, PAUSES_SUM, (double)m->pauses->total_ns / 1e9);
	add_buckets(e, m);
	add_native(e, m->pauses);
	add_time(e, &e->value, PAUSES_CREATED, metrics_connected_ns(m->of));
	pb_message(&e->series, SERIES_HISTOGRAM, &e->value);
}

static void add_number(struct exposition *e, const struct metric *m)
{
	const bool counter = strcmp(m->family->type, "counter") == 0;
	pb_double(&e->value, NUMBER_VALUE, m->kind == METRIC_WHOLE ? (double)m->whole : m->real);
	if (counter && m->family->scope == METRIC_SINCE_CONNECTED)
		add_time(e, &e->value, COUNTER_CREATED, metrics_connected_ns(m->of));
	pb_message(&e->series, counter ? SERIES_COUNTER : SERIES_GAUGE, &e->value);
}

static void add_series(void *context, const struct metric *m)
{
	struct exposition *e = context;
	struct metric_label identity[METRICS_IDENTITY];
	char pid[METRICS_PID];
	if (m->of != NULL)
		metrics_label_identity(m->of, identity, pid);
	for (uint32_t i = 0; m->of != NULL && i < METRICS_IDENTITY; i++)
		add_label(e, &e->series, identity[i].key, identity[i].value);
	for (uint32_t i = 0; i < m->label_count; i++)
		add_label(e, &e->series, m->labels[i].key, m->labels[i].value);
	if (m->kind == METRIC_PAUSES)
		add_histogram(e, m);
	else
		add_number(e, m);
	pb_message(&e->family, FAMILY_SERIES, &e->series);
}

/* The name is that of the series: readers append no `_total`. Without series there is no family. */
static void add_family(struct exposition *e, const struct metric_family *f, struct wr *page)
{
	const bool counter = strcmp(f->type, "counter") == 0;
	char name[160];
	if (e->family.length == 0)
		return;
	snprintf(name, sizeof name, "%s%s", f->name, counter ? "_total" : "");
	pb_text(&e->family, FAMILY_NAME, name);
	pb_text(&e->family, FAMILY_HELP, f->help);
	pb_varint(&e->family, FAMILY_TYPE,
	    counter                         ? TYPE_COUNTER
	    : strcmp(f->type, "gauge") == 0 ? TYPE_GAUGE
					    : TYPE_HISTOGRAM);
	if (f->unit != NULL)
		pb_text(&e->family, FAMILY_UNIT, f->unit);
	pb_delimited(page, &e->family);
}

bool metrics_write_protobuf(struct targets *t, struct wr *page)
{
	struct exposition e;
	struct wr *const all[] = {&e.inner, &e.exemplar, &e.bucket, &e.value, &e.series, &e.family};
	struct metrics *m = metrics_take(t);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		wr_init(all[i], PROTOBUF_LARGEST);
	for (size_t f = 0; m != NULL && f < metric_family_count; f++) {
		for (size_t i = 0; i < metrics_count(m); i++)
			metrics_encode(m, &metric_families[f], metrics_at(m, i), add_series, &e);
		add_family(&e, &metric_families[f], page);
	}
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		wr_fini(all[i]);
	metrics_free(m);
	return m != NULL && page->status == GCS_OK;
}
