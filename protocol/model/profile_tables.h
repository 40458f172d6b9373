/* The inside of a profile, shared by profile.c and its codec. */
#ifndef GCSPY_MODEL_PROFILE_TABLES_H
#define GCSPY_MODEL_PROFILE_TABLES_H

#include <gcspy/profile.h>

#include "arena.h"

/* Most items of a table: far more than a server has samples. */
#define PROFILE_MAX_ITEMS 16777216u

/* Sums of millions of such estimates are finite. */
#define PROFILE_MAX_ESTIMATE 1e300

struct profile_table {
	void *items;
	uint32_t count;
	uint32_t capacity;
};

struct gcs_profile {
	struct gcs_profile_head head;
	struct profile_table names;   /* const char * */
	struct profile_table frames;  /* struct gcs_frame */
	struct profile_table stacks;  /* struct gcs_stack */
	struct profile_table entries; /* struct gcs_profile_entry */
	struct arena arena;           /* the texts */
};

/* A copy in the profile, truncated to GCS_MAX_TEXT bytes; "" for NULL, NULL without memory. */
const char *profile_keep(struct gcs_profile *p, const char *text);

/* Gives back the room that tables have grown by and do not need. */
void profile_trim(struct gcs_profile *p);

/* Calls this with each profile that is decoded from now on, before anybody else has it; it may replace texts
 * of frames by others that profile_keep returned. At the start of a program. */
void profile_on_decoded(void (*complete)(struct gcs_profile *profile));

/* When an encoded profile was made, and when its collection was, 0 without one: a twentieth of decoding it.
 * False, INT64_MAX and 0 if it cannot be read. */
bool profile_decode_times(const void *bytes, size_t length, int64_t *made_ns, int64_t *judged_ns);

/* Checks of items, for builders and decoders. */
bool profile_is_estimate(double value);
bool profile_stack_fits(const struct gcs_profile *p, const struct gcs_stack *stack);
bool profile_entry_fits(const struct gcs_profile *p, const struct gcs_profile_entry *entry);

#endif
