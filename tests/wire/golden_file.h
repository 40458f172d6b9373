/* The files of tests/wire/golden: compared, or with GCSPY_UPDATE_GOLDEN=1 written anew. False, with a line on
 * standard error, if one differs or cannot be written. */
#ifndef GCSPY_TESTS_GOLDEN_FILE_H
#define GCSPY_TESTS_GOLDEN_FILE_H

#include <stdbool.h>
#include <stddef.h>

bool golden_settle(const char *folder, const char *name, const void *data, size_t length);

/* The kit's profile of each kind, as its document and as text. */
bool golden_settle_profiles(const char *folder);

#endif
