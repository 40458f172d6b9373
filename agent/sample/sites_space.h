/* Call sites as a space (S6, S8): one tile for each of the biggest sites; the last tile stands for
 * all others, so that nothing is missing. */
#ifndef GCSPY_AGENT_SITES_SPACE_H
#define GCSPY_AGENT_SITES_SPACE_H

#include "sampler.h"

struct sites_space;

/* The sampler is borrowed. NULL without memory. */
struct sites_space *sites_space_create(struct sampler *sampler, uint32_t max_tiles);
void sites_space_destroy(struct sites_space *s);

/* Adds the group and the space. */
enum gcs_status sites_space_describe(
    struct sites_space *s, struct gcs_server *server, struct gcs_error *err);

uint32_t sites_space_id(const struct sites_space *s);

/*
 * Writes the current totals; on the thread that publishes. Ranking thousands of sites takes a
 * millisecond: without `now` it is done at most five times a second; in between, the space is not
 * gathered. False without memory.
 */
bool sites_space_map(struct sites_space *s, struct gcs_snapshot *snapshot, bool now);

#endif
