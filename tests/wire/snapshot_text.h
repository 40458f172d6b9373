/*
 * Descriptions and snapshots as text, as a client has understood them; tests/wire/test_golden.py
 * writes the same.
 */
#ifndef GCSPY_TESTS_SNAPSHOT_TEXT_H
#define GCSPY_TESTS_SNAPSHOT_TEXT_H

#include <stdio.h>

#include <gcspy/snapshot.h>

/* Its size, in one line. */
void model_print(FILE *file, const struct gcs_model *model);

void snapshot_print(FILE *file, const struct gcs_snapshot *snapshot);

#endif
