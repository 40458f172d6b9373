/* Tabs and text above a chart, and the message in place of one. Declared in charts.h. */
#include <gcspy/format.h>
#include <stdio.h>

#include "charts.h"
#include "layout.h"

/* Layout of the tabs: closer together in a narrow window, then in several rows; in a low window
 * they share one row, and the current one gets its full width first. */
struct tabs {
	struct cv_rect room;
	int x, row, pad, height;
	int share; /* maximum width of the other tabs in a low window; 0: no limit */
	int chosen;
};

static int title_width(const struct ui *ui, int i)
{
	return text_width(ui->fonts->face[FONT_BOLD], charts_at((enum chart_kind)i)->title);
}

/* The maximum width of a tab that is not current; what short titles leave goes to long ones. */
static int fair_share(const struct ui *ui, int room, int pad, int chosen)
{
	int share = room / (CHART_COUNT - 1);
	for (int pass = 0; pass < CHART_COUNT; pass++) {
		int left = room, cut = 0;
		for (int i = 0; i < CHART_COUNT; i++) {
			if (i == chosen)
				continue;
			int w = title_width(ui, i) + pad;
			if (w > share)
				cut++;
			else
				left -= w;
		}
		if (cut == 0 || left / cut <= share)
			break;
		share = left / cut;
	}
	return clamp_int(share, 1, room > 1 ? room : 1);
}

static struct tabs begin_tabs(const struct ui *ui, struct cv_rect r, int chosen)
{
	int pad = ui_px(ui, 20), all = 0;
	cut_left(&r, ui_px(ui, 6));
	cut_right(&r, ui_px(ui, 6));
	for (int i = 0; i < CHART_COUNT; i++)
		all += title_width(ui, i) + pad;
	bool narrow = all > r.w;
	int left = r.w - title_width(ui, chosen) - pad;
	bool low = narrow && r.h < ui_px(ui, 230) && all - CHART_COUNT * ui_px(ui, 11) > r.w;
	return (struct tabs){.room = r,
	    .chosen = chosen,
	    .share = low ? fair_share(ui, left, ui_px(ui, 9), chosen) : 0,
	    .pad = narrow ? ui_px(ui, 9) : pad,
	    .height = ui_px(ui, narrow || r.h < ui_px(ui, 300) ? 27 : 32)};
}

static struct cv_rect next_tab(const struct ui *ui, struct tabs *t, int i)
{
	int w = title_width(ui, i) + t->pad;
	if (t->share > 0 && i != t->chosen)
		w = w < t->share ? w : t->share;
	else if (t->x > 0 && t->share == 0 && t->x + w > t->room.w) {
		t->x = 0;
		t->row++;
	}
	struct cv_rect tab =
	    rect_make(t->room.x + t->x, t->room.y + ui_px(ui, 2) + t->row * t->height,
		w < t->room.w ? w : t->room.w, t->height);
	t->x += w;
	return tab;
}

static void paint_tab(
    struct ui *ui, uint32_t id, struct cv_rect tab, const char *title, bool chosen)
{
	const struct theme *th = ui->theme;
	uint32_t ink = chosen || ui->hot == id ? th->text : th->weak;
	struct cv_rect in = tab;
	cut_left(&in, ui_px(ui, 3));
	cut_right(&in, ui_px(ui, 3)); /* a gap between two truncated titles */
	text_in(ui->cv, ui->fonts->face[chosen ? FONT_BOLD : FONT_UI], in, TEXT_CENTRE, ink, title);
	if (chosen)
		cv_fill(ui->cv,
		    rect_make(tab.x + ui_px(ui, 4), tab.y + tab.h - ui_px(ui, 2),
			tab.w - ui_px(ui, 8), ui_px(ui, 2)),
		    th->accent);
	ui_ring(ui, id, rect_inset(tab, ui_px(ui, 3)));
}

void charts_tabs_run(struct charts *c, struct app *app, struct cv_rect *r)
{
	struct ui *ui = &app->ui;
	struct tabs tabs = begin_tabs(ui, *r, (int)c->kind);
	struct tabs last = tabs;
	for (int i = 0; i < CHART_COUNT; i++)
		next_tab(ui, &last, i);
	struct cv_rect head = cut_top(r, (last.row + 1) * tabs.height + ui_px(ui, 3));
	if (ui_paints(ui)) {
		cv_fill(ui->cv, head, ui->theme->ground);
		cv_hline(ui->cv, head.x, head.y + head.h - 1, head.w, ui->theme->line);
		cv_touch(ui->cv, head);
	}
	for (int i = 0; i < CHART_COUNT; i++) {
		const struct chart *chart = charts_at((enum chart_kind)i);
		struct cv_rect tab = next_tab(ui, &tabs, i);
		uint32_t id = UI_ID(PANEL_VIEW, CHARTS_TAB + i);
		if (ui_control(ui, id, tab))
			app_command(app, COMMAND_chart, chart->name);
		if (tabs.share > 0)
			ui_tip(ui, id, tab, chart->title);
		if (ui_paints(ui))
			paint_tab(ui, id, tab, chart->title, c->kind == (enum chart_kind)i);
	}
}

void charts_heading_paint(
    struct charts *c, struct app *app, const struct pen *pen, struct cv_rect *r)
{
	struct ui *ui = pen->ui;
	struct chart_heading head;
	charts_at(c->kind)->heading(c, app, &head);
	cut_top(r, ui_px(ui, 8));
	pen_text(pen, FONT_BOLD, cut_top(r, ui_px(ui, 22)), TEXT_LEFT, ui->theme->text, head.title);
	int h = pen_paragraph(pen, *r, 0, head.text, false);
	/* A low window shows the chart rather than the text. */
	if (h > 0 && r->h - h > ui_px(ui, 110)) {
		pen_paragraph(pen, *r, ui->theme->weak, head.text, true);
		cut_top(r, h);
	}
	cut_top(r, ui_px(ui, 6));
}

char *charts_tiles_text(char *text, size_t size, const struct chart_data *d)
{
	char tiles[64], used[64], unused[64];
	chart_count(tiles, sizeof tiles, d->tiles, "tile", "tiles");
	if (d->used == d->tiles) {
		snprintf(text, size, "%s", tiles);
		return text;
	}
	gcs_format_number(used, sizeof used, d->used, GCS_DECIMAL);
	gcs_format_number(unused, sizeof unused, d->unused, GCS_DECIMAL);
	const char *name = d->space->unused_text[0] != 0 ? d->space->unused_text : "unused";
	if (d->uncounted > 0)
		snprintf(text, size, "%s, %s counted, %u not counted, %s %.80s", tiles, used,
		    d->uncounted, unused, name);
	else
		snprintf(text, size, "%s, %s used, %s %.80s", tiles, used, unused, name);
	return chart_clean(text);
}

bool charts_empty_heading(struct charts *c, struct app *app, struct chart_heading *head)
{
	const struct chart *chart = charts_at(c->kind);
	const struct gcs_space *s = app_space(app, app->active_space);
	head->text[0] = 0;
	if (s == NULL) {
		snprintf(head->title, sizeof head->title, "The program has no spaces");
		return true;
	}
	snprintf(head->title, sizeof head->title, "%s", s->name);
	chart_clean(head->title);
	if (c->data.tiles == 0 && c->kind != CHART_TREEMAP)
		snprintf(head->text, sizeof head->text,
		    "This space has no tiles at present. N goes to the next space.");
	else if (chart->needs_values && !c->has_data)
		snprintf(head->text, sizeof head->text, "This stream has no values.");
	else if (chart->needs_values && c->data.used == 0 && c->data.uncounted > 0)
		snprintf(head->text, sizeof head->text,
		    "No tile has been counted. The heavy volume counts objects.");
	else if (chart->needs_values && c->data.used == 0)
		snprintf(head->text, sizeof head->text, "All %u tiles are %.120s.", c->data.tiles,
		    s->unused_text[0] != 0 ? s->unused_text : "unused");
	else
		return chart->lacks != NULL && chart->lacks(c, app, head->text, sizeof head->text);
	return true;
}

void charts_empty_paint(
    struct app *app, const struct pen *pen, struct cv_rect r, const struct chart_heading *head)
{
	struct ui *ui = &app->ui;
	struct cv_rect box = centred(r, ui_px(ui, 560), ui_px(ui, 96));
	pen_text(
	    pen, FONT_BOLD, cut_top(&box, ui_px(ui, 28)), TEXT_LEFT, ui->theme->text, head->title);
	text_paragraph(ui->cv, ui->fonts->face[FONT_UI], box, ui->theme->weak, head->text);
}

void charts_put_tiles(
    struct textbuf *out, const struct chart_data *data, uint32_t n, bool used_only)
{
	char text[200];
	uint32_t rows = data->tiles < CHART_ROWS ? data->tiles : CHART_ROWS;
	for (uint32_t tile = 0; tile < rows; tile++) {
		if (used_only && !chart_used(data, tile))
			continue;
		gcs_format_tile_name(text, sizeof text, data->snapshot, data->space_id, tile);
		textbuf_puts(out, chart_clean(text));
		for (uint32_t i = 0; i < n; i++) {
			text[0] = 0;
			if (data[i].values != NULL)
				chart_tile_text(text, sizeof text, &data[i], tile);
			textbuf_printf(out, "\t%s", text);
		}
		textbuf_puts(out, "\n");
	}
	if (data->tiles > rows)
		textbuf_printf(out, "and %u more\n", data->tiles - rows);
}
