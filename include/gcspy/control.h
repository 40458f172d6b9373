/*
 * Run state, event filters, pace and replay position: the values with which clients control a
 * program or the replay of a recording, and learn its state (F9, F10, F12, F22). Shared by servers
 * and clients.
 */
#ifndef GCSPY_CONTROL_H
#define GCSPY_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "version.h"

GCS_BEGIN_DECLS

/* Whether the program runs, as last reported by the server. */
enum gcs_run_state {
	GCS_RUNNING,
	GCS_PAUSING, /* a pause is requested; the program stops at its next event */
	GCS_PAUSED   /* stopped at an event whose data have been sent */
};

/* What the server does at an event for one client (F9). Default: { true, 0, false, 1 }. */
struct gcs_filter {
	bool enabled;      /* send the event */
	uint32_t delay_ms; /* hold the program for this time after the event, 0..10,000 */
	bool pause;        /* pause the program after the event */
	uint32_t period;   /* send every Nth occurrence only, 1..1,000,000 */
};

/* When snapshots are sent (F12). */
enum gcs_pace {
	GCS_PACE_EVENTS, /* at each event that passes the filters */
	GCS_PACE_INTERVAL, /* at most once per `interval_ms`; other events are counted, not gathered */
	GCS_PACE_LOCKSTEP, /* the program waits at each event for gcs_client_ack, at most 1 s */
	GCS_PACE_COUNT
};

/* Replay speeds: 1 is the recorded speed, -1 backwards, 0 stops. At the fastest speed the replay
 * does not wait between events. Other values are clamped to these limits. */
#define GCS_SPEED_FASTEST 1000.0
#define GCS_SPEED_SLOWEST 0.001

struct gcs_position {
	uint64_t place;         /* of the last shown snapshot, 0 .. events - 1 */
	uint64_t events;        /* in the trace */
	uint64_t first_time_ns; /* of the first and last event, by the recorded server's clock */
	uint64_t last_time_ns;
	uint64_t time_ns; /* of the last shown snapshot, by the same clock */
	double speed;
	bool loop;        /* continue at the other end */
	bool ended;       /* at an end, without `loop` */
	uint64_t skipped; /* events not shown so far because of damage */
};

enum gcs_seek_action {
	GCS_SEEK_PLACE, /* jump to place `value` */
	GCS_SEEK_TIME,  /* jump to the last place not later than `value` ns of the server's clock */
	GCS_SEEK_MOVE,  /* jump by `value` places; backwards if negative */
	GCS_SEEK_SPEED, /* play at `value` thousandths of the recorded speed */
	GCS_SEEK_LOOP,  /* loop if `value` is not 0 */
	GCS_SEEK_ACTION_COUNT
};

struct gcs_seek {
	enum gcs_seek_action action;
	int64_t value;
};

GCS_END_DECLS

#endif
