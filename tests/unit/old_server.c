#include "old_server.h"

#include <stdio.h>

#include <gcspy/model.h>

#include "wire_2002.h"

void old_hello(struct wr *w, const char *magic, int32_t endianness)
{
	size_t at = w2002_frame_begin(w);
	w2002_put_text(w, magic, 100);
	w2002_put_int(w, endianness);
	w2002_put_text(w, "Old server", 100);
	w2002_frame_end(w, at);
}

void old_information(struct wr *w, int16_t spaces, const char *info, int16_t event_count)
{
	static const char *const names[] = {"Start", "", "End"};
	size_t at = w2002_frame_begin(w);
	w2002_put_short(w, spaces);
	w2002_put_text(w, info, 5000);
	w2002_put_short(w, event_count);
	for (int16_t i = 0; i < event_count; i++)
		w2002_put_text(w, names[i % 3], 100);
	w2002_frame_end(w, at);
}

static void put_stream_description(struct wr *w, const struct old_stream *t)
{
	char prefix[2000];
	wr_u8(w, t->id);
	wr_u8(w, t->type);
	w2002_put_text(w, t->name, 1000);
	w2002_put_int(w, t->min);
	w2002_put_int(w, t->max);
	w2002_put_int(w, 1);
	w2002_put_int(w, 2);
	/* The original client shows nothing else beside a value. */
	snprintf(prefix, sizeof prefix, "%s: about ", t->name);
	w2002_put_text(w, prefix, 2000);
	w2002_put_text(w, " bytes\n", 100);
	wr_u8(w, t->presentation);
	wr_u8(w, t->paint);
	wr_u8(w, t->max_index);
	wr_bytes(w, "\x01\x02\x03", 3);
	wr_u8(w, t->enum_count);
	for (uint8_t i = 0; i < t->enum_count; i++)
		w2002_put_text(w, i == 1 ? "" : "DIRTY", 100);
}

void old_space(
    struct wr *w, int16_t id, int32_t tiles, int16_t count, const struct old_stream *streams)
{
	w2002_put_short(w, id);
	w2002_put_text(w, "Semispace", 100);
	w2002_put_text(w, "MMTk", 100);
	w2002_put_text(w, "Block ", 100);
	w2002_put_text(w, "32K blocks\n", 100);
	w2002_put_int(w, tiles);
	w2002_put_text(w, "NOT USED", 100);
	wr_u8(w, 1);
	w2002_put_short(w, count);
	for (int16_t i = 0; i < count; i++)
		put_stream_description(w, &streams[i]);
	for (int32_t i = 0; i < tiles; i++)
		w2002_put_text(w, i == 1 ? "   [0xa-0xb)" : "", 100);
}

const struct old_stream old_streams[OLD_STREAMS] = {
    {.id = 0, .type = W2002_BYTE, .presentation = W2002_PLAIN, .max = 100, .name = "Plain"},
    {.id = 1, .type = W2002_SHORT, .presentation = W2002_PLUS, .max = 100, .name = "Plus"},
    {.id = 2, .type = W2002_INT, .presentation = W2002_MAX_VAR, .max = 100, .name = "Var"},
    {.id = 3,
	.type = W2002_INT,
	.presentation = W2002_PERCENT,
	.paint = W2002_PAINT_ZERO,
	.max = 100,
	.name = "Percent"},
    {.id = 4,
	.type = W2002_INT,
	.presentation = W2002_PERCENT_VAR,
	.max_index = 2,
	.max = 100,
	.name = "Of var"},
    {.id = 5,
	.type = W2002_BYTE,
	.presentation = W2002_ENUM,
	.enum_count = 3,
	.max = 2,
	.name = ""},
};

void old_bootstrap(struct wr *w, int32_t tiles)
{
	old_hello(w, W2002_MAGIC, 1);
	old_information(w, 1,
	    "Collector: semispace\nplain words\n\nkey:\n"
	    "Listens: tcp:host:3000\n12:30 started: 12:30:11\n",
	    3);
	size_t at = w2002_frame_begin(w);
	old_space(w, 0, tiles, OLD_STREAMS, old_streams);
	w2002_frame_end(w, at);
}

void old_values(
    struct wr *w, uint8_t space, uint8_t stream, unsigned size, int32_t count, int32_t first)
{
	size_t at = w2002_command_begin(w, W2002_STREAM);
	wr_u8(w, space);
	wr_u8(w, stream);
	w2002_put_int(w, count);
	for (int32_t i = 0; i < count; i++) {
		if (size == 1)
			wr_u8(w, (uint8_t)(first + i));
		else if (size == 2)
			w2002_put_short(w, (int16_t)(first + i));
		else
			w2002_put_int(w, first + i);
	}
	w2002_command_end(w, at);
}

void old_control(struct wr *w, int32_t count, uint8_t bits)
{
	size_t at = w2002_command_begin(w, W2002_CONTROL);
	wr_u8(w, 0);
	w2002_put_int(w, count);
	for (int32_t i = 0; i < count; i++)
		wr_u8(w, bits);
	w2002_command_end(w, at);
}

void old_summary(struct wr *w, uint8_t stream, int32_t count)
{
	size_t at = w2002_command_begin(w, W2002_SUMMARY);
	wr_u8(w, 0);
	wr_u8(w, stream);
	w2002_put_int(w, count);
	for (int32_t i = 0; i < count; i++)
		w2002_put_int(w, 10 + i);
	w2002_command_end(w, at);
}

void old_event(struct wr *w, uint8_t event)
{
	size_t at = w2002_command_begin(w, W2002_EVENT_COUNT);
	w2002_put_int(w, 3);
	for (int32_t i = 0; i < 3; i++)
		w2002_put_int(w, 7 + i);
	w2002_command_end(w, at);
	at = w2002_command_begin(w, W2002_EVENT);
	wr_u8(w, event);
	w2002_put_int(w, 12);
	w2002_put_int(w, 5);
	w2002_command_end(w, at);
}

void old_all(struct wr *w)
{
	old_bootstrap(w, 3);
	for (uint8_t i = 0; i < OLD_STREAMS; i++) {
		old_values(w, 0, i, old_streams[i].type == W2002_INT ? 4 : old_streams[i].type + 1u,
		    3, -1);
		old_summary(w, i, i == 5 ? 3 : i >= 3 ? 2 : 1);
	}
	old_control(w, 3, GCS_TILE_UNUSED | GCS_TILE_LINK);
	size_t at = w2002_command_begin(w, W2002_SPACE_INFO);
	wr_u8(w, 0);
	w2002_put_text(w, "half full\r\n", 100);
	w2002_command_end(w, at);
	old_event(w, 2);
}

void old_space_command(
    struct wr *w, int16_t id, int32_t tiles, int16_t count, const struct old_stream *streams)
{
	size_t at = w2002_command_begin(w, W2002_SPACE);
	old_space(w, id, tiles, count, streams);
	w2002_command_end(w, at);
}
