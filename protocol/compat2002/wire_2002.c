#include "wire_2002.h"

#include <string.h>

int8_t w2002_get_byte(struct rd *r)
{
	return (int8_t)rd_u8(r);
}

int16_t w2002_get_short(struct rd *r)
{
	const uint8_t *b = rd_bytes(r, 2);
	if (b == NULL)
		return 0;
	return (int16_t)(uint16_t)((unsigned)b[0] << 8 | b[1]);
}

int32_t w2002_get_int(struct rd *r)
{
	const uint8_t *b = rd_bytes(r, 4);
	if (b == NULL)
		return 0;
	return (int32_t)((uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]);
}

size_t w2002_cut(const char *text, size_t length, size_t max)
{
	if (length <= max)
		return length;
	size_t cut = max;
	/* The first byte that is cut must not be a continuation byte, 10xxxxxx. */
	while (cut != 0 && ((unsigned char)text[cut] & 0xc0) == 0x80)
		cut--;
	/* Not UTF-8: cut at the limit. */
	return cut == 0 ? max : cut;
}

const char *w2002_get_text(struct rd *r, struct arena *a, size_t max)
{
	const uint8_t *nul = rd_left(r) == 0 ? NULL : memchr(r->at, 0, rd_left(r));
	if (nul == NULL) {
		rd_fail(r, GCS_TRUNCATED);
		return "";
	}
	size_t length = (size_t)(nul - r->at);
	const char *bytes = (const char *)rd_bytes(r, length + 1);
	while (length != 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r'))
		length--; /* it separates what the original client prints */
	const char *text = arena_text(a, bytes, w2002_cut(bytes, length, max));
	if (text == NULL)
		rd_fail(r, GCS_NOMEM);
	return text == NULL ? "" : text;
}

enum gcs_status w2002_next(
    const uint8_t *bytes, size_t length, uint32_t max, struct rd *payload, size_t *taken)
{
	struct rd r = rd_over(bytes, length);
	int32_t size = w2002_get_int(&r);
	if (r.status != GCS_OK)
		return GCS_TRUNCATED;
	if (size == 0)
		return GCS_CLOSED;
	if (size < 0 || (uint32_t)size > max)
		return GCS_LIMIT;
	const uint8_t *at = rd_bytes(&r, (size_t)size);
	if (at == NULL)
		return GCS_TRUNCATED;
	*payload = rd_over(at, (size_t)size);
	*taken = (size_t)size + 4;
	return GCS_OK;
}

void w2002_put_short(struct wr *w, int16_t v)
{
	uint16_t u = (uint16_t)v;
	uint8_t b[2] = {(uint8_t)(u >> 8), (uint8_t)u};
	wr_bytes(w, b, sizeof b);
}

static void encode_int(uint8_t *b, int32_t v)
{
	uint32_t u = (uint32_t)v;
	b[0] = (uint8_t)(u >> 24);
	b[1] = (uint8_t)(u >> 16);
	b[2] = (uint8_t)(u >> 8);
	b[3] = (uint8_t)u;
}

void w2002_put_int(struct wr *w, int32_t v)
{
	uint8_t b[4];
	encode_int(b, v);
	wr_bytes(w, b, sizeof b);
}

void w2002_put_text(struct wr *w, const char *text, size_t max)
{
	size_t length = text == NULL ? 0 : strlen(text);
	wr_bytes(w, text, length == 0 ? 0 : w2002_cut(text, length, max));
	wr_u8(w, 0);
}

size_t w2002_frame_begin(struct wr *w)
{
	size_t at = w->length;
	w2002_put_int(w, 0);
	return at;
}

void w2002_frame_end(struct wr *w, size_t at)
{
	if (w->status == GCS_OK)
		encode_int(w->data + at, (int32_t)(w->length - at - 4));
}

size_t w2002_command_begin(struct wr *w, enum w2002_command command)
{
	size_t at = w2002_frame_begin(w);
	w2002_put_int(w, W2002_COMMANDS);
	wr_u8(w, (uint8_t)command);
	return at;
}

void w2002_command_end(struct wr *w, size_t at)
{
	wr_u8(w, W2002_END_STREAM);
	w2002_put_int(w, W2002_COMMANDS_END);
	w2002_frame_end(w, at);
}

void w2002_put_command(struct wr *w, enum w2002_command command)
{
	w2002_command_end(w, w2002_command_begin(w, command));
}

const char *w2002_command_name(unsigned command)
{
	static const char *const names[] = {
	    [W2002_END_STREAM] = "END_STREAM",
	    [W2002_PAUSE_REQ] = "PAUSE_REQ",
	    [W2002_PAUSE] = "PAUSE",
	    [W2002_RESTART] = "RESTART",
	    [W2002_PLAY_ONE] = "PLAY_ONE",
	    [W2002_SHUTDOWN_REQ] = "SHUTDOWN_REQ",
	    [W2002_SHUTDOWN] = "SHUTDOWN",
	    [W2002_STREAM] = "STREAM",
	    [W2002_EVENT] = "EVENT",
	    [W2002_CONTROL] = "CONTROL",
	    [W2002_EVENT_FILTERS] = "EVENT_FILTERS",
	    [W2002_EVENT_COUNT] = "EVENT_COUNT",
	    [W2002_SUMMARY] = "SUMMARY",
	    [W2002_SPACE_INFO] = "SPACE_INFO",
	    [W2002_SPACE] = "SPACE",
	};
	return command < sizeof names / sizeof names[0] ? names[command] : "?";
}
