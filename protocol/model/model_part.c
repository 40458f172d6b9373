/* What copies of a model share; declared in model_build.h. */
#include <string.h>

#include <gcspy/memory.h>

#include "model_build.h"

struct model_part *model_part_create(void)
{
	struct model_part *p = gcs_zalloc(sizeof *p);
	if (p != NULL)
		atomic_init(&p->references, 1);
	return p;
}

void model_part_unref(struct model_part *p)
{
	if (p == NULL || atomic_fetch_sub(&p->references, 1) != 1)
		return;
	arena_fini(&p->arena);
	gcs_free(p);
}

const char *model_keep(struct model_part *p, const char *text)
{
	return text == NULL ? "" : arena_text(&p->arena, text, strlen(text));
}

const char *const *model_keep_names(struct model_part *p, uint32_t count, const char *const *names)
{
	const char **copy = arena_alloc(&p->arena, count == 0 ? 1 : count, sizeof *copy);
	for (uint32_t i = 0; copy != NULL && i < count; i++)
		if ((copy[i] = model_keep(p, names[i])) == NULL)
			return NULL;
	return copy;
}

size_t model_room(uint32_t count)
{
	size_t room = 1;
	while (room < count)
		room *= 2;
	return room;
}

bool model_grow(void **array, uint32_t count, size_t size)
{
	if (count != 0 && model_room(count) != count)
		return true;
	void *bigger = gcs_realloc(*array, (count == 0 ? 1 : 2 * (size_t)count) * size);
	if (bigger == NULL)
		return false;
	*array = bigger;
	return true;
}

static void *item_of(const struct model_list *l, uint32_t index, size_t size)
{
	return (unsigned char *)l->items + index * size;
}

bool model_add(struct model *m, struct model_list *l, uint32_t *count, size_t size,
    const void *item, struct model_part *part)
{
	const bool ok = item != NULL && model_grow(&l->items, *count, size) &&
			model_grow((void **)&l->parts, *count, sizeof *l->parts);
	model_show_arrays(m);
	if (!ok) {
		model_part_unref(part);
		return false;
	}
	memcpy(item_of(l, *count, size), item, size);
	l->parts[(*count)++] = part;
	return true;
}

void model_list_set(
    struct model_list *l, uint32_t index, size_t size, const void *item, struct model_part *part)
{
	model_part_unref(l->parts[index]);
	l->parts[index] = part;
	memcpy(item_of(l, index, size), item, size);
}

void model_list_remove(struct model_list *l, uint32_t index, uint32_t *count, size_t size)
{
	const size_t after = --*count - index;
	model_part_unref(l->parts[index]);
	memmove(item_of(l, index, size), item_of(l, index + 1, size), after * size);
	memmove(&l->parts[index], &l->parts[index + 1], after * sizeof *l->parts);
}

bool model_list_share(struct model_list *to, const struct model_list *from, uint32_t *count,
    uint32_t from_count, size_t size)
{
	to->items = gcs_alloc(model_room(from_count) * size);
	to->parts = gcs_alloc(model_room(from_count) * sizeof *to->parts);
	if (to->items == NULL || to->parts == NULL)
		return false;
	for (uint32_t i = 0; i < from_count; i++) {
		memcpy(item_of(to, i, size), item_of(from, i, size), size);
		to->parts[i] = from->parts[i];
		atomic_fetch_add(&to->parts[i]->references, 1);
	}
	*count = from_count;
	return true;
}

void model_list_clear(struct model_list *l, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		model_part_unref(l->parts[i]);
	gcs_free(l->items);
	gcs_free(l->parts);
	*l = (struct model_list){NULL, NULL};
}
