/*
 * A made-up program whose heap is as large as the visualiser must bear: 100,000 tiles in 20 spaces,
 * with an event ten times a second at which 1 to 5 % of the tiles change, and all of them now and
 * then. Deterministic. For feel_view.c and feel_server.c.
 */
#ifndef GCSPY_TESTS_FEEL_WORLD_H
#define GCSPY_TESTS_FEEL_WORLD_H

#include <gcspy/snapshot.h>

enum { FEEL_SPACES = 20, FEEL_TILES = 5000, FEEL_GROUPS = 4 };
enum { FEEL_ALL = 251 };      /* all tiles change at every 251st event */
enum { FEEL_EVENT_MS = 100 }; /* from one to the next */

/* What happens, the tree of spaces, and the spaces: so that a server can be made of them too. */
extern const struct gcs_event feel_event;
struct gcs_group feel_group(uint32_t group);
struct gcs_space feel_space(uint32_t space, char *name, size_t size);

struct gcs_model *feel_model(void);

/* When event `step` (from 0) happens. */
uint64_t feel_time_ns(unsigned step);

/* The state after event `step`, into a snapshot that begins as that of the event before; the first
 * one gets everything. False without memory. */
bool feel_fill(struct gcs_snapshot *s, unsigned step, bool first);

#endif
