/*
 * One run of the program: the application, the script, and when to exit. The shells call it after
 * each event and when its time-out has expired.
 */
#ifndef GCSPY_CLIENT_RUNNER_H
#define GCSPY_CLIENT_RUNNER_H

#include "app.h"
#include "script.h"
#include "view_options.h"

struct runner {
	struct app app;
	const struct cli *cli;
	struct script script;
	bool scripted;
	bool sought;      /* the start of the recording was requested … */
	bool misplaced;   /* … and does not exist */
	uint64_t seen;    /* snapshots received before it */
	uint64_t seek_ns; /* the event there */
	int exit_code;
};

/* Opens the script and the connection that the arguments name. False with err and exit_code. */
bool runner_start(struct runner *run, const struct cli *cli, struct gcs_error *err);
void runner_fini(struct runner *run);

/* Takes what has arrived and runs the script; false when the program is to exit. */
bool runner_turn(struct runner *run, uint64_t now_ms);

/* Milliseconds until the next turn is due; -1: none. */
int runner_wait_ms(const struct runner *run);

/* On exit: writes the picture and the text that the arguments ask for. Returns the exit code. */
int runner_finish(struct runner *run);

#endif
