/* Reference chains as `gcspy paths` writes them. Their texts are the server's: they are made safe. */
#ifndef GCSPY_TOOLS_CHAINS_WRITE_H
#define GCSPY_TOOLS_CHAINS_WRITE_H

#include <gcspy/plugin.h>
#include <gcspy/trace_writer.h>

#include "out.h"

enum chains_format { CHAINS_TEXT, CHAINS_JSON, CHAINS_COLLAPSED, CHAINS_SVG, CHAINS_HTML };

/* What a search has measured, from the words of its answer; all 0 if it says nothing. */
struct chains_measured {
	uint64_t pauses, longest_us, total_us, tags, targets, found, ended, longest_cpu_us,
	    total_cpu_us, objects; /* of the heap, in an estimate */
};

struct chains_measured chains_read_words(const char *words);

/* Writes what a server says of a search with the parameter max-pause=N as the option that it is here,
 * "--max-pause N"; returns `text`. */
const char *chains_option_words(const char *words, char *text, size_t size);

/* The chains of one call site of a recorded search, NULL: of all, without the numbers of sites; no rows
 * if the site has none. NULL with the reason; gcs_plugin_free. */
struct gcs_table *chains_recorded(
    const struct gcs_trace_answer *answer, const uint64_t *site, struct gcs_error *err);

/* The chain that holds most, from its root on, as far as it does not branch into parts of less than half. */
struct chains_heaviest {
	char *chain;  /* whole; gcs_free. NULL: there is none, or no memory */
	double share; /* of all bytes */
	/* The remark in the place of a root that was not found, "(died meanwhile)", of most bytes; NULL: all
	 * were found. Without any root, it begins the chain. */
	const char *remark;
	double remark_share;
};

struct chains_heaviest chains_heaviest(const struct gcs_table *table);

/* Writes a chain in at most `columns` columns: its root and its end, with "…" in the place of steps between
 * them. */
void chains_elide(struct out *out, const char *chain, size_t columns);

/* False without memory. */
bool chains_write(struct out *out, const struct gcs_table *table,
    const struct chains_measured *measured, enum chains_format format);

#endif
