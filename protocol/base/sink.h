/* Where bytes go that are written in order: a file, a pipe, memory. */
#ifndef GCSPY_BASE_SINK_H
#define GCSPY_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the next bytes; false when it can take no more. Need not be safe for several threads. */
struct gcs_sink {
	bool (*write)(void *context, const void *bytes, size_t length);
	void *context;
};

#endif
