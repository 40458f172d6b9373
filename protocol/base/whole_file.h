/*
 * A file that is there whole or not at all: the bytes go to a temporary file beside it, which takes
 * its name at the end. What is no regular file, such as a pipe, is written as it is.
 *
 * The caller owns the struct. Any thread; up to WHOLE_FILES at a time in a process.
 */
#ifndef GCSPY_BASE_WHOLE_FILE_H
#define GCSPY_BASE_WHOLE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { WHOLE_FILES = 8 };

struct whole_file {
	char place[PATH_MAX];
	int slot; /* of the temporary file; -1: written in place */
};

/* A descriptor to write to, or -1 with errno. A new file gets `mode` less the umask, an old one
 * keeps its own; a link keeps pointing to its file. */
int whole_file_open(struct whole_file *file, const char *path, mode_t mode);

/* To be called when the descriptor is closed: puts the file in its place, or leaves the old one
 * there if `good` is false. False with errno if it cannot be put there. */
bool whole_file_close(struct whole_file *file, bool good);

/* The same as a stream; NULL with errno. */
FILE *whole_file_stream(struct whole_file *file, const char *path, mode_t mode);

/* Closes the stream and then the file; false with errno if `good` is true and something failed. */
bool whole_file_finish(struct whole_file *file, FILE *stream, bool good);

/*
 * For programs, once: no temporary file is left by SIGINT, SIGTERM and SIGHUP, where they still
 * have their default effect, nor by an exit from within main's callees.
 */
void whole_files_guard(void);

#endif
