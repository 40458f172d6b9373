/* Whether an operand names a file or an address. */
#ifndef GCSPY_TOOLS_OPERAND_H
#define GCSPY_TOOLS_OPERAND_H

#include <stdbool.h>
#include <stddef.h>

/* True for a file, and for a name that looks like one: with a slash, or ending in .gcspy. */
bool source_is_file(const char *source);

/* The word as a shell reads it back: in quotes if it has more than plain characters. Cut to `size` bytes. */
void operand_quote(char *text, size_t size, const char *word);

/* Whether two names of servers are of one program: runs have process numbers of their own. */
bool source_is_same_program(const char *one, const char *other);

#endif
