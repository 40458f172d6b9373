/*
 * The zooms of the wire server (F16): a tile's value is its first address and the number of the
 * tick, so that tests know it.
 */
#ifndef GCSPY_TESTS_WIRE_ZOOMS_H
#define GCSPY_TESTS_WIRE_ZOOMS_H

#include <gcspy/server.h>

/* For struct gcs_server_options, whose context is a pointer to the pointer to the server. */
void wire_zoom(void *context, const struct gcs_zoom *zoom);
void wire_unzoom(void *context, uint32_t space);

/* True if the space is or was a zoom. */
bool wire_zooms_has(uint32_t space);

/* Writes all zooms; the program's thread. */
void wire_zooms_fill(struct gcs_snapshot *s, uint32_t tick);

#endif
