/* The settings that a user looks for first, as buttons. Each runs a command (app.h). */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "palette.h"

enum { SETTINGS_FIRST = 10, SETTINGS_LABEL = 130, SETTINGS_ROW = 36, SETTINGS_CHOICES = 6 };

struct setting_choice {
	const char *label, *argument;
	enum command_id id;
	bool on, off; /* chosen; without effect now */
};

struct setting {
	const char *title;
	struct setting_choice choice[SETTINGS_CHOICES];
	int choices;
};

/* A row of buttons; returns whether one was used. */
static bool run_setting(struct app *app, struct cv_rect row, const struct setting *s, int *number)
{
	struct ui *ui = &app->ui;
	row.h -= ui_px(ui, 6);
	ui_value(ui, cut_left(&row, ui_px(ui, SETTINGS_LABEL)), TEXT_LEFT, s->title);
	for (int i = 0; i < s->choices; i++) {
		const struct setting_choice *c = &s->choice[i];
		const uint32_t id = UI_ID(PANEL_MODAL, SETTINGS_FIRST + (*number)++);
		struct cv_rect button = cut_left(&row, ui_button_width(ui, ICON_NONE, c->label));
		cut_left(&row, ui_px(ui, 6));
		ui_tip(ui, id, button, command_at(c->id)->help);
		if (!ui_button(ui, id, button, ICON_NONE, c->label,
			c->off  ? BUTTON_OFF
			: c->on ? BUTTON_PRIMARY
				: 0))
			continue;
		app_command(app, c->id, c->argument);
		return true;
	}
	return false;
}

static void add_choice(
    struct setting *s, enum command_id id, const char *label, const char *argument, bool on)
{
	s->choice[s->choices++] =
	    (struct setting_choice){.label = label, .argument = argument, .id = id, .on = on};
}

void settings_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	char size[32];
	struct setting theme = {.title = "Theme"}, colours = {.title = "Colours of numbers"},
		       text = {.title = "Text and controls"}, side = {.title = "Side panel"},
		       again = {.title = "Lost connections"}, more = {.title = "More"};
	for (int i = 0; i < THEMES; i++)
		add_choice(
		    &theme, COMMAND_theme, theme_at(i)->title, theme_at(i)->name, app->theme == i);
	for (int i = 0; i < PALETTE_RAMPS; i++)
		add_choice(
		    &colours, COMMAND_colours, palette_name(i), palette_name(i), app->ramp == i);
	snprintf(size, sizeof size, "%d %%", app->scale);
	add_choice(&text, COMMAND_scale_down, "Smaller", NULL, false);
	add_choice(&text, COMMAND_scale_reset, size, NULL, false);
	add_choice(&text, COMMAND_scale_up, "Larger", NULL, false);
	add_choice(
	    &side, COMMAND_side_panel, app->side_shown ? "Shown" : "Hidden", NULL, app->side_shown);
	add_choice(&side, COMMAND_side_wider, "Wider", NULL, false);
	add_choice(&side, COMMAND_side_narrower, "Narrower", NULL, false);
	add_choice(&again, COMMAND_auto_retry,
	    app->auto_retry ? "Reconnected automatically" : "Not reconnected", NULL,
	    app->auto_retry);
	add_choice(&more, COMMAND_layout_undo, "Undo the last change", NULL, false);
	add_choice(&more, COMMAND_frame_overlay, "Frame times", NULL, app->stats_shown);
	const struct setting *const all[] = {&theme, &colours, &text, &side, &again, &more};
	struct cv_rect title = cut_top(&r, ui_px(ui, 34));
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], title, TEXT_LEFT, ui->theme->text,
		    "Settings");
	ui_label(ui, title, TEXT_RIGHT, "Saved for the next start \xc2\xb7 Esc closes");
	int number = 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (run_setting(app, cut_top(&r, ui_px(ui, SETTINGS_ROW)), all[i], &number))
			return;
}
