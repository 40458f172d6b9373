/*
 * The time before now: going to an earlier moment, the files in which what happened can be read
 * again, and the part of it that is chosen (rows F22, V8). The same for a recording and for a
 * program that is watched live. Times are those of the server's clock. Belongs to the window's
 * thread.
 */
#ifndef GCSPY_CLIENT_PAST_H
#define GCSPY_CLIENT_PAST_H

#include <stdbool.h>
#include <stdint.h>

#define PAST_FILES 8    /* most files that hold the past of one connection */
#define PAST_PATH  1024 /* bytes of a path */

struct app;

/* A part of time, both ends included. */
struct past_range {
	bool on;
	uint64_t from_ns, to_ns;
};

/* A trace file with what happened in a part of time. It may go on growing, and may be gone. */
struct past_file {
	char path[PAST_PATH];
	uint64_t from_ns, to_ns; /* 0, UINT64_MAX: not known */
	uint32_t stride;         /* of so many events it has one */
};

/* Goes to the last event not later than that, without waiting for it; false when there is no past to
 * go to (a toast says so). */
bool past_go_to(struct app *app, uint64_t time_ns);

/* The files that hold the past, oldest first, so that a thread may read them (trace.h); at most
 * `most`. What has just happened may be missing. */
uint32_t past_files(const struct app *app, struct past_file *files, uint32_t most);

/* Chooses a part of time, of which every view tells; the ends in any order. */
void past_choose(struct app *app, uint64_t from_ns, uint64_t to_ns);
void past_choose_all(struct app *app);

#endif
