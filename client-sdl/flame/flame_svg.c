/* The flame graph as a vector picture: what is in sight, with all rows (C22). Declared in
 * flame_view.h. */
#include <stdio.h>
#include <string.h>

#include "flame_view.h"
#include "svg.h"

enum { WIDTH = 1200, ROW = 18, MARGIN = 12, TITLE = 40, MOST_ROWS = 300, SIZE = 11 };

struct drawing {
	const struct flame_view *view; /* one of its own geometry */
	struct textbuf *out;
	const struct theme *theme;
	uint32_t rows;
	struct app *app;
};

static void count_row(void *context, uint32_t node, struct cv_rect r)
{
	struct drawing *d = context;
	uint32_t depth = gcs_tree_node(flame_part(d->view)->tree, node)->depth;
	(void)r;
	d->rows = depth + 1 > d->rows ? depth + 1 : d->rows;
}

static void draw(void *context, uint32_t number, struct cv_rect r)
{
	struct drawing *d = context;
	const struct gcs_node *node = gcs_tree_node(flame_part(d->view)->tree, number);
	char tip[1200], name[400];
	uint32_t row = d->view->icicle ? node->depth : d->rows - 1 - node->depth;
	double y = TITLE + (double)row * ROW;
	flame_tip(d->view, number, tip, sizeof tip);
	svg_rect(d->out, r.x, y, r.w, ROW - 1, flame_colour(d->view, number), tip);
	if (node->kind == GCS_NODE_CLASS && r.w >= 6)
		svg_rect(d->out, r.x, y, 3, ROW - 1, 0x2e7d52, NULL);
	if (r.w < 24)
		return;
	for (int i = 0; i < CALLTREE_NAMINGS; i++) {
		calltree_put_as(name, sizeof name, node, (enum calltree_naming)i);
		if (svg_text_fits(name, SIZE, r.w - 9))
			break;
	}
	svg_text(d->out, r.x + 6, y + 13, SIZE, SVG_LEFT, 0x16181c, r.w - 9, name);
}

bool flame_svg(struct flame_view *view, struct app *app, struct textbuf *out)
{
	struct profiles_empty empty;
	if (flame_empty_words(view, app, &empty))
		return false;
	struct flame_view paper = *view; /* the same frames on paper of another size */
	paper.area =
	    (struct cv_rect){MARGIN, 0, WIDTH - 2 * MARGIN, MOST_ROWS * flame_row_height(app)};
	paper.scroll = 0;
	struct drawing d = {.view = &paper, .out = out, .theme = app->ui.theme, .app = app};
	uint32_t hidden = flame_walk(&paper, app, count_row, &d);
	char title[200], words[1400], text[200];
	snprintf(title, sizeof title, "Flame graph: %s, %s",
	    gcs_profile_kind_title(app->profiles.kind),
	    view->measure == CALLTREE_BYTES ? "bytes" : "objects");
	svg_begin(out, WIDTH, TITLE + (int)d.rows * ROW + 30, app->ui.theme->ground, title);
	svg_text(out, MARGIN, 18, 14, SVG_LEFT, app->ui.theme->text, 0, title);
	profiles_change_words(app, words, sizeof words);
	if (words[0] == 0)
		profiles_head_words(app, words, sizeof words);
	svg_text(out, MARGIN, 33, SIZE, SVG_LEFT, app->ui.theme->weak, WIDTH - 2 * MARGIN, words);
	flame_walk(&paper, app, draw, &d);
	paper.hidden = hidden;
	flame_hidden_words(&paper, text, sizeof text);
	svg_text(out, MARGIN, TITLE + (int)d.rows * ROW + 18, SIZE, SVG_LEFT, app->ui.theme->weak,
	    0, text);
	svg_end(out);
	return true;
}
