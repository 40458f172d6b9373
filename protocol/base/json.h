/*
 * Writes JSON (RFC 8259) value by value, with its commas, escapes and nesting. Strings may hold
 * anything: control characters are escaped, and bytes that are not UTF-8 become U+FFFD.
 *
 * The caller owns the struct and closes what it opens. `key` is NULL inside an array.
 */
#ifndef GCSPY_BASE_JSON_H
#define GCSPY_BASE_JSON_H

#include "text.h"

enum { JSON_DEPTH = 16 };

struct json {
	struct text *text;
	bool compact; /* no blanks between the parts */
	bool line;    /* see json_line */
	unsigned depth;
	char closers[JSON_DEPTH]; /* '}' or ']' for each open level */
	bool filled[JSON_DEPTH];  /* the level has a value already */
};

/* Puts the next value of the open array or object, or its end, on a new line. */
void json_line(struct json *json);

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end(struct json *json); /* of the innermost object or array */

void json_text(struct json *json, const char *key, const char *value);
void json_integer(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
/* Fifteen digits; null unless the value is finite. */
void json_number(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* A value that the caller formats. */
void json_format(struct json *json, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
