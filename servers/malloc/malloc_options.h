/* The options of the library: the comma-separated list KEY=VALUE in the environment variable GCSPYMALLOC. */
#ifndef GCSPYMALLOC_MALLOC_OPTIONS_H
#define GCSPYMALLOC_MALLOC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MALLOC_OPTION_TEXT = 1024 };

struct malloc_options {
	int64_t port; /* -1: none */
	char host[MALLOC_OPTION_TEXT], socket[MALLOC_OPTION_TEXT], record[MALLOC_OPTION_TEXT];
	char record_each[MALLOC_OPTION_TEXT]; /* `record` as it was given, if it has %p; else "" */
	char token_file[MALLOC_OPTION_TEXT];
	int64_t update_ms;
	char interval[MALLOC_OPTION_TEXT]; /* bytes between samples */
	char leaks[MALLOC_OPTION_TEXT];    /* "": none */
	bool children, wait, say, any_user;
	bool memory; /* clients may see the program's bytes */
	int64_t pid; /* the only process that is shown; 0: any */
	int64_t
	    said; /* the process that has said where it listens, before it executed this program */
	int64_t deferred; /* percent, of dlmalloc; -1: not given */
	bool help;
};

/* The defaults with what `text` sets; NULL is "". False with a line in `why`. Allocates nothing. */
bool malloc_options_parse(
    struct malloc_options *options, const char *text, char *why, size_t why_bytes);

/* Replaces `record` by that of the calling process, a child of fork; false where it would be the parent's. */
bool malloc_options_record_again(struct malloc_options *options);

/* Writes a line for each option to a descriptor. */
void malloc_options_help(int fd);

#endif
