/*
 * Buffered text for a sink, with the escapes of each format. After the sink has failed, further
 * output is discarded; text_end returns the error.
 *
 * Foreign text is UTF-8 from another program. Invalid bytes, control characters and bidirectional
 * controls become U+FFFD in every format.
 */
#ifndef GCSPY_BASE_TEXT_H
#define GCSPY_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gcspy/status.h>

#include "sink.h"

struct text {
	const struct gcs_sink *sink;
	bool failed;
	size_t length;
	char buffer[16384];
};

/* Characters that no output passes on, because they steer a terminal or change the order of what is
 * read: controls, bidirectional controls, invisible marks, non-characters; and U+FFFD. */
bool text_is_hidden(uint32_t code);

/* Replaces these characters, and bytes that are not UTF-8, by '?' in place; returns the text. */
char *text_clean(char *foreign);

void text_begin(struct text *t, const struct gcs_sink *sink);

/* Flushes; OK, or IO with the reason. */
enum gcs_status text_end(struct text *t, struct gcs_error *err);

/* Our own text, unescaped. */
void text_bytes(struct text *t, const void *bytes, size_t length);
void text_raw(struct text *t, const char *raw);
void text_format(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An estimate rounded to a whole number; as bytes with a unit; as a number. */
uint64_t text_rounded(double value);
char *text_size(char *buffer, size_t size, double bytes);
char *text_count(char *buffer, size_t size, double count);

/* "2026-11-21 14:02:11 UTC"; "" for 0. */
char *text_time(char *buffer, size_t size, int64_t wall_ns);

/* Width of foreign text in monospaced columns; East Asian wide characters take two. */
size_t text_columns(const char *foreign);

/* Foreign text as one line. */
void text_line(struct text *t, const char *foreign);

/* Foreign text as XML content or attribute; truncated to `columns` columns with an ellipsis. */
void text_xml(struct text *t, const char *foreign);
void text_xml_cut(struct text *t, const char *foreign, size_t columns);

/* A JSON string with its quotes; what other formats replace is escaped here. */
void text_json(struct text *t, const char *foreign);

/* Foreign text as a frame of a collapsed stack: `;` becomes `:`, a space `_`. */
void text_folded(struct text *t, const char *foreign);

#endif
