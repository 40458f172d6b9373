/*
 * Writes what is kept of a program that is no longer connected (event_history.h) to a recording: its
 * files with their profiles, then the newest snapshots. Created by the window's thread, written by
 * any.
 */
#ifndef GCSPY_CLIENT_RECORD_HISTORY_H
#define GCSPY_CLIENT_RECORD_HISTORY_H

#include <gcspy/status.h>
#include <stdint.h>

struct app;
struct record_history;

/* Creates the file; keeps a hold of all that is to be written, so that the history may end. NULL
 * with the reason in err. */
struct record_history *record_history_create(
    const struct app *app, const char *path, struct gcs_error *err);

/* With the number that was added if the file existed. */
const char *record_history_path(const struct record_history *history);

/* Once. Waits for the disk. `events` receives how many were written. */
enum gcs_status record_history_write(
    struct record_history *history, uint64_t *events, struct gcs_error *err);

/* From another thread: writing ends soon, with a file that can be read. NULL has no effect. */
void record_history_stop(struct record_history *history);

void record_history_free(struct record_history *history);

#endif
