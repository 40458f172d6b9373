/*
 * The keys as text: docs/keys.md is made by `gcspy-view --list-keys` from the table of commands.
 */
#ifndef GCSPY_CLIENT_HELP_H
#define GCSPY_CLIENT_HELP_H

#include "export_text.h"

void help_markdown(struct textbuf *out);

#endif
