/* The bar at the top: the tabs of the views (panel_tabs.c), and below them the current event with
 * its attributes, as cells of caption and value. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"

enum { REST = 1 };

#define CELLS (GCS_MAX_ATTRIBUTES + 8)

struct cell {
	char caption[64];
	char value[256];
	bool warn;
};

static void add(struct cell *cells, int *n, const char *caption, const char *value)
{
	snprintf(cells[*n].caption, sizeof cells->caption, "%.60s", caption);
	snprintf(cells[*n].value, sizeof cells->value, "%s", value);
	cells[(*n)++].warn = false;
}

static int fill_cells(const struct app *app, struct cell *cells)
{
	const struct gcs_model *model = app_model(app);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(app->snapshot);
	const struct gcs_event *event =
	    o->event < model->event_count ? &model->events[o->event] : NULL;
	int n = 0;
	char text[256], number[64];
	add(cells, &n, "Current event", event != NULL ? event->name : "Snapshot");
	replay_loss_text(app, text, sizeof text);
	if (text[0] != 0) {
		add(cells, &n, "Recording", text);
		cells[n - 1].warn = true;
	}
	event_history_ago_text(app, text, sizeof text);
	if (text[0] != 0) {
		add(cells, &n, "Looking back", text);
		cells[n - 1].warn = true;
	}
	for (uint32_t i = 0; event != NULL && i < event->attribute_count; i++) {
		gcs_format_attribute(text, sizeof text, app->snapshot, i);
		if (strcmp(text, "-") != 0)
			add(cells, &n, event->attributes[i].name, text);
	}
	if (o->elapsed_ns > 0) {
		gcs_format_number(text, sizeof text, (int64_t)o->elapsed_ns, GCS_NANOSECONDS);
		add(cells, &n, "Since previous event", text);
	}
	if (o->compensation_ns > 0) {
		gcs_format_number(text, sizeof text, (int64_t)o->compensation_ns, GCS_NANOSECONDS);
		add(cells, &n, "GCspy overhead", text);
	}
	if (event_history_shown_number(app) > 0) {
		gcs_format_count(text, sizeof text, event_history_shown_number(app));
		add(cells, &n, "Event #", text);
	}
	if (o->missed > 0) {
		gcs_format_count(number, sizeof number, o->missed);
		add(cells, &n, "Missed", number);
		cells[n - 1].warn = true;
	}
	return n;
}

static int cell_width(const struct ui *ui, const struct cell *cell, bool first)
{
	int a = text_width(ui->fonts->face[FONT_SMALL], cell->caption);
	int b = text_width(ui->fonts->face[first ? FONT_BOLD : FONT_UI], cell->value);
	return (a > b ? a : b) + ui_px(ui, 24);
}

static void paint_cell(struct ui *ui, struct cv_rect r, const struct cell *cell, bool first)
{
	struct cv_rect in =
	    rect_make(r.x, r.y + ui_px(ui, 5), r.w - ui_px(ui, 8), r.h - ui_px(ui, 10));
	struct cv_rect top = cut_top(&in, ui_px(ui, 16));
	ui_label(ui, top, TEXT_LEFT, cell->caption);
	text_in(ui->cv, ui->fonts->face[first ? FONT_BOLD : FONT_UI], in, TEXT_LEFT,
	    cell->warn ? ui->theme->warn : ui->theme->text, cell->value);
}

static void put_tip(struct ui *ui, struct cv_rect r, const char *text)
{
	snprintf(ui->tip, sizeof ui->tip, "%s", text);
	ui->tip_at = r;
}

/* The tooltip of the last cell holds what did not fit. */
static void tip_of_rest(struct ui *ui, struct cv_rect r, const struct cell *cells, int from, int n)
{
	char text[1024] = "More about this event";
	size_t used = strlen(text);
	for (int i = from; i < n && used + 220 < sizeof text; i++)
		used += (size_t)snprintf(
		    text + used, sizeof text - used, "\n%s\t%s", cells[i].caption, cells[i].value);
	const uint32_t id = UI_ID(PANEL_HEADER, REST);
	if (ui_area(ui, id, r))
		put_tip(ui, r, text);
	ui_tip(ui, id, r, text);
}

static void run_cells(struct ui *ui, struct cv_rect r, const struct cell *cells, int n)
{
	int rest = ui_px(ui, 64);
	for (int i = 0; i < n; i++) {
		int w = cell_width(ui, &cells[i], i == 0);
		bool last = i == n - 1;
		if (w > r.w - (last ? 0 : rest) && i > 0) {
			struct cell more = {.caption = "more", .warn = false};
			snprintf(more.value, sizeof more.value, "+%d", n - i);
			struct cv_rect cell = cut_left(&r, rest);
			if (ui_paints(ui))
				paint_cell(ui, cell, &more, false);
			tip_of_rest(ui, cell, cells, i, n);
			return;
		}
		struct cv_rect cell = cut_left(&r, w);
		if (ui_paints(ui))
			paint_cell(ui, cell, &cells[i], i == 0);
	}
}

void header_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct cv_rect line = cut_bottom(&r, ui_px(ui, 1));
	if (ui_paints(ui))
		cv_fill(ui->cv, line, ui->theme->line);
	tabs_run(app, cut_top(&r, tabs_height(app)));
	cut_left(&r, ui_px(ui, 16));
	cut_right(&r, ui_px(ui, 4));
	toolbar_run(app, &r);
	chips_run(app, &r);
	if (app->snapshot == NULL) {
		if (ui_paints(ui))
			text_in(ui->cv, ui->fonts->face[FONT_BOLD], r, TEXT_LEFT, ui->theme->text,
			    "GCspy");
		return;
	}
	const struct gcs_model *model = app_model(app);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(app->snapshot);
	struct cell cells[CELLS];
	int n = fill_cells(app, cells);
	if (o->event < model->event_count) {
		struct cv_rect mark = cut_left(&r, ui_px(ui, 4));
		cut_left(&r, ui_px(ui, 12));
		if (ui_paints(ui))
			cv_round(ui->cv,
			    rect_make(
				mark.x, mark.y + ui_px(ui, 8), mark.w, mark.h - ui_px(ui, 16)),
			    ui_px(ui, 2), model->events[o->event].colour);
	}
	run_cells(ui, r, cells, n);
}

void header_text(struct app *app, struct textbuf *out)
{
	if (app->snapshot == NULL)
		return;
	struct cell cells[CELLS];
	int n = fill_cells(app, cells);
	for (int i = 0; i < n; i++)
		textbuf_printf(out, "%s\t%s\n", cells[i].caption, cells[i].value);
	chips_text(app, out);
}
