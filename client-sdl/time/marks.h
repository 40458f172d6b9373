/*
 * Bookmarks: moments with a note, in order of time. Those of a trace file are kept beside it in
 * FILE.marks (docs/traces.md), which a thread reads and writes, so that the window does not wait
 * for the disk. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_MARKS_H
#define GCSPY_CLIENT_MARKS_H

#include <gcspy/status.h>
#include <stdbool.h>
#include <stdint.h>

#define MARKS_MOST 256u
#define MARKS_NOTE 120u /* bytes with the NUL */

struct mark {
	uint64_t time_ns;
	char note[MARKS_NOTE]; /* "" for none; no control characters */
};

struct marks_job; /* a file being read or written */

struct marks {
	struct mark at[MARKS_MOST];
	uint32_t count;
	char path[1024]; /* "": not saved */
	bool dirty;      /* to be written */
	bool read;       /* the file has been read, and may therefore be written */
	struct marks_job *job;
	void (*wake)(void *context);
	void *context;
};

/* Frees all after writing changes; waits for the disk. */
void marks_fini(struct marks *marks);

/* Starts again, without a file for NULL. wake: a file was read or written. */
void marks_open(struct marks *marks, const char *path, void (*wake)(void *context), void *context);

/* Takes what was read and writes what changed; false, with the reason, at the first failure. */
bool marks_poll(struct marks *marks, bool *news, struct gcs_error *err);

/* The index of the bookmark with that time, or count. */
uint32_t marks_find(const struct marks *marks, uint64_t time_ns);

/* Sets or changes one; false if there are too many. The note is cut and cleaned. */
bool marks_set(struct marks *marks, uint64_t time_ns, const char *note);
void marks_remove(struct marks *marks, uint32_t i);

/* The nearest before (way < 0) or after a time, or count. */
uint32_t marks_next(const struct marks *marks, uint64_t time_ns, int way);

/* The same as the text of a file, and back; malformed lines are skipped. */
char *marks_text(const struct marks *marks); /* to be freed; NULL without memory */
void marks_take_text(struct marks *marks, const char *text);

#endif
