/*
 * Buffered output to a descriptor. Foreign text, such as a server's, is made safe for a terminal:
 * control characters become "?", bytes that are not UTF-8 U+FFFD.
 *
 * The caller owns the struct and does not move it; one thread. After an error all further output is
 * discarded.
 */
#ifndef GCSPY_TOOLS_OUT_H
#define GCSPY_TOOLS_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* Columns that text is laid out for. */
enum { OUT_COLUMNS = 100 };

struct out {
	struct text text; /* the buffer */
	struct gcs_sink sink;
	int fd;
	int error; /* errno of the first failed write, or 0 */
	bool colored;
};

enum out_style { OUT_PLAIN, OUT_BOLD, OUT_ALERT };

void out_init(struct out *out, int fd);

/* Writes what is buffered; false after an error, now or earlier. */
bool out_flush(struct out *out);

/* True after an error, or once the pipe that is written to has no reader. */
bool out_is_orphaned(struct out *out);

/* Our own text, as it is. */
void out_bytes(struct out *out, const char *bytes, size_t length);
void out_raw(struct out *out, const char *text);
void out_format(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_spaces(struct out *out, size_t count);

/* How what follows looks, where the output is colored. */
void out_style(struct out *out, enum out_style style);

/* Foreign text on one line in at most `columns` columns, cut with "…"; returns the columns used. */
size_t out_text(struct out *out, const char *text, size_t columns);

/* The same, filled up with spaces to `columns`. */
void out_padded(struct out *out, const char *text, size_t columns);

/* Columns for names: of the terminal, but at least OUT_COLUMNS; a file has no limit. */
size_t out_width(const struct out *out);

/* How many columns a foreign text takes: one for each code point. */
size_t out_columns(const char *text);

/*
 * Foreign text from column `column` on, broken between words before OUT_COLUMNS; further lines
 * begin at column `indent`. Ends the line.
 */
void out_wrapped(struct out *out, size_t column, size_t indent, const char *text);

#endif
