/*
 * The bytes of a trace file: heads, parts, the index, in the order of docs/trace-format.md, sections
 * 2 and 3. Pure functions, shared by the writer and the readers.
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
	/* A part with more raw bytes takes at least 1 / TRACE_DENSITY of them in the file, so that a
	 * small file cannot require much memory. What all parts have beyond TRACE_FREE_RAW together
	 * takes as much of the file, so that it cannot require much work either. */
	TRACE_FREE_RAW = 32 << 20,
	TRACE_DENSITY = 32,
	/* The same for the values that its messages describe or move (trace_work.h). */
	TRACE_FREE_VALUES = 1 << 28,
	TRACE_VALUES = 8192
};

#define TRACE_CHUNK_MAGIC "GCSk"
#define TRACE_END_MAGIC   "GCSe"

enum trace_kind {
	TRACE_KEY = 1,
	TRACE_MORE = 2,
	TRACE_PROFILE = 3,
	TRACE_INDEX = 4,
	TRACE_ANSWER = 5
};

struct trace_head {
	uint32_t major, minor;
	int64_t created_wall_ns;
};

void trace_put_head(struct wr *w, const struct trace_head *head);

/* OK, FOREIGN, VERSION, or MALFORMED for a wrong checksum. */
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

/* False if these 64 bytes are not a valid head. */
bool trace_get_chunk(const uint8_t *bytes, struct trace_chunk *chunk);

/* Size of a chunk in the file. */
uint64_t trace_chunk_bytes(const struct trace_chunk *chunk);

/* An entry of the index: a segment, a profile or an answer. */
struct trace_entry {
	uint16_t kind; /* KEY for a segment, PROFILE or ANSWER */
	uint64_t offset;
	uint64_t place;
	uint64_t count; /* events of the whole segment */
	uint32_t detail;
	uint64_t first_time_ns, last_time_ns;
	uint64_t bytes; /* of all its chunks with events, or of the profile or answer */
	/* In memory only: whether its raw bytes are within what the file may inflate to, and the
	 * end of the events whose values have been counted. */
	enum { TRACE_UNCOUNTED, TRACE_WITHIN, TRACE_BEYOND } size;
	uint64_t counted;
};

/* `before` is the offset of the previous entry in the list, 0 for the first one. */
void trace_put_entry(struct wr *w, const struct trace_entry *entry, uint64_t before);
bool trace_get_entry(struct rd *r, struct trace_entry *entry, uint64_t before);

void trace_put_end(struct wr *w, uint64_t index);
bool trace_get_end(const uint8_t *bytes, uint64_t *index);

uint32_t trace_crc(uint32_t crc, const void *bytes, size_t length);

/* True if the bytes begin like an encoded profile and are not too many. */
bool trace_is_profile(const void *bytes, size_t length);

/* The latest wall clock time of an event that such a profile was made after: the end of the
 * collection that told live from dead in it (gcs_profile_head.judged; judged_ns, 0: none), or when it
 * was made, plus what two readings of one clock differ by. */
int64_t trace_profile_ns(const void *bytes, size_t length, int64_t *judged_ns);

/* The heads of an answer's chunk, whose body is that of the answer, and back: the texts are in place
 * and not terminated. */
void trace_put_answer(struct wr *w, const struct gcs_trace_answer *answer);
struct trace_answer_head {
	const char *plugin, *message;
	size_t plugin_length, message_length;
	int64_t wall_ns;
};
bool trace_get_answer(struct rd *r, struct trace_answer_head *head);

/* Whether an answer is within the limits of a file. */
bool trace_is_answer(const struct gcs_trace_answer *answer);

/* A copy in one block of memory, NULL without; gcs_free. */
struct gcs_trace_answer *trace_copy_answer(
    const struct trace_answer_head *head, const void *bytes, size_t length);

/* Sets the number of snapshots lost before the writer, which later events add to their own missed
 * ones. */
void trace_writer_missed(struct gcs_trace_writer *writer, uint64_t missed);

/* The state of the writer's file. */
enum trace_file {
	TRACE_FILE_THERE,   /* in place, or not a regular file */
	TRACE_FILE_MOVED,   /* it has another name */
	TRACE_FILE_REMOVED, /* it has no name */
};

enum trace_file trace_writer_file(const struct gcs_trace_writer *writer);

/* Only the thread that has been started for it writes from now on (own_files.h). */
void trace_writer_leave(const struct gcs_trace_writer *writer);

/* The descriptor of its file. */
int trace_writer_fd(const struct gcs_trace_writer *writer);

struct gcs_recorder;

/* Whether its options have a callback for failures. */
bool recorder_reports(const struct gcs_recorder *recorder);

/* In the child of fork: the recorder is the parent's, and the file's lock with it. */
void recorder_forget(const struct gcs_recorder *recorder);

/* Whether a part with `raw` bytes may take `stored` bytes in the file. */
bool trace_is_dense(uint32_t stored, uint64_t raw);

/* The preset dictionary from a KEY chunk's raw part: its last bytes. */
const uint8_t *trace_dictionary(const uint8_t *raw, size_t length, size_t *bytes);

#endif
