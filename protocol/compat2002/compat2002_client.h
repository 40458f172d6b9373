/*
 * What a decoder of 2002 keeps beside the model: shared by decoder_2002.c (the conversation),
 * client_space.c (descriptions) and client_values.c (the commands of an event). Belongs to one
 * decoder and its thread.
 */
#ifndef GCSPY_COMPAT2002_COMPAT2002_CLIENT_H
#define GCSPY_COMPAT2002_COMPAT2002_CLIENT_H

#include "decoder.h"
#include "wire_2002.h"

/* One stream of ours is the control stream. */
enum { COMPAT_CLIENT_MAX_STREAMS = GCS_MAX_STREAMS - 1 };

/* Most bytes of descriptions in a bootstrap, which are kept until it is complete. */
#define COMPAT_CLIENT_MAX_BOOTSTRAP ((size_t)64 << 20)

/* How commands address a space: the ids are the server's. */
struct compat_client_space {
	bool known;
	uint32_t space;        /* ours */
	uint64_t hash;         /* of the description without the tiles */
	uint32_t stream_count; /* ours, without the control stream, which comes behind them */
	uint8_t types[W2002_MAX_SPACES]; /* by the server's id; enum w2002_type */
	uint8_t
	    streams[W2002_MAX_SPACES]; /* by the server's id: ours, or COMPAT_CLIENT_UNKNOWN … */
	bool described, gathered;      /* since the last event */
	uint32_t tiles;                /* of the bootstrap */
	struct wr names;               /* likewise, with their ends */
};

enum { COMPAT_CLIENT_UNKNOWN = 255, COMPAT_CLIENT_LEFT_OUT = 254 };

struct compat_client {
	bool introduced;      /* the server's hello has come */
	bool informed;        /* general information and events have come */
	uint32_t event_count; /* that it has; the model may have fewer */
	uint32_t space_count; /* that the bootstrap is to describe */
	size_t bootstrap_bytes;
	uint64_t sequence;
	uint64_t time_ns, cost_ns; /* since the first event */
	struct compat_client_space spaces[W2002_MAX_SPACES];
};

/* A space's frame or SPACE command, decoded; it lives in the arena. */
struct compat_client_description {
	int16_t id;
	uint64_t hash;
	uint32_t tiles;
	struct gcs_space space;
	uint32_t stream_count; /* without the control stream */
	uint8_t types[W2002_MAX_SPACES];
	uint8_t streams[W2002_MAX_SPACES];
};

/* client_space.c. Both fail the reader and say why in m->error. */

/* Reads up to the names of the tiles. */
bool compat_client_get_space(
    struct decoder *m, struct rd *r, struct arena *a, struct compat_client_description *d);

/* Reads the names of the tiles and sets them; the space has so many tiles. */
bool compat_client_get_names(struct decoder *m, struct rd *r, uint32_t space, uint32_t tiles);

/* What a description means for commands. */
void compat_client_note(
    struct compat_client_space *s, const struct compat_client_description *d, uint32_t space);

/* client_values.c: a frame of commands. */
void compat_client_commands(struct decoder *m, struct rd *r);

/* The snapshot that is being filled, begun if it was not; NULL (and ended) without memory. */
struct gcs_snapshot *compat_client_building(struct decoder *m);

/* Makes the space have so many tiles with nothing but initial values. */
bool compat_client_clear_tiles(struct decoder *m, uint32_t space, uint32_t tiles);

/* Ends the decoder: "the server …". False. */
bool compat_client_refuse(struct decoder *m, struct rd *r, enum gcs_status status,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
