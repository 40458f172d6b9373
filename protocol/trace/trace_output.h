/* The file of a trace writer. */
#ifndef GCSPY_TRACE_TRACE_OUTPUT_H
#define GCSPY_TRACE_TRACE_OUTPUT_H

#include "trace_format.h"

struct trace_output {
	char *path;
	int fd;
	bool named; /* a regular file that had a name when it was opened */
};

/* Opens the path, or with `number` the first free one of PATH.1, PATH.2 … False with errno; EWOULDBLOCK if
 * another recorder writes the file. */
bool trace_output_open(struct trace_output *o, const struct gcs_trace_options *options);

/* Returns what close returns. */
int trace_output_close(struct trace_output *o);

/* Writes all bytes; false with errno. */
bool trace_output_write(const struct trace_output *o, const uint8_t *bytes, size_t length);

enum trace_file trace_output_state(const struct trace_output *o);

#endif
