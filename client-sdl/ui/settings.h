/*
 * A small text file of settings, "key = value" line by line, that several windows may keep at the
 * same time: what changed here is applied to the file as it is then, and the file is replaced at
 * once. Lines of keys that are not known, and comments, stay. A key may have many lines, which are a
 * list: "key = STAMP ITEM", the newest first, with a tabulator before what more is known of it.
 * Writing is done on a thread of its own. Everything else belongs to one thread.
 */
#ifndef GCSPY_CLIENT_SETTINGS_H
#define GCSPY_CLIENT_SETTINGS_H

#include <gcspy/status.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SETTINGS_KEY   64u   /* bytes of a key, of a-z, 0-9, '_', '.' and '-' */
#define SETTINGS_VALUE 3000u /* bytes of a value */
#define SETTINGS_LINES 2000u /* of a file */
#define SETTINGS_BYTES (1u << 20)
#define SETTINGS_DELAY 1000u /* ms from a change to its being written */

/* Lines as they stand in the file, without their ends. */
struct settings_table {
	char **line;
	uint32_t count;
};

enum settings_kind { SETTINGS_PUT, SETTINGS_ITEM, SETTINGS_REMOVE };

struct settings_change {
	enum settings_kind kind;
	uint32_t limit;    /* lines of that key */
	char *key, *value; /* of an item: all behind "key = "; to remove: the item alone */
};

struct settings {
	char *path; /* NULL: nothing is written */
	struct settings_table table;
	struct settings_change *change; /* not yet written */
	uint32_t changes, taken;        /* of these the writer has the first ones */
	uint64_t due_ms;                /* when to write, 0: there is nothing */
	bool writing, failed;           /* a failure is told once */
	pthread_t thread;
	atomic_bool written; /* the thread has ended */
	struct gcs_error err;
};

/* Settings without a file; all zero is the same. */
void settings_init(struct settings *s);

/* Reads a file, which need not exist. False if there is something that could not be understood or
 * read; the settings can be used all the same, and err says what is left out. */
bool settings_open(struct settings *s, const char *path, struct gcs_error *err);

/* Writes what is still to be written (err may say why not) and frees. */
bool settings_close(struct settings *s, struct gcs_error *err);

/* The value of a key, or NULL. Lives until the next change. */
const char *settings_get(const struct settings *s, const char *key);

/* The same as a number from low to high, as yes or no; otherwise `other`. */
int settings_number(const struct settings *s, const char *key, int low, int high, int other);
bool settings_flag(const struct settings *s, const char *key, bool other);

/* Keeps a value. Control characters become blanks; false for what is too long. */
bool settings_put(struct settings *s, const char *key, const char *value, uint64_t now_ms);

/* An item of a list: text, when it was put there, and what more is known, "". */
struct settings_item {
	char stamp[32];
	const char *text, *more; /* text ends at text_length */
	uint32_t text_length;
};

/* Items of a key, from the first; returns how many, at most `most`. */
uint32_t settings_items(
    const struct settings *s, const char *key, struct settings_item *items, uint32_t most);

/* Puts an item first, in place of one with the same text, and lets at most `limit` stay. */
bool settings_put_item(struct settings *s, const char *key, const char *text, const char *more,
    uint32_t limit, uint64_t now_ms);
void settings_remove_item(struct settings *s, const char *key, const char *text, uint64_t now_ms);

/* Starts writing when it is due, and takes the end of it in; true if err says, for the first time,
 * that it cannot be written. */
bool settings_tick(struct settings *s, uint64_t now_ms, struct gcs_error *err);

/* settings_file.c */
bool settings_read(struct settings_table *table, const char *path, struct gcs_error *err);
bool settings_write(const char *path, const struct settings_change *change, uint32_t changes,
    struct gcs_error *err);
void settings_apply(struct settings_table *table, const struct settings_change *change);
void settings_table_fini(struct settings_table *table);

/* The value in a line that has that key, or NULL. */
const char *settings_value(const char *line, const char *key);

#endif
