/* Reference chains as `gcspy paths` writes them. Their texts are the server's: they are made safe. */
#ifndef GCSPY_TOOLS_CHAINS_WRITE_H
#define GCSPY_TOOLS_CHAINS_WRITE_H

#include <gcspy/plugin.h>

#include "out.h"

enum chains_format { CHAINS_TEXT, CHAINS_JSON, CHAINS_COLLAPSED };

/* What a search has measured, from the words of its answer; all 0 if it says nothing. */
struct chains_measured {
	uint64_t pauses, longest_us, total_us, tags, targets, found, ended;
};

struct chains_measured chains_read_words(const char *words);

/* Whether the table has the columns of chains (chain_tree.h). */
bool chains_are(const struct gcs_table *table);

void chains_write(struct out *out, const struct gcs_table *table,
    const struct chains_measured *measured, enum chains_format format);

#endif
