/* The plugins of the wire server: "walk", a tree that counts down from its depth, and "bytes", memory
 * that counts up. */
#ifndef GCSPY_TESTS_WIRE_PLUGINS_H
#define GCSPY_TESTS_WIRE_PLUGINS_H

#include <gcspy/server.h>

enum gcs_status plugins_add(struct gcs_server *server, struct gcs_error *err);

/* The server's option of that name: "walk" answers with a tree of its initial depth. */
enum gcs_status plugins_at_event(void *context, const struct gcs_ticket *ticket, const char *plugin,
    void *buffer, size_t *length);

/* Answers a query to one of them; false for any other. */
bool plugins_query(struct gcs_server *server, const struct gcs_query *query);

#endif
