/* The figures of a server that is followed for a while: what `stats`, `why-big` and `why-slow` share. */
#ifndef GCSPY_TOOLS_FOLLOW_H
#define GCSPY_TOOLS_FOLLOW_H

#include "contact.h"
#include "stats.h"

/* How long, and how. All 0: until the server ends or a signal comes. */
struct follow {
	uint32_t ms, events, collections;
	/* Ask for a collection at the beginning, half-way and at the end. */
	bool gc;
	bool running; /* refuse a program that a client holds when it begins */
	const char *const *libraries;
};

/*
 * Follows until the first limit is reached, the server ends (a warning says so), or SIGINT, SIGTERM or
 * SIGHUP comes; then writes what is known. NULL with an exit code after a message.
 */
struct gcs_stats *follow(
    struct contact *contact, const struct follow *how, struct out *out, int *code);

#endif
