/* The help overlay and docs/keys.md, both generated from the table of commands. */
#include "help.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app.h"
#include "layout.h"

static const char *const sections[] = {"Program", "Recording", "Time", "Spaces", "Tiles", "Output",
    "Call sites", "Events", "View", "History", "Window"};

#define SECTIONS ((int)(sizeof sections / sizeof *sections))
#define COLUMNS  3

enum { FIELD = 1, BAR, ALL, FIRST_LINE = 100 };

/* What the page shows before anything is typed; the palette and a search have the rest. */
static const enum command_id first_page[] = {COMMAND_pause_resume, COMMAND_step, COMMAND_connect,
    COMMAND_step_back, COMMAND_record, COMMAND_live, COMMAND_bookmark, COMMAND_stream_next,
    COMMAND_reveal, COMMAND_tile_sites, COMMAND_find, COMMAND_overview, COMMAND_heap_map,
    COMMAND_leaks, COMMAND_call_sites, COMMAND_flame_graph, COMMAND_zoom_in, COMMAND_sites_filter,
    COMMAND_compare, COMMAND_side_panel, COMMAND_settings, COMMAND_context_menu,
    COMMAND_command_palette, COMMAND_back};

/* Mouse actions, in the form of commands. */
static const struct command mouse[] = {
    {"", "Mouse", "Click", "", "Select a tile or row; on a title: activate the space", WHEN_ANY},
    {"", "Mouse", "Right+click", "", "Menu of what is under the pointer", WHEN_ANY},
    {"", "Mouse", "Wheel", "", "Scroll", WHEN_ANY},
    {"", "Mouse", "Shift+Wheel", "", "Scroll sideways", WHEN_ANY},
    {"", "Mouse", "Ctrl+Wheel", "", "Zoom the tiles at the pointer", WHEN_ANY},
    {"", "Mouse", "Middle+drag", "", "Pan the map", WHEN_ANY},
    {"", "Mouse", "Shift+drag", "", "Mark tiles; Alt adds, Ctrl removes", WHEN_ANY},
    {"", "Mouse", "Drag", "", "On the timeline: go to an earlier time", WHEN_ANY},
    {"", "Mouse", "Back Forward", "", "Side buttons: go back, go forward", WHEN_ANY},
    {"", "Mouse", "Drop", "", "Open the file dropped on the window", WHEN_ANY},
};

#define MOUSE ((int)(sizeof mouse / sizeof *mouse))

/* Line i: first the commands, then the mouse actions. */
static const struct command *line_at(int i)
{
	return i < COMMAND_COUNT ? command_at((enum command_id)i) : &mouse[i - COMMAND_COUNT];
}

static const char *section_at(int s)
{
	return s < SECTIONS ? sections[s] : "Mouse";
}

static bool contains(const char *text, const char *part)
{
	size_t n = strlen(part);
	for (; *text != 0; text++) {
		if (strncasecmp(text, part, n) == 0)
			return true;
	}
	return n == 0;
}

static bool is_of_first_page(const struct command *c)
{
	for (size_t i = 0; i < sizeof first_page / sizeof *first_page; i++)
		if (c == command_at(first_page[i]))
			return true;
	return c->name[0] == 0; /* the mouse */
}

/* True if it belongs to the section and its help, name, key or section contains what was typed. */
static bool is_shown(const struct command *c, int section, const char *typed)
{
	if (strcmp(c->section, section_at(section)) != 0 || (*typed == 0 && !is_of_first_page(c)))
		return false;
	return contains(c->help, typed) || contains(c->name, typed) || contains(c->keys, typed) ||
	       contains(c->section, typed);
}

/* Rows that a section takes: title, lines, a blank one; 0 if none of its lines match. */
static int rows_of(int section, const char *typed)
{
	int n = 0;
	for (int i = 0; i < COMMAND_COUNT + MOUSE; i++)
		n += is_shown(line_at(i), section, typed);
	return n > 0 ? n + 2 : 0;
}

/* The column of each section if no column may be higher than `rows`; returns the number of
 * columns. */
static int arrange(const char *typed, int most, int *column)
{
	int at = 0, used = 0;
	for (int s = 0; s <= SECTIONS; s++) {
		int n = rows_of(s, typed);
		if (used > 0 && used + n > most) {
			at++;
			used = 0;
		}
		used += n;
		column[s] = at;
	}
	return at + 1;
}

/* The smallest height at which all sections fit into that many columns. */
static int plan(const char *typed, int columns, int *column)
{
	int most = 1, all = 0;
	for (int s = 0; s <= SECTIONS; s++) {
		int n = rows_of(s, typed);
		most = n > most ? n : most;
		all += n;
	}
	while (most < all && arrange(typed, most, column) > columns)
		most++;
	arrange(typed, most, column);
	return most;
}

static void paint_keys(struct ui *ui, struct cv_rect keys, const char *p)
{
	struct font *mono = ui->fonts->face[FONT_MONO];
	while (*p != 0) {
		char one[32];
		size_t n = strcspn(p, " ");
		snprintf(one, sizeof one, "%.*s", (int)n, p);
		int w = text_width(mono, one) + ui_px(ui, 8);
		if (w > keys.w)
			break;
		struct cv_rect cap = cut_left(&keys, w);
		cut_left(&keys, ui_px(ui, 4));
		int h = font_height(mono) + ui_px(ui, 2);
		cap = rect_make(cap.x, cap.y + (cap.h - h) / 2, cap.w, h);
		cv_round(ui->cv, cap, ui_px(ui, 3), ui->theme->raised);
		text_in(ui->cv, mono, cap, TEXT_CENTRE, ui->theme->text, one);
		p += n;
		p += strspn(p, " ");
	}
}

/* A command without a key shows its name, as in the palette and in scripts. */
static void paint_line(struct ui *ui, struct cv_rect row, const struct command *c)
{
	struct cv_rect keys = cut_left(&row, clamp_int(ui_px(ui, 136), 0, row.w / 2));
	cut_right(&keys, ui_px(ui, 8));
	if (c->keys[0] != 0)
		paint_keys(ui, keys, c->keys);
	else
		ui_label(ui, keys, TEXT_LEFT, c->name);
	text_in(ui->cv, ui->fonts->face[FONT_SMALL], row, TEXT_LEFT, ui->theme->text, c->help);
}

/* A line runs its command; false if the page is no longer there. */
static bool run_line(struct app *app, struct cv_rect row, int i)
{
	struct ui *ui = &app->ui;
	const uint32_t id = UI_ID(PANEL_MODAL, FIRST_LINE + i);
	const bool runs = i < COMMAND_COUNT && i != COMMAND_help;
	if (runs && ui_area(ui, id, row)) {
		menu_choose(app, (enum command_id)i, NULL);
		return false;
	}
	if (!ui_paints(ui))
		return true;
	if (runs && ui->hot == id)
		cv_round(ui->cv, row, ui_px(ui, 3), ui->theme->hover);
	paint_line(ui, row, line_at(i));
	return true;
}

static bool run_sections(struct app *app, struct cv_rect r, int columns, int height)
{
	struct ui *ui = &app->ui;
	const char *typed = app->field.text;
	int column[SECTIONS + 1];
	struct cv_rect at[COLUMNS];
	plan(typed, columns, column);
	for (int i = 0; i < columns; i++) {
		at[i] = rect_make(r.x + r.w * i / columns, r.y, r.w / columns, r.h);
		cut_right(&at[i], ui_px(ui, 20));
	}
	for (int s = 0; s <= SECTIONS; s++) {
		if (rows_of(s, typed) == 0)
			continue;
		struct cv_rect *c = &at[column[s] < columns ? column[s] : columns - 1];
		struct cv_rect title = cut_top(c, height);
		if (ui_paints(ui))
			text_in(ui->cv, ui->fonts->face[FONT_BOLD], title, TEXT_LEFT,
			    ui->theme->accent, section_at(s));
		for (int i = 0; i < COMMAND_COUNT + MOUSE; i++) {
			if (is_shown(line_at(i), s, typed) && !run_line(app, cut_top(c, height), i))
				return false;
		}
		cut_top(c, height);
	}
	return true;
}

/* Keys that scroll the page although the field is in focus. */
static void scroll_keys(struct app *app, int content, int page, int height)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	int by = 0;
	if (ui->ev == NULL || ui->used || ui->ev->kind != EV_KEY || !key_of_event(ui->ev, &stroke))
		return;
	if (stroke.key == KEY_UP || stroke.key == KEY_DOWN)
		by = stroke.key == KEY_UP ? -3 * height : 3 * height;
	else if (stroke.key == KEY_PAGE_UP || stroke.key == KEY_PAGE_DOWN)
		by = stroke.key == KEY_PAGE_UP ? -page : page;
	if (by == 0)
		return;
	app->modal_scroll =
	    clamp_int(app->modal_scroll + by, 0, content > page ? content - page : 0);
	ui_take(ui);
}

/* Wide enough for keys and a sentence of the usual length. */
static int column_width(const struct ui *ui)
{
	return ui_px(ui, 156) +
	       text_width(ui->fonts->face[FONT_SMALL], "Select the first tile of the active space");
}

void help_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct cv_rect title = cut_top(&r, ui_px(ui, 30));
	struct cv_rect field = cut_right(&title, clamp_int(ui_px(ui, 260), 0, r.w * 6 / 10));
	cut_top(&r, ui_px(ui, 8));
	struct cv_rect bar = cut_right(&r, ui_px(ui, 12));
	/* The key that opened the help closes it; no command's text contains it. */
	if (ui->ev != NULL && ui->ev->kind == EV_TEXT && strcmp(ui->ev->text, "?") == 0) {
		ui_take(ui);
		app_close_modal(app);
		return;
	}
	int columns = clamp_int(r.w / column_width(ui), 1, COLUMNS);
	int column[SECTIONS + 1];
	int height = font_height(ui->fonts->face[FONT_SMALL]) + ui_px(ui, 5);
	int content = plan(app->field.text, columns, column) * height;
	/* Whole lines only, so that none is cut off. */
	if (content > r.h && r.h > height)
		r.h -= r.h % height;
	scroll_keys(app, content, r.h, height);
	if (ui_field(ui, UI_ID(PANEL_MODAL, FIELD), field, &app->field, "Type to search"))
		app->modal_scroll = 0;
	ui_scroll_wheel(ui, r, content, r.h, height * 3, &app->modal_scroll);
	ui_scroll_bar(ui, UI_ID(PANEL_MODAL, BAR), bar, content, r.h, &app->modal_scroll);
	const int scroll = app->modal_scroll - app->modal_scroll % height;
	struct cv_rect page = rect_make(r.x, r.y - scroll, r.w, content + r.h);
	struct font *bold = ui->fonts->face[FONT_BOLD];
	if (ui_paints(ui))
		text_in(ui->cv, bold, title, TEXT_LEFT, ui->theme->text, "Keys");
	cut_left(&title, text_width(bold, "Keys") + ui_px(ui, 12));
	struct cv_rect all = cut_left(&title, ui_button_width(ui, ICON_NONE, "All commands"));
	cut_left(&title, ui_px(ui, 10));
	ui_label(ui, title, TEXT_LEFT, "A click on a line runs it \xc2\xb7 Esc closes");
	if (ui_button(ui, UI_ID(PANEL_MODAL, ALL), all, ICON_NONE, "All commands", 0)) {
		menu_choose(app, COMMAND_command_palette, NULL);
		return;
	}
	if (ui_paints(ui))
		cv_push_clip(ui->cv, r);
	if (content <= height)
		ui_label(ui, cut_top(&r, ui_px(ui, 40)), TEXT_CENTRE, "No matching command");
	else if (ui_paints(ui) || rect_has(r, ui->ev->x, ui->ev->y))
		run_sections(app, page, columns, height);
	if (ui_paints(ui))
		cv_pop_clip(ui->cv);
}

void help_text(struct app *app, struct textbuf *out)
{
	for (int s = 0; s <= SECTIONS; s++) {
		for (int i = 0; i < COMMAND_COUNT + MOUSE; i++) {
			const struct command *c = line_at(i);
			if (is_shown(c, s, app->field.text))
				textbuf_printf(out, "%s\t%s\t%s\n", section_at(s),
				    *c->keys != 0 ? c->keys : c->name, c->help);
		}
	}
}

static void put_keys(struct textbuf *out, const char *p)
{
	while (*p != 0) {
		size_t n = strcspn(p, " ");
		textbuf_printf(out, "`%.*s`%s", (int)n, p, p[n] != 0 ? " " : "");
		p += n;
		p += strspn(p, " ");
	}
}

void help_markdown(struct textbuf *out)
{
	textbuf_puts(out,
	    "# Keys and commands of gcspy-view\n\n"
	    "Made by `gcspy-view --list-keys`. Every command is also in the command palette\n"
	    "(`Ctrl+K`) and, with its name, a step of a script (`--script`). `[X]` is an argument\n"
	    "that may be left out.\n");
	for (int s = 0; s < SECTIONS; s++) {
		textbuf_printf(out,
		    "\n## %s\n\n| keys | command | what it does |\n| --- | --- | --- |\n",
		    sections[s]);
		for (int i = 0; i < COMMAND_COUNT; i++) {
			const struct command *c = command_at((enum command_id)i);
			if (strcmp(c->section, sections[s]) != 0)
				continue;
			textbuf_puts(out, "| ");
			put_keys(out, c->keys);
			textbuf_printf(out, " | `%s%s%s` | %s |\n", c->name,
			    *c->args != 0 ? " " : "", c->args, c->help);
		}
	}
}
