/*
 * Figures 5 to 9 of Printezis and Garthwaite (ISMM 2002): which program each one shows, with which options, and
 * how GCspy's visualiser draws the history of a recording of it.
 */
#ifndef FIGURE_H
#define FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIGURE_PARTS = 2, FIGURE_OPTIONS = 8 };

struct figure {
	uint32_t number;
	const char *shows;
	const char *look; /* commands of gcspy-view's history graph, a line each */

	/* Each is a run of its own. Options as on the command line, up to NULL. A name is appended to
	 * the name of the picture; the first part without one is the only part. */
	struct figure_part {
		const char *name;
		const char *options[FIGURE_OPTIONS];
	} parts[FIGURE_PARTS];
};

/* Ends with NULL. */
const struct figure *figure_at(size_t index);
const struct figure *figure_find(uint32_t number); /* or NULL */

/* The path of a part's picture: its name before the extension. False if it does not fit. */
bool figure_path(const struct figure_part *part, const char *output, char *path, size_t bytes);

/* The installed visualiser: beside this program, or in PATH. False if there is none. */
bool figure_find_viewer(char *path, size_t bytes);

/* Has the visualiser draw the recording `folder`/run.gcspy as the file `output`. False with one line in
 * `why`. */
bool figure_draw(const struct figure *figure, const char *viewer, const char *folder,
    const char *output, char *why, size_t why_bytes);

#endif
