/* The panel on the right: streams and legend of the active space, and the selected tile. */
#include <string.h>

#include "layout.h"
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

static void run_sections(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	/* Tall enough for any content; what it used up is the content's height. */
	const int tall = 1 << 20;
	struct cv_rect column = rect_make(r.x, r.y - app->side_scroll, r.w, tall);
	side_streams(app, &column);
	side_legend(app, &column);
	side_tile(app, &column);
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
	if (app->snapshot == NULL)
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
	if (app->snapshot == NULL)
		return;
	side_streams_text(app, out);
	side_tile_text(app, out);
}
