/*
 * A small text file of settings, a line "key = value" each. Several windows may share it: a change
 * is applied to the file as it is by then, and the file is replaced atomically. Comments and unknown
 * keys stay. A key with several lines is a list, newest first: "key = STAMP ITEM", then optionally a
 * tab and details. A thread writes the file; all functions belong to one other thread.
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
#define SETTINGS_DELAY 1000u /* ms from a change to the write */

/* The lines of the file, without line ends. */
struct settings_table {
	char **line;
	uint32_t count;
};

enum settings_kind { SETTINGS_PUT, SETTINGS_ITEM, SETTINGS_REMOVE };

struct settings_change {
	enum settings_kind kind;
	uint32_t limit;    /* lines with that key */
	char *key, *value; /* value: all after "key = "; of an item that is removed: "- ITEM" */
};

struct settings {
	char *path; /* NULL: nothing is written */
	struct settings_table table;
	struct settings_change *change; /* not yet written */
	uint32_t changes, taken;        /* the writer has the first `taken` */
	uint64_t due_ms;                /* when to write; 0: nothing to write */
	bool writing, failed;           /* a failure is reported once */
	pthread_t thread;
	atomic_bool written; /* the thread has ended */
	struct gcs_error err;
};

/* Settings without a file; all zero is the same. */
void settings_init(struct settings *s);

/* Reads a file, which need not exist. False, with err, if some of it could not be read or parsed;
 * the rest can be used. */
bool settings_open(struct settings *s, const char *path, struct gcs_error *err);

/* Writes pending changes and frees; false, with err, if the write failed. */
bool settings_close(struct settings *s, struct gcs_error *err);

/* The value of a key, or NULL. Lives until the next change. */
const char *settings_get(const struct settings *s, const char *key);

/* Sets a value. Control characters become blanks; false if it is too long. */
bool settings_put(struct settings *s, const char *key, const char *value, uint64_t now_ms);

/* An item of a list: when it was put there, its text, details or "". */
struct settings_item {
	char stamp[32];
	const char *text, *more; /* text has text_length bytes */
	uint32_t text_length;
};

/* The first items of a key, at most `most`; returns their number. */
uint32_t settings_items(
    const struct settings *s, const char *key, struct settings_item *items, uint32_t most);

/* Puts an item first, in place of one with the same text, and drops those beyond `limit`. */
bool settings_put_item(struct settings *s, const char *key, const char *text, const char *more,
    uint32_t limit, uint64_t now_ms);
void settings_remove_item(struct settings *s, const char *key, const char *text, uint64_t now_ms);

/* Starts a write that is due, and collects its result; true, with err, at the first failure. */
bool settings_tick(struct settings *s, uint64_t now_ms, struct gcs_error *err);

/* settings_file.c */
bool settings_read(struct settings_table *table, const char *path, struct gcs_error *err);
bool settings_write(const char *path, const struct settings_change *change, uint32_t changes,
    struct gcs_error *err);
void settings_apply(struct settings_table *table, const struct settings_change *change);
void settings_table_fini(struct settings_table *table);

/* True if the change is about the line "KEY = value" with its key. */
bool settings_concerns(const struct settings_change *change, const char *value);

/* The value in a line that has that key, or NULL. */
const char *settings_value(const char *line, const char *key);

#endif
