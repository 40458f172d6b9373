/* A destination for bytes written in order: a file, a pipe, memory. */
#ifndef GCSPY_BASE_SINK_H
#define GCSPY_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the next bytes; false on failure. Used by one thread at a time. */
struct gcs_sink {
	bool (*write)(void *context, const void *bytes, size_t length);
	void *context;
};

#endif
