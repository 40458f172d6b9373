#include "heap_state.h"

void train_add_weak(struct train_heap *heap, struct object *target, enum train_weak kind)
{
	struct weak_list *list = &heap->weak;
	list->items =
	    heap_grow(heap, list->items, list->count, &list->capacity, sizeof *list->items);
	list->items[list->count++] = (struct weak){.target = target, .kind = kind};
}

size_t train_weak_count(const struct train_heap *heap)
{
	return heap->weak.count;
}

struct object *train_take_finalisable(struct train_heap *heap)
{
	struct object_list *list = &heap->pending;
	return list->count > 0 ? list->items[--list->count] : NULL;
}

void weak_process(struct train_heap *heap,
    struct object *(*current)(struct train_heap *heap, struct object *target))
{
	struct weak_list *list = &heap->weak;
	size_t kept = 0;
	for (size_t i = 0; i < list->count; i++) {
		struct weak entry = list->items[i];
		struct object *now = current(heap, entry.target);
		if (now != NULL)
			list->items[kept++] = (struct weak){.target = now, .kind = entry.kind};
		else if (entry.kind == TRAIN_FINALISABLE)
			heap_list_add(heap, &heap->pending, entry.target);
	}
	list->count = kept;
}

struct object *weak_finalise_oldest(struct train_heap *heap)
{
	struct weak_list *list = &heap->weak;
	struct object *found = NULL;
	size_t kept = 0;
	for (size_t i = 0; i < list->count; i++) {
		struct weak entry = list->items[i];
		if (entry.kind == TRAIN_FINALISABLE && old_contains(&heap->old, entry.target) &&
		    old_car(&heap->old, entry.target)->train == heap->old.oldest) {
			heap_list_add(heap, &heap->pending, entry.target);
			found = entry.target;
		} else {
			list->items[kept++] = entry;
		}
	}
	list->count = kept;
	return found;
}
