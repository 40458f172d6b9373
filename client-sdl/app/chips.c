/*
 * What restricts the view or colours it, as chips beside the buttons of the header: a click on one
 * ends it. Declared in app.h.
 */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "events_view.h"
#include "heap_view.h"
#include "layout.h"
#include "range.h"

enum { CHIPS_FIRST = 60, CHIPS_MOST = 10, CHIPS_HEIGHT = 24, CHIPS_WIDEST = 260, CHIPS_LEAST = 70 };

struct chip {
	char text[160];
	void (*end)(struct app *app);
};

static void end_filter(struct app *app)
{
	profiles_set_filter(app, "");
}

static void end_place(struct app *app)
{
	profiles_show_place(app, "");
}

static void end_profiles_comparison(struct app *app)
{
	profiles_end_comparison(app);
}

static void end_ages(struct app *app)
{
	app_command(app, COMMAND_age_band, "all");
}

static void end_site(struct app *app)
{
	heap_leave_site(app->views[VIEW_HEAP], app);
}

static void end_tiles_comparison(struct app *app)
{
	heap_compare_end(app->views[VIEW_HEAP], app);
}

static void end_find(struct app *app)
{
	events_find_end(app->views[VIEW_EVENTS], app);
}

static void end_range(struct app *app)
{
	app_command(app, COMMAND_range_clear, NULL);
}

static void add_chip(
    struct chip *chips, int *n, void (*end)(struct app *app), const char *title, const char *text)
{
	struct chip *c = &chips[(*n)++];
	snprintf(c->text, sizeof c->text, "%s%s%.120s", title, text[0] != 0 ? ": " : "", text);
	c->end = end;
}

static int chips_fill(const struct app *app, struct chip chips[CHIPS_MOST])
{
	const struct heap *heap = app->views[VIEW_HEAP];
	const struct events_view *events = app->views[VIEW_EVENTS];
	const struct profiles *p = &app->profiles;
	char text[160];
	int n = 0;
	if (profiles_are_shown(app)) {
		uint32_t min_age, below_age;
		if (p->field.text[0] != 0)
			add_chip(chips, &n, end_filter, "Filter", p->field.text);
		if (profiles_where(app)[0] != 0)
			add_chip(chips, &n, end_place, "Only objects in", profiles_where(app));
		profiles_ages(app, &min_age, &below_age);
		if (min_age > 0 || below_age > 0) {
			if (below_age > 0)
				snprintf(text, sizeof text, "%u to below %u collections", min_age,
				    below_age);
			else
				snprintf(text, sizeof text, "%u collections or more", min_age);
			add_chip(chips, &n, end_ages, "Age", text);
		}
		if (p->base.profile != NULL)
			add_chip(chips, &n, end_profiles_comparison,
			    profiles_before(app) != NULL ? "Compared with" : "Not comparable with",
			    p->base.name);
	}
	if (app->view_id == VIEW_HEAP && heap->site.on)
		add_chip(chips, &n, end_site, "Only", heap->site.name);
	if (app->view_id == VIEW_HEAP && heap->compare.a != NULL)
		add_chip(chips, &n, end_tiles_comparison, "Since", heap->compare.label);
	if (app->view_id == VIEW_EVENTS && events->find.text[0] != 0)
		add_chip(chips, &n, end_find, "Find", events->find.text);
	if (app->range.on) {
		range_summary(app, text, sizeof text);
		add_chip(chips, &n, end_range, "Time", text);
	}
	return n;
}

/* FNV-1a of the texts. */
uint64_t chips_state(const struct app *app)
{
	struct chip chips[CHIPS_MOST];
	const int n = app->snapshot != NULL ? chips_fill(app, chips) : 0;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (int i = 0; i < n; i++)
		for (const char *p = chips[i].text; *p != 0; p++)
			hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	return hash;
}

/* A cross of that size. */
static void paint_cross(struct ui *ui, struct cv_rect r, uint32_t ink)
{
	const int line = ui_px(ui, 1);
	for (int i = 0; i < r.w; i++) {
		cv_fill(ui->cv, rect_make(r.x + i, r.y + i, line + 1, line), ink);
		cv_fill(ui->cv, rect_make(r.x + r.w - 1 - i, r.y + i, line + 1, line), ink);
	}
}

void chips_run(struct app *app, struct cv_rect *row)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	struct chip chips[CHIPS_MOST];
	struct font *font = ui->fonts->face[FONT_SMALL];
	const int n = app->snapshot != NULL ? chips_fill(app, chips) : 0;
	int room = row->w * 6 / 10; /* the event has the rest */
	for (int i = 0; i < n; i++) {
		const uint32_t id = UI_ID(PANEL_HEADER, CHIPS_FIRST + i);
		const int all = text_width(font, chips[i].text) + ui_px(ui, 34);
		const int most = room < ui_px(ui, CHIPS_WIDEST) ? room : ui_px(ui, CHIPS_WIDEST);
		const int w = all < most ? all : most;
		char tip[240];
		if (w < ui_px(ui, CHIPS_LEAST) && w < all)
			break;
		room -= w + ui_px(ui, 6);
		struct cv_rect chip = cut_right(row, w);
		cut_right(row, ui_px(ui, 6));
		chip = centred(chip, chip.w, ui_px(ui, CHIPS_HEIGHT));
		const bool used = ui_control(ui, id, chip);
		snprintf(tip, sizeof tip, "%.150s\nClick to end this", chips[i].text);
		ui_tip(ui, id, chip, tip);
		if (used) {
			chips[i].end(app);
			return;
		}
		if (!ui_paints(ui))
			continue;
		cv_round(ui->cv, chip, ui_px(ui, 8), ui->hot == id ? th->hover : th->raised);
		ui_ring(ui, id, chip);
		cut_left(&chip, ui_px(ui, 10));
		struct cv_rect cross = cut_right(&chip, ui_px(ui, 22));
		text_in(ui->cv, font, chip, TEXT_LEFT, th->text, chips[i].text);
		paint_cross(ui, centred(cross, ui_px(ui, 8), ui_px(ui, 8)), th->text);
	}
}

void chips_text(const struct app *app, struct textbuf *out)
{
	struct chip chips[CHIPS_MOST];
	const int n = app->snapshot != NULL ? chips_fill(app, chips) : 0;
	for (int i = 0; i < n; i++)
		textbuf_printf(out, "restricted\t%s\n", chips[i].text);
}
