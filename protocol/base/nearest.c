#include "nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Words that differ by this many letters are different words. */
enum { TOO_FAR = 3 };

/* Letters to replace, insert, drop or swap with the next one to make one word of the other. */
static unsigned distance(const char *a, const char *b)
{
	enum { LONGEST = 24 };
	unsigned d[LONGEST + 1][LONGEST + 1];
	const size_t rows = strlen(a), columns = strlen(b);
	if (rows > LONGEST || columns > LONGEST)
		return LONGEST;
	for (size_t i = 0; i <= rows; i++)
		for (size_t k = 0; k <= columns; k++) {
			unsigned best = (unsigned)(i + k);
			if (i != 0 && k != 0) {
				const unsigned swap = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
				const unsigned drop = d[i - 1][k] + 1, insert = d[i][k - 1] + 1;
				best = swap < drop ? swap : drop;
				best = insert < best ? insert : best;
			}
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
			    d[i - 2][k - 2] + 1 < best)
				best = d[i - 2][k - 2] + 1;
			d[i][k] = best;
		}
	return d[rows][columns];
}

struct nearest nearest_begin(const char *word)
{
	return (struct nearest){.word = word, .best = TOO_FAR};
}

void nearest_try(struct nearest *nearest, const char *known)
{
	const size_t length = strlen(nearest->word);
	const bool begins = length > 1 && strncmp(known, nearest->word, length) == 0;
	const unsigned off = begins ? 1 : distance(nearest->word, known);
	if (off >= nearest->best || off >= strlen(known) - 1)
		return;
	nearest->best = off;
	nearest->meant = known;
}

const char *nearest_words(const struct nearest *nearest, char *text, size_t size)
{
	text[0] = '\0';
	if (nearest->meant != NULL)
		snprintf(text, size, " (did you mean \"%s\"?)", nearest->meant);
	return text;
}
