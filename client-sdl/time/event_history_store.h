/*
 * The history of a live program on disk (rows F22, V8): recorders that write rings of two files
 * each - all events, every 8th, every 64th; all profiles, every 8th of each kind - and a thread
 * that creates, rotates and reads them. The files are unlinked as soon as they are open, so that
 * nothing is left behind however the program ends. No caller waits for the disk; the newest events
 * may therefore not be found yet.
 */
#ifndef GCSPY_CLIENT_EVENT_HISTORY_STORE_H
#define GCSPY_CLIENT_EVENT_HISTORY_STORE_H

#include <gcspy/client.h>
#include <gcspy/profile.h>
#include <gcspy/recorder.h>

#include "event_history.h"

#define HISTORY_BYTES (UINT64_C(448) << 20) /* of disk space, by default */
#define HISTORY_LEAST (UINT64_C(64) << 10)

enum {
	EVENT_HISTORY_STORE_TIERS = 3,
	EVENT_HISTORY_STORE_STEP = 8
}; /* each tier has one in STEP events of the one before */

struct event_history_store;

struct event_history_store_options {
	uint64_t bytes;              /* maximum disk space, at least HISTORY_LEAST */
	void (*wake)(void *context); /* from any thread: there is something to take. May be NULL. */
	void *context;
};

/* NULL without memory or thread. The files are created later: see event_history_store_error. */
struct event_history_store *event_history_store_open(
    const struct event_history_store_options *options, struct gcs_error *err);

/* Deletes everything; waits for the thread. NULL is fine. */
void event_history_store_close(struct event_history_store *h);

/* Starts to end, without waiting: only event_history_store_close may follow. */
void event_history_store_end(struct event_history_store *h);

/* True once the files exist or have failed: until then nothing can be put. */
bool event_history_store_is_ready(struct event_history_store *h);

/* The event with that number, from 0; takes a reference. False while the files do not exist yet:
 * put it again. */
bool event_history_store_put(
    struct event_history_store *h, const struct gcs_snapshot *snapshot, uint64_t place);

/* A profile (copied) after the event that it belongs to, or after the previous profile's if that
 * is later. False if it cannot be stored, as before event_history_store_is_ready. */
bool event_history_store_put_profile(struct event_history_store *h, const struct gcs_snapshot *of,
    enum gcs_profile_kind kind, const void *bytes, size_t length);

/* True, with the reason, if writing has stopped (no folder, disk full). What was written stays. */
bool event_history_store_error(struct event_history_store *h, struct gcs_error *err);

/* As event_history_files: each time range once, from the file with the most events. */
uint32_t event_history_store_files(
    struct event_history_store *h, struct event_history_file *files, uint32_t most);

/* Likewise the files with profiles. */
uint32_t event_history_store_profile_files(
    struct event_history_store *h, struct event_history_file *files, uint32_t most);

enum event_history_store_way { EVENT_HISTORY_STORE_BACK, EVENT_HISTORY_STORE_FORWARD };

/* Requests the last event that is not later, or the first that is not earlier. Replaces an
 * earlier request. */
void event_history_store_want(
    struct event_history_store *h, uint64_t time_ns, enum event_history_store_way way);

/* The user no longer looks back: closes the files open for reading, which take memory; a request
 * opens them again. */
void event_history_store_rest(struct event_history_store *h);

/* True once the newest request is answered; its snapshot, the caller's, is NULL if there is
 * none. */
bool event_history_store_take(struct event_history_store *h, struct gcs_snapshot **snapshot);

/* Requests the profile of a kind at a time; the answer is the caller's, NULL until it is there. */
enum gcs_status event_history_store_ask(
    struct event_history_store *h, enum gcs_profile_kind kind, uint64_t time_ns, uint32_t id);
struct gcs_answer *event_history_store_answer(struct event_history_store *h, uint32_t id);

#endif
