/*
 * The parts of the builder of figures, and what they keep between snapshots. Each has a file:
 * stats_series.c, stats_names.c, stats_pauses.c, stats_longest.c, stats_heap.c, stats_rates.c, stats_spaces.c,
 * stats_sites.c, stats_suspects.c; stats.c drives them.
 */
#ifndef GCSPY_ANALYSIS_STATS_INTERNAL_H
#define GCSPY_ANALYSIS_STATS_INTERNAL_H

#include "stats.h"

#include "arena.h"

/* A value over time: extremes, mean, and the moments of its linear fit, without the values. */
struct stats_series {
	uint64_t count;
	double mean, min, max, first, last;
	double first_seconds, last_seconds;
	uint64_t min_place, max_place;
	double mean_time;                          /* seconds */
	double time_time, time_value, value_value; /* sums of products of deviations */
};

/* Where and when something is. */
struct stats_moment {
	uint64_t place;
	double seconds; /* of the program's own time since the first snapshot, without restarts */
};

void stats_series_add(struct stats_series *series, const struct stats_moment *when, double value);
void stats_series_give(const struct stats_series *series, struct gcs_stats_series *result);

void stats_because(struct gcs_stats_reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What a pause's kind says about the heap (docs/stats.md has the names). */
enum stats_kind_class {
	STATS_UNKNOWN,    /* at this occurrence */
	STATS_COLLECTION, /* a whole collection, which is over at its finish */
	STATS_YOUNG,      /* the same, of the young generation only */
	STATS_OTHER,      /* another pause of a collector that frees memory in pauses only */
	STATS_CONCURRENT  /* a pause of one that frees memory while the program runs */
};

/* Attributes of an event that have a meaning; GCS_NONE: it has none of that name. */
struct stats_event_names {
	uint32_t pause, kind, cause, before, after, used, committed;
	bool counted; /* between updates */
	bool update;  /* an update of sample-driven mode, which GCspy's own thread makes */
};

/* Where a model has what the names mean. */
struct stats_names {
	struct stats_event_names events[GCS_MAX_EVENTS];
	uint32_t event_count;
	/* The old generation: a space of its own, or the tiles of one type. */
	uint32_t old_space, old_used;
	uint32_t old_type; /* stream; GCS_NONE: the whole space */
	int64_t old_value;
	uint32_t tlabs, tlab_used, tlab_size, tlab_waste;
	uint32_t main, main_used;
	uint32_t main_live; /* what a marking found alive */
};

void stats_names_find(struct stats_names *names, const struct gcs_model *model);

/* What all parts need to know of one snapshot. */
struct stats_view {
	const struct gcs_snapshot *snapshot;
	const struct stats_event_names
	    *event;       /* all GCS_NONE outside events, and for a repetition */
	const char *kind; /* NULL: unknown */
	enum stats_kind_class kind_class;
	struct stats_moment when;
	bool adjoins;          /* nothing of its event is missing since the one before */
	bool next;             /* it has the next sequence number after the snapshot before */
	bool behind_gap;       /* events of its kind are missing before it, … */
	uint64_t unwatched_ns; /* … and as much of the program's time, if no gap before had it */
};

/* The number of an attribute that is there and has a value. */
bool stats_number(const struct stats_view *view, uint32_t attribute, double *value);

/* The kind's or cause's words, or NULL. */
const char *stats_words(
    const struct gcs_model *model, const struct gcs_snapshot *snapshot, uint32_t attribute);

enum stats_kind_class stats_classify(const char *kind);

/* A program whose own heap is shown by libgcspymalloc: its allocator keeps free memory within tiles, so that
 * there are no runs of free ones to be looked at. */
bool stats_is_c_heap(const struct gcs_model *model);

/* Pauses. */
enum { STATS_MAX_GROUPS = 256 };

struct stats_pause {
	uint64_t ns;
	uint32_t kind, cause;
};

struct stats_group {
	const char *name;
	uint64_t total_ns, max_ns, max_place;
	uint64_t watched_ns; /* of total_ns, the pauses before which none is missing */
};

struct stats_groups {
	struct stats_group items[STATS_MAX_GROUPS];
	uint32_t count;
};

struct stats_pauses {
	struct stats_pause *items;
	uint64_t count, capacity;
	struct stats_groups kinds, causes;
	struct stats_group all;
	uint64_t
	    unwatched_ns; /* of the program's time, where pauses are missing, with those after them */
	bool declared;    /* some event has the attribute */
	char begun[GCS_MAX_NAME + 1]; /* cause of the last collection that an event began, or "" */
	uint64_t begun_sequence;
};

bool stats_pauses_add(
    struct stats_pauses *pauses, struct arena *texts, const struct stats_view *view);

/* Fills in the result; false without memory. */
bool stats_pauses_give(struct stats_pauses *pauses, struct arena *texts, struct gcs_stats *result);

/* From the end of the pause before to the end of this one; not a number where not known. */
struct stats_step {
	double allocated, seconds, promoted;
};

/* The least of some values, and when. */
struct stats_lowest {
	bool known;
	double value, seconds;
};

/* The heap's size at events. */
struct stats_heap {
	struct stats_series after, used, committed;
	struct stats_series spread_after, spread; /* fragmentation, after collections and at all */
	/* The least that collections left from one collection of old objects to the next, once that one
	 * has come; before the first one it is not known which old objects are garbage. */
	struct stats_series least;
	struct stats_moment least_when;
	double least_now;
	bool has_least;
	struct stats_lowest before_least; /* what collections left before the first one */
	/* What markings beside the program found alive, unless some mark a part of the heap only. */
	struct stats_series marked;
	bool marks_parts;
	struct stats_lowest before_marked; /* what was in use before the first one */
	char concurrent[64];               /* the first kind of such a pause, or "" */
	uint64_t cycles;                   /* pauses of that kind */
	char spread_space[GCS_MAX_NAME + 1];
	bool is_c_heap;
	char unused[GCS_MAX_NAME + 1]; /* what unused tiles are called, if that hides free ones */
	bool declares_after, declares_used, declares_committed, has_main;
	bool young; /* there were young collections */
};

/* Takes another model. */
void stats_heap_describe(struct stats_heap *heap, const struct stats_names *names);
void stats_heap_add(
    struct stats_heap *heap, const struct stats_names *names, const struct stats_view *view);
void stats_heap_give(const struct stats_heap *heap, struct gcs_stats *result);

/* True unless a pause of a collector was seen that frees memory while the program runs; else why. */
bool stats_heap_frees_in_pauses(const struct stats_heap *heap, struct gcs_stats_reason *why);

/* From one event to the next. */
struct stats_flow {
	double bytes, seconds, peak;
	double squares, products, times; /* sums of bytes², bytes * seconds, seconds² */
	/* Since the last time that was long enough for a peak. */
	double recent_bytes, recent_seconds;
	uint64_t intervals, peak_place;
	bool has_peak;
};

struct stats_rates {
	struct stats_step step; /* of the last snapshot */
	bool has_last;          /* of the last event with used bytes after it */
	double last_after, last_seconds;
	bool declares_before, declares_kind;
	struct stats_flow allocation, promotion;
	uint64_t shrank; /* intervals in which memory was freed unseen */
	bool has_old;    /* bytes used in the old generation at the snapshot before */
	double old;
	bool old_described;
	/* What buffers have at the beginning of a collection. */
	bool has_buffers;
	double refill, unused;
	double refill_bytes, unused_bytes, wasted; /* wasted: in intervals of known allocation */
	uint64_t retired;
	bool buffers_described, waste_described;
};

void stats_rates_describe(struct stats_rates *rates, const struct stats_names *names);
void stats_rates_add(
    struct stats_rates *rates, const struct stats_names *names, const struct stats_view *view);

/* Nothing is computed across this point. */
void stats_rates_break(struct stats_rates *rates);
void stats_rates_give(
    const struct stats_rates *rates, const struct stats_heap *heap, struct gcs_stats *result);

/* The longest pauses. */
struct stats_longest {
	struct gcs_stats_pause items[GCS_STATS_LONGEST];
	uint32_t count;
};

/* Takes a snapshot after stats_pauses_add and stats_rates_add have. */
void stats_longest_add(struct stats_longest *longest, const struct stats_pauses *pauses,
    const struct stats_step *step, const struct stats_view *view);
void stats_longest_give(
    const struct stats_longest *longest, const struct stats_heap *heap, struct gcs_stats *result);

/* Triggers that fired. */
enum { STATS_MAX_TRIGGERS = 64 };

struct stats_fired {
	struct gcs_stats_trigger items[STATS_MAX_TRIGGERS];
	uint32_t count;
	uint64_t left_out;
	bool failed; /* no memory */
};

bool stats_fired_add(struct stats_fired *fired, struct arena *texts, const struct stats_view *view);
bool stats_fired_give(
    const struct stats_fired *fired, struct arena *texts, struct gcs_stats *result);

/* Spaces and their streams. */
struct stats_column {
	/* Of the snapshot before, while it is held; else NULL. */
	const int64_t *values, *counted;
	uint64_t count;
	double sum;
	int64_t min, max;
};

struct stats_stream {
	uint32_t id;
	bool unknown; /* not known at the snapshot before */
	uint64_t count;
	double sum, min, max;
	uint64_t min_place, max_place;
	struct stats_column seen;
	uint32_t summary_count;
	struct stats_series *summary;
};

struct stats_space {
	uint32_t id; /* in the catalogue and, at its time, in the described model */
	uint32_t described;
	uint64_t events;
	bool known;
	char unknown[100]; /* why not, of the snapshot before */
	struct stats_series used_tiles;
	const int64_t *control; /* as of the snapshot before, or NULL */
	uint32_t tiles, used;
	bool current; /* what it knows of columns holds for the snapshot before */
	uint32_t stream_count;
	struct stats_stream *streams;
};

struct stats_spaces {
	struct gcs_model *catalogue; /* copies of the descriptions of all spaces */
	struct stats_space *items;
	uint32_t count, capacity, left_out;
	uint32_t map[GCS_MAX_SPACES]; /* from the described model's spaces; GCS_NONE */
};

/* Takes another model; false without memory. */
bool stats_spaces_describe(
    struct stats_spaces *spaces, struct arena *texts, const struct gcs_model *model);
void stats_spaces_add(struct stats_spaces *spaces, const struct stats_view *view);
bool stats_spaces_give(
    const struct stats_spaces *spaces, struct arena *texts, struct gcs_stats *result);
void stats_spaces_fini(struct stats_spaces *spaces);

/* The bytes of a frame of the program that have survived. */
struct stats_frame {
	uint64_t key; /* a hash of the frame */
	double bytes, error;
};

/* What a profile says of live objects, as judged by one collection. */
struct stats_judged {
	int64_t wall_ns, old_wall_ns; /* ends of the collections; 0: none */
	int64_t since_wall_ns;
	double seconds, used, interval;
	uint32_t count;
	struct stats_frame *frames; /* by key */
};

/* Profiles of live objects that are compared; more say little more. */
enum { STATS_JUDGED = 24 };

/* Profiles: the first and the last of live objects, and of allocation. */
struct stats_profiles {
	struct gcs_profile *first, *live, *first_allocated, *allocated, *since;
	const char *const *libraries;
	bool has_sampled, failed;
	struct gcs_profile_head from, to; /* their texts are not used */
	uint64_t count, lost;
	struct gcs_sites *first_sites, *live_sites, *last_sites, *allocated_sites, *since_sites,
	    *survivors;
	struct gcs_comparison *growth;
	struct stats_judged judged[STATS_JUDGED];
	uint32_t judged_count;
	struct gcs_suspect *suspects;
	bool listed; /* all survivors, not only suspects */
	enum gcs_sites_by by;
	struct gcs_survivor *list;
	struct gcs_table *paths; /* chains by call site, or NULL */
};

/* The live objects of a profile for comparing; NULL without memory. */
struct gcs_sites *stats_survivors(
    const struct stats_profiles *p, const struct gcs_profile *profile, enum gcs_sites_by by);
void stats_survivors_add(struct stats_profiles *p, const struct gcs_profile *profile);
bool stats_suspects_give(struct stats_profiles *p, struct gcs_stats *result);
void stats_suspects_fini(struct stats_profiles *p);

/* In stats_holders.c: what holds the objects of those sites whose frames have the key. False without
 * memory. */
typedef uint64_t stats_key(
    const struct gcs_sites *sites, const struct gcs_site *site, enum gcs_sites_by by);
bool stats_held_by(const struct stats_profiles *p, const struct gcs_sites *by_site,
    stats_key *key_by, uint64_t key, char *text, size_t size);

void stats_profiles_add(struct stats_profiles *profiles, struct gcs_profile *profile);
bool stats_profiles_give(struct stats_profiles *profiles, struct gcs_stats *result);
void stats_profiles_fini(struct stats_profiles *profiles);

struct gcs_stats_builder {
	struct arena texts;
	struct gcs_model *first_model;
	struct gcs_snapshot *last; /* the one before; its columns stay while it is held */
	struct stats_names names;
	struct stats_moment now;
	uint64_t recorded[GCS_MAX_EVENTS], unseen[GCS_MAX_EVENTS], counters[GCS_MAX_EVENTS];
	uint64_t counted[GCS_MAX_EVENTS];
	uint64_t first_place, snapshots, skipped, missed, restarts, gaps, cost_ns, updates_ns,
	    before_ns, lost_ns, watched_ns;
	int64_t first_wall_ns, profile_wall_ns; /* of the first event, and of the newest profile */
	bool to_the_end;
	bool broken;                  /* unreadable events precede the next snapshot */
	bool excused[GCS_MAX_EVENTS]; /* its missing events are part of a counted gap */
	uint64_t watched_until_ns[GCS_MAX_EVENTS]; /* the program's time at its last occurrence */
	uint64_t unwatched_until_ns;               /* at the end of the last gap */
	struct stats_fired fired;
	struct stats_pauses pauses;
	struct stats_longest longest;
	struct stats_heap heap;
	struct stats_rates rates;
	struct stats_spaces spaces;
	bool without_streams;
	struct stats_profiles profiles;
};

/* The result, with what it owns. */
struct stats_result {
	struct gcs_stats stats;
	struct arena texts;
	struct gcs_model *first_model, *last_model, *catalogue;
	struct stats_profiles profiles;
};

#endif
