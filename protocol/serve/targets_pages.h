/* What `gcspy serve` knows of its targets, for programs and for people. */
#ifndef GCSPY_SERVE_TARGETS_PAGES_H
#define GCSPY_SERVE_TARGETS_PAGES_H

#include "targets.h"
#include "text.h"

/* /targets: JSON (docs/serve.md). False without memory, as below. */
bool targets_write_json(struct targets *targets, struct text *text);

/* /: one page of HTML without scripts. `through` is the start of the addresses by which clients reach the
 * targets through us, with `token` if they need one; "" where they cannot. */
bool targets_write_page(
    struct targets *targets, const char *through, bool token, struct text *text);

#endif
