/*
 * The plugins: `backtrace`, where an event of a trigger was, and `memory`, the bytes at an address with the blocks
 * and gaps that they are. Where libunwind was not there at build time there is no `backtrace`.
 */
#ifndef GCSPYMALLOC_MALLOC_PLUGINS_H
#define GCSPYMALLOC_MALLOC_PLUGINS_H

#include <gcspy/server.h>

/* Describes them, `memory` only if clients may see the program's bytes. */
bool malloc_plugins_add(struct gcs_server *server, bool memory, struct gcs_error *err);

/* The callback `plugin_at_event`. */
enum gcs_status malloc_plugins_at_event(void *context, const struct gcs_ticket *ticket,
    const char *plugin, void *buffer, size_t *length);

/* Answers a query; false: it is not one of these plugins. */
bool malloc_plugins_query(struct gcs_server *server, const struct gcs_query *query);

/* In the child of fork. */
void malloc_plugins_forget(void);

#endif
