/*
 * The flame graph that SVG and HTML have in common: a tree laid out in a picture of fixed width,
 * its style, and the script that makes it interactive. Everything can be read without the script.
 */
#ifndef GCSPY_PROFILE_FLAME_LAYOUT_H
#define GCSPY_PROFILE_FLAME_LAYOUT_H

#include "calltree.h"

#include "export_internal.h"

/* Pixels of the picture's own coordinates. */
enum {
	FLAME_WIDTH = 1200,
	FLAME_MARGIN = 12,
	FLAME_ROW = 18, /* of one frame */
	FLAME_LINE = 17 /* of a line of text */
};

struct flame {
	struct gcs_tree *tree;
	double *left; /* by node: where it begins, as a part of the whole */
	uint32_t rows;
	uint32_t hidden; /* nodes that are too narrow to be drawn */
	double least;    /* pixels that a drawn node has at least */
	bool icicle;
	const char *id; /* tells the graphs of a page apart; "flame" for the only one */
};

/* Lays the tree of the sites out. OK or NOMEM; to be finished in any case. */
enum gcs_status flame_init(
    struct flame *f, const struct gcs_sites *sites, bool icicle, struct gcs_error *err);

/* Opens the picture: an element svg of the class "flame" with the graph's id, and `more` of
 * attributes. */
void flame_open(struct text *t, const struct flame *f, const char *more, uint32_t height);
void flame_fini(struct flame *f);

/* Leaves out the narrowest nodes until there are at most so many. */
void flame_limit(struct flame *f, uint32_t most);

/* Height of the frames with legend and details. */
uint32_t flame_height(const struct flame *f);

/* The legend, the frames and the line of details, from `top` on. */
void flame_draw(struct text *t, const struct flame *f, uint32_t top);

/* Bodies of a style and of a script element, fit for XML and for HTML. */
void flame_style(struct text *t);
void flame_script(struct text *t);

#endif
