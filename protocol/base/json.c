#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static void begin_value(struct json *j, const char *key)
{
	if (j->depth != 0) {
		bool *filled = &j->filled[j->depth - 1];
		text_raw(j->text, *filled ? "," : "");
		text_raw(j->text, j->line ? "\n" : *filled && !j->compact ? " " : "");
		*filled = true;
		j->line = false;
	}
	if (key != NULL) {
		text_json(j->text, key);
		text_raw(j->text, j->compact ? ":" : ": ");
	}
}

static void open_level(struct json *j, const char *key, const char *opener, char closer)
{
	begin_value(j, key);
	text_raw(j->text, opener);
	j->closers[j->depth] = closer;
	j->filled[j->depth] = false;
	j->depth++;
}

void json_line(struct json *j)
{
	j->line = true;
}

void json_object(struct json *j, const char *key)
{
	open_level(j, key, "{", '}');
}

void json_array(struct json *j, const char *key)
{
	open_level(j, key, "[", ']');
}

void json_end(struct json *j)
{
	j->depth--;
	text_raw(j->text, j->line ? "\n" : "");
	j->line = false;
	text_bytes(j->text, &j->closers[j->depth], 1);
}

void json_text(struct json *j, const char *key, const char *value)
{
	begin_value(j, key);
	text_json(j->text, value);
}

void json_format(struct json *j, const char *key, const char *format, ...)
{
	char value[64];
	va_list list;
	va_start(list, format);
	vsnprintf(value, sizeof value, format, list);
	va_end(list);
	begin_value(j, key);
	text_raw(j->text, value);
}

void json_integer(struct json *j, const char *key, int64_t value)
{
	json_format(j, key, "%" PRId64, value);
}

void json_unsigned(struct json *j, const char *key, uint64_t value)
{
	json_format(j, key, "%" PRIu64, value);
}

void json_number(struct json *j, const char *key, double value)
{
	if (isfinite(value))
		json_format(j, key, "%.15g", value);
	else
		json_null(j, key);
}

void json_bool(struct json *j, const char *key, bool value)
{
	json_format(j, key, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	json_format(j, key, "null");
}
