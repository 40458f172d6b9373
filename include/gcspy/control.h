/*
 * Run state, event filters, pace and replay position: the values with which clients control a
 * program or the replay of a recording, and learn its state (rows F9, F10, F12, F22). Shared by
 * servers and clients.
 */
#ifndef GCSPY_CONTROL_H
#define GCSPY_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "version.h"

GCS_BEGIN_DECLS

/* Whether the program runs, as the server last said. */
enum gcs_run_state {
	GCS_RUNNING,
	GCS_PAUSING, /* asked to pause; stops at its next event */
	GCS_PAUSED   /* stands at an event whose data have been sent */
};

/*
 * What the server is to do at an event for this client (F9). The default is { true, 0, false, 1 }.
 */
struct gcs_filter {
	bool enabled;      /* send it at all */
	uint32_t delay_ms; /* hold the program that long after it, 0..10,000 */
	bool pause;        /* pause the program after it */
	uint32_t period;   /* send every n-th only, 1..1,000,000 */
};

/* How often snapshots come (F12). */
enum gcs_pace {
	GCS_PACE_EVENTS,   /* at each event that passes the filters */
	GCS_PACE_INTERVAL, /* the newest one, at most every `interval_ms` */
	GCS_PACE_LOCKSTEP, /* the program waits (at most 1 s) at each event until gcs_client_ack */
	GCS_PACE_COUNT
};

/* Speeds: 1 is as recorded, 2 twice as fast, -1 backwards; 0 stands still. From the fastest on
 * nothing is waited for; others are brought within these limits. */
#define GCS_SPEED_FASTEST 1000.0
#define GCS_SPEED_SLOWEST 0.001

struct gcs_position {
	uint64_t place;         /* of the snapshot shown last, 0 .. events - 1 */
	uint64_t events;        /* of the trace */
	uint64_t first_time_ns; /* of the trace, the recorded server's clock … */
	uint64_t last_time_ns;
	uint64_t time_ns; /* … and of the snapshot shown last */
	double speed;
	bool loop;        /* goes on at the other end */
	bool ended;       /* stands at an end, and does not loop */
	uint64_t skipped; /* events that could not be shown because of damage, so far */
};

enum gcs_seek_action {
	GCS_SEEK_PLACE, /* jump to the place `value` */
	GCS_SEEK_TIME,  /* jump to the last place not later than `value` ns of the server's clock */
	GCS_SEEK_MOVE,  /* jump `value` places on, back if it is negative */
	GCS_SEEK_SPEED, /* go on at `value` thousandths of the recorded speed */
	GCS_SEEK_LOOP,  /* loop if `value` is not 0 */
	GCS_SEEK_ACTION_COUNT
};

struct gcs_seek {
	enum gcs_seek_action action;
	int64_t value;
};

GCS_END_DECLS

#endif
