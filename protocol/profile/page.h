/*
 * What our HTML pages and SVG pictures share: styles and scripts, which are files in folders named
 * page/ and compiled in (gcspy_embed in protocol/CMakeLists.txt), and markup with foreign text.
 */
#ifndef GCSPY_PROFILE_PAGE_H
#define GCSPY_PROFILE_PAGE_H

#include "text.h"

extern const char page_flame_css[], page_flame_js[], page_table_css[], page_table_js[],
    page_sites_css[];

/* Elements with these bodies, well-formed as XML and as HTML. */
void page_style(struct text *t, const char *css);
void page_script(struct text *t, const char *js);

/* The markup with each {} replaced by the next of the texts, escaped. */
#define page_put(t, markup, ...) page_fill(t, markup, (const char *const[]){__VA_ARGS__})
void page_fill(struct text *t, const char *markup, const char *const *texts);

#endif
