/* The selected tile: the value of each stream. */
#include <stdio.h>
#include <string.h>

#include "heap_view.h"
#include "layout.h"
#include "side.h"
#include "tileinfo.h"

enum { TILE_LINK = 99 };

/* If tiles have addresses and the source takes queries, their objects have call sites. */
static bool has_sites(const struct app *app)
{
	const struct gcs_space *s = app_space(app, app->selected.space);
	return s != NULL && gcs_space_role(s, GCS_ROLE_RANGE_START) != GCS_NONE &&
	       app->state == SOURCE_LIVE && app->source.ops->query != NULL;
}

/* Cuts the way to the call sites off the title's line; true when it was gone. */
static bool run_link(struct app *app, struct cv_rect *title)
{
	struct ui *ui = &app->ui;
	const uint32_t id = UI_ID(PANEL_SIDE, TILE_LINK);
	const char *label = "Its call sites";
	struct cv_rect r =
	    cut_right(title, text_width(ui->fonts->face[FONT_SMALL], label) + ui_px(ui, 1));
	ui_tip(ui, id, r, "Call sites of the objects in this tile\nKey\tC");
	if (!side_link(app, id, r, label))
		return false;
	app_command(app, COMMAND_tile_sites, NULL);
	return true;
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
		side_paragraph(app, column, FONT_SMALL, ui->theme->weak, 0,
		    "Point at a tile to see its values. Click it or use the arrow keys to select "
		    "it.");
		return;
	}
	struct cv_rect title = cut_top(column, ui_px(ui, 22));
	if (has_sites(app) && run_link(app, &title))
		return;
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_MONO], title, TEXT_LEFT, ui->theme->text,
		    rows[0].label);
	const uint32_t space = app->selected.space;
	const bool by_text =
	    heap_by_text(heap_prefs_of(app->views[VIEW_HEAP], app, space), app, space);
	for (uint32_t i = 1; i < n; i++) {
		bool shown = app->selected.space < app->space_count &&
			     rows[i].stream == app->stream_of[app->selected.space] && !by_text;
		side_row(app, column, rows[i].label, rows[i].value, shown);
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
