/*
 * The zooms of all clients (F16), at most GCS_MAX_ZOOMS, of which each client has GCS_MAX_ZOOMS_EACH
 * at most; and the check of requests.
 *
 * Used under the server's lock. Errors say what is allowed.
 */
#ifndef GCSPY_SERVER_ZOOMS_H
#define GCSPY_SERVER_ZOOMS_H

#include "codec.h"

struct zoom_place {
	uint64_t ticket; /* 0: free */
	uint32_t peer;   /* slot of the client */
	uint32_t space;  /* GCS_NONE: not made yet */
};

/* A zeroed struct is empty. */
struct zooms {
	struct zoom_place places[GCS_MAX_ZOOMS];
};

/* Checks a request against the newest snapshot, `latest`, or NULL before the first one. */
enum gcs_status zooms_check(const struct gcs_model *model, const struct gcs_snapshot *latest,
    const struct zoom_message *zoom, struct gcs_error *err);

/* Takes a place for a requested zoom. */
enum gcs_status zooms_ask(struct zooms *z, uint32_t peer, uint64_t ticket, struct gcs_error *err);

/* The target has described the zoom; false if its client has disconnected. */
bool zooms_made(struct zooms *z, uint64_t ticket, uint32_t space);

/* The target has rejected the query with this ticket, which may be a zoom. */
void zooms_reject(struct zooms *z, uint64_t ticket);

/* Frees the place of a client's zoom. */
enum gcs_status zooms_release(
    struct zooms *z, uint32_t peer, uint32_t space, struct gcs_error *err);

/* The client disconnects: frees one of its zooms and returns the space, or GCS_NONE after the last
 * one. */
uint32_t zooms_leave(struct zooms *z, uint32_t peer);

#endif
