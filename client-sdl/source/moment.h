/*
 * What one event of a recording was, without the state: for the strip that shows the whole of it.
 */
#ifndef GCSPY_CLIENT_MOMENT_H
#define GCSPY_CLIENT_MOMENT_H

#include <gcspy/snapshot.h>

#define MOMENT_WORDS 240 /* bytes of the attributes in words */

struct moment {
	uint64_t sequence;
	uint64_t time_ns;
	uint64_t elapsed_ns; /* since the event before */
	uint64_t place;      /* in what is known, from 0; set by whoever counts */
	uint32_t event;
	int64_t pause_ns;         /* -1: the event does not tell */
	int64_t used_bytes;       /* of the heap; -1 likewise */
	int64_t before_bytes;     /* of the heap before the event; -1 likewise */
	int64_t wall_ns;          /* since 1970; 0: not told */
	uint64_t own_ns;          /* of elapsed_ns, what the server itself cost */
	char words[MOMENT_WORDS]; /* the attributes, "" for none; only of moment_told */
};

struct moment moment_of(const struct gcs_snapshot *snapshot);

/* With the words: "cause G1 Evacuation Pause · pause 2.35 ms". What has no room is left out
 * as a whole attribute, and an ellipsis tells. */
struct moment moment_told(const struct gcs_snapshot *snapshot);

#endif
