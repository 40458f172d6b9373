/*
 * JSON, written as it comes: commas, escapes and nesting are seen to here. Whatever the strings
 * hold, the result is valid (RFC 8259): bytes that are not UTF-8 become U+FFFD.
 *
 * The caller owns the struct and closes what it opens. `key` is NULL inside an array.
 */
#ifndef GCSPY_TOOLS_JSON_H
#define GCSPY_TOOLS_JSON_H

#include "out.h"

enum { JSON_DEPTH = 16 };

struct json {
	struct out *out;
	unsigned depth;
	char closers[JSON_DEPTH]; /* '}' or ']' for each open level */
	bool filled[JSON_DEPTH];  /* something stands in it already */
};

void json_init(struct json *json, struct out *out);
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end(struct json *json); /* of the innermost object or array */

void json_text(struct json *json, const char *key, const char *value);
void json_integer(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
/* Fifteen digits; what is no number becomes null. */
void json_number(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
