#include "export_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

void textbuf_fini(struct textbuf *out)
{
	free(out->text);
	memset(out, 0, sizeof *out);
}

static bool reserve(struct textbuf *out, size_t more)
{
	if (out->failed)
		return false;
	if (out->length + more < out->capacity)
		return true;
	size_t capacity = out->capacity > 0 ? out->capacity * 2 : 1024;
	while (capacity <= out->length + more)
		capacity *= 2;
	char *text = realloc(out->text, capacity);
	if (text == NULL) {
		out->failed = true;
		return false;
	}
	out->text = text;
	out->capacity = capacity;
	return true;
}

void textbuf_bytes(struct textbuf *out, const void *bytes, size_t length)
{
	if (!reserve(out, length))
		return;
	memcpy(out->text + out->length, bytes, length);
	out->length += length;
	out->text[out->length] = 0;
}

void textbuf_puts(struct textbuf *out, const char *text)
{
	textbuf_bytes(out, text, strlen(text));
}

static bool to_text(void *context, const void *bytes, size_t length)
{
	struct textbuf *out = context;
	textbuf_bytes(out, bytes, length);
	return !out->failed;
}

struct gcs_sink textbuf_sink(struct textbuf *out)
{
	return (struct gcs_sink){.write = to_text, .context = out};
}

static bool divides(char c)
{
	return c == '\t' || c == '\n';
}

/* True if all is ASCII and all controls are the format's. */
static bool is_clean(const char *text, const char *format)
{
	int count = 0;
	for (; *format != 0; format++)
		count += divides(*format);
	for (; *text != 0; text++) {
		if ((*text < ' ' && !divides(*text)) || *text == 127)
			return false;
		count -= divides(*text);
	}
	return count == 0;
}

/*
 * Cleans a text that was made of the format. A second
 * text, of a format with tabs for line ends and line ends for tabs: the format's own differ.
 */
static bool clean(char *text, size_t length, const char *format, va_list ap)
{
	char *swapped = malloc(strlen(format) + 1), *other = malloc(length + 1);
	const bool ok = swapped != NULL && other != NULL;
	if (ok) {
		strcpy(swapped, format);
		for (char *c = swapped; *c != 0; c++)
			*c = *c == '\t' ? '\n' : *c == '\n' ? '\t' : *c;
		vsnprintf(other, length + 1, swapped, ap);
		char *part = text;
		size_t to = 0;
		for (size_t i = 0; i <= length; i++) {
			if (i < length && divides(text[i]) && text[i] == other[i])
				text[i] = ' '; /* the argument's */
			if (i < length && !divides(text[i]))
				continue;
			const char own = text[i]; /* or the end */
			text[i] = 0;
			const size_t n = strlen(text_clean(part));
			memmove(text + to, part, n);
			to += n;
			text[to++] = own;
			part = text + i + 1;
		}
	}
	free(swapped);
	free(other);
	return ok;
}

void textbuf_printf(struct textbuf *out, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0 || !reserve(out, (size_t)n))
		return;
	char *text = out->text + out->length;
	va_start(ap, format);
	vsnprintf(text, (size_t)n + 1, format, ap);
	va_end(ap);
	va_start(ap, format);
	if (!is_clean(text, format) && !clean(text, (size_t)n, format, ap)) {
		*text = 0;
		out->failed = true;
	}
	va_end(ap);
	out->length += strlen(text);
}

const char *textbuf_text(const struct textbuf *out)
{
	return out->text != NULL ? out->text : "";
}

void append_clause(char *text, size_t size, const char *format, ...)
{
	size_t n = strlen(text);
	va_list args;
	if (n > 0)
		n += (size_t)snprintf(text + n, size - n, " \xc2\xb7 ");
	va_start(args, format);
	if (n < size)
		vsnprintf(text + n, size - n, format, args);
	va_end(args);
}
