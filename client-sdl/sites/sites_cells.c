/* The cells of the table of call sites; declared in sites_view.h. */
#include <stdio.h>

#include "figures.h"
#include "sites_view.h"

const struct table_column sites_columns[SITES_COLUMNS] = {
    [SITES_BYTES] = {"bytes", "Bytes", TEXT_RIGHT, 80, 0, 0, false},
    [SITES_ERROR] = {"error", "\xc2\xb1", TEXT_RIGHT, 94, 0, 3, false},
    [SITES_SHARE] = {"share", "Share", TEXT_RIGHT, 90, 1, 2, false},
    [SITES_OBJECTS] = {"objects", "Objects", TEXT_RIGHT, 76, 0, 4, false},
    [SITES_SAMPLES] = {"samples", "Samples", TEXT_RIGHT, 70, 0, 5, false},
    [SITES_AGE] = {"age", "Age", TEXT_RIGHT, 50, 0, 6, false},
    [SITES_CLASS_NAME] = {"class", "Class", TEXT_LEFT, 100, 3, 0, true},
    [SITES_TOP] = {"frame", "Top frame", TEXT_LEFT, 130, 4, 1, true},
    [SITES_OWN] = {"own", "Outside the JDK", TEXT_LEFT, 130, 4, 2, true},
    [SITES_NEW] = {"new", "New", TEXT_RIGHT, 80, 0, 0, false},
};

const struct gcs_frame *sites_top(const struct gcs_sites *sites, const struct gcs_site *site)
{
	uint32_t stack = site->stack;
	return gcs_sites_caller(sites, &stack);
}

static struct figures figures_of(const struct sites_view *view, uint32_t row)
{
	static const struct gcs_site none;
	const struct gcs_change *c = &view->row[row].change;
	const struct gcs_site *before = c->before != NULL ? c->before : &none;
	const struct gcs_site *after = c->after != NULL ? c->after : &none;
	return (struct figures){
	    .now = {[FIGURE_BYTES] = after->bytes,
		[FIGURE_ERROR] = c->bytes_error,
		[FIGURE_OBJECTS] = after->objects,
		[FIGURE_SAMPLES] = (double)after->samples},
	    .before = {[FIGURE_BYTES] = before->bytes,
		[FIGURE_OBJECTS] = before->objects,
		[FIGURE_SAMPLES] = (double)before->samples},
	    .all = gcs_sites_total(view->now.all)->bytes +
		   (view->comparison != NULL ? gcs_sites_total(view->before.all)->bytes : 0),
	    .change = view->comparison != NULL,
	    .live = &view->live,
	};
}

double sites_value(const struct sites_view *view, uint32_t row, int column)
{
	const struct gcs_sites *sites;
	const struct gcs_site *site = sites_of_row(view, row, &sites);
	const struct figures f = figures_of(view, row);
	if (column == SITES_AGE)
		return site->mean_age;
	if (column == SITES_NEW)
		return site == view->row[row].change.after ? site->new_bytes : 0;
	return column < SITES_AGE ? figures_value(&f, (enum figure)column) : 0;
}

void sites_cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	const struct sites_view *view = context;
	const struct gcs_sites *sites;
	const struct gcs_site *site = sites_of_row(view, row, &sites);
	const struct figures f = figures_of(view, row);
	char a[200], b[200];
	switch ((enum sites_column)column) {
	case SITES_BYTES:
	case SITES_ERROR:
	case SITES_SHARE:
	case SITES_OBJECTS:
	case SITES_SAMPLES:
		figures_cell(&f, (enum figure)column, text, size);
		break;
	case SITES_AGE:
		if (site->mean_age < 0)
			snprintf(text, size, "-");
		else
			snprintf(
			    text, size, site->mean_age < 10000 ? "%.1f" : "%.1e", site->mean_age);
		break;
	case SITES_CLASS_NAME:
		if (view->by == GCS_SITES_BY_THREAD || view->by == GCS_SITES_BY_PACKAGE) {
			sites_put_group(text, size, view, row);
			break;
		}
		sites_put_package(b, sizeof b, site->class_name);
		snprintf(text, size, "%s%s%s", sites_put_simple(a, sizeof a, site->class_name),
		    b[0] != 0 ? "\t" : "", b);
		break;
	case SITES_TOP:
		if (site->stack == GCS_NONE)
			snprintf(text, size, "[no Java frames]");
		else
			figures_put_frame(text, size, sites_top(sites, site));
		break;
	case SITES_OWN:
		figures_put_line(text, size, gcs_sites_own_frame(sites, site));
		if (view->by == GCS_SITES_BY_FRAME && site->stack == GCS_NONE)
			snprintf(text, size, "[no such frame]");
		break;
	case SITES_NEW:
		sites_put_bytes(text, size, sites_value(view, row, column));
		break;
	case SITES_COLUMNS:
		break;
	}
}

static double bar_of(void *context, uint32_t row, int column)
{
	const struct figures f = figures_of(context, row);
	return column == SITES_SHARE ? figures_bar(&f) : -1;
}

static enum table_tone tone_of(void *context, uint32_t row, int column)
{
	const struct figures f = figures_of(context, row);
	return column < SITES_AGE ? figures_tone(&f, (enum figure)column) : TABLE_PLAIN;
}

static bool is_marked(void *context, uint32_t row)
{
	const struct sites_view *view = context;
	return view->row[row].marked;
}

int sites_column_count(const struct sites_view *view)
{
	const bool shown = view->now.shown != NULL && gcs_sites_has_new(view->now.shown);
	return view->with_new && shown && view->comparison == NULL ? SITES_COLUMNS : SITES_NEW;
}

const struct table_column *sites_shown_columns(const struct sites_view *view)
{
	static const struct profiles_libraries none;
	struct table_column *columns =
	    figures_columns(sites_columns, SITES_COLUMNS, view->comparison != NULL, &view->live,
		view->libraries != NULL ? view->libraries : &none);
	if (view->by != GCS_SITES_BY_SITE)
		columns[SITES_TOP].rank = columns[SITES_OWN].rank = TABLE_HIDDEN;
	if (view->by == GCS_SITES_BY_THREAD || view->by == GCS_SITES_BY_PACKAGE)
		columns[SITES_CLASS_NAME].title = sites_group_title(view->by);
	if (view->by == GCS_SITES_BY_FRAME)
		columns[SITES_OWN].rank = 0;
	return columns;
}

struct table_rows sites_table_rows(struct sites_view *view, const struct app *app)
{
	return (struct table_rows){
	    .column = sites_shown_columns(view),
	    .columns = sites_column_count(view),
	    .count = view->rows,
	    .cell = sites_cell,
	    .bar = bar_of,
	    .bar_text = view->comparison != NULL ? FIGURES_GROWTH_TEXT : 0,
	    .tone = tone_of,
	    .marked = is_marked,
	    .context = view,
	    .old = profiles_are_old(app),
	};
}
