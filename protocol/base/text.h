/*
 * Text for a sink: buffered, with the escapes of each format. After the sink has refused bytes,
 * everything more is thrown away; text_end tells.
 *
 * Foreign text is UTF-8 from another program. Bytes that are none, control characters and those
 * that turn the direction of writing become U+FFFD, in every format.
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

void text_begin(struct text *t, const struct gcs_sink *sink);

/* OK, or IO with its reason. */
enum gcs_status text_end(struct text *t, struct gcs_error *err);

/* Our own text, as it is. */
void text_bytes(struct text *t, const void *bytes, size_t length);
void text_raw(struct text *t, const char *raw);
void text_format(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An estimate as a whole number, and as bytes with a unit. */
uint64_t text_rounded(double value);
char *text_size(char *buffer, size_t size, double bytes);
char *text_count(char *buffer, size_t size, double count);

/* "2026-11-21 14:02:11 UTC"; "" for 0. */
char *text_time(char *buffer, size_t size, int64_t wall_ns);

/* The columns that foreign text takes in a monospaced font; East Asian wide characters take two. */
size_t text_columns(const char *foreign);

/* Foreign text on one line. */
void text_line(struct text *t, const char *foreign);

/* The same as content or attribute of XML; in at most `columns` columns, cut with an ellipsis. */
void text_xml(struct text *t, const char *foreign);
void text_xml_cut(struct text *t, const char *foreign, size_t columns);

/* A JSON string with its quotes; what other formats replace is escaped here. */
void text_json(struct text *t, const char *foreign);

/* The same as text_line without what collapsed stacks use to tell frames and weights apart: `;`
 * becomes `:`, a space `_`. */
void text_folded(struct text *t, const char *foreign);

#endif
