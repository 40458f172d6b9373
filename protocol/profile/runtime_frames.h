/* The table of what counts as plumbing; docs/sites.md has the same rows, and a test compares. */
#ifndef GCSPY_PROFILE_RUNTIME_FRAMES_H
#define GCSPY_PROFILE_RUNTIME_FRAMES_H

#include <stddef.h>

enum plumbing_how {
	PLUMBING_PREFIX,   /* the class begins with `text` */
	PLUMBING_CONTAINS, /* the class has `text` in it */
	PLUMBING_SIMPLE,   /* the class's name without its package begins with `text` */
	PLUMBING_METHOD,   /* "class.method" begins with `text` */
	PLUMBING_NUMBERED  /* the method is `text` and a number */
};

struct plumbing_rule {
	enum plumbing_how how;
	const char *text;
	const char *reason;
};

extern const struct plumbing_rule plumbing_rules[];
extern const size_t plumbing_rule_count;

#endif
