/*
 * Every button, tab, row and menu of every view, clicked by pointer, live and on a recording (V4).
 * What there is to click is what the panels report while the pointer moves over them (ui.h, `area`),
 * so that a new button is clicked without a line here; a grid of clicks covers tiles and plots.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap_view.h"
#include "ui_folder.h"
#include "ui_profile.h"
#include "ui_replay.h"
#include "ui_target.h"

enum { AREAS = 4096, STEP = 40, GRID = 110, WIDTH = 1200, HEIGHT = 900 };

struct area {
	uint32_t id;
	struct cv_rect r;
};

/* The source of the window, and the window. */
static struct world w;
static struct replay_world recording;
static struct app *app;
static enum view_id view;
static char folder[96];

static struct area areas[AREAS]; /* those of the last movement */
static int count;
static struct {
	enum modal modal;
	uint32_t id;
} clicked[AREAS];
static int known, clicks, collections;
static bool seen[MODAL_COUNT];

static void note_area(void *context, uint32_t id, struct cv_rect r)
{
	(void)context;
	if (count < AREAS && !rect_empty(r))
		areas[count++] = (struct area){id, r};
}

/* Agreed to in the dialog once, then at once; the result is reported. */
static void answer_collection(void)
{
	char text[64];
	collections++;
	snprintf(text, sizeof text, "collection=%d\npause=1500000\n", collections);
	world_answer_bytes(&w, GCS_OK, "", text, strlen(text));
	snprintf(text, sizeof text, "Collection %d paused the program for 1.5 ms", collections);
	cr_assert_str_eq(app->toast, text);
}

/* What the views have asked is answered, and what is due by the clock is done. */
static void settle_live(void)
{
	static const struct gcs_site_tiles tiles = {.as_of = ""};
	enum gcs_profile_kind kind;
	for (int i = 0; i < 20 && w.source.pending; i++) {
		if (strcmp(w.source.topic, "tiles") == 0)
			world_answer_tiles(&w, &tiles);
		else if (strcmp(w.source.topic, "gc") == 0)
			answer_collection();
		else if (gcs_profile_find_kind(w.source.kind, &kind))
			world_answer(&w, GCS_OK, "", profile_shop(kind, 1));
		world_wait(&w, 100);
	}
	if (w.source.zooms > 0)
		world_answer_zoom(&w, GCS_UNSUPPORTED, "", 0);
	w.source.zooms = 0;
	if (app->state != SOURCE_LIVE)
		world_live(&w, 3);
	world_wait(&w, 100);
}

static void settle_recording(void)
{
	if (app->state != SOURCE_LIVE)
		cr_assert(app_connect(app, recording.path), "%s", app->toast);
	cr_assert(replay_run(&recording, "wait live\nwait strip\n"));
	if (replay_plays(app))
		app_command(app, COMMAND_pause_resume, NULL);
	cr_assert(replay_run(&recording, "wait answer\n"));
}

static void settle(void)
{
	if (app == &w.app)
		settle_live();
	else
		settle_recording();
}

static void send(const struct ui_event *ev)
{
	app_event(app, ev);
	app_poll(app);
	app_frame(app);
}

static void move(int x, int y)
{
	send(&(struct ui_event){.kind = EV_MOVE, .x = x, .y = y});
}

/* As the window hands events over: several at once, while something else waits to be painted. */
static void click(int x, int y, int button)
{
	move(x, y);
	app_dirty_all(app);
	app_event(app, &(struct ui_event){.kind = EV_DOWN, .x = x, .y = y, .button = button});
	app_dirty_all(app);
	send(&(struct ui_event){.kind = EV_UP, .x = x, .y = y, .button = button});
	cr_assert_null(app->ui.ev, "no pass goes on");
	clicks++;
	settle();
}

static struct cv_rect room(void)
{
	return app->modal != MODAL_NONE ? app->modal_box : rect_make(0, 0, app->cv.w, app->cv.h);
}

static void look(int x, int y)
{
	count = 0;
	app->ui.area = note_area;
	move(x, y);
	app->ui.area = NULL;
}

static bool is_clicked(uint32_t id)
{
	for (int i = 0; i < known; i++)
		if (clicked[i].id == id && clicked[i].modal == app->modal)
			return true;
	return false;
}

/* An area that is in sight and has not been clicked in this view; false if there is none. */
static bool find_new(struct area *found)
{
	const struct cv_rect all = room();
	for (int i = 0; i < count; i++) {
		const struct cv_rect r = areas[i].r;
		const struct cv_rect panel =
		    app->modal != MODAL_NONE ? all : app->rect[areas[i].id >> 16];
		if (is_clicked(areas[i].id) || !rect_has(panel, r.x + r.w / 2, r.y + r.h / 2))
			continue;
		*found = areas[i];
		return true;
	}
	return false;
}

/* Tiles that keep their size may leave no room in sight for other spaces. */
static void fit_tiles(void)
{
	struct heap *heap = app->views[VIEW_HEAP];
	for (uint32_t i = 0; i < heap->prefs_count; i++) {
		if (heap->prefs[i]->pitch == 0)
			continue;
		heap->prefs[i]->pitch = 0;
		heap->area.w = 0;
		heap_restyle(heap, app);
	}
}

/* Back to the view, with a program and without a dialog. */
static void go_back(enum modal modal)
{
	if (app->modal != modal && app->modal != MODAL_NONE)
		app_close_modal(app);
	if (app->modal != modal && modal != MODAL_NONE)
		app_open_modal(app, modal);
	if (app->view_id != view)
		app_set_view(app, view);
	app->quit = false;
	/* What the settings have changed. */
	if (app->scale != 100)
		app_command(app, COMMAND_scale_reset, "100");
	if (!app->side_shown)
		app_command(app, COMMAND_side_panel, NULL);
	fit_tiles();
	if (app == &recording.app) { /* which has live call sites, and at its beginning none */
		profiles_choose_kind(app, GCS_PROFILE_LIVE);
		if (app->replay.at.place < 29)
			app_command(app, COMMAND_seek, "30");
	}
	settle();
}

static void click_dialog(enum modal modal);

/* Clicks what is new at a point of the view, or of a dialog above it. */
static void click_new(int x, int y, enum modal modal)
{
	struct area found;
	for (look(x, y); find_new(&found); look(x, y)) {
		const struct cv_rect r = found.r;
		cr_assert_lt(known, AREAS);
		clicked[known].modal = modal;
		clicked[known++].id = found.id;
		click(r.x + r.w / 2, r.y + r.h / 2, 1);
		if (app->modal != modal && app->modal != MODAL_NONE)
			click_dialog(app->modal);
		go_back(modal);
	}
}

static void sweep(enum modal modal)
{
	app->side_scroll = 0;
	app_dirty(app, PANEL_SIDE);
	for (int y = STEP / 2; y < app->cv.h; y += STEP)
		for (int x = STEP / 2; x < app->cv.w; x += STEP)
			if (rect_has(room(), x, y))
				click_new(x, y, modal);
	/* The side panel holds more than there is room for. */
	const struct cv_rect side = app->rect[PANEL_SIDE];
	for (int i = 1; i < 8 && modal == MODAL_NONE && side.w > 0; i++) {
		app->side_scroll = i * side.h / 2;
		app_dirty(app, PANEL_SIDE);
		click_new(side.x + side.w / 2, side.y + side.h / 2, modal);
	}
}

/* A dialog once only, and but for menus above the heap map: they are the same above all views. */
static void click_dialog(enum modal modal)
{
	if (!seen[modal] && (view == VIEW_HEAP || modal == MODAL_MENU || modal == MODAL_COLLECT)) {
		seen[modal] = true;
		sweep(modal);
	}
	if (app->modal != MODAL_NONE)
		app_close_modal(app);
}

/* What has no areas of its own: tiles, bars, points, rows; by both buttons and the wheel. */
static void click_grid(void)
{
	for (int y = GRID / 2; y < app->cv.h; y += GRID) {
		for (int x = GRID / 2; x < app->cv.w; x += GRID) {
			click(x, y, (x + y) / GRID % 3 == 0 ? 3 : 1);
			go_back(MODAL_NONE);
			send(&(struct ui_event){.kind = EV_WHEEL, .x = x, .y = y, .wheel = 1});
			settle();
		}
	}
}

/* The keyboard's list knows the controls too: each has been clicked. */
static void check_controls(void)
{
	int controls = 0;
	app_dirty_all(app);
	app_frame(app);
	for (int panel = PANEL_HEADER; panel < PANEL_MODAL; panel++) {
		const struct ui_focus_list *list = &app->ui.items[panel];
		for (int i = 0; !rect_empty(app->rect[panel]) && i < list->count; i++, controls++)
			cr_assert(is_clicked(list->id[i]), "%s: %x", app->view->name, list->id[i]);
	}
	cr_assert_geq(controls, 12, "%s: %d", app->view->name, controls);
}

/* All of a view, first as it is, then with what the clicks have selected, then in a small window. */
static void click_all(enum view_id id)
{
	view = id;
	go_back(MODAL_NONE);
	sweep(MODAL_NONE);
	click_grid();
	sweep(MODAL_NONE);
	check_controls();
	known = 0;
	app_resize(app, 480, 360);
	sweep(MODAL_NONE);
	click_grid();
}

/* Recordings, pictures and settings go to a folder of the test. */
static void enter_folder(void)
{
	folder_open(folder, sizeof folder, "clicks");
	cr_assert_eq(chdir(folder), 0);
	setenv("HOME", folder, 1);
	unsetenv("XDG_CONFIG_HOME");
}

static void click_live(enum view_id id)
{
	enter_folder();
	app = &w.app;
	if (id == VIEW_HEAP || id == VIEW_EVENTS || id == VIEW_PLUGINS || id == VIEW_TRIGGERS) {
		target_open(&w, WIDTH, HEIGHT, 12);
	} else {
		world_open(&w, WIDTH, HEIGHT);
		world_live(&w, 12);
	}
	w.source.site_locations = true;
	click_all(id);
	if (id == VIEW_SITES || id == VIEW_FLAME || id == VIEW_CALLS)
		cr_assert_gt(collections, 0, "agreed to in the dialog");
	world_close(&w);
	folder_close();
}

static void click_recording(enum view_id id)
{
	enter_folder();
	app = &recording.app;
	replay_record(&recording, 60, 5, true);
	replay_open(&recording, WIDTH, HEIGHT);
	/* No click connects to a program of this machine. */
	app->opener = (struct source_opener){source_trace_open, &recording.source};
	cr_assert(replay_run(&recording, "seek 30\nwait place 30\n"));
	click_all(id);
	replay_fini(&recording);
	folder_close();
}

#define CLICKS(name, id)                                                                           \
	Test(clicks, name)                                                                         \
	{                                                                                          \
		click_live(id);                                                                    \
	}                                                                                          \
	Test(clicks, name##_of_a_recording)                                                        \
	{                                                                                          \
		click_recording(id);                                                               \
	}

CLICKS(heap, VIEW_HEAP)
CLICKS(sites, VIEW_SITES)
CLICKS(flame, VIEW_FLAME)
CLICKS(calls, VIEW_CALLS)
CLICKS(history, VIEW_HISTORY)
CLICKS(charts, VIEW_CHARTS)
CLICKS(events, VIEW_EVENTS)
CLICKS(triggers, VIEW_TRIGGERS)
CLICKS(plugins, VIEW_PLUGINS)
