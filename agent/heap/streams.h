/*
 * Stream descriptions that several drivers use.
 */
#ifndef GCSPY_AGENT_STREAMS_H
#define GCSPY_AGENT_STREAMS_H

#include <gcspy/model.h>

/* Bytes in use, as a share of a block of `block` bytes; summary: used of committed. */
struct gcs_stream stream_used(uint64_t block);

/* Bytes that lie in threads' allocation buffers, as a share of a block. */
struct gcs_stream stream_tlab(uint64_t block);

/* The system streams (F5, F15). */
struct gcs_stream stream_control(int64_t initial);
struct gcs_stream stream_range_start(void);
struct gcs_stream stream_range_end(void);

#endif
