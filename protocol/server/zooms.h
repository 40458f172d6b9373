/*
 * Which client has asked for which zoom (F16): a table of GCS_MAX_ZOOMS places, of which one client
 * has GCS_MAX_ZOOMS_EACH at most. And what may be asked for at all.
 *
 * Under the server's lock. Each refusal leaves one line that says what is allowed.
 */
#ifndef GCSPY_SERVER_ZOOMS_H
#define GCSPY_SERVER_ZOOMS_H

#include "codec.h"

struct zoom_place {
	uint64_t ticket; /* 0: free */
	uint32_t peer;   /* slot of the client */
	uint32_t space;  /* GCS_NONE: not made yet */
};

/* A zeroed struct has none. */
struct zooms {
	struct zoom_place places[GCS_MAX_ZOOMS];
};

/*
 * Whether the target may be asked for the zoom: `latest` is the newest snapshot, or NULL before the
 * first.
 */
enum gcs_status zooms_check(const struct gcs_model *model, const struct gcs_snapshot *latest,
    const struct zoom_message *zoom, struct gcs_error *err);

/* Takes a place for a zoom that is asked for. */
enum gcs_status zooms_ask(struct zooms *z, uint32_t peer, uint64_t ticket, struct gcs_error *err);

/* The zoom is there; false if nobody waits for it any more. */
bool zooms_made(struct zooms *z, uint64_t ticket, uint32_t space);

/* The question with this ticket, if it was one for a zoom, has been refused. */
void zooms_refused(struct zooms *z, uint64_t ticket);

/* Frees the place of a client's zoom. */
enum gcs_status zooms_release(
    struct zooms *z, uint32_t peer, uint32_t space, struct gcs_error *err);

/* The client leaves: frees a place of its that has a space, or returns GCS_NONE when it has none
 * any more. */
uint32_t zooms_leave(struct zooms *z, uint32_t peer);

#endif
