/* Recordings that run, and why some have ended early. All with the lock held. */
#ifndef GCSPY_SERVE_RECORDINGS_INTERNAL_H
#define GCSPY_SERVE_RECORDINGS_INTERNAL_H

#include <limits.h>
#include <pthread.h>
#include <sys/types.h>

#include "recordings.h"

enum { RECORDING_ERROR = 256, RECORDINGS_FAILED = 32 };

struct running {
	pid_t child; /* 0: none */
	uint64_t target;
	char name[RECORDING_NAME];
	int messages; /* of the child */
	char error[RECORDING_ERROR];
};

struct recordings {
	pthread_mutex_t lock;
	char folder[PATH_MAX];
	uint64_t bytes;
	const char *program;
	uint64_t started; /* numbers those of one second */
	struct running running[RECORDINGS_AT_ONCE];
	/* The last ones. */
	struct failed {
		char name[RECORDING_NAME], error[RECORDING_ERROR];
	} failed[RECORDINGS_FAILED];
	uint32_t failures;
};

/* Executes the recorder; `child` stays 0 if that is not possible. */
void recording_begin(struct recordings *recordings, struct running *one, const char *address,
    uint64_t seconds, const char *path);

/* Passes its messages on, and notes why it has ended, if it has and that is early. */
bool recording_has_ended(struct recordings *recordings, struct running *one);

/* Why the recording ended early, or "". */
const char *recording_error(const struct recordings *recordings, const char *name);

#endif
