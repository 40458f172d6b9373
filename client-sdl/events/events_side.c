/* Timers and the selected event in the side panel. Declared in events_view.h. */
#include <gcspy/format.h>
#include <gcspy/trigger.h>
#include <stdio.h>
#include <string.h>

#include "events_view.h"
#include "layout.h"
#include "side.h"

#define ROWS 14

static const char none_fired[] = "None has fired at this event. 8 sets triggers.";

struct row {
	const char *name;
	char value[256];
};

static void put(struct row *rows, int *n, const char *name, int64_t value, enum gcs_format format)
{
	rows[*n].name = name;
	gcs_format_number(rows[(*n)++].value, sizeof rows->value, value, format);
}

/* The three timers of GCspy's first version, and their sum. */
static int timer_rows(const struct app *app, struct row *rows)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(app->snapshot);
	int n = 0;
	int64_t elapsed = (int64_t)o->elapsed_ns, own = (int64_t)o->compensation_ns;
	put(rows, &n, "Elapsed since previous event", elapsed, GCS_NANOSECONDS);
	put(rows, &n, "Compensation: GCspy overhead", own, GCS_NANOSECONDS);
	put(rows, &n, "Difference: the program itself", elapsed > own ? elapsed - own : 0,
	    GCS_NANOSECONDS);
	put(rows, &n, "Overhead and holds so far", (int64_t)o->cost_ns, GCS_NANOSECONDS);
	return n;
}

void events_timer_text(const struct app *app, char *text, size_t size)
{
	struct row rows[ROWS];
	timer_rows(app, rows);
	snprintf(text, size,
	    "Timers: elapsed %.40s \xc2\xb7 compensation %.40s \xc2\xb7 difference %.40s",
	    rows[0].value, rows[1].value, rows[2].value);
}

static int event_rows(struct events_view *view, struct app *app, uint32_t event, struct row *rows)
{
	static const int columns[] = {EVENTS_COUNT, EVENTS_RATE, EVENTS_ENABLED, EVENTS_DELAY,
	    EVENTS_PAUSE, EVENTS_PERIOD, EVENTS_SINCE, EVENTS_MEAN, EVENTS_LONGEST};
	int n = 0;
	view->app = app;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		struct row *r = &rows[n];
		r->name = events_columns[columns[i]].title;
		events_cell_text(view, event, columns[i], r->value, sizeof r->value);
		n += strcmp(r->value, "-") != 0;
	}
	return n;
}

static void run_rows(struct app *app, struct cv_rect *column, const struct row *rows, int n)
{
	for (int i = 0; i < n; i++)
		side_row(app, column, rows[i].name, rows[i].value, false);
}

static void paragraph(struct app *app, struct cv_rect *column, const char *text)
{
	struct ui *ui = &app->ui;
	struct font *font = ui->fonts->face[FONT_SMALL];
	struct cv_rect lines = cut_top(column, text_paragraph(NULL, font, *column, 0, text));
	if (ui_paints(ui))
		text_paragraph(ui->cv, font, lines, ui->theme->weak, text);
}

void events_side_run(struct events_view *view, struct app *app, struct cv_rect *column)
{
	struct row rows[ROWS];
	side_section(app, column, "Timers", "");
	run_rows(app, column, rows, timer_rows(app, rows));
	uint32_t event = events_selected(view);
	const struct gcs_model *model = app_model(app);
	if (event < model->event_count) {
		char name[200];
		snprintf(name, sizeof name, "%.199s", model->events[event].name);
		side_section(app, column, name, "");
		run_rows(app, column, rows, event_rows(view, app, event, rows));
		if (model->events[event].description[0] != 0) {
			cut_top(column, ui_px(&app->ui, 6));
			paragraph(app, column, model->events[event].description);
		}
	}
	const struct gcs_fired *f;
	side_section(app, column, "Fired triggers", "");
	for (uint32_t i = 0; (f = gcs_snapshot_fired(app->snapshot, i)) != NULL; i++)
		side_row(app, column, f->trigger, f->condition, true);
	if (gcs_snapshot_fired_count(app->snapshot) == 0)
		paragraph(app, column, none_fired);
}

void events_side_text(struct events_view *view, struct app *app, struct textbuf *out)
{
	struct row rows[ROWS];
	int n = timer_rows(app, rows);
	for (int i = 0; i < n; i++)
		textbuf_printf(out, "timer\t%s\t%s\n", rows[i].name, rows[i].value);
	uint32_t event = events_selected(view);
	if (event < app_model(app)->event_count) {
		n = event_rows(view, app, event, rows);
		textbuf_printf(out, "event\t%s\n", view->filters.request[event].name);
		for (int i = 0; i < n; i++)
			textbuf_printf(out, "event\t%s\t%s\n", rows[i].name, rows[i].value);
	}
	const struct gcs_fired *f;
	for (uint32_t i = 0; (f = gcs_snapshot_fired(app->snapshot, i)) != NULL; i++)
		textbuf_printf(out, "fired\t%s\t%s\n", f->trigger, f->condition);
}
