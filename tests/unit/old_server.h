/*
 * What a server of 2002 says, a frame at a time, put into `w`: for tests of the decoder of that
 * dialect. Sound, unless the numbers that it is given are not.
 */
#ifndef GCSPY_TESTS_OLD_SERVER_H
#define GCSPY_TESTS_OLD_SERVER_H

#include "bytes.h"

/* A stream of a space as it is described; names of values are made up. */
struct old_stream {
	uint8_t id, type, presentation, paint, max_index, enum_count;
	int32_t min, max;
	const char *name;
};

/* One of each presentation; the ids are the indices. */
enum { OLD_STREAMS = 6 };
extern const struct old_stream old_streams[OLD_STREAMS];

void old_hello(struct wr *w, const char *magic, int32_t endianness);
void old_information(struct wr *w, int16_t spaces, const char *info, int16_t event_count);

/* The payload of a frame that describes a space. */
void old_space(
    struct wr *w, int16_t id, int32_t tiles, int16_t count, const struct old_stream *streams);

/* The three above: a server with one space of old_streams and three events. */
void old_bootstrap(struct wr *w, int32_t tiles);

/* Commands; each is a frame. Values and summaries count up, from `first` and 10. */
void old_values(
    struct wr *w, uint8_t space, uint8_t stream, unsigned size, int32_t count, int32_t first);
void old_control(struct wr *w, int32_t count, uint8_t bits);
void old_summary(struct wr *w, uint8_t stream, int32_t count);
void old_space_command(
    struct wr *w, int16_t id, int32_t tiles, int16_t count, const struct old_stream *streams);

/* The counters, which are 7, 8 and 9, and the event. */
void old_event(struct wr *w, uint8_t event);

/* A whole bootstrap, of three tiles, and event. */
void old_all(struct wr *w);

#endif
