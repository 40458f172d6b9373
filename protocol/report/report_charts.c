/*
 * The charts over time: the heap, the pauses, the allocation rate. The x axis has a unit of the
 * picture's own coordinates for each column of the series. Not drawn by the visualiser's charts,
 * which are about tiles and have the colours of one theme, while the page follows the reader's.
 */
#include <inttypes.h>
#include <math.h>

#include "report_page.h"

enum { LEFT = 88, TOP = 12, HEIGHT = 210, BOTTOM = TOP + HEIGHT, WIDTH = SERIES_COLUMNS };
enum { TICKS = 5, TIME_TICKS = 9 };

static const struct {
	const char *name, *class_name;
} lines[LINE_COUNT] = {
    [LINE_BEFORE] = {"used before collections", "before"},
    [LINE_AFTER] = {"used after collections", "after"},
    [LINE_COMMITTED] = {"committed", "committed"},
};

struct chart {
	struct report *report;
	struct text *text;
	const struct series *series;
	double seconds; /* of the x axis */
	double most;    /* of the y axis; not 0 */
};

static double x_of(const struct chart *c, double seconds)
{
	return LEFT + seconds / c->seconds * WIDTH;
}

static double y_of(const struct chart *c, double value)
{
	return BOTTOM - value / c->most * HEIGHT;
}

static double mean_of(const struct series_value *v)
{
	return v->sum / v->count;
}

/* At most `steps` steps to `most`: 1, 2 or 5 times a power of ten, or a power of two. */
static double round_step(double most, unsigned steps, bool powers_of_two)
{
	double least = most / steps;
	if (powers_of_two)
		return exp2(ceil(log2(least)));
	double power = pow(10, floor(log10(least)));
	for (unsigned factor = 1; factor <= 5; factor += factor == 1 ? 1 : 3)
		if (factor * power >= least * (1 - 1e-9))
			return factor * power;
	return 10 * power;
}

/* The same for times, which have minutes, hours, days and weeks. */
static double time_step(double seconds)
{
	static const double steps[] = {
	    60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800};
	double least = seconds / TIME_TICKS;
	if (least <= 20)
		return round_step(seconds, TIME_TICKS, false);
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
		if (steps[i] >= least)
			return steps[i];
	return ceil(least / 604800) * 604800;
}

static const char *say_tick(struct report *r, double seconds, double step)
{
	uint64_t whole = (uint64_t)(seconds + 0.5);
	if (step < 1)
		return say(r, step < 0.01 ? "%.4f s" : "%.2f s", seconds);
	if (step < 60)
		return say(r, "%" PRIu64 " s", whole);
	return say(r, "%" PRIu64 ":%02u h", whole / 3600, (unsigned)(whole / 60 % 60));
}

static void put_axes(const struct chart *c, double step, enum gcs_unit unit)
{
	for (double v = 0; v <= c->most * (1 + 1e-9); v += step)
		text_format(c->text,
		    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
		    "<text class=\"up\" x=\"%d\" y=\"%.1f\">%s</text>\n",
		    LEFT, LEFT + WIDTH, y_of(c, v), y_of(c, v), LEFT - 8, y_of(c, v) + 4,
		    say_figure(c->report, v, unit));
	double along = time_step(c->seconds);
	for (double s = 0; s <= c->seconds * (1 + 1e-9); s += along)
		text_format(c->text,
		    "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
		    "<text class=\"along\" x=\"%.1f\" y=\"%d\">%s</text>\n",
		    x_of(c, s), x_of(c, s), TOP, BOTTOM + 4, x_of(c, s), BOTTOM + 18,
		    say_tick(c->report, s, along));
}

/* Opens the figure; `label` says what it shows to readers who cannot see it. */
static struct chart open_chart(
    struct report *r, const char *title, const char *label, double most, enum gcs_unit unit)
{
	most = most > 0 ? most : 1;
	double step = round_step(most, TICKS, unit != GCS_UNIT_NANOSECONDS);
	struct chart c = {.report = r,
	    .text = r->text,
	    .series = &r->series,
	    .seconds = (double)(r->series.last_ns - r->series.first_ns) / 1e9,
	    .most = ceil(most / step * (1 - 1e-9)) * step};
	text_format(c.text,
	    "<figure>\n<figcaption><h3>%s</h3></figcaption>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" "
	    "aria-label=\"%s\" viewBox=\"0 0 %d %d\">\n",
	    title, label, LEFT + WIDTH + 24, BOTTOM + 26);
	put_axes(&c, step, unit);
	return c;
}

/* A sample of a class of the style, and its name. */
static void put_key(const struct chart *c, const char *class_name, const char *name)
{
	FILL(c->report,
	    "<span class=\"key\"><svg class=\"sample\" width=\"13\" height=\"13\"><rect "
	    "class=\"{}\" width=\"13\" height=\"13\"/></svg> {}</span>\n",
	    class_name, name);
}

/* How many values there are, and how they share columns if some do. */
static void close_chart(
    const struct chart *c, uint64_t count, const char *what, bool thinned, const char *how)
{
	struct report *r = c->report;
	FILL(r,
	    "<p class=\"small\">{} {}{}.</p>\n<p class=\"note\" aria-live=\"polite\"></p>\n"
	    "</figure>\n",
	    say_count(r, (double)count), what,
	    thinned ? say(r, ", in columns of %s: %s", say_duration(r, c->seconds / SERIES_COLUMNS),
			  how)
		    : "");
}

/* From the least to the largest of each column that has several values. */
static void put_band(const struct chart *c, unsigned line)
{
	text_format(c->text, "<path class=\"band %s\" d=\"", lines[line].class_name);
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++) {
		const struct series_value *v = &c->series->lines[line][i];
		if (v->count > 1 && v->max > v->min)
			text_format(c->text, "M%.1f %.1fV%.1f", LEFT + i + 0.5, y_of(c, v->max),
			    y_of(c, v->min));
	}
	text_raw(c->text, "\"/>\n");
}

static void put_line(const struct chart *c, unsigned line)
{
	text_format(c->text, "<polyline class=\"line %s\" points=\"", lines[line].class_name);
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++) {
		const struct series_value *v = &c->series->lines[line][i];
		if (v->count != 0)
			text_format(c->text, "%.1f,%.1f ", x_of(c, v->time_sum / v->count / 1e9),
			    y_of(c, mean_of(v)));
	}
	text_raw(c->text, "\"/>\n");
}

/* An invisible column with a tooltip. */
static void put_tip(const struct chart *c, uint32_t column)
{
	const char *open = "";
	for (unsigned k = 0; k < LINE_COUNT; k++) {
		const struct series_value *v = &c->series->lines[k][column];
		if (v->count == 0)
			continue;
		if (open[0] == '\0')
			text_format(c->text,
			    "<rect class=\"hit\" x=\"%u\" y=\"%d\" width=\"1\" "
			    "height=\"%d\"><title>%s",
			    (unsigned)(LEFT + column), TOP, HEIGHT,
			    say_duration(c->report, (column + 0.5) / SERIES_COLUMNS * c->seconds));
		text_format(c->text, "; %s %s", lines[k].name,
		    say_figure(c->report, mean_of(v), GCS_UNIT_BYTES));
		open = "</title></rect>\n";
	}
	text_raw(c->text, open);
}

static void put_heap(struct report *r)
{
	const struct series *s = &r->series;
	double most = 0;
	uint64_t count = 0;
	bool thinned = false;
	for (unsigned k = 0; k < LINE_COUNT; k++) {
		count += s->line_count[k];
		for (uint32_t i = 0; i < SERIES_COLUMNS; i++) {
			const struct series_value *v = &s->lines[k][i];
			most = v->count != 0 && v->max > most ? v->max : most;
			thinned = thinned || (v->count > 1 && v->max > v->min);
		}
	}
	if (count == 0) {
		PUT(r, "<p>No event says how much of the heap is used.</p>\n");
		return;
	}
	struct chart c = open_chart(
	    r, "Heap", "Used and committed bytes of the heap over time", most, GCS_UNIT_BYTES);
	for (unsigned k = 0; k < LINE_COUNT; k++) {
		put_band(&c, k);
		put_line(&c, k);
	}
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++)
		put_tip(&c, i);
	PUT(r, "</svg>\n");
	for (unsigned k = 0; k < LINE_COUNT; k++)
		if (s->line_count[k] != 0)
			put_key(&c, lines[k].class_name, lines[k].name);
	close_chart(&c, count, "sizes", thinned,
	    "the line is their mean, the band reaches from the least to the largest");
}

static void put_pause(const struct chart *c, uint32_t kind, const struct series_pause *p)
{
	struct report *r = c->report;
	double x = x_of(c, (double)(p->time_ns - c->series->first_ns) / 1e9) - 1;
	double y = y_of(c, p->all.max), mean = mean_of(&p->all);
	bool several = p->all.count > 1;
	text_format(c->text, "<g class=\"k%u\">", (unsigned)kind);
	FILL(r, "<title>{}, {}{}{}, at {}, event {}{}</title>", c->series->kinds[kind]->name,
	    say_figure(r, p->all.max, GCS_UNIT_NANOSECONDS), p->cause[0] != '\0' ? ", " : "",
	    p->cause, say_moment(r, p->time_ns), say(r, "%" PRIu64, p->place + 1),
	    several ? say(r, "; the longest of %s, mean %s", say_count(r, p->all.count),
			  say_figure(r, mean, GCS_UNIT_NANOSECONDS))
		    : "");
	text_format(
	    c->text, "<rect x=\"%.1f\" y=\"%.1f\" width=\"2\" height=\"%.1f\"/>", x, y, BOTTOM - y);
	if (several)
		text_format(c->text, "<path class=\"mean\" d=\"M%.1f %.1fh2\"/>", x, y_of(c, mean));
	text_raw(c->text, "</g>\n");
}

static void put_pauses(struct report *r)
{
	const struct series *s = &r->series;
	bool thinned = false;
	double most = 0;
	for (uint32_t k = 0; k < s->kind_count; k++)
		for (uint32_t i = 0; i < SERIES_COLUMNS; i++) {
			const struct series_value *v = &s->kinds[k]->columns[i].all;
			most = v->max > most ? v->max : most;
			thinned = thinned || v->count > 1;
		}
	if (s->pause_count == 0)
		return;
	struct chart c =
	    open_chart(r, "Pauses", "Length of each pause over time", most, GCS_UNIT_NANOSECONDS);
	/* Short ones are drawn over long ones of the same moment. */
	for (uint32_t k = s->kind_count; k-- != 0;)
		for (uint32_t i = 0; i < SERIES_COLUMNS; i++)
			if (s->kinds[k]->columns[i].all.count != 0)
				put_pause(&c, k, &s->kinds[k]->columns[i]);
	PUT(r, "</svg>\n");
	for (uint32_t k = 0; k < s->kind_count; k++)
		put_key(&c, say(r, "k%u", (unsigned)k), s->kinds[k]->name);
	close_chart(&c, s->pause_count, "pauses", thinned,
	    "a bar is the longest of its kind, the stroke across it their mean");
}

static void put_rate(const struct chart *c, uint32_t column)
{
	const struct series_rate *k = &c->series->rate[column];
	struct report *r = c->report;
	double rate = k->bytes / k->seconds, y = y_of(c, rate);
	text_format(c->text, "<g class=\"rate\"><title>%s: %s",
	    say_duration(r, (column + 0.5) / SERIES_COLUMNS * c->seconds),
	    say_figure(r, rate, GCS_UNIT_BYTES_PER_SECOND));
	if (k->count > 1)
		text_format(c->text,
		    " in the mean of %u, at most %s</title><path class=\"most\" d=\"M%.1f "
		    "%.1fV%.1f\"/>",
		    (unsigned)k->count, say_figure(r, k->max, GCS_UNIT_BYTES_PER_SECOND),
		    LEFT + column + 0.5, y_of(c, k->max), y);
	else
		text_raw(c->text, "</title>");
	text_format(c->text, "<rect x=\"%u\" y=\"%.1f\" width=\"1\" height=\"%.1f\"/></g>\n",
	    (unsigned)(LEFT + column), y, BOTTOM - y);
}

static void put_rates(struct report *r)
{
	const struct series *s = &r->series;
	double most = 0;
	bool thinned = false;
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++) {
		most = s->rate[i].max > most ? s->rate[i].max : most;
		/* Two meet where one ends and the next begins. */
		thinned = thinned || s->rate[i].count > 2;
	}
	if (s->rate_count == 0)
		return;
	struct chart c = open_chart(r, "Allocation rate", "Bytes allocated in a second over time",
	    most, GCS_UNIT_BYTES_PER_SECOND);
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++)
		if (s->rate[i].count != 0)
			put_rate(&c, i);
	PUT(r, "</svg>\n");
	close_chart(&c, s->rate_count, "times between sizes of the heap", thinned,
	    "a bar is the mean, the thin line on it the largest");
}

void report_charts(struct report *r)
{
	PUT(r, "<section id=\"charts\"><h2>Over time</h2>\n");
	put_heap(r);
	put_pauses(r);
	put_rates(r);
	PUT(r, "</section>\n");
}
