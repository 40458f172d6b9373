/*
 * Profiles for OpenTelemetry's protocol: the signal "profiles" in the version v1development of
 * opentelemetry-proto 1.11 (opentelemetry/proto/profiles). Its versions before 1.8 had other fields.
 *
 * A profile of that format has one type of values, so each call of otlp_profiles_add writes two: bytes and
 * objects. A sample is a site of one thread, with the attributes "class" and "thread.name"; zeros are left out.
 */
#ifndef GCSPY_PROFILE_EXPORT_OTLP_H
#define GCSPY_PROFILE_EXPORT_OTLP_H

#include "bytes.h"
#include "frame_tables.h"
#include "sites.h"

struct otlp_profiles {
	struct wr profiles, sample, part, inner;
	struct frame_tables tables;
	struct intern_keys attributes; /* key, value: texts */
	struct intern_keys nodes;      /* the caller's node plus 1 (0: the root), a location */
	struct intern_keys stacks;     /* its youngest frame's node */
};

/* Most bytes of a message. */
void otlp_profiles_init(struct otlp_profiles *o, size_t limit);
void otlp_profiles_fini(struct otlp_profiles *o);

/* Adds what is live ("inuse_space", "inuse_objects"), or, unless it is NULL, what was allocated from then on, in ns
 * since 1970 ("alloc_…"). NOMEM, LIMIT. */
enum gcs_status otlp_profiles_add(
    struct otlp_profiles *o, const struct gcs_sites *sites, const int64_t *since_ns);

/* Adds the profiles to a ScopeProfiles as its field 2, and writes the ProfilesDictionary. NOMEM, LIMIT. */
enum gcs_status otlp_profiles_end(
    struct otlp_profiles *o, struct wr *scope_profiles, struct wr *dictionary);

#endif
