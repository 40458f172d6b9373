/* How much is gathered (H5): the settings of the heavy volume, which options set and clients change
 * while the program runs. */
#ifndef GCSPY_AGENT_VOLUME_H
#define GCSPY_AGENT_VOLUME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <gcspy/status.h>

/* The order of the option's values. */
enum volume_events { VOLUME_FINISH, VOLUME_START, VOLUME_BOTH };

enum { VOLUME_MIN_MS = 1, VOLUME_MAX_MS = 1000, VOLUME_MS = 20 };

/* Each is read and written on its own, by any thread. */
struct volume {
	atomic_uint heavy;     /* 0 or 1 */
	atomic_uint events;    /* enum volume_events */
	atomic_uint budget_ms; /* of a pause */
	bool at_clock;         /* there are no collections; set before others access it */
};

/* True if objects are to be counted at this event. */
static inline bool volume_counts(const struct volume *v, bool finish)
{
	unsigned events = atomic_load_explicit(&v->events, memory_order_relaxed);
	return atomic_load_explicit(&v->heavy, memory_order_relaxed) != 0 &&
	       (events == VOLUME_BOTH || (events == VOLUME_FINISH) == finish);
}

/* True if `key` is one of these settings. */
bool volume_has(const char *key);

/* Sets one from text; ARGUMENT with the expected values. */
enum gcs_status volume_set(
    struct volume *v, const char *key, const char *value, struct gcs_error *err);

/* Describes them in one sentence. Returns the length. */
size_t volume_describe(const struct volume *v, char *text, size_t size);

/* Lists all of them, one per line: "volume=light\n…". Returns the length. */
size_t volume_list(const struct volume *v, char *text, size_t size);

#endif
