/*
 * The drivers: how the Train heap is shown. Section 5 of the paper: a space of regions in address order, one of
 * cars and one of trains in their logical order, and one of the young generation.
 *
 * train_add_spaces describes them before the server starts. At an event that a client wants,
 * train_spaces_look learns what has changed since the last look and touches these tiles;
 * train_spaces_gather then reads what has been touched, and nothing else. The heap must not run meanwhile.
 */
#ifndef TRAIN_SPACES_H
#define TRAIN_SPACES_H

#include <gcspy/zoom.h>

#include "heap_state.h"

/* A train and its cars as the tiles show them: ids `first` .. `first` + `count` - 1 from tile `tile` on. */
struct shown_train {
	struct train *train; /* gone if it is not in the list any more */
	uint64_t id, first;
	uint32_t count, tile;
};

/* The trains and cars behind the tiles, oldest first. */
struct train_order {
	struct shown_train *trains, *next;
	uint32_t train_count, train_capacity;
	struct car **cars;
	uint32_t car_count, car_capacity;
};

/* The blocks of the young generation. The semi-space in use has been looked at up to `seen`. */
struct young_blocks {
	uint32_t half; /* blocks of a semi-space */
	const char *seen;
	uint64_t collections;
};

/* The number of streams of the spaces, after which their tiles' names are (tiles.h). */
enum { TRAIN_STREAMS = 10 + OLD_ALLOCATIONS, CAR_STREAMS = 16 + OLD_ALLOCATIONS };

enum { CARD_STATES = CARD_YOUNG + 1 };

struct train_spaces {
	struct train_heap *heap;
	uint32_t young, trains, cars, regions; /* ids */
	struct gcs_tiles *young_tiles, *train_tiles, *car_tiles, *region_tiles;
	struct train_order order;
	struct young_blocks blocks;
	unsigned char *card_states;       /* of each region, enum card */
	int64_t card_counts[CARD_STATES]; /* regions in use */
	uint64_t tiles_read;              /* values of tiles, so far */
};

void train_spaces_fini(struct train_spaces *spaces);

/* Describes all spaces, and lets clients zoom into those of blocks. */
enum gcs_status train_add_spaces(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err);

/* What each driver does: describes its space, */
enum gcs_status train_add_young_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err);
enum gcs_status train_add_train_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err);
enum gcs_status train_add_car_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err);
enum gcs_status train_add_region_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err);

/* False without memory. */
bool train_spaces_look(struct train_spaces *spaces);

/* After a read: the spaces that a client in the ticket's audience shows. False without memory. */
bool train_spaces_gather(struct train_spaces *spaces, struct gcs_server *server,
    const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);

/* looks, */
void train_look_at_young(struct train_spaces *spaces);
void train_look_at_trains(struct train_spaces *spaces);
void train_look_at_cars(struct train_spaces *spaces);
void train_look_at_regions(struct train_spaces *spaces);

/* sets the summaries of its space, */
void train_summarise_young(const struct train_spaces *spaces, struct gcs_snapshot *snapshot);
void train_summarise_trains(const struct train_spaces *spaces, struct gcs_snapshot *snapshot);
void train_summarise_cars(const struct train_spaces *spaces, struct gcs_snapshot *snapshot);
void train_summarise_regions(const struct train_spaces *spaces, struct gcs_snapshot *snapshot);

/* and reads a stream of a zoom: `values` are initial ones before. */
void train_zoom_young(const struct train_spaces *spaces, uint32_t stream,
    const struct gcs_blocks *blocks, int64_t *values);
void train_zoom_regions(const struct train_spaces *spaces, uint32_t stream,
    const struct gcs_blocks *blocks, int64_t *values);

/* Brings the order to what the heap has now, with the tiles of trains and cars. False without memory. */
bool train_order_update(struct train_spaces *spaces);

/* The most cars that there can be, as far as a space has tiles. */
uint32_t train_most_cars(const struct old_generation *old);

/* The tile of a train, and of a car. */
uint32_t train_tile(const struct train_order *order, const struct train *train);
uint32_t car_tile(const struct train_order *order, const struct car *car);

/* Describes a space and creates its tiles, whose options need no `space` and `streams`. */
enum gcs_status train_add_space(struct gcs_server *server, const struct gcs_space *space,
    const struct gcs_tiles_options *options, uint32_t *id, struct gcs_tiles **tiles,
    struct gcs_error *err);

/* Streams: a number of bytes up to `most`, as a share of the stream `whole` of the same tile, or of the
 * largest one if that is GCS_NONE; a count, also as a share of the largest; an id. */
struct gcs_stream train_bytes_stream(
    const char *name, const char *description, int64_t most, uint32_t whole);
struct gcs_stream train_count_stream(const char *name, const char *description, const char *suffix);
struct gcs_stream train_id_stream(const char *name, const char *description);
struct gcs_stream train_yes_stream(const char *name, const char *description);

/* The streams of the four kinds of allocation, into streams[0..3]. */
void train_allocation_streams(struct gcs_stream *streams, int64_t most, uint32_t whole);

/* Sets the summary of a TOTAL, of a SHARE, and of COUNTS of no and yes, if it has changed. */
void train_total(struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, int64_t total);
void train_share(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, int64_t part, int64_t whole);
void train_allocation_totals(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t first, const int64_t *sums);
void train_counts(struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, uint32_t count,
    const int64_t *values);

#endif
