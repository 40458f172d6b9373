/* The encodings of /metrics (E3) of figures that are made up here, in the place of metrics.c, and who gets which. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "kit.h"
#include "metrics.h"

enum { LARGEST = 1 << 20 };

static struct target_identity shop = {.pid = 4711, .program = "a \"shop\"\nof\\two lines"};
static struct running_pauses pauses;
static metric_encode *encode;
static void *encode_context;

static void pass(const struct metric_family *family, const void *of, struct metric m)
{
	m.family = family;
	m.of = of;
	encode(encode_context, &m);
}

static void write_used(struct metrics *m, const struct metrics_shot *of)
{
	(void)m;
	pass(&metric_families[0], of,
	    (struct metric){.labels = {{"pool", "Old"}},
		.label_count = 1,
		.kind = METRIC_WHOLE,
		.whole = 12345});
}

static void write_cpu(struct metrics *m, const struct metrics_shot *of)
{
	(void)m;
	pass(&metric_families[1], of, (struct metric){.kind = METRIC_REAL, .real = 1.5});
}

static void write_pauses(struct metrics *m, const struct metrics_shot *of)
{
	(void)m;
	pass(&metric_families[2], of, (struct metric){.kind = METRIC_PAUSES, .pauses = &pauses});
}

static void write_nothing(struct metrics *m, const struct metrics_shot *of)
{
	(void)m;
	(void)of;
}

static void write_waiting(struct metrics *m, const struct metrics_shot *of)
{
	(void)m;
	pass(&metric_families[4], of, (struct metric){.kind = METRIC_WHOLE, .whole = 3});
}

const struct metric_family metric_families[] = {
    {"used_bytes", "gauge", "bytes", "Used \"bytes\"", write_used, METRIC_OF_JVM},
    {"cpu_seconds", "counter", "seconds", "Time", write_cpu, METRIC_SINCE_CONNECTED},
    {"pause_seconds", "histogram", "seconds", "Pauses", write_pauses, METRIC_SINCE_CONNECTED},
    {"not_known", "gauge", NULL, "Nothing", write_nothing, METRIC_OF_JVM},
    {"waiting", "gauge", NULL, "Requests", write_waiting, METRIC_OF_US},
};
const size_t metric_family_count = 5;

struct metrics *metrics_take(struct targets *targets)
{
	return (struct metrics *)targets;
}

void metrics_free(struct metrics *metrics)
{
	(void)metrics;
}

size_t metrics_count(const struct metrics *metrics)
{
	(void)metrics;
	return 2;
}

const struct metrics_shot *metrics_at(const struct metrics *metrics, size_t target)
{
	(void)metrics;
	return target == 0 ? (const struct metrics_shot *)&shop : NULL;
}

const struct target_identity *metrics_identity(const struct metrics_shot *shot)
{
	return (const struct target_identity *)shot;
}

const char *metrics_recording(const struct metrics_shot *shot, const struct running_pauses *of)
{
	(void)shot;
	return of->mark == 0 ? NULL : "shop.gcspy";
}

int64_t metrics_connected_ns(const struct metrics_shot *shot)
{
	(void)shot;
	return 1700000000 * INT64_C(1000000000) + 5;
}

void metrics_encode(struct metrics *m, const struct metric_family *family,
    const struct metrics_shot *target, metric_encode *to, void *context)
{
	encode = to;
	encode_context = context;
	if ((family->scope == METRIC_OF_US) == (target == NULL))
		family->write(m, target);
}

/* What protobuf.dev says of a field; its value, as it is, or its bytes. */
struct field {
	uint32_t number;
	uint64_t value;
	struct rd bytes;
};

static bool next_field(struct rd *r, struct field *f)
{
	if (rd_left(r) == 0)
		return false;
	const uint64_t key = rd_varint(r);
	*f = (struct field){.number = (uint32_t)(key >> 3)};
	if ((key & 7) == 0)
		f->value = rd_varint(r);
	else if ((key & 7) == 1) {
		f->value = rd_u32(r);
		f->value |= (uint64_t)rd_u32(r) << 32;
	} else {
		cr_assert_eq(key & 7, 2, "wire type");
		const size_t length = rd_varint(r);
		const uint8_t *bytes = rd_bytes(r, length);
		cr_assert_not_null(bytes);
		f->bytes = rd_over(bytes, length);
	}
	cr_assert_eq(r->status, GCS_OK);
	return true;
}

/* The nth field with a number of a message. */
static struct field find(struct rd message, uint32_t number, unsigned nth)
{
	struct field f = {0};
	while (next_field(&message, &f))
		if (f.number == number && nth-- == 0)
			return f;
	return (struct field){0};
}

static double as_double(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static int64_t as_sint(uint64_t v)
{
	return (int64_t)(v >> 1 ^ (~(v & 1) + 1));
}

static void as_text(struct rd bytes, char *text, size_t size)
{
	const size_t length = rd_left(&bytes);
	cr_assert_lt(length, size);
	if (length != 0)
		memcpy(text, rd_bytes(&bytes, length), length);
	text[length] = '\0';
}

static struct wr page;

/* The nth family of the page in protobuf. */
static struct rd family_of(unsigned nth)
{
	wr_fini(&page);
	wr_init(&page, LARGEST);
	cr_assert(metrics_write_protobuf((struct targets *)&shop, &page));
	struct rd r = rd_over(page.data, page.length), family = {0};
	for (unsigned i = 0; rd_left(&r) != 0; i++) {
		const size_t length = rd_varint(&r);
		const uint8_t *bytes = rd_bytes(&r, length);
		cr_assert_not_null(bytes);
		if (i == nth)
			family = rd_over(bytes, length);
	}
	return family;
}

static struct rd histogram(void)
{
	return find(find(family_of(2), 4, 0).bytes, 7, 0).bytes;
}

static void text_page(bool open, char *found, size_t size)
{
	struct wr bytes;
	struct text text;
	wr_init(&bytes, LARGEST);
	struct gcs_sink sink = {.write = wr_take, .context = &bytes};
	text_begin(&text, &sink);
	cr_assert(metrics_write((struct targets *)&shop, open, &text));
	cr_assert_eq(text_end(&text, NULL), GCS_OK);
	as_text(rd_over(bytes.data, bytes.length), found, size);
	wr_fini(&bytes);
}

static void setup(void)
{
	pauses = (struct running_pauses){.count = 0};
	wr_init(&page, LARGEST);
}

static void teardown(void)
{
	wr_fini(&page);
}

#define MetricsTest(name) Test(metrics, name, .init = setup, .fini = teardown)

MetricsTest(native_histogram_of_known_pauses)
{
	/* In 2^((i-1)/8) to 2^(i/8) seconds: i is -79, 0 twice, 1, 8, and 95 for all that is longer. */
	static const double ns[] = {1e6, 1e9, 1e9 - 1, 1e9 + 1, 2e9, 5e12, 0, 900};
	static const struct {
		int64_t gap;
		uint64_t length;
	} spans[] = {{-79, 1}, {78, 2}, {6, 1}, {86, 1}};
	static const int64_t deltas[] = {1, 1, -1, 0, 0};
	for (size_t i = 0; i < sizeof ns / sizeof ns[0]; i++)
		running_pauses_add(&pauses, ns[i]);
	struct rd h = histogram();
	cr_assert_eq(find(h, 1, 0).value, 8);
	cr_assert_float_eq(as_double(find(h, 2, 0).value), 5005.0010009, 1e-9);
	cr_assert_eq(as_sint(find(h, 5, 0).value), 3, "schema");
	cr_assert_eq(as_double(find(h, 6, 0).value), 0x1p-20);
	cr_assert_eq(find(h, 7, 0).value, 2, "too short for a bucket");
	for (unsigned i = 0; i < 4; i++) {
		struct rd span = find(h, 12, i).bytes;
		cr_assert_eq(as_sint(find(span, 1, 0).value), spans[i].gap, "span %u", i);
		cr_assert_eq(find(span, 2, 0).value, spans[i].length, "span %u", i);
	}
	cr_assert_eq(find(h, 12, 4).number, 0);
	struct rd packed = find(h, 13, 0).bytes;
	for (unsigned i = 0; i < 5; i++)
		cr_assert_eq(rd_zigzag(&packed), deltas[i], "delta %u", i);
	cr_assert_eq(rd_left(&packed), 0);
	struct rd created = find(h, 15, 0).bytes;
	cr_assert_eq(find(created, 1, 0).value, 1700000000);
	cr_assert_eq(find(created, 2, 0).value, 5);
}

MetricsTest(pauses_that_are_all_too_short)
{
	running_pauses_add(&pauses, 900);
	struct rd h = histogram();
	cr_assert_eq(find(h, 7, 0).value, 1);
	cr_assert_eq(find(h, 12, 0).number + find(h, 13, 0).number, 0);
}

/* Each pause is in the bucket with its limits, and in as many of one kind as of the other. */
MetricsTest(buckets_have_their_limits)
{
	uint64_t random = 12345, fine = 0, few = 0;
	for (int i = 0; i < 20000; i++) {
		const double ns = floor(exp2((double)(kit_random(&random) % 41000) / 1000));
		struct running_pauses one = {.count = 0};
		running_pauses_add(&one, ns);
		running_pauses_add(&pauses, ns);
		for (int k = 0; k < RUNNING_FINE; k++)
			if (one.fine[k] != 0) {
				const double limit = exp2((k + RUNNING_FINE_FIRST) / 8.0);
				cr_assert_leq(ns / 1e9, limit * (1 + 1e-12), "%g", ns);
				cr_assert_gt(ns / 1e9, limit / exp2(0.125) * (1 - 1e-12), "%g", ns);
			}
		cr_assert_eq(one.shortest, ns / 1e9 <= 0x1p-20, "%g", ns);
	}
	for (int k = 0; k < RUNNING_FINE; k++)
		fine += pauses.fine[k];
	for (int k = 0; k < RUNNING_BUCKETS; k++)
		few += pauses.buckets[k];
	cr_assert_eq(fine + pauses.shortest, pauses.count);
	cr_assert_eq(few, pauses.count);
	struct rd last = find(histogram(), 3, RUNNING_BUCKETS - 1).bytes;
	cr_assert_eq(find(last, 1, 0).value, pauses.count);
	cr_assert(isinf(as_double(find(last, 2, 0).value)));
}

MetricsTest(the_longest_recorded_pause_is_an_exemplar)
{
	char text[64];
	running_pauses_add(&pauses, 3e6);
	pauses.mark = 1;
	pauses.marked_ns = 3000000;
	pauses.marked_wall_ns = INT64_C(1700000001500000000);
	for (unsigned i = 0; i < RUNNING_BUCKETS; i++) {
		struct field f = find(find(histogram(), 3, i).bytes, 3, 0);
		cr_assert_eq(f.number != 0, i == 3, "bucket %u", i);
		if (i != 3)
			continue;
		as_text(find(find(f.bytes, 1, 0).bytes, 2, 0).bytes, text, sizeof text);
		cr_assert_str_eq(text, "shop.gcspy");
		cr_assert_float_eq(as_double(find(f.bytes, 2, 0).value), 0.003, 1e-12);
		cr_assert_eq(find(find(f.bytes, 3, 0).bytes, 2, 0).value, 500000000);
	}
}

MetricsTest(families_are_those_of_the_text)
{
	static const struct {
		const char *name;
		uint64_t type; /* of MetricType, with the field of its value */
		uint32_t field;
		double value;
	} families[] = {{"used_bytes", 1, 2, 12345}, {"cpu_seconds_total", 0, 3, 1.5},
	    {"pause_seconds", 4, 7, 0}, {"waiting", 1, 2, 3}};
	char text[512];
	for (unsigned i = 0; i < 4; i++) {
		struct rd family = family_of(i), series = find(family, 4, 0).bytes;
		as_text(find(family, 1, 0).bytes, text, sizeof text);
		cr_assert_str_eq(text, families[i].name);
		cr_assert_eq(find(family, 3, 0).value, families[i].type);
		struct field value = find(series, families[i].field, 0);
		cr_assert_neq(value.number, 0, "%s", text);
		if (families[i].field != 7)
			cr_assert_eq(as_double(find(value.bytes, 1, 0).value), families[i].value);
		cr_assert_eq(
		    find(value.bytes, 3, 0).number != 0, i == 1 || i == 2, "created, buckets");
		as_text(find(find(series, 1, 1).bytes, 2, 0).bytes, text, sizeof text);
		cr_assert_str_eq(text, i < 3 ? shop.program : "", "raw");
	}
	cr_assert_null(family_of(4).at, "what is not known has no family");
	as_text(find(family_of(0), 2, 0).bytes, text, sizeof text);
	cr_assert_str_eq(text, "Used \"bytes\"");
}

MetricsTest(text_is_escaped)
{
	static char text[LARGEST];
	for (int open = 0; open < 2; open++) {
		text_page(open, text, sizeof text);
		cr_assert_not_null(
		    strstr(text, "\nused_bytes{pid=\"4711\",program=\"a \\\"shop\\\"\\nof\\\\two "
				 "lines\",pool=\"Old\"} 12345\n"));
		cr_assert_not_null(strstr(text, "\nwaiting 3\n"), "without labels");
		cr_assert_not_null(strstr(text, "\ncpu_seconds_total{pid="));
	}
}

MetricsTest(who_gets_which)
{
#define PROTO "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding="
	static const struct {
		const char *accept;
		enum metrics_format format;
	} table[] = {
	    {NULL, METRICS_PLAIN},
	    {"", METRICS_PLAIN},
	    {"*/*", METRICS_PLAIN},
	    {"text/html, application/*;q=0.9, ,;;=,*/*;q=0.8", METRICS_PLAIN},
	    {"application/openmetrics-text", METRICS_OPEN},
	    {"Application/OpenMetrics-Text ; Version=\"1.0.0\" ; q=0.001", METRICS_OPEN},
	    {"application/openmetrics-text;version=2.0.0", METRICS_PLAIN},
	    {"application/openmetrics-text;version=2.0.0,application/"
	     "openmetrics-text;version=1.0.0;q=.5",
		METRICS_OPEN},
	    {"application/openmetrics-text;q=0", METRICS_PLAIN},
	    {"application/openmetrics-text;q=0.000, */*", METRICS_PLAIN},
	    {"application/openmetrics-text;q=1, text/plain;q=1", METRICS_OPEN},
	    {"application/openmetrics-text;q=0.4, text/plain;q=0.5", METRICS_PLAIN},
	    {"application/openmetrics-text;q=0.4, text/plain;q=0.3, */*", METRICS_OPEN},
	    {"*/*, text/*;q=0.2, application/openmetrics-text;q=0.4", METRICS_OPEN},
	    {"application/openmetrics-text;q=x", METRICS_PLAIN},
	    {"application/openmetrics-textual, application/openmetrics", METRICS_PLAIN},
	    {"text/plain;x=\",application/openmetrics-text\"", METRICS_PLAIN},
	    {PROTO "delimited", METRICS_PROTOBUF},
	    {PROTO "delimited;q=0", METRICS_PLAIN},
	    {PROTO "text", METRICS_PLAIN},
	    {PROTO "compact-text, application/openmetrics-text;q=0.1", METRICS_OPEN},
	    {"application/vnd.google.protobuf", METRICS_PLAIN},
	    {"application/vnd.google.protobuf;proto=opentelemetry.Metrics;encoding=delimited",
		METRICS_PLAIN},
	    /* Prometheus 2.42 without and with native histograms, 3.x with them. */
	    {"application/openmetrics-text;version=1.0.0,application/"
	     "openmetrics-text;version=0.0.1;q=0.75,"
	     "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		METRICS_OPEN},
	    {PROTO "delimited,application/openmetrics-text;version=1.0.0;q=0.8,"
		   "application/openmetrics-text;version=0.0.1;q=0.75,text/"
		   "plain;version=0.0.4;q=0.5,*/*;q=0.1",
		METRICS_PROTOBUF},
	    {PROTO "delimited;q=0.6,application/"
		   "openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
		   "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/"
		   "plain;version=0.0.4;q=0.2,*/*;q=0.1",
		METRICS_PROTOBUF},
	    {PROTO "delimited;q=0.4,application/openmetrics-text;version=1.0.0;q=0.5",
		METRICS_OPEN},
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		cr_assert_eq(
		    metrics_format_of(table[i].accept), table[i].format, "%s", table[i].accept);
}

Test(metrics, what_takes_gzip)
{
	static const char *const yes[] = {"gzip", "GZip;q=0.5", "deflate, gzip, br", "*",
	    "gzip;q=1.0,*;q=0", "deflate;q=1 , gzip"};
	static const char *const no[] = {NULL, "", "identity", "gzip;q=0", "gzip; q=0.000", "*;q=0",
	    "*, gzip;q=0", "xgzip", "gzipped", "br;gzip"};
	for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
		cr_assert(metrics_takes_gzip(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		cr_assert_not(metrics_takes_gzip(no[i]), "%s", no[i] == NULL ? "" : no[i]);
}
