/* The table of runtime frames. docs/sites.md has the same rows, which a test compares. */
#ifndef GCSPY_PROFILE_RUNTIME_FRAMES_H
#define GCSPY_PROFILE_RUNTIME_FRAMES_H

#include <stddef.h>

enum runtime_frame_how {
	RUNTIME_FRAME_PREFIX,   /* the class begins with `text` */
	RUNTIME_FRAME_CONTAINS, /* the class has `text` in it */
	RUNTIME_FRAME_SIMPLE,   /* the class's name without its package begins with `text` */
	RUNTIME_FRAME_METHOD,   /* "class.method" begins with `text` */
	RUNTIME_FRAME_NUMBERED  /* the method is `text` and a number */
};

struct runtime_frame_rule {
	enum runtime_frame_how how;
	const char *text;
	const char *reason;
};

extern const struct runtime_frame_rule runtime_frame_rules[];
extern const size_t runtime_frame_rule_count;

#endif
