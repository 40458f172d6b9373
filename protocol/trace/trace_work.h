/*
 * The work that a message makes, in values written, copied or moved. A few bytes can make it with a
 * whole space: a run of equal values, one value of a column that is shared with the snapshot before,
 * a tile inserted in front of all others. Pure functions.
 */
#ifndef GCSPY_TRACE_TRACE_WORK_H
#define GCSPY_TRACE_TRACE_WORK_H

#include "decoder.h"
#include "frame.h"

/* The column of the last message with values; UINT32_MAX at the beginning of an event. */
struct trace_work {
	uint32_t space, stream;
};

/* About the work that the next frame will make in a decoder. */
uint64_t trace_work(
    struct trace_work *work, const struct decoder *decoder, const struct frame *frame);

#endif
