/* The overview: the parts of the view, and the pointer in its charts. */
#include <stdlib.h>

#include "heap_view.h"
#include "layout.h"
#include "overview_view.h"

enum { DOUBLE_PRESS_MS = 400, DRAG_LEAST = 4, LINE = 40 };

static void *overview_open(struct app *app)
{
	(void)app;
	return calloc(1, sizeof(struct overview_view));
}

/* The bar, and the wheel beside the charts. */
static void run_bar(struct overview_view *v, struct app *app, const struct overview_layout *l)
{
	struct ui *ui = &app->ui;
	bool moved = ui_scroll_bar(
	    ui, UI_ID(PANEL_VIEW, OVERVIEW_SCROLL), l->bar, l->content, l->page.h, &v->scroll);
	if (ui->ev != NULL && !rect_has(l->all.ticks, ui->ev->x, ui->ev->y))
		moved |= ui_scroll_wheel(
		    ui, l->page, l->content, l->page.h, ui_px(ui, LINE), &v->scroll);
	if (moved)
		app_dirty(app, PANEL_VIEW);
}

static void overview_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct overview_view *v = self;
	(void)all;
	cv_fill(&app->cv, r, app->ui.theme->ground);
	cv_touch(&app->cv, r);
	app->stats.tiles = 0;
	const struct overview_layout l = overview_lay_out(app, r);
	cv_push_clip(&app->cv, l.page);
	overview_cards_run(app, &l);
	overview_plots_paint(app, &l);
	ui_ring(&app->ui, UI_ID(PANEL_VIEW, OVERVIEW_FIELD), l.all.ticks);
	cv_pop_clip(&app->cv);
	run_bar(v, app, &l);
}

static void show_moment(struct app *app, const struct overview_layout *l)
{
	struct ui *ui = &app->ui;
	const struct timeline *s = &l->all;
	char text[768];
	const struct event_header *m = timeline_nearest(app, timeline_time(s, ui->ev->x));
	if (m == NULL)
		return;
	app->hover_ns = m->time_ns;
	timeline_tip_text(app, m, text, sizeof text);
	ui_tip(ui, UI_ID(PANEL_VIEW, OVERVIEW_FIELD),
	    rect_make(timeline_x(s, m->time_ns), s->ticks.y, 2, s->ticks.h), text);
}

/* The time of the event nearest to a pixel. */
static uint64_t event_ns(const struct app *app, const struct timeline *s, int x)
{
	const uint64_t at = timeline_time(s, x);
	const struct event_header *m = timeline_nearest(app, at);
	return m != NULL ? m->time_ns : at;
}

static void press_field(struct overview_view *v, struct app *app, const struct timeline *s)
{
	const bool twice = v->click_ms != 0 && app->now_ms - v->click_ms < DOUBLE_PRESS_MS &&
			   abs(app->ui.ev->x - v->press_x) < DRAG_LEAST;
	v->click_ms = twice ? 0 : app->now_ms;
	v->pressed = !twice;
	v->chooses = false;
	v->press_x = app->ui.ev->x;
	v->press_ns = event_ns(app, s, v->press_x);
	app->ui.focus = UI_ID(PANEL_VIEW, OVERVIEW_FIELD);
	if (twice) {
		event_history_choose_all(app);
		timescale_fit(app);
		app_dirty(app, PANEL_VIEW);
	}
}

/* A drag selects a time range in all views, a click goes to an event. */
static void pointer(struct overview_view *v, struct app *app, const struct overview_layout *l)
{
	struct ui *ui = &app->ui;
	const struct timeline *s = &l->all;
	const uint32_t id = UI_ID(PANEL_VIEW, OVERVIEW_FIELD);
	ui_area(ui, id, s->ticks);
	if (ui->ev->kind == EV_DOWN && ui->active == id) {
		press_field(v, app, s);
	} else if (ui->ev->kind == EV_MOVE && ui->active == id && v->pressed) {
		v->chooses = v->chooses || abs(ui->ev->x - v->press_x) >= DRAG_LEAST;
		ui_take(ui);
		if (v->chooses)
			event_history_choose(app, v->press_ns, event_ns(app, s, ui->ev->x));
	} else if (ui->ev->kind == EV_UP && v->pressed) {
		v->pressed = false;
		if (!v->chooses)
			event_history_go_to(app, v->press_ns);
	} else if (ui->ev->kind == EV_MOVE && ui->hot == id) {
		show_moment(app, l);
	}
}

static void overview_event(void *self, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct overview_layout l = overview_lay_out(app, r);
	run_bar(self, app, &l);
	l = overview_lay_out(app, r);
	if (ui->ev->kind == EV_WHEEL) {
		if (!rect_has(l.all.ticks, ui->ev->x, ui->ev->y))
			return;
		if ((ui->ev->mods & MOD_SHIFT) != 0)
			timescale_pan(app, -0.1 * ui->ev->wheel);
		else
			timescale_zoom(
			    app, ui->ev->wheel > 0 ? 0.8 : 1.25, timeline_time(&l.all, ui->ev->x));
		ui_take(ui);
		app_dirty(app, PANEL_VIEW);
		return;
	}
	overview_cards_run(app, &l);
	if (app->view_id != VIEW_OVERVIEW)
		return; /* a button has shown another view */
	if (ui->ev->kind != EV_KEY && ui->ev->kind != EV_TEXT)
		pointer(self, app, &l);
}

static bool overview_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	struct overview_view *v = self;
	(void)argument;
	if (app->snapshot == NULL)
		return false;
	const struct overview_layout l = overview_lay_out(app, app->rect[PANEL_VIEW]);
	const int line = ui_px(&app->ui, LINE), most = l.content - l.page.h;
	const int64_t by = command_rows(id, l.page.h / line) * line;
	if (by == 0 || most <= 0)
		return false;
	const int64_t to = v->scroll + by;
	v->scroll = to < 0 ? 0 : to > most ? most : (int)to;
	app_dirty(app, PANEL_VIEW);
	return true;
}

static bool overview_has_side(void *self, struct app *app)
{
	(void)self;
	return app->snapshot != NULL;
}

static void overview_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	(void)self;
	(void)app;
	(void)scope;
	(void)out;
}

const struct view overview_view = {
    .name = "overview",
    .title = "Overview",
    .show = COMMAND_overview,
    .open = overview_open,
    .close = free,
    .draw = overview_draw,
    .event = overview_event,
    .command = overview_command,
    .copy_text = overview_copy,
    .has_side = overview_has_side,
    .side = overview_side,
    .side_text = overview_side_text,
    .of_snapshot = true,
    .tick = time_figures_tick,
    .due_ms = time_figures_due_ms,
    .settled = time_figures_settled,
    .state = overview_state,
};
