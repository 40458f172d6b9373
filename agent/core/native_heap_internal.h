/* The insides of native_heap.h: the connection (native_heap.c), what is copied (native_heap_spaces.c), and
 * what is passed on (native_heap_requests.c). */
#ifndef GCSPY_AGENT_NATIVE_HEAP_INTERNAL_H
#define GCSPY_AGENT_NATIVE_HEAP_INTERNAL_H

#include <pthread.h>

#include <gcspy/client.h>
#include <gcspy/token.h>

#include "native_heap.h"
#include "service_thread.h"

enum { NATIVE_REQUESTS = 32, NATIVE_SPACES = 96, NATIVE_PARAMETERS = 2 };

#define NATIVE_LOST (GCS_NONE - 1)

enum native_request_kind { NATIVE_SITES, NATIVE_ZOOM, NATIVE_UNZOOM };

struct native_request {
	enum native_request_kind kind;
	uint64_t ticket;
	char profile[32], min_size[64]; /* of NATIVE_SITES; "": not given */
	uint32_t source;                /* a space of the other server */
	uint64_t start, end, block_bytes;
};

/* A space of the other server, and what it is here. */
struct native_space {
	/* GCS_NONE: a zoom that is no longer there, whose `space` may be used again; NATIVE_LOST: its
	 * connection is not there any more */
	uint32_t source;
	uint32_t space;
	bool zoom;
};

struct native_heap {
	struct gcs_server *server;
	char address[1200], token[GCS_MAX_TOKEN + 1];
	uint32_t group;
	struct gcs_model *model; /* the description when it was created */
	uint32_t update, event;  /* of the other server; here */
	void (*changed)(void *context);
	void *context;
	struct service_thread thread;
	struct gcs_client *client; /* our thread's; NULL: not connected */

	pthread_mutex_t lock; /* the rest; no call of a server or a client in it */
	pthread_cond_t wake;  /* for our thread */
	pthread_cond_t shown; /* for native_heap_wait */
	bool wanted, ending;
	bool failed; /* the connection; nothing is to be waited for */
	struct gcs_snapshot *latest;
	struct native_request requests[NATIVE_REQUESTS];
	uint32_t first, count;
	struct native_space spaces[NATIVE_SPACES];
	uint32_t space_count;
};

/* native_heap_spaces.c: adds the group and the spaces. */
enum gcs_status native_add_spaces(struct native_heap *n, struct gcs_error *err);
/* The zoom `source` of the connected server as a space of this one; GCS_NONE if it cannot be added. */
uint32_t native_add_zoom(struct native_heap *n, uint32_t source);

/* native_heap_requests.c: serves one request, on our thread; rejects those that wait. */
void native_serve(struct native_heap *n, const struct native_request *r);
void native_reject(struct native_heap *n, const struct native_request *r, const char *why);

#endif
