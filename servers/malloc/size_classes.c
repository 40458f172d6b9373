/* The program's blocks by their sizes: a tile for each class. */
#include "class_space.h"
#include "heap_granules.h"
#include "malloc_spaces.h"

static struct class_space space = {.name = "Size classes",
    .description = "The program's blocks by their sizes, with headers",
    .things = "Blocks",
    .things_description = "Blocks that the program has",
    .bytes_description = "Their bytes, with headers",
    .classes = SIZE_CLASSES,
    .limit = size_class_limit};

enum gcs_status size_classes_add(struct gcs_server *server, struct gcs_error *err)
{
	return class_space_add(&space, server, err);
}

void size_classes_fill(struct gcs_snapshot *snapshot)
{
	const struct heap_sums *sums = heap_granules_sums();
	class_space_fill(&space, snapshot, sums->classes, sums->class_units);
}
