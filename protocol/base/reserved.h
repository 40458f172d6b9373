/* Structs that grow (GCS_RESERVED of <gcspy/version.h>). */
#ifndef GCSPY_BASE_RESERVED_H
#define GCSPY_BASE_RESERVED_H

#include <stddef.h>
#include <stdint.h>

#include <gcspy/status.h>

/* OK if all words are 0; else ARGUMENT, with `what` ("the options of a server") as the subject. */
enum gcs_status reserved_check(
    const char *what, const uint64_t *words, size_t count, struct gcs_error *err);

/* The same for a struct with such words at its end. */
#define RESERVED_CHECK(what, object, err)                                                          \
	reserved_check(                                                                            \
	    what, (object)->reserved, sizeof(object)->reserved / sizeof(object)->reserved[0], err)

#endif
