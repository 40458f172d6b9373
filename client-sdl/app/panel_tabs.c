/*
 * The row of tabs at the top: one for each view, with the key that shows it. In a narrow window the
 * tabs of other views are reduced to their keys, and finally all tabs have the same width.
 */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"

enum { TABS = 10 }; /* widget numbers, one for each view */

int tabs_height(const struct app *app)
{
	const struct ui *ui = &app->ui;
	return ui_px(ui, app->cv.h < ui_px(ui, 400) ? 26 : 32);
}

/* The first key of the command that shows a view, "" for none. */
static void key_of(const struct view *view, char *key, size_t size)
{
	const char *keys = command_at(view->show)->keys;
	snprintf(key, size, "%.*s", (int)strcspn(keys, " "), keys);
}

static int cap_width(const struct ui *ui, const char *key)
{
	return key[0] != 0 ? text_width(ui->fonts->face[FONT_SMALL], key) + ui_px(ui, 10) : 0;
}

/* Sized for the bold title of the present view, so that tabs do not move when one is chosen. */
static int tab_width(const struct ui *ui, const struct view *view, bool titled)
{
	char key[32];
	key_of(view, key, sizeof key);
	int cap = cap_width(ui, key);
	if (!titled && cap > 0)
		return cap + ui_px(ui, 14);
	int gap = cap > 0 ? ui_px(ui, 7) : 0;
	return cap + gap + text_width(ui->fonts->face[FONT_BOLD], view->title) + ui_px(ui, 22);
}

struct tab_plan {
	int w[VIEW_COUNT];
	bool titled[VIEW_COUNT];
};

static int plan_of(const struct app *app, struct tab_plan *plan, bool all_titled)
{
	int sum = 0;
	for (int i = 0; i < VIEW_COUNT; i++) {
		plan->titled[i] = all_titled || app->view_id == (enum view_id)i;
		plan->w[i] = tab_width(&app->ui, app_view_at((enum view_id)i), plan->titled[i]);
		sum += plan->w[i];
	}
	return sum;
}

static struct tab_plan plan_tabs(const struct app *app, int room)
{
	struct tab_plan plan;
	if (plan_of(app, &plan, true) <= room || plan_of(app, &plan, false) <= room)
		return plan;
	for (int i = 0; i < VIEW_COUNT; i++) {
		plan.w[i] = room / VIEW_COUNT;
		plan.titled[i] = false;
	}
	return plan;
}

static void paint_tab(
    struct ui *ui, struct cv_rect tab, const struct view *view, bool shown, bool titled, bool hot)
{
	const struct theme *th = ui->theme;
	struct font *small = ui->fonts->face[FONT_SMALL];
	char key[32];
	key_of(view, key, sizeof key);
	int under = ui_px(ui, 3);
	if (shown)
		cv_fill(ui->cv,
		    rect_make(
			tab.x + ui_px(ui, 4), tab.y + tab.h - under, tab.w - ui_px(ui, 8), under),
		    th->accent);
	int cap_w = cap_width(ui, key);
	struct cv_rect in = tab;
	if (titled)
		cut_left(&in, ui_px(ui, 11));
	struct cv_rect cap = titled ? cut_left(&in, cap_w) : centred(in, cap_w, in.h);
	cap = centred(cap, cap.w, font_height(small) + ui_px(ui, 2));
	uint32_t ink = shown || hot ? th->text : th->weak;
	if (cap_w > 0) {
		cv_round(ui->cv, cap, ui_px(ui, 3), hot ? th->hover : th->raised);
		text_in(ui->cv, small, cap, TEXT_CENTRE, ink, key);
	}
	if (!titled)
		return;
	cut_left(&in, cap_w > 0 ? ui_px(ui, 7) : 0);
	text_in(
	    ui->cv, ui->fonts->face[shown ? FONT_BOLD : FONT_UI], in, TEXT_LEFT, ink, view->title);
}

static void run_tab(struct app *app, struct cv_rect tab, int i, bool titled)
{
	struct ui *ui = &app->ui;
	const struct view *view = app_view_at((enum view_id)i);
	uint32_t id = UI_ID(PANEL_HEADER, TABS + i);
	if (ui_control(ui, id, tab))
		app_command(app, view->show, NULL);
	char key[32], tip[256];
	key_of(view, key, sizeof key);
	snprintf(
	    tip, sizeof tip, "%s\n%s\nKey\t%s", view->title, command_at(view->show)->help, key);
	ui_tip(ui, id, tab, tip);
	if (ui_paints(ui))
		paint_tab(ui, tab, view, app->view_id == (enum view_id)i, titled, ui->hot == id);
	ui_ring(ui, id, rect_inset(tab, ui_px(ui, 4)));
}

void tabs_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct cv_rect line = cut_bottom(&r, ui_px(ui, 1));
	if (ui_paints(ui))
		cv_fill(ui->cv, line, cv_mix(ui->theme->panel, ui->theme->line, 150));
	cut_left(&r, ui_px(ui, 5));
	struct tab_plan plan = plan_tabs(app, r.w);
	for (int i = 0; i < VIEW_COUNT; i++)
		run_tab(app, cut_left(&r, plan.w[i]), i, plan.titled[i]);
}
