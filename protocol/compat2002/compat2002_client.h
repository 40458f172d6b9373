/*
 * The state of a decoder of 2002 besides the model: shared by decoder_2002.c (the connection),
 * client_space.c (descriptions) and client_values.c (the commands of an event). Belongs to one
 * decoder and its thread.
 */
#ifndef GCSPY_COMPAT2002_COMPAT2002_CLIENT_H
#define GCSPY_COMPAT2002_COMPAT2002_CLIENT_H

#include "decoder.h"
#include "wire_2002.h"

/* One stream of ours is the control stream. */
enum { COMPAT_CLIENT_MAX_STREAMS = GCS_MAX_STREAMS - 1 };

/* Most bytes of descriptions in a bootstrap, which are stored until it is complete. */
#define COMPAT_CLIENT_MAX_BOOTSTRAP ((size_t)64 << 20)

/* A space by the server's ids. */
struct compat_client_space {
	bool known;
	uint32_t space;        /* ours */
	uint64_t hash;         /* of the description without the tiles */
	uint32_t stream_count; /* ours, without the control stream, which comes after them */
	uint8_t types[W2002_MAX_SPACES]; /* by the server's id; enum w2002_type */
	uint8_t
	    streams[W2002_MAX_SPACES]; /* by the server's id: ours, or COMPAT_CLIENT_UNKNOWN … */
	bool described, gathered;      /* since the last event */
	uint32_t tiles;                /* of the bootstrap */
	struct wr names;               /* likewise, with their NULs */
};

enum { COMPAT_CLIENT_UNKNOWN = 255, COMPAT_CLIENT_LEFT_OUT = 254 };

struct compat_client {
	bool introduced;      /* the hello has been received */
	bool informed;        /* general information and events have been received */
	uint32_t event_count; /* of the server; the model may have fewer */
	uint32_t space_count; /* in the bootstrap */
	size_t bootstrap_bytes;
	uint64_t sequence;
	uint64_t time_ns, cost_ns; /* since the first event */
	struct compat_client_space spaces[W2002_MAX_SPACES];
};

/* A decoded frame of a space or SPACE command; in the arena. */
struct compat_client_description {
	int16_t id;
	uint64_t hash;
	uint32_t tiles;
	struct gcs_space space;
	uint32_t stream_count; /* without the control stream */
	uint8_t types[W2002_MAX_SPACES];
	uint8_t streams[W2002_MAX_SPACES];
};

/* client_space.c. Both fail the reader, with the reason in m->error. */

/* Reads a description up to the names of the tiles. */
bool compat_client_get_space(
    struct decoder *m, struct rd *r, struct arena *a, struct compat_client_description *d);

/* Reads and sets the names of the space's tiles. */
bool compat_client_get_names(struct decoder *m, struct rd *r, uint32_t space, uint32_t tiles);

/* Stores what later commands need of a description. */
void compat_client_note(
    struct compat_client_space *s, const struct compat_client_description *d, uint32_t space);

/* client_values.c: a frame of commands. */
void compat_client_commands(struct decoder *m, struct rd *r);

/* The snapshot in progress, begun if necessary; NULL, with the decoder ended, without memory. */
struct gcs_snapshot *compat_client_building(struct decoder *m);

/* Gives the space `tiles` tiles with initial values. */
bool compat_client_clear_tiles(struct decoder *m, uint32_t space, uint32_t tiles);

/* Ends the decoder with the message "the server …". Returns false. */
bool compat_client_reject(struct decoder *m, struct rd *r, enum gcs_status status,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
