/* The table of call sites in pages of HTML, with a script that sorts it and searches in it. */
#ifndef GCSPY_PROFILE_SITES_TABLE_H
#define GCSPY_PROFILE_SITES_TABLE_H

#include "sites.h"
#include "text.h"

/* The largest `most` sites, in a table of the class "sites" with that id. */
void sites_table(struct text *t, const struct gcs_sites *sites, const char *id, uint32_t most);

/* The stack of a site, its youngest frame first; the others open on a click. */
void sites_stack(struct text *t, const struct gcs_sites *sites, const struct gcs_site *site);

/* Bodies of a style and of a script element. The script stands behind that of the flame graphs, and
 * the page has a field "words" in an element that is hidden without it. */
void sites_table_style(struct text *t);
void sites_table_script(struct text *t);

#endif
