/* What stands in the middle before there is a picture: how to attach. Declared in heap.h. */
#include <stdio.h>

#include "heap.h"
#include "layout.h"

enum { COPY = 900, ATTACH };

static void line_of(const struct app *app, char *text, size_t size)
{
	snprintf(text, size, "java -agentpath:%s=port=3000 -jar app.jar",
	    app->agent_path != NULL ? app->agent_path : "libgcspyagent.so");
}

static void headline(const struct app *app, char *title, size_t title_size, char *text, size_t size)
{
	switch (app->state) {
	case SOURCE_CONNECTING:
		if (app->source.ops->file) {
			snprintf(title, title_size, "Opening %.360s \xe2\x80\xa6", app->address);
			snprintf(text, size, "The picture appears as soon as the file is read.");
			return;
		}
		snprintf(title, title_size, "Connecting to %.360s \xe2\x80\xa6", app->address);
		snprintf(text, size, "The picture appears as soon as the program answers.");
		return;
	case SOURCE_LIVE:
		snprintf(title, title_size, "Connected to %.360s", app->address);
		snprintf(text, size, "Waiting for the first picture.");
		return;
	case SOURCE_LOST:
		if (app->source.ops->file) {
			snprintf(title, title_size, "%.360s cannot be read", app->address);
			snprintf(text, size, "%s.", app->why.text);
			return;
		}
		snprintf(title, title_size, "No connection to %.360s", app->address);
		snprintf(text, size, "%s%s.", app->why.text,
		    app->auto_retry ? " \xc2\xb7 trying again every 2 seconds" : "");
		return;
	case SOURCE_NONE:
		break;
	}
	snprintf(title, title_size, "No program is attached");
	snprintf(text, size,
	    "GCspy shows the heap of a running Java program, or of a recording: drop a file on "
	    "this window.");
}

static void code_box(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	char line[1200];
	line_of(app, line, sizeof line);
	struct cv_rect button = cut_right(&r, ui_px(ui, 72));
	cut_right(&r, ui_px(ui, 8));
	if (ui_paints(ui)) {
		cv_round(ui->cv, r, ui_px(ui, 4), ui->theme->panel);
		cv_round_frame(ui->cv, r, ui_px(ui, 4), ui_px(ui, 1), ui->theme->line);
		struct cv_rect in = rect_inset(r, ui_px(ui, 8));
		text_in(ui->cv, ui->fonts->face[FONT_MONO], in, TEXT_LEFT, ui->theme->text, line);
	}
	if (ui_button(ui, UI_ID(PANEL_VIEW, COPY), button, ICON_NONE, "Copy", 0)) {
		ui->clipboard.put(ui->clipboard.context, line);
		app_toast(app, "Copied the command line");
	}
}

void heap_empty(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct cv_rect box = centred(r, ui_px(ui, 640), ui_px(ui, 232));
	box = centred(box, box.w - ui_px(ui, 32), box.h);
	char title[400], text[700];
	headline(app, title, sizeof title, text, sizeof text);
	struct cv_rect row = cut_top(&box, ui_px(ui, 28));
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], row, TEXT_LEFT, ui->theme->text, title);
	row = cut_top(&box, ui_px(ui, 40));
	if (ui_paints(ui))
		text_paragraph(ui->cv, ui->fonts->face[FONT_UI], row, ui->theme->weak, text);
	cut_top(&box, ui_px(ui, 12));
	ui_label(
	    ui, cut_top(&box, ui_px(ui, 20)), TEXT_LEFT, "1.  Start the program with the agent");
	cut_top(&box, ui_px(ui, 4));
	code_box(app, cut_top(&box, ui_px(ui, 32)));
	cut_top(&box, ui_px(ui, 16));
	ui_label(ui, cut_top(&box, ui_px(ui, 20)), TEXT_LEFT, "2.  Connect to its port");
	cut_top(&box, ui_px(ui, 4));
	row = cut_top(&box, ui_px(ui, 32));
	const char *label = app->address[0] != 0 ? "Try again now" : "Connect to 127.0.0.1:3000";
	struct cv_rect button =
	    cut_left(&row, ui_button_width(ui, ICON_NONE, label) + ui_px(ui, 8));
	bool busy = app->state == SOURCE_CONNECTING || app->state == SOURCE_LIVE;
	if (ui_button(ui, UI_ID(PANEL_VIEW, ATTACH), button, ICON_NONE, label,
		busy ? BUTTON_OFF : BUTTON_PRIMARY))
		app_connect(app, app->address[0] != 0 ? app->address : "127.0.0.1:3000");
	cut_left(&row, ui_px(ui, 12));
	ui_label(ui, row, TEXT_LEFT, "Ctrl+L connects elsewhere or opens a file, ? shows all keys");
}
