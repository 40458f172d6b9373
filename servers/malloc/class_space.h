/* A space with a tile for each class of sizes: how many things it has, and their bytes. */
#ifndef GCSPYMALLOC_CLASS_SPACE_H
#define GCSPYMALLOC_CLASS_SPACE_H

#include <gcspy/server.h>

struct class_space {
	const char *name, *description;
	const char *things, *things_description; /* the stream that counts them */
	const char *bytes_description;
	uint32_t classes;
	uint64_t (*limit)(
	    uint32_t class); /* the most units of 16 bytes; the last class has no limit */
	uint32_t id;
};

enum gcs_status class_space_add(
    struct class_space *space, struct gcs_server *server, struct gcs_error *err);

/* `count` and `units` are those of each class. */
void class_space_fill(const struct class_space *space, struct gcs_snapshot *snapshot,
    const uint64_t *count, const uint64_t *units);

/* A stream of numbers whose sum is shown, and the same of bytes. */
struct gcs_stream count_stream(const char *name, const char *description);
struct gcs_stream bytes_stream(const char *name, const char *description);

#endif
