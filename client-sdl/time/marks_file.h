/* A thread that reads or writes a file of bookmarks; see marks.h. */
#ifndef GCSPY_CLIENT_MARKS_FILE_H
#define GCSPY_CLIENT_MARKS_FILE_H

#include <gcspy/status.h>
#include <stdbool.h>

struct marks_job;

/* Writes text, which it takes over, to the file; reads the file if text is NULL. NULL without
 * memory or thread. */
struct marks_job *marks_job_start(
    const char *path, char *text, void (*wake)(void *context), void *context);

/* False while it is running, unless `wait` is set. Otherwise frees it and returns its result;
 * text: what was read, to be freed, or NULL. A missing file is not an error. */
bool marks_job_end(struct marks_job *job, bool wait, char **text, struct gcs_error *err);

#endif
