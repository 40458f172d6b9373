/* The axis of the timeline: lines and labels at round times. Declared in timeline.h. */
#include <gcspy/format.h>
#include <stdio.h>

#include "layout.h"
#include "timeline.h"

#define NS_PER_S UINT64_C(1000000000)

uint64_t timeline_step(uint64_t least_ns)
{
	/* Above ten seconds, round times are parts of minutes and hours. */
	static const uint64_t seconds[] = {
	    20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 18000, 36000, 86400, 172800, 432000};
	for (uint64_t unit = 1; unit <= 10 * NS_PER_S; unit *= 10)
		for (uint64_t k = 1; k <= 5 && unit * k <= 10 * NS_PER_S; k = k == 2 ? 5 : k * 2)
			if (unit * k >= least_ns)
				return unit * k;
	for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
		if (seconds[i] * NS_PER_S >= least_ns)
			return seconds[i] * NS_PER_S;
	return least_ns;
}

char *timeline_put_tick(char *text, size_t size, uint64_t ns, uint64_t step_ns)
{
	const uint64_t all = ns / NS_PER_S;
	const unsigned hours = (unsigned)(all / 3600), minutes = (unsigned)(all / 60 % 60);
	int n = hours > 0
		    ? snprintf(text, size, "%u:%02u:%02u", hours, minutes, (unsigned)(all % 60))
		    : snprintf(text, size, "%u:%02u", minutes, (unsigned)(all % 60));
	int digits = 0;
	for (uint64_t unit = NS_PER_S; unit > 1 && step_ns % unit != 0; unit /= 10)
		digits++;
	if (digits > 0 && (size_t)n < size) {
		char part[16]; /* a point and all nine digits, which are then cut */
		snprintf(part, sizeof part, ".%09u", (unsigned)(ns % NS_PER_S));
		snprintf(text + n, size - (size_t)n, "%.*s", 1 + digits, part);
	}
	return text;
}

struct axis {
	struct app *app;
	const struct timeline *s;
	struct cv_rect range; /* the description of a range, or empty */
	int end;              /* x that the next label must not reach */
};

/* A line, unless it is at an end, and a label, unless it would touch another one or the
 * description of the range. Labels go from right to left. */
static void paint_tick(struct axis *a, int x, const char *text)
{
	struct ui *ui = &a->app->ui;
	const struct cv_rect field = timeline_field(a->s), axis = a->s->axis;
	const int gap = ui_px(ui, 6), w = text_width(ui->fonts->face[FONT_SMALL], text);
	if (x > field.x + ui_px(ui, 2) && x < field.x + field.w - ui_px(ui, 2))
		cv_vline(ui->cv, x, field.y, field.h, ui->theme->line);
	if (x + w + gap > a->end)
		return;
	a->end = x;
	if (a->range.w > 0 && x < a->range.x + a->range.w + gap && x + w + gap > a->range.x)
		return;
	ui_label(ui, rect_make(x, axis.y, w + gap, ui_px(ui, 14)), TEXT_LEFT, text);
}

/* Live: time before the newest event. */
static void paint_ago(struct axis *a, uint64_t step)
{
	struct ui *ui = &a->app->ui;
	const struct cv_rect axis = a->s->axis;
	const char *newest = "newest";
	char text[64], label[80];
	const int w = text_width(ui->fonts->face[FONT_SMALL], newest);
	const int x = axis.x + axis.w - w;
	if (a->range.w == 0 || a->range.x + a->range.w + ui_px(ui, 6) <= x)
		ui_label(ui, rect_make(x, axis.y, w, ui_px(ui, 14)), TEXT_RIGHT, newest);
	a->end = x;
	for (uint64_t ago = step; ago <= a->s->span_ns && ago <= a->s->end_ns; ago += step) {
		gcs_format_number(text, sizeof text, (int64_t)ago, GCS_NANOSECONDS);
		snprintf(label, sizeof label, "\xe2\x80\x93%s", text);
		paint_tick(a, timeline_x(a->s, a->s->end_ns - ago), label);
	}
}

/* Time since the start; more digits if less time is shown. */
static void paint_times(struct axis *a, uint64_t first, uint64_t step)
{
	char text[48];
	if (a->s->end_ns < first)
		return;
	for (uint64_t k = (a->s->end_ns - first) / step;; k--) {
		const uint64_t at = first + k * step;
		if (at < a->s->from_ns)
			break;
		paint_tick(
		    a, timeline_x(a->s, at), timeline_put_tick(text, sizeof text, k * step, step));
		if (k == 0)
			break;
	}
}

void timeline_paint_axis(struct app *app, const struct timeline *s, struct cv_rect range)
{
	uint64_t first, last;
	if (s->axis.h <= 0 || s->axis.w <= 0 || !event_history_span(app, &first, &last))
		return;
	struct axis axis = {app, s, range, s->axis.x + s->axis.w + ui_px(&app->ui, 6)};
	/* Limits the number of steps so that the labels fit. */
	const uint64_t most = (uint64_t)(s->axis.w / ui_px(&app->ui, 100)) + 1;
	const uint64_t step = timeline_step(s->span_ns / most + 1);
	if (app->replay.on || app->event_history.back || s->end_ns != last)
		paint_times(&axis, first, step);
	else
		paint_ago(&axis, step);
}
