/* "Did you mean": the known word that is most like one that is not known. */
#ifndef GCSPY_BASE_NEAREST_H
#define GCSPY_BASE_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word;  /* as given */
	const char *meant; /* the best one so far; NULL: none is alike */
	unsigned best;     /* how far off it is */
};

struct nearest nearest_begin(const char *word);

/* Compares one more known word; it is kept by pointer. */
void nearest_try(struct nearest *nearest, const char *known);

/* Writes ' (did you mean "WORD"?)' to `text`, or ""; returns it. */
const char *nearest_words(const struct nearest *nearest, char *text, size_t size);

#endif
