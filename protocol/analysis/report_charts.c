/* The charts over time: the heap, the pauses, the allocation rate. */
#include <inttypes.h>
#include <stdio.h>

#include "report_chart.h"

static const char *const line_names[LINE_COUNT] = {
    [LINE_BEFORE] = "used before collections",
    [LINE_AFTER] = "used after collections",
    [LINE_COMMITTED] = "committed",
};

static const char *const line_classes[LINE_COUNT] = {
    [LINE_BEFORE] = "before",
    [LINE_AFTER] = "after",
    [LINE_COMMITTED] = "committed",
};

static double mean_of(const struct series_value *c)
{
	return c->sum / c->count;
}

static double seconds_of(const struct series_value *c)
{
	return c->time_sum / c->count / 1e9;
}

static void open_figure(struct report *r, const char *title)
{
	text_format(r->text, "<figure>\n<figcaption><h3>%s</h3></figcaption>\n", title);
}

/* How many values stand behind the picture, and whether each is in it. */
static void close_figure(
    struct report *r, uint64_t count, const char *what, bool thinned, const char *how)
{
	char number[32], width[48];
	double seconds = (double)(r->series.last_ns - r->series.first_ns) / 1e9;
	text_format(r->text, "<p class=\"small\">%s %s",
	    text_count(number, sizeof number, (double)count), what);
	if (thinned)
		text_format(r->text, ", in columns of %s: %s",
		    report_duration(width, sizeof width, seconds / SERIES_COLUMNS), how);
	text_raw(r->text, ".</p>\n<p class=\"note\" aria-live=\"polite\"></p>\n</figure>\n");
}

/* True if some column has values that differ. */
static bool is_banded(const struct series_value *columns)
{
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++)
		if (columns[i].count > 1 && columns[i].max > columns[i].min)
			return true;
	return false;
}

/* True if some column has several pauses. */
static bool is_thinned(const struct series_kind *kind)
{
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++)
		if (kind->columns[i].all.count > 1)
			return true;
	return false;
}

/* From the least to the largest of each column, where a column has several values. */
static void put_band(struct chart *c, const struct series_value *columns, const char *class_name)
{
	text_format(c->text, "<path class=\"band %s\" d=\"", class_name);
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++) {
		const struct series_value *k = &columns[i];
		if (k->count > 1 && k->max > k->min)
			text_format(c->text, "M%.1f %.1fV%.1f", CHART_LEFT + i + 0.5,
			    chart_y(c, k->max), chart_y(c, k->min));
	}
	text_raw(c->text, "\"/>\n");
}

static void put_line(struct chart *c, const struct series_value *columns, const char *class_name)
{
	text_format(c->text, "<polyline class=\"line %s\" points=\"", class_name);
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++)
		if (columns[i].count != 0)
			text_format(c->text, "%.1f,%.1f ", chart_x(c, seconds_of(&columns[i])),
			    chart_y(c, mean_of(&columns[i])));
	text_raw(c->text, "\"/>\n");
}

/* Unseen columns whose words are shown under the pointer. */
static void put_words(struct chart *c, const struct series *s)
{
	char at[32], bytes[32];
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++) {
		bool any = false;
		for (unsigned k = 0; k < LINE_COUNT; k++)
			any = any || s->lines[k][i].count != 0;
		if (!any)
			continue;
		text_format(c->text,
		    "<rect class=\"hit\" x=\"%u\" y=\"%d\" width=\"1\" height=\"%d\"><title>%s",
		    CHART_LEFT + i, CHART_TOP, CHART_HEIGHT,
		    report_duration(at, sizeof at, (i + 0.5) / SERIES_COLUMNS * c->seconds));
		for (unsigned k = 0; k < LINE_COUNT; k++)
			if (s->lines[k][i].count != 0)
				text_format(c->text, "; %s %s", line_names[k],
				    text_size(bytes, sizeof bytes, mean_of(&s->lines[k][i])));
		text_raw(c->text, "</title></rect>\n");
	}
}

static void put_heap(struct report *r)
{
	const struct series *s = &r->series;
	struct chart c;
	double most = 0;
	uint64_t count = 0;
	bool thinned = false;
	for (unsigned k = 0; k < LINE_COUNT; k++)
		for (uint32_t i = 0; i < SERIES_COLUMNS; i++)
			if (s->lines[k][i].count != 0 && s->lines[k][i].max > most)
				most = s->lines[k][i].max;
	for (unsigned k = 0; k < LINE_COUNT; k++) {
		count += s->line_count[k];
		thinned = thinned || is_banded(s->lines[k]);
	}
	if (count == 0) {
		text_raw(r->text, "<p>No event says how much of the heap is used.</p>\n");
		return;
	}
	open_figure(r, "Heap");
	chart_open(
	    &c, r, "Used and committed bytes of the heap over time", most, true, chart_bytes);
	for (unsigned k = 0; k < LINE_COUNT; k++) {
		put_band(&c, s->lines[k], line_classes[k]);
		put_line(&c, s->lines[k], line_classes[k]);
	}
	put_words(&c, s);
	chart_close(&c);
	for (unsigned k = 0; k < LINE_COUNT; k++)
		if (s->line_count[k] != 0)
			chart_key(r->text, line_classes[k], line_names[k]);
	close_figure(r, count, "sizes", thinned,
	    "the line is their mean, the band reaches from the least to the largest");
}

static void put_pause(struct chart *c, const struct series *s, uint32_t kind, uint32_t column)
{
	const struct series_kind *k = s->kinds[kind];
	const struct series_pause *p = &k->columns[column];
	char at[32], longest[32], mean[32], count[32];
	double seconds = (double)(p->time_ns - s->first_ns) / 1e9;
	double y = chart_y(c, p->all.max);
	text_format(c->text, "<g class=\"k%u\"><title>", (unsigned)kind);
	text_xml(c->text, k->name);
	text_format(c->text, ", %s", chart_time(longest, sizeof longest, p->all.max));
	if (p->cause[0] != '\0') {
		text_raw(c->text, ", ");
		text_xml(c->text, p->cause);
	}
	text_format(
	    c->text, ", at %s, event %" PRIu64, report_duration(at, sizeof at, seconds), p->place);
	if (p->all.count > 1)
		text_format(c->text, "; the longest of %s, mean %s",
		    text_count(count, sizeof count, p->all.count),
		    chart_time(mean, sizeof mean, mean_of(&p->all)));
	text_format(c->text, "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"2\" height=\"%.1f\"/>",
	    chart_x(c, seconds) - 1, y, CHART_TOP + CHART_HEIGHT - y);
	if (p->all.count > 1)
		text_format(c->text, "<path class=\"mean\" d=\"M%.1f %.1fh2\"/>",
		    chart_x(c, seconds) - 1, chart_y(c, mean_of(&p->all)));
	text_raw(c->text, "</g>\n");
}

static void put_pauses(struct report *r)
{
	const struct series *s = &r->series;
	struct chart c;
	char class_name[16];
	bool thinned = false;
	double most = 0;
	for (uint32_t k = 0; k < s->kind_count; k++) {
		for (uint32_t i = 0; i < SERIES_COLUMNS; i++)
			if (s->kinds[k]->columns[i].all.max > most)
				most = s->kinds[k]->columns[i].all.max;
		thinned = thinned || is_thinned(s->kinds[k]);
	}
	if (s->pause_count == 0)
		return;
	open_figure(r, "Pauses");
	chart_open(&c, r, "Length of each pause over time", most, false, chart_time);
	/* Short ones are drawn over long ones of the same moment. */
	for (uint32_t k = s->kind_count; k-- != 0;)
		for (uint32_t i = 0; i < SERIES_COLUMNS; i++)
			if (s->kinds[k]->columns[i].all.count != 0)
				put_pause(&c, s, k, i);
	chart_close(&c);
	for (uint32_t k = 0; k < s->kind_count; k++) {
		snprintf(class_name, sizeof class_name, "k%u", (unsigned)k);
		chart_key(r->text, class_name, s->kinds[k]->name);
	}
	close_figure(r, s->pause_count, "pauses", thinned,
	    "a bar is the longest of its kind, the stroke across it their mean");
}

static void put_rate(struct chart *c, const struct series_rate *k, uint32_t column)
{
	char words[48], fastest[48], at[32];
	double mean = chart_y(c, k->bytes / k->seconds);
	text_format(c->text, "<g class=\"rate\"><title>%s: %s",
	    report_duration(at, sizeof at, (column + 0.5) / SERIES_COLUMNS * c->seconds),
	    chart_rate(words, sizeof words, k->bytes / k->seconds));
	if (k->count > 1)
		text_format(c->text, " in the mean of %u, at most %s", (unsigned)k->count,
		    chart_rate(fastest, sizeof fastest, k->max));
	text_raw(c->text, "</title>");
	if (k->count > 1)
		text_format(c->text, "<path class=\"most\" d=\"M%.1f %.1fV%.1f\"/>",
		    CHART_LEFT + column + 0.5, chart_y(c, k->max), mean);
	text_format(c->text, "<rect x=\"%u\" y=\"%.1f\" width=\"1\" height=\"%.1f\"/></g>\n",
	    (unsigned)(CHART_LEFT + column), mean, CHART_TOP + CHART_HEIGHT - mean);
}

static void put_rates(struct report *r)
{
	const struct series *s = &r->series;
	struct chart c;
	double most = 0;
	bool thinned = false;
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++) {
		most = s->rate[i].max > most ? s->rate[i].max : most;
		/* Two meet where one ends and the next begins. */
		thinned = thinned || s->rate[i].count > 2;
	}
	if (s->rate_count == 0)
		return;
	open_figure(r, "Allocation rate");
	chart_open(&c, r, "Bytes allocated in a second over time", most, true, chart_rate);
	for (uint32_t i = 0; i < SERIES_COLUMNS; i++) {
		const struct series_rate *k = &s->rate[i];
		if (k->count == 0)
			continue;
		put_rate(&c, k, i);
	}
	chart_close(&c);
	close_figure(r, s->rate_count, "times between sizes of the heap", thinned,
	    "a bar is the mean, the thin line on it the largest");
}

void report_charts(struct report *r)
{
	text_raw(r->text, "<section id=\"charts\"><h2>Over time</h2>\n");
	put_heap(r);
	put_pauses(r);
	put_rates(r);
	text_raw(r->text, "</section>\n");
}
