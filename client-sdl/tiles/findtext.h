/*
 * What people type to find something in a heap: an address, or a part of a name. Pure.
 */
#ifndef GCSPY_CLIENT_FINDTEXT_H
#define GCSPY_CLIENT_FINDTEXT_H

#include <stdbool.h>
#include <stdint.h>

/* "0x…" of at most 16 digits; false for anything else. */
bool findtext_address(const char *text, uint64_t *address);

/* How well a name fits: 3 the same, 2 begins with the text, 1 contains it, 0 not at all; capital
 * letters or not. */
int findtext_fit(const char *name, const char *text);

#endif
