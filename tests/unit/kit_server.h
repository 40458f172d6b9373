/*
 * A server with the kit's model, and clients of it, in one process; for tests that need sockets.
 */
#ifndef GCSPY_TESTS_KIT_SERVER_H
#define GCSPY_TESTS_KIT_SERVER_H

#include <gcspy/client.h>
#include <gcspy/flight_ring.h>
#include <gcspy/server.h>

#include "kit.h"

struct target {
	struct gcs_server *server;
	struct gcs_server_options options;
	char address[32];
	struct gcs_error err;
	uint64_t random;
	atomic_uint looks, comings, goings, lines;
	char line[400]; /* of the log, the last */
};

/* Creates with `options` (name, look, attached and log are filled in) and starts; false with
 * `err`. */
bool target_init(struct target *t, const struct gcs_server_options *options);
/* The same with a recorder in its audience. */
bool target_init_recorded(
    struct target *t, const struct gcs_server_options *options, struct gcs_recorder *recorder);
/* The same with a ring, and a recorder or NULL. */
bool target_init_ring(struct target *t, const struct gcs_server_options *options,
    const struct gcs_ring_options *ring, struct gcs_recorder *recorder);
void target_fini(struct target *t);

/* One event: enter, publish a random change if somebody wants it, leave. The number of tiles of
 * the heap is `tiles` if it is not 0. Returns the audience. */
uint32_t target_event(struct target *t, uint32_t event, uint32_t tiles);

/* A connected client, or NULL. */
struct gcs_client *target_client(struct target *t, const struct gcs_client_options *options);

struct gcs_server_stats target_stats(struct target *t);

#endif
