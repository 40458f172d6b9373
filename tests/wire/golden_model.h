/* The server that make_golden.c has say something: all that a description can hold. */
#ifndef GCSPY_TESTS_GOLDEN_MODEL_H
#define GCSPY_TESTS_GOLDEN_MODEL_H

#include <stdbool.h>

#include <gcspy/model.h>
#include <gcspy/plugin.h>

/* The caller's; NULL without memory. */
struct gcs_model *golden_model(void);

/* A space is described again, and a group, a plugin, a space and an information are added. */
bool golden_model_change(struct gcs_model *model);

#endif
