/*
 * The options, in two variables of the environment: GCSPYMALLOC has those of the server, GCSPYDLMALLOC those of
 * the allocator. Comma-separated KEY=VALUE.
 */
#ifndef DL_OPTIONS_H
#define DL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DL_OPTION_TEXT = 1024 };

struct dl_options {
	int64_t port; /* -1: none */
	char socket[DL_OPTION_TEXT], record[DL_OPTION_TEXT];
	int64_t update_ms;
	int64_t wait; /* for a client, before main */
	int64_t pid;  /* the only process that has a server; 0: any */
	int64_t block;
	int64_t deferred; /* percent of the footprint; 0: coalesce at once */
};

/* The defaults with what the two texts set; NULL is none. False with a line in `why`. Allocates nothing. */
bool dl_options_parse(struct dl_options *options, const char *server, const char *allocator,
    char *why, size_t why_bytes);

#endif
