/*
 * The native heap in the agent's server: where libgcspymalloc.so is preloaded (gcspy/native_table.h), the
 * agent is a client of its server, over a socket within the process. The spaces of that server are spaces
 * of this one, in the group "Native heap"; each of its updates, at most four a second, is an event;
 * queries and zooms are passed on.
 *
 * The two servers share no lock, and the agent needs nothing of the other one: if that one ends or does not
 * answer, the spaces stay as they were. It is connected only while a client of the agent is attached.
 */
#ifndef GCSPY_AGENT_NATIVE_HEAP_H
#define GCSPY_AGENT_NATIVE_HEAP_H

#include <gcspy/native_table.h>
#include <gcspy/server.h>

struct native_heap;

/* The table of the library; NULL without it, or if it is of another version. */
const struct gcs_native_heap *native_heap_find(void);

/* Connects and adds the spaces, which takes milliseconds. NULL without the library, with `why` "", or
 * with the reason in `why`. */
struct native_heap *native_heap_create(struct gcs_server *server, char *why, size_t why_bytes);

/* Where the other server listens: for users. */
const char *native_heap_address(const struct native_heap *n);

/* Adds the event "Native heap" after the agent's own ones; `changed` is then called on a thread of this
 * module when there is news. Before the server starts. */
enum gcs_status native_heap_describe(
    struct native_heap *n, void (*changed)(void *context), void *context, struct gcs_error *err);
uint32_t native_heap_event(const struct native_heap *n);

/* Ends its thread; false if that still runs at the deadline. NULL is fine. */
bool native_heap_end(struct native_heap *n, uint64_t deadline_ns);
void native_heap_destroy(struct native_heap *n);

/* Whether a client is attached. Any thread; does not wait, as the three below. */
void native_heap_want(struct native_heap *n, bool wanted);

/* Takes a query for the native heap: the topic "sites" with where=native; false for others. NULL is fine. */
bool native_heap_query(struct native_heap *n, const struct gcs_query *query);

/* Takes requests about zooms of its spaces; false for others. NULL is fine. */
bool native_heap_zoom(struct native_heap *n, const struct gcs_zoom *zoom);
bool native_heap_unzoom(struct native_heap *n, uint32_t space);

/* Waits until there is a state to be shown, at most for a second: for the first state of a client. On the
 * worker, as the rest. */
void native_heap_wait(struct native_heap *n);

/* Copies the newest state. False without memory. */
bool native_heap_map(
    struct native_heap *n, const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);

/* The attributes of the event. */
void native_heap_attributes(struct native_heap *n, struct gcs_snapshot *snapshot);

#endif
