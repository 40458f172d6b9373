/* Painting the flame graph; declared in flame_view.h. Native frames are hatched, those of the JVM
 * more densely; classes have a bar and bold names. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flame_graph.h"
#include "flame_view.h"
#include "layout.h"
#include "palette.h"
#include "side.h"

#define INK     0xff16181c /* on every fill */
#define HIT     0xfff07ab4
#define UNKNOWN 0xffb4b9c2 /* in none of the colours of growth */

uint32_t flame_colour(const struct flame_view *view, uint32_t number)
{
	const struct gcs_node *node = gcs_tree_node(flame_part(view)->tree, number);
	struct gcs_node shaded = *node; /* a holder has the colour of a method */
	if (shaded.kind == GCS_NODE_NOTE)
		shaded.kind = GCS_NODE_JAVA;
	if (view->hit != NULL && view->hit[number])
		return HIT;
	if (view->maker.made->unknown)
		return UNKNOWN;
	if (view->maker.made->before != NULL)
		return palette_change(calltree_change(node, view->measure));
	return 0xff000000u | flame_colour_of(view->holders.on ? &shaded : node);
}

struct painting {
	struct flame_view *view;
	struct app *app;
	bool old; /* the data are outdated */
};

/* Kinds differ in more than colour. */
static void paint_kind(struct ui *ui, struct cv_rect r, enum gcs_node_kind kind)
{
	if (kind == GCS_NODE_NATIVE || kind == GCS_NODE_VM)
		cv_hatch(ui->cv, r, ui_px(ui, kind == GCS_NODE_VM ? 4 : 8),
		    cv_mix(0xffffffff, kind == GCS_NODE_VM ? 0xffb05a52 : 0xff8468c0, 200));
	else if (kind == GCS_NODE_CLASS && r.w >= ui_px(ui, 6))
		cv_fill(ui->cv, rect_make(r.x, r.y, ui_px(ui, 3), r.h), 0xff2e7d52);
	else if (kind == GCS_NODE_NOTE || kind == GCS_NODE_ROOT)
		cv_frame(ui->cv, r, 1, 0xff6b7280);
}

/* A sign of the change precedes the name. */
static void label_of(const struct flame_view *view, uint32_t number, enum calltree_naming naming,
    char *text, size_t size)
{
	const struct gcs_node *node = gcs_tree_node(flame_part(view)->tree, number);
	double change = calltree_change(node, view->measure);
	size_t n = 0;
	if (view->maker.made->before != NULL)
		n = (size_t)snprintf(text, size, "%s",
		    view->maker.made->unknown ? "? "
		    : change > 0              ? "+ "
		    : change < 0              ? "\xe2\x80\x93 "
					      : "= ");
	calltree_put_as(text + n, size - n, node, naming);
}

static void paint_label(
    struct painting *p, struct cv_rect r, uint32_t number, enum gcs_node_kind kind, uint32_t ink)
{
	struct ui *ui = &p->app->ui;
	char text[400];
	struct font *font =
	    kind == GCS_NODE_CLASS ? ui->fonts->face[FONT_BOLD] : ui->fonts->face[FONT_SMALL];
	cut_left(&r, ui_px(ui, kind == GCS_NODE_CLASS ? 6 : 4));
	cut_right(&r, ui_px(ui, 3));
	if (r.w < ui_px(ui, 18))
		return;
	/* The package is dropped first, then the class; the rest is cut. */
	for (int i = 0; i < CALLTREE_NAMINGS; i++) {
		label_of(p->view, number, (enum calltree_naming)i, text, sizeof text);
		if (text_width(font, text) <= r.w)
			break;
	}
	text_in(ui->cv, font, r, TEXT_LEFT, ink, text);
}

static void paint_frame(void *context, uint32_t number, struct cv_rect r)
{
	struct painting *p = context;
	struct flame_view *view = p->view;
	struct ui *ui = &p->app->ui;
	const struct theme *th = ui->theme;
	const struct calltree_part *part = flame_part(view);
	const struct gcs_node *node = gcs_tree_node(part->tree, number);
	bool hit = view->hit != NULL && view->hit[number];
	bool dim = (view->hit != NULL && !hit) || p->old;
	uint32_t fill = flame_colour(view, number);
	uint32_t ink = INK;
	if (dim) { /* fade towards the ground, and keep the label readable */
		fill = cv_mix(fill, th->ground, th->dark ? 150 : 120);
		ink = theme_contrast(fill, INK) >= 4.5 ? INK : th->text;
	}
	cv_fill(ui->cv, r, fill);
	if (r.w < 4)
		return;
	if (!dim && !(view->holders.on && node->kind == GCS_NODE_NOTE))
		paint_kind(ui, r, node->kind);
	if (part->marked != NULL && part->marked[number] && node->kind == GCS_NODE_CLASS)
		cv_frame(ui->cv, r, ui_px(ui, 2), th->related);
	if (hit)
		cv_frame(ui->cv, r, ui_px(ui, 1), INK);
	paint_label(p, r, number, node->kind, ink);
}

static void paint_marks(struct flame_view *view, struct app *app)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	if (view->hovered != GCS_NONE && view->hovered != view->selected) {
		struct cv_rect r = flame_rect(view, app, view->hovered);
		if (r.w > 0)
			cv_frame(ui->cv, r, ui_px(ui, 1), INK);
	}
	if (view->selected == GCS_NONE)
		return;
	struct cv_rect r = flame_rect(view, app, view->selected);
	if (r.w == 0)
		return;
	cv_frame(ui->cv, rect_inset(r, -ui_px(ui, 1)), ui_px(ui, 2), th->selection);
	cv_frame(ui->cv, rect_inset(r, ui_px(ui, 1)), ui_px(ui, 1), th->select_in);
}

void flame_paint(struct flame_view *view, struct app *app)
{
	struct cv *cv = &app->cv;
	struct painting p = {view, app, !view->holders.on && profiles_are_old(app)};
	cv_fill(cv, view->area, app->ui.theme->ground);
	cv_push_clip(cv, view->area);
	view->hidden = flame_walk(view, app, paint_frame, &p);
	paint_marks(view, app);
	if (app->ui.focus == UI_ID(PANEL_VIEW, FLAME_AREA) && app->ui.focus_shown)
		cv_frame(cv, view->area, ui_px(&app->ui, 2), app->ui.theme->accent);
	cv_pop_clip(cv);
	cv_touch(cv, view->area);
}

enum { NO_KIND = -1, ONLY_FRAME = -2 };

static void legend_row(
    struct ui *ui, struct cv_rect *column, uint32_t fill, int kind, const char *name)
{
	struct cv_rect row = cut_top(column, ui_px(ui, 22));
	struct cv_rect box = cut_left(&row, ui_px(ui, 28));
	if (!ui_paints(ui))
		return;
	box.y += ui_px(ui, 4);
	box.h -= ui_px(ui, 8);
	if (kind == ONLY_FRAME)
		cv_frame(ui->cv, box, ui_px(ui, 2), fill);
	else
		cv_fill(ui->cv, box, fill);
	if (kind >= 0)
		paint_kind(ui, box, (enum gcs_node_kind)kind);
	cut_left(&row, ui_px(ui, 8));
	ui_value(ui, row, TEXT_LEFT, name);
}

const struct flame_key *flame_changes(const struct flame_view *view, uint32_t *count)
{
	static struct flame_key keys[3];
	keys[0] = (struct flame_key){palette_change(1), "+  new or grown"};
	keys[1] = (struct flame_key){palette_change(0), "=  unchanged"};
	keys[2] = (struct flame_key){palette_change(-1), "\xe2\x80\x93  shrunk or gone"};
	*count = 3;
	if (view->maker.made->unknown) {
		keys[0] = (struct flame_key){UNKNOWN, "?  not known: no collection between"};
		*count = 1;
	}
	return keys;
}

void flame_legend_run(const struct flame_view *view, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	const struct calltree *made = view->maker.made;
	if (made != NULL && made->before != NULL) {
		side_section(app, column, "Colours", "width: mean of A and now");
		uint32_t count;
		const struct flame_key *keys = flame_changes(view, &count);
		for (uint32_t i = 0; i < count; i++)
			legend_row(ui, column, keys[i].colour, NO_KIND, keys[i].name);
		return;
	}
	side_section(app, column, "Frame types", "");
	if (view->holders.on) {
		legend_row(ui, column, 0xff000000u | flame_kind_colour(GCS_NODE_JAVA), NO_KIND,
		    "What holds what is below");
		legend_row(ui, column, 0xff000000u | flame_kind_colour(GCS_NODE_CLASS),
		    GCS_NODE_CLASS, "Class of the objects");
		return;
	}
	static const enum gcs_node_kind kinds[] = {
	    GCS_NODE_JAVA, GCS_NODE_CLASS, GCS_NODE_NATIVE, GCS_NODE_VM, GCS_NODE_NOTE};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		legend_row(ui, column, 0xff000000u | flame_kind_colour(kinds[i]), (int)kinds[i],
		    flame_kind_name(kinds[i]));
	if (view->hit != NULL)
		legend_row(ui, column, HIT, NO_KIND, "Matches the search");
	if (made != NULL && made->part[0].marked != NULL)
		legend_row(ui, column, ui->theme->related, ONLY_FRAME, "In the selected tile");
}
