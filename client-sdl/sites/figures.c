#include "figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sites_view.h"

static bool is_unknown(const struct figures *f)
{
	return f->change && f->live->unknown[0] != 0;
}

double figures_value(const struct figures *f, enum figure figure)
{
	if (figure == FIGURE_SHARE)
		figure = FIGURE_BYTES;
	return f->now[figure] - f->before[figure];
}

void figures_cell(const struct figures *f, enum figure figure, char *text, size_t size)
{
	const double rate = f->change && f->live->minutes > 0 ? f->live->minutes : 1;
	const double now = f->now[figure], before = f->before[figure];
	const double *bytes = &f->now[FIGURE_BYTES];
	char error[64];
	if (is_unknown(f)) {
		snprintf(text, size, "not known");
		return;
	}
	switch (figure) {
	case FIGURE_BYTES:
	case FIGURE_SELF:
		sites_put_value(text, size, f->change, sites_put_bytes, now / rate, before / rate);
		break;
	case FIGURE_ERROR:
		snprintf(
		    text, size, "\xc2\xb1 %s", sites_put_bytes(error, sizeof error, now / rate));
		break;
	case FIGURE_SHARE:
		if (f->change)
			sites_put_growth(text, size, *bytes, f->before[FIGURE_BYTES]);
		else
			sites_put_share(text, size, *bytes, f->all);
		break;
	case FIGURE_OBJECTS:
	case FIGURE_SAMPLES:
		sites_put_value(text, size, f->change, sites_put_count, now, before);
		break;
	case FIGURES:
		break;
	}
}

double figures_bar(const struct figures *f)
{
	const double part = figures_value(f, FIGURE_BYTES);
	if (is_unknown(f))
		return -1;
	return f->all > 0 ? (f->change ? 2 * fabs(part) : part) / f->all : 0;
}

enum table_tone figures_tone(const struct figures *f, enum figure figure)
{
	const double change = figures_value(f, figure);
	if (f->now[FIGURE_ERROR] > fabs(figures_value(f, FIGURE_BYTES)) || is_unknown(f))
		return TABLE_UNCERTAIN;
	if (!f->change || figure == FIGURE_ERROR)
		return TABLE_PLAIN;
	return change > 0 ? TABLE_MORE : change < 0 ? TABLE_LESS : TABLE_PLAIN;
}

void figures_put_frame(char *text, size_t size, const struct gcs_frame *frame)
{
	char name[300], place[200];
	snprintf(text, size, "-");
	if (frame == NULL)
		return;
	sites_put_frame(name, sizeof name, frame);
	sites_put_place(place, sizeof place, frame);
	snprintf(text, size, "%s%s%s", name, place[0] != 0 ? "\t" : "", place);
}

void figures_put_line(char *text, size_t size, const struct gcs_frame *frame)
{
	char name[300], file[200];
	if (frame == NULL || frame->line == 0) {
		figures_put_frame(text, size, frame);
		return;
	}
	snprintf(text, size, "%s:%" PRIu32 "\t%s", sites_put_frame(name, sizeof name, frame),
	    frame->line, sites_put_name(file, sizeof file, frame->file));
}

/* Wide enough for the title in bold and the mark of the order. */
static void retitle(struct table_column *column, const char *title, int width)
{
	column->title = title;
	column->width = column->width > width ? column->width : width;
}

struct table_column *figures_columns(const struct table_column *columns, int count, bool change,
    const struct profiles_live *live, const struct profiles_libraries *libraries)
{
	static struct table_column shown[TABLE_COLUMNS];
	const bool rate = change && live->minutes > 0;
	enum { RATE_WIDTH = 100, GROWTH_WIDTH = 110 };
	for (int i = 0; i < count; i++) {
		const char *name = columns[i].name;
		shown[i] = columns[i];
		if (change && strcmp(name, "share") == 0)
			retitle(&shown[i], "Growth", GROWTH_WIDTH);
		else if (rate && strcmp(name, "bytes") == 0)
			retitle(&shown[i], "Bytes/min", RATE_WIDTH);
		else if (rate && strcmp(name, "self") == 0)
			retitle(&shown[i], "Self/min", RATE_WIDTH);
		else if (strcmp(name, "own") == 0)
			shown[i].title = sites_own_title(libraries);
	}
	return shown;
}
