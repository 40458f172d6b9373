/*
 * Recordings of targets, in a folder of their own (E3): `gcspy record` makes each, as a child process. What they take
 * on the disk is bounded: each may have a quarter of the whole, and the oldest complete ones make way for a new one.
 *
 * Any thread, with a lock of its own, which is never taken under that of the targets.
 */
#ifndef GCSPY_SERVE_RECORDINGS_H
#define GCSPY_SERVE_RECORDINGS_H

#include "targets.h"
#include "text.h"

enum { RECORDINGS_AT_ONCE = 4, RECORDING_SECONDS = 60, RECORDING_MOST_SECONDS = 3600 };

struct recordings;

/* The folder must be there; it belongs to these recordings alone. NULL with the reason. */
struct recordings *recordings_open(const char *folder, uint64_t bytes,
    const struct targets_options *options, struct gcs_error *err);

/* Ends those that run, which keep what they have. NULL has no effect. */
void recordings_close(struct recordings *recordings);

/* Starts a recording of a target; false with the reason: GCS_STATE (it is not connected), GCS_LIMIT (too many at
 * a time), GCS_IO. */
bool recordings_start(struct recordings *recordings, struct targets *targets, struct target *target,
    uint64_t seconds, char name[RECORDING_NAME], struct gcs_error *err);

/*
 * Has the agent of a target save its flight ring, waits for the file and copies it here. False with the reason:
 * GCS_UNSUPPORTED (it keeps no ring), GCS_TIMEOUT, GCS_STATE, GCS_LIMIT, GCS_IO. Takes some seconds: the ring
 * goes on after the moment for five of them.
 */
bool recordings_fly(struct recordings *recordings, struct target *target, char name[RECORDING_NAME],
    struct gcs_error *err);

/* Copies an open trace file, as a recording of this target. */
bool recordings_keep(struct recordings *recordings, const struct target *target, int source,
    char name[RECORDING_NAME], struct gcs_error *err);

/* Takes note of those that have ended; the main thread, now and then. */
void recordings_look(struct recordings *recordings, struct targets *targets);

/* JSON of all of them, the oldest first. False without memory. */
bool recordings_write_json(struct recordings *recordings, struct text *text);

/* A descriptor of the file with this name and its size so far, or -1. */
int recordings_file(struct recordings *recordings, const char *name, uint64_t *size);

#endif
