/* Every control is reached by the keyboard, and every command survives every state (V2, rule:
 * keyboard and palette can do everything the mouse can). */
#define _XOPEN_SOURCE 700 /* mkdtemp. NOLINT(bugprone-reserved-identifier) */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events_view.h"
#include "ui_profile.h"
#include "ui_replay.h"
#include "ui_world.h"

static struct world w;
static char folder[64];

/* What commands write goes to a folder of its own. */
static void open_folder(void)
{
	strcpy(folder, "/tmp/gcspy-controls-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
}

static void close_all(void)
{
	char command[100];
	world_close(&w);
	cr_assert_eq(chdir("/"), 0);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}

/* Walks Tab round; every control of the window must have the keyboard once before it comes
 * round. */
static void walk(const char *what)
{
	struct ui *ui = &w.app.ui;
	static uint32_t seen[UI_PANELS * UI_FOCUS_ITEMS];
	int n = 0, all = 0;
	app_frame(&w.app);
	bool modal = w.app.modal != MODAL_NONE;
	for (int p = modal ? PANEL_MODAL : 0; p <= (modal ? PANEL_MODAL : PANEL_FOOTER); p++) {
		cr_assert_lt(ui->items[p].count, UI_FOCUS_ITEMS, "%s: panel %d is full", what, p);
		all += ui->items[p].count;
	}
	cr_assert_gt(all, 0, "%s", what);
	world_key(&w, "Tab");
	uint32_t first = ui->focus;
	do {
		for (int i = 0; i < n; i++)
			cr_assert_neq(seen[i], ui->focus, "%s: %x comes twice", what, ui->focus);
		cr_assert_neq(ui->focus, 0u, "%s", what);
		cr_assert(ui->focus_shown, "%s: the ring is seen", what);
		seen[n++] = ui->focus;
		world_key(&w, "Tab");
	} while (ui->focus != first && n < all + 5);
	cr_assert_eq(n, all, "%s: %d of %d controls", what, n, all);
	/* And back again the same way. */
	world_key(&w, "Shift+Tab");
	cr_assert_eq(ui->focus, seen[n - 1], "%s", what);
	ui->focus = 0;
}

Test(controls, tab_visits_each_once_in_every_view, .init = open_folder, .fini = close_all)
{
	world_open(&w, 1280, 800);
	for (int i = 0; i < VIEW_COUNT; i++) {
		app_set_view(&w.app, (enum view_id)i);
		walk("no connection");
	}
	app_set_view(&w.app, VIEW_HEAP);
	world_live(&w, 6);
	for (int i = 0; i < VIEW_COUNT; i++) {
		app_set_view(&w.app, (enum view_id)i);
		walk(w.app.view->title);
	}
	app_set_view(&w.app, VIEW_SITES);
	world_wait(&w, 10);
	if (w.source.pending)
		world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	walk("call sites with rows");
	static const int scales[] = {50, 150, 300};
	for (int s = 0; s < 3; s++) {
		cr_assert(app_set_scale(&w.app, scales[s]));
		for (int i = 0; i < VIEW_COUNT; i++) {
			app_set_view(&w.app, (enum view_id)i);
			walk("another scale");
		}
	}
	cr_assert(app_set_scale(&w.app, 100));
	app_resize(&w.app, 320, 240);
	for (int i = 0; i < VIEW_COUNT; i++) {
		app_set_view(&w.app, (enum view_id)i);
		walk("a very small window");
	}
}

Test(controls, tab_visits_each_once_in_dialogs, .init = open_folder, .fini = close_all)
{
	static const char *const keys[] = {"Ctrl+L", "Ctrl+O", "Ctrl+K", "?"};
	world_open(&w, 1000, 700);
	world_live(&w, 3);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		world_key(&w, keys[i]);
		cr_assert_neq(w.app.modal, MODAL_NONE, "%s", keys[i]);
		walk(keys[i]);
		app_close_modal(&w.app);
	}
}

/* The states in which a command may come. */
enum state { NOTHING, CONNECTING, LIVE, PAUSED, LOST, LEFT, STATES };

static void enter(enum state state)
{
	world_open(&w, 800, 600);
	if (state == NOTHING)
		return;
	if (state == CONNECTING) {
		cr_assert(app_connect(&w.app, "db1:3000"));
		return;
	}
	world_live(&w, 4);
	if (state == PAUSED)
		w.source.run = GCS_PAUSED;
	if (state == LOST) {
		w.source.state = SOURCE_LOST;
		gcs_fail(&w.source.why, GCS_CLOSED, "gone");
	}
	if (state == LEFT)
		app_disconnect(&w.app);
	app_poll(&w.app);
	app_frame(&w.app);
}

/* One command; what it opened is closed again, what it asked is answered. */
static void run(enum command_id id, const char *argument)
{
	if (id == COMMAND_quit)
		return;
	/* The test's source takes one question at a time, and only those that it knows. */
	if (w.source.pending)
		world_answer_bytes(&w, GCS_UNSUPPORTED, "no", "", 0);
	if (w.app.source.ops != NULL && w.source.zoom_id != 0 && w.source.zoom_answer == NULL &&
	    id == COMMAND_look_closer && tile_zoom_waits(&w.app))
		world_answer_zoom(&w, GCS_UNSUPPORTED, "no", 0);
	app_command(&w.app, id, argument);
	app_poll(&w.app);
	app_frame(&w.app);
	/* The words are much work; some commands further the state is no other. */
	static unsigned runs;
	if (runs++ % 5 == 0) {
		window_text(&w.app);
	}
	world_wait(&w, 20);
	if (w.app.modal != MODAL_NONE)
		app_close_modal(&w.app);
}

Test(controls, every_command_runs_in_every_state, .init = open_folder, .fini = close_all)
{
	for (int state = 0; state < STATES; state++) {
		for (int view = 0; view < VIEW_COUNT; view++) {
			if (state + view > 0)
				world_close(&w);
			enter((enum state)state);
			app_set_view(&w.app, (enum view_id)view);
			for (int i = 0; i < COMMAND_COUNT; i++) {
				run((enum command_id)i, i == COMMAND_dump ? "dump.txt" : NULL);
			}
		}
	}
}

static const char *word(char *text, size_t size)
{
	static const char *const words[] = {"", " ", "0", "1", "-1", "99999999999999999999",
	    "1e308", "nan", "GC end", "G1 regions 3", "=", "GC end delay=1",
	    "GC end delay=9999999999", "../../x", "/", "%s%n%x", "\xff\xfe\x80",
	    "\xe2\x80\xae right to left", "\t\n\x01", "'; rm", "yes", "light", "viridis", "live",
	    "/(unclosed", "65536", "-2147483648"};
	size_t n = sizeof words / sizeof *words;
	size_t pick = (size_t)rand() % (n + 2);
	if (pick < n)
		return words[pick];
	size_t length = pick == n ? (size_t)rand() % 60 : size - 1;
	for (size_t i = 0; i < length; i++)
		text[i] = (char)(1 + rand() % 255);
	text[length] = 0;
	return text;
}

/* Paths among the words would write and connect anywhere, so these commands have names of ours. */
static bool writes(enum command_id id)
{
	return strstr(command_at(id)->args, "FILE") != NULL || id == COMMAND_connect;
}

Test(controls, hostile_arguments, .init = open_folder, .fini = close_all)
{
	static char text[6000];
	srand(7);
	for (int state = 0; state < STATES; state++) {
		if (state > 0)
			world_close(&w);
		enter((enum state)state);
		for (int i = 0; i < 600; i++) {
			enum command_id id = (enum command_id)(rand() % COMMAND_COUNT);
			const char *argument = word(text, sizeof text);
			if (writes(id))
				argument = rand() % 2 ? "x.out" : "bad";
			run(id, argument);
		}
	}
}

static struct replay_world played;

static void close_replay(void)
{
	char command[100];
	replay_fini(&played);
	cr_assert_eq(chdir("/"), 0);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}

/* The same of a recording, played by the real source. */
Test(controls, every_command_runs_in_a_recording, .init = open_folder, .fini = close_replay)
{
	static char text[6000];
	replay_record(&played, 60, 20, true);
	replay_open(&played, 800, 600);
	srand(11);
	for (int round = 0; round < 6; round++) {
		for (int i = 0; i < COMMAND_COUNT; i++) {
			enum command_id id = (enum command_id)i;
			bool leaves = id == COMMAND_quit || id == COMMAND_connect ||
				      id == COMMAND_disconnect || id == COMMAND_open;
			const char *argument = round < 3 ? NULL : word(text, sizeof text);
			if (leaves || (round >= 3 && writes(id)))
				continue;
			app_set_view(&played.app, (enum view_id)(round % VIEW_COUNT));
			app_command(&played.app, id, id == COMMAND_dump ? "dump.txt" : argument);
			played.app.now_ms += 20;
			app_tick(&played.app);
			app_poll(&played.app);
			app_frame(&played.app);
			if (played.app.modal != MODAL_NONE)
				app_close_modal(&played.app);
		}
	}
	cr_assert(played.app.replay.on, "it is still open");
	cr_assert(replay_run(&played, "seek 1\nwait place 1\nevents\ndump dump.txt\n"));
	cr_assert(replay_says(&played, "A recording shows every event"));
	/* Enter on a row of the list goes to its moment. */
	struct events_view *view = played.app.views[VIEW_EVENTS];
	cr_assert(replay_run(&played, "seek 30\nwait place 30\nseek 40\nwait place 40\n"));
	cr_assert_geq(view->lines.count, 2u);
	view->list.selected = 1;
	uint64_t there = events_list_at(&view->lines, view->lines.count - 2)->sequence;
	played.app.ui.focus = UI_ID(PANEL_VIEW, EVENTS_LIST);
	cr_assert(replay_run(&played, "key Enter\nsleep 300\n"));
	cr_assert_eq(gcs_snapshot_occurrence(played.app.snapshot)->sequence, there);
}

/* Ctrl+C with nothing selected in the field copies what the help or the palette lists. */
Test(controls, help_and_palette_are_copied, .init = open_folder, .fini = close_all)
{
	world_open(&w, 960, 640);
	world_key(&w, "F1");
	world_key(&w, "Ctrl+C");
	cr_assert_not_null(strstr(w.clipboard, "Program\tSpace\t"));
	cr_assert_not_null(strstr(w.clipboard, "Mouse\tClick\t"));
	world_key(&w, "Escape");
	app_command(&w.app, COMMAND_command_palette, NULL);
	textfield_set(&w.app.field, "");
	textfield_insert(&w.app.field, "theme");
	world_key(&w, "Ctrl+C");
	cr_assert_not_null(strstr(w.clipboard, "\tWindow\tF9\n"));
	cr_assert_null(strstr(w.clipboard, "\tProgram\t"));
}

Test(controls, the_sample_is_asked_for, .init = open_folder, .fini = close_all)
{
	world_open(&w, 960, 640);
	cr_assert_not(app_command(&w.app, COMMAND_open_sample, NULL));
	cr_assert_not_null(strstr(w.app.toast, "leak.gcspy"));
	w.app.sample_path = "sample.gcspy";
	cr_assert(app_command(&w.app, COMMAND_open_sample, NULL));
	cr_assert_str_eq(w.app.address, "sample.gcspy");
}
