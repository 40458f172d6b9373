/* The panel on the right: the sections of the present view, scrolled. */
#include <string.h>

#include "layout.h"
#include "range.h"
#include "side.h"

enum { SPLIT = 1, BAR };

void side_section(struct app *app, struct cv_rect *column, const char *title, const char *detail)
{
	struct ui *ui = &app->ui;
	cut_top(column, ui_px(ui, 12));
	struct cv_rect row = cut_top(column, ui_px(ui, 20));
	if (ui_paints(ui)) {
		struct font *bold = ui->fonts->face[FONT_BOLD];
		text_in(ui->cv, bold, row, TEXT_LEFT, ui->theme->text, title);
		cut_left(&row, text_width(bold, title) + ui_px(ui, 8));
		ui_label(ui, row, TEXT_RIGHT, detail);
	}
	cut_top(column, ui_px(ui, 4));
}

void side_row(
    struct app *app, struct cv_rect *column, const char *name, const char *text, bool marked)
{
	struct ui *ui = &app->ui;
	struct font *font = ui->fonts->face[FONT_UI];
	struct font *small = ui->fonts->face[FONT_SMALL];
	int used = text_width(small, name) + text_width(font, text) + ui_px(ui, 12);
	bool together = used <= column->w;
	struct cv_rect label = cut_top(column, font_height(font) + ui_px(ui, 6));
	struct cv_rect value = label;
	if (!together) {
		value = rect_make(column->x, column->y, column->w, 0);
		value.h = text_paragraph(NULL, font, value, 0, text);
		cut_top(column, value.h + ui_px(ui, 4));
	}
	if (!ui_paints(ui))
		return;
	text_in(
	    ui->cv, small, label, TEXT_LEFT, marked ? ui->theme->accent : ui->theme->weak, name);
	if (together)
		ui_value(ui, value, TEXT_RIGHT, text);
	else
		text_paragraph(ui->cv, font, value, ui->theme->text, text);
	cv_hline(ui->cv, column->x, column->y - 1, column->w,
	    cv_mix(ui->theme->panel, ui->theme->line, 150));
}

bool side_link(struct app *app, uint32_t id, struct cv_rect r, const char *label)
{
	struct ui *ui = &app->ui;
	struct font *font = ui->fonts->face[FONT_SMALL];
	const bool clicked = ui_control(ui, id, r);
	if (!ui_paints(ui))
		return clicked;
	text_in(ui->cv, font, r, TEXT_LEFT, ui->theme->accent, label);
	if (ui->hot == id)
		cv_hline(ui->cv, r.x, r.y + (r.h + font_height(font)) / 2, r.w, ui->theme->accent);
	ui_ring(ui, id, r);
	return clicked;
}

void side_paragraph(struct app *app, struct cv_rect *column, enum font_face face, uint32_t ink,
    int gap, const char *text)
{
	struct ui *ui = &app->ui;
	struct cv_rect r = rect_make(column->x, column->y, column->w, 0);
	r.h = text_paragraph(ui_paints(ui) ? ui->cv : NULL, ui->fonts->face[face], r, ink, text);
	cut_top(column, r.h + ui_px(ui, gap));
}

struct cv_rect side_sample(
    struct app *app, struct cv_rect *column, const char *label, const char *value)
{
	struct ui *ui = &app->ui;
	struct cv_rect row = cut_top(column, ui_px(ui, 22));
	const struct cv_rect box = cut_left(&row, ui_px(ui, 24));
	const int size = ui_px(ui, 16);
	if (ui_paints(ui)) {
		ui_value(ui, cut_right(&row, text_width(ui->fonts->face[FONT_UI], value)),
		    TEXT_RIGHT, value);
		cut_right(&row, ui_px(ui, 8));
		ui_value(ui, row, TEXT_LEFT, label);
	}
	return rect_make(box.x, box.y + (box.h - size) / 2, size, size);
}

static void run_sections(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	/* Tall enough for any content; the height used is the content's. */
	const int tall = 1 << 20;
	struct cv_rect column = rect_make(r.x, r.y - app->side_scroll, r.w, tall);
	range_side(app, &column);
	if (app->view->has_side(app->view_self, app))
		app->view->side(app->view_self, app, &column);
	cut_top(&column, ui_px(ui, 12));
	app->side_content = tall - column.h;
}

void side_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct cv_rect panel = r;
	struct cv_rect split = cut_left(&r, ui_px(ui, 6));
	if (ui_split(ui, UI_ID(PANEL_SIDE, SPLIT), split, ui_px(ui, 200), app->cv.w / 2,
		&app->side_width))
		app_layout(app);
	struct cv_rect bar = cut_right(&r, ui_px(ui, 12));
	cut_left(&r, ui_px(ui, 10));
	cut_right(&r, ui_px(ui, 2));
	if (!app->range.on && !app->view->has_side(app->view_self, app))
		return;
	if (ui_paints(ui))
		cv_push_clip(
		    ui->cv, rect_make(split.x + split.w, panel.y, panel.w - split.w, panel.h));
	run_sections(app, r);
	if (ui_paints(ui))
		cv_pop_clip(ui->cv);
	int line = ui_px(ui, 40);
	if (ui_scroll_wheel(ui, panel, app->side_content, panel.h, line, &app->side_scroll))
		app_dirty(app, PANEL_SIDE);
	if (ui_scroll_bar(
		ui, UI_ID(PANEL_SIDE, BAR), bar, app->side_content, panel.h, &app->side_scroll))
		app_dirty(app, PANEL_SIDE);
}

void side_text(struct app *app, struct textbuf *out)
{
	range_text(app, out);
	if (app->view->has_side(app->view_self, app))
		app->view->side_text(app->view_self, app, out);
}
