/*
 * Figures of a running program that only grow, or say how it is now: what a monitoring system reads at
 * any time (E3). They are taken from each snapshot that a client receives, by the names of
 * docs/stats.md; docs/serve.md lists them.
 *
 * What is not known has no value. After snapshots were missed, what happened meanwhile is not counted.
 * One thread at a time.
 */
#ifndef GCSPY_ANALYSIS_RUNNING_FIGURES_H
#define GCSPY_ANALYSIS_RUNNING_FIGURES_H

#include <gcspy/snapshot.h>

GCS_BEGIN_DECLS

enum {
	RUNNING_BUCKETS = 14, /* of pauses; the last one has no upper limit */
	RUNNING_PAUSES = 48,  /* kinds and causes; the last one is "other" when there are more */
	RUNNING_POOLS = 4,
	/* Fine buckets of pauses, 2^RUNNING_FINE_SCHEMA to each doubling: the first one ends at 1.04 µs, the
	 * last one at 3756 s, and has what is longer, too. */
	RUNNING_FINE_SCHEMA = 3,
	RUNNING_FINE_FIRST = -159,
	RUNNING_FINE = 255
};

/* In seconds: pauses up to this are in no fine bucket (2^-20, 0.95 µs). */
#define RUNNING_FINE_LEAST 0x1p-20

/* The upper limits, in seconds, of all buckets but the last. */
extern const double running_bucket_limits[RUNNING_BUCKETS - 1];

/* Pauses of one kind with one cause. */
struct running_pauses {
	char kind[48], cause[64]; /* "": not known */
	uint64_t count, total_ns;
	uint64_t buckets[RUNNING_BUCKETS]; /* not cumulative */
	/* The same pauses: [i] has those up to 2^((i + RUNNING_FINE_FIRST) / 8) s. 32 bits, because there are
	 * many, and ten pauses a second need 13 years to fill them. */
	uint32_t fine[RUNNING_FINE], shortest;
	/* The longest one under the last mark (running_figures_mark); 0: none */
	uint32_t mark;
	uint64_t marked_ns;
	int64_t marked_wall_ns;
};

/* A part of the heap, by the name of its MemoryPoolMXBean. */
struct running_pool {
	const char *name;
	uint64_t used;
};

struct running_values {
	uint64_t used, committed;
	uint64_t limit;               /* the most that the heap may have; 0: not known */
	uint64_t allocated, promoted; /* bytes since the first snapshot */
	uint64_t tlab_waste;          /* likewise */
	uint64_t humongous;           /* regions, after the last collection */
	uint64_t native_used;         /* of the native heap, if the agent shows one */
	uint64_t largest_free;        /* longest free run … */
	double fragmentation;         /* and the share of free memory outside it, 0 to 1 */
	bool has_used, has_committed, has_allocated, has_promoted, has_tlab_waste, has_humongous,
	    has_native, has_fragmentation;
	uint64_t cost_ns;    /* of GCspy, in the program's threads, since it was loaded */
	uint64_t full;       /* full collections seen */
	uint64_t missed;     /* snapshots */
	uint64_t events;     /* snapshots received */
	int64_t wall_ns;     /* of the newest one */
	uint32_t pool_count; /* 0: the parts are not known */
	struct running_pool pools[RUNNING_POOLS];
	uint32_t after_count; /* the same at the end of the last collection; 0: not known */
	struct running_pool after[RUNNING_POOLS];
	uint32_t pause_count, pause_room; /* at most RUNNING_PAUSES */
	struct running_pauses *pauses;    /* running_values_fini */
};

/* The bucket that a pause belongs to. */
uint32_t running_bucket(double ns);

/* Counts a pause. */
void running_pauses_add(struct running_pauses *pauses, double ns);

/* Used bytes of the heap: of its pools, where these are known. */
uint64_t running_values_used(const struct running_values *values);

/* Copies values, to a zeroed struct or one that has some. False without memory; it is unchanged then. */
bool running_values_copy(struct running_values *to, const struct running_values *from);
void running_values_fini(struct running_values *values);

struct running_figures;

/* NULL without memory. */
struct running_figures *running_figures_create(void);
void running_figures_free(struct running_figures *figures); /* NULL is fine */

/* Takes the next snapshot of the same connection. */
void running_figures_add(struct running_figures *figures, const struct gcs_snapshot *snapshot);

/* Events of a time have this mark, such as the number of a recording. */
struct running_mark {
	uint32_t number;           /* 0: none have */
	int64_t from_ns, until_ns; /* since 1970 */
};
void running_figures_mark(struct running_figures *figures, const struct running_mark *mark);

const struct running_values *running_figures_now(const struct running_figures *figures);

/* Whether the figures need the tiles of a space; others may be collapsed. */
bool running_figures_use(const struct gcs_model *model, uint32_t space);

GCS_END_DECLS

#endif
