/*
 * What the makers of test traces share: one trace that is being written, and ends of the program with
 * a line that says why.
 */
#ifndef GCSPY_TESTS_CLI_MAKING_H
#define GCSPY_TESTS_CLI_MAKING_H

#include <stdbool.h>

#include <gcspy/trace.h>

/* Ends the program unless ok, naming it and what is wrong. */
void must(bool ok, const char *what);

/* The trace, which takes the place of what is at the path; its end. */
void making_begin(const char *path);
void making_end(void);

/* Writes a snapshot; as kit_gc calls it. */
void making_give(void *context, const struct gcs_snapshot *snapshot, uint64_t place);

/* Writes a profile and frees it. */
void making_profile(struct gcs_profile *profile);

#endif
