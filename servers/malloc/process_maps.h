/*
 * The process's mappings, from /proc/self/maps or, with their resident bytes, /proc/self/smaps. GCspy's own
 * memory is left out. One thread at a time.
 */
#ifndef GCSPYMALLOC_PROCESS_MAPS_H
#define GCSPYMALLOC_PROCESS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

enum { MAPPING_NAME = 200 };

struct mapping {
	uint64_t start, end;
	uint64_t resident; /* bytes; only if they were asked for */
	bool writable, executable, accessible;
	char name[MAPPING_NAME]; /* a path, "[heap]", "[stack]"; "": anonymous */
};

struct process_maps {
	struct mapping *mappings; /* in the order of addresses */
	uint32_t count, room;
};

/* Replaces what is in `maps`. False if the file cannot be read, or without memory. */
bool process_maps_read(struct process_maps *maps, bool with_resident);

/* True for memory that allocators hand out: private, writable, of no file. */
bool mapping_is_heap(const struct mapping *m);

#endif
