/* The reading or writing of a file of bookmarks by a thread; see marks.h. */
#ifndef GCSPY_CLIENT_MARKS_FILE_H
#define GCSPY_CLIENT_MARKS_FILE_H

#include <gcspy/status.h>
#include <stdbool.h>

struct marks_job;

/* Writes text, which it takes over, in place of the file; reads the file for NULL. NULL without
 * memory or thread. */
struct marks_job *marks_job_start(
    const char *path, char *text, void (*wake)(void *context), void *context);

/* False while it is at work and `wait` is not set. Else frees it and tells what became of it; text:
 * what was read, to be freed, NULL if nothing was. A file that is not there is no error. */
bool marks_job_end(struct marks_job *job, bool wait, char **text, struct gcs_error *err);

#endif
