/*
 * The figures of a recording (F23): pauses, the heap after collections, rates of allocation and
 * promotion, fragmentation, minimum, mean and maximum of every stream, and the call sites that grew.
 *
 * They take one pass over snapshots, in the order of their events, from a trace or a client.
 * Attributes and streams are recognised by name; docs/stats.md lists the names that have a meaning
 * and how each figure is computed. What the snapshots do not show is absent, with a reason, and
 * never 0.
 *
 * A builder belongs to one thread at a time; the result is immutable.
 */
#ifndef GCSPY_ANALYSIS_STATS_H
#define GCSPY_ANALYSIS_STATS_H

#include <gcspy/snapshot.h>
#include <gcspy/trace.h>
#include <gcspy/trigger.h>

#include "sites.h"

GCS_BEGIN_DECLS

#define GCS_NO_PLACE UINT64_MAX /* no such place */

/* Why figures are absent: one line without full stop; "": they are present. */
struct gcs_stats_reason {
	char text[200];
};

/* A value that came with several events. Places are those of gcs_stats_add. */
struct gcs_stats_series {
	uint64_t count;
	double min, mean, max, first, last; /* NAN without values */
	uint64_t min_place, max_place;      /* the first one with that value */
	/* Linear fit over time, without the time between a restart's end and beginning. */
	bool has_trend;        /* two values or more, at different times */
	double trend_per_hour; /* in the value's unit; NAN without a trend */
	double trend_error;    /* its standard error; negative with fewer than three values */
	double deviation;      /* standard deviation; 0 with fewer than two values */
	double first_seconds, last_seconds; /* when they came, of the program's own time */
};

/* Pauses with something in common. Percentiles are exact, by nearest rank. */
struct gcs_stats_pauses {
	const char *name; /* of the kind or cause */
	uint64_t count;
	uint64_t total_ns;
	double mean_ns;
	double deviation_ns; /* standard; 0 for one pause */
	uint64_t min_ns, median_ns, p90_ns, p99_ns, max_ns;
	uint64_t max_place; /* the first pause that took max_ns */
	double share;       /* of the wall time, 0 to 1; negative when that is not known */
};

/* One pause. What is not known is not a number. */
struct gcs_stats_pause {
	const char *kind, *cause;
	uint64_t ns, place;
	int64_t wall_ns;      /* its end, since 1970 UTC */
	double before, after; /* bytes used */
	/* Since the end of the pause before: bytes, and the time that they took. */
	double allocated, seconds;
	double promoted; /* bytes, by a young collection */
};

enum { GCS_STATS_LONGEST = 5 }; /* so many of the longest pauses are kept */

struct gcs_stats_event {
	const char *name;
	uint64_t recorded;
	/* Between the first and the last of them, by the server's own count: filtered, missed or
	 * damaged. */
	uint64_t unseen;
	/* How often it occurred from the first snapshot to the last, if it is counted between updates
	 * (gcspy/updates.h), and only recorded where a trigger fires; GCS_NO_PLACE: it is not. */
	uint64_t counted;
	double counted_per_second; /* negative when not known */
};

/* A trigger that fired while it was recorded. */
struct gcs_stats_trigger {
	const char *name, *condition;
	const char *plugin; /* that it asked; "": none */
	uint32_t actions;   /* of enum gcs_trigger_action */
	uint64_t fires;
	uint64_t first_place, last_place;
	int64_t first_wall_ns, last_wall_ns; /* since 1970 UTC */
};

/* One value of a summary: the total, what it is a share of, or tiles with one name. */
struct gcs_stats_summary {
	const char *name; /* of the enumeration; "" for totals */
	struct gcs_stats_series series;
};

struct gcs_stats_stream {
	const struct gcs_stream *stream;
	const char *why; /* nothing of it is known; "": it is */
	/* Over events and used tiles; count: values. The mean of names (GCS_ENUM) is 0; `first`,
	 * `last` and the trend are not filled in. */
	struct gcs_stats_series tiles;
	uint32_t summary_count; /* gcs_summary_length */
	const struct gcs_stats_summary *summary;
};

/* A space while its streams stayed the same; one whose streams change is listed again. */
struct gcs_stats_space {
	const struct gcs_space *space; /* its group means nothing here */
	uint64_t events;               /* at which its data were gathered */
	const char *why;               /* nothing of it is known; "": it is */
	struct gcs_stats_series used_tiles;
	uint32_t stream_count; /* without control bits and ranges */
	const struct gcs_stats_stream *streams;
};

struct gcs_stats_rate {
	struct gcs_stats_reason why; /* "": known */
	double bytes;                /* altogether, over … */
	double seconds;              /* … this time */
	double per_second;
	/* Standard error; negative when not known. What is sampled is an estimate. What is counted
	 * is exact for its time: the error is that of a mean over intervals that differ. */
	double error;
	uint64_t intervals;     /* between collections, or collections */
	double peak_per_second; /* of the interval with most; negative when not known */
	uint64_t peak_place;    /* its end */
};

struct gcs_stats_tlabs {
	struct gcs_stats_reason why; /* "": known */
	uint64_t collections;
	double refill_bytes;   /* thrown away at refills, altogether */
	double unused_bytes;   /* unused in buffers at the beginnings of collections, altogether */
	double per_collection; /* both */
	double share;          /* both, of the bytes allocated; negative when those are not known */
};

/* A series, or why it is absent. */
struct gcs_stats_course {
	struct gcs_stats_reason why; /* "": known */
	struct gcs_stats_series series;
};

/* A frame of the program whose live objects grow, beyond doubt. */
struct gcs_suspect {
	const struct gcs_site *site;
	double per_second, error; /* bytes, of a weighted line through the profiles */
	double share;             /* as of struct gcs_survivor */
	/* What holds its objects by the last search that was recorded: "98 %: static Shop.baskets …",
	 * or "not known: …"; "": none was recorded. Of all call sites that have the frame. */
	char held_by[600];
};

/* Why something that survives collections is suspected to leak, or is not. */
enum gcs_verdict {
	GCS_VERDICT_GROWS,     /* beyond doubt: suspected */
	GCS_VERDICT_SMALL,     /* beyond doubt, but by less than a tenth of the heap's growth */
	GCS_VERDICT_STOPPED,   /* not in the later half of the profiles */
	GCS_VERDICT_UNCERTAIN, /* by less than twice the error */
	GCS_VERDICT_STEADY,    /* what collections leave of the heap does not grow */
	GCS_VERDICT_UNKNOWN    /* gcs_stats.no_suspects says why */
};

/* A call site, class or frame whose objects survive, over the judged profiles. */
struct gcs_survivor {
	const struct gcs_site *site; /* of gcs_stats.survivors, as of the last profile */
	double per_second, error; /* bytes, of a weighted line; NAN with fewer than two profiles */
	/* Of what grows: the growth of the heap after collections or, if that is more, the sum of what
	 * grows beyond doubt. 0 to 1, and 1 at most for all together; negative: not known. */
	double share;
	enum gcs_verdict verdict;
	uint64_t key; /* private */
};

struct gcs_stats {
	const char *server; /* name; never NULL */
	uint32_t info_count;
	const struct gcs_info *info; /* of the last description */

	uint64_t snapshots;       /* that were added, and … */
	uint64_t unreadable;      /* … events that were not, because of damage */
	bool of_file, unfinished; /* it has no end: its writer was stopped, or still writes */
	bool collects;            /* some event or space tells of collections */
	bool has_unwatched;       /* there is time where pauses are missing */
	uint64_t first_place, last_place;    /* GCS_NO_PLACE without any */
	int64_t first_wall_ns, last_wall_ns; /* since 1970 UTC; or of a later profile */
	uint64_t wall_ns;                    /* observed; 0: shares are unknown */
	uint64_t run_ns;     /* from the first event to the last, but for what others took of it */
	uint64_t watched_ns; /* observed, where no pause is missing: pauses' shares are of it */
	uint64_t lost_profiles; /* damaged ones, in whose place others are used */
	uint64_t missed;        /* snapshots that the recorder missed */
	uint64_t restarts;      /* of the server's sequence; nothing is computed across them */
	uint64_t gaps;          /* of events that are missing; nothing is computed across them */
	uint64_t collections;   /* whole ones, or cycles where memory is freed beside the program */
	uint64_t cost_ns;       /* of the server in the program's time, while it was observed */
	uint64_t updates_ns;    /* of its own thread for updates, with holds there */

	uint32_t event_count;
	const struct gcs_stats_event *events; /* in the order of the description */
	uint32_t trigger_count;
	const struct gcs_stats_trigger *triggers; /* in the order of their first fires */
	uint64_t fires_left_out;                  /* of triggers over the limit */
	struct gcs_stats_reason no_pauses;        /* "": there are some */
	struct gcs_stats_pauses pauses;           /* all of them */
	const uint64_t *sorted_pauses_ns;         /* as many, the shortest first */
	uint32_t kind_count;
	const struct gcs_stats_pauses *kinds; /* largest total first */
	uint32_t cause_count;
	const struct gcs_stats_pauses *causes;
	uint32_t longest_count;
	struct gcs_stats_pause longest[GCS_STATS_LONGEST]; /* the longest first */
	uint64_t stalled; /* collections that began because threads waited for memory */

	struct gcs_stats_course heap_after;    /* bytes used after collections */
	struct gcs_stats_course heap_used;     /* bytes used at all events that have them */
	struct gcs_stats_course committed;     /* bytes */
	struct gcs_stats_course fragmentation; /* 0 to 1, of the space below */
	const char *fragmentation_space;       /* name, or NULL */
	struct gcs_stats_rate allocation;      /* from used bytes between collections */
	struct gcs_stats_rate sampled;         /* from samples, between two profiles */
	struct gcs_stats_rate promotion;       /* into the old generation, by young collections */
	struct gcs_stats_tlabs tlabs;

	uint32_t space_count;
	const struct gcs_stats_space *spaces;
	uint64_t spaces_left_out; /* over the limit of GCS_MAX_SPACES */

	/* Call sites at the end, NULL where no profile was recorded; all of them, largest first. */
	uint64_t profiles;
	struct gcs_stats_reason no_live, no_allocated, no_allocated_since, no_growth;
	/* Allocated since sampling began; of that, in the time that is observed. */
	const struct gcs_sites *live, *allocated, *allocated_since;
	/* The survivors of the first live profile against those of the last one, and the time
	 * between the collections that judged them. */
	const struct gcs_comparison *growth;
	double growth_seconds;

	/* What collections leave of the heap, for suspects: of `heap_after`, or from markings and
	 * profiles. */
	struct gcs_stats_course heap_growth;
	enum gcs_left {
		GCS_LEFT,       /* by collections of old objects too, or of the whole heap */
		GCS_LEFT_YOUNG, /* by young ones only: with old garbage */
		GCS_LEFT_LIVE,  /* what was marked as live */
		GCS_LEFT_USED /* used bytes while collectors run beside the program: with garbage */
	} left_is;
	bool has_earlier; /* the least in use before what `heap_growth` is of, and when */
	double earlier_bytes, earlier_seconds;
	/* Frames of the program that hold ever more, the fastest first; none unless the heap grows.
	 * The reason is "" if they could be looked for. */
	struct gcs_stats_reason no_suspects;
	uint32_t suspect_count, judged_profiles;
	const struct gcs_suspect *suspects;
	const struct gcs_sites *survivors; /* of which the suspects' sites are */
	/* All of them, the fastest growth first, if gcs_stats_list_survivors was called. */
	uint32_t survivor_count;
	const struct gcs_survivor *survivor_list;
};

struct gcs_stats_builder;

/* NULL without memory. */
GCS_API struct gcs_stats_builder *gcs_stats_begin(void);

/*
 * Adds the next snapshot. `place` is its number in the recording, or any increasing number. A
 * snapshot with the sequence number of the one before is the same event again, and only its spaces
 * count. OK or NOMEM, after which the builder can only be dropped or finished. Memory: 16 bytes per
 * pause; the rest does not grow with the number of snapshots.
 */
GCS_API enum gcs_status gcs_stats_add(
    struct gcs_stats_builder *builder, const struct gcs_snapshot *snapshot, uint64_t place);

/* Skips `events` that cannot be read. */
GCS_API void gcs_stats_skip(struct gcs_stats_builder *builder, uint64_t events);
/* Prefixes of classes that are not the program's, as in struct gcs_site_filter; before the first
 * profile. */
GCS_API void gcs_stats_set_libraries(
    struct gcs_stats_builder *builder, const char *const *libraries);

/* Leaves out the figures of spaces and their streams, which take the most time. */
GCS_API void gcs_stats_skip_streams(struct gcs_stats_builder *builder);

/* Lists all survivors, joined by site, class or frame; before the first profile. */
GCS_API void gcs_stats_list_survivors(struct gcs_stats_builder *builder, enum gcs_sites_by by);

/* What a survivor had in judged profile `i`, and when that was, in seconds since sampling began. */
GCS_API double gcs_survivor_bytes(
    const struct gcs_stats *stats, const struct gcs_survivor *survivor, uint32_t i);
GCS_API double gcs_judged_seconds(const struct gcs_stats *stats, uint32_t i);

/* The call site of live objects with most bytes of those whose own frame is the suspect's; NULL if
 * there is none. */
GCS_API const struct gcs_site *gcs_suspect_largest(
    const struct gcs_stats *stats, const struct gcs_suspect *suspect);

/* "byte[]", or "byte[] and others" where the suspect's frame has several classes. */
GCS_API char *gcs_suspect_class(
    char *buffer, size_t size, const struct gcs_stats *stats, const struct gcs_suspect *suspect);

/* Whether what collections leave grows: by a slope of three times its error and 5 % of the mean. */
GCS_API bool gcs_stats_heap_grows(const struct gcs_stats *stats);

/* Whole collections so far; cycles of a collector that frees memory while the program runs. */
GCS_API uint64_t gcs_stats_collections(const struct gcs_stats_builder *builder);

/* From this share on, humongous objects are worth a line. */
#define GCS_STATS_HUMONGOUS 0.25

/* The share of humongous regions in the regions in use, in the mean; negative if not known. */
GCS_API double gcs_stats_humongous_share(const struct gcs_stats *stats);

/* The call site of `allocated` (or NULL) that allocates most humongous objects, dead ones too, and the
 * total; NULL if the samples do not show it. The caller frees it. */
GCS_API struct gcs_sites *gcs_stats_humongous_sites(
    const struct gcs_sites *allocated, const char *const *libraries);

/* Whether it certainly does not grow much: by at most a quarter of the mean within two errors of its
 * slope. Neither holds where collections were too few or leave too different amounts. And whether it is
 * steady, and was a quarter less before the first collection that is judged. */
GCS_API bool gcs_stats_heap_is_steady(const struct gcs_stats *stats);
GCS_API bool gcs_stats_heap_grew_before(const struct gcs_stats *stats);

/* How long it has been watched in all: also before the first event and after the last. */
GCS_API void gcs_stats_watched(struct gcs_stats_builder *builder, uint64_t ns);

/* What is added goes on to the end: a profile after the last event shows that none came until then. */
GCS_API void gcs_stats_to_the_end(struct gcs_stats_builder *builder);

/* Counts profiles that are not added. */
GCS_API void gcs_stats_count_profiles(struct gcs_stats_builder *builder, uint64_t profiles);
/* Adds a profile, in the order of time, and takes ownership of it. NULL is fine. */
GCS_API void gcs_stats_add_profile(struct gcs_stats_builder *builder, struct gcs_profile *profile);

/* Takes a copy of what the plugin `paths` has answered with form=sites, in place of the one before;
 * anything else has no effect. */
GCS_API void gcs_stats_add_paths(
    struct gcs_stats_builder *builder, const void *bytes, size_t length);

/* Frees the builder and returns the figures, or NULL without memory. */
GCS_API struct gcs_stats *gcs_stats_finish(struct gcs_stats_builder *builder);
GCS_API void gcs_stats_drop(struct gcs_stats_builder *builder); /* NULL is fine, here and below */
GCS_API void gcs_stats_free(struct gcs_stats *stats);

/*
 * The figures of a trace from event `first` to `last`, inclusive; UINT64_MAX is the end. Damaged
 * events are skipped and counted. `libraries` as above, or NULL. NULL with the reason: ARGUMENT for
 * events that the trace does not have, NOMEM, IO.
 */
GCS_API struct gcs_stats *gcs_stats_of_trace(struct gcs_trace *trace, uint64_t first, uint64_t last,
    const char *const *libraries, struct gcs_error *err);

/* Adds the events of a trace from `first` to `last`, inclusive; `whole`: with their spaces.
 * Damaged events are skipped and counted. */
GCS_API enum gcs_status gcs_stats_add_trace(struct gcs_stats_builder *builder,
    struct gcs_trace *trace, uint64_t first, uint64_t last, bool whole, struct gcs_error *err);

/* Adds profiles of a trace within these events; of live objects some at even distances, a share of
 * 1 / `files` of those that are compared. */
GCS_API enum gcs_status gcs_stats_add_trace_profiles(struct gcs_stats_builder *builder,
    struct gcs_trace *trace, uint64_t first, uint64_t last, unsigned files, struct gcs_error *err);

enum gcs_unit {
	GCS_UNIT_NUMBER,
	GCS_UNIT_BYTES,
	GCS_UNIT_NANOSECONDS,
	GCS_UNIT_SHARE, /* 0 to 1 */
	GCS_UNIT_BYTES_PER_SECOND,
	GCS_UNIT_BYTES_PER_HOUR,
	GCS_UNIT_SHARE_PER_HOUR,
	GCS_UNIT_COUNT,
	/* in tables: the unit of the values that a series has, and that per hour */
	GCS_UNIT_OWN,
	GCS_UNIT_OWN_PER_HOUR
};

enum gcs_field_type {
	GCS_FIELD_TEXT,        /* const char * */
	GCS_FIELD_DATE,        /* int64_t, nanoseconds since 1970 */
	GCS_FIELD_COUNT,       /* uint64_t */
	GCS_FIELD_KNOWN_COUNT, /* uint64_t; GCS_NO_PLACE: not known */
	GCS_FIELD_PLACE,       /* likewise; people see the event's number, from 1 */
	GCS_FIELD_VALUE,       /* double; not a number: not known */
	GCS_FIELD_POSITIVE     /* double; negative: not known */
};

/* A figure in one of the structs above. A table of them ends with a row without `key`. */
struct gcs_field {
	const char *key;  /* in JSON */
	const char *name; /* in lists; NULL: in none */
	enum gcs_field_type type;
	enum gcs_unit unit;
	size_t offset;
};

extern const struct gcs_field gcs_recording_fields[]; /* struct gcs_stats */
extern const struct gcs_field gcs_event_fields[];     /* struct gcs_stats_event */
extern const struct gcs_field gcs_pauses_fields[];    /* struct gcs_stats_pauses */
extern const struct gcs_field gcs_series_fields[];    /* struct gcs_stats_series */
extern const struct gcs_field gcs_pause_fields[];     /* struct gcs_stats_pause */

/* "paused the program, asked backtrace", "marked the event": what the trigger did. Returns `text`. */
GCS_API char *gcs_trigger_did_text(char *text, size_t size, const struct gcs_stats_trigger *t);

/* A group of figures that may be absent. The table ends with a row without `object`. */
struct gcs_section {
	const char *object, *key; /* in JSON: the object that it is in, and its key there */
	const char *name;         /* in lists */
	const char *title;        /* on pages */
	enum gcs_unit unit;       /* GCS_UNIT_OWN of its fields */
	const struct gcs_field *fields;
	size_t offset, why; /* of the struct that has the fields, and of the reason */
};

extern const struct gcs_section gcs_sections[];

/* Why the section is absent, or "". */
GCS_API const char *gcs_section_reason(
    const struct gcs_section *section, const struct gcs_stats *stats);

/* The field of `object` as a number; false if it is not known or not a number. */
GCS_API bool gcs_field_value(const struct gcs_field *field, const void *object, double *value);

/* The unit of a stream's values. */
GCS_API enum gcs_unit gcs_stream_unit(const struct gcs_stream *stream);

/* One figure out of all, for tables and comparisons. */
struct gcs_figure {
	const char *section; /* "pauses by kind"; the same text for all figures of one */
	const char *subject; /* "Young"; "" when the section has only one */
	const char *name;    /* "p99" */
	enum gcs_unit unit;
	bool known;
	double value;    /* while it is known */
	const char *why; /* while it is not */
};

/*
 * Calls `take` for every figure, in a fixed order, grouped by section and subject; the texts are
 * valid until `take` returns. Stops when it returns false.
 */
GCS_API void gcs_stats_figures(const struct gcs_stats *stats,
    bool (*take)(void *context, const struct gcs_figure *figure), void *context);

/* "12.5 MiB/s", "3.2 ms", "18.3 %", "1,234"; writes at most `size` bytes and returns `buffer`. */
GCS_API char *gcs_format_figure(char *buffer, size_t size, double value, enum gcs_unit unit);

GCS_END_DECLS

#endif
