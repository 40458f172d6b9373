/* The selected tile: every stream in its own words. */
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "side.h"
#include "tileinfo.h"

/* Label and value in one line; a value that is too long stands in lines of its own below. */
static void row_of(struct app *app, struct cv_rect *column, const struct info_row *info, bool shown)
{
	struct ui *ui = &app->ui;
	struct font *font = ui->fonts->face[FONT_UI];
	struct font *small = ui->fonts->face[FONT_SMALL];
	int used = text_width(small, info->label) + text_width(font, info->value) + ui_px(ui, 12);
	bool together = used <= column->w;
	struct cv_rect label = cut_top(column, font_height(font) + ui_px(ui, 6));
	struct cv_rect value = label;
	if (!together) {
		value = rect_make(column->x, column->y, column->w, 0);
		value.h = text_paragraph(NULL, font, value, 0, info->value);
		cut_top(column, value.h + ui_px(ui, 4));
	}
	if (!ui_paints(ui))
		return;
	text_in(ui->cv, small, label, TEXT_LEFT, shown ? ui->theme->accent : ui->theme->weak,
	    info->label);
	if (together)
		ui_value(ui, value, TEXT_RIGHT, info->value);
	else
		text_paragraph(ui->cv, font, value, ui->theme->text, info->value);
	cv_hline(ui->cv, column->x, column->y - 1, column->w,
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
