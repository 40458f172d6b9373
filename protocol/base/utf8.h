/*
 * UTF-8, total: every byte sequence decodes to something. A byte that is part of no valid sequence
 * (overlong forms and surrogates included) decodes to U+FFFD.
 */
#ifndef GCSPY_BASE_UTF8_H
#define GCSPY_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Java's modified UTF-8, in place: pairs of surrogates of three bytes each become characters of four. NULL
 * has no effect. */
void utf8_from_java(char *text);

/* Decodes the character at *s and moves *s past it; 0 at the terminating NUL, without moving. */
uint32_t utf8_next(const char **s);

/* Offset of the character before or after the offset `at`; stays inside 0..strlen(s). */
size_t utf8_before(const char *s, size_t at);
size_t utf8_after(const char *s, size_t at);

#endif
