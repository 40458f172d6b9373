/*
 * A trace file being read: bytes at an offset, chunk heads, parts with their checksums. No state
 * but the open file.
 */
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

/* Exactly `length` bytes; TRUNCATED if the file ends before, IO. */
enum gcs_status trace_read(const struct trace_input *in, uint64_t offset, void *to, size_t length);

/* The chunk at an offset: OK if its head is valid and the chunk ends in the file. */
enum gcs_status trace_read_chunk(
    const struct trace_input *in, uint64_t offset, struct trace_chunk *chunk);

/* Moves `offset` to the first valid chunk there or behind it and before `end`, or to `end`. */
enum gcs_status trace_search(
    const struct trace_input *in, uint64_t *offset, uint64_t end, struct trace_chunk *chunk);

/* Reused for each chunk. */
struct trace_part {
	uint8_t *bytes;
	size_t length, capacity;
};

void trace_part_fini(struct trace_part *part);

/*
 * Reads and inflates a chunk's heads and, unless `body` is NULL, its body; the checksum is compared
 * if both are read. Dictionaries are NULL or parts whose ends they are. MALFORMED if they are
 * damaged.
 */
enum gcs_status trace_read_parts(const struct trace_input *in, uint64_t offset,
    const struct trace_chunk *chunk, const struct trace_part *heads_dictionary,
    const struct trace_part *body_dictionary, struct trace_part *heads, struct trace_part *body);

#endif
