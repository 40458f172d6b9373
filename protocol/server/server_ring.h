/*
 * The flight ring inside the server: see <gcspy/flight_ring.h>. It shares the recorder's slot
 * (server_record.c).
 *
 * The ring's contents and requests are guarded by the server's lock. Its thread sleeps until a
 * recording is requested; then it copies references from the ring to a recorder, some at a time, until
 * the recorder has caught up, and from then on the publishing thread gives it each snapshot.
 */
#ifndef GCSPY_SERVER_SERVER_RING_H
#define GCSPY_SERVER_SERVER_RING_H

#include <gcspy/flight_ring.h>

enum { RING_PATH = 1024 }; /* bytes of a path */

struct server_ring;

/* ARGUMENT names the option that is out of range; sets those that are 0 (ring_options.c). */
enum gcs_status ring_options_check(const struct gcs_ring_options *o, struct gcs_error *err);
void ring_options_fill(struct gcs_ring_options *o);

/* Starts the thread, if there is a ring; false without memory. Lock not held, as for the next. */
bool server_ring_start(struct gcs_server *s);

/* Finishes a recording and ends the thread; the second one also frees the ring. */
void server_ring_stop(struct gcs_server *s);
void server_ring_finish(struct gcs_server *s);

/* A snapshot, a missed one, and an encoded profile, which is copied; false if it is not kept. Lock
 * held, as for the next. */
void server_ring_put(struct gcs_server *s, const struct gcs_snapshot *snapshot);
void server_ring_miss(struct gcs_server *s);
bool server_ring_put_profile(struct gcs_server *s, const void *bytes, size_t length);

/* A plugin's answer, for a recording that is being made. */
bool server_ring_put_answer(struct gcs_server *s, const struct gcs_trace_answer *answer);

/* A snapshot at which triggers have fired has been published: saves the ring if one of them says so.
 * Lock not held. */
void server_ring_fired(struct gcs_server *s, const struct gcs_ticket *ticket);

/* The plugin `flight-ring` (ring_plugin.c); the last one on the I/O thread. */
enum gcs_status ring_plugin_describe(struct gcs_server *s, struct gcs_error *err);
bool ring_plugin_is(const struct gcs_plugin *plugin);
void ring_plugin_answer(struct gcs_server *s, uint64_t ticket, const struct gcs_info *given);

#endif
