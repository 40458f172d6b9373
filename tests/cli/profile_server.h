/* The profiles of profile_server.c, whose figures the tests know. */
#ifndef GCSPY_TESTS_PROFILE_SERVER_H
#define GCSPY_TESTS_PROFILE_SERVER_H

#include <gcspy/profile.h>

/* By the server's mode, and at this interval; "large" has 100,000 sites. */
struct gcs_profile *served_profile(
    enum gcs_profile_kind kind, const char *of, unsigned long interval);

#endif
