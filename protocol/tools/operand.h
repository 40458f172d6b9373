/* What an operand names that may be a file or an address. */
#ifndef GCSPY_TOOLS_OPERAND_H
#define GCSPY_TOOLS_OPERAND_H

#include <stdbool.h>

/* Whether it is a file; what looks like a path is none else. */
bool source_is_file(const char *source);

#endif
