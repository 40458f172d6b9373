/*
 * Words "key=value" with blanks between them, in which settings keep what a user has chosen. In a
 * value, blanks, '%', '/' and control characters are written as %20, %25 …, so that names that
 * others have given can be kept and divided. Pure text.
 */
#ifndef GCSPY_CLIENT_WORDS_H
#define GCSPY_CLIENT_WORDS_H

#include <stdbool.h>

#include "export_text.h"

#define WORD_KEY   64u
#define WORD_VALUE 1024u

struct word {
	char key[WORD_KEY + 1], value[WORD_VALUE + 1];
};

enum word_state { WORD_END, WORD_GOOD, WORD_BAD };

/* Adds a word. */
void words_put(struct textbuf *out, const char *key, const char *value);
void words_put_flag(struct textbuf *out, const char *key, bool value);

/* Adds a value alone as it is written in a word. */
void words_put_escaped(struct textbuf *out, const char *value);

/* The value of what was written so; false for what cannot have been. Blanks may stand as they are. */
bool words_value(char *value, size_t size, const char *text, size_t n);

/* The next word, and past it. A bad one has in `key` what it begins with. */
enum word_state words_next(const char **at, struct word *word);

/* "yes" and "no"; false for anything else. */
bool words_flag(const char *value, bool *flag);

/* The number of the choice with that name; false if there is none. */
bool words_choice(const char *value, const char *const *names, int count, int *choice);

#endif
