/* The selected tile: every stream in its own words. */
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "side.h"
#include "tileinfo.h"

static void row_of(struct app *app, struct cv_rect *column, const struct info_row *info, bool shown)
{
	struct ui *ui = &app->ui;
	struct font *font = ui->fonts->face[FONT_UI];
	int height = font_height(font) + ui_px(ui, 6);
	int label_w = text_width(ui->fonts->face[FONT_SMALL], info->label);
	int value_w = text_width(font, info->value);
	bool together = label_w + value_w + ui_px(ui, 12) <= column->w;
	struct cv_rect row = cut_top(column, height);
	struct cv_rect value = row;
	if (!together)
		value = cut_top(column, height - ui_px(ui, 2));
	if (!ui_paints(ui))
		return;
	uint32_t ink = shown ? ui->theme->accent : ui->theme->weak;
	text_in(ui->cv, ui->fonts->face[FONT_SMALL], row, TEXT_LEFT, ink, info->label);
	ui_value(ui, value, TEXT_RIGHT, info->value);
	struct cv_rect under = together ? row : value;
	cv_hline(ui->cv, under.x, under.y + under.h - 1, under.w,
	    cv_mix(ui->theme->panel, ui->theme->line, 150));
}

void side_tile(struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	struct info_row rows[TILEINFO_ROWS];
	uint32_t n = 0;
	if (app->selected.space != GCS_NONE)
		n = tileinfo_rows(app->snapshot, app->selected.space, app->selected.tile, rows);
	side_section(app, column, "Tile", n > 0 ? "Esc deselects" : "");
	if (n == 0) {
		struct cv_rect text = rect_make(column->x, column->y, column->w, 0);
		text.h = text_paragraph(ui_paints(ui) ? ui->cv : NULL, ui->fonts->face[FONT_SMALL],
		    text, ui->theme->weak,
		    "Point at a tile to see it; click it, or use the arrow keys, to keep it here.");
		cut_top(column, text.h);
		return;
	}
	struct cv_rect title = cut_top(column, ui_px(ui, 22));
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_MONO], title, TEXT_LEFT, ui->theme->text,
		    rows[0].label);
	for (uint32_t i = 1; i < n; i++) {
		bool shown = app->selected.space < app->space_count &&
			     rows[i].stream == app->stream_of[app->selected.space];
		row_of(app, column, &rows[i], shown);
	}
}

void side_tile_text(struct app *app, struct textbuf *out)
{
	struct info_row rows[TILEINFO_ROWS];
	uint32_t n = 0;
	if (app->selected.space != GCS_NONE)
		n = tileinfo_rows(app->snapshot, app->selected.space, app->selected.tile, rows);
	for (uint32_t i = 0; i < n; i++)
		textbuf_printf(
		    out, "%s%s\t%s\n", i == 0 ? "tile " : "", rows[i].label, rows[i].value);
}
