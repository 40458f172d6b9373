/* Servers that run, for the handlers of fork. Any thread. */
#ifndef GCSPY_SERVER_SERVER_FORK_H
#define GCSPY_SERVER_SERVER_FORK_H

#include <gcspy/server.h>

/* Before the I/O thread starts; false without memory for the handlers. */
bool server_fork_add(struct gcs_server *server);

/* When it has ended. */
void server_fork_remove(struct gcs_server *server);

#endif
