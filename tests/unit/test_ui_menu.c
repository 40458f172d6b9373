/*
 * A pointer's way to everything: context menus, the buttons of the header, chips, commands that ask
 * for their argument, lines of the help, and what Escape says.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "heap_view.h"
#include "timeline.h"
#include "ui_profile.h"
#include "text_finder.h"
#include "ui_calls.h"
#include "ui_target.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct cv_rect found;
static uint32_t wanted;

static void note_area(void *context, uint32_t id, struct cv_rect r)
{
	(void)context;
	if (id == wanted)
		found = r;
}

/* Clicks a widget of a panel. */
static void click_widget(enum panel_id panel, uint32_t number)
{
	const struct cv_rect r = panel == PANEL_MODAL ? w.app.modal_box : w.app.rect[panel];
	found = rect_make(0, 0, 0, 0);
	wanted = UI_ID(panel, number);
	w.app.ui.area = note_area;
	world_move(&w, r.x + r.w / 2, r.y + r.h / 2);
	w.app.ui.area = NULL;
	cr_assert(!rect_empty(found), "panel %d has no %u", (int)panel, number);
	world_click(&w, found.x + found.w / 2, found.y + found.h / 2, 1);
}

/* The number of the menu's entry with that label; -1 without. */
static int entry_of(const char *label)
{
	for (int i = 0; i < w.app.menu.count; i++)
		if (strcmp(w.app.menu.entry[i].label, label) == 0)
			return i;
	return -1;
}

/* Clicks an entry of the open menu. */
static void choose(const char *label)
{
	cr_assert_eq(w.app.modal, MODAL_MENU, "%s", label);
	cr_assert_geq(entry_of(label), 0, "no \"%s\" in %s", label, window_text(&w.app));
	click_widget(PANEL_MODAL, 10u + (unsigned)entry_of(label));
}

static struct cv_rect tile_at(uint32_t space, uint32_t tile)
{
	struct cv_rect r;
	cr_assert(w.app.view->place(w.app.view_self, &w.app, space, tile, &r));
	return r;
}

Test(menu, of_a_tile_and_of_a_space, .fini = close_world)
{
	target_open(&w, 1000, 700, 12);
	struct cv_rect r = tile_at(WORLD_REGIONS, 20);
	world_click(&w, r.x + r.w / 2, r.y + r.h / 2, 3);
	cr_assert_eq(w.app.selected.tile, 20u, "what it is about is selected");
	cr_assert(entry_of("Memory") > 0, "what plugins answer about a tile");
	choose("Outline tiles with the same value");
	cr_assert_str_eq(w.app.toast, "Tiles with the same value are outlined");
	cr_assert_eq(w.app.modal, MODAL_NONE);
	/* The title of a space. */
	struct heap *heap = w.app.views[VIEW_HEAP];
	r = heap_title_rect(heap, &w.app, heap_find(heap, WORLD_REGIONS));
	world_click(&w, r.x + 4, r.y + r.h / 2, 3);
	choose("Largest value first");
	cr_assert_eq(heap_prefs_of(w.app.views[VIEW_HEAP], &w.app, WORLD_REGIONS)->order_kind,
	    ORDER_FALLING);
	/* By key it is about the selected tile. */
	world_key(&w, "Shift+F10");
	cr_assert_geq(entry_of("Deselect"), 0);
	choose("Deselect");
	cr_assert_eq(w.app.selected.space, GCS_NONE);
}

Test(menu, entries_that_cannot_run_are_left_out, .fini = close_world)
{
	world_open(&w, 900, 600);
	world_click(&w, 300, 300, 3);
	cr_assert_eq(w.app.modal, MODAL_MENU);
	cr_assert_geq(entry_of("Settings"), 0);
	cr_assert_lt(entry_of("Server information"), 0, "there is no server");
	world_key(&w, "Escape");
	cr_assert_eq(w.app.modal, MODAL_NONE);
}

Test(menu, of_an_event_on_the_timeline, .fini = close_world)
{
	world_open(&w, 1000, 700);
	world_live(&w, 12);
	const struct event_header *m = &event_history_overview(&w.app)->at[4];
	const uint64_t then = m->time_ns;
	const struct timeline s = timeline_lay_out(&w.app, w.app.rect[PANEL_TIMELINE]);
	const int x = timeline_x(&s, then) + 1;
	const int y = s.ticks.y + timeline_lane(&s, m->event) * s.lane_height + s.lane_height / 2;
	world_click(&w, x, y, 3);
	choose("Bookmark it \xe2\x80\xa6");
	cr_assert_eq(w.app.modal, MODAL_ARGUMENT);
	world_type(&w, "before the peak");
	world_key(&w, "Enter");
	const struct marks *marks = &w.app.event_history.marks;
	cr_assert_eq(marks->count, 1u, "%s", w.app.toast);
	cr_assert_eq(marks->at[0].time_ns, then, "there, and not at what is shown");
	cr_assert_str_eq(marks->at[0].note, "before the peak");
	cr_assert_not(w.app.event_history.back, "the program stays live");
	world_click(&w, x, y, 3);
	choose("Start a time range here");
	cr_assert(w.app.event_history.begun && w.app.event_history.begin_ns == then);
}

Test(menu, of_a_call_site, .fini = close_world)
{
	calls_open_shop(&w, "2", 1100, 700);
	const struct cv_rect view = w.app.rect[PANEL_VIEW];
	world_click(&w, view.x + 200, view.y + 204, 3);
	int only = -1;
	for (int i = 0; i < w.app.menu.count; i++)
		if (strncmp(w.app.menu.entry[i].label, "Only class ", 11) == 0)
			only = i;
	cr_assert_geq(only, 0, "%s", window_text(&w.app));
	choose(w.app.menu.entry[only].label);
	cr_assert_neq(w.app.profiles.field.text[0], 0);
	/* What restricts the table is a chip, and a click on it ends that. */
	cr_assert(window_says(&w.app, "restricted\tFilter: "));
	click_widget(PANEL_HEADER, 60);
	cr_assert_eq(w.app.profiles.field.text[0], 0);
	cr_assert_not(window_says(&w.app, "restricted\t"));
}

Test(menu, buttons_of_the_header, .fini = close_world)
{
	enum { RECORD = 40, BOOKMARK, COMPARE, SMALLER, LARGER, INFO, SETTINGS, MORE };
	world_open(&w, 1200, 700);
	world_live(&w, 5);
	int x, y;
	click_widget(PANEL_HEADER, BOOKMARK);
	cr_assert(text_find(&w.app, "NOTE", &x, &y), "it asks for a note");
	cr_assert_not(text_find(&w.app, "at=PLACE", &x, &y), "not for what is known");
	world_type(&w, "here");
	click_widget(PANEL_MODAL, 2);
	cr_assert_str_eq(w.app.event_history.marks.at[0].note, "here");
	click_widget(PANEL_HEADER, COMPARE);
	cr_assert(window_says(&w.app, "restricted\tSince: "));
	click_widget(PANEL_HEADER, 60);
	cr_assert_str_eq(w.app.toast, "Comparison ended");
	const int before = tile_at(WORLD_REGIONS, 0).w;
	click_widget(PANEL_HEADER, LARGER);
	cr_assert_gt(tile_at(WORLD_REGIONS, 0).w, before);
	click_widget(PANEL_HEADER, INFO);
	cr_assert_eq(w.app.modal, MODAL_INFO);
	world_key(&w, "Escape");
	click_widget(PANEL_HEADER, SETTINGS);
	click_widget(PANEL_MODAL, 11);
	cr_assert_eq(w.app.theme, 1, "the second theme");
	cr_assert_eq(w.app.modal, MODAL_SETTINGS, "one can go on");
	world_key(&w, "Escape");
	/* What has no room is in the menu of the last button. */
	app_resize(&w.app, 420, 400);
	click_widget(PANEL_HEADER, MORE);
	choose("Settings");
	cr_assert_eq(w.app.modal, MODAL_SETTINGS);
}

Test(menu, commands_ask_for_what_they_need, .fini = close_world)
{
	world_open(&w, 1000, 700);
	world_live(&w, 5);
	world_key(&w, "Ctrl+K");
	world_type(&w, "active by name");
	world_key(&w, "Escape");
	world_key(&w, "Ctrl+K");
	world_type(&w, "named space active");
	world_key(&w, "Enter");
	cr_assert_eq(w.app.modal, MODAL_ARGUMENT);
	world_key(&w, "Enter");
	cr_assert_eq(w.app.modal, MODAL_ARGUMENT, "it waits for a name");
	world_type(&w, app_space(&w.app, WORLD_CARDS)->name);
	world_key(&w, "Enter");
	cr_assert_eq(w.app.active_space, (uint32_t)WORLD_CARDS, "%s", w.app.toast);
}

/* S4: from the window alone, with an interval of one's own, or off. */
Test(menu, sampling_is_chosen, .fini = close_world)
{
	calls_open_shop(&w, "2", 1100, 700);
	world_key(&w, "Ctrl+K");
	world_type(&w, "sample every");
	world_key(&w, "Enter");
	cr_assert_eq(w.app.modal, MODAL_ARGUMENT);
	cr_assert_str_eq(w.app.field.text, "512k");
	world_key(&w, "Enter");
	cr_assert_str_eq(w.source.interval, "512k");
	world_answer(&w, GCS_OK, "on", NULL);
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	world_key(&w, "Ctrl+K");
	world_type(&w, "sites_sample 64k");
	world_key(&w, "Enter");
	cr_assert_str_eq(w.source.interval, "64k");
	world_answer(&w, GCS_OK, "on", NULL);
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	click_widget(PANEL_HEADER, 47);
	choose("Stop sampling allocations");
	cr_assert_str_eq(w.source.interval, "0");
	world_answer(&w, GCS_OK, "off", NULL);
	cr_assert_str_eq(w.app.toast, "Sampling: off");
}

Test(menu, lines_of_the_help_run, .fini = close_world)
{
	int lines = 0;
	world_open(&w, 1200, 900);
	world_live(&w, 5);
	world_key(&w, "?");
	world_key(&w, "Ctrl+C");
	for (const char *p = w.clipboard; (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	cr_assert(lines > 25 && lines < 40, "a page, not a list of all: %d", lines);
	click_widget(PANEL_MODAL, 100u + (unsigned)COMMAND_overview);
	cr_assert_eq(w.app.modal, MODAL_NONE);
	cr_assert_eq(w.app.view_id, VIEW_OVERVIEW);
	world_key(&w, "?");
	world_type(&w, "treemap");
	world_key(&w, "Escape");
	world_key(&w, "?");
	click_widget(PANEL_MODAL, 3);
	cr_assert_eq(w.app.modal, MODAL_PALETTE, "which has all of them");
}

Test(menu, escape_says_what_it_did, .fini = close_world)
{
	calls_open_shop(&w, "2", 1100, 700);
	cr_assert(world_run(&w, "range 2 4\nsites_filter Order\n"));
	world_key(&w, "Escape");
	cr_assert_str_eq(w.app.toast, "Filter cleared");
	world_key(&w, "Escape");
	cr_assert_str_eq(w.app.toast, "Back to the heap map");
	world_key(&w, "Escape");
	cr_assert_str_eq(w.app.toast, "Time range cleared");
	world_key(&w, "Escape");
	cr_assert_str_eq(w.app.toast, "Nothing to close");
}
