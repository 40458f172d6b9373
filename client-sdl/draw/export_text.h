/*
 * A growing text, for "copy as text" and --dump. Running out of memory makes the text stop growing
 * and sets `failed`; nothing else has to be checked while writing.
 */
#ifndef GCSPY_CLIENT_EXPORT_TEXT_H
#define GCSPY_CLIENT_EXPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "sink.h"

struct textbuf {
	char *text; /* NUL-terminated, or NULL while empty */
	size_t length, capacity;
	bool failed;
};

void textbuf_fini(struct textbuf *out);

/* Our own text, as it is. */
void textbuf_puts(struct textbuf *out, const char *text);
void textbuf_bytes(struct textbuf *out, const void *bytes, size_t length);
struct gcs_sink textbuf_sink(struct textbuf *out);

/* The arguments may be foreign: text_clean cleans them, and their tabs and line ends become blanks.
 * The format's own stay. */
void textbuf_printf(struct textbuf *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends to a text of at most `size` bytes, after a centred dot unless the text is empty. */
void append_clause(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The text so far, "" when there is none. */
const char *textbuf_text(const struct textbuf *out);

#endif
