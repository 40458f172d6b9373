/* How the values of options are read, and what is said of those that cannot be. */
#ifndef GCSPY_TOOLS_OPTION_VALUES_H
#define GCSPY_TOOLS_OPTION_VALUES_H

#include "tool.h"

/* Says what the option takes; false, for the caller to return. */
bool option_expect(const struct cli_option *option, const char *value, const char *expected);

/* The value's place among the words of the option's argument, "a|b|c"; false if it is not there. */
bool option_find_choice(const struct cli_option *option, const char *value, uint32_t *place);

/* Says which words the option takes: "a, b or c"; false. */
bool option_expect_choice(const struct cli_option *option, const char *value);

#endif
