/*
 * The parts that snapshots share: texts, columns of integers, names of tiles. All are reference
 * counted; ref and unref accept NULL, on any thread.
 *
 * A part is written only while there is one reference, its writer's. Each unref releases what its thread
 * has read, and whoever then sees 1 (to write again), or takes the last one away (to free), acquires
 * that: both come after every reader. A new reference is made of an existing one, and passed on by what
 * orders more than the count: a queue under the server's lock. The same holds for snapshots and models.
 * All operations are sequentially consistent; acquire and release would do.
 */
#ifndef GCSPY_MODEL_COLUMNS_H
#define GCSPY_MODEL_COLUMNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL stands for "". */
struct text {
	atomic_uint references;
	char chars[];
};

/*
 * The values of a stream, or a summary. NULL stands for none. After the values there may be a map of
 * the changes since another column, as returned by gcs_snapshot_changed.
 */
struct column {
	atomic_uint references;
	uint32_t count;
	uint32_t map_words; /* of the map; 0: no map */
	uint64_t id;        /* of these values within the process; changes with each write */
	uint64_t base;      /* id of the values that the map refers to; 0: not valid */
	int64_t values[];
};

/* The names of a space's tiles. NULL stands for none. */
struct names {
	atomic_uint references;
	uint32_t count;
	struct text *texts[];
};

struct text *text_ref(struct text *t);
void text_unref(struct text *t);

/* Replaces a text; false, with the text unchanged, without memory. */
bool text_set(struct text **to, const char *chars);

/* The text's characters, "" for NULL. */
const char *text_chars(const struct text *t);

/* A column with a cleared map of `map_words` words; the values are not initialised. */
struct column *column_new(uint32_t count, uint32_t map_words);
struct column *column_ref(struct column *c);
void column_unref(struct column *c);

/* Gives the column a new id, because its values are about to change. */
void column_renew(struct column *c);

/* The size of a column in memory, and its map. */
size_t column_bytes(uint32_t count, uint32_t map_words);
uint64_t *column_map(struct column *c);

/* The words of a map for that many tiles. */
uint32_t column_map_words(uint32_t tiles);

/* Where `c` may differ from `before`: its map, or NULL if that is not known. */
const uint64_t *column_changes(const struct column *c, const struct column *before);

/* True if both have the same values; only the groups of the map are compared where it is known. */
bool column_equal(const struct column *c, const struct column *before);

/* Copies the values of the groups whose bits are set in `map` between columns of one size. */
void column_copy_changed(struct column *to, const struct column *from, const uint64_t *map);

struct names *names_new(uint32_t count);
struct names *names_copy(const struct names *n);
struct names *names_ref(struct names *n);
void names_unref(struct names *n);

#endif
