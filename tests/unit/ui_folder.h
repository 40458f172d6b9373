/*
 * A folder of its own for a test. A process beside the test removes it with all that is in it, also
 * when the test crashes or is killed.
 */
#ifndef GCSPY_TESTS_UI_FOLDER_H
#define GCSPY_TESTS_UI_FOLDER_H

#include <stddef.h>

/* Makes "gcspy-NAME-XXXXXX" in TMPDIR or /tmp; ends the test if it cannot. At most two. */
void folder_open(char *path, size_t size, const char *name);

/* Has the newest folder removed now. Returns when it is gone. */
void folder_close(void);

#endif
