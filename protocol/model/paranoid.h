/* Checks of invariants at run time, in builds with GCSPY_PARANOID only; CMake chooses the file. */
#ifndef GCSPY_MODEL_PARANOID_H
#define GCSPY_MODEL_PARANOID_H

#include <gcspy/snapshot.h>

#include "shared.h"

/* Aborts if gcs_snapshot_check fails for a complete snapshot. */
SHARED_WITH_CLIENT void paranoid_snapshot(const struct gcs_snapshot *snapshot);

#endif
