/* The dialog to connect or to open a recording: a field, and the browser below it. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "browser.h"
#include "layout.h"
#include "sites_view.h"

enum { FIELD = 1, PAUSE, OK, CANCEL, FORGET, RECENT, CRUMB, TABLE = 100 };

#define CRUMBS_MOST 24

/* The parts of the dialog; empty ones have no room. */
struct connect_parts {
	struct cv_rect title, label, field, crumbs, table, preview, hint, buttons;
};

static struct connect_parts divide(const struct ui *ui, struct cv_rect r)
{
	struct connect_parts p;
	const bool low = r.h < ui_px(ui, 300);
	p.title = cut_top(&r, ui_px(ui, 24));
	p.label = cut_top(&r, ui_px(ui, low ? 0 : 22));
	p.field = cut_top(&r, ui_px(ui, 34));
	cut_top(&r, ui_px(ui, low ? 4 : 8));
	p.crumbs = cut_top(&r, ui_px(ui, 26));
	cut_top(&r, ui_px(ui, 4));
	p.buttons = cut_bottom(&r, ui_px(ui, 30));
	cut_bottom(&r, ui_px(ui, low ? 4 : 8));
	p.hint = cut_bottom(&r, ui_px(ui, low ? 0 : 20));
	p.preview = cut_right(&r, r.w >= ui_px(ui, 600) ? ui_px(ui, 250) : 0);
	p.table = r;
	return p;
}

/* The keys act on the list while the field keeps the focus: typing goes on at any time. */
static bool list_key(struct app *app, struct cv_rect table)
{
	struct ui *ui = &app->ui;
	struct browser *b = app->browser;
	struct keystroke stroke;
	const bool in_field = ui->focus == UI_ID(PANEL_MODAL, FIELD);
	if (ui->ev == NULL || ui->ev->kind != EV_KEY || !key_of_event(ui->ev, &stroke) ||
	    stroke.mods != 0 || (!in_field && ui->focus != UI_ID(PANEL_MODAL, TABLE)))
		return false;
	const int page = table_page(ui, table);
	switch (stroke.key) {
	case KEY_UP:
		if (b->table.selected == 0)
			b->table.selected = TABLE_NONE; /* back to the field */
		else if (b->table.selected != TABLE_NONE)
			table_move(ui, table, &b->table, b->rows, -1);
		break;
	case KEY_DOWN:
		table_move(ui, table, &b->table, b->rows, 1);
		break;
	case KEY_PAGE_UP:
	case KEY_PAGE_DOWN:
		table_move(ui, table, &b->table, b->rows, stroke.key == KEY_PAGE_UP ? -page : page);
		break;
	case KEY_ENTER:
		ui_take(ui);
		browser_act(app);
		return true;
	case KEY_DELETE:
		if (browser_row(b) == NULL)
			return false;
		ui_take(ui);
		browser_forget(app);
		return true;
	case KEY_BACKSPACE:
		if (in_field && app->field.text[0] != 0)
			return false;
		ui_take(ui);
		browser_up(app);
		return true;
	default:
		return false;
	}
	ui_take(ui);
	browser_selected(app);
	return true;
}

static void run_connect_field(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct browser *b = app->browser;
	const uint32_t id = UI_ID(PANEL_MODAL, FIELD);
	if (ui_field(ui, id, r, &app->field, b->files ? "run.gcspy" : "127.0.0.1:3000")) {
		b->filters = true;
		b->wanted[0] = 0;
		b->table.scroll = 0;
		browser_fill(app);
	}
	if (browser_row(b) == NULL)
		ui_ring(ui, id, r);
}

/* Entered by a click: what follows at once belongs to a double click. */
static void enter_by_click(struct app *app, const char *folder)
{
	app->browser->quiet_until_ms = app->now_ms + BROWSER_QUIET_MS;
	browser_enter(app, folder, "");
}

struct crumbs {
	const char *at[CRUMBS_MOST]; /* where the names of the path's last folders begin */
	int count;
};

/* The folders of a path, the innermost first, without the root. */
static void find_crumbs(const char *path, struct crumbs *c)
{
	c->count = 0;
	for (const char *end = path + strlen(path); c->count < CRUMBS_MOST; end--) {
		while (end > path && end[-1] != '/')
			end--;
		if (*end != 0)
			c->at[c->count++] = end;
		if (end == path || end == path + 1)
			return;
	}
}

/* True if it was clicked, which has changed the folder. */
static bool run_crumb(
    struct app *app, struct cv_rect *r, int number, const char *label, size_t length)
{
	struct ui *ui = &app->ui;
	struct cv_rect button = cut_left(r, ui_button_width(ui, ICON_NONE, label));
	cut_left(r, ui_px(ui, 4));
	const uint32_t id = UI_ID(PANEL_MODAL, CRUMB + number);
	char path[FOLDER_PATH], tip[FOLDER_PATH];
	snprintf(path, sizeof path, "%.*s", (int)length, app->browser->folder);
	const bool clicked = ui_button(ui, id, button, ICON_NONE, label, 0);
	ui_tip(ui, id, button, sites_put_name(tip, sizeof tip, path));
	if (!clicked)
		return false;
	enter_by_click(app, path);
	return true;
}

static char *crumb_label(const struct crumbs *c, int i, char *text, size_t size)
{
	char name[FOLDER_PATH];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(c->at[i], "/"), c->at[i]);
	return sites_put_name(text, size, name);
}

/* "Recent", and a button for each folder of the path: the innermost ones for which there is room. */
static bool run_crumbs(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct browser *b = app->browser;
	struct crumbs c;
	char label[64];
	const bool recent = b->place == BROWSER_RECENT;
	struct cv_rect button = cut_left(&r, ui_button_width(ui, ICON_NONE, "Recent"));
	cut_left(&r, ui_px(ui, 12));
	if (ui_button(ui, UI_ID(PANEL_MODAL, RECENT), button, ICON_NONE, "Recent",
		recent ? BUTTON_PRIMARY : 0)) {
		browser_recent(app);
		return true;
	}
	find_crumbs(b->folder, &c);
	int shown = 0, room = r.w - 2 * ui_button_width(ui, ICON_NONE, "\xe2\x80\xa6");
	while (shown < c.count) {
		room -=
		    ui_button_width(ui, ICON_NONE, crumb_label(&c, shown, label, sizeof label)) +
		    ui_px(ui, 4);
		if (room < 0 && shown > 0)
			break;
		shown++;
	}
	if (run_crumb(app, &r, 0, "/", 1))
		return true;
	if (shown < c.count && run_crumb(app, &r, 1, "\xe2\x80\xa6",
				   (size_t)(c.at[shown] - b->folder) + strcspn(c.at[shown], "/")))
		return true;
	for (int i = shown - 1; i >= 0; i--) {
		const size_t length = (size_t)(c.at[i] - b->folder) + strcspn(c.at[i], "/");
		if (run_crumb(
			app, &r, 2 + shown - i, crumb_label(&c, i, label, sizeof label), length))
			return true;
	}
	return false;
}

/* A click into a folder enters it; one on a file selects it, and a second one opens it. True if the
 * list or the dialog is another one. */
static bool act_on_click(struct app *app, const struct table_rows *rows, struct cv_rect table)
{
	struct ui *ui = &app->ui;
	struct browser *b = app->browser;
	uint32_t row = TABLE_NONE;
	int column;
	if (ui->ev->kind != EV_UP || ui->ev->button != 1 || b->pressed == TABLE_NONE)
		return false;
	table_cell_at(ui, table, &b->table, rows, ui->ev->x, ui->ev->y, &row, &column);
	const bool same = row == b->pressed;
	b->pressed = TABLE_NONE;
	if (!same || row >= b->rows)
		return false;
	const enum browser_kind kind = b->row[row].kind;
	const bool folder = kind == BROWSER_PARENT || kind == BROWSER_INNER;
	if (!folder && !b->again)
		return false;
	if (folder)
		b->quiet_until_ms = app->now_ms + BROWSER_QUIET_MS;
	ui_take(ui);
	ui->active = 0;
	browser_act(app);
	return true;
}

/* Notes which row the pointer goes down on, before the table selects it. */
static void note_press(struct app *app, const struct table_rows *rows, struct cv_rect table)
{
	struct ui *ui = &app->ui;
	struct browser *b = app->browser;
	int column;
	if (ui->used || ui->ev->kind != EV_DOWN || ui->ev->button != 1 ||
	    !rect_has(table, ui->ev->x, ui->ev->y))
		return;
	b->pressed = TABLE_NONE;
	if (app->now_ms < b->quiet_until_ms)
		ui_take(ui);
	else if (!table_cell_at(
		     ui, table, &b->table, rows, ui->ev->x, ui->ev->y, &b->pressed, &column))
		b->pressed = TABLE_NONE;
	b->again = b->pressed == b->table.selected;
}

/* True if the list or the dialog is another one. */
static bool run_connect_table(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct browser *b = app->browser;
	struct table_rows rows;
	char text[FOLDER_PATH + 100];
	browser_table(app, &rows);
	if (ui->ev != NULL)
		note_press(app, &rows, r);
	const uint32_t id = UI_ID(PANEL_MODAL, TABLE);
	const bool pressed = ui->ev != NULL && ui->ev->kind == EV_DOWN && !ui->used;
	if (b->reveal && browser_row(b) != NULL) {
		table_reveal(ui, r, &b->table, b->rows);
		b->reveal = false;
	}
	const enum table_change change = ui_table(ui, id, r, &b->table, &rows, true);
	if (pressed && ui->focus == id)
		ui->focus = UI_ID(PANEL_MODAL, FIELD);
	if (change == TABLE_SELECTED)
		browser_selected(app);
	else if (change == TABLE_SORTED)
		browser_fill(app);
	if (ui->ev != NULL)
		return act_on_click(app, &rows, r);
	browser_empty(app, text, sizeof text);
	struct cv_rect room = rect_inset(r, ui_px(ui, 8));
	cut_top(&room, ui_px(ui, 26) + (int)b->rows * table_row_height(ui));
	text_paragraph(ui->cv, ui->fonts->face[FONT_UI], room, ui->theme->weak, text);
	return false;
}

static void paint_preview(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const struct browser *b = app->browser;
	const struct preview *p = browser_preview(b);
	const struct theme *th = ui->theme;
	struct font *font = ui->fonts->face[FONT_UI];
	char name[300], path[FOLDER_PATH];
	cut_left(&r, ui_px(ui, 16));
	if (b->previewed[0] == 0) {
		text_paragraph(ui->cv, font, r, th->weak,
		    "What a recording says of itself is shown here when it is selected.");
		return;
	}
	const char *slash = strrchr(b->previewed, '/');
	sites_put_name(name, sizeof name, slash != NULL ? slash + 1 : b->previewed);
	text_in(ui->cv, ui->fonts->face[FONT_BOLD], cut_top(&r, ui_px(ui, 26)), TEXT_LEFT, th->text,
	    name);
	if (b->place == BROWSER_RECENT && slash != NULL) {
		char folder[FOLDER_PATH];
		snprintf(folder, sizeof folder, "%.*s", (int)(slash - b->previewed), b->previewed);
		sites_put_name(path, sizeof path, folder);
		cut_top(&r, text_paragraph(ui->cv, font, r, th->weak, path) + ui_px(ui, 6));
	}
	if (p == NULL)
		ui_label(ui, cut_top(&r, ui_px(ui, 22)), TEXT_LEFT, "Reading \xe2\x80\xa6");
	for (uint32_t i = 0; p != NULL && i < p->rows; i++) {
		struct cv_rect value = r;
		struct cv_rect label = cut_left(&value, ui_px(ui, 76));
		label.h = font_height(font);
		ui_label(ui, label, TEXT_LEFT, p->row[i].label);
		const int used = text_paragraph(ui->cv, font, value, th->text, p->row[i].value);
		cut_top(&r, used + ui_px(ui, 6));
	}
	cut_top(&r, ui_px(ui, 4));
	if (p != NULL)
		text_paragraph(ui->cv, font, r, th->weak, p->note);
}

/* In a narrow dialog the line below the list has the preview. */
static void brief_preview(const struct app *app, char *text, size_t size)
{
	const struct preview *p = browser_preview(app->browser);
	size_t n = 0;
	for (uint32_t i = 0; p != NULL && i < p->rows && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%s %s", i > 0 ? " \xc2\xb7 " : "",
		    p->row[i].label, p->row[i].value);
	if (p != NULL && p->note[0] != 0 && n < size)
		snprintf(text + n, size - n, "%s%s", n > 0 ? " \xc2\xb7 " : "", p->note);
}

/* True if the list or the dialog is another one. */
static bool run_connect_buttons(struct app *app, struct cv_rect row)
{
	struct ui *ui = &app->ui;
	struct browser *b = app->browser;
	const char *label = b->compares ? "Compare" : b->files ? "Open" : "Connect";
	const struct browser_row *chosen = browser_row(b);
	if (chosen != NULL && chosen->kind != BROWSER_SERVER && !b->compares)
		label = "Open";
	int gap = ui_px(ui, 8);
	struct cv_rect ok = cut_right(&row, ui_button_width(ui, ICON_NONE, "Connect") + 2 * gap);
	cut_right(&row, gap);
	struct cv_rect cancel = cut_right(&row, ui_button_width(ui, ICON_NONE, "Cancel") + gap);
	cut_right(&row, gap);
	struct cv_rect forget = cut_right(&row, ui_button_width(ui, ICON_NONE, "Remove"));
	cut_right(&row, gap);
	if (!b->files)
		ui_toggle(ui, UI_ID(PANEL_MODAL, PAUSE), row, "Pause before the first event",
		    &app->pause_at_start);
	const uint32_t id = UI_ID(PANEL_MODAL, FORGET);
	if (b->place == BROWSER_RECENT && chosen != NULL) {
		if (ui_button(ui, id, forget, ICON_NONE, "Remove", 0)) {
			browser_forget(app);
			return true;
		}
		ui_tip(ui, id, forget, "Removes the selected entry from the recent ones");
	}
	if (ui_button(ui, UI_ID(PANEL_MODAL, OK), ok, ICON_NONE, label, BUTTON_PRIMARY))
		browser_act(app);
	else if (ui_button(ui, UI_ID(PANEL_MODAL, CANCEL), cancel, ICON_NONE, "Cancel", 0))
		app_close_modal(app);
	else
		return false;
	return true;
}

void connect_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct browser *b = app->browser;
	const struct connect_parts p = divide(ui, r);
	char text[2400];
	if (b == NULL)
		return;
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], p.title, TEXT_LEFT, ui->theme->text,
		    b->compares ? "Compare with a recording"
		    : b->files  ? "Open a recording"
				: "Connect to a program or open a recording");
	ui_label(ui, p.label, TEXT_LEFT,
	    b->files ? "File name, or a part of it"
		     : "PID or PORT on this machine, HOST:PORT, unix:PATH or a file");
	if (list_key(app, p.table))
		return;
	run_connect_field(app, p.field);
	/* The next ones by Tab: the list has its keys without it. */
	if (run_connect_buttons(app, p.buttons))
		return;
	if (run_crumbs(app, p.crumbs) || run_connect_table(app, p.table))
		return;
	if (ui_paints(ui) && !rect_empty(p.preview))
		paint_preview(app, p.preview);
	browser_hint(app, text, sizeof text);
	if (rect_empty(p.preview))
		brief_preview(app, text, sizeof text);
	ui_label(ui, p.hint, TEXT_LEFT, text);
}
