/*
 * The keys as text: `gcspy-view --list-keys` generates docs/keys.md from the table of commands.
 */
#ifndef GCSPY_CLIENT_HELP_H
#define GCSPY_CLIENT_HELP_H

#include "export_text.h"

void help_markdown(struct textbuf *out);

#endif
