/*
 * The server of gcspy-train: the heap's four events and four spaces, for any client of GCspy.
 *
 * The mutator's thread owns the heap but while it waits at an event, held by a client or to keep its pace;
 * only then, or at the next event, is the state sent that a new client asks for.
 */
#ifndef TRAIN_SERVER_H
#define TRAIN_SERVER_H

#include <gcspy/server.h>

#include "train_heap.h"

struct train_server;

struct train_server_options {
	struct gcs_server_options server; /* its callbacks are set here */
	const char *record;               /* a file to record to, or NULL */
	uint32_t events_per_second;       /* while a client is attached; 0: as fast as it runs */
	bool steps_only;                  /* only the event Train GC end occurs */
};

/* NULL with the reason in `err`. */
struct train_server *train_server_create(
    const struct train_server_options *options, struct gcs_error *err);

/* For the options of the heap that is to be shown. */
struct train_hooks train_server_hooks(struct train_server *server);

/* Describes the heap, and listens. Once. */
enum gcs_status train_server_start(
    struct train_server *server, struct train_heap *heap, struct gcs_error *err);

int train_server_port(const struct train_server *server);
bool train_server_attached(const struct train_server *server);

/* Resumes the program if a client holds it, and lets nothing hold it again. Any thread. */
void train_server_stop(struct train_server *server);

/* Before the heap is destroyed. False if the recording is incomplete. NULL has no effect. */
bool train_server_destroy(struct train_server *server);

#endif
