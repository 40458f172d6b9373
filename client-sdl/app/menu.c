#include "menu.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "plugins_menu.h"
#include "timeline.h"

enum { MENU_BAR = 3, MENU_FIRST = 10, MENU_ROW = 25, MENU_TITLE = 28, MENU_GAP = 9 };

void menu_begin(struct app *app, const char *format, ...)
{
	struct menu *menu = &app->menu;
	va_list ap;
	va_start(ap, format);
	vsnprintf(menu->title, sizeof menu->title, format, ap);
	va_end(ap);
	menu->count = 0;
	menu->apart = false;
}

static struct menu_entry *new_entry(struct app *app, enum command_id id)
{
	struct menu *menu = &app->menu;
	const enum command_when when = command_at(id)->when;
	if (menu->count == MENU_ENTRIES || (when == WHEN_DATA && app->snapshot == NULL) ||
	    (when == WHEN_LIVE && app->state != SOURCE_LIVE) ||
	    (when == WHEN_IDLE && app->state == SOURCE_LIVE))
		return NULL;
	struct menu_entry *e = &menu->entry[menu->count];
	*e = (struct menu_entry){.id = id, .plugin = GCS_NONE};
	e->apart = menu->apart && menu->count > 0;
	menu->apart = false;
	menu->count++;
	return e;
}

void menu_add(struct app *app, enum command_id id, const char *label, const char *argument)
{
	struct menu_entry *e = new_entry(app, id);
	if (e == NULL)
		return;
	snprintf(e->label, sizeof e->label, "%s", label != NULL ? label : command_at(id)->help);
	snprintf(e->argument, sizeof e->argument, "%s", argument != NULL ? argument : "");
}

void menu_add_plugin(struct app *app, uint32_t plugin, const char *label, const char *note)
{
	struct menu_entry *e = new_entry(app, COMMAND_ask);
	if (e == NULL)
		return;
	e->plugin = plugin;
	snprintf(e->label, sizeof e->label, "%.100s", label);
	snprintf(e->note, sizeof e->note, "%.150s", note);
}

void menu_section(struct app *app)
{
	app->menu.apart = true;
}

bool menu_open(struct app *app, int x, int y)
{
	if (app->menu.count == 0)
		return false;
	app_open_modal(app, MODAL_MENU);
	if (x >= 0)
		app->modal_at = rect_make(x, y, 1, 1);
	return true;
}

/* What holds for the whole window. */
static void add_general(struct app *app, bool in_view)
{
	menu_section(app);
	if (in_view) {
		menu_add(app, COMMAND_copy, "Copy as text", NULL);
		menu_add(app, COMMAND_export_png, "Save the window as an image", NULL);
		if (app->view->svg != NULL)
			menu_add(app, COMMAND_export_svg, "Save the view as SVG", NULL);
	}
	menu_add(app, COMMAND_general_info, "Server information", NULL);
	menu_add(app, COMMAND_settings, "Settings", NULL);
	menu_add(app, COMMAND_command_palette, "All commands", NULL);
}

bool menu_open_context(struct app *app, bool pointed)
{
	const struct ui *ui = &app->ui;
	const struct cv_rect view = app->rect[PANEL_VIEW];
	const bool on_strip =
	    pointed && rect_has(app->rect[PANEL_TIMELINE], ui->mouse_x, ui->mouse_y);
	const bool in_view = !pointed || rect_has(view, ui->mouse_x, ui->mouse_y);
	menu_begin(app, "%s", app->view->title);
	if (on_strip)
		timeline_menu(app);
	else if (in_view && app->view->menu != NULL)
		app->view->menu(app->view_self, app, pointed);
	add_general(app, in_view);
	if (pointed)
		return menu_open(app, ui->mouse_x, ui->mouse_y);
	return menu_open(app, view.x + view.w / 3, view.y + view.h / 4);
}

void menu_choose(struct app *app, enum command_id id, const char *argument)
{
	if (app->modal != MODAL_NONE)
		app_close_modal(app);
	if ((argument == NULL || *argument == 0) && command_needs_argument(id))
		argument_ask(app, id, command_at(id)->help, "", "");
	else if (id == COMMAND_bookmark && argument != NULL && *argument != 0)
		argument_ask(app, id, "Bookmark this moment", argument, "");
	else
		app_command(app, id, argument);
}

static void choose_entry(struct app *app, int i)
{
	const struct menu_entry e = app->menu.entry[i];
	if (e.plugin != GCS_NONE)
		plugins_menu_choose(app, e.plugin);
	else
		menu_choose(app, e.id, e.argument);
}

/* The top of an entry, below the title; the end for i = count. */
static int entry_top(const struct app *app, int i)
{
	int y = i * ui_px(&app->ui, MENU_ROW);
	for (int k = 0; k <= i && k < app->menu.count; k++)
		y += app->menu.entry[k].apart ? ui_px(&app->ui, MENU_GAP) : 0;
	return y;
}

static void key_text(const struct menu_entry *e, char *text, size_t size)
{
	const char *keys =
	    e->argument[0] == 0 && e->plugin == GCS_NONE ? command_at(e->id)->keys : "";
	snprintf(text, size, "%.*s", (int)strcspn(keys, " "), keys);
}

void menu_size(const struct app *app, int *w, int *h)
{
	const struct ui *ui = &app->ui;
	struct font *font = ui->fonts->face[FONT_UI];
	*w = text_width(ui->fonts->face[FONT_BOLD], app->menu.title);
	for (int i = 0; i < app->menu.count; i++) {
		const struct menu_entry *e = &app->menu.entry[i];
		char key[48];
		key_text(e, key, sizeof key);
		const int all = text_width(font, e->label) +
				text_width(ui->fonts->face[FONT_SMALL], e->note) +
				text_width(ui->fonts->face[FONT_MONO], key) + ui_px(ui, 48);
		*w = all > *w ? all : *w;
	}
	*w = clamp_int(*w + ui_px(ui, 32), ui_px(ui, 220), ui_px(ui, 560));
	*h = entry_top(app, app->menu.count) + ui_px(ui, MENU_TITLE + 32);
}

/* True if the row is to be chosen. */
static bool menu_key(struct app *app, int page)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	int to = app->modal_row;
	if (ui->ev == NULL || ui->used || !key_of_event(ui->ev, &stroke))
		return false;
	if (stroke.key == KEY_ENTER || stroke.key == ' ') {
		ui_take(ui);
		return true;
	}
	if (stroke.key == KEY_UP || stroke.key == KEY_DOWN)
		to += stroke.key == KEY_UP ? -1 : 1;
	else if (stroke.key == KEY_HOME || stroke.key == KEY_END)
		to = stroke.key == KEY_HOME ? 0 : app->menu.count - 1;
	else
		return false;
	ui_take(ui);
	app->modal_row = clamp_int(to, 0, app->menu.count - 1);
	const int top = entry_top(app, app->modal_row);
	app->modal_scroll = clamp_int(app->modal_scroll, top + ui_px(ui, MENU_ROW) - page, top);
	return false;
}

static void paint_menu_entry(
    struct app *app, struct cv_rect r, const struct menu_entry *e, bool strong)
{
	struct ui *ui = &app->ui;
	char key[48];
	if (e->apart)
		cv_hline(ui->cv, r.x, r.y - ui_px(ui, MENU_GAP) / 2, r.w, ui->theme->line);
	if (strong)
		cv_round(ui->cv, r, ui_px(ui, 4), ui->theme->hover);
	cut_left(&r, ui_px(ui, 8));
	cut_right(&r, ui_px(ui, 8));
	key_text(e, key, sizeof key);
	struct font *mono = ui->fonts->face[FONT_MONO], *font = ui->fonts->face[FONT_UI];
	text_in(
	    ui->cv, mono, cut_right(&r, text_width(mono, key)), TEXT_RIGHT, ui->theme->weak, key);
	cut_right(&r, ui_px(ui, 8));
	text_in(ui->cv, font, r, TEXT_LEFT, ui->theme->text, e->label);
	cut_left(&r, text_width(font, e->label) + ui_px(ui, 10));
	if (r.w > ui_px(ui, 40))
		ui_label(ui, r, TEXT_LEFT, e->note);
}

void menu_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const int rows = app->menu.count, h = ui_px(ui, MENU_ROW);
	struct cv_rect title = cut_top(&r, ui_px(ui, MENU_TITLE));
	const int content = entry_top(app, rows);
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], title, TEXT_LEFT, ui->theme->text,
		    app->menu.title);
	app->modal_row = clamp_int(app->modal_row, 0, rows - 1);
	if (menu_key(app, r.h)) {
		choose_entry(app, app->modal_row);
		return;
	}
	struct cv_rect bar = cut_right(&r, content > r.h ? ui_px(ui, 12) : 0);
	ui_scroll_wheel(ui, r, content, r.h, h, &app->modal_scroll);
	ui_scroll_bar(ui, UI_ID(PANEL_MODAL, MENU_BAR), bar, content, r.h, &app->modal_scroll);
	if (ui_paints(ui))
		cv_push_clip(ui->cv, r);
	for (int i = 0; i < rows && app->modal == MODAL_MENU; i++) {
		const uint32_t id = UI_ID(PANEL_MODAL, MENU_FIRST + i);
		const struct menu_entry *e = &app->menu.entry[i];
		struct cv_rect line =
		    rect_make(r.x, r.y + entry_top(app, i) - app->modal_scroll, r.w, h);
		if (!rect_meets(line, r))
			continue;
		if (ui_area(ui, id, line)) {
			choose_entry(app, i);
			return;
		}
		if (e->plugin != GCS_NONE)
			ui_tip(ui, id, line, e->note);
		if (ui_paints(ui))
			paint_menu_entry(
			    app, line, e, ui->hot != 0 ? ui->hot == id : i == app->modal_row);
	}
	if (ui_paints(ui))
		cv_pop_clip(ui->cv);
}

void menu_text(struct app *app, struct textbuf *out)
{
	textbuf_printf(out, "menu\t%s\n", app->menu.title);
	for (int i = 0; i < app->menu.count; i++) {
		char key[48];
		key_text(&app->menu.entry[i], key, sizeof key);
		textbuf_printf(out, "%s\t%s\n", app->menu.entry[i].label, key);
	}
}
