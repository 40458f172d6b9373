/*
 * What a hostile or broken server may describe and still pass the decoder: absurd names, numbers at
 * their limits, spaces that grow, shrink and go. Reproducible: everything comes from the state of
 * kit_random.
 */
#ifndef GCSPY_TESTS_UI_STRANGE_H
#define GCSPY_TESTS_UI_STRANGE_H

#include <gcspy/snapshot.h>

/* A description with 0 to 6 spaces of every kind; one reference. */
struct gcs_model *strange_model(uint64_t *state);

/* The state behind `previous` (may be NULL, and of another model); one reference. */
struct gcs_snapshot *strange_snapshot(
    struct gcs_model *model, const struct gcs_snapshot *previous, uint64_t *state);

#endif
