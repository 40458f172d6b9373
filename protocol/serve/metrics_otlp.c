/*
 * ExportMetricsServiceRequest of opentelemetry-proto 1: a resource for each JVM, in it metrics, in these data
 * points with attributes. Names are OpenTelemetry's: jvm_memory_used_bytes is jvm.memory.used with the unit By.
 */
#include <stdio.h>
#include <string.h>

#include "metrics.h"
#include "now.h"
#include "otlp.h"
#include "protobuf.h"

/* Field numbers of metrics/v1. */
enum {
	REQUEST_RESOURCE_METRICS = 1,
	RESOURCE_METRICS_SCOPE = 2,
	SCOPE_METRIC = 2,
	METRIC_NAME = 1,
	METRIC_DESCRIPTION = 2,
	METRIC_UNIT = 3,
	METRIC_GAUGE = 5,
	METRIC_SUM = 7,
	METRIC_HISTOGRAM = 9,
	DATA_POINT = 1,
	DATA_TEMPORALITY = 2,
	DATA_MONOTONIC = 3,
	POINT_START = 2,
	POINT_TIME = 3,
	POINT_DOUBLE = 4,
	POINT_INT = 6,
	POINT_ATTRIBUTE = 7,
	HISTOGRAM_COUNT = 4,
	HISTOGRAM_SUM = 5,
	HISTOGRAM_BUCKETS = 6,
	HISTOGRAM_LIMITS = 7,
	HISTOGRAM_ATTRIBUTE = 9,
	CUMULATIVE = 2
};

/* The messages under construction, from the inner one to the outer. */
struct otlp {
	struct wr part, point, points, scope, resource, *request;
	int64_t now_ns; /* of all points */
	const char *const *labels;
};

enum { OTLP_NAME = 160 };

/* Writes a name with dots, and without `_unit` at the end. */
static void spell(const char *name, const char *unit, char *spelt, size_t size)
{
	const size_t length = strlen(name), tail = unit == NULL ? 0 : strlen(unit) + 1;
	const bool ends = tail != 0 && length > tail && strcmp(name + length - tail + 1, unit) == 0;
	snprintf(spelt, size, "%.*s", (int)(length - (ends ? tail : 0)), name);
	for (char *c = spelt; *c != '\0'; c++)
		*c = *c == '_' ? '.' : *c;
}

static void put_histogram(struct otlp *o, const struct running_pauses *pauses)
{
	pb_fixed(&o->point, HISTOGRAM_COUNT, pauses->count);
	pb_double(&o->point, HISTOGRAM_SUM, (double)pauses->total_ns / 1e9);
	for (uint32_t i = 0; i < RUNNING_BUCKETS; i++)
		pb_packed_fixed(&o->part, pauses->buckets[i]);
	pb_message(&o->point, HISTOGRAM_BUCKETS, &o->part);
	for (uint32_t i = 0; i + 1 < RUNNING_BUCKETS; i++)
		wr_double(&o->part, running_bucket_limits[i]);
	pb_message(&o->point, HISTOGRAM_LIMITS, &o->part);
}

static void put_point(void *context, const struct metric *m)
{
	struct otlp *o = context;
	const bool histogram = m->kind == METRIC_PAUSES;
	char key[OTLP_NAME];
	if (m->family->scope == METRIC_SINCE_CONNECTED)
		pb_fixed(&o->point, POINT_START, (uint64_t)metrics_connected_ns(m->of));
	pb_fixed(&o->point, POINT_TIME, (uint64_t)o->now_ns);
	if (histogram)
		put_histogram(o, m->pauses);
	else if (m->kind == METRIC_WHOLE)
		pb_fixed(&o->point, POINT_INT, m->whole);
	else
		pb_double(&o->point, POINT_DOUBLE, m->real);
	for (uint32_t i = 0; i < m->label_count; i++) {
		spell(m->labels[i].key, NULL, key, sizeof key);
		otlp_put_attribute(&o->point, histogram ? HISTOGRAM_ATTRIBUTE : POINT_ATTRIBUTE,
		    key, m->labels[i].value, 0);
	}
	pb_message(&o->points, DATA_POINT, &o->point);
}

/* A metric with the points that there are; without any there is none. */
static void put_metric(struct otlp *o, const struct metric_family *f)
{
	const bool gauge = strcmp(f->type, "gauge") == 0, sum = strcmp(f->type, "counter") == 0;
	char name[OTLP_NAME];
	if (o->points.length == 0)
		return;
	if (!gauge)
		pb_varint(&o->points, DATA_TEMPORALITY, CUMULATIVE);
	if (sum)
		pb_varint(&o->points, DATA_MONOTONIC, 1);
	spell(f->name, f->unit, name, sizeof name);
	pb_text(&o->part, METRIC_NAME, name);
	pb_text(&o->part, METRIC_DESCRIPTION, f->help);
	pb_text(&o->part, METRIC_UNIT,
	    f->unit == NULL                 ? "1"
	    : strcmp(f->unit, "bytes") == 0 ? "By"
					    : "s");
	pb_message(&o->part,
	    gauge ? METRIC_GAUGE
	    : sum ? METRIC_SUM
		  : METRIC_HISTOGRAM,
	    &o->points);
	pb_message(&o->scope, SCOPE_METRIC, &o->part);
}

static void put_resource(struct otlp *o, struct metrics *m, const struct metrics_shot *of)
{
	for (size_t f = 0; f < metric_family_count; f++) {
		metrics_encode(m, &metric_families[f], of, put_point, o);
		put_metric(o, &metric_families[f]);
	}
	if (o->scope.length == 0)
		return;
	otlp_put_scope(&o->scope);
	otlp_put_resource(&o->resource, of == NULL ? NULL : metrics_identity(of), o->labels);
	pb_message(&o->resource, RESOURCE_METRICS_SCOPE, &o->scope);
	pb_message(o->request, REQUEST_RESOURCE_METRICS, &o->resource);
}

bool metrics_write_otlp(struct targets *t, struct wr *request)
{
	struct otlp o = {.request = request, .now_ns = now_wall_ns(), .labels = t->options.labels};
	struct wr *const all[] = {&o.part, &o.point, &o.points, &o.scope, &o.resource};
	struct metrics *m = metrics_take(t);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		wr_init(all[i], OTLP_LARGEST);
	for (size_t i = 0; m != NULL && i < metrics_count(m); i++)
		put_resource(&o, m, metrics_at(m, i));
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		wr_fini(all[i]);
	metrics_free(m);
	return m != NULL && request->status == GCS_OK;
}
