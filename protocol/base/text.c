#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gcspy/format.h>

#define REPLACEMENT "\xef\xbf\xbd"

void text_begin(struct text *t, const struct gcs_sink *sink)
{
	t->sink = sink;
	t->failed = false;
	t->length = 0;
}

static void flush(struct text *t)
{
	if (!t->failed && t->length != 0)
		t->failed = !t->sink->write(t->sink->context, t->buffer, t->length);
	t->length = 0;
}

enum gcs_status text_end(struct text *t, struct gcs_error *err)
{
	flush(t);
	return t->failed ? gcs_fail(err, GCS_IO, "the output could not be written") : GCS_OK;
}

void text_bytes(struct text *t, const void *bytes, size_t length)
{
	const char *at = bytes;
	while (length != 0 && !t->failed) {
		size_t room = sizeof t->buffer - t->length;
		size_t part = length < room ? length : room;
		memcpy(t->buffer + t->length, at, part);
		t->length += part;
		at += part;
		length -= part;
		if (t->length == sizeof t->buffer)
			flush(t);
	}
}

void text_raw(struct text *t, const char *raw)
{
	text_bytes(t, raw, strlen(raw));
}

void text_format(struct text *t, const char *format, ...)
{
	char line[1024];
	va_list list;
	va_start(list, format);
	vsnprintf(line, sizeof line, format, list);
	va_end(list);
	text_raw(t, line);
}

uint64_t text_rounded(double value)
{
	if (!(value > 0))
		return 0;
	if (value < 0x1p52) /* from there on all values are whole */
		return (uint64_t)(value + 0.5);
	return value < 9e18 ? (uint64_t)value : (uint64_t)9e18;
}

char *text_size(char *buffer, size_t size, double bytes)
{
	return gcs_format_number(buffer, size, (int64_t)text_rounded(bytes), GCS_BYTES);
}

char *text_count(char *buffer, size_t size, double count)
{
	return gcs_format_number(buffer, size, (int64_t)text_rounded(count), GCS_DECIMAL);
}

char *text_time(char *buffer, size_t size, int64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / 1000000000);
	struct tm tm;
	buffer[0] = '\0';
	if (wall_ns != 0 && gmtime_r(&seconds, &tm) != NULL)
		strftime(buffer, size, "%Y-%m-%d %H:%M:%S UTC", &tm);
	return buffer;
}

/* Characters that no format shows: controls, non-characters, bidirectional controls. */
static bool is_hidden(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200e && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
	       (code & 0xfffe) == 0xfffe || code == 0xfffd;
}

/* Unicode's East Asian Width W and F, by blocks (UAX 11). */
static bool is_wide(uint32_t code)
{
	return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
	       (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
	       (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
	       (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1faff) ||
	       (code >= 0x20000 && code <= 0x3fffd);
}

size_t text_columns(const char *foreign)
{
	size_t columns = 0, length;
	uint32_t code;
	for (; (length = gcs_decode_utf8(foreign, &code)) != 0; foreign += length)
		columns += is_wide(code) ? 2 : 1;
	return columns;
}

/* The fast path for names: writes and skips printable ASCII up to one of `but`. */
static const char *put_plain(struct text *t, const char *foreign, const char *but)
{
	size_t length = 0;
	while (foreign[length] >= 0x20 && foreign[length] < 0x7f &&
	       strchr(but, foreign[length]) == NULL)
		length++;
	text_bytes(t, foreign, length);
	return foreign + length;
}

void text_line(struct text *t, const char *foreign)
{
	size_t length;
	uint32_t code;
	foreign = put_plain(t, foreign, "");
	for (; (length = gcs_decode_utf8(foreign, &code)) != 0; foreign += length)
		if (is_hidden(code))
			text_raw(t, REPLACEMENT);
		else
			text_bytes(t, foreign, length);
}

static void put_xml(struct text *t, const char *bytes, size_t length, uint32_t code)
{
	switch (code) {
	case '&':
		text_raw(t, "&amp;");
		break;
	case '<':
		text_raw(t, "&lt;");
		break;
	case '>':
		text_raw(t, "&gt;");
		break;
	case '"':
		text_raw(t, "&quot;");
		break;
	case '\'':
		text_raw(t, "&#39;");
		break;
	default:
		if (is_hidden(code))
			text_raw(t, REPLACEMENT);
		else
			text_bytes(t, bytes, length);
	}
}

void text_xml_cut(struct text *t, const char *foreign, size_t columns)
{
	bool cut = columns != SIZE_MAX && text_columns(foreign) > columns;
	size_t left = cut && columns != 0 ? columns - 1 : columns;
	size_t length;
	uint32_t code;
	for (; (length = gcs_decode_utf8(foreign, &code)) != 0; foreign += length) {
		size_t wide = is_wide(code) ? 2 : 1;
		if (wide > left)
			break;
		left -= wide;
		put_xml(t, foreign, length, code);
	}
	if (cut && columns != 0)
		text_raw(t, "\xe2\x80\xa6");
}

void text_xml(struct text *t, const char *foreign)
{
	text_xml_cut(t, put_plain(t, foreign, "&<>\"'"), SIZE_MAX);
}

void text_json(struct text *t, const char *foreign)
{
	size_t length;
	uint32_t code;
	text_raw(t, "\"");
	foreign = put_plain(t, foreign, "\"\\");
	for (; (length = gcs_decode_utf8(foreign, &code)) != 0; foreign += length) {
		if (code == '"' || code == '\\')
			text_format(t, "\\%c", (char)code);
		else if (is_hidden(code) && code < 0x10000)
			text_format(t, "\\u%04x", (unsigned)code);
		else
			text_bytes(t, foreign, length);
	}
	text_raw(t, "\"");
}

void text_folded(struct text *t, const char *foreign)
{
	size_t length;
	uint32_t code;
	if (foreign[0] == '\0')
		text_raw(t, "?");
	foreign = put_plain(t, foreign, "; ");
	for (; (length = gcs_decode_utf8(foreign, &code)) != 0; foreign += length) {
		if (code == ';')
			text_raw(t, ":");
		else if (code == ' ')
			text_raw(t, "_");
		else if (is_hidden(code))
			text_raw(t, REPLACEMENT);
		else
			text_bytes(t, foreign, length);
	}
}
