/* The inside of a model, for the files that build one. */
#ifndef GCSPY_MODEL_MODEL_BUILD_H
#define GCSPY_MODEL_MODEL_BUILD_H

#include <stdatomic.h>

#include <gcspy/plugin.h>

#include "arena.h"

/* The public struct is the first member, so a pointer to one is a pointer to the other. */
struct model {
	struct gcs_model view;
	atomic_uint references;
	struct arena arena;
	uint64_t serial;
	uint64_t info_edition;
	uint64_t plugins_edition;
	uint64_t *editions; /* per space */
	struct gcs_info *info;
	struct gcs_event *events;
	struct gcs_group *groups;
	struct gcs_space *spaces;
	struct gcs_plugin *plugins;
};

static inline struct model *impl(struct gcs_model *model)
{
	return (struct model *)(void *)model;
}

static inline const struct model *impl_const(const struct gcs_model *model)
{
	return (const struct model *)(const void *)model;
}

uint64_t model_new_edition(void);

/* A copy of a text in the model's memory; NULL counts as "". NULL without memory. */
const char *model_keep(struct model *m, const char *text);

/* The same of names. */
const char *const *model_keep_names(struct model *m, uint32_t count, const char *const *names);

/* Makes room for one more element of an array; without memory it is unchanged. */
bool model_grow(void **array, uint32_t count, size_t size);

/* Shows the arrays to readers, after one has moved. */
void model_show_arrays(struct model *m);

enum gcs_status model_no_memory(const char *what, struct gcs_error *err);

#endif
