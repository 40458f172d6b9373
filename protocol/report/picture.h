/*
 * Pictures of tiles for pages: painted by the visualiser's tile look with its default colours, and
 * written as a data URI. The ground is transparent and unused tiles let it through, so that a
 * picture suits light pages and dark ones.
 */
#ifndef GCSPY_REPORT_PICTURE_H
#define GCSPY_REPORT_PICTURE_H

#include "canvas.h"
#include "text.h"
#include "tilemap.h"

struct picture {
	struct cv cv;
	struct tileset look;
};

/* False without memory; to be closed in any case. */
bool picture_open(struct picture *p, uint32_t width, uint32_t height);

/* Paints a look of tilecode.h. */
void picture_tile(struct picture *p, struct cv_rect r, unsigned look);

/* Writes "data:image/png;base64,…". NOMEM, also after picture_open has failed. */
enum gcs_status picture_close(struct picture *p, struct text *t, struct gcs_error *err);

#endif
