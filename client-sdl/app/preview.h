/*
 * What a file says of itself before it is opened: of a recording the program, its collector and JDK,
 * when it was made, how long it is and how many events it has. A thread reads it (worker.h):
 * preview_new makes the work, which is the preview once it is done.
 */
#ifndef GCSPY_CLIENT_PREVIEW_H
#define GCSPY_CLIENT_PREVIEW_H

#include <stdint.h>

#include "folder_list.h"

#define PREVIEW_ROWS 8u

/* A file without an index is read from its beginning to its end, unless it is larger than this. */
#define PREVIEW_SCAN (INT64_C(256) << 20)

struct preview {
	struct work work;
	char path[FOLDER_PATH];
	uint64_t number; /* the owner's */
	struct preview_row {
		const char *label;
		char value[200];
	} row[PREVIEW_ROWS];
	uint32_t rows;
	char note[400]; /* why something is not known, or "" */
};

/* NULL without memory. */
struct preview *preview_new(const char *path);

#endif
