/*
 * What a live program did, kept on the disk so that one can look back (rows F22, V8): recorders
 * that write rings of two files each - all events, every 8th, every 64th; all profiles, every 8th
 * of each kind - and a thread that opens, turns and reads them. The files have no name any more as
 * soon as they are open, so that nothing is left behind, whatever becomes of the program. Nobody
 * who calls waits for the disk; what happened last may therefore not be found yet.
 */
#ifndef GCSPY_CLIENT_EVENT_HISTORY_STORE_H
#define GCSPY_CLIENT_EVENT_HISTORY_STORE_H

#include <gcspy/client.h>
#include <gcspy/profile.h>
#include <gcspy/recorder.h>

#include "event_history.h"

#define HISTORY_BYTES (UINT64_C(448) << 20) /* of the disk, unless options say otherwise */
#define HISTORY_LEAST (UINT64_C(64) << 10)

enum {
	EVENT_HISTORY_STORE_TIERS = 3,
	EVENT_HISTORY_STORE_STEP = 8
}; /* each tier has so many times fewer events */

struct event_history_store;

struct event_history_store_options {
	uint64_t bytes;              /* most of the disk that it may take, at least HISTORY_LEAST */
	void (*wake)(void *context); /* from any thread: there is something to take. May be NULL. */
	void *context;
};

/* NULL without memory or thread. The files are made later: see event_history_store_error. */
struct event_history_store *event_history_store_open(
    const struct event_history_store_options *options, struct gcs_error *err);

/* Forgets everything; waits for the thread. NULL is fine. */
void event_history_store_close(struct event_history_store *h);

/* Begins to end, without waiting: nothing but event_history_store_close may follow. */
void event_history_store_end(struct event_history_store *h);

/* True once the files are made, or cannot be made: until then nothing can be put. */
bool event_history_store_is_ready(struct event_history_store *h);

/* The event of that number, from 0; takes a reference of its own. False while the files are not
 * made yet: to be put again. */
bool event_history_store_put(
    struct event_history_store *h, const struct gcs_snapshot *snapshot, uint64_t place);

/* A profile of that kind (copied), with the newest state that was put before it. False if it cannot be
 * kept, as before event_history_store_is_ready. */
bool event_history_store_put_profile(struct event_history_store *h,
    const struct gcs_snapshot *newest, enum gcs_profile_kind kind, const void *bytes,
    size_t length);

/* True if it writes no more (no folder, a full disk), with the reason. What was written stays. */
bool event_history_store_error(struct event_history_store *h, struct gcs_error *err);

/* As event_history_files: each part of time once, from the file with the most events. */
uint32_t event_history_store_files(
    struct event_history_store *h, struct event_history_file *files, uint32_t most);

/* Likewise those with profiles. */
uint32_t event_history_store_profile_files(
    struct event_history_store *h, struct event_history_file *files, uint32_t most);

enum event_history_store_way { EVENT_HISTORY_STORE_BACK, EVENT_HISTORY_STORE_FORWARD };

/* Wishes for the last event not later than that, or the first not earlier. A newer wish takes its
 * place. */
void event_history_store_want(
    struct event_history_store *h, uint64_t time_ns, enum event_history_store_way way);

/* Nobody looks back any more: closes what is open for reading, which takes memory; a wish opens it
 * again. */
void event_history_store_rest(struct event_history_store *h);

/* True once the newest wish is fulfilled; its snapshot, the caller's, is NULL if there is none. */
bool event_history_store_take(struct event_history_store *h, struct gcs_snapshot **snapshot);

/* Asks for the profile of that kind as of a moment; the answer is the caller's, NULL until then. */
enum gcs_status event_history_store_ask(
    struct event_history_store *h, enum gcs_profile_kind kind, uint64_t time_ns, uint32_t id);
struct gcs_answer *event_history_store_answer(struct event_history_store *h, uint32_t id);

#endif
