/*
 * What a live program did, kept on the disk so that one can look back (rows F22, V8): recorders that
 * write rings of two files each - all events, every 8th, every 64th, and profiles - and a thread
 * that opens, turns and reads them. The files have no name any more as soon as they are open, so
 * that nothing is left behind, whatever becomes of the program. Nobody who calls waits for the
 * disk; what happened last may therefore not be found yet.
 */
#ifndef GCSPY_CLIENT_HISTORY_H
#define GCSPY_CLIENT_HISTORY_H

#include <gcspy/client.h>
#include <gcspy/profile.h>
#include <gcspy/recorder.h>

#include "past.h"

#define HISTORY_BYTES (UINT64_C(448) << 20) /* of the disk, unless options say otherwise */
#define HISTORY_LEAST (UINT64_C(64) << 10)

enum { HISTORY_TIERS = 3, HISTORY_STEP = 8 }; /* each tier has so many times fewer events */

struct history;

struct history_options {
	uint64_t bytes;              /* most of the disk that it may take, at least HISTORY_LEAST */
	void (*wake)(void *context); /* from any thread: there is something to take. May be NULL. */
	void *context;
};

/* NULL without memory or thread. The files are made later: see history_error. */
struct history *history_open(const struct history_options *options, struct gcs_error *err);

/* Forgets everything; waits for the thread. NULL is fine. */
void history_close(struct history *h);

/* Begins to end, without waiting: nothing but history_close may follow. */
void history_end(struct history *h);

/* The event of that number, from 0; takes a reference of its own. False while the files are not
 * made yet: to be put again. */
bool history_put(struct history *h, const struct gcs_snapshot *snapshot, uint64_t place);

/* A profile (copied), with the newest state that was put before it. */
void history_put_profile(
    struct history *h, const struct gcs_snapshot *newest, const void *bytes, size_t length);

/* True if it writes no more (no folder, a full disk), with the reason. What was written stays. */
bool history_error(struct history *h, struct gcs_error *err);

/* As past_files: each part of time once, from the file with the most events. */
uint32_t history_files(struct history *h, struct past_file *files, uint32_t most);

enum history_way { HISTORY_BACK, HISTORY_FORWARD };

/* Wishes for the last event not later than that, or the first not earlier. A newer wish takes its
 * place. */
void history_want(struct history *h, uint64_t time_ns, enum history_way way);

/* True once the newest wish is fulfilled; its snapshot, the caller's, is NULL if there is none. */
bool history_take(struct history *h, struct gcs_snapshot **snapshot);

/* Asks for the profile of that kind as of a moment; the answer is the caller's, NULL until then. */
enum gcs_status history_ask(
    struct history *h, enum gcs_profile_kind kind, uint64_t time_ns, uint32_t id);
struct gcs_answer *history_answer(struct history *h, uint32_t id);

#endif
