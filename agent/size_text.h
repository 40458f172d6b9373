/* Sizes as people write them: "512k". */
#ifndef GCSPY_AGENT_SIZE_TEXT_H
#define GCSPY_AGENT_SIZE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number; false, with `number` untouched, for anything else. */
bool number_parse(const char *text, uint64_t *number);

/* A whole number with an optional k, m or g (powers of 1,024). */
bool size_parse(const char *text, uint64_t *number);

#endif
