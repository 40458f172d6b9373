/*
 * The filter of the call sites, as it is typed: a piece of text, or a regular expression after a
 * slash, looked for in the names of classes, methods and threads.
 *
 *	hashmap              anywhere, capital letters or not
 *	class:byte[]         only in the allocated class; method: in frames, thread: in threads
 *	/^java[.]util[.]     a POSIX extended regular expression, also after class: and the others
 */
#ifndef GCSPY_CLIENT_SITES_FILTER_H
#define GCSPY_CLIENT_SITES_FILTER_H

#include <regex.h>
#include <stdbool.h>

enum sites_field { SITES_ANY, SITES_CLASS, SITES_METHOD, SITES_THREAD };

struct sites_filter {
	enum sites_field field;
	char text[256]; /* what is looked for, in small letters unless it is a pattern */
	bool pattern;
	regex_t regex; /* valid if `pattern` */
	char error
	    [160]; /* why the typed pattern is none, "" if it is; such a filter lets all pass */
};

/* Sets a zeroed or finished filter; one that is not valid has its error set. */
void sites_filter_init(struct sites_filter *filter, const char *typed);
void sites_filter_fini(struct sites_filter *filter);

/* For a filter of threads that is not open: the same as a POSIX extended regular expression. */
#define SITES_PATTERN 1100
bool sites_filter_thread(const struct sites_filter *filter, char pattern[SITES_PATTERN]);

/* True when the filter lets everything pass. */
bool sites_filter_is_open(const struct sites_filter *filter);

/* True when the filter looks at this field and finds what it looks for. */
bool sites_filter_finds(
    const struct sites_filter *filter, enum sites_field field, const char *text);

#endif
