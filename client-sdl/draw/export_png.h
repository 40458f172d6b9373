/*
 * Pictures as PNG files (PNG specification, second edition; zlib for the compression). A picture of
 * at most 256 colours becomes a palette picture, any other one 24-bit RGB. Any thread.
 */
#ifndef GCSPY_CLIENT_EXPORT_PNG_H
#define GCSPY_CLIENT_EXPORT_PNG_H

#include <stdbool.h>
#include <stdint.h>

#include <gcspy/status.h>

/* Writes w * h pixels (0xAARRGGBB, alpha ignored); the file appears whole or not at all. */
enum gcs_status png_write(
    const char *path, const uint32_t *px, int w, int h, struct gcs_error *err);

#endif
