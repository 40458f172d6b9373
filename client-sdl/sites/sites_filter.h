/*
 * The filter of the call sites as typed: text, or a regular expression after a slash, matched
 * against the names of classes, methods and threads.
 *
 *	hashmap              anywhere, capital letters or not
 *	class:byte[]         only in the allocated class; method: in frames, thread: in threads
 *	/^java[.]util[.]     a POSIX extended regular expression, also after class: and the others
 */
#ifndef GCSPY_CLIENT_SITES_FILTER_H
#define GCSPY_CLIENT_SITES_FILTER_H

#include <gcspy/profile.h>
#include <regex.h>

enum sites_field { SITES_ANY, SITES_CLASS, SITES_METHOD, SITES_THREAD };

struct sites_filter {
	enum sites_field field;
	char text[256]; /* the search text, in lower case unless it is a pattern */
	bool pattern;
	regex_t regex;   /* valid if `pattern` */
	char error[160]; /* of an invalid pattern, which matches everything; "" */
};

/* Sets a zeroed or finished filter; an invalid one has its error set. */
void sites_filter_init(struct sites_filter *filter, const char *typed);
void sites_filter_fini(struct sites_filter *filter);

/* For a thread filter that is not open: the equivalent POSIX extended regular expression. */
#define SITES_PATTERN 1100
bool sites_filter_thread(const struct sites_filter *filter, char pattern[SITES_PATTERN]);

/* True if the filter matches everything. */
bool sites_filter_is_open(const struct sites_filter *filter);

/* True if the filter applies to this field and matches the text. */
bool sites_filter_finds(
    const struct sites_filter *filter, enum sites_field field, const char *text);

/* The entries of a profile that a filter matches, hidden frames included. A zeroed one matches all. */
struct sites_found {
	bool *class_name, *thread; /* by name */
	bool *stack;               /* by stack: it or one of its callers */
};

/* False without memory. */
bool sites_found_init(struct sites_found *found, const struct gcs_profile *profile,
    const struct sites_filter *filter);
void sites_found_fini(struct sites_found *found);

/* For struct gcs_site_filter. */
bool sites_found_has(const void *found, const struct gcs_profile_entry *entry);

#endif
