/* Small profiles whose figures tests know, and a sink that keeps what it gets. Any framework. */
#ifndef GCSPY_TESTS_PROFILES_H
#define GCSPY_TESTS_PROFILES_H

#include "export.h"

/* A profile without entries, or NULL without memory. */
struct gcs_profile *profiles_empty(enum gcs_profile_kind kind);

/* Adds a Java frame of that class and method, called from `parent`; its stack. */
uint32_t profiles_call(struct gcs_profile *p, uint32_t parent, const char *class_name,
    const char *method, uint32_t line);

/* Adds a sample of 100-byte objects: `bytes` with a variance of 100 * bytes, bytes / 100 objects
 * with a variance of 4, a lifetime of 1,000 bytes for each collection. */
bool profiles_sample(struct gcs_profile *p, uint32_t stack, const char *class_name,
    const char *thread, double bytes, uint32_t age);

/* main -> Method.invoke -> work, in two samples with duplicate names and frames; main alone; a
 * sample without frames. 940,000 bytes in 3 sites. */
struct gcs_profile *profiles_plain(enum gcs_profile_kind kind);

struct kept {
	char *bytes;
	size_t length, capacity;
	size_t room; /* refuses more than this; SIZE_MAX: takes all */
};

struct gcs_sink profiles_sink(struct kept *kept);
void profiles_forget(struct kept *kept);

#endif
