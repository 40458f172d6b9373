/* Places of the overview's parts; declared in overview_view.h. */
#include "layout.h"
#include "overview_view.h"

/* Least sizes at scale 1. */
enum { GUTTER = 66, TITLE = 20, CARD_HEIGHT = 72, CARD_WIDTH = 120, FINDING = 34, PLOTS = 180 };

/* Even rows that have all cards. */
static int card_rows(const struct ui *ui, int width)
{
	const int gap = ui_px(ui, 8);
	const int most = (width + gap) / (ui_px(ui, CARD_WIDTH) + gap);
	const int columns = clamp_int(most, 1, OVERVIEW_CARDS);
	return (OVERVIEW_CARDS + columns - 1) / columns;
}

static void place_cards(const struct ui *ui, struct overview_layout *l, struct cv_rect *r, int rows)
{
	const int gap = ui_px(ui, 8), columns = (OVERVIEW_CARDS + rows - 1) / rows;
	for (int row = 0; row < rows; row++) {
		struct cv_rect line = cut_top(r, ui_px(ui, CARD_HEIGHT));
		const int w = (line.w - (columns - 1) * gap) / columns;
		for (int i = 0; i < columns && row * columns + i < OVERVIEW_CARDS; i++) {
			const bool last = i == columns - 1;
			l->card[row * columns + i] = cut_left(&line, last ? line.w : w);
			cut_left(&line, gap);
		}
		cut_top(r, gap);
	}
}

static void place_plots(const struct app *app, struct overview_layout *l, struct cv_rect r)
{
	static const int parts[OVERVIEW_PLOTS] = {50, 25, 25};
	const struct ui *ui = &app->ui;
	uint64_t from, end;
	timescale_part(app, &from, &end);
	const int gutter = ui_px(ui, GUTTER);
	struct cv_rect axis = cut_bottom(&r, ui_px(ui, 16));
	cut_left(&axis, gutter);
	const int title = ui_px(ui, TITLE), high = r.h - OVERVIEW_PLOTS * title;
	const struct timeline base = {
	    .lanes = 1, .lane_height = 1, .from_ns = from, .end_ns = end, .span_ns = end - from};
	l->all = base;
	l->all.ticks = rect_make(r.x + gutter, r.y, r.w - gutter, r.h);
	l->all.axis = axis;
	for (int i = 0; i < OVERVIEW_PLOTS; i++) {
		l->title[i] = cut_top(&r, title);
		l->plot[i] = base;
		l->plot[i].ticks =
		    cut_top(&r, i == OVERVIEW_PLOTS - 1 ? r.h : high * parts[i] / 100);
		cut_left(&l->plot[i].ticks, gutter);
	}
}

struct overview_layout overview_lay_out(const struct app *app, struct cv_rect r)
{
	const struct ui *ui = &app->ui;
	const struct overview_view *v = app->views[VIEW_OVERVIEW];
	struct overview_layout l = {.page = rect_inset(r, ui_px(ui, 10))};
	const int gap = ui_px(ui, 8), rest = ui_px(ui, FINDING + PLOTS) + gap;
	const int card = ui_px(ui, CARD_HEIGHT) + gap;
	int rows = card_rows(ui, l.page.w);
	r = l.page;
	l.content = r.h;
	if (rows * card + rest > r.h) {
		l.bar = cut_right(&r, ui_px(ui, 12));
		cut_right(&r, ui_px(ui, 4));
		rows = card_rows(ui, r.w);
		l.content = rows * card + rest;
		r.y -= clamp_int(v->scroll, 0, l.content - r.h);
		r.h = l.content;
	}
	place_cards(ui, &l, &r, rows);
	l.finding = cut_top(&r, ui_px(ui, FINDING));
	cut_top(&r, gap);
	place_plots(app, &l, r);
	return l;
}
