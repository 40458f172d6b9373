/*
 * The drivers: how the Train heap is shown. Section 5 of the paper: a space of regions in address order, one of
 * cars and one of trains in their logical order, and one of the young generation.
 *
 * `add_…` describes a space before the server starts. `fill_…` writes its present state into a
 * snapshot; false without memory. They only read the heap, which must not run meanwhile.
 */
#ifndef TRAIN_SPACES_H
#define TRAIN_SPACES_H

#include <gcspy/blocks.h>

#include "heap_state.h"

/* The tiles that a space of changing length had in the last snapshot, oldest first. Keys ascend, and
 * the tile of a key stays the same thing. */
struct tile_keys {
	struct tile_key {
		uint64_t train, car;
	} * last, *now;
	uint32_t count, capacity;
};

struct train_spaces {
	struct train_heap *heap;
	uint32_t young, trains, cars, regions; /* ids */
	uint64_t young_block;
	struct tile_keys train_keys, car_keys;
};

void train_spaces_fini(struct train_spaces *spaces);

enum gcs_status train_add_young_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err);
enum gcs_status train_add_train_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err);
enum gcs_status train_add_car_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err);
enum gcs_status train_add_region_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err);

bool train_fill_young_space(const struct train_spaces *spaces, struct gcs_snapshot *snapshot);
bool train_fill_train_space(struct train_spaces *spaces, struct gcs_snapshot *snapshot);
bool train_fill_car_space(struct train_spaces *spaces, struct gcs_snapshot *snapshot);
bool train_fill_region_space(const struct train_spaces *spaces, struct gcs_snapshot *snapshot);

/* The snapshot that was filled last was not published. */
void train_spaces_forget(struct train_spaces *spaces);

/* What the drivers share. */

/* Room for `count` keys in keys->now; false without memory. */
bool tile_keys_prepare(struct tile_keys *keys, uint32_t count);

/* Inserts and removes tiles of the space so that they are those of keys->now, of which there are `count`. The
 * others keep their values. `named`, if not NULL, is called for each new tile. */
bool tile_keys_apply(struct tile_keys *keys, uint32_t count, struct gcs_snapshot *snapshot,
    uint32_t space,
    void (*named)(
	struct gcs_snapshot *, uint32_t space, uint32_t tile, const struct tile_key *key));

/* The arrays of `count` streams; false if one is not available. */
bool train_columns(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t count, int64_t *columns[]);

/* Streams: a number of bytes up to `most`, as a share of the stream `whole` of the same tile, or of the
 * largest one if that is GCS_NONE; a count, also as a share of the largest; an id. */
struct gcs_stream train_bytes_stream(
    const char *name, const char *description, int64_t most, uint32_t whole);
struct gcs_stream train_count_stream(const char *name, const char *description, const char *suffix);
struct gcs_stream train_id_stream(const char *name, const char *description);
struct gcs_stream train_yes_stream(const char *name, const char *description);

/* The streams of the four kinds of allocation, into streams[0..3]. */
void train_allocation_streams(struct gcs_stream *streams, int64_t most, uint32_t whole);

/* Sets the summary of a TOTAL, and of a SHARE. */
void train_total(struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, int64_t total);
void train_share(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, int64_t part, int64_t whole);

#endif
