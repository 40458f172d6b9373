/*
 * Where a replay stands, and the wishes of those who watch it (row F22). The same for a trace that
 * is played here (player.h), that a server replays (server.h), and for a client of that server
 * (client.h).
 */
#ifndef GCSPY_POSITION_H
#define GCSPY_POSITION_H

#include <stdbool.h>
#include <stdint.h>

#include "version.h"

GCS_BEGIN_DECLS

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
