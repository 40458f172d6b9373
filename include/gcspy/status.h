/*
 * Errors: a status for programs and a message for users.
 *
 * A function that can fail for reasons that a user should see takes a `struct gcs_error *` as its
 * last argument, which may be NULL, and fills it with one line that names the subject and what is
 * allowed.
 *
 * Wrong calls: a function that returns a status, or creates something, refuses a missing description,
 * options or path (NULL), and a count without its array, as ARGUMENT. An object that is NULL is the
 * caller's fault, but where a header says otherwise: what ends, closes, stops or frees an object has no
 * effect on NULL. Functions for the target's threads, such as gcs_server_enter, check nothing.
 */
#ifndef GCSPY_STATUS_H
#define GCSPY_STATUS_H

#include <stdarg.h>

#include "version.h"

GCS_BEGIN_DECLS

#define GCS_STATUS_LIST(X)                                                                         \
	X(OK, "success")                                                                           \
	X(NOMEM, "out of memory")                                                                  \
	X(ARGUMENT, "an argument is invalid")                                                      \
	X(TRUNCATED, "data ends before its declared length")                                       \
	X(TRAILING, "data continues after its end")                                                \
	X(LIMIT, "a count or length exceeds the fixed limit")                                      \
	X(MALFORMED, "data breaks a rule of its format")                                           \
	X(VERSION, "the peer speaks an incompatible version")                                      \
	X(FOREIGN, "the peer does not speak GCspy's protocol")                                     \
	X(REJECTED, "the peer rejected the connection")                                            \
	X(DENIED, "the token is missing or wrong")                                                 \
	X(UNREACHABLE, "the address cannot be reached")                                            \
	X(CLOSED, "the connection is closed")                                                      \
	X(TIMEOUT, "the time limit has passed")                                                    \
	X(IO, "the operating system reported an error")                                            \
	X(STATE, "not possible in the present state")                                              \
	X(UNSUPPORTED, "not available here")                                                       \
	X(ENDED, "the program has ended")

enum gcs_status {
#define X(name, text) GCS_##name,
	GCS_STATUS_LIST(X)
#undef X
};

struct gcs_error {
	enum gcs_status status;
	char text[320]; /* one line, no full stop, no newline */
};

/* The status's name without its prefix ("TIMEOUT"), or "?" for an unknown number. Any thread. */
GCS_API const char *gcs_status_name(enum gcs_status status);

/* The status's text from the list above. Any thread. */
GCS_API const char *gcs_status_text(enum gcs_status status);

/* Sets `err` (may be NULL) to the status and the formatted line, truncated to fit. Returns `status`,
 * for `return gcs_fail(err, …)`. Any thread. */
GCS_API enum gcs_status gcs_fail(struct gcs_error *err, enum gcs_status status, const char *format,
    ...) __attribute__((format(printf, 3, 4)));

GCS_END_DECLS

#endif
