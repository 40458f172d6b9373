/* What `gcspy serve` knows of its targets, for programs and for people. */
#ifndef GCSPY_SERVE_TARGETS_PAGES_H
#define GCSPY_SERVE_TARGETS_PAGES_H

#include "targets.h"
#include "text.h"

/* /targets: JSON (docs/serve.md). False without memory, as below. */
bool targets_write_json(struct targets *targets, struct text *text);

/* /: one page of HTML without scripts. `through` is HOST:PORT, by which clients reach the targets through us,
 * or NULL where they cannot. */
bool targets_write_page(struct targets *targets, const char *through, struct text *text);

#endif
