/*
 * Parses search text: an address, or part of a name. Pure.
 */
#ifndef GCSPY_CLIENT_FINDTEXT_H
#define GCSPY_CLIENT_FINDTEXT_H

#include <stdbool.h>
#include <stdint.h>

/* "0x…" of at most 16 digits; false for anything else. */
bool findtext_address(const char *text, uint64_t *address);

/* How well a name matches, ignoring case: 3 equal, 2 starts with the text, 1 contains it, 0 no
 * match. */
int findtext_fit(const char *name, const char *text);

#endif
