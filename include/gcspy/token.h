/*
 * The secret that a server may ask of its clients (docs/protocol.md, section 8). Both ends keep it
 * in a file, because arguments can be seen by everybody on the machine.
 */
#ifndef GCSPY_TOKEN_H
#define GCSPY_TOKEN_H

#include "status.h"

GCS_BEGIN_DECLS

#define GCS_MAX_TOKEN 255u /* bytes, without its end */

/*
 * Reads the first line of the file, without its line end (LF or CR LF), into `token`. IO when the
 * file cannot be read, ARGUMENT when the line is empty, too long or has zero bytes in it. Any
 * thread. The text of an error names the file and never the secret.
 */
GCS_API enum gcs_status gcs_token_read(
    const char *path, char token[GCS_MAX_TOKEN + 1], struct gcs_error *err);

GCS_END_DECLS

#endif
