/*
 * The words of a condition's text: names, numbers with units, texts in quotes. Names compare without
 * regard to case and to the width of blanks. For trigger_parse.c.
 *
 * The first failure fills the parser's `err` and status. Functions return false, or NULL, after one.
 */
#ifndef GCSPY_SERVER_TRIGGER_WORDS_H
#define GCSPY_SERVER_TRIGGER_WORDS_H

#include "condition.h"

struct parser {
	const struct gcs_model *model;
	struct condition *c;
	const char *at;
	unsigned depth;
	struct gcs_error *err;
	enum gcs_status status;
};

const char *words_skip(const char *at); /* blanks */

/* The end of `name` at `at`, or NULL if something else is there. */
const char *words_match(const char *at, const char *name);

/* The same if it is farther than `best` (or that is NULL), else `best`. */
const char *words_longer(const char *best, const char *at, const char *name);

/* The end of the words at `at`, up to one of `stops`, "and", "or" or the end. */
const char *words_end(const char *at, const char *stops);

/* Fails: `what` is expected, not what is at the cursor. */
bool words_expected(struct parser *p, const char *what);

/* A list of names for a message. */
struct word_list {
	char text[200];
	size_t length;
	bool full; /* the text ends in an ellipsis */
};

void words_add(struct word_list *n, const char *name);

/* Passes blanks and `token` if it is there; without it, words_require fails. */
bool words_accept(struct parser *p, const char *token);
bool words_require(struct parser *p, const char *token);

/* Passes the text up to `end`, and returns a copy. */
const char *words_copy(struct parser *p, const char *end);

/* Passes a text in quotes, with the cursor on the first one, and returns a copy of it. */
const char *words_quoted(struct parser *p);

struct number {
	int64_t value; /* rounded down */
	bool rounded;
	enum condition_unit unit;
};

bool words_at_number(const struct parser *p);
bool words_number(struct parser *p, struct number *to);

#endif
