/*
 * The figures of all targets for monitoring systems: what there is, once (metrics.c), in several encodings.
 * These are the page /metrics (metrics_text.c: OpenMetrics 1.0, or Prometheus' text format 0.0.4;
 * metrics_protobuf.c: its protobuf format, which alone has native histograms; metrics_accept.c chooses) and a
 * request of OpenTelemetry's protocol (metrics_otlp.c).
 */
#ifndef GCSPY_SERVE_METRICS_H
#define GCSPY_SERVE_METRICS_H

#include "bytes.h"
#include "targets.h"
#include "text.h"

enum metrics_format { METRICS_PLAIN, METRICS_OPEN, METRICS_PROTOBUF };
extern const char *const metrics_types[]; /* of media, by format */

/* What a request with this header wants of /metrics; NULL: it has none. Text, unless it names another one. */
enum metrics_format metrics_format_of(const char *accept);

/* Whether one with this header Accept-Encoding takes gzip; NULL: it has none. */
bool metrics_takes_gzip(const char *accept);

struct metrics;
struct metrics_shot; /* a copy of what is known of a target */

enum metric_scope {
	METRIC_OF_JVM,
	METRIC_SINCE_CONNECTED, /* of a JVM, counted from when it was connected */
	METRIC_OF_US
};

struct metric_family {
	const char *name, *type, *unit,
	    *help; /* of "gauge", "counter", "histogram"; no unit: NULL */
	void (*write)(struct metrics *, const struct metrics_shot *);
	enum metric_scope scope;
};

extern const struct metric_family metric_families[];
extern const size_t metric_family_count;

enum { METRIC_LABELS = 5 };

/* A value of a family, as it is passed to an encoder. */
struct metric {
	const struct metric_family *family;
	const struct metrics_shot *of; /* NULL: this process */
	struct metric_label {
		const char *key, *value;
	} labels[METRIC_LABELS];
	uint32_t label_count;
	enum { METRIC_WHOLE, METRIC_REAL, METRIC_PAUSES } kind;
	union {
		uint64_t whole;
		double real; /* three digits after the point are exact for times */
		const struct running_pauses *pauses;
	};
};

typedef void metric_encode(void *context, const struct metric *metric);

/* Copies what is known of all targets, for the functions below; waits for no JVM. NULL without memory. */
struct metrics *metrics_take(struct targets *targets);
void metrics_free(struct metrics *metrics);

/* Its targets; the last one, at NULL, is this process. */
size_t metrics_count(const struct metrics *metrics);
const struct metrics_shot *metrics_at(const struct metrics *metrics, size_t target);
const struct target_identity *metrics_identity(const struct metrics_shot *shot);
/* The recording that these pauses have their longest one in, or NULL. */
const char *metrics_recording(const struct metrics_shot *shot, const struct running_pauses *pauses);

int64_t metrics_connected_ns(const struct metrics_shot *shot); /* since 1970 */

/* Passes all values of a family of one target to an encoder. */
void metrics_encode(struct metrics *metrics, const struct metric_family *family,
    const struct metrics_shot *target, metric_encode *encode, void *context);

/* The labels that tell a target from others, for both of Prometheus' formats. */
enum { METRICS_IDENTITY = 2, METRICS_PID = 24 };
void metrics_label_identity(const struct metrics_shot *shot,
    struct metric_label labels[METRICS_IDENTITY], char pid[METRICS_PID]);

/* Writes the page. False without memory. */
bool metrics_write(struct targets *targets, bool open, struct text *text);
bool metrics_write_protobuf(struct targets *targets, struct wr *page);

/* Writes an ExportMetricsServiceRequest. False without memory. */
bool metrics_write_otlp(struct targets *targets, struct wr *request);

#endif
