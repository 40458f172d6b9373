#include "json.h"

#include <inttypes.h>
#include <math.h>

static void put_string(struct out *out, const char *text)
{
	uint32_t code;
	size_t length;
	out_raw(out, "\"");
	for (; (length = out_decode(text, &code)) != 0; text += length) {
		if (code == '"' || code == '\\')
			out_format(out, "\\%c", (char)code);
		else if (code == 0xfffd)
			out_raw(out, "\\ufffd");
		else if (code < 0x20 || code == 0x7f || code == 0x2028 || code == 0x2029)
			out_format(out, "\\u%04x", (unsigned)code);
		else
			out_bytes(out, text, length);
	}
	out_raw(out, "\"");
}

static void begin_value(struct json *json, const char *key)
{
	if (json->depth != 0) {
		out_raw(json->out, json->filled[json->depth - 1] ? ", " : "");
		json->filled[json->depth - 1] = true;
	}
	if (key != NULL) {
		put_string(json->out, key);
		out_raw(json->out, ": ");
	}
}

static void open_level(struct json *json, const char *key, const char *opener, char closer)
{
	begin_value(json, key);
	out_raw(json->out, opener);
	json->closers[json->depth] = closer;
	json->filled[json->depth] = false;
	json->depth++;
}

void json_init(struct json *json, struct out *out)
{
	*json = (struct json){.out = out};
}

void json_object(struct json *json, const char *key)
{
	open_level(json, key, "{", '}');
}

void json_array(struct json *json, const char *key)
{
	open_level(json, key, "[", ']');
}

void json_end(struct json *json)
{
	json->depth--;
	out_bytes(json->out, &json->closers[json->depth], 1);
}

void json_text(struct json *json, const char *key, const char *value)
{
	begin_value(json, key);
	put_string(json->out, value);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	out_format(json->out, "%" PRId64, value);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	out_format(json->out, "%" PRIu64, value);
}

void json_number(struct json *json, const char *key, double value)
{
	if (!isfinite(value)) {
		json_null(json, key);
		return;
	}
	begin_value(json, key);
	out_format(json->out, "%.15g", value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	out_raw(json->out, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	out_raw(json->out, "null");
}
