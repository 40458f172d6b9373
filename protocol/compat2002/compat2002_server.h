/*
 * The state of a session of 2002, and the conversion of our values: shared by session_2002.c (the
 * connection), server_bootstrap.c, server_space.c (descriptions) and server_values.c (numbers).
 * Belongs to one session and its thread.
 *
 * The original client numbers spaces in their order. Its values have 32 bits, and it exits at a value
 * outside the declared range. So the spaces are chosen once, at bootstrap, and a stream with larger
 * values is sent in a larger unit, which is added to its name. It keeps a colour for each stream of
 * the bootstrap and exits at the selected one if it is gone, so their number never changes either.
 */
#ifndef GCSPY_COMPAT2002_COMPAT2002_SERVER_H
#define GCSPY_COMPAT2002_COMPAT2002_SERVER_H

#include "session.h"
#include "wire_2002.h"

/* Largest absolute value that is sent, so that differences fit in 32 bits. */
#define COMPAT_SERVER_MOST 1073741823

/* Maxima from here on mean "any number". */
#define COMPAT_SERVER_NO_MAXIMUM ((int64_t)1 << 62)

struct compat_server_stream {
	uint32_t stream; /* ours; GCS_NONE: no longer there */
	uint8_t type;    /* enum w2002_type and so on */
	uint8_t presentation;
	uint8_t paint;
	uint8_t max_index;               /* of PERCENT_VAR: among the sent streams */
	uint8_t enum_count;              /* of ENUM: at least 2 */
	bool open;                       /* any number: unit and least value follow the data */
	unsigned unit;                   /* 0: none; see compat_server_unit_name() */
	int64_t low;                     /* of an open stream: the declared least value */
	int32_t min, max, zero, initial; /* as declared to the client */
};

struct compat_server_space {
	uint32_t space;        /* ours */
	uint64_t edition;      /* of the description with these streams */
	uint32_t stream_count; /* as at bootstrap */
	uint32_t left_out;     /* streams described since, beyond those */
	struct compat_server_stream *streams;
	uint32_t tiles; /* of the client: at least 1 */
	struct names *names;
	uint64_t range_ids[2]; /* ids of the columns that the names were made from */
	uint64_t names_hash;
};

struct compat_server {
	uint32_t space_count;
	uint32_t main;        /* index of the main space */
	uint32_t event_count; /* ours; the client has one more, for states without an event */
	int32_t states;       /* number of states without an event */
	bool pause_sent;
	enum gcs_run_state run; /* of the program, as last reported by the server */
	uint32_t steps;         /* requested steps that have not begun */
	bool moved;             /* the program has resumed for the previous step */
	struct compat_server_space spaces[W2002_MAX_SPACES];
};

/* server_bootstrap.c */

/* Chooses the spaces of the client, once and for all; false without memory. */
bool compat_server_choose_spaces(
    struct compat_server *compat_server, const struct gcs_model *model);

/* All frames of the bootstrap. */
void compat_server_put_bootstrap(
    struct wr *w, const struct compat_server *compat_server, const struct gcs_model *model);

/* The names of the spaces that the client does not get, or "". */
void compat_server_list_missing(const struct compat_server *compat_server,
    const struct gcs_model *model, char *list, size_t size);

/* server_space.c */

/* Determines which streams of a space the client gets, after the first time as many as then; false
 * without memory. */
bool compat_server_space_plan(
    struct compat_server_space *p, const struct gcs_model *model, uint32_t space);
/* Our description of a stream, or that of one that is no longer there. */
const struct gcs_stream *compat_server_stream_of(
    const struct gcs_space *space, const struct compat_server_stream *p);
void compat_server_space_fini(struct compat_server_space *p);

/* The descriptor, as in the bootstrap and in SPACE. `snapshot` NULL: one unused tile. */
void compat_server_put_space(struct wr *w, const struct compat_server *compat_server, uint32_t id,
    const struct gcs_model *model, const struct gcs_snapshot *snapshot);

/* True if the names of the tiles differ from the last call. */
bool compat_server_names_changed(
    struct compat_server_space *p, const struct gcs_snapshot *snapshot);

/* Number of tiles for the client; 0 for an empty space, which is sent as one unused tile. */
uint32_t compat_server_tiles(
    const struct compat_server_space *p, const struct gcs_snapshot *snapshot);

/* server_values.c */

/* Widens units and least values for the snapshot; true if the client needs a new description. */
bool compat_server_observe(struct compat_server_space *p, const struct gcs_snapshot *snapshot);

/* Computes the declared range of each stream from its unit. */
void compat_server_describe_ranges(struct compat_server_space *p, const struct gcs_space *space);

/* The name of the unit, such as "KiB"; "" for unit 0. */
const char *compat_server_unit_name(const struct gcs_stream *stream, unsigned unit);

/* Control, then values and summary of each stream. `snapshot` NULL: of one unused tile. */
void compat_server_put_values(struct wr *w, const struct compat_server_space *p, uint32_t id,
    const struct gcs_space *space, const struct gcs_snapshot *snapshot);

#endif
