#include "out.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <gcspy/format.h>

/* A descriptor shared with another program may not block; then wait until it is writable. */
static bool wait_writable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	return poll(&p, 1, -1) > 0 || errno == EINTR;
}

static bool write_all(void *context, const void *bytes, size_t length)
{
	struct out *out = context;
	const char *at = bytes;
	while (out->error == 0 && length != 0) {
		ssize_t n = write(out->fd, at, length);
		if (n > 0) {
			at += n;
			length -= (size_t)n;
		} else if (n < 0 && errno != EINTR &&
			   !((errno == EAGAIN || errno == EWOULDBLOCK) && wait_writable(out->fd))) {
			out->error = errno;
		}
	}
	return out->error == 0;
}

void out_init(struct out *out, int fd)
{
	out->sink = (struct gcs_sink){.write = write_all, .context = out};
	out->fd = fd;
	out->error = 0;
	out->colored = false;
	text_begin(&out->text, &out->sink);
}

bool out_flush(struct out *out)
{
	return text_end(&out->text, NULL) == GCS_OK && out->error == 0;
}

bool out_is_orphaned(struct out *out)
{
	struct pollfd p = {.fd = out->fd};
	if (out->error == 0 && poll(&p, 1, 0) > 0 && (p.revents & POLLERR) != 0)
		out->error = EPIPE;
	return out->error != 0;
}

void out_bytes(struct out *out, const char *bytes, size_t length)
{
	if (out->error == 0)
		text_bytes(&out->text, bytes, length);
}

void out_raw(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

void out_format(struct out *out, const char *format, ...)
{
	char text[512];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	out_raw(out, text);
}

void out_style(struct out *out, enum out_style style)
{
	static const char *const codes[] = {
	    [OUT_PLAIN] = "\33[0m", [OUT_BOLD] = "\33[1m", [OUT_ALERT] = "\33[1;31m"};
	if (out->colored)
		out_raw(out, codes[style]);
}

void out_spaces(struct out *out, size_t count)
{
	while (count-- != 0)
		out_bytes(out, " ", 1);
}

static bool is_blank(uint32_t code)
{
	return code == ' ' || code == '\t' || code == '\n' || code == '\r';
}

static void put_code(struct out *out, const char *bytes, size_t length, uint32_t code)
{
	if (is_blank(code))
		out_bytes(out, " ", 1);
	else if (code == 0xfffd)
		out_raw(out, "\xef\xbf\xbd");
	else if (text_is_hidden(code))
		out_bytes(out, "?", 1);
	else
		out_bytes(out, bytes, length);
}

size_t out_width(const struct out *out)
{
	struct winsize size = {.ws_col = 0};
	if (isatty(out->fd) != 1)
		return SIZE_MAX;
	if (ioctl(out->fd, TIOCGWINSZ, &size) != 0 || size.ws_col < OUT_COLUMNS)
		return OUT_COLUMNS;
	return size.ws_col;
}

size_t out_columns(const char *text)
{
	size_t columns = 0;
	uint32_t code;
	size_t length;
	for (; (length = gcs_decode_utf8(text, &code)) != 0; text += length)
		columns++;
	return columns;
}

size_t out_text(struct out *out, const char *text, size_t columns)
{
	size_t whole = out_columns(text);
	size_t shown = whole <= columns ? whole : columns == 0 ? 0 : columns - 1;
	for (size_t i = 0; i < shown; i++) {
		uint32_t code;
		size_t length = gcs_decode_utf8(text, &code);
		put_code(out, text, length, code);
		text += length;
	}
	if (whole <= columns || columns == 0)
		return shown;
	out_raw(out, "\xe2\x80\xa6");
	return columns;
}

void out_padded(struct out *out, const char *text, size_t columns)
{
	out_spaces(out, columns - out_text(out, text, columns));
}

/* The columns of the first word, and after its bytes. */
static size_t word(const char *text, const char **end)
{
	size_t columns = 0;
	uint32_t code;
	size_t length;
	while ((length = gcs_decode_utf8(text, &code)) != 0 && !is_blank(code)) {
		text += length;
		columns++;
	}
	*end = text;
	return columns;
}

static const char *skip_blanks(const char *text)
{
	uint32_t code;
	size_t length;
	while ((length = gcs_decode_utf8(text, &code)) != 0 && is_blank(code))
		text += length;
	return text;
}

void out_wrapped(struct out *out, size_t column, size_t indent, const char *text)
{
	bool first = true; /* the first word of a line has no space before it */
	for (text = skip_blanks(text); *text != '\0'; text = skip_blanks(text)) {
		const char *end;
		size_t wide = word(text, &end);
		if (!first && column + 1 + wide > OUT_COLUMNS) {
			out_raw(out, "\n");
			out_spaces(out, indent);
			column = indent;
			first = true;
		}
		if (!first) {
			out_raw(out, " ");
			column++;
		}
		/* A word longer than a line is broken where the line ends. */
		while (text != end) {
			uint32_t code;
			size_t length = gcs_decode_utf8(text, &code);
			if (column == OUT_COLUMNS) {
				out_raw(out, "\n");
				out_spaces(out, indent);
				column = indent;
			}
			put_code(out, text, length, code);
			text += length;
			column++;
		}
		first = false;
	}
	out_raw(out, "\n");
}
