/* A profile as text, each field of it; tests/wire/test_golden.py writes the same. */
#ifndef GCSPY_TESTS_PROFILE_TEXT_H
#define GCSPY_TESTS_PROFILE_TEXT_H

#include <stdio.h>

#include <gcspy/profile.h>

void profile_print(FILE *file, const struct gcs_profile *profile);

#endif
