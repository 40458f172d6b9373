/*
 * What snapshots are made of and share: texts, columns of integers, names of tiles. All count their
 * references; taking and giving back one accepts NULL, from any thread.
 */
#ifndef GCSPY_MODEL_COLUMNS_H
#define GCSPY_MODEL_COLUMNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text that several snapshots share. NULL stands for "". */
struct text {
	atomic_uint references;
	char chars[];
};

/*
 * Integers that several snapshots share: the values of a stream, or a summary. NULL stands for
 * none. Behind the values there may be a map of what changed since another column, in the form of
 * gcs_snapshot_changed.
 */
struct column {
	atomic_uint references;
	uint32_t count;
	uint32_t map_words; /* of the map; 0: there is none */
	uint64_t id;        /* of these values within the process; another one after each write */
	uint64_t base;      /* id of the values since which the map tells; 0: it tells nothing */
	int64_t values[];
};

/* The names of a space's tiles. NULL stands for no names at all. */
struct names {
	atomic_uint references;
	uint32_t count;
	struct text *texts[];
};

struct text *text_ref(struct text *t);
void text_unref(struct text *t);

/* Replaces a text; false, with the old one in place, without memory. */
bool text_set(struct text **to, const char *chars);

/* The text's characters, "" for NULL. */
const char *text_chars(const struct text *t);

/* A column with room for a map of so many words, which is clear; the values are not. */
struct column *column_new(uint32_t count, uint32_t map_words);
struct column *column_ref(struct column *c);
void column_unref(struct column *c);

/* Gives the column another id, because its values are about to change. */
void column_renew(struct column *c);

/* Memory of a column, and its map. */
size_t column_bytes(uint32_t count, uint32_t map_words);
uint64_t *column_map(struct column *c);

/* True if the two columns hold the same numbers. */
bool column_equal(const struct column *a, const struct column *b);

struct names *names_new(uint32_t count);
struct names *names_ref(struct names *n);
void names_unref(struct names *n);

#endif
