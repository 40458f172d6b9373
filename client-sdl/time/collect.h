/*
 * Asking the JVM for a collection, as `gcspy gc` does (docs/protocol.md, section 10): agreed to once
 * for each program, because it pauses that program. Window thread only; never waits for the answer.
 */
#ifndef GCSPY_CLIENT_COLLECT_H
#define GCSPY_CLIENT_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"

struct app;

struct collect {
	enum { COLLECT_IDLE, COLLECT_WANTED, COLLECT_ASKED } state;
	uint32_t id;
	uint64_t connection; /* of the query */
	uint64_t agreed;     /* the program (struct app) whose pause the user has agreed to */
	char result[300];    /* what came of the last one, "" before */
};

/* The command: asks the user first, unless `argument` is "now". False, with a toast, if the source
 * cannot collect. */
bool collect_command(struct app *app, const char *argument);

/* Why the source cannot collect; NULL if it can be asked. */
const char *collect_refusal(const struct app *app);
bool collect_is_awaited(const struct app *app);
void collect_poll(struct app *app);

/* The dialog that asks. */
void collect_run(struct app *app, struct cv_rect r);

#endif
