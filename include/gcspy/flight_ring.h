/*
 * The flight ring (F21): the last seconds of a program, in memory, until something worth keeping
 * happens. Then they become a recording, which continues for some seconds more.
 *
 * The ring keeps references to the snapshots that the server publishes, so that it costs their changed
 * columns, and the newest profile of each kind. It takes part like a recorder (gcs_server_record): it
 * gets every event and all spaces, shares the recorder's slot, counts as attached, and never holds the
 * program. The plugin `flight-ring` tells what it has, and saves it. A thread of its own ("gcspy-ring") writes the files.
 */
#ifndef GCSPY_FLIGHT_RING_H
#define GCSPY_FLIGHT_RING_H

#include "server.h"

GCS_BEGIN_DECLS

/* A recording that has been saved, or not. */
struct gcs_ring_saved {
	const char *path;       /* "" if there is no file */
	const char *why;        /* the text of gcs_server_save_ring, or the trigger */
	uint64_t events;        /* in the file */
	uint64_t bytes;         /* of the file */
	bool last;              /* no more files are written */
	struct gcs_error error; /* status OK: it has been saved */
};

struct gcs_ring_options {
	/* The file of each recording; in its name %p is the process, %t the local time, %% is %. An
	 * existing file is left alone: PATH.1, PATH.2 … are used. */
	const char *path;
	uint32_t seconds;       /* that are kept, 1..GCS_MAX_RING_SECONDS */
	uint32_t after_seconds; /* that follow in the file, at most `seconds`; 0: 5, or `seconds` */
	size_t bytes;           /* most memory; 0: 16 MiB. Older snapshots make way */
	uint32_t files;         /* that are written from start to stop; 0: 10 */
	uint64_t file_bytes;    /* most of one file; 0: no limit */
	/* Maximum wait for the disk at a file's end; 0: no limit (gcs_recorder_options). */
	uint32_t finish_ms;
	/* A recording begins: the target may record a profile (gcs_server_record_profile), now or
	 * soon. On the ring's thread; must not block. May be NULL. */
	void (*saving)(void *context);
	/* It has ended. On the ring's thread; `saved` is valid during the call. May be NULL. */
	void (*saved)(void *context, const struct gcs_ring_saved *saved);
	void *context;
	GCS_RESERVED(4);
};

#define GCS_MAX_RING_SECONDS 3600u

/*
 * Keeps a ring from the start to gcs_server_stop or gcs_server_destroy, which finish a recording that
 * is being written. Options are copied. Before the start only, once: STATE otherwise; ARGUMENT names
 * the option that is out of range. The child of a fork has no ring.
 */
GCS_API enum gcs_status gcs_server_set_ring(
    struct gcs_server *server, const struct gcs_ring_options *options, struct gcs_error *err);

/*
 * Saves the ring as a recording, as a trigger with GCS_TRIGGER_RECORD does: what it has, then what is published in the next after_seconds. One
 * that is being written is prolonged instead, to at most `seconds` after its start. `why` is one
 * line for users. STATE without a ring or before the start, LIMIT when all files have been written.
 * Any thread that may wait for a lock; does not wait for the disk, whose errors `saved` reports.
 */
GCS_API enum gcs_status gcs_server_save_ring(
    struct gcs_server *server, const char *why, struct gcs_error *err);

struct gcs_ring_state {
	uint32_t events;  /* in the ring */
	uint64_t span_ns; /* time from the first of them to the last */
	size_t bytes;     /* memory */
	uint32_t files;   /* begun so far, also those that failed */
	bool saving;      /* a recording is being written */
	GCS_RESERVED(4);
};

/* False without a ring. Any thread that may wait for a lock. */
GCS_API bool gcs_server_ring_state(struct gcs_server *server, struct gcs_ring_state *state);

GCS_END_DECLS

#endif
