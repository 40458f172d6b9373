/*
 * Plugins (F18): questions that a target can answer, described so that clients show them without
 * knowing the target: a backtrace, the memory of a tile, how fragmented a space is.
 *
 * A target adds plugins to its description (gcs_server_add_plugin). A client asks one with
 * gcs_client_query: the topic is the plugin's name, and the target answers as it answers any query.
 * The server has then checked the parameters and filled in the initial values. The body of the answer
 * is in an encoding below, by the plugin's kind.
 */
#ifndef GCSPY_PLUGIN_H
#define GCSPY_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

GCS_BEGIN_DECLS

/* Hard limits, the same for every peer; docs/protocol.md, section 7. */
#define GCS_MAX_PLUGINS     64u
#define GCS_MAX_PLUGIN_TEXT 131072u   /* bytes of all texts of a plugin's description */
#define GCS_MAX_COLUMNS     32u       /* of a table */
#define GCS_MAX_ROWS        1048576u  /* likewise */
#define GCS_MAX_MEMORY      16777216u /* bytes in an answer with memory */
#define GCS_MAX_MARKS       65536u    /* in them */

/* The body of a plugin's answer. */
enum gcs_plugin_kind {
	GCS_PLUGIN_TEXT,  /* UTF-8, lines */
	GCS_PLUGIN_TABLE, /* struct gcs_table: rows, also of a tree */
	GCS_PLUGIN_BYTES, /* struct gcs_memory: bytes of memory at an address, with marks */
	GCS_PLUGIN_KIND_COUNT
};

enum gcs_parameter_kind {
	GCS_PARAMETER_NUMBER,  /* decimal, from 0 on; k, m or g may follow (powers of 1,024) */
	GCS_PARAMETER_TEXT,    /* 0..GCS_MAX_TEXT bytes */
	GCS_PARAMETER_ENUM,    /* one of the names */
	GCS_PARAMETER_SPACE,   /* the id of a space: clients fill in the selected one */
	GCS_PARAMETER_TILE,    /* the index of a tile of that space, likewise */
	GCS_PARAMETER_ADDRESS, /* 0x…: clients fill in the start of the selected tile's range */
	GCS_PARAMETER_LENGTH,  /* as a number: clients fill in the size of that range */
	GCS_PARAMETER_KIND_COUNT
};

struct gcs_parameter {
	const char *name;        /* 1..GCS_MAX_NAME bytes: the key in the query */
	const char *description; /* 0..GCS_MAX_TEXT bytes */
	enum gcs_parameter_kind kind;
	const char *initial; /* the value when it is left out; NULL: it is required */
	uint32_t enum_count; /* of an enumeration */
	const char *const *enum_names;
	GCS_RESERVED(2);
};

struct gcs_plugin {
	const char *name;        /* the topic: 1..GCS_MAX_NAME letters, digits and hyphens */
	const char *title;       /* "Backtrace"; 1..GCS_MAX_NAME bytes */
	const char *description; /* 0..GCS_MAX_TEXT bytes */
	enum gcs_plugin_kind kind;
	uint32_t parameter_count; /* 0..GCS_MAX_PARAMETERS */
	const struct gcs_parameter *parameters;
	GCS_RESERVED(4);
};

/*
 * The structs of answers are for both sides. A target leaves texts that it does not need NULL; what
 * is decoded has no NULL texts. Names have at most GCS_MAX_NAME bytes, other texts GCS_MAX_TEXT.
 */

enum gcs_column_kind { GCS_COLUMN_TEXT, GCS_COLUMN_NUMBER, GCS_COLUMN_KIND_COUNT };

struct gcs_column {
	const char *name;
	enum gcs_column_kind kind;
	enum gcs_format format; /* of numbers */
};

struct gcs_cell {
	const char *text; /* of a text column */
	int64_t number;   /* of a number column */
	bool absent;      /* the number is not known */
};

/* A table, or with depths a tree, each row before its children. */
struct gcs_table {
	const char *title; /* one line: "main, 14 frames" */
	uint32_t column_count;
	const struct gcs_column *columns;
	uint32_t row_count;
	const struct gcs_cell *cells; /* row_count * column_count, row by row */
	/* A tree: of each row, 0 at the top, and at most 1 more than of the row before; NULL: a
	 * table. */
	const uint32_t *depths;
};

/* What a range of bytes is: an object, a header. */
struct gcs_mark {
	uint64_t start;  /* offset in the bytes */
	uint64_t length; /* at least 1; marks may be inside others */
	const char *text;
};

struct gcs_memory {
	const char *title;
	uint64_t address;
	size_t length;
	const void *bytes;
	uint32_t mark_count;
	const struct gcs_mark *marks; /* in the order of their starts */
};

/*
 * Encode and decode the body of an answer. An encoded answer, and a decoded struct with all it points
 * to, is one block of memory, which the caller frees with gcs_plugin_free. ARGUMENT for values out of
 * range; NULL, with MALFORMED in `err`, for bytes that are no such answer; NOMEM. Any thread.
 */
GCS_API enum gcs_status gcs_table_encode(
    const struct gcs_table *table, void **bytes, size_t *length, struct gcs_error *err);
GCS_API struct gcs_table *gcs_table_decode(const void *bytes, size_t length, struct gcs_error *err);
GCS_API enum gcs_status gcs_memory_encode(
    const struct gcs_memory *memory, void **bytes, size_t *length, struct gcs_error *err);
GCS_API struct gcs_memory *gcs_memory_decode(
    const void *bytes, size_t length, struct gcs_error *err);
GCS_API void gcs_plugin_free(void *block);

GCS_END_DECLS

#endif
