/*
 * The flame graph of a call tree. Names and colours of frames are those of the visualiser's graph;
 * the rest of this file draws the graph as SVG, alone or in a page, with a script for zooming and
 * searching. The picture is complete without the script.
 */
#ifndef GCSPY_PROFILE_FLAME_GRAPH_H
#define GCSPY_PROFILE_FLAME_GRAPH_H

#include "calltree.h"
#include "text.h"

/* "Java method", "Allocated class", and the colour in legends, 0xRRGGBB. */
const char *flame_kind_name(enum gcs_node_kind kind);
uint32_t flame_kind_colour(enum gcs_node_kind kind);

/* The node's name without package or library, from somewhere inside it. */
const char *flame_short_name(const struct gcs_node *node);

/* 0xRRGGBB by kind. Shades tell neighbours apart; a name has the same shade everywhere. */
uint32_t flame_colour_of(const struct gcs_node *node);

/* A sample of the legend. */
struct flame_key {
	uint32_t colour; /* 0xRRGGBB */
	const char *name;
};

/* Units of the picture's own coordinates. */
enum { FLAME_WIDTH = 1200, FLAME_ROW = 18 };

/* What is drawn; all borrowed. A zeroed struct with tree and id is the whole tree by bytes. */
struct flame {
	const struct gcs_tree *tree;
	const char *id; /* unique in the page */
	enum gcs_measure measure;
	bool icicle;     /* the root on top */
	double from, to; /* of the whole, the part in sight; 0 and 0: all */
	const bool *hit; /* by node whether a search found it, or NULL */
	/* The colour of a node, and the legend, in place of those of kinds; NULL: by kind. */
	uint32_t (*colour)(const void *context, uint32_t node);
	const void *context;
	const struct flame_key *keys;
	uint32_t key_count;
	/* Set by flame_lay_out: */
	double least;    /* pixels, of the narrowest frame drawn */
	uint32_t rows;   /* of frames */
	uint32_t hidden; /* frames in sight that are too narrow */
};

/* To be called first: omits the narrowest frames until there are at most `most`. */
void flame_lay_out(struct flame *f, uint32_t most);

/* An element svg of the class "flame", for a page. */
void flame_put(struct text *t, const struct flame *f);

/* A document of its own, with lines of foreign text above the graph; long ones are wrapped. */
void flame_document(struct text *t, const struct flame *f, const char *title,
    const char *const *lines, uint32_t count);

#endif
