/*
 * One run of the program: the application, the script, and when to leave. The shells call it: after
 * everything that happened, and when the time that it names is over.
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
	bool sought;      /* where the recording begins was gone to … */
	bool misplaced;   /* … and is not there */
	uint64_t seek_ns; /* the event there */
	int exit_code;
};

/* Opens the script and the connection that the arguments name. False: err says why, exit_code is
 * set. */
bool runner_start(struct runner *run, const struct cli *cli, struct gcs_error *err);
void runner_fini(struct runner *run);

/* Takes what has arrived, runs the script; false when the program is to leave. */
bool runner_turn(struct runner *run, uint64_t now_ms);

/* Milliseconds after which the next turn is due by itself; -1: none is. */
int runner_wait_ms(const struct runner *run);

/* On leaving: picture and text that were asked for. Returns the exit code. */
int runner_finish(struct runner *run);

#endif
