/* Structs that callers give: whether they are there, and the words at their ends (GCS_RESERVED of
 * <gcspy/version.h>). */
#ifndef GCSPY_BASE_RESERVED_H
#define GCSPY_BASE_RESERVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gcspy/status.h>

/* OK if it is given; else ARGUMENT, with `what` ("the attributes of an event") as the subject. */
enum gcs_status given_check(const char *what, bool given, struct gcs_error *err);

/* A struct, or an array of `count`. */
#define GIVEN(what, pointer, err) given_check(what, (pointer) != NULL, err)
#define GIVEN_ARRAY(what, pointer, count, err)                                                     \
	given_check(what, (pointer) != NULL || (count) == 0, err)

/* OK if all words are 0; else ARGUMENT, with `what` ("the options of a server") as the subject. */
enum gcs_status reserved_check(
    const char *what, const uint64_t *words, size_t count, struct gcs_error *err);

/* The same for a struct with such words at its end, which is given. */
#define RESERVED_CHECK(what, object, err)                                                          \
	(GIVEN(what, object, err) != GCS_OK                                                        \
		? GCS_ARGUMENT                                                                     \
		: reserved_check(what, (object)->reserved,                                         \
		      sizeof(object)->reserved / sizeof(object)->reserved[0], err))

#endif
