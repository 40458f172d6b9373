/* The legend of a stream's colours, and names of places in a space. */
#ifndef GCSPY_ANALYSIS_REPORT_LEGEND_H
#define GCSPY_ANALYSIS_REPORT_LEGEND_H

#include "report_look.h"
#include "text.h"

/* The stream of the space in that model. */
void legend_put(struct text *t, const struct gcs_model *model, uint32_t space, uint32_t stream);

#endif
