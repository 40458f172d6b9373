/*
 * The bytes of a trace file: heads, parts, the index; docs/trace-format.md, sections 2 and 3, in
 * the same order. Pure functions on bytes, shared by trace_writer.c and the readers.
 */
#ifndef GCSPY_TRACE_TRACE_FORMAT_H
#define GCSPY_TRACE_TRACE_FORMAT_H

#include <gcspy/trace.h>

#include "bytes.h"

enum {
	TRACE_FILE_HEAD = 64,
	TRACE_CHUNK_HEAD = 64,
	TRACE_END_MARK = 24,
	TRACE_DICTIONARY = 32768, /* most bytes of a preset dictionary */
	TRACE_MAX_HEADS = 64 << 20,
	TRACE_MAX_BODY = 512 << 20,
	/* A part of more raw bytes has at least a TRACE_DENSITY-th of them in the file, so that a
	 * small file cannot ask for much memory. */
	TRACE_FREE_RAW = 32 << 20,
	TRACE_DENSITY = 32
};

#define TRACE_CHUNK_MAGIC "GCSk"
#define TRACE_END_MAGIC   "GCSe"

enum trace_kind { TRACE_KEY = 1, TRACE_MORE = 2, TRACE_PROFILE = 3, TRACE_INDEX = 4 };

struct trace_head {
	uint32_t major, minor;
	int64_t created_wall_ns;
};

void trace_put_head(struct wr *w, const struct trace_head *head);

/* OK; FOREIGN, VERSION, or MALFORMED for a wrong check. */
enum gcs_status trace_get_head(const uint8_t *bytes, struct trace_head *head);

struct trace_chunk {
	uint16_t kind;
	uint32_t heads_stored, heads_raw;
	uint32_t body_stored, body_raw;
	uint64_t place;
	uint32_t count;
	uint32_t detail;
	uint64_t first_time_ns, last_time_ns;
	uint32_t check; /* of heads and body as stored */
};

void trace_put_chunk(struct wr *w, const struct trace_chunk *chunk);

/* False if these 64 bytes are no valid head. */
bool trace_get_chunk(const uint8_t *bytes, struct trace_chunk *chunk);

/* Bytes of a chunk in the file. */
uint64_t trace_chunk_bytes(const struct trace_chunk *chunk);

/* What the index tells of a segment or of a profile. */
struct trace_entry {
	uint16_t kind; /* KEY: the segment that begins there; PROFILE */
	uint64_t offset;
	uint64_t place;
	uint64_t count; /* events of the whole segment */
	uint32_t detail;
	uint64_t first_time_ns, last_time_ns;
	uint64_t bytes; /* of all its chunks that are events', or of the profile's */
};

/* `before` is the offset of the entry before in its list, 0 for the first. */
void trace_put_entry(struct wr *w, const struct trace_entry *entry, uint64_t before);
bool trace_get_entry(struct rd *r, struct trace_entry *entry, uint64_t before);

void trace_put_end(struct wr *w, uint64_t index);
bool trace_get_end(const uint8_t *bytes, uint64_t *index);

uint32_t trace_crc(uint32_t crc, const void *bytes, size_t length);

/* True if the bytes begin like a profile's document and are not too many. */
bool trace_is_profile(const void *bytes, size_t length);

/* So many snapshots were lost on the way to the writer so far; the events from now on tell it
 * beside what they have missed themselves. */
void trace_writer_missed(struct gcs_trace_writer *writer, uint64_t missed);

/* What has become of the writer's file. */
enum trace_file {
	TRACE_FILE_THERE,   /* or nothing can be said: it is no regular file */
	TRACE_FILE_MOVED,   /* its path names no file, or another one; it has a name elsewhere */
	TRACE_FILE_REMOVED, /* it has no name any more */
};

enum trace_file trace_writer_file(const struct gcs_trace_writer *writer);

/* Whether a part of so many bytes may have so few in the file. */
bool trace_is_dense(uint32_t stored, uint64_t raw);

/* The preset dictionary out of a KEY chunk's raw part: its last bytes. */
const uint8_t *trace_dictionary(const uint8_t *raw, size_t length, size_t *bytes);

#endif
