#include "report_chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <gcspy/format.h>

enum { TICKS = 5, TIME_TICKS = 9 };

char *chart_bytes(char *buffer, size_t size, double value)
{
	return text_size(buffer, size, value);
}

char *chart_rate(char *buffer, size_t size, double value)
{
	return gcs_format_figure(buffer, size, value, GCS_UNIT_BYTES_PER_SECOND);
}

char *chart_time(char *buffer, size_t size, double value)
{
	return gcs_format_number(buffer, size, (int64_t)text_rounded(value), GCS_NANOSECONDS);
}

double chart_x(const struct chart *c, double seconds)
{
	return CHART_LEFT + seconds / c->seconds * CHART_WIDTH;
}

double chart_y(const struct chart *c, double value)
{
	return CHART_TOP + CHART_HEIGHT - value / c->most * CHART_HEIGHT;
}

/* The round number, 1, 2 or 5 times a power of ten, or a power of two, for so many steps. */
static double round_step(double most, unsigned steps, bool powers_of_two)
{
	double least = most / steps;
	if (powers_of_two)
		return exp2(ceil(log2(least)));
	double power = pow(10, floor(log10(least)));
	for (unsigned i = 0; i < 3; i++) {
		static const double factors[] = {1, 2, 5};
		if (factors[i] * power >= least * (1 - 1e-9))
			return factors[i] * power;
	}
	return 10 * power;
}

/* Times in minutes and hours have steps of their own. */
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

char *report_duration(char *buffer, size_t size, double seconds)
{
	uint64_t whole = (uint64_t)(seconds + 0.5);
	if (seconds < 1)
		snprintf(buffer, size, "%.0f ms", seconds * 1000);
	else if (seconds < 100)
		snprintf(buffer, size, seconds < 10 ? "%.2f s" : "%.1f s", seconds);
	else if (whole < 7200)
		snprintf(buffer, size, "%" PRIu64 " min %" PRIu64 " s", whole / 60, whole % 60);
	else if (whole < 172800)
		snprintf(
		    buffer, size, "%" PRIu64 " h %" PRIu64 " min", whole / 3600, whole / 60 % 60);
	else
		snprintf(
		    buffer, size, "%" PRIu64 " d %" PRIu64 " h", whole / 86400, whole / 3600 % 24);
	return buffer;
}

/* A mark of the axis of time. */
static void put_seconds(struct text *t, double seconds, double step)
{
	uint64_t whole = (uint64_t)(seconds + 0.5);
	if (step < 1)
		text_format(t, step < 0.01 ? "%.4f s" : "%.2f s", seconds);
	else if (step < 60)
		text_format(t, "%" PRIu64 " s", whole);
	else
		text_format(t, "%" PRIu64 ":%02u h", whole / 3600, (unsigned)(whole / 60 % 60));
}

static void put_axes(struct chart *c, double step, chart_words *words)
{
	struct text *t = c->text;
	char label[48];
	for (double v = 0; v <= c->most * (1 + 1e-9); v += step)
		text_format(t,
		    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
		    "<text class=\"up\" x=\"%d\" y=\"%.1f\">%s</text>\n",
		    CHART_LEFT, CHART_LEFT + CHART_WIDTH, chart_y(c, v), chart_y(c, v),
		    CHART_LEFT - 8, chart_y(c, v) + 4, words(label, sizeof label, v));
	double along = time_step(c->seconds);
	for (double s = 0; s <= c->seconds * (1 + 1e-9); s += along) {
		double x = chart_x(c, s);
		text_format(t,
		    "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
		    "<text class=\"along\" x=\"%.1f\" y=\"%d\">",
		    x, x, CHART_TOP, CHART_TOP + CHART_HEIGHT + 4, x,
		    CHART_TOP + CHART_HEIGHT + 18);
		put_seconds(t, s, along);
		text_raw(t, "</text>\n");
	}
}

void chart_open(struct chart *c, const struct report *r, const char *label, double most,
    bool powers_of_two, chart_words *words)
{
	most = most > 0 ? most : 1;
	double step = round_step(most, TICKS, powers_of_two);
	*c = (struct chart){.text = r->text,
	    .seconds = (double)(r->series.last_ns - r->series.first_ns) / 1e9,
	    .most = ceil(most / step * (1 - 1e-9)) * step};
	text_format(c->text,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" "
	    "aria-label=\"%s\" viewBox=\"0 0 %d %d\">\n",
	    label, CHART_LEFT + CHART_WIDTH + 24, CHART_TOP + CHART_HEIGHT + 26);
	put_axes(c, step, words);
}

void chart_close(struct chart *c)
{
	text_raw(c->text, "</svg>\n");
}

void chart_key(struct text *t, const char *class_name, const char *name)
{
	text_format(t,
	    "<span class=\"key\"><svg class=\"sample\" width=\"13\" height=\"13\"><rect "
	    "class=\"%s\" width=\"13\" height=\"13\"/></svg> ",
	    class_name);
	text_xml(t, name);
	text_raw(t, "</span>\n");
}
