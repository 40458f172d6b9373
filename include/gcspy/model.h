/*
 * The description of a server: its name, events, groups, spaces and streams.
 *
 * GCspy knows nothing of any collector. A server describes itself once, when a client connects
 * (OOPSLA 2002, section 3.6); after that it sends only sequences of integers. Servers, clients and
 * trace files use the same description.
 *
 * A `struct gcs_model` is built by one thread and then shared. It never changes after it has been
 * given to a server, client or snapshot, so any thread may read it without a lock; to change it,
 * make a copy (gcs_model_copy).
 */
#ifndef GCSPY_MODEL_H
#define GCSPY_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

GCS_BEGIN_DECLS

/* Hard limits, the same for every peer; docs/protocol.md, section 7. */
#define GCS_MAX_EVENTS               64u
#define GCS_MAX_ATTRIBUTES           32u
#define GCS_MAX_GROUPS               1024u
#define GCS_MAX_SPACES               1024u
#define GCS_MAX_STREAMS              120u      /* per space */
#define GCS_MAX_TILES                4194304u  /* per space */
#define GCS_MAX_VALUES               33554432u /* tiles times streams, over all spaces */
#define GCS_MAX_EVENT_TEXT           131072u   /* bytes of all names in an event's enumerations */
#define GCS_MAX_ENUM                 256u
#define GCS_MAX_INFO                 256u
#define GCS_MAX_NAME                 255u  /* bytes of a name, without the NUL */
#define GCS_MAX_TEXT                 4095u /* bytes of a description or an info value, likewise */
#define GCS_MAX_PARAMETERS           64u   /* of a query */
#define GCS_MAX_ATTRIBUTE_PARAMETERS 4u
#define GCS_MAX_QUERIES              8u         /* unanswered, of one client */
#define GCS_MAX_ANSWER               268435456u /* bytes of an answer */
#define GCS_MAX_ZOOMS                32u        /* of all clients of a server (F16) */
#define GCS_MAX_ZOOMS_EACH           8u         /* of one client */
#define GCS_MAX_ZOOM_TILES           16384u     /* of one zoom */
#define GCS_MIN_ZOOM_BLOCK           16u        /* bytes of a zoom's block, a power of two */

#define GCS_NONE UINT32_MAX /* no group, stream … */

/* The declared width of a stream's values. In memory and in every call a value is an int64_t. */
enum gcs_type { GCS_TYPE_I8, GCS_TYPE_I16, GCS_TYPE_I32, GCS_TYPE_I64, GCS_TYPE_COUNT };

/* How a value is shown (F3). */
enum gcs_presentation {
	GCS_PLAIN,   /* the number */
	GCS_PLUS,    /* the number; `max` stands for "max or more" */
	GCS_PERCENT, /* the number and its share of the maximum */
	GCS_ENUM,    /* one of the names; the value min + i has names[i] */
	GCS_PRESENTATION_COUNT
};

/* The maximum for colours and percentages. */
enum gcs_maximum {
	GCS_MAX_FIXED,     /* the stream's `max` */
	GCS_MAX_OF_EVENT,  /* the largest value of a used tile at this event */
	GCS_MAX_OF_STREAM, /* the tile's value in the stream `max_stream` */
	GCS_MAXIMUM_COUNT
};

enum gcs_paint {
	GCS_PAINT_PLAIN, /* every value has a shade */
	GCS_PAINT_ZERO,  /* a tile with the value `zero` is an empty frame */
	GCS_PAINT_COUNT
};

/* How numbers are written. */
enum gcs_format { GCS_DECIMAL, GCS_HEX, GCS_BYTES, GCS_NANOSECONDS, GCS_FORMAT_COUNT };

/* A stream's summary. The server computes it, because only the server can avoid counting objects
 * twice (F4). */
enum gcs_summary_kind {
	GCS_SUMMARY_NONE,  /* no values */
	GCS_SUMMARY_TOTAL, /* 1 value: the total */
	GCS_SUMMARY_SHARE, /* 2 values: the total, and the whole that it is part of */
	GCS_SUMMARY_COUNTS, /* one value per name of the enumeration: the tiles with it, or the regions in
			     * them where a tile stands for several */
	GCS_SUMMARY_KIND_COUNT
};

/* The purpose of a stream. System streams are sent like any other, so they are incremental too. */
enum gcs_role {
	GCS_ROLE_DATA,
	GCS_ROLE_CONTROL,     /* bits of enum gcs_tile_bits */
	GCS_ROLE_RANGE_START, /* first address (or position) of the tile (F15) */
	GCS_ROLE_RANGE_END,   /* the first one after it */
	GCS_ROLE_COUNT
};

/* Bits of a control stream (F5; the first five are those of 2002). In a space without one, all tiles
 * are used. */
enum gcs_tile_bits {
	GCS_TILE_USED = 1,
	GCS_TILE_BACKGROUND = 2, /* not a tile: nothing is painted */
	GCS_TILE_UNUSED = 4,     /* reserved but not in use, such as uncommitted memory */
	GCS_TILE_SEPARATOR = 8,  /* a border before the tile */
	GCS_TILE_LINK = 16, /* linked with the next tile, as regions of a humongous object are */
	GCS_TILE_STALE = 32 /* its values are older than the snapshot */
};

enum gcs_space_kind {
	GCS_SPACE_ADDRESSES, /* tiles in address order */
	GCS_SPACE_LIST,      /* tiles in any other order: a free list, threads, call sites */
	GCS_SPACE_MATRIX,    /* `columns` tiles in each row */
	GCS_SPACE_KIND_COUNT
};

enum gcs_attribute_kind {
	GCS_ATTRIBUTE_NUMBER,
	GCS_ATTRIBUTE_ENUM,
	GCS_ATTRIBUTE_TEXT,
	GCS_ATTRIBUTE_KIND_COUNT
};

/* A named value of every occurrence of an event (F6, F17). */
struct gcs_attribute {
	const char *name;
	enum gcs_attribute_kind kind;
	enum gcs_format format; /* of a number */
	uint32_t enum_count;    /* of an enumeration; the value i is enum_names[i] */
	const char *const *enum_names;
	/* Of a trigger's condition: `Name(number, …)`. An attribute with parameters, or `on_demand`, is
	 * computed only while a trigger or a client is interested (gcs_server_interested). */
	uint32_t parameter_count; /* 0..GCS_MAX_ATTRIBUTE_PARAMETERS */
	bool on_demand;
	const char *const *parameter_names;
};

/* A named point of the program at which its state may be sent (F7). Its id is its index. */
struct gcs_event {
	const char *name;
	const char *description;
	uint32_t colour; /* 0xRRGGBB, a hint for timelines */
	uint32_t attribute_count;
	const struct gcs_attribute *attributes;
	GCS_RESERVED(2);
};

/* A node of the tree of groups (F14). Its id is its index; a parent comes before its children. */
struct gcs_group {
	const char *name;
	uint32_t parent; /* GCS_NONE at the top */
	GCS_RESERVED(2);
};

/* One attribute of a space's blocks (F3). Its id is its index in the space. */
struct gcs_stream {
	const char *name;
	const char *description;
	const char *prefix; /* text before a value, or "" */
	const char *suffix; /* text after a value, such as " bytes" */
	enum gcs_role role;
	enum gcs_type type;
	enum gcs_presentation presentation;
	enum gcs_maximum maximum;
	enum gcs_paint paint;
	enum gcs_format format;
	enum gcs_summary_kind summary;
	int64_t min, max;    /* range of the values */
	int64_t zero;        /* shown as empty (GCS_PAINT_ZERO) */
	int64_t initial;     /* value of a new tile */
	uint32_t max_stream; /* for GCS_MAX_OF_STREAM, else GCS_NONE */
	/* Of an estimate: a later stream of the space with half the width of each value's 95 %
	 * interval, in the same format; its summary is that of the total. 0: none. A value below its
	 * error is shown as uncertain. */
	uint32_t error_stream;
	uint32_t colour;     /* 0xRRGGBB, a hint */
	uint32_t enum_count; /* for GCS_ENUM: 1..GCS_MAX_ENUM, and max == min + enum_count - 1 */
	const char *const *enum_names;
	GCS_RESERVED(4);
};

/* A part of the system, cut into blocks (F1, F2). Its id is its index in the model. */
struct gcs_space {
	const char *name;
	const char *description;
	const char *tile_title; /* what a tile is called: "Region", "Block", "Thread" */
	const char *block_info; /* one line: "1 region of 1 MiB per tile" */
	/* What an unused tile is called: "uncommitted", which counts as free memory; "not mapped", which
	 * does not. With other words free memory is not known (docs/stats.md). */
	const char *unused_text;
	uint32_t group; /* GCS_NONE: at the top */
	enum gcs_space_kind kind;
	bool main;            /* selected at first */
	bool gone;            /* withdrawn; gcs_model_set_space brings it back */
	uint32_t columns;     /* of a matrix, else 0 */
	uint64_t block_bytes; /* size of a tile's block; 0: not uniform, or no memory */
	uint32_t stream_count;
	const struct gcs_stream *streams;
	uint32_t default_stream; /* that colours the tiles at first */
	GCS_RESERVED(4);
};

/* One line of general information. */
struct gcs_info {
	const char *key;
	const char *value;
};

struct gcs_plugin; /* plugin.h */

struct gcs_model {
	const char *server_name;
	uint32_t info_count;
	const struct gcs_info *info;
	uint32_t event_count;
	const struct gcs_event *events;
	uint32_t group_count;
	const struct gcs_group *groups;
	uint32_t space_count;
	const struct gcs_space *spaces;
	uint32_t plugin_count;
	const struct gcs_plugin *plugins;
};

/* An empty model with one reference, or NULL without memory. */
GCS_API struct gcs_model *gcs_model_create(const char *server_name);

/* A copy with one reference, which may be changed, or NULL without memory. What stays the same is shared
 * with the model, as long as either lives. */
GCS_API struct gcs_model *gcs_model_copy(const struct gcs_model *model);

/* Adds a reference and returns the model; NULL for NULL. Any thread. */
GCS_API struct gcs_model *gcs_model_ref(struct gcs_model *model);

/* Drops a reference; the last one frees the model. NULL has no effect. Any thread. */
GCS_API void gcs_model_unref(struct gcs_model *model);

/*
 * Each function copies a description into a model that is not shared yet. It checks that names are
 * present and within their limits, enumerations complete, groups and streams known, and ranges in
 * order. On failure the model is unchanged and `err` has the reason. `id` (may be NULL) receives the
 * new id.
 */
GCS_API enum gcs_status gcs_model_add_event(
    struct gcs_model *model, const struct gcs_event *event, uint32_t *id, struct gcs_error *err);
GCS_API enum gcs_status gcs_model_add_group(
    struct gcs_model *model, const struct gcs_group *group, uint32_t *id, struct gcs_error *err);
GCS_API enum gcs_status gcs_model_add_space(
    struct gcs_model *model, const struct gcs_space *space, uint32_t *id, struct gcs_error *err);
GCS_API enum gcs_status gcs_model_add_plugin(
    struct gcs_model *model, const struct gcs_plugin *plugin, uint32_t *id, struct gcs_error *err);

/* Replaces the description of a space: streams, texts, group. Its tiles return to their initial
 * values. */
GCS_API enum gcs_status gcs_model_set_space(
    struct gcs_model *model, uint32_t id, const struct gcs_space *space, struct gcs_error *err);

/* Withdraws a space. Its id stays in use; gcs_model_set_space brings the space back. */
GCS_API enum gcs_status gcs_model_remove_space(
    struct gcs_model *model, uint32_t id, struct gcs_error *err);

/* Sets one line of general information, replacing one with the same key; an empty value removes
 * it. */
GCS_API enum gcs_status gcs_model_set_info(
    struct gcs_model *model, const char *key, const char *value, struct gcs_error *err);

/* The space's first stream with that role, or GCS_NONE. Any thread. */
GCS_API uint32_t gcs_space_role(const struct gcs_space *space, enum gcs_role role);

/* The id with exactly this name, or GCS_NONE. Any thread. */
GCS_API uint32_t gcs_model_find_event(const struct gcs_model *model, const char *name);
GCS_API uint32_t gcs_model_find_space(const struct gcs_model *model, const char *name);
GCS_API uint32_t gcs_model_find_plugin(const struct gcs_model *model, const char *name);
GCS_API uint32_t gcs_space_find_stream(const struct gcs_space *space, const char *name);

/* Checks all invariants of a model; GCS_OK, or the first violation in `err`. For tests and
 * decoders. */
GCS_API enum gcs_status gcs_model_check(const struct gcs_model *model, struct gcs_error *err);

GCS_END_DECLS

#endif
