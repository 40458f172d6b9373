/* A writer of comparisons per format. */
#ifndef GCSPY_PROFILE_COMPARISON_H
#define GCSPY_PROFILE_COMPARISON_H

#include "sites.h"
#include "text.h"

void comparison_text(struct text *t, const struct gcs_comparison *c, uint32_t top);
void comparison_collapsed(struct text *t, const struct gcs_comparison *c);

#endif
