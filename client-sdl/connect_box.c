/* The dialog that asks where to connect to. */
#include "app.h"
#include "layout.h"

enum { FIELD = 1, PAUSE, OK, CANCEL };

static void connect_now(struct app *app)
{
	if (app->field.text[0] == 0)
		textfield_insert(&app->field, "127.0.0.1:3000");
	char address[sizeof app->field.text];
	for (size_t i = 0; i < sizeof address; i++)
		address[i] = app->field.text[i];
	if (app_connect(app, address))
		app_close_modal(app);
}

void connect_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct cv_rect row = cut_top(&r, ui_px(ui, 24));
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], row, TEXT_LEFT, ui->theme->text,
		    "Connect to a program, or open a recording");
	cut_top(&r, ui_px(ui, 8));
	ui_label(ui, cut_top(&r, ui_px(ui, 20)), TEXT_LEFT,
	    "HOST:PORT, PORT on this machine, unix:PATH, or a file");
	row = cut_top(&r, ui_px(ui, 34));
	struct keystroke stroke;
	bool enter = ui->ev != NULL && ui->ev->kind == EV_KEY && key_of_event(ui->ev, &stroke) &&
		     stroke.key == KEY_ENTER && ui->focus == UI_ID(PANEL_MODAL, FIELD);
	if (enter) {
		ui_take(ui);
		connect_now(app);
		return;
	}
	ui_field(ui, UI_ID(PANEL_MODAL, FIELD), row, &app->field, "127.0.0.1:3000");
	ui_ring(ui, UI_ID(PANEL_MODAL, FIELD), row);
	cut_top(&r, ui_px(ui, 12));
	ui_toggle(ui, UI_ID(PANEL_MODAL, PAUSE), cut_top(&r, ui_px(ui, 24)),
	    "Pause the program before its first event", &app->pause_at_start);
	row = cut_bottom(&r, ui_px(ui, 32));
	int w = ui_button_width(ui, ICON_NONE, "Connect") + ui_px(ui, 16);
	if (ui_button(ui, UI_ID(PANEL_MODAL, OK), cut_right(&row, w), ICON_NONE, "Connect",
		BUTTON_PRIMARY)) {
		connect_now(app);
		return;
	}
	cut_right(&row, ui_px(ui, 8));
	w = ui_button_width(ui, ICON_NONE, "Cancel") + ui_px(ui, 8);
	if (ui_button(ui, UI_ID(PANEL_MODAL, CANCEL), cut_right(&row, w), ICON_NONE, "Cancel", 0))
		app_close_modal(app);
}
