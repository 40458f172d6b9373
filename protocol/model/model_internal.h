/*
 * What the protocol's own files see of a model beyond <gcspy/model.h>.
 */
#ifndef GCSPY_MODEL_MODEL_INTERNAL_H
#define GCSPY_MODEL_MODEL_INTERNAL_H

#include <gcspy/model.h>

/*
 * Which description of the space this is: a number that changes whenever the space is described
 * anew and is kept by gcs_model_copy. Two models with equal editions of a space describe it
 * equally. 0 for an id out of range.
 */
uint64_t model_edition(const struct gcs_model *model, uint32_t space);

/* Grows from model to model: of two models of one server the one with the higher serial is the
 * later one. */
uint64_t model_serial(const struct gcs_model *model);

/* The edition of the list of general information. */
uint64_t model_info_edition(const struct gcs_model *model);

/* Replaces all general information (decoders). */
enum gcs_status model_replace_info(
    struct gcs_model *model, uint32_t count, const struct gcs_info *info, struct gcs_error *err);

/* Names the server anew. */
enum gcs_status model_set_server_name(
    struct gcs_model *model, const char *name, struct gcs_error *err);

/*
 * Takes the editions of `from` for the spaces, and the information, that both describe equally, so
 * that states pass between the two and nobody is told again what he knows. Only before the model
 * is shared; both are of one server.
 */
void model_inherit(struct gcs_model *model, const struct gcs_model *from);

/* For model_inherit. */
void model_set_edition(struct gcs_model *model, uint32_t space, uint64_t edition);
void model_set_info_edition(struct gcs_model *model, uint64_t edition);

/* True if the space lies in the group or below it. */
bool model_in_group(const struct gcs_model *model, uint32_t space, uint32_t group);

#endif
