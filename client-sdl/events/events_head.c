/* The buttons above the event table, in as many lines as needed. Declared in events_view.h. */
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
	return (place(ui, room, BUTTONS - 1, &x, &w) + 1) * ui_px(ui, LINE) + ui_px(ui, 12);
}

void events_head_run(struct events_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	(void)view;
	cut_left(&r, ui_px(ui, 12));
	cut_right(&r, ui_px(ui, 12));
	cut_top(&r, ui_px(ui, 8));
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
