/* Pictures of few colours as PNG in a data URI, for a page that needs no other file. */
#ifndef GCSPY_ANALYSIS_REPORT_PNG_H
#define GCSPY_ANALYSIS_REPORT_PNG_H

#include "text.h"

/*
 * Writes "data:image/png;base64,…" of width times height pixels, each a look of report_look.h. OK
 * or NOMEM.
 */
enum gcs_status png_uri(
    struct text *t, const uint8_t *pixels, uint32_t width, uint32_t height, struct gcs_error *err);

#endif
