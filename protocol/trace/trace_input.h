/* Reading a trace file: bytes at an offset, chunk heads, parts with their checksums. */
#ifndef GCSPY_TRACE_TRACE_INPUT_H
#define GCSPY_TRACE_TRACE_INPUT_H

#include "trace_format.h"

struct trace_input {
	int fd;
	uint64_t bytes; /* of the file when it was opened */
	char *path;
};

bool trace_input_open(struct trace_input *in, const char *path, struct gcs_error *err);
void trace_input_close(struct trace_input *in);

/* Reads exactly `length` bytes; TRUNCATED if the file ends before, or IO. */
enum gcs_status trace_read(const struct trace_input *in, uint64_t offset, void *to, size_t length);

/* Reads the head of a chunk; OK if it is valid and the chunk ends within the file. */
enum gcs_status trace_read_chunk(
    const struct trace_input *in, uint64_t offset, struct trace_chunk *chunk);

/* Moves `offset` to the first valid chunk at or after it, or to `end`. */
enum gcs_status trace_search(
    const struct trace_input *in, uint64_t *offset, uint64_t end, struct trace_chunk *chunk);

/* A buffer, reused for each chunk. */
struct trace_part {
	uint8_t *bytes;
	size_t length, capacity;
};

void trace_part_fini(struct trace_part *part);

/*
 * Reads and inflates a chunk's heads and, unless `body` is NULL, its body; verifies the checksum if
 * both are read. The dictionaries (may be NULL) are the ends of these parts. MALFORMED for damage.
 */
enum gcs_status trace_read_parts(const struct trace_input *in, uint64_t offset,
    const struct trace_chunk *chunk, const struct trace_part *heads_dictionary,
    const struct trace_part *body_dictionary, struct trace_part *heads, struct trace_part *body);

#endif
