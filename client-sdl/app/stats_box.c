/* The overlay of F12: cost and delay of frames, input latency, bytes received, memory. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "memory_use.h"
#include "overlay.h"

#define STATS_MS 500 /* between two looks at bytes and memory */

struct stat_line {
	const char *name;
	double value;
	int decimals;
	const char *unit;
};

static uint64_t received(const struct app *app)
{
	return app->source.ops != NULL ? app->source.ops->received(app->source.self) : 0;
}

uint64_t stats_due_ms(const struct app *app)
{
	return app->stats_shown ? app->stats.looked_ms + STATS_MS : UINT64_MAX;
}

void stats_tick(struct app *app)
{
	struct app_stats *s = &app->stats;
	if (!app->stats_shown || app->now_ms < stats_due_ms(app))
		return;
	uint64_t bytes = received(app);
	uint64_t ms = app->now_ms - s->looked_ms;
	/* After a new connection there is nothing to compare with. */
	bool before = s->looked_ms != 0 && s->looked_at == app->connection && bytes >= s->bytes;
	s->bytes_per_s = before && ms < 10 * STATS_MS ? (bytes - s->bytes) * 1000 / ms : 0;
	s->bytes = bytes;
	s->looked_at = app->connection;
	s->looked_ms = app->now_ms;
	s->resident = memory_resident();
	app_dirty(app, PANEL_MODAL);
}

/* The 99th percentile of the slowest kind of input. */
static uint32_t slow_input_us(const struct latency *l)
{
	uint32_t most = 0;
	for (int i = 0; i < LATENCY_KINDS; i++) {
		const uint32_t us = latency_part(l, (enum latency_kind)i, 99);
		most = us > most ? us : most;
	}
	return most;
}

void overlay_stats(struct app *app)
{
	if (!app->stats_shown)
		return;
	struct ui *ui = &app->ui;
	const struct app_stats *s = &app->stats;
	const struct source *source = &app->source;
	uint64_t overrun = source->ops != NULL ? source->ops->overrun(source->self) : 0;
	const struct stat_line lines[] = {
	    {"frames", (double)s->frames, 0, ""},
	    {"paint", s->paint_us / 1000.0, 2, "ms"},
	    {"worst", s->paint_worst_us / 1000.0, 2, "ms"},
	    {"tiles", s->tiles, 0, ""},
	    {"lag", (double)s->lag_us / 1000.0, 1, "ms"},
	    {"input", app->latency.last_us / 1000.0, 1, "ms"},
	    {"in. p99", slow_input_us(&app->latency) / 1000.0, 1, "ms"},
	    {"skipped", (double)(s->skipped + overrun), 0, ""},
	    {"received", (double)received(app) / 1024, 0, "KiB"},
	    {"rate", (double)s->bytes_per_s / 1024, 1, "KiB/s"},
	    {"memory", (double)s->resident / 1048576, 1, "MiB"},
	};
	int n = (int)(sizeof lines / sizeof *lines);
	struct font *font = ui->fonts->face[FONT_MONO];
	int step = font_height(font) + ui_px(ui, 2);
	int w = 25 * text_width(font, "0") + ui_px(ui, 16);
	struct cv_rect view = app->rect[PANEL_VIEW];
	struct cv_rect box = rect_make(view.x + view.w - w - ui_px(ui, 20), view.y + ui_px(ui, 8),
	    w, n * step + ui_px(ui, 16));
	if (!layer_save(&app->layer_stats, &app->cv, box))
		return;
	cv_blend(&app->cv, box, 0x0a0b0e, 225);
	struct cv_rect r = rect_inset(box, ui_px(ui, 8));
	for (int i = 0; i < n; i++) {
		char text[64];
		snprintf(text, sizeof text, "%-8s %10.*f %-5s", lines[i].name, lines[i].decimals,
		    lines[i].value, lines[i].unit);
		text_paint(&app->cv, font, r.x, cut_top(&r, step).y, 0xf2f4f7, text);
	}
}
