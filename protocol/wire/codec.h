/*
 * Encoding and decoding of every message, in the order of docs/protocol.md, section 4. Pure functions.
 *
 * put_x appends a whole frame. get_x decodes a payload; on bad data it fails the reader, and its
 * results must not be used. Bytes after the known fields are ignored, because a later minor version
 * may add fields.
 */
#ifndef GCSPY_WIRE_CODEC_H
#define GCSPY_WIRE_CODEC_H

#include <gcspy/control.h>
#include <gcspy/plugin.h>
#include <gcspy/token.h>
#include <gcspy/trigger.h>

#include "arena.h"
#include "frame.h"
#include "snapshot_internal.h"

/* Most tiles in one STREAM, INCR_STREAM or NAMES message. */
#define CODEC_TILES_PER_FRAME 65536u

/* The reason in BYE. */
enum bye_reason {
	BYE_ENDED,
	BYE_FULL,
	BYE_TOKEN,
	BYE_VERSION,
	BYE_MALFORMED,
	BYE_SILENT,
	BYE_SLOW,
	BYE_USER,
	BYE_PROGRAM,
	BYE_REASON_COUNT
};

struct welcome {
	const char *name;
	uint32_t keep_alive_ms;
};

void put_welcome(struct wr *w, const struct welcome *welcome);
bool get_welcome(struct rd *r, struct arena *a, struct welcome *welcome);

void put_bye(struct wr *w, enum bye_reason reason, const char *text);
bool get_bye(struct rd *r, struct arena *a, enum bye_reason *reason, const char **text);

/* The description. Decoded parts are in the arena. */
void put_info(struct wr *w, const struct gcs_model *model, struct deflater *d);
bool get_info(struct rd *r, struct arena *a, uint32_t *count, struct gcs_info **info);
void put_events(struct wr *w, const struct gcs_model *model, struct deflater *d);
bool get_events(struct rd *r, struct arena *a, uint32_t *count, struct gcs_event **events);
void put_groups(struct wr *w, const struct gcs_model *model, struct deflater *d);
bool get_groups(struct rd *r, struct arena *a, uint32_t *count, struct gcs_group **groups);
void put_plugins(struct wr *w, const struct gcs_model *model, struct deflater *d);
bool get_plugins(struct rd *r, struct arena *a, uint32_t *count, struct gcs_plugin **plugins);
void put_space(struct wr *w, uint32_t id, const struct gcs_space *space, struct deflater *d);
bool get_space(struct rd *r, struct arena *a, uint32_t *id, struct gcs_space *space);

/* Messages without fields, and those with one small number. */
void put_empty(struct wr *w, enum gcs_wire_kind kind);
void put_number(struct wr *w, enum gcs_wire_kind kind, uint64_t number);

/* A snapshot. `o` is the occurrence for this receiver. */
void put_begin(struct wr *w, const struct gcs_snapshot *s, const struct gcs_occurrence *o);
bool get_begin(struct rd *r, struct gcs_snapshot *s); /* sets occurrence and attributes */
void put_tiles(struct wr *w, uint32_t space, uint32_t at, uint32_t removed, uint32_t inserted);
bool get_tiles(struct rd *r, struct gcs_snapshot *s);
void put_names(
    struct wr *w, const struct gcs_snapshot *s, uint32_t space, uint32_t first, uint32_t count);
bool get_names(struct rd *r, struct gcs_snapshot *s);
/* STREAM if `old` is NULL, else INCR_STREAM; in as many frames as needed. `changed`, a map as returned
 * by gcs_snapshot_changed, or NULL, says where the two can differ. */
void put_stream(struct wr *w, uint32_t space, uint32_t stream, const int64_t *values,
    const int64_t *old, const uint64_t *changed, uint32_t count, struct deflater *d);
bool get_stream(struct rd *r, struct gcs_snapshot *s, bool incremental);
void put_summary(struct wr *w, uint32_t space, uint32_t stream, const struct column *summary);
bool get_summary(struct rd *r, struct gcs_snapshot *s);
void put_space_info(struct wr *w, uint32_t space, const char *text);
bool get_space_info(struct rd *r, struct gcs_snapshot *s);
void put_counters(struct wr *w, const struct gcs_snapshot *s);
bool get_counters(struct rd *r, struct gcs_snapshot *s);
void put_end(struct wr *w, uint64_t sequence, uint32_t skipped, const uint32_t *spaces);
bool get_end(struct rd *r, struct gcs_snapshot *s); /* sets which spaces were gathered */

struct state_message {
	enum gcs_run_state run;
	bool own;        /* the receiver holds the program */
	uint32_t others; /* number of other clients that do */
};

void put_state(struct wr *w, const struct state_message *state);
bool get_state(struct rd *r, struct state_message *state);
void put_notice(struct wr *w, const char *text);
bool get_notice(struct rd *r, struct arena *a, const char **text);

/* Commands. */
struct hello {
	uint32_t flags;
	const char *name;
	const char *token;
};

void put_hello(struct wr *w, const struct hello *hello);
bool get_hello(struct rd *r, struct arena *a, struct hello *hello);
void put_filter(struct wr *w, uint32_t event, const struct gcs_filter *filter);
bool get_filter(struct rd *r, uint32_t *event, struct gcs_filter *filter);
void put_pace(struct wr *w, enum gcs_pace pace, uint32_t interval_ms);
bool get_pace(struct rd *r, enum gcs_pace *pace, uint32_t *interval_ms);
void put_collapse(struct wr *w, bool group, uint32_t id, bool collapsed);
bool get_collapse(struct rd *r, bool *group, uint32_t *id, bool *collapsed);

/* Queries, settings, zooms and their answers. */
struct query_message {
	uint32_t id;
	const char *topic;
	uint32_t count;
	const struct gcs_info *parameters;
};

void put_query(struct wr *w, const struct query_message *query);
bool get_query(struct rd *r, struct arena *a, struct query_message *query);

struct set_message {
	uint32_t id;
	const char *key;
	const char *value;
};

void put_set(struct wr *w, const struct set_message *set);
bool get_set(struct rd *r, struct arena *a, struct set_message *set);

struct zoom_message {
	uint32_t id;
	uint32_t space; /* to zoom into, or with a block of 0 to release */
	uint64_t start, end;
	uint64_t block; /* bytes */
};

void put_zoom(struct wr *w, const struct zoom_message *zoom);
bool get_zoom(struct rd *r, struct zoom_message *zoom);

/* Most bytes in one ANSWER; a longer answer is sent in several. */
#define CODEC_ANSWER_PER_FRAME 262144u

struct answer_message {
	uint32_t id;
	enum gcs_status status; /* as in gcs_server_answer; unknown numbers become UNSUPPORTED */
	bool last;
	uint32_t total; /* bytes of the whole answer */
	const char *message;
	size_t length;
	const uint8_t *bytes; /* decoded: in place */
};

void put_answer(struct wr *w, const struct answer_message *answer, struct deflater *d);
bool get_answer(struct rd *r, struct arena *a, struct answer_message *answer);

/* A status as the wire's number, and back; unknown ones are UNSUPPORTED. */
uint8_t codec_answer_number(enum gcs_status status);
enum gcs_status codec_answer_status(uint8_t number);

/* Triggers (codec_trigger.c). */
struct trigger_message {
	uint32_t id;
	bool remove; /* the trigger of this name; the other fields do not matter */
	struct gcs_trigger trigger;
};

void put_trigger(struct wr *w, const struct trigger_message *message);
bool get_trigger(struct rd *r, struct arena *a, struct trigger_message *message);

struct interest_message {
	uint32_t event;
	uint32_t attribute;
	bool on;
};

void put_interest(struct wr *w, const struct interest_message *interest);
bool get_interest(struct rd *r, struct interest_message *interest);

void put_fired(struct wr *w, const struct gcs_fired *fired, struct deflater *d);
bool get_fired(struct rd *r, struct arena *a, struct gcs_snapshot *s); /* adds it */

/* The body of the answer to the topic `triggers`. */
void put_trigger_list(struct wr *w, uint32_t count, const struct gcs_trigger_state *states);
bool get_trigger_list(
    struct rd *r, struct arena *a, uint32_t *count, struct gcs_trigger_state **states);

/* The position of a replay, and requests to change it. */
void put_position(struct wr *w, const struct gcs_position *position);
bool get_position(struct rd *r, struct gcs_position *position);
void put_seek(struct wr *w, const struct gcs_seek *seek);
bool get_seek(struct rd *r, struct gcs_seek *seek);

/* Limits of commands. */
#define CODEC_MAX_DELAY_MS    10000u
#define CODEC_MAX_PERIOD      1000000u
#define CODEC_MAX_INTERVAL_MS 3600000u
#define CODEC_MAX_TOKEN       GCS_MAX_TOKEN

#endif
