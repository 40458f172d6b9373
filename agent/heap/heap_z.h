/* The insides of the ZGC driver, shared by its two files. */
#ifndef GCSPY_AGENT_HEAP_Z_H
#define GCSPY_AGENT_HEAP_Z_H

#include "heap.h"
#include "vm_z.h"

/* All possible streams; those that this JVM lacks have no id. */
enum {
	TYPE,
	USED,
	LIVE,
	GENERATION,
	AGE,
	CYCLE,
	RELOCATION,
	TLAB,
	SAMPLED,
	SAMPLED_ERROR,
	CONTROL,
	RANGE_START,
	RANGE_END,
	STREAM_COUNT
};

enum { NO_PAGE, TYPE_NAMES = VM_Z_TYPE_COUNT + 1, GENERATION_NAMES = 3, RELOCATION_NAMES = 2 };
enum { MAX_AGE = 15 };

extern const char *const heap_z_type_names[TYPE_NAMES];

/* One capture. */
struct heap_z_raw {
	struct vm_z_totals totals;
	uint64_t complete; /* 0: of a pause's start */
	uint64_t count;
	struct vm_z_page pages[];
};

struct heap_z {
	struct heap_base base;
	struct vm_z_layout layout;
	uint32_t max_tiles;
	uint32_t group;
	/* granules per tile; locate() may read it on another thread than map() */
	_Atomic uint32_t per_tile;
	uint32_t tiles; /* of the whole address range */
	uint32_t front; /* tiles in view from the beginning */
	uint32_t back;  /* tiles in view up to the end */
	uint32_t ids[STREAM_COUNT];
};

/* Makes each tile stand for that many granules, and takes all tiles out of view. */
void heap_z_set_per_tile(struct heap_z *z, uint32_t per_tile);

/* Adds the space to the server, or describes it again. */
enum gcs_status heap_z_describe(
    struct heap_z *z, struct gcs_server *server, bool anew, struct gcs_error *err);

/* The driver's totals(), map() and locate(). */
void heap_z_totals(const void *self, const void *raw, struct heap_totals *totals);
bool heap_z_map(void *self, const struct heap_event *event, struct gcs_snapshot *snapshot);
bool heap_z_locate(
    const void *self, const void *raw, uint64_t address, struct heap_location *location);

#endif
