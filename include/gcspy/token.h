/*
 * The secret that a server may ask of its clients (docs/protocol.md, section 8). Both ends keep it
 * in a file, because arguments can be seen by everybody on the machine.
 */
#ifndef GCSPY_TOKEN_H
#define GCSPY_TOKEN_H

#include "status.h"

GCS_BEGIN_DECLS

#define GCS_MAX_TOKEN 255u /* bytes, without its end */

#define GCS_TOKEN_WARNING 300u /* bytes, with its end */

/*
 * Reads the first line of the file, without its line end (LF or CR LF), into `token`. IO when the
 * file cannot be read, ARGUMENT when it is no regular file, or when the line is empty, too long or
 * has zero bytes in it. Any thread; does not wait for a writer of a FIFO. The text of an error names
 * the file and never the secret. `warning` (may be NULL) receives one line when others than the
 * file's owner may read it, else "".
 */
GCS_API enum gcs_status gcs_token_read(const char *path, char token[GCS_MAX_TOKEN + 1],
    char warning[GCS_TOKEN_WARNING], struct gcs_error *err);

GCS_END_DECLS

#endif
