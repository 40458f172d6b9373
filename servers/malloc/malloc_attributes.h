/* The events malloc, free and realloc, and their attributes for triggers. */
#ifndef GCSPYMALLOC_MALLOC_ATTRIBUTES_H
#define GCSPYMALLOC_MALLOC_ATTRIBUTES_H

#include <gcspy/server.h>

/* Describes the events in the order of enum malloc_event; `memory`: clients may see the program's bytes. */
bool malloc_attributes_add(struct gcs_server *server, bool memory, struct gcs_error *err);

/* The callback `attribute`: Location, Fragmentation. */
bool malloc_attribute(void *context, const struct gcs_ticket *ticket, uint32_t event,
    uint32_t attribute, const int64_t *parameters, int64_t *value);

/* The callback `parameters`. */
bool malloc_attribute_parameters(void *context, uint32_t event, uint32_t attribute,
    const int64_t *parameters, char *why, size_t why_bytes);

#endif
