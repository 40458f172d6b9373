/* Treemap: all spaces in their groups as nested rectangles (V9), which charts_treemap_data.c
 * computes. Declared in charts.h. */
#include <gcspy/format.h>
#include <stdio.h>

#include "charts.h"
#include "charts_treemap.h"
#include "heap_colours.h"
#include "layout.h"
#include "palette.h"

static void weight_text(char *text, size_t size, const struct treemap_node *n)
{
	if (n->bytes)
		gcs_format_number(text, size, chart_whole(n->weight), GCS_BYTES);
	else
		chart_count(text, size, n->tiles, "tile", "tiles");
}

static const char *name_of(const struct charts *c, const struct treemap_node *n)
{
	const struct gcs_model *model = gcs_snapshot_model(c->snapshot);
	if (n->kind == TREEMAP_GROUP)
		return model->groups[n->id].name;
	const struct gcs_space *s = &model->spaces[n->id];
	if (n->kind == TREEMAP_SPACE)
		return s->name;
	if (n->value == TREEMAP_UNUSED)
		return s->unused_text[0] != 0 ? s->unused_text : "unused";
	return n->mean >= 0 ? "used" : "unnamed";
}

/* A node's name; of a leaf, its category if it has one. */
static char *put_name(const struct charts *c, const struct app *app, const struct treemap_node *n,
    char *text, size_t size)
{
	const struct gcs_stream *st = treemap_stream(c, app, n);
	bool named = n->kind == TREEMAP_LEAF && st != NULL && n->value < st->enum_count;
	snprintf(text, size, "%s", named ? st->enum_names[n->value] : name_of(c, n));
	return chart_clean(text);
}

/* True for a category that the heap map paints as an empty frame. */
static bool is_zero(const struct charts *c, const struct app *app, const struct treemap_node *n)
{
	const struct gcs_stream *st = treemap_stream(c, app, n);
	return st != NULL && n->value < st->enum_count && st->paint == GCS_PAINT_ZERO &&
	       st->min + (int64_t)n->value == st->zero;
}

static void node_tip(const struct charts *c, struct app *app, uint32_t at, char *text, size_t size)
{
	const struct treemap_node *n = &c->treemap.node[at];
	char name[300], of[300], weight[64], tiles[64], space[340] = "", mean[80] = "";
	double whole = c->treemap.whole[n->bytes];
	weight_text(weight, sizeof weight, n);
	gcs_format_number(tiles, sizeof tiles, (int64_t)n->tiles, GCS_DECIMAL);
	struct treemap_node whose = {.kind = TREEMAP_SPACE, .id = n->id};
	if (n->kind == TREEMAP_LEAF)
		snprintf(
		    space, sizeof space, "\nSpace\t%s", put_name(c, app, &whose, of, sizeof of));
	if (n->mean >= 0)
		snprintf(mean, sizeof mean, "\nMean of the stream\t%.0f %% of its maximum",
		    100 * n->mean);
	snprintf(text, size, "%s%s\n%s\t%s\nShare of total\t%.1f %%\nTiles\t%s%s",
	    put_name(c, app, n, name, sizeof name), space, n->bytes ? "Bytes" : "Size", weight,
	    whole > 0 ? 100 * n->weight / whole : 0, tiles, mean);
}

static bool has_light(uint32_t colour)
{
	return palette_lightness(colour) > 55;
}

/* Name and size, as far as there is room. */
static void paint_label(const struct charts *c, struct app *app, const struct pen *pen,
    const struct treemap_node *n, struct cv_rect r, uint32_t ink)
{
	struct ui *ui = pen->ui;
	int h = font_height(ui->fonts->face[FONT_SMALL]) + ui_px(ui, 2);
	char name[300], weight[64];
	const struct gcs_stream *st = treemap_stream(c, app, n);
	r = rect_inset(r, ui_px(ui, 4));
	if (r.h < h || r.w < ui_px(ui, 28))
		return;
	put_name(c, app, n, name, sizeof name);
	if (n->mean >= 0 && st != NULL)
		snprintf(name, sizeof name, "used, %.200s %.0f %%", st->name, 100 * n->mean);
	chart_clean(name);
	weight_text(weight, sizeof weight, n);
	int wide = text_width(ui->fonts->face[FONT_SMALL], weight);
	struct cv_rect row = cut_top(&r, h);
	if (r.h >= h) {
		if (r.w >= wide)
			pen_text(
			    pen, FONT_SMALL, rect_make(r.x, r.y, r.w, h), TEXT_LEFT, ink, weight);
	} else if (row.w > wide + ui_px(ui, 60)) {
		pen_text(pen, FONT_SMALL, cut_right(&row, wide), TEXT_RIGHT, ink, weight);
		cut_right(&row, ui_px(ui, 8));
	}
	pen_text(pen, FONT_SMALL, row, TEXT_LEFT, ink, name);
}

static void paint_leaf(const struct charts *c, struct app *app, const struct pen *pen, uint32_t at,
    const uint32_t *shade)
{
	const struct treemap_node *n = &c->treemap.node[at];
	const struct theme *th = pen->ui->theme;
	char tip[900] = "";
	if (pen->svg != NULL)
		node_tip(c, app, at, tip, sizeof tip);
	if (n->value == TREEMAP_UNUSED) {
		pen_hatch(pen, n->r);
		paint_label(c, app, pen, n, n->r, th->text);
		return;
	}
	uint32_t colour = n->value == TREEMAP_USED
			      ? (n->mean >= 0 ? shade[(int)(n->mean * (PALETTE_SHADES - 1))]
					      : cv_mix(th->ground, th->weak, 110))
			      : heap_colours_name(app, n->id, app->stream_of[n->id], n->value);
	if (is_zero(c, app, n)) {
		pen_fill(pen, n->r, th->ground, tip);
		pen_frame(pen, n->r, ui_px(pen->ui, 1), th->hollow);
		paint_label(c, app, pen, n, n->r, th->text);
		return;
	}
	pen_fill(pen, n->r, colour, tip);
	paint_label(c, app, pen, n, n->r, has_light(colour) ? 0x101216 : 0xffffff);
}

static void paint_node(const struct charts *c, struct app *app, const struct pen *pen, uint32_t at,
    const uint32_t *shade)
{
	const struct treemap_node *n = &c->treemap.node[at];
	struct ui *ui = pen->ui;
	const struct theme *th = ui->theme;
	struct cv_rect head = n->r;
	if (rect_empty(n->r))
		return;
	if (n->kind == TREEMAP_LEAF) {
		paint_leaf(c, app, pen, at, shade);
		return;
	}
	bool active = n->kind == TREEMAP_SPACE && n->id == app->active_space;
	pen_fill(pen, n->r, n->kind == TREEMAP_GROUP ? th->panel : th->raised, NULL);
	pen_frame(pen, n->r, ui_px(ui, active ? 2 : 1), active ? th->accent : th->line);
	head.h = treemap_head(ui);
	if (n->r.h <= 2 * head.h)
		return;
	head.y -= ui_px(ui, 1);
	head.h += ui_px(ui, 4);
	head.x += ui_px(ui, 2);
	head.w -= ui_px(ui, 4);
	cv_push_clip(ui->cv, n->r);
	paint_label(c, app, pen, n, head,
	    active                     ? th->accent
	    : n->kind == TREEMAP_GROUP ? th->weak
				       : th->text);
	cv_pop_clip(ui->cv);
}

static void treemap_paint(
    struct charts *c, struct app *app, const struct pen *pen, struct cv_rect r)
{
	struct chart_treemap_state *t = &c->treemap;
	uint32_t shade[256];
	cut_bottom(&r, ui_px(pen->ui, 12));
	treemap_build(c, app, r);
	palette_ramp(app->ramp, pen->ui->theme->dark, shade);
	for (uint32_t i = 0; i < t->count; i++)
		paint_node(c, app, pen, i, shade);
	if (t->hovered < t->count && pen->svg == NULL && pen->ui->tip[0] != 0)
		pen_frame(pen, t->node[t->hovered].r, ui_px(pen->ui, 2), app->ui.theme->text);
}

static bool treemap_lacks(struct charts *c, struct app *app, char *text, size_t size)
{
	for (uint32_t i = 0; i < app_model(app)->space_count; i++) {
		if (app_shows(app, i) && gcs_snapshot_tiles(c->snapshot, i) > 0)
			return false;
	}
	snprintf(text, size, "No space has tiles at present.");
	return true;
}

static bool is_drawn(const struct chart_treemap_state *t, uint32_t space)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (t->node[i].kind == TREEMAP_SPACE && t->node[i].id == space)
			return !rect_empty(t->node[i].r);
	return false;
}

/* " · 2 spaces too small to draw: TLABs, Classes", or the same for spaces without tiles. */
static void put_missing(
    const struct charts *c, const struct app *app, bool tiles, char *text, size_t size)
{
	enum { NAMED = 6 };
	char names[400] = "", name[80];
	uint32_t n = 0;
	size_t used = 0;
	for (uint32_t i = 0; i < app_model(app)->space_count; i++) {
		const bool has = gcs_snapshot_tiles(c->snapshot, i) > 0;
		if (!app_shows(app, i) || has != tiles || is_drawn(&c->treemap, i))
			continue;
		snprintf(name, sizeof name, "%.60s", app_space(app, i)->name);
		if (n++ < NAMED && used < sizeof names)
			used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
			    n > 1 ? ", " : "", chart_clean(name));
	}
	text[0] = 0;
	if (n > 0)
		snprintf(text, size, " \xc2\xb7 %u space%s %s: %s%s", n, n == 1 ? "" : "s",
		    tiles ? "too small to draw" : "without tiles", names,
		    n > NAMED ? " and more" : "");
}

static void treemap_heading(struct charts *c, struct app *app, struct chart_heading *head)
{
	const struct chart_treemap_state *t = &c->treemap;
	char bytes[64], tiles[64], sizes[200], left[96] = "", small[512], none[512];
	/* Called before painting: a resized window needs a new layout. */
	const struct cv_rect view = app->rect[PANEL_VIEW];
	if (!rect_same(view, t->view))
		treemap_build(c, app, view);
	else
		treemap_build(c, app, t->room);
	c->treemap.view = view;
	snprintf(head->title, sizeof head->title, "All spaces by size");
	gcs_format_number(bytes, sizeof bytes, chart_whole(t->whole[1]), GCS_BYTES);
	chart_count(tiles, sizeof tiles, (uint64_t)t->whole[0], "tile", "tiles");
	put_missing(c, app, true, small, sizeof small);
	put_missing(c, app, false, none, sizeof none);
	if (t->left_out > 0)
		snprintf(left, sizeof left, " \xc2\xb7 %u categories not drawn", t->left_out);
	if (t->whole[0] > 0 && t->whole[1] > 0)
		snprintf(sizes, sizeof sizes,
		    "%s; right: spaces without byte sizes, by number of tiles (%s)", bytes, tiles);
	else
		snprintf(sizes, sizeof sizes, "%s", t->whole[1] > 0 ? bytes : tiles);
	snprintf(head->text, sizeof head->text,
	    "%s%s%s%s \xc2\xb7 coloured by each space's stream \xc2\xb7 click activates a space",
	    sizes, small, none, left);
}

/* The innermost rectangle: inner ones come later. */
static uint32_t node_at(const struct charts *c, int x, int y)
{
	for (uint32_t i = c->treemap.count; i-- > 0;) {
		if (rect_has(c->treemap.node[i].r, x, y))
			return i;
	}
	return GCS_NONE;
}

static void treemap_point(struct charts *c, struct app *app, int x, int y)
{
	char text[900];
	uint32_t at = node_at(c, x, y);
	if (at != c->treemap.hovered)
		app_dirty(app, PANEL_VIEW);
	c->treemap.hovered = at;
	if (at == GCS_NONE)
		return;
	node_tip(c, app, at, text, sizeof text);
	charts_tip(app, rect_make(x, y, 1, 1), text);
}

static void treemap_press(struct charts *c, struct app *app, int x, int y)
{
	uint32_t at = node_at(c, x, y);
	if (at != GCS_NONE && c->treemap.node[at].kind != TREEMAP_GROUP)
		app_activate(app, c->treemap.node[at].id);
}

/* Arrow keys go from space to space in drawing order. */
static bool treemap_command(
    struct charts *c, struct app *app, enum command_id id, const char *argument)
{
	const struct chart_treemap_state *t = &c->treemap;
	(void)argument;
	if (id < COMMAND_tile_left || id > COMMAND_tile_last)
		return false;
	bool back = id == COMMAND_tile_left || id == COMMAND_tile_up || id == COMMAND_tile_first;
	bool end = id == COMMAND_tile_first || id == COMMAND_tile_last;
	uint32_t before = GCS_NONE, after = GCS_NONE, first = GCS_NONE, last = GCS_NONE;
	bool passed = false;
	app_frame(app);
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->node[i].kind != TREEMAP_SPACE)
			continue;
		uint32_t space = t->node[i].id;
		first = first == GCS_NONE ? space : first;
		last = space;
		if (space == app->active_space)
			passed = true;
		else if (!passed)
			before = space;
		else if (after == GCS_NONE)
			after = space;
	}
	uint32_t to = end ? (back ? first : last) : back ? before : after;
	if (to != GCS_NONE)
		app_activate(app, to);
	return true;
}

static void treemap_text(struct charts *c, struct app *app, struct textbuf *out)
{
	static const char *const kinds[] = {"group", "space", "part"};
	char weight[64], name[300];
	for (uint32_t i = 0; i < c->treemap.count; i++) {
		const struct treemap_node *n = &c->treemap.node[i];
		double whole = c->treemap.whole[n->bytes];
		weight_text(weight, sizeof weight, n);
		put_name(c, app, n, name, sizeof name);
		textbuf_printf(out, "%s\t%s\t%s\t%.1f %%\n", kinds[n->kind], name, weight,
		    whole > 0 ? 100 * n->weight / whole : 0);
	}
}

const struct chart chart_treemap = {
    .name = "treemap",
    .title = "Treemap",
    .lacks = treemap_lacks,
    .heading = treemap_heading,
    .paint = treemap_paint,
    .point = treemap_point,
    .press = treemap_press,
    .command = treemap_command,
    .text = treemap_text,
};
