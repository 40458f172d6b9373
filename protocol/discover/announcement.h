/*
 * Where an agent listens: parses the text that agent/core/announce.c, and libgcspymalloc.so, keep in an
 * anonymous file among their process's descriptors. Any text gives a valid struct.
 */
#ifndef GCSPY_DISCOVER_ANNOUNCEMENT_H
#define GCSPY_DISCOVER_ANNOUNCEMENT_H

#include <stdbool.h>
#include <stddef.h>

enum { ANNOUNCEMENT_ADDRESSES = 2, ANNOUNCEMENT_BYTES = 8192 };

struct announcement {
	unsigned count; /* of addresses; 0 if the agent does not listen */
	char addresses[ANNOUNCEMENT_ADDRESSES][600];
	char refusal[600]; /* why it does not, or "" */
	bool native;       /* of libgcspymalloc.so: beside an agent the agent shows what it shows */
};

/* False if the text is not an announcement, or not yet complete. */
bool announcement_parse(const char *text, size_t length, struct announcement *announcement);

/* True if the agent has been detached, so that it can be loaded again. */
bool announcement_is_detached(const struct announcement *announcement);

/* True if a descriptor's link, such as "/memfd:gcspy-announcement (deleted)", is such a file. */
bool announcement_is_at(const char *link);

#endif
