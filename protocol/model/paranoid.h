/*
 * Invariants checked while the program runs: in builds with GCSPY_PARANOID each snapshot, when it
 * is complete, and else never. CMake chooses the file.
 */
#ifndef GCSPY_MODEL_PARANOID_H
#define GCSPY_MODEL_PARANOID_H

#include <gcspy/snapshot.h>

/* Ends the process at a snapshot that gcs_snapshot_check finds wrong. */
void paranoid_snapshot(const struct gcs_snapshot *snapshot);

#endif
