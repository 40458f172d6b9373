/* Checks of descriptions: lengths, counts, ranges, required names. Errors name the thing and what is
 * allowed. Pure functions; any thread. */
#ifndef GCSPY_MODEL_MODEL_CHECK_H
#define GCSPY_MODEL_MODEL_CHECK_H

#include <gcspy/plugin.h>

/* `text` (NULL: "") of `owner` must have min to max bytes. */
enum gcs_status model_check_text(const char *what, const char *owner, const char *text, size_t min,
    size_t max, struct gcs_error *err);

enum gcs_status model_check_event(const struct gcs_event *event, struct gcs_error *err);
enum gcs_status model_check_plugin(const struct gcs_plugin *plugin, struct gcs_error *err);
enum gcs_status model_check_info(const char *key, const char *value, struct gcs_error *err);

/* `count` names of the values of an enumeration of `owner`. */
enum gcs_status model_check_names(
    const char *owner, uint32_t count, const char *const *names, struct gcs_error *err);

/* Its group must be in the model. */
enum gcs_status model_check_space(
    const struct gcs_model *model, const struct gcs_space *space, struct gcs_error *err);

#endif
