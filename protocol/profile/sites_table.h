/*
 * The table of call sites in pages of HTML. table.js sorts it and searches in it; it follows
 * flame.js in the page, which has a search field "words" in a hidden element.
 */
#ifndef GCSPY_PROFILE_SITES_TABLE_H
#define GCSPY_PROFILE_SITES_TABLE_H

#include "sites.h"
#include "text.h"

/* A table of the class "sites" with the largest `most` sites. */
void sites_table(struct text *t, const struct gcs_sites *sites, const char *id, uint32_t most);

/* The stack of a site; the youngest frame is visible, the others unfold. */
void sites_stack(struct text *t, const struct gcs_sites *sites, const struct gcs_site *site);

#endif
