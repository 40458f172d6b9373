/* The dialog to connect or to open a file, with recent addresses and files. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "recents.h"

enum { FIELD = 1, PAUSE, OK, CANCEL, BAR, FIRST_ROW = 100 };

static bool files_only(const struct app *app)
{
	return app->recents != NULL && app->recents->files;
}

static bool compares(const struct app *app)
{
	return files_only(app) && app->recents->compares;
}

/* The entry under the cursor of the list; the row 0 is the field. */
static const struct recent *chosen(const struct app *app)
{
	const struct recents *r = app->recents;
	if (r == NULL || app->modal_row < 1 || (uint32_t)app->modal_row > r->count)
		return NULL;
	return &r->entry[app->modal_row - 1];
}

static void connect_now(struct app *app)
{
	const struct recent *recent = chosen(app);
	char address[RECENTS_TEXT];
	if (recent == NULL && app->field.text[0] == 0) {
		if (files_only(app)) {
			app_toast(app, "Choose a file with Up and Down or type its name");
			return;
		}
		textfield_insert(&app->field, "127.0.0.1:3000");
	}
	snprintf(address, sizeof address, "%s", recent != NULL ? recent->text : app->field.text);
	if (compares(app)) {
		app_close_modal(app);
		app_command(app, COMMAND_compare, address);
	} else if (app_connect(app, address)) {
		app_close_modal(app);
	}
}

/* Up and Down move from the field into the list; Enter and Delete act on the row there. */
static bool list_key(struct app *app, int rows)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	int count = app->recents != NULL ? (int)app->recents->count : 0;
	if (ui->ev == NULL || ui->ev->kind != EV_KEY || !key_of_event(ui->ev, &stroke) ||
	    ui->focus != UI_ID(PANEL_MODAL, FIELD))
		return false;
	int by = 0;
	switch (stroke.key) {
	case KEY_UP:
	case KEY_DOWN:
		by = stroke.key == KEY_UP ? -1 : 1;
		break;
	case KEY_PAGE_UP:
	case KEY_PAGE_DOWN:
		by = stroke.key == KEY_PAGE_UP ? -rows : rows;
		break;
	case KEY_ENTER:
		ui_take(ui);
		connect_now(app);
		return true;
	case KEY_DELETE:
		if (chosen(app) == NULL)
			return false;
		ui_take(ui);
		recents_remove(app, (uint32_t)app->modal_row - 1);
		app->modal_row = clamp_int(app->modal_row, 0, (int)app->recents->count);
		return true;
	default:
		return false;
	}
	app->modal_row = clamp_int(app->modal_row + by, 0, count);
	int top = app->modal_row > 0 ? app->modal_row - 1 : 0;
	app->modal_scroll = clamp_int(app->modal_scroll, top - rows + 1, top);
	ui_take(ui);
	return true;
}

void recents_shown(const struct ui *ui, const struct recent *e, int width, char *text, size_t size)
{
	struct font *font = ui->fonts->face[FONT_UI];
	const char *end = e->text;
	while (e->file && text_width(font, end) > width - ui_px(ui, 16)) {
		const char *slash = strchr(end + 1, '/');
		if (slash == NULL)
			break;
		end = slash;
	}
	snprintf(text, size, "%s%s", end > e->text ? "\xe2\x80\xa6" : "", end);
}

static void paint_row(struct app *app, struct cv_rect row, const struct recent *e, bool marked)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	if (marked) {
		cv_round(ui->cv, row, ui_px(ui, 4), th->raised);
		cv_fill(ui->cv,
		    rect_make(row.x, row.y + ui_px(ui, 4), ui_px(ui, 3), row.h - ui_px(ui, 8)),
		    th->accent);
	}
	cut_left(&row, ui_px(ui, 10));
	cut_right(&row, ui_px(ui, 8));
	char when[40];
	/* "2026-11-22T03:00:00Z" as "2026-11-22 03:00" */
	snprintf(
	    when, sizeof when, "%.10s %.5s", e->stamp, strlen(e->stamp) > 11 ? e->stamp + 11 : "");
	ui_label(
	    ui, cut_right(&row, ui_px(ui, 116)), TEXT_RIGHT, e->found ? "in this folder" : when);
	ui_label(ui, cut_left(&row, ui_px(ui, 62)), TEXT_LEFT, e->file ? "file" : "server");
	char shown[RECENTS_TEXT + 8];
	recents_shown(ui, e, row.w, shown, sizeof shown);
	text_in(ui->cv, ui->fonts->face[FONT_UI], row, TEXT_LEFT, th->text, shown);
}

static void list_text(const struct app *app, char *text, size_t size)
{
	const struct recents *r = app->recents;
	*text = 0;
	if (r == NULL || (r->count == 0 && r->looking))
		return;
	if (r->count == 0)
		snprintf(
		    text, size, "No recent addresses or files, and no recordings in this folder");
	else
		snprintf(text, size, "Up/Down select \xc2\xb7 Delete removes%s",
		    r->found_all || r->looking ? "" : " \xc2\xb7 folder too large to list in full");
	if (r->more > 0)
		snprintf(text + strlen(text), size - strlen(text),
		    " \xc2\xb7 %u older files not listed", r->more);
}

/* True if the dialog has closed. */
static bool run_list(struct app *app, struct cv_rect r, int height)
{
	struct ui *ui = &app->ui;
	const struct recents *list = app->recents;
	struct cv_rect bar = cut_right(&r, ui_px(ui, 12));
	int n = list != NULL ? (int)list->count : 0;
	int rows = r.h / height;
	if (rows < 1)
		return false;
	ui_scroll_wheel(ui, r, n, rows, 3, &app->modal_scroll);
	ui_scroll_bar(ui, UI_ID(PANEL_MODAL, BAR), bar, n, rows, &app->modal_scroll);
	for (int i = app->modal_scroll; i < n && i < app->modal_scroll + rows; i++) {
		struct cv_rect row = cut_top(&r, height);
		uint32_t id = UI_ID(PANEL_MODAL, FIRST_ROW + i);
		if (ui_area(ui, id, row)) {
			app->modal_row = i + 1;
			connect_now(app);
			return true;
		}
		ui_tip(ui, id, row, list->entry[i].text);
		if (ui_paints(ui))
			paint_row(
			    app, row, &list->entry[i], i + 1 == app->modal_row || ui->hot == id);
	}
	return false;
}

static void run_buttons(struct app *app, struct cv_rect row)
{
	struct ui *ui = &app->ui;
	const char *label = compares(app) ? "Compare" : files_only(app) ? "Open" : "Connect";
	int gap = ui_px(ui, 8);
	struct cv_rect ok = cut_right(&row, ui_button_width(ui, ICON_NONE, label) + 2 * gap);
	cut_right(&row, gap);
	struct cv_rect cancel = cut_right(&row, ui_button_width(ui, ICON_NONE, "Cancel") + gap);
	cut_right(&row, gap);
	if (!files_only(app))
		ui_toggle(ui, UI_ID(PANEL_MODAL, PAUSE), row, "Pause before the first event",
		    &app->pause_at_start);
	if (ui_button(ui, UI_ID(PANEL_MODAL, OK), ok, ICON_NONE, label, BUTTON_PRIMARY))
		connect_now(app);
	else if (ui_button(ui, UI_ID(PANEL_MODAL, CANCEL), cancel, ICON_NONE, "Cancel", 0))
		app_close_modal(app);
}

void connect_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct cv_rect row = cut_top(&r, ui_px(ui, 24));
	bool files = files_only(app);
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], row, TEXT_LEFT, ui->theme->text,
		    compares(app) ? "Compare with a recording"
		    : files       ? "Open a recording"
				  : "Connect to a program or open a recording");
	cut_top(&r, ui_px(ui, 4));
	ui_label(ui, cut_top(&r, ui_px(ui, 20)), TEXT_LEFT,
	    files ? "File name" : "PID or PORT on this machine, HOST:PORT, unix:PATH or a file");
	row = cut_top(&r, ui_px(ui, 34));
	struct cv_rect buttons = cut_bottom(&r, ui_px(ui, 30));
	cut_top(&r, ui_px(ui, 6));
	cut_bottom(&r, ui_px(ui, 8));
	char words[200];
	list_text(app, words, sizeof words);
	int height = ui_px(ui, 26);
	struct cv_rect hint = cut_bottom(&r, r.h > ui_px(ui, 60) ? ui_px(ui, 20) : 0);
	if (list_key(app, r.h / height > 0 ? r.h / height : 1))
		return;
	if (ui_field(ui, UI_ID(PANEL_MODAL, FIELD), row, &app->field,
		files ? "run.gcspy" : "127.0.0.1:3000"))
		app->modal_row = 0;
	if (app->modal_row == 0)
		ui_ring(ui, UI_ID(PANEL_MODAL, FIELD), row);
	if (run_list(app, r, height))
		return;
	ui_label(ui, hint, TEXT_LEFT, words);
	run_buttons(app, buttons);
}
