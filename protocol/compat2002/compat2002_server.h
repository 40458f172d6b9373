/*
 * What a session of 2002 knows of each space that its client shows, and how our values become that
 * client's: shared by session_2002.c (the conversation), server_bootstrap.c, server_space.c
 * (descriptions) and server_values.c (numbers). A struct of this kind belongs to one session and
 * its thread.
 *
 * The original client indexes spaces in their order and has 32-bit values, which must lie inside
 * the range that was declared, else it ends. So spaces are chosen once, at bootstrap; a stream
 * whose values need more bits is sent in a larger unit, which its name then says.
 */
#ifndef GCSPY_COMPAT2002_COMPAT2002_SERVER_H
#define GCSPY_COMPAT2002_COMPAT2002_SERVER_H

#include "session.h"
#include "wire_2002.h"

/* Largest distance of a sent value from 0: the difference of two of them is an int, too. */
#define COMPAT_SERVER_MOST 1073741823

/* Maxima from here on are no maxima but "any number". */
#define COMPAT_SERVER_NO_MAXIMUM ((int64_t)1 << 62)

struct compat_server_stream {
	uint32_t stream; /* ours */
	uint8_t type;    /* enum w2002_type and so on */
	uint8_t presentation;
	uint8_t paint;
	uint8_t max_index;  /* of PERCENT_VAR: among the sent streams */
	uint8_t enum_count; /* of ENUM: at least 2 */
	bool open;          /* its range says nothing: unit and least value follow what is seen */
	unsigned unit;      /* 0: as it is; compat_server_unit_word() names the others */
	int64_t low;        /* of an open one: the least value described */
	int32_t min, max, zero, initial; /* as described to the client */
};

struct compat_server_space {
	uint32_t space;   /* ours */
	uint64_t edition; /* of the description that the streams belong to */
	uint32_t stream_count;
	struct compat_server_stream *streams;
	uint32_t tiles; /* as the client knows: at least 1 */
	struct names *names;
	uint64_t range_ids[2]; /* of the columns that the names were made from */
	uint64_t names_hash;
};

struct compat_server {
	uint32_t space_count;
	uint32_t main;        /* index of the main space */
	uint32_t event_count; /* ours; the client has one more, for a state at no event */
	int32_t looks;        /* how often it got that one */
	bool pause_told;
	enum gcs_run_state run; /* of the program, as the server last said */
	/* Steps asked for and not yet begun; whether the one before has left where it stood. */
	uint32_t steps;
	bool moved;
	struct compat_server_space spaces[W2002_MAX_SPACES];
};

/* server_bootstrap.c */

/* Chooses the spaces that the client gets, for good; false without memory. */
bool compat_server_choose_spaces(
    struct compat_server *compat_server, const struct gcs_model *model);

/* All frames of the server's part. */
void compat_server_put_bootstrap(
    struct wr *w, const struct compat_server *compat_server, const struct gcs_model *model);

/* The names of the spaces that this client does not get, or "". */
void compat_server_list_missing(const struct compat_server *compat_server,
    const struct gcs_model *model, char *list, size_t size);

/* server_space.c */

/* Describes what the client is to have of a space from now on; false without memory. */
bool compat_server_space_plan(
    struct compat_server_space *p, const struct gcs_model *model, uint32_t space);
void compat_server_space_fini(struct compat_server_space *p);

/* The descriptor, as in the bootstrap and in SPACE. `snapshot` NULL: one unused tile. */
void compat_server_put_space(struct wr *w, const struct compat_server *compat_server, uint32_t id,
    const struct gcs_model *model, const struct gcs_snapshot *snapshot);

/* Whether the names of the tiles differ from those that were sent, which they now are. */
bool compat_server_names_changed(
    struct compat_server_space *p, const struct gcs_snapshot *snapshot);

/* Tiles that the client gets; 0 stands for a space that has nothing to show, which is sent as one
 * unused tile. */
uint32_t compat_server_tiles(
    const struct compat_server_space *p, const struct gcs_snapshot *snapshot);

/* server_values.c */

/* Widens units and least values for the snapshot; true if the client must be told. */
bool compat_server_observe(struct compat_server_space *p, const struct gcs_snapshot *snapshot);

/* Computes the described range of each stream from its unit. */
void compat_server_describe_ranges(struct compat_server_space *p, const struct gcs_space *space);

/* The unit's word, such as "KiB"; "" for unit 0. */
const char *compat_server_unit_word(const struct gcs_stream *stream, unsigned unit);

/* Control, then values and summary of every stream. `snapshot` NULL: of one unused tile. */
void compat_server_put_values(struct wr *w, const struct compat_server_space *p, uint32_t id,
    const struct gcs_space *space, const struct gcs_snapshot *snapshot);

#endif
