#include "export_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void textbuf_puts(struct textbuf *out, const char *text)
{
	size_t n = strlen(text);
	if (!reserve(out, n))
		return;
	memcpy(out->text + out->length, text, n + 1);
	out->length += n;
}

void textbuf_printf(struct textbuf *out, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0 || !reserve(out, (size_t)n))
		return;
	va_start(ap, format);
	vsnprintf(out->text + out->length, (size_t)n + 1, format, ap);
	va_end(ap);
	out->length += (size_t)n;
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
