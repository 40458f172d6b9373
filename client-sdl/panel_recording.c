/*
 * The strip of a recording: all of it from its first to its last event, a lane per event, below
 * them the heap in use and the pauses, and the present place, which the pointer and the keys move.
 */
#include <gcspy/format.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "strip.h"

enum { STRIP = 1 };

struct graph {
	struct cv_rect r; /* empty: no room, or nothing to show */
	int64_t most_pause, most_used;
};

static struct strip lay_out(const struct app *app, struct cv_rect r, struct graph *graph)
{
	const struct replay *replay = &app->replay;
	const struct ui *ui = &app->ui;
	uint64_t span = replay->at.last_time_ns - replay->at.first_time_ns;
	bool any = replay->overview.most_pause > 0 || replay->overview.most_used > 0;
	int h = any && r.h >= ui_px(ui, 88) ? ui_px(ui, 30) : 0;
	struct cv_rect lanes = r;
	/* The axis stays at the bottom, so the graph is cut out above it. */
	lanes.h -= h;
	struct strip s = strip_lay_out(app, lanes, replay->at.last_time_ns, span);
	*graph = (struct graph){.r = rect_make(s.ticks.x, s.ticks.y + s.ticks.h, s.ticks.w, h),
	    .most_pause = replay->overview.most_pause,
	    .most_used = replay->overview.most_used};
	return s;
}

/* The whole of what can be clicked. */
static struct cv_rect field_of(const struct strip *s, const struct graph *g)
{
	return rect_make(s->ticks.x, s->ticks.y, s->ticks.w, s->ticks.h + g->r.h);
}

static void paint_axis(struct app *app, const struct strip *s, const struct graph *g)
{
	struct ui *ui = &app->ui;
	struct cv_rect field = field_of(s, g);
	int h = ui_px(ui, 14);
	char text[32];
	for (int i = 0; i <= 4; i++) {
		int x = field.x + field.w * i / 4;
		if (i > 0 && i < 4)
			cv_vline(ui->cv, x, field.y, field.h, ui->theme->line);
		int w = ui_px(ui, 90);
		struct cv_rect at = rect_make(i == 4 ? x - w : x, field.y + field.h, w, h);
		ui_label(ui, at, i == 4 ? TEXT_RIGHT : TEXT_LEFT,
		    replay_put_time(text, sizeof text, s->span_ns / 4 * (uint64_t)i));
	}
}

static void paint_ticks(struct app *app, const struct strip *s)
{
	const struct gcs_model *model = app_model(app);
	const struct overview *o = &app->replay.overview;
	int last_x[GCS_MAX_EVENTS]; /* per lane: a pixel is painted once */
	memset(last_x, -1, sizeof last_x);
	int w = ui_px(&app->ui, 2);
	for (uint32_t i = 0; i < o->count; i++) {
		const struct moment *m = &o->at[i];
		if (m->event >= model->event_count || m->event >= GCS_MAX_EVENTS)
			continue;
		int lane = strip_lane(s, m->event);
		int x = strip_x(s, m->time_ns);
		if (last_x[lane] == x)
			continue;
		last_x[lane] = x;
		cv_fill(&app->cv,
		    rect_make(x, s->ticks.y + lane * s->lane_height + 1, w, s->lane_height - 2),
		    strip_colour(app->ui.theme, model->events[m->event].colour));
	}
}

static int part_of(int h, int64_t value, int64_t most)
{
	int part = most > 0 ? (int)((double)h * (double)value / (double)most) : 0;
	return value > 0 && part == 0 ? 1 : part;
}

/* A column from x up to the next event: the heap in use does not fall between two events. */
static void paint_used(struct app *app, const struct strip *s, const struct graph *g)
{
	const struct overview *o = &app->replay.overview;
	uint32_t colour = cv_mix(app->ui.theme->ground, app->ui.theme->accent, 90);
	int64_t used = -1;
	int from = g->r.x;
	for (uint32_t i = 0; i <= o->count; i++) {
		if (i < o->count && o->at[i].used_bytes < 0)
			continue;
		int x = i < o->count ? strip_x(s, o->at[i].time_ns) : g->r.x + g->r.w;
		int h = part_of(g->r.h - 2, used, g->most_used);
		if (x > from && used > 0)
			cv_fill(
			    &app->cv, rect_make(from, g->r.y + g->r.h - h, x - from, h), colour);
		/* Of several events in one pixel the highest use counts. */
		if (i < o->count)
			used = x == from && used > o->at[i].used_bytes ? used : o->at[i].used_bytes;
		from = x;
	}
}

static void paint_pauses(struct app *app, const struct strip *s, const struct graph *g)
{
	const struct overview *o = &app->replay.overview;
	uint32_t colour = strip_colour(app->ui.theme, app->ui.theme->warn);
	int last_x = -1, last_h = 0;
	for (uint32_t i = 0; i < o->count; i++) {
		int h = part_of(g->r.h - 2, o->at[i].pause_ns, g->most_pause);
		int x = strip_x(s, o->at[i].time_ns);
		if (o->at[i].pause_ns <= 0 || (x == last_x && h <= last_h))
			continue;
		last_x = x;
		last_h = h;
		cv_fill(&app->cv, rect_make(x, g->r.y + g->r.h - h, ui_px(&app->ui, 2), h), colour);
	}
}

static void paint_graph_label(
    struct app *app, struct cv_rect r, const char *name, int64_t most, enum gcs_format format)
{
	struct ui *ui = &app->ui;
	char text[64];
	if (most <= 0)
		return;
	gcs_format_number(text, sizeof text, most, format);
	struct cv_rect number = cut_right(&r, text_width(ui->fonts->face[FONT_SMALL], text));
	text_in(ui->cv, ui->fonts->face[FONT_SMALL], number, TEXT_RIGHT, ui->theme->text, text);
	ui_label(ui, r, TEXT_LEFT, name);
}

static void paint_graph(struct app *app, const struct strip *s, const struct graph *g, int left)
{
	struct ui *ui = &app->ui;
	if (rect_empty(g->r))
		return;
	paint_used(app, s, g);
	paint_pauses(app, s, g);
	cv_hline(ui->cv, g->r.x, g->r.y, g->r.w, ui->theme->line);
	struct cv_rect row =
	    rect_make(left + ui_px(ui, 25), g->r.y + 1, g->r.x - left - ui_px(ui, 33), g->r.h / 2);
	paint_graph_label(app, row, "Longest pause", g->most_pause, GCS_NANOSECONDS);
	row.y += g->r.h / 2;
	paint_graph_label(app, row, "Most in use", g->most_used, GCS_BYTES);
}

static void paint_cursor(struct app *app, const struct strip *s, const struct graph *g)
{
	struct ui *ui = &app->ui;
	struct cv_rect field = field_of(s, g);
	int w = ui_px(ui, 2);
	int x = strip_x(s, app->replay.at.time_ns);
	cv_fill(ui->cv, rect_make(x, field.y, w, field.h), ui->theme->text);
	int knob = ui_px(ui, 4);
	cv_fill(ui->cv, rect_make(x - knob / 2, field.y, w + knob, knob), ui->theme->text);
}

/* Pointer and keys. */

static uint64_t time_at(const struct app *app, const struct strip *s, int x)
{
	const struct gcs_position *at = &app->replay.at;
	double part = (double)(x - s->ticks.x) / (double)(s->ticks.w - 3);
	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return at->first_time_ns + (uint64_t)(part * (double)s->span_ns + 0.5);
}

/* The moment nearest to a pixel, or NULL if none is within 4 of it. */
static const struct moment *moment_at(const struct app *app, const struct strip *s, int x)
{
	const struct overview *o = &app->replay.overview;
	uint32_t i = overview_find(o, time_at(app, s, x));
	const struct moment *best = NULL;
	int least = 5;
	for (uint32_t j = i > 0 ? i - 1 : 0; j <= i && j < o->count; j++) {
		int at = strip_x(s, o->at[j].time_ns);
		int distance = at > x ? at - x : x - at;
		if (distance < least) {
			least = distance;
			best = &o->at[j];
		}
	}
	return best;
}

/* A click beside an event means the event. */
static void scrub(struct app *app, const struct strip *s)
{
	const struct moment *m = moment_at(app, s, app->ui.ev->x);
	replay_go_to(app, m != NULL ? m->time_ns : time_at(app, s, app->ui.ev->x));
}

static void show_tip(struct app *app, const struct strip *s, struct cv_rect field)
{
	struct ui *ui = &app->ui;
	const struct gcs_model *model = app_model(app);
	const struct moment *m = moment_at(app, s, ui->ev->x);
	uint32_t id = UI_ID(PANEL_TIMELINE, STRIP);
	if (m == NULL || model == NULL)
		return;
	char text[512], words[64];
	size_t n = (size_t)snprintf(text, sizeof text, "%.200s\nNumber\t%" PRIu64 "\nTime\t%s",
	    m->event < model->event_count ? model->events[m->event].name : "State at the start",
	    m->sequence,
	    replay_put_time(words, sizeof words, m->time_ns - app->replay.at.first_time_ns));
	if (m->pause_ns >= 0)
		n += (size_t)snprintf(text + n, sizeof text - n, "\nPause\t%s",
		    gcs_format_number(words, sizeof words, m->pause_ns, GCS_NANOSECONDS));
	if (m->used_bytes >= 0)
		snprintf(text + n, sizeof text - n, "\nIn use\t%s",
		    gcs_format_number(words, sizeof words, m->used_bytes, GCS_BYTES));
	ui_tip(ui, id, rect_make(strip_x(s, m->time_ns), field.y, 2, field.h), text);
}

static void on_key(struct app *app)
{
	struct keystroke stroke;
	if (!key_of_event(app->ui.ev, &stroke) || (stroke.mods & ~MOD_SHIFT) != 0)
		return;
	bool far = stroke.mods == MOD_SHIFT;
	enum command_id id = COMMAND_COUNT;
	if (stroke.key == KEY_LEFT)
		id = far ? COMMAND_skip_back : COMMAND_step_back;
	else if (stroke.key == KEY_RIGHT)
		id = far ? COMMAND_skip_forward : COMMAND_step;
	else if (stroke.key == KEY_HOME && !far)
		id = COMMAND_first_event;
	else if (stroke.key == KEY_END && !far)
		id = COMMAND_last_event;
	if (id == COMMAND_COUNT)
		return;
	ui_take(&app->ui);
	app_command(app, id, NULL);
}

static void on_event(struct app *app, const struct strip *s, struct cv_rect field)
{
	struct ui *ui = &app->ui;
	uint32_t id = UI_ID(PANEL_TIMELINE, STRIP);
	if (ui->ev->kind == EV_KEY || ui->ev->kind == EV_TEXT) {
		if (ui->focus == id)
			on_key(app);
		return;
	}
	ui_area(ui, id, field);
	if (ui->ev->kind == EV_DOWN && ui->active == id) {
		ui->focus = id;
		scrub(app, s);
	} else if (ui->ev->kind == EV_MOVE && ui->active == id) {
		ui_take(ui);
		scrub(app, s);
	} else if (ui->ev->kind == EV_MOVE && ui->hot == id) {
		show_tip(app, s, field);
	}
}

void recording_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct graph graph;
	struct strip s = lay_out(app, r, &graph);
	struct cv_rect field = field_of(&s, &graph);
	uint32_t id = UI_ID(PANEL_TIMELINE, STRIP);
	if (!ui_paints(ui)) {
		on_event(app, &s, field);
		return;
	}
	ui_control(ui, id, field);
	cv_hline(ui->cv, r.x, r.y, r.w, ui->theme->line);
	cv_fill(ui->cv, field, ui->theme->ground);
	if (r.h >= ui_px(ui, 48))
		paint_axis(app, &s, &graph);
	if (app->snapshot != NULL) {
		strip_labels(app, &s, r);
		paint_graph(app, &s, &graph, r.x);
		paint_ticks(app, &s);
	}
	paint_cursor(app, &s, &graph);
	ui_ring(ui, id, field);
}

void recording_text(struct app *app, struct textbuf *out)
{
	const struct replay *r = &app->replay;
	char words[256];
	textbuf_printf(
	    out, "recording\tevent %" PRIu64 " of %" PRIu64 "\n", r->at.place + 1, r->at.events);
	textbuf_printf(out, "on the strip\t%u events\n", r->overview.count);
	replay_loss_words(app, words, sizeof words);
	if (words[0] != 0)
		textbuf_printf(out, "missing\t%s\n", words);
}
