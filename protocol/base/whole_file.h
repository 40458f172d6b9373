/*
 * Atomic replacement of files: the bytes go to a temporary file in the same folder, which is renamed
 * at the end. Anything but a regular file, such as a pipe, is written directly.
 *
 * The caller owns the struct. Any thread; at most WHOLE_FILES at a time per process.
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
	int slot; /* of the temporary file; -1: written directly */
};

/* Returns a descriptor for writing, or -1 with errno. A new file gets `mode` less the umask, an
 * existing one keeps its mode; a symbolic link stays. */
int whole_file_open(struct whole_file *file, const char *path, mode_t mode);

/* To be called after closing the descriptor: replaces the file, or if `good` is false leaves the old
 * one. False with errno on failure. */
bool whole_file_close(struct whole_file *file, bool good);

/* The same as a stream; NULL with errno. */
FILE *whole_file_stream(struct whole_file *file, const char *path, mode_t mode);

/* Closes the stream, then the file; false with errno on failure. */
bool whole_file_finish(struct whole_file *file, FILE *stream, bool good);

/* For programs, once: removes temporary files on exit and on SIGINT, SIGTERM and SIGHUP, unless these
 * are handled or ignored already. */
void whole_files_guard(void);

#endif
