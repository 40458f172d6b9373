/*
 * Pictures as PNG (ISO/IEC 15948; zlib compresses). A picture of at most 256 colours gets a palette,
 * any other has 8 bits per channel. Pixels are 0xAARRGGBB, rows from the top without padding.
 * Any thread.
 */
#ifndef GCSPY_BASE_PNG_H
#define GCSPY_BASE_PNG_H

#include <gcspy/status.h>

#include "bytes.h"

/* Appends a picture of w * h pixels, 1 each at least. Without `alpha` the pixels' alpha is ignored.
 * Failures, such as NOMEM, are in out->status. */
void png_put(struct wr *out, const uint32_t *px, uint32_t w, uint32_t h, bool alpha);

/* Writes an opaque picture; the file appears whole or not at all. NOMEM, IO. */
enum gcs_status png_write(
    const char *path, const uint32_t *px, int w, int h, struct gcs_error *err);

#endif
