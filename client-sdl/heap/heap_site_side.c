/* The side panel of the call site that colours the map. Declared in heap_site.h. */
#include <gcspy/format.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "heap_site.h"
#include "layout.h"
#include "side.h"
#include "sites_view.h"

enum { ROWS = 6 };

struct row {
	const char *name;
	char value[256];
};

static void put(struct row *rows, int *n, const char *name, const char *value)
{
	struct row *row = &rows[(*n)++];
	row->name = name;
	snprintf(row->value, sizeof row->value, "%s", value);
}

static int fill_rows(const struct heap_site *site, const struct app *app, struct row rows[ROWS])
{
	char text[256], part[64];
	struct gcs_site_tiles sum, *t = &sum;
	int n = 0;
	if (site->count == 1)
		snprintf(text, sizeof text, "%012" PRIx64, site->number[0]);
	else
		snprintf(text, sizeof text, "%" PRIu32, site->count);
	put(rows, &n, site->count == 1 ? "Call site" : "Call sites", text);
	if (!heap_site_sum(site, t))
		return n;
	put(rows, &n, "Live", sites_put_bytes(text, sizeof text, t->bytes));
	snprintf(text, sizeof text, "%" PRIu32 " of %" PRIu32, t->placed, t->samples);
	put(rows, &n, "Samples located", text);
	if (t->approximate != 0) {
		snprintf(text, sizeof text, "%" PRIu32, t->approximate);
		put(rows, &n, "Approximate locations", text);
	}
	snprintf(text, sizeof text, "%s%" PRIu32, site->count == 1 ? "" : "at most ", t->count);
	put(rows, &n, "Tiles", text);
	struct tileshare share;
	const uint32_t space = app->selected.space, tile = app->selected.tile;
	if (space == GCS_NONE || tile >= gcs_snapshot_tiles(app->snapshot, space) ||
	    !heap_site_share(site, space, &share))
		return n;
	const double bytes = (double)share.values[tile];
	const size_t used = strlen(sites_put_bytes(text, sizeof text, bytes));
	snprintf(text + used, sizeof text - used, "  %s",
	    sites_put_share(part, sizeof part, bytes, t->bytes));
	put(rows, &n, "In the selected tile", text);
	return n;
}

/* The time of the answer, or why there is none. */
static const char *state_text(const struct heap_site *site, const struct app *app)
{
	struct gcs_site_tiles sum;
	if (heap_site_sum(site, &sum))
		return sum.as_of;
	if (app->event_history.back)
		return "Locations are only known for the live heap; L returns to live.";
	if (app->state == SOURCE_LIVE && app->source.ops->query == NULL)
		return "This source does not support queries.";
	if (site->answer_of == 0)
		return app->state == SOURCE_LIVE ? "Waiting for the program to respond."
						 : "Not connected";
	return site->message;
}

void heap_site_side(const struct heap_site *site, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	struct row rows[ROWS];
	struct gcs_site_tiles sum;
	side_section(app, column, "Call site", "Esc closes");
	side_paragraph(app, column, FONT_UI, ui->theme->text, 4, site->name);
	const int n = fill_rows(site, app, rows);
	for (int i = 0; i < n; i++)
		side_row(app, column, rows[i].name, rows[i].value, false);
	char safe[300];
	cut_top(column, ui_px(ui, 4));
	side_paragraph(app, column, FONT_SMALL,
	    heap_site_sum(site, &sum) ? ui->theme->weak : ui->theme->warn, 0,
	    sites_put_name(safe, sizeof safe, state_text(site, app)));
	side_section(app, column, "Legend", "bytes of the call site");
	char labels[3][RAMP_LABEL];
	for (int i = 0; i < 3; i++)
		gcs_format_number(labels[i], RAMP_LABEL, site->most / 2 * i, GCS_BYTES);
	gcs_format_number(labels[2], RAMP_LABEL, site->most, GCS_BYTES);
	side_ramp(app, column, app->ramp, labels);
}

void heap_site_text(const struct heap_site *site, const struct app *app, struct textbuf *out)
{
	struct row rows[ROWS];
	char safe[300];
	const int n = fill_rows(site, app, rows);
	textbuf_printf(out, "map of call site\t%s\n", site->name);
	for (int i = 0; i < n; i++)
		textbuf_printf(out, "%s\t%s\n", rows[i].name, rows[i].value);
	textbuf_printf(out, "%s\n", sites_put_name(safe, sizeof safe, state_text(site, app)));
}
