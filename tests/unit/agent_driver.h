/*
 * A heap driver on the synthetic VM, for tests of drivers: open it after building a world, capture
 * into `raw`, map, read tiles by name, close it. One driver at a time, one thread.
 */
#ifndef GCSPY_TESTS_AGENT_DRIVER_H
#define GCSPY_TESTS_AGENT_DRIVER_H

#include "heap.h"
#include "vm_world.h"

extern struct gcs_server *server;
extern struct vm *vm;
extern const struct heap_driver *driver;
extern void *heap;
extern uint64_t raw[4096], before[4096];
extern const struct gcs_ticket ticket;

void open_driver(struct heap_limits limits);
void close_driver(void);

/* Maps what was captured into a snapshot that has been begun. */
struct gcs_snapshot *map_into(
    struct gcs_snapshot *s, const void *from, const struct vm_tlab *tlabs, size_t count);
struct gcs_snapshot *map(const void *from, const struct vm_tlab *tlabs, size_t count);

/* The value of a tile of the stream with that name in the space with that name. */
int64_t value(
    const struct gcs_snapshot *s, const char *space_name, const char *stream_name, uint32_t tile);
int64_t summary(
    const struct gcs_snapshot *s, const char *space_name, const char *stream_name, uint32_t index);
bool has_stream(const struct gcs_snapshot *s, const char *space_name, const char *stream_name);

#endif
