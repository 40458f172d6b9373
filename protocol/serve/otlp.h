/* What requests of OpenTelemetry's protocol have in common (opentelemetry-proto 1: common/v1, resource/v1). */
#ifndef GCSPY_SERVE_OTLP_H
#define GCSPY_SERVE_OTLP_H

#include "targets.h"

enum { OTLP_LARGEST = 64 << 20 }; /* a request, in bytes */

/* Adds a KeyValue with a string, or with a number where `text` is NULL. */
void otlp_put_attribute(
    struct wr *outer, uint32_t field, const char *key, const char *text, uint64_t number);

/* Adds the resource, field 1 of ResourceMetrics and ResourceProfiles: a target, or at NULL this process; and
 * the labels NAME=VALUE, with a NULL at the end. */
void otlp_put_resource(
    struct wr *outer, const struct target_identity *is, const char *const *labels);

/* Adds the InstrumentationScope, field 1 of ScopeMetrics and ScopeProfiles. */
void otlp_put_scope(struct wr *outer);

/* An ExportProfilesServiceRequest with the profiles of a target: what is live, and, unless it is NULL, what
 * was allocated from `since_ns` on. */
struct otlp_request {
	const struct target_identity *is;
	const char *const *labels;
	const struct gcs_profile *live, *since;
	int64_t since_ns; /* since 1970 */
};

bool otlp_write_profiles(
    const struct otlp_request *request, struct wr *body, struct gcs_error *err);

/* Whether a receiver's answer has a partial_success with something that was rejected, and its words: field 1
 * of ExportMetricsServiceResponse and of ExportProfilesServiceResponse, in it the number and the text. */
bool otlp_is_refused(const char *answer, size_t length, char *why, size_t size);

#endif
