/*
 * Buttons at the right of the header for what is done in every view. What does not fit is in the
 * menu of the last one. Declared in app.h.
 */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"

enum { TOOLBAR_FIRST = 40, TOOLBAR_COUNT = 7, TOOLBAR_MORE = TOOLBAR_FIRST + TOOLBAR_COUNT };

struct toolbar_tool {
	enum command_id id;
	enum ui_icon icon;
	const char *label, *name; /* on the button and in the menu */
	bool off;
};

static int toolbar_fill(const struct app *app, struct toolbar_tool tools[TOOLBAR_COUNT])
{
	char recording[160];
	record_text(app, recording, sizeof recording);
	const bool records = recording[0] != 0, none = app->snapshot == NULL;
	const bool file = app->source.ops != NULL && app->source.ops->file;
	const struct toolbar_tool all[TOOLBAR_COUNT] = {
	    {COMMAND_record, records ? ICON_STOP : ICON_RECORD, records ? "Stop" : "Record",
		records ? "Stop recording" : "Record to a file", none || file},
	    {COMMAND_bookmark, ICON_NONE, "Bookmark", "Bookmark this moment", none},
	    {COMMAND_compare, ICON_NONE, "Compare", "Compare with this moment", none},
	    {COMMAND_zoom_out, ICON_MINUS, "", "Smaller", none},
	    {COMMAND_zoom_in, ICON_PLUS, "", "Larger", none},
	    {COMMAND_general_info, ICON_NONE, "Info", "Server information", none},
	    {COMMAND_settings, ICON_NONE, "Settings", "Settings", false},
	};
	memcpy(tools, all, sizeof all);
	return TOOLBAR_COUNT;
}

uint64_t toolbar_state(const struct app *app)
{
	struct toolbar_tool tools[TOOLBAR_COUNT];
	const int count = toolbar_fill(app, tools);
	uint64_t state = 0;
	for (int i = 0; i < count; i++)
		state |= (uint64_t)tools[i].off << i;
	return state | (uint64_t)(tools[0].icon == ICON_STOP) << count;
}

/* Asks for the note of a bookmark; that of the present one is there to be changed. */
static void toolbar_bookmark(struct app *app)
{
	const struct marks *marks = &app->event_history.marks;
	const uint32_t i = marks_find(marks, event_history_here_ns(app));
	argument_ask(app, COMMAND_bookmark,
	    i < marks->count ? "Note of this bookmark; none removes it" : "Bookmark this moment",
	    "", i < marks->count ? marks->at[i].note : "");
}

static void toolbar_use(struct app *app, const struct toolbar_tool *t)
{
	if (t->id == COMMAND_bookmark)
		toolbar_bookmark(app);
	else
		app_command(app, t->id, NULL);
}

static void toolbar_tip(
    struct app *app, uint32_t id, struct cv_rect r, const struct toolbar_tool *t)
{
	const struct command *c = command_at(t->id);
	char tip[320];
	snprintf(tip, sizeof tip, "%s\n%s\nKey\t%.*s", t->name, c->help, (int)strcspn(c->keys, " "),
	    c->keys);
	ui_tip(&app->ui, id, r, tip);
}

static void toolbar_menu(
    struct app *app, const struct toolbar_tool *tools, int first, int count, struct cv_rect at)
{
	menu_begin(app, "Window");
	for (int i = first; i < count; i++)
		if (!tools[i].off)
			menu_add(app, tools[i].id, tools[i].name, NULL);
	if (app->snapshot != NULL)
		menu_add(app, COMMAND_compare_file, "Compare with a recording", NULL);
	const struct gcs_profile *profile = profiles_profile(app);
	if (profile != NULL && gcs_profile_head(profile)->interval > 0 &&
	    requests_refusal(app) == NULL)
		menu_add(app, COMMAND_sites_sample, "Stop sampling allocations", "0");
	menu_section(app);
	if (app->snapshot != NULL && !app->at_start)
		menu_add(app, COMMAND_start, "Start screen", NULL);
	menu_add(app, COMMAND_help, "Keys", NULL);
	menu_add(app, COMMAND_command_palette, "All commands", NULL);
	if (menu_open(app, at.x, at.y))
		app->modal_at = at;
}

void toolbar_run(struct app *app, struct cv_rect *row)
{
	struct ui *ui = &app->ui;
	struct toolbar_tool tools[TOOLBAR_COUNT];
	const int count = toolbar_fill(app, tools), gap = ui_px(ui, 4);
	const char *more = "\xe2\x80\xa6";
	const int more_w = ui_button_width(ui, ICON_NONE, more);
	int w[TOOLBAR_COUNT], room = row->w * 45 / 100 - more_w - gap, shown = 0;
	for (; shown < count; shown++) {
		w[shown] = ui_button_width(ui, tools[shown].icon, tools[shown].label) + gap;
		if (w[shown] > room)
			break;
		room -= w[shown];
	}
	struct cv_rect bar = *row;
	const int h = clamp_int(ui_px(ui, 28), 0, bar.h);
	bar.y += (bar.h - h) / 2;
	bar.h = h;
	int all = more_w + gap;
	for (int i = 0; i < shown; i++)
		all += w[i];
	bar = cut_right(&bar, all);
	cut_right(row, all);
	for (int i = 0; i < shown; i++) {
		const uint32_t id = UI_ID(PANEL_HEADER, TOOLBAR_FIRST + i);
		struct cv_rect button = cut_left(&bar, w[i] - gap);
		cut_left(&bar, gap);
		const bool used = ui_button(ui, id, button, tools[i].icon, tools[i].label,
		    BUTTON_FLAT | (tools[i].off ? BUTTON_OFF : 0));
		toolbar_tip(app, id, button, &tools[i]);
		if (used) {
			toolbar_use(app, &tools[i]);
			return;
		}
	}
	const uint32_t id = UI_ID(PANEL_HEADER, TOOLBAR_MORE);
	struct cv_rect button = cut_left(&bar, more_w);
	if (ui_button(ui, id, button, ICON_NONE, more, BUTTON_FLAT))
		toolbar_menu(app, tools, shown, count, button);
	else
		ui_tip(ui, id, button, "More\nKey\tShift+F10");
}
