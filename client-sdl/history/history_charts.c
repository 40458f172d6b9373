/* The charts beside a history graph: totals, used memory, pauses. Declared in history_view.h. */
#include <gcspy/format.h>
#include <stdio.h>

#include "history_view.h"
#include "timeline.h"

int64_t hist_chart_most(const struct hist_view *v, uint32_t of)
{
	const struct hist_graph *g = &v->graph;
	return of < HIST_LANES     ? g->lane[of].most
	       : of == CHART_PAUSE ? g->most_pause
				   : g->most_used;
}

int64_t hist_chart_value(
    const struct hist_view *v, const struct hist_plan *p, uint32_t of, uint64_t line)
{
	uint32_t from, to;
	int64_t most = HIST_NONE;
	hist_line_rows(p, &v->graph, line, &from, &to);
	for (uint32_t i = from; i < to; i++) {
		const struct hist_row *row = hist_row_at(&v->graph, i);
		int64_t value = of == CHART_PAUSE         ? row->pause_ns
				: of == CHART_USED        ? row->used
				: row->lane[of].has_total ? row->lane[of].total
							  : HIST_NONE;
		if (of < HIST_LANES || value >= 0)
			most = value > most ? value : most;
	}
	return most;
}

static int part_of(int w, int64_t value, int64_t most)
{
	if (most <= 0 || value <= 0)
		return 0;
	int part = (int)((double)w * ((double)value / (double)most));
	return part > 0 ? part : 1;
}

/* "45 k", "1.2 GiB" or "1.2 G", "24 ms": the significant digits and the largest unit. */
static void compact(int64_t value, enum gcs_format format, bool shortest, char *text, size_t size)
{
	static const char *const steps[][7] = {{"", " k", " M", " G", " T", " P", " E"},
	    {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"},
	    {" ns", " \xc2\xb5s", " ms", " s", " ks", " Ms", " Gs"}};
	double x = (double)value, per = format == GCS_BYTES ? 1024 : 1000;
	int i = 0, kind = format == GCS_BYTES ? !shortest : format == GCS_NANOSECONDS ? 2 : 0;
	for (; i < 6 && (x >= 999.5 || x <= -999.5); i++)
		x /= per;
	snprintf(text, size, "%.*f%s", i > 0 && x < 9.95 && x > -9.95 ? 1 : 0, x, steps[kind][i]);
}

static enum gcs_format format_of(const struct hist_view *v, uint32_t of)
{
	const struct gcs_stream *st = of < HIST_LANES ? hist_stream(v, of) : NULL;
	return of == CHART_PAUSE  ? GCS_NANOSECONDS
	       : of == CHART_USED ? GCS_BYTES
	       : st != NULL       ? st->format
				  : GCS_DECIMAL;
}

void hist_chart_fit(const struct hist_view *v, const struct app *app, uint32_t of, int64_t value,
    int width, char *text, size_t size)
{
	struct font *font = hist_font(v, app, FONT_SMALL);
	enum gcs_format format = format_of(v, of);
	hist_chart_text(v, of, value, text, size);
	if (value == HIST_NONE || text_width(font, text) <= width)
		return;
	gcs_format_number(text, size, value, format);
	for (int i = 0; i < 2 && text_width(font, text) > width; i++)
		compact(value, format, i == 1, text, size);
}

static void paint_chart_head(const struct hist_view *v, struct app *app, struct cv *cv,
    const struct hist_plan *p, uint32_t chart)
{
	const struct ui *ui = &app->ui;
	struct cv_rect r = p->chart[chart];
	uint32_t of = p->chart_of[chart];
	char text[600];
	hist_chart_name(v, of, text, sizeof text);
	hist_text(v, app, cv, rect_make(r.x, p->names.y, r.w, p->names.h), TEXT_LEFT,
	    ui->theme->text, text);
	hist_chart_fit(v, app, of, hist_chart_most(v, of), r.w, text, sizeof text);
	hist_text(v, app, cv, rect_make(r.x, p->labels.y, r.w, p->labels.h), TEXT_RIGHT,
	    ui->theme->weak, text);
}

/* Pauses are bars; totals are a line that stays level until the next event. */
void hist_paint_chart(const struct hist_view *v, struct app *app, struct cv *cv,
    const struct hist_plan *p, uint32_t chart)
{
	const struct theme *th = app->ui.theme;
	struct cv_rect r = p->chart[chart];
	uint32_t of = p->chart_of[chart];
	int64_t most = hist_chart_most(v, of);
	uint32_t ink = timeline_colour(th, of == CHART_PAUSE ? th->warn : th->accent);
	uint32_t ground = cv_mix(th->ground, th->accent, 60);
	int w = r.w - 2, thick = ui_px(&app->ui, 2), before = -1;
	paint_chart_head(v, app, cv, p, chart);
	cv_fill(cv, rect_make(r.x, r.y, 1, r.h), th->line);
	cv_fill(cv, rect_make(r.x + r.w - 1, r.y, 1, r.h), cv_mix(th->ground, th->line, 128));
	for (uint32_t i = 0; i < p->page && i < p->lines; i++) {
		int64_t value = hist_chart_value(v, p, of, p->top + i);
		int y = r.y + (int)i * p->row_px, at = part_of(w, value, most);
		if (of == CHART_PAUSE) {
			int h = p->row_px > 2 ? p->row_px - 1 : p->row_px;
			cv_fill(cv, rect_make(r.x + 1, y, at, h), ink);
			continue;
		}
		at = value == HIST_NONE ? before : at;
		if (at < 0)
			continue;
		cv_fill(cv, rect_make(r.x + 1, y, at, p->row_px), ground);
		int from = before < 0 || before > at ? at : before;
		int to = before > at ? before : at;
		cv_fill(cv,
		    rect_make(r.x + 1 + from - (from >= thick ? thick : from), y, to - from + thick,
			to > from ? thick : p->row_px),
		    ink);
		cv_fill(cv,
		    rect_make(r.x + 1 + at - (at >= thick ? thick : at), y, thick, p->row_px), ink);
		before = at;
	}
}
