/* The Java programs of this machine in the window without a program: how they are found, shown,
 * connected to and attached to. */
#define _XOPEN_SOURCE 700 /* mkstemp. NOLINT(bugprone-reserved-identifier) */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "text_finder.h"
#include "ui_folder.h"
#include "ui_replay.h"
#include "kit.h"
#include "ui_world.h"

static struct world w;
static char folder[96], tool[128];

/* A program in the place of `gcspy`. */
static void make_tool(const char *script)
{
	FILE *f = fopen(tool, "w");
	cr_assert_not_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", script);
	cr_assert_eq(fclose(f), 0);
	cr_assert_eq(chmod(tool, 0700), 0);
}

static void open_window(void)
{
	folder_open(folder, sizeof folder, "jvms");
	snprintf(tool, sizeof tool, "%s/gcspy", folder);
	make_tool("exit 0");
	world_open(&w, 1200, 900);
	w.app.tool_path = tool;
}

static void close_window(void)
{
	world_close(&w);
	folder_close();
}

TestSuite(local_jvms, .init = open_window, .fini = close_window);

/* Three programs in place of those of the machine; no look finds others. */
static void show_made(void)
{
	struct local_jvms *l = &w.app.local_jvms;
	l->at[0] = (struct local_jvm){.pid = 4711,
	    .listens = true,
	    .user = "ana",
	    .program = "com.example.Shop",
	    .java = "17.0.15",
	    .collector = "G1",
	    .used = 11 << 20,
	    .committed = 64 << 20};
	l->at[1] = (struct local_jvm){
	    .pid = 4712, .user = "ana", .program = "Quiet", .used = -1, .committed = -1};
	l->at[2] = (struct local_jvm){.pid = 4713,
	    .refuses = true,
	    .user = "bob",
	    .program = "Closed",
	    .used = -1,
	    .committed = -1};
	l->count = 3;
	l->known = true;
	l->due_ms = UINT64_MAX;
	app_dirty_all(&w.app);
	app_frame(&w.app);
}

static bool painted(const char *text)
{
	int x, y;
	return text_find(&w.app, text, &x, &y);
}

/* The button in the row of a program. */
static void click_row(const char *program, const char *label)
{
	int x, y, row;
	cr_assert(text_find(&w.app, program, &x, &row), "%s", program);
	cr_assert(text_find(&w.app, label, &x, &y), "%s", label);
	world_click(&w, x, row, 1);
}

/* Lets the attacher's thread end. */
static void await_attached(void)
{
	for (int i = 0; i < 3000 && w.app.local_jvms.attaching != 0; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		app_poll(&w.app);
	}
	cr_assert_eq(w.app.local_jvms.attaching, 0);
	app_frame(&w.app);
}

static void await_look(void)
{
	for (int i = 0; i < 3000 && w.app.local_jvms.looking; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		app_poll(&w.app);
	}
	cr_assert_not(w.app.local_jvms.looking);
}

/* This process says that it listens, as an agent does (protocol/discover/announcement.h). */
static void announce(void)
{
	static const char text[] = "gcspy 1\nlistening 127.0.0.1:3000\nend\n";
	char path[] = "/tmp/gcspy-announcement-XXXXXX";
	const int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(write(fd, text, sizeof text - 1), (ssize_t)sizeof text - 1);
}

Test(local_jvms, a_look_finds_who_listens_and_is_not_repeated_at_once)
{
	struct local_jvms *l = &w.app.local_jvms;
	char line[100];
	announce();
	cr_assert(painted("Looking for programs on this machine \xe2\x80\xa6"));
	cr_assert_eq(local_jvms_due_ms(&w.app), 0u);
	local_jvms_tick(&w.app);
	cr_assert(l->looking);
	cr_assert_eq(local_jvms_due_ms(&w.app), UINT64_MAX, "its end wakes the window");
	await_look();
	cr_assert(l->known);
	snprintf(line, sizeof line, "PID %ld", (long)getpid());
	cr_assert(window_says(&w.app, line));
	const struct local_jvm *own = NULL;
	for (uint32_t i = 0; i < l->count; i++) {
		cr_assert(i == 0 || l->at[i].pid > l->at[i - 1].pid, "by PID");
		own = l->at[i].pid == getpid() ? &l->at[i] : own;
	}
	cr_assert(own != NULL && own->listens && own->user[0] != 0);
	/* Not before two seconds have passed. */
	cr_assert_geq(local_jvms_due_ms(&w.app), w.app.now_ms + 2000);
	w.app.now_ms = local_jvms_due_ms(&w.app) - 1;
	local_jvms_tick(&w.app);
	cr_assert_not(l->looking);
	w.app.now_ms++;
	local_jvms_tick(&w.app);
	cr_assert(l->looking);
	/* What takes long is done more rarely: at most 0.5 % of the time … */
	w.app.now_ms += 20;
	await_look();
	cr_assert_eq(local_jvms_due_ms(&w.app), w.app.now_ms + 200 * 20);
	/* … but on a busy machine, where it only waits, the list does not grow old. */
	w.app.now_ms = local_jvms_due_ms(&w.app);
	local_jvms_tick(&w.app);
	w.app.now_ms += 600;
	await_look();
	cr_assert_eq(local_jvms_due_ms(&w.app), w.app.now_ms + 10000);
}

/* A look that finds none of the made-up programs, but this process. */
static void look_again(void)
{
	w.app.local_jvms.due_ms = 0;
	local_jvms_tick(&w.app);
	await_look();
	app_frame(&w.app);
}

Test(local_jvms, rows_stay_under_the_pointer)
{
	struct local_jvms *l = &w.app.local_jvms;
	int x, y, now;
	show_made();
	announce();
	cr_assert(text_find(&w.app, "Quiet", &x, &y));
	world_move(&w, x, y);
	look_again();
	cr_assert_geq(l->count, 4u);
	for (uint32_t i = 0; i < 3; i++)
		cr_assert(l->at[i].pid == 4711 + (long)i && l->at[i].ended, "row %u", i);
	cr_assert(text_find(&w.app, "Quiet", &x, &now));
	cr_assert_eq(now, y);
	cr_assert(window_says(&w.app, "PID 4712\tended\n"));
	click_row("Quiet", "Ended");
	cr_assert_eq(l->attaching, 0);
	cr_assert_eq(w.source.opened, 0u);
	/* Where nobody is about to click, what has ended goes; what runs stays, once. */
	world_move(&w, 1, 1);
	for (int looks = 0; looks < 2; looks++) {
		look_again();
		cr_assert_not(painted("Quiet"));
		uint32_t own = 0;
		for (uint32_t i = 0; i < l->count; i++)
			own += l->at[i].pid == getpid();
		cr_assert_eq(own, 1u);
	}
}

Test(local_jvms, all_are_reached_by_wheel_and_arrows)
{
	struct local_jvms *l = &w.app.local_jvms;
	int x, y;
	show_made();
	for (uint32_t i = 3; i < 40; i++) {
		l->at[i] = l->at[0];
		l->at[i].pid = 5000 + (long)i;
		snprintf(l->at[i].program, sizeof l->at[i].program, "Row %u", i);
	}
	l->count = 40;
	app_dirty_all(&w.app);
	app_frame(&w.app);
	cr_assert(painted("of 40 shown: scroll for more"));
	cr_assert_not(painted("Row 39"));
	cr_assert(text_find(&w.app, "Row 4", &x, &y));
	/* The tooltip is beside the buttons, and of no row that has gone. */
	world_move(&w, x, y);
	cr_assert_not_null(strstr(w.app.ui.tip, "Row 4"), "%s", w.app.ui.tip);
	cr_assert_geq(w.app.ui.tip_at.x + w.app.ui.tip_at.w, l->place.x + l->place.w - 20);
	const struct ui_event down = {.kind = EV_WHEEL, .x = x, .y = y, .wheel = -1};
	app_event(&w.app, &down);
	cr_assert_str_eq(w.app.ui.tip, "");
	for (int i = 0; i < 40; i++) {
		const struct ui_event ev = {.kind = EV_WHEEL, .x = x, .y = y, .wheel = -1};
		app_event(&w.app, &ev);
		app_frame(&w.app);
	}
	cr_assert(painted("Row 39"));
	click_row("Row 39", "Connect");
	cr_assert_str_eq(w.source.address, "pid:5039");
	l->scroll = 0;
	w.app.ui.focus = UI_ID(PANEL_VIEW, LOCAL_JVMS_WIDGET + 4);
	for (int i = 4; i < 39; i++)
		world_key(&w, "Down");
	cr_assert(painted("Row 39"));
	cr_assert_not(painted("Row 4"));
}

/* Beside a heap, by pointer alone: to another program, or back. */
Test(local_jvms, the_start_screen_comes_back)
{
	int x, y;
	world_live(&w, 3);
	cr_assert_not(painted("Programs on this machine"));
	cr_assert(text_find(&w.app, "\xe2\x80\xa6", &x, &y));
	world_click(&w, w.app.rect[PANEL_HEADER].w - 12, tabs_height(&w.app) + 20, 1);
	cr_assert_eq(w.app.modal, MODAL_MENU);
	cr_assert(text_find(&w.app, "Start screen", &x, &y));
	world_click(&w, x, y, 1);
	cr_assert(w.app.at_start && local_jvms_are_shown(&w.app));
	cr_assert_eq(local_jvms_due_ms(&w.app), 0u, "it looks at once");
	show_made();
	cr_assert(painted("Connected to 127.0.0.1:3000"));
	world_move(&w, 1, 1);
	cr_assert(world_golden(&w, "start-again"));
	cr_assert_eq(w.app.state, SOURCE_LIVE, "the connection stays");
	world_event(&w);
	cr_assert(painted("com.example.Shop"));
	cr_assert(text_find(&w.app, "Back to the heap", &x, &y));
	world_click(&w, x, y, 1);
	cr_assert_not(w.app.at_start);
	cr_assert_not(painted("Programs on this machine"));
	world_key(&w, "Alt+Home");
	cr_assert(w.app.at_start);
	world_key(&w, "Escape");
	cr_assert_not(w.app.at_start);
	world_key(&w, "Alt+Home");
	show_made();
	click_row("com.example.Shop", "Connect");
	cr_assert_str_eq(w.source.address, "pid:4711");
	cr_assert(window_is_whole(&w.app));
}

/* V1: whichever view was shown last. */
Test(local_jvms, every_view_is_the_start_screen_without_a_program)
{
	int x, y;
	show_made();
	for (enum view_id id = 0; id < VIEW_COUNT; id++) {
		app_set_view(&w.app, id);
		world_wait(&w, 0);
		cr_assert(painted("Programs on this machine"), "%s", w.app.view->name);
		cr_assert(window_says(&w.app, "No program connected"));
		cr_assert(text_find(&w.app, "Open a recording", &x, &y), "%s", w.app.view->name);
		world_click(&w, x, y, 1);
		cr_assert_eq(w.app.modal, MODAL_CONNECT);
		app_close_modal(&w.app);
	}
}

/* V1: back where it was chosen, which does not offer to connect to a file. */
Test(local_jvms, closing_a_recording_leads_back)
{
	static struct replay_world r;
	replay_record(&r, 12, 0, true);
	r.source.play = false;
	w.app.opener = (struct source_opener){.open = source_open, .context = &r.source};
	w.app.guided = true;
	show_made();
	app_set_view(&w.app, VIEW_SITES);
	cr_assert(app_connect(&w.app, r.path));
	kit_until((app_poll(&w.app), w.app.snapshot != NULL));
	app_frame(&w.app);
	cr_assert_not(w.app.at_start);
	cr_assert_eq(w.app.view_id, VIEW_OVERVIEW, "recordings open there");
	world_key(&w, "Shift+F5");
	cr_assert(w.app.at_start);
	cr_assert(painted("No program connected"));
	cr_assert_not(painted("Last connected to"));
	folder_close();
}

/* A number says nothing; the program's name is in the list above. */
Test(local_jvms, recent_processes_have_names)
{
	char address[40], line[200];
	snprintf(address, sizeof address, "pid:%ld", (long)getpid());
	show_made();
	w.app.local_jvms.at[0].pid = getpid();
	settings_put_item(&w.app.view_state.settings, "recent_address", address, "", 20, 0);
	app_dirty_all(&w.app);
	app_frame(&w.app);
	snprintf(line, sizeof line, "%s \xc2\xb7 com.example.Shop", address);
	cr_assert(painted(line), "%s", window_text(&w.app));
}

Test(local_jvms, the_start_screen_ends_retrying)
{
	world_live(&w, 3);
	w.source.state = SOURCE_LOST;
	gcs_fail(&w.source.why, GCS_UNREACHABLE, "connection refused");
	world_wait(&w, 0);
	cr_assert(window_says(&w.app, "Connection lost, retrying"));
	const unsigned opened = w.source.opened;
	world_key(&w, "Alt+Home");
	world_wait(&w, 2 * RETRY_MS);
	cr_assert(w.app.at_start);
	cr_assert_eq(w.source.opened, opened);
	world_key(&w, "Escape");
	cr_assert_null(strstr(window_text(&w.app), "retrying"));
	/* Nor does an attempt under way lead to another one. */
	world_key(&w, "F5");
	world_key(&w, "Alt+Home");
	w.source.state = SOURCE_LOST;
	world_wait(&w, 2 * RETRY_MS);
	cr_assert(w.app.at_start);
	cr_assert_eq(w.source.opened, opened + 1);
}

Test(local_jvms, nobody_looks_while_they_are_not_shown)
{
	struct local_jvms *l = &w.app.local_jvms;
	w.app.tool_path = NULL;
	local_jvms_tick(&w.app);
	cr_assert(!l->looking && local_jvms_due_ms(&w.app) == UINT64_MAX, "without `gcspy`");
	w.app.tool_path = tool;
	show_made();
	world_live(&w, 1);
	l->due_ms = 0;
	local_jvms_tick(&w.app);
	cr_assert(!l->looking && local_jvms_due_ms(&w.app) == UINT64_MAX, "beside a heap");
	cr_assert_null(strstr(window_text(&w.app), "program\tcom.example.Shop"));
}

Test(local_jvms, rows_say_what_is_known)
{
	show_made();
	cr_assert(window_says(&w.app, "program\tcom.example.Shop\tana \xc2\xb7 G1 \xc2\xb7 11 MiB "
				      "of 64 MiB \xc2\xb7 PID 4711 "
				      "\xc2\xb7 Java 17.0.15\tlistens\n"
				      "program\tQuiet\tana \xc2\xb7 PID 4712\tno agent\n"
				      "program\tClosed\tbob \xc2\xb7 PID 4713\tno agent\n"));
	cr_assert(painted("Programs on this machine"));
	cr_assert(painted("com.example.Shop") && painted("Quiet") && painted("Closed"));
	cr_assert(painted("ana \xc2\xb7 PID 4712"));
	/* What has no room is counted. */
	struct local_jvms *l = &w.app.local_jvms;
	l->more = 5;
	cr_assert(painted("Programs on this machine \xc2\xb7 5 more: gcspy list"));
	l->count = l->more = 0;
	cr_assert(painted("No Java program of yours is running on this machine; one that starts "
			  "appears here"));
}

Test(local_jvms, who_listens_is_connected_to)
{
	show_made();
	click_row("com.example.Shop", "Connect");
	cr_assert_str_eq(w.source.address, "pid:4711");
	cr_assert_eq(w.app.local_jvms.attaching, 0, "nothing to attach");
}

Test(local_jvms, an_agent_is_attached_once_and_then_connected_to)
{
	char script[400], gate[128], said[100] = "";
	snprintf(gate, sizeof gate, "%s/gate", folder);
	cr_assert_eq(mkfifo(gate, 0600), 0);
	snprintf(script, sizeof script, "echo \"$*\" >>%s/said\nread line <%s", folder, gate);
	make_tool(script);
	show_made();
	click_row("Quiet", "Attach");
	cr_assert_eq(w.app.local_jvms.attaching, 4712);
	cr_assert(painted("Attaching \xe2\x80\xa6"));
	click_row("Quiet", "Attaching \xe2\x80\xa6");
	local_jvms_open(&w.app, &w.app.local_jvms.at[2]);
	cr_assert_eq(w.app.local_jvms.attaching, 4712, "one at a time");
	cr_assert_eq(w.source.opened, 0u, "not yet");
	const int fd = open(gate, O_WRONLY); /* waits for the tool */
	cr_assert_eq(write(fd, "\n", 1), 1);
	cr_assert_eq(close(fd), 0);
	await_attached();
	cr_assert_str_eq(w.source.address, "pid:4712");
	snprintf(script, sizeof script, "%s/said", folder);
	FILE *f = fopen(script, "r");
	cr_assert_not_null(f);
	cr_assert_not_null(fgets(said, sizeof said, f));
	cr_assert_str_eq(said, "attach 4712 port=0 --timeout 30\n");
	cr_assert_null(fgets(said, sizeof said, f), "and no more");
	fclose(f);
}

Test(local_jvms, why_attaching_failed_is_told)
{
	make_tool("printf 'gcspy: 4712 does not answer\\033[31m\\n' >&2; exit 1");
	show_made();
	click_row("Quiet", "Attach");
	await_attached();
	cr_assert_str_eq(w.app.toast, "Cannot attach to Quiet: 4712 does not answer?[31m");
	cr_assert_eq(w.source.opened, 0u);
	cr_assert(painted("Attach"), "it can be tried again");
}

Test(local_jvms, who_refuses_is_not_asked)
{
	int x, y, row;
	show_made();
	click_row("Closed", "Attach");
	cr_assert(text_find(&w.app, "Closed", &row, &y));
	cr_assert_eq(w.app.local_jvms.attaching, 0);
	cr_assert_eq(w.app.toast[0], 0);
	world_move(&w, row, y);
	cr_assert_not_null(strstr(w.app.ui.tip, "-XX:+DisableAttachMechanism"), "%s", w.app.ui.tip);
	cr_assert(text_find(&w.app, "Attach", &x, &row));
	world_move(&w, x, y); /* its button */
	cr_assert_not_null(strstr(w.app.ui.tip, "-XX:+DisableAttachMechanism"), "%s", w.app.ui.tip);
}

/* A small window gives its room to the programs first, then to the commands, which their buttons do too. */
Test(local_jvms, programs_go_before_commands)
{
	world_close(&w);
	world_open(&w, 800, 600);
	w.app.tool_path = tool;
	show_made();
	cr_assert(painted("com.example.Shop") && painted("Quiet") && painted("Closed"));
	cr_assert(painted("Ctrl+C copies"));
	world_close(&w);
	world_open(&w, 800, 520);
	w.app.tool_path = tool;
	show_made();
	cr_assert(painted("com.example.Shop") && painted("Quiet") && painted("Closed"));
	cr_assert(painted("Or connect to a port"));
	cr_assert_not(painted("Ctrl+C copies"));
	cr_assert(world_golden(&w, "start-small"));
}
