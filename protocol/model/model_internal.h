/* Internal functions of models, beyond <gcspy/model.h>. */
#ifndef GCSPY_MODEL_MODEL_INTERNAL_H
#define GCSPY_MODEL_MODEL_INTERNAL_H

#include <gcspy/plugin.h>

#include "shared.h"

/*
 * Identifies the description of a space: a number that changes with the description and is kept by
 * gcs_model_copy. Two models with equal editions of a space describe it equally. 0 for an id out of
 * range.
 */
SHARED_WITH_CLIENT uint64_t model_edition(const struct gcs_model *model, uint32_t space);

/* Grows with each model: of two models of one server, the later one has the higher serial. */
uint64_t model_serial(const struct gcs_model *model);

/* The edition of the list of general information. */
SHARED_WITH_CLIENT uint64_t model_info_edition(const struct gcs_model *model);

/* Replaces all general information (decoders). */
SHARED_WITH_CLIENT enum gcs_status model_replace_info(
    struct gcs_model *model, uint32_t count, const struct gcs_info *info, struct gcs_error *err);

/* The edition of the list of plugins. */
SHARED_WITH_CLIENT uint64_t model_plugins_edition(const struct gcs_model *model);

/* Replaces all plugins (decoders). */
SHARED_WITH_CLIENT enum gcs_status model_replace_plugins(struct gcs_model *model, uint32_t count,
    const struct gcs_plugin *plugins, struct gcs_error *err);

/*
 * Checks a value of a parameter by itself: numbers, addresses and names of enumerations. On success
 * `plain` (may be NULL), of at least 24 bytes, receives a number in plain decimal digits, or "" where
 * the value is not one. `err` names the parameter and what is allowed.
 */
enum gcs_status model_check_value(
    const struct gcs_parameter *parameter, const char *value, char *plain, struct gcs_error *err);

/* Changes the name of the server. */
enum gcs_status model_set_server_name(
    struct gcs_model *model, const char *name, struct gcs_error *err);

/*
 * Takes over the editions of the spaces, information and plugins that both models describe equally, so that
 * snapshots of both can share state and equal descriptions are not sent again. Only before `model` is
 * shared; both models must be of one server.
 */
void model_inherit(struct gcs_model *model, const struct gcs_model *from);

/* For model_inherit. */
SHARED_WITH_CLIENT void model_set_edition(
    struct gcs_model *model, uint32_t space, uint64_t edition);
SHARED_WITH_CLIENT void model_set_info_edition(struct gcs_model *model, uint64_t edition);
SHARED_WITH_CLIENT void model_set_plugins_edition(struct gcs_model *model, uint64_t edition);

/* True if both have the same events. */
bool model_same_events(const struct gcs_model *a, const struct gcs_model *b);

/* True if the space is in the group or in a group below it. */
bool model_in_group(const struct gcs_model *model, uint32_t space, uint32_t group);

#endif
