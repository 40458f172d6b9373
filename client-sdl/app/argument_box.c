/* Asks for the argument of a command that was chosen by the pointer. Declared in menu.h. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"

enum { ARGUMENT_FIELD = 1, ARGUMENT_OK, ARGUMENT_CANCEL };

void argument_ask(
    struct app *app, enum command_id id, const char *question, const char *prefix, const char *text)
{
	struct menu *menu = &app->menu;
	app_open_modal(app, MODAL_ARGUMENT);
	menu->asked = id;
	snprintf(menu->question, sizeof menu->question, "%s", question);
	snprintf(menu->prefix, sizeof menu->prefix, "%s", prefix);
	textfield_set(&app->field, text);
}

/* The box stays until there is what the command needs. */
static void use_argument(struct app *app)
{
	char argument[sizeof app->menu.prefix + sizeof app->field.text + 1];
	const enum command_id id = app->menu.asked;
	if (app->field.text[0] == 0 && command_needs_argument(id))
		return;
	snprintf(argument, sizeof argument, "%s%s%s", app->menu.prefix,
	    app->menu.prefix[0] != 0 ? " " : "", app->field.text);
	app_close_modal(app);
	app_command(app, id, argument);
}

void argument_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const struct command *c = command_at(app->menu.asked);
	struct cv_rect title = cut_top(&r, ui_px(ui, 28));
	struct cv_rect field = cut_top(&r, ui_px(ui, 34));
	struct cv_rect buttons = cut_bottom(&r, ui_px(ui, 30));
	struct keystroke stroke;
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], title, TEXT_LEFT, ui->theme->text,
		    app->menu.question);
	if (ui->ev != NULL && ui->ev->kind == EV_KEY && key_of_event(ui->ev, &stroke) &&
	    stroke.key == KEY_ENTER && ui->focus == UI_ID(PANEL_MODAL, ARGUMENT_FIELD)) {
		ui_take(ui);
		use_argument(app);
		return;
	}
	char hint[64];
	/* "[at=PLACE] [NOTE]": where is known already. */
	const char *second = strstr(c->args, "] [");
	const char *args = second != NULL ? second + 2 : c->args;
	snprintf(hint, sizeof hint, "%s", args[0] == '[' ? args + 1 : args);
	hint[strcspn(hint, "]")] = 0;
	ui_field(ui, UI_ID(PANEL_MODAL, ARGUMENT_FIELD), field, &app->field, hint);
	struct cv_rect ok =
	    cut_right(&buttons, ui_button_width(ui, ICON_NONE, "OK") + ui_px(ui, 24));
	cut_right(&buttons, ui_px(ui, 8));
	struct cv_rect no = cut_right(&buttons, ui_button_width(ui, ICON_NONE, "Cancel"));
	const bool lacks = app->field.text[0] == 0 && command_needs_argument(app->menu.asked);
	const bool yes = ui_button(ui, UI_ID(PANEL_MODAL, ARGUMENT_OK), ok, ICON_NONE, "OK",
	    lacks ? BUTTON_OFF : BUTTON_PRIMARY);
	if (ui_button(ui, UI_ID(PANEL_MODAL, ARGUMENT_CANCEL), no, ICON_NONE, "Cancel", 0))
		app_close_modal(app);
	else if (yes)
		use_argument(app);
}
