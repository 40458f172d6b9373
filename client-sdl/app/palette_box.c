/* The command palette: type a few letters, run the command; also what plugins answer. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "plugins_menu.h"

enum { FIELD = 1, BAR, FIRST_ROW = 100, MATCHES = COMMAND_COUNT + 64 };

struct match {
	enum command_id id;
	uint32_t plugin;      /* that COMMAND_ask asks; GCS_NONE: none, or a menu of them */
	const char *argument; /* typed behind the name of the command; NULL: none */
	int points;
	char help[200];
};

static void insert_match(struct match *matches, int *n, const struct match *match)
{
	int at = (*n)++;
	while (at > 0 && matches[at - 1].points < match->points) {
		matches[at] = matches[at - 1];
		at--;
	}
	matches[at] = *match;
}

/* "sites_sample 0": a command's name and what it is to be called with. */
static bool match_call(const char *pattern, struct match *match)
{
	const size_t n = strcspn(pattern, " ");
	const char *argument = pattern + n + strspn(pattern + n, " ");
	const enum command_id id = command_find(pattern, n);
	if (argument[0] == 0 || id == COMMAND_COUNT || command_at(id)->args[0] == 0)
		return false;
	*match = (struct match){.id = id, .plugin = GCS_NONE, .argument = argument};
	snprintf(match->help, sizeof match->help, "%.199s", pattern);
	return true;
}

/* The matching commands, best first; ties in the table's order. */
static int find_matches(const struct app *app, const char *pattern, struct match *matches)
{
	int n = 0;
	if (match_call(pattern, &matches[0]))
		return 1;
	for (int i = 0; i < COMMAND_COUNT; i++) {
		struct match match = {.id = (enum command_id)i, .plugin = GCS_NONE};
		match.points = command_match(match.id, pattern);
		if (match.points == 0 || i == COMMAND_command_palette)
			continue;
		snprintf(match.help, sizeof match.help, "%s%s", command_at(match.id)->help,
		    command_needs_argument(match.id) || i == COMMAND_sites_sample ? " \xe2\x80\xa6"
										  : "");
		insert_match(matches, &n, &match);
	}
	for (uint32_t i = 0; i < plugins_count(app) && n < MATCHES; i++) {
		struct match match = {.id = COMMAND_ask, .plugin = i};
		snprintf(match.help, sizeof match.help, "Ask: %.180s", plugins_title(app, i));
		match.points = command_match_text(match.help, pattern);
		if (match.points > 0)
			insert_match(matches, &n, &match);
	}
	/* Scattered letters count only while nothing contains them as a word. */
	for (int i = 0; i < n && matches[0].points >= COMMAND_MATCH_WHOLE; i++) {
		if (matches[i].points < COMMAND_MATCH_WHOLE)
			return i;
	}
	return n;
}

static void run_match(struct app *app, const struct match *match)
{
	if (match->plugin != GCS_NONE) {
		plugins_menu_choose(app, match->plugin);
		return;
	}
	/* The key E samples as usual. */
	if (match->id == COMMAND_sites_sample && match->argument == NULL) {
		app_close_modal(app);
		argument_ask(app, match->id, command_at(match->id)->help, "", "512k");
		return;
	}
	char argument[sizeof app->field.text];
	snprintf(argument, sizeof argument, "%s", match->argument != NULL ? match->argument : "");
	menu_choose(app, match->id, argument[0] != 0 ? argument : NULL);
}

/* Up, Down and Enter act on the list although the field is in focus. */
static bool list_key(struct app *app, const struct match *matches, int n, int rows)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	if (ui->ev == NULL || !key_of_event(ui->ev, &stroke) || ui->ev->kind != EV_KEY || n == 0)
		return false;
	switch (stroke.key) {
	case KEY_UP:
		app->modal_row = clamp_int(app->modal_row - 1, 0, n - 1);
		break;
	case KEY_DOWN:
		app->modal_row = clamp_int(app->modal_row + 1, 0, n - 1);
		break;
	case KEY_ENTER:
		ui_take(ui);
		run_match(app, &matches[clamp_int(app->modal_row, 0, n - 1)]);
		return true;
	default:
		return false;
	}
	app->modal_scroll = clamp_int(app->modal_scroll, app->modal_row - rows + 1, app->modal_row);
	ui_take(ui);
	return true;
}

static void paint_row(struct app *app, struct cv_rect row, const struct match *match, bool chosen)
{
	const struct command *c = command_at(match->id);
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	if (chosen) {
		cv_round(ui->cv, row, ui_px(ui, 4), th->raised);
		cv_fill(ui->cv,
		    rect_make(row.x, row.y + ui_px(ui, 4), ui_px(ui, 3), row.h - ui_px(ui, 8)),
		    th->accent);
	}
	cut_left(&row, ui_px(ui, 12));
	cut_right(&row, ui_px(ui, 12));
	struct font *mono = ui->fonts->face[FONT_MONO];
	size_t first = match->plugin == GCS_NONE ? strcspn(c->keys, " ") : 0;
	char keys[48];
	snprintf(keys, sizeof keys, "%.*s", (int)first, c->keys);
	bool wide = row.w > ui_px(ui, 420); /* aligns the sections */
	int w = text_width(mono, keys);
	w = wide && w < ui_px(ui, 116) ? ui_px(ui, 116) : w;
	text_in(ui->cv, mono, cut_right(&row, w), TEXT_RIGHT, th->weak, keys);
	cut_right(&row, ui_px(ui, 8));
	if (wide)
		ui_label(ui, cut_right(&row, ui_px(ui, 70)), TEXT_LEFT, c->section);
	cut_right(&row, ui_px(ui, 8));
	text_in(ui->cv, ui->fonts->face[chosen ? FONT_BOLD : FONT_UI], row, TEXT_LEFT, th->text,
	    match->help);
}

void palette_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	static struct match matches[MATCHES]; /* large; window thread only */
	int n = find_matches(app, app->field.text, matches);
	struct cv_rect field = cut_top(&r, ui_px(ui, 34));
	cut_top(&r, ui_px(ui, 8));
	struct cv_rect bar = cut_right(&r, ui_px(ui, 12));
	int height = ui_px(ui, 28);
	int rows = r.h / height;
	if (list_key(app, matches, n, rows > 0 ? rows : 1))
		return;
	if (ui_field(ui, UI_ID(PANEL_MODAL, FIELD), field, &app->field, "Type a command")) {
		app->modal_row = 0;
		app->modal_scroll = 0;
		return;
	}
	ui_scroll_wheel(ui, r, n, rows, 3, &app->modal_scroll);
	ui_scroll_bar(ui, UI_ID(PANEL_MODAL, BAR), bar, n, rows, &app->modal_scroll);
	app->modal_row = clamp_int(app->modal_row, 0, n - 1);
	for (int i = app->modal_scroll; i < n && i < app->modal_scroll + rows; i++) {
		struct cv_rect row = cut_top(&r, height);
		if (ui_area(ui, UI_ID(PANEL_MODAL, FIRST_ROW + i), row)) {
			run_match(app, &matches[i]);
			return;
		}
		if (ui_paints(ui))
			paint_row(app, row, &matches[i],
			    i == app->modal_row || ui->hot == UI_ID(PANEL_MODAL, FIRST_ROW + i));
	}
	if (n == 0)
		ui_label(ui, cut_top(&r, height), TEXT_CENTRE, "No matching command");
}

void palette_text(struct app *app, struct textbuf *out)
{
	static struct match matches[MATCHES];
	int n = find_matches(app, app->field.text, matches);
	for (int i = 0; i < n; i++) {
		const struct command *c = command_at(matches[i].id);
		textbuf_printf(out, "%s\t%s\t%s\n", matches[i].help, c->section,
		    matches[i].plugin == GCS_NONE ? c->keys : "");
	}
}
