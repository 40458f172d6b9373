/*
 * `why-big` and `why-slow`: what the figures of a recording or of a running program mean, in at most
 * fifteen lines. The first is the conclusion; then its evidence, a line for each; what could not be
 * seen; which command goes on from there.
 *
 * why_big.c and why_slow.c conclude from figures; why_heap.c finds what figures do not
 * tell; why_write.c writes.
 */
#ifndef GCSPY_TOOLS_WHY_H
#define GCSPY_TOOLS_WHY_H

#include <gcspy/plugin.h>

#include "contact.h"
#include "stats.h"

enum { WHY_LINES = 15, WHY_TEXT = 400, WHY_AGAIN = 180, WHY_NOT_SEEN = 8 };

struct why {
	const struct cli_arguments *arguments;
	const struct gcs_stats *stats;
	struct contact *contact; /* NULL: a recording, or a server that has ended */
	bool of_file;
	bool jvm;     /* else some other program that collects: a JVM's tools do not help */
	bool replays; /* the server replays a recording: it knows call sites only */
	char again[WHY_AGAIN]; /* the address, with the options that reach it, for a next command */
	bool sampling;         /* turned on for this command, and off again after it */
	uint64_t followed_ns;  /* 0: a recording */
	/* The conclusion: a word for programs, and a sentence. */
	const char *code;
	char verdict[WHY_TEXT];
	/* The evidence: a label, "" for more of the line before, and a text. */
	uint32_t line_count;
	struct {
		const char *label;
		char text[WHY_TEXT];
		char *chain; /* instead: whole; text shows its beginning and its end. gcs_free */
	} lines[WHY_LINES];
	/* What could not be seen, the most important first. */
	uint32_t not_seen_count;
	char not_seen[WHY_NOT_SEEN][WHY_TEXT];
	char next[WHY_TEXT];
};

void why_conclude(struct why *why, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void why_line(struct why *why, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void why_chain(struct why *why, const char *label, const char *chain, double share);
void why_not_seen(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
void why_next(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A figure in words, for the rest of an expression: why_figure(…).text. */
struct why_figure {
	char text[64];
};
struct why_figure why_figure(double value, enum gcs_unit unit);

/* "1 h 2 min", "60 s": the time from the first event to the last; with what passed before and behind. */
struct why_figure why_time(const struct gcs_stats *stats);
struct why_figure why_seconds(double seconds);
struct why_figure why_watched(const struct why *why);

/* The value of a line of general information; "" without it. */
const char *why_info(const struct gcs_stats *stats, const char *key);

/* "byte[] at Shop.visit (Shop.java:55)": the class, and the program's own frame or the youngest one. */
char *why_site(char *text, size_t size, const struct gcs_sites *sites, const struct gcs_site *site);

/* Events that are missing weaken all conclusions. */
void why_gaps(struct why *why);

/* Humongous objects, where they take much of the heap: their share, and who allocates most. */
void why_humongous(struct why *why);

/* What a running program tells, and a recording if it was recorded: classes of all objects, and what holds
 * the objects of a call site of `sites`. Lines, or what could not be seen. */
void why_classes(struct why *why);
void why_held(struct why *why, const struct gcs_sites *sites, const struct gcs_site *site);

/* Turns sampling on if it is off; false if it was not, or cannot be. why_stop_sampling turns it off
 * again, unless another client has changed it meanwhile. */
bool why_start_sampling(struct contact *contact);
void why_stop_sampling(struct contact *contact);

void why_big(struct why *why);
void why_slow(struct why *why);

/* `source` is the file or address. */
void why_write_text(struct out *out, const struct why *why);
void why_write_json(struct out *out, const struct why *why);

#endif
