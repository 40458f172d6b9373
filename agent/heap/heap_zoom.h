/*
 * Zooms (F16): parts of the heap in blocks down to 16 bytes, as spaces of their own. The same for
 * all collectors: a driver visits what an address range contains (heap.h), and this maps it to
 * tiles.
 *
 * Requests arrive on the server's I/O thread and wait here for the worker, which alone describes
 * and fills spaces.
 */
#ifndef GCSPY_AGENT_HEAP_ZOOM_H
#define GCSPY_AGENT_HEAP_ZOOM_H

#include "heap.h"

struct heap_zooms;

/* All borrowed. NULL without memory. */
struct heap_zooms *heap_zooms_create(
    const struct heap_driver *driver, const void *heap, struct gcs_server *server);
void heap_zooms_destroy(struct heap_zooms *z);

/* As in struct gcs_server_options; on the I/O thread, without waiting. Then wake the worker. */
void heap_zooms_request(struct heap_zooms *z, const struct gcs_zoom *zoom);
void heap_zooms_end(struct heap_zooms *z, uint32_t space);

/* Serves waiting requests. On the worker. */
void heap_zooms_work(struct heap_zooms *z);

/* Fills the zooms from a capture. On the worker. False without memory. */
bool heap_zooms_map(
    struct heap_zooms *z, const struct heap_event *event, struct gcs_snapshot *snapshot);

#endif
