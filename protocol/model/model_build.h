/* The inside of a model, for the files that build one. */
#ifndef GCSPY_MODEL_MODEL_BUILD_H
#define GCSPY_MODEL_MODEL_BUILD_H

#include <stdatomic.h>

#include <gcspy/plugin.h>

#include "arena.h"

/* The texts and tables of one description: of an event, a group, a space, a plugin or a line of general
 * information. Never changed once it is in a model, and shared with the model's copies; any thread. */
struct model_part {
	atomic_uint references;
	struct arena arena;
};

struct model_part *model_part_create(void);
void model_part_unref(struct model_part *part);

/* The descriptions of one kind, an array of the public struct, and the part of each. */
struct model_list {
	void *items;
	struct model_part **parts;
};

/* Replaces one of that size, whose part is released. */
void model_list_set(struct model_list *list, uint32_t index, size_t size, const void *item,
    struct model_part *part);

void model_list_remove(struct model_list *list, uint32_t index, uint32_t *count, size_t size);

/* Fills an empty list with those of another, whose parts it shares. False without memory: the count stays. */
bool model_list_share(struct model_list *to, const struct model_list *from, uint32_t *count,
    uint32_t from_count, size_t size);

void model_list_clear(struct model_list *list, uint32_t count);

/* The public struct is the first member, so a pointer to one is a pointer to the other. */
struct model {
	struct gcs_model view;
	atomic_uint references;
	uint64_t serial;
	uint64_t info_edition;
	uint64_t plugins_edition;
	uint64_t *editions; /* per space */
	char *server_name;
	struct model_list info, events, groups, spaces, plugins;
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

/* A copy of a text in the part's memory; NULL counts as "". NULL without memory. */
const char *model_keep(struct model_part *part, const char *text);

/* The same of names. */
const char *const *model_keep_names(
    struct model_part *part, uint32_t count, const char *const *names);

/* The capacity of an array of so many elements, a power of two. */
size_t model_room(uint32_t count);

/* Makes room for one more element of an array; without memory it is unchanged. */
bool model_grow(void **array, uint32_t count, size_t size);

/* Puts a description at the end of a list. False without memory, or if the item is NULL, as the caller had none;
 * the part, which may be NULL then, is released. */
bool model_add(struct model *m, struct model_list *list, uint32_t *count, size_t size,
    const void *item, struct model_part *part);

/* Shows the arrays to readers, after one has moved. */
void model_show_arrays(struct model *m);

enum gcs_status model_no_memory(const char *what, struct gcs_error *err);

#endif
