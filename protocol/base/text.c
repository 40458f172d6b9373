#include "text.h"

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

bool text_is_hidden(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {{0, 0x1f}, {0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e},
	    {0x2066, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffd, 0xffff},
	    {0xe0000, 0xe007f}};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return (code & 0xfffe) == 0xfffe;
}

char *text_clean(char *foreign)
{
	char *to = foreign;
	size_t length;
	uint32_t code;
	for (const char *at = foreign; (length = gcs_decode_utf8(at, &code)) != 0; at += length) {
		if (text_is_hidden(code) && !(code == 0xfffd && length == 3)) {
			*to++ = '?';
		} else {
			memmove(to, at, length);
			to += length;
		}
	}
	*to = '\0';
	return foreign;
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
		if (text_is_hidden(code))
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
		if (text_is_hidden(code))
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
		else if (text_is_hidden(code) && code < 0x10000)
			text_format(t, "\\u%04x", (unsigned)code);
		else if (text_is_hidden(code)) /* as a surrogate pair */
			text_format(t, "\\u%04x\\u%04x", 0xd7c0 + (unsigned)(code >> 10),
			    0xdc00 + (unsigned)(code & 0x3ff));
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
		else if (text_is_hidden(code))
			text_raw(t, REPLACEMENT);
		else
			text_bytes(t, foreign, length);
	}
}
