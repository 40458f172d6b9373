/*
 * What several tests share: an allocator that counts, random numbers, a model with one of each
 * thing, random changes of a snapshot, and the comparison of two snapshots.
 *
 * Free of any test framework, so that fuzz targets and fault injection use it too. Any thread,
 * except for kit_count_memory, which comes first.
 */
#ifndef GCSPY_TESTS_KIT_H
#define GCSPY_TESTS_KIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gcspy/plugin.h>
#include <gcspy/snapshot.h>

/* Makes the library's allocations count, and fail beyond `limit` bytes at once (0: no limit).
 * Call before any other function of the library. */
void kit_count_memory(size_t limit);

/* Blocks and bytes that the library holds now; most bytes it ever held. */
size_t kit_live_blocks(void);
size_t kit_live_bytes(void);
size_t kit_peak_bytes(void);

/* Lets `count` further allocations succeed and all later ones fail; SIZE_MAX: none fails. */
void kit_fail_after(size_t count);

/* True once an allocation has been made to fail since kit_fail_after. */
bool kit_has_failed(void);

/* The next number of a reproducible sequence; `kit_below` gives 0..limit-1. */
uint64_t kit_random(uint64_t *state);
uint32_t kit_below(uint64_t *state, uint32_t limit);

/* The seed of a property test: GCSPY_SEED of the environment, or the time. Prints it, so that a
 * failure can be run again. */
uint64_t kit_seed(void);

/* Events, groups, spaces and streams of the model that kit_model makes. */
enum { KIT_TICK, KIT_FULL, KIT_PLAIN_EVENT, KIT_EVENTS };
enum { KIT_COUNT_ATTRIBUTE, KIT_CAUSE_ATTRIBUTE, KIT_WORDS_ATTRIBUTE };
enum { KIT_GROUP_TOP, KIT_GROUP_INNER, KIT_GROUP_OTHER };
enum { KIT_HEAP, KIT_LIST, KIT_MATRIX, KIT_SPACES };
enum { KIT_USED, KIT_STATE, KIT_CONTROL, KIT_START, KIT_END, KIT_STREAMS };

extern const struct gcs_event kit_events[KIT_EVENTS];
extern const struct gcs_group kit_groups[3];
extern const struct gcs_space kit_spaces[KIT_SPACES];

/* Its plugins; the second has a parameter of each kind, of which the address is required. */
enum { KIT_STATUS_PLUGIN, KIT_WALK_PLUGIN, KIT_PLUGINS };
enum {
	KIT_WALK_DEPTH,
	KIT_WALK_FILTER,
	KIT_WALK_ORDER,
	KIT_WALK_SPACE,
	KIT_WALK_TILE,
	KIT_WALK_ADDRESS,
	KIT_WALK_LENGTH,
	KIT_WALK_PARAMETERS
};

extern const struct gcs_plugin kit_plugins[KIT_PLUGINS];

/* Three events, three groups, three spaces, two plugins; two lines of information. */
struct gcs_model *kit_model(void);

/* A snapshot of the model with some tiles, values, names and summaries, the same at each call. */
struct gcs_snapshot *kit_snapshot(struct gcs_model *model);

/* Changes the snapshot at random: sizes, values, names, summaries, attributes, counters. */
void kit_change(struct gcs_snapshot *snapshot, uint64_t *state);

/* The first thing in which two snapshots differ for a reader, or NULL. Sequence and times are
 * not compared; a space counts only if its bit in `spaces` is set. */
const char *kit_difference(
    const struct gcs_snapshot *a, const struct gcs_snapshot *b, uint64_t spaces);

/* The same for two models. */
const char *kit_model_difference(const struct gcs_model *a, const struct gcs_model *b);

/* Sleeps. */
void kit_sleep_ms(unsigned milliseconds);

/* Waits up to a minute until `condition` holds; it is evaluated again until it did, then no more. */
#define kit_until(condition)                                                                       \
	do {                                                                                       \
		bool kit_met = false;                                                              \
		for (unsigned kit_turn = 0; kit_turn < 60000 && !kit_met; kit_turn++)              \
			if (!(kit_met = (condition)))                                              \
				kit_sleep_ms(1);                                                   \
		cr_assert(kit_met, "within a minute: %s", #condition);                             \
	} while (0)

/* The same up to rounding. */
#define kit_near(value, expected)                                                                  \
	do {                                                                                       \
		const double kit_value = (value), kit_expected = (expected);                       \
		cr_assert(fabs(kit_value - kit_expected) <= 1e-9 * fabs(kit_expected),             \
		    "%.17g is not %.17g", kit_value, kit_expected);                                \
	} while (0)

#endif
