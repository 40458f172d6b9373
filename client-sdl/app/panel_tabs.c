/*
 * The row of tabs at the top: one for each view that is not under that of another, with the key that shows it. In a narrow window the
 * keys go; in a narrower one the other views' tabs are reduced to their keys, and finally all tabs
 * have the same width.
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

enum tab_parts { TAB_KEY = 1, TAB_TITLE = 2 };

/* Sized for the bold title of the present view, so that tabs do not move when one is chosen. */
static int tab_width(const struct ui *ui, const struct view *view, unsigned parts)
{
	char key[32];
	key_of(view, key, sizeof key);
	int cap = parts & TAB_KEY ? cap_width(ui, key) : 0;
	if (!(parts & TAB_TITLE) && cap > 0)
		return cap + ui_px(ui, 14);
	int gap = cap > 0 ? ui_px(ui, 7) : 0;
	int margins = parts & TAB_KEY ? 22 : 14;
	return cap + gap + text_width(ui->fonts->face[FONT_BOLD], view->title) + ui_px(ui, margins);
}

struct tab_plan {
	int w[VIEW_COUNT];
	unsigned parts[VIEW_COUNT]; /* enum tab_parts */
};

static bool is_shown(const struct app *app, const struct view *view)
{
	return app->view == view || app->view->under == view;
}

/* True if the tabs fit with these parts, the present view's and those of the others. */
static bool fits(
    const struct app *app, struct tab_plan *plan, int room, unsigned present, unsigned others)
{
	int sum = 0;
	for (int i = 0; i < VIEW_COUNT; i++) {
		if (app_view_at((enum view_id)i)->under != NULL)
			continue;
		plan->parts[i] = is_shown(app, app_view_at((enum view_id)i)) ? present : others;
		plan->w[i] = tab_width(&app->ui, app_view_at((enum view_id)i), plan->parts[i]);
		sum += plan->w[i];
	}
	return sum <= room;
}

static struct tab_plan plan_tabs(const struct app *app, int room)
{
	const unsigned both = TAB_KEY | TAB_TITLE;
	struct tab_plan plan;
	if (fits(app, &plan, room, both, both) || fits(app, &plan, room, TAB_TITLE, TAB_TITLE) ||
	    fits(app, &plan, room, both, TAB_KEY))
		return plan;
	for (int i = 0; i < VIEW_COUNT; i++) {
		plan.w[i] = room / (VIEW_COUNT - 1); /* one is under the tab of another */
		plan.parts[i] = TAB_KEY;
	}
	return plan;
}

static void paint_tab(struct ui *ui, struct cv_rect tab, const struct view *view, bool shown,
    unsigned parts, bool hot)
{
	const struct theme *th = ui->theme;
	struct font *small = ui->fonts->face[FONT_SMALL];
	const bool titled = parts & TAB_TITLE;
	char key[32] = "";
	if (parts & TAB_KEY)
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
		cut_left(&in, ui_px(ui, parts & TAB_KEY ? 11 : 7));
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

static void run_tab(struct app *app, struct cv_rect tab, int i, unsigned parts)
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
		paint_tab(ui, tab, view, is_shown(app, view), parts, ui->hot == id);
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
		if (app_view_at((enum view_id)i)->under == NULL)
			run_tab(app, cut_left(&r, plan.w[i]), i, plan.parts[i]);
}
