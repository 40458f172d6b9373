/*
 * The secret that a server may require of its clients (docs/protocol.md, section 8). Both ends read
 * it from a file, because every user of the machine can see a program's arguments.
 */
#ifndef GCSPY_TOKEN_H
#define GCSPY_TOKEN_H

#include "status.h"

GCS_BEGIN_DECLS

#define GCS_MAX_TOKEN     255u /* bytes, without the NUL */
#define GCS_TOKEN_WARNING 300u /* bytes, with the NUL */

/*
 * Reads the first line of the file into `token`, without its LF or CR LF. IO if the file cannot be
 * read; ARGUMENT if it is not a regular file, or if the line is empty, too long or contains a zero
 * byte. `warning` (may be NULL) receives one line if other users than the owner may read the file
 * (not for the group of root's file, if the caller is not root), else "". Messages name the file,
 * never the secret. Any thread; does not wait for a FIFO's writer.
 */
GCS_API enum gcs_status gcs_token_read(const char *path, char token[GCS_MAX_TOKEN + 1],
    char warning[GCS_TOKEN_WARNING], struct gcs_error *err);

GCS_END_DECLS

#endif
