/* The cells of the table of call sites; declared in sites_view.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sites_view.h"

const struct table_column sites_columns[SITES_COLUMNS] = {
    [SITES_BYTES] = {"bytes", "Bytes", TEXT_RIGHT, 80, 0, 0, false},
    [SITES_ERROR] = {"error", "\xc2\xb1", TEXT_RIGHT, 82, 0, 3, false},
    [SITES_SHARE] = {"share", "Share", TEXT_RIGHT, 90, 1, 2, false},
    [SITES_OBJECTS] = {"objects", "Objects", TEXT_RIGHT, 76, 0, 4, false},
    [SITES_SAMPLES] = {"samples", "Samples", TEXT_RIGHT, 70, 0, 5, false},
    [SITES_AGE] = {"age", "Age", TEXT_RIGHT, 50, 0, 6, false},
    [SITES_CLASS_NAME] = {"class", "Class", TEXT_LEFT, 100, 3, 0, true},
    [SITES_TOP] = {"frame", "Top frame", TEXT_LEFT, 130, 4, 1, true},
    [SITES_OWN] = {"own", "Outside the JDK", TEXT_LEFT, 130, 4, 2, true},
    [SITES_NEW] = {"new", "Not collected yet", TEXT_RIGHT, 130, 0, 0, false},
};

const struct gcs_frame *sites_top(const struct gcs_sites *sites, const struct gcs_site *site)
{
	uint32_t stack = site->stack;
	return gcs_sites_caller(sites, &stack);
}

static void put_two(char *text, size_t size, const char *first, const char *second)
{
	snprintf(text, size, "%s%s%s", first, *second != 0 ? "\t" : "", second);
}

static void put_top(const struct gcs_frame *frame, char *text, size_t size)
{
	char name[300], place[200];
	if (frame == NULL)
		snprintf(text, size, "-");
	else
		put_two(text, size, sites_put_frame(name, sizeof name, frame),
		    sites_put_place(place, sizeof place, frame));
}

/* What a site had before; of none, nothing. */
const struct gcs_site *sites_before(const struct gcs_change *c)
{
	static const struct gcs_site none;
	return c->before != NULL ? c->before : &none;
}

const struct gcs_site *sites_after(const struct gcs_change *c)
{
	static const struct gcs_site none;
	return c->after != NULL ? c->after : &none;
}

void sites_cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	const struct sites_view *view = context;
	const struct gcs_sites *sites;
	const struct gcs_site *site = sites_of_row(view, row, &sites);
	const struct gcs_change *c = &view->row[row].change;
	const struct gcs_site *before = sites_before(c), *after = sites_after(c);
	bool change = view->comparison != NULL;
	const double rate = view->live.minutes > 0 ? view->live.minutes : 1;
	char a[200], b[200];
	if (view->live.unknown[0] != 0 && column <= SITES_SAMPLES) {
		snprintf(text, size, "not known");
		return;
	}
	switch ((enum sites_column)column) {
	case SITES_BYTES:
		sites_put_value(
		    text, size, change, sites_put_bytes, after->bytes / rate, before->bytes / rate);
		break;
	case SITES_ERROR:
		snprintf(
		    text, size, "\xc2\xb1 %s", sites_put_bytes(a, sizeof a, c->bytes_error / rate));
		break;
	case SITES_SHARE:
		if (change)
			sites_put_growth(text, size, after->bytes, before->bytes);
		else
			sites_put_share(
			    text, size, site->bytes, gcs_sites_total(view->now.all)->bytes);
		break;
	case SITES_OBJECTS:
		sites_put_value(
		    text, size, change, sites_put_count, after->objects, before->objects);
		break;
	case SITES_SAMPLES:
		sites_put_value(text, size, change, sites_put_count, (double)after->samples,
		    (double)before->samples);
		break;
	case SITES_AGE:
		if (site->mean_age < 0)
			snprintf(text, size, "-");
		else
			snprintf(
			    text, size, site->mean_age < 10000 ? "%.1f" : "%.1e", site->mean_age);
		break;
	case SITES_CLASS_NAME:
		put_two(text, size, sites_put_simple(a, sizeof a, site->class_name),
		    sites_put_package(b, sizeof b, site->class_name));
		break;
	case SITES_TOP:
		if (site->stack == GCS_NONE)
			snprintf(text, size, "[no Java frames]");
		else
			put_top(sites_top(sites, site), text, size);
		break;
	case SITES_OWN:
		put_top(gcs_sites_own_frame(sites, site), text, size);
		break;
	case SITES_NEW:
		sites_put_bytes(text, size, after->new_bytes);
		break;
	case SITES_COLUMNS:
		break;
	}
}

static double bar_of(void *context, uint32_t row, int column)
{
	const struct sites_view *view = context;
	if (column != SITES_SHARE || view->live.unknown[0] != 0)
		return -1;
	double all = gcs_sites_total(view->now.all)->bytes, part = view->row[row].change.bytes;
	if (view->comparison != NULL) {
		all += gcs_sites_total(view->before.all)->bytes;
		part = 2 * fabs(part);
	}
	return all > 0 ? part / all : 0;
}

static enum table_tone tone_of(void *context, uint32_t row, int column)
{
	const struct sites_view *view = context;
	const struct gcs_change *c = &view->row[row].change;
	const double change = c->bytes;
	if (column < SITES_AGE && (c->bytes_error > fabs(change) || view->live.unknown[0] != 0))
		return TABLE_UNCERTAIN;
	if (view->comparison == NULL || column == SITES_ERROR || column >= SITES_AGE)
		return TABLE_PLAIN;
	return change > 0 ? TABLE_MORE : change < 0 ? TABLE_LESS : TABLE_PLAIN;
}

static bool is_marked(void *context, uint32_t row)
{
	const struct sites_view *view = context;
	return view->row[row].marked;
}

/* In a difference the share is by how much something has grown. */
static const struct table_column *columns_of(const struct sites_view *view)
{
	static struct table_column changed[SITES_COLUMNS];
	if (view->comparison == NULL)
		return sites_columns;
	memcpy(changed, sites_columns, sizeof changed);
	changed[SITES_SHARE].title = "Growth";
	if (view->live.minutes > 0)
		changed[SITES_BYTES].title = "Bytes/min";
	return changed;
}

int sites_column_count(const struct sites_view *view)
{
	const bool shown = view->now.shown != NULL && gcs_sites_has_new(view->now.shown);
	return view->with_new && shown && view->comparison == NULL ? SITES_COLUMNS : SITES_NEW;
}

struct table_rows sites_table_rows(struct sites_view *view, const struct app *app)
{
	return (struct table_rows){
	    .column = columns_of(view),
	    .columns = sites_column_count(view),
	    .count = view->rows,
	    .cell = sites_cell,
	    .bar = bar_of,
	    .tone = tone_of,
	    .marked = is_marked,
	    .context = view,
	    .old = profiles_are_old(app),
	};
}
