/* The buttons above the event table, in as many lines as needed, and below them the slider of the
 * update interval. Declared in events_view.h. */
#include <stdlib.h>
#include <string.h>

#include "events_view.h"
#include "layout.h"

static const struct {
	enum command_id command;
	const char *label;
} buttons[] = {
    {COMMAND_enable_events, "Enable all"},
    {COMMAND_disable_events, "Disable all"},
    {COMMAND_clear_delays, "Clear delays"},
    {COMMAND_clear_pauses, "Clear pauses"},
    {COMMAND_reset_periods, "Reset periods"},
    {COMMAND_default_filters, "Defaults"},
};

#define BUTTONS ((int)(sizeof buttons / sizeof *buttons))
#define LINE    36

/* The place of a button; returns its line. */
static int place(const struct ui *ui, int width, int i, int *x, int *w)
{
	int at = 0, line = 0;
	for (int k = 0;; k++) {
		*w = ui_button_width(ui, ICON_NONE, buttons[k].label);
		if (at > 0 && at + *w > width) {
			line++;
			at = 0;
		}
		*x = at;
		if (k == i)
			return line;
		at += *w + ui_px(ui, 8);
	}
}

int events_head_height(const struct app *app, int width)
{
	const struct ui *ui = &app->ui;
	int x, w;
	int room = width - ui_px(ui, 24);
	const int slider = events_update_shown(app);
	return (place(ui, room, BUTTONS - 1, &x, &w) + 1 + slider) * ui_px(ui, LINE) +
	       ui_px(ui, 12);
}

bool events_update_words(
    struct events_view *view, const struct app *app, char *text, size_t size, bool *late)
{
	const uint32_t event = events_update_event(app);
	*text = 0;
	*late = false;
	if (!events_update_shown(app))
		return false;
	events_update_text(&view->update, event == GCS_NONE ? -1 : events_rate(view, app, event),
	    text, size, late);
	return true;
}

static void run_slider(struct events_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const struct events_update *u = &view->update;
	const uint32_t id = UI_ID(PANEL_VIEW, EVENTS_UPDATE);
	static const char label[] = "Updates";
	char text[160];
	bool late;
	if (!events_update_words(view, app, text, sizeof text, &late))
		return;
	ui_value(ui, cut_left(&r, text_width(ui->fonts->face[FONT_UI], label) + ui_px(ui, 8)),
	    TEXT_LEFT, label);
	const int most = ui_px(ui, 300);
	struct cv_rect slider = cut_left(&r, r.w / 2 < most ? r.w / 2 : most);
	cut_left(&r, ui_px(ui, 10));
	if (requests_refusal(app) == NULL) {
		const uint32_t ms = u->wants || u->ms == UPDATE_UNKNOWN ? u->wanted : u->ms;
		int at = events_update_nearest(ms);
		if (ui_slider(ui, id, slider, UPDATE_STEPS, &at))
			events_update_set(&view->update, app, events_update_step(at));
	} else {
		r.w += r.x - slider.x;
		r.x = slider.x;
	}
	ui_tip(ui, id, slider,
	    "How often the program publishes what changed; at the left: at each event\nKey\tU");
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_UI], r, TEXT_LEFT,
		    late ? ui->theme->warn : ui->theme->text, text);
}

bool events_update_command(struct app *app, const char *argument)
{
	struct events_view *view = app->views[VIEW_EVENTS];
	char *end;
	if (argument != NULL) {
		const unsigned long ms = strtoul(argument, &end, 10);
		const unsigned long most = events_update_step(UPDATE_STEPS - 1);
		if (*argument >= '0' && *argument <= '9' && ms <= most &&
		    (*end == 0 || strcmp(end, "ms") == 0))
			return events_update_set(&view->update, app, (uint32_t)ms);
		app_toast(app, "update %.40s: expected milliseconds from 0 (each event) to %lu",
		    argument, most);
		return false;
	}
	if (!events_update_shown(app)) {
		app_toast(app, "This program publishes each event; update 50 takes one in 50 ms");
		return false;
	}
	app_set_view(app, VIEW_EVENTS);
	app->ui.focus = UI_ID(PANEL_VIEW, EVENTS_UPDATE);
	app->ui.focus_shown = true;
	app_dirty(app, PANEL_VIEW);
	return true;
}

void events_head_run(struct events_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	cut_left(&r, ui_px(ui, 12));
	cut_right(&r, ui_px(ui, 12));
	cut_top(&r, ui_px(ui, 8));
	if (events_update_shown(app)) {
		struct cv_rect line = cut_bottom(&r, ui_px(ui, LINE + 4));
		run_slider(view, app, cut_top(&line, ui_px(ui, LINE - 6)));
	}
	bool off = app->snapshot == NULL || events_filters_unavailable(app) != NULL;
	for (int i = 0; i < BUTTONS; i++) {
		int x, w;
		int line = place(ui, r.w, i, &x, &w);
		struct cv_rect b =
		    rect_make(r.x + x, r.y + line * ui_px(ui, LINE), w, ui_px(ui, LINE - 6));
		uint32_t id = UI_ID(PANEL_VIEW, EVENTS_BUTTON + i);
		if (ui_button(ui, id, b, ICON_NONE, buttons[i].label, off ? BUTTON_OFF : 0))
			app_command(app, buttons[i].command, NULL);
		ui_tip(ui, id, b, command_at(buttons[i].command)->help);
	}
}
