/* Settings, recent addresses and files, layouts, places to go back to. */
#define _XOPEN_SOURCE 700 /* mkdtemp, realpath. NOLINT(bugprone-reserved-identifier) */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recents.h"
#include "settings_suite.h"

static struct settings opened(bool whole)
{
	struct settings s;
	struct gcs_error err = {.text = ""};
	cr_assert_eq(settings_open(&s, path, &err), whole, "%s", err.text);
	return s;
}

static void closed(struct settings *s)
{
	struct gcs_error err;
	cr_assert(settings_close(s, &err), "%s", err.text);
}

Test(settings, values_come_back, .init = make_folder, .fini = remove_folder)
{
	struct settings s = opened(true);
	cr_assert_null(settings_get(&s, "theme"));
	cr_assert(settings_put(&s, "theme", "light", 0));
	cr_assert(settings_put(&s, "flame.icicle", "two\nlines\x01", 0));
	cr_assert_not(settings_put(&s, "Bad Key", "x", 0));
	cr_assert_not(settings_put(&s, "", "x", 0));
	char *much = calloc(1, SETTINGS_VALUE + 2);
	memset(much, 'x', SETTINGS_VALUE + 1);
	cr_assert_not(settings_put(&s, "much", much, 0));
	free(much);
	closed(&s);
	cr_assert_str_eq(file_text(), "theme = light\nflame.icicle = two lines \n");
	s = opened(true);
	cr_assert_str_eq(settings_get(&s, "theme"), "light");
	cr_assert(settings_put(&s, "theme", "dark", 0));
	cr_assert_str_eq(settings_get(&s, "theme"), "dark");
	cr_assert_null(settings_get(&s, "them"));
	closed(&s);
	s = opened(true);
	cr_assert_str_eq(settings_get(&s, "theme"), "dark");
	closed(&s);
}

Test(settings, unknown_lines_stay, .init = make_folder, .fini = remove_folder)
{
	static const char text[] = "# mine\n\nfuture.key = 1\ntheme=dark\nnot understood\n";
	write_file(text, strlen(text));
	struct settings s = opened(false);
	cr_assert_str_eq(settings_get(&s, "theme"), "dark");
	settings_put(&s, "theme", "light", 0);
	closed(&s);
	cr_assert_str_eq(file_text(), "# mine\n\nfuture.key = 1\ntheme = light\nnot understood\n");
}

Test(settings, hostile_files_are_told_once_and_survived, .init = make_folder, .fini = remove_folder)
{
	static char big[SETTINGS_BYTES + 2];
	struct settings s;
	struct gcs_error err;
	memset(big, 'x', sizeof big);
	write_file(big, sizeof big);
	s = opened(false);
	cr_assert_eq(s.table.count, 0u, "too large is not read");
	struct gcs_error why = {.status = GCS_OK};
	settings_put(&s, "theme", "light", 0);
	cr_assert_not(settings_close(&s, &why), "and is not overwritten");
	cr_assert_not_null(strstr(why.text, "1 MiB"), "%s", why.text);
	cr_assert_eq(strlen(file_text()), sizeof big);
	/* Bytes that are no text, thousands of lines, values of every length. */
	srand(1);
	for (int round = 0; round < 50; round++) {
		size_t n = (size_t)rand() % 20000;
		for (size_t i = 0; i < n; i++)
			big[i] = (char)(rand() % 8 == 0    ? '\n'
					: rand() % 5 == 0  ? '='
					: rand() % 40 == 0 ? rand()
							   : 'a' + rand() % 26);
		write_file(big, n);
		if (!settings_open(&s, path, &err))
			cr_assert_not_null(strstr(err.text, "ignored"), "%s", err.text);
		cr_assert_leq(s.table.count, SETTINGS_LINES);
		settings_put(&s, "theme", "light", 0);
		settings_put_item(&s, "recent_file", "/x y", "", 20, 0);
		struct settings_item items[5];
		settings_items(&s, "a", items, 5);
		if (s.table.count < SETTINGS_LINES)
			cr_assert_str_eq(settings_get(&s, "theme"), "light");
		closed(&s);
	}
	/* A folder where the file should be. */
	cr_assert_eq(remove(path), 0);
	cr_assert_eq(mkdir(path, 0700), 0);
	cr_assert_not(settings_open(&s, path, &err));
	settings_put(&s, "theme", "light", 0);
	cr_assert_not(settings_close(&s, &err));
}

Test(settings, lists_are_newest_first_and_bounded, .init = make_folder, .fini = remove_folder)
{
	struct settings s = opened(true);
	struct settings_item items[40];
	char name[40];
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof name, "host %d:3000", i);
		cr_assert(settings_put_item(&s, "recent_address", name, "", 20, 0));
	}
	cr_assert(settings_put_item(&s, "recent_address", "host 25:3000", "", 20, 0));
	closed(&s);
	s = opened(true);
	cr_assert_eq(settings_items(&s, "recent_address", items, 40), 20u);
	cr_assert_eq(strncmp(items[0].text, "host 25:3000", items[0].text_length), 0);
	cr_assert_eq(strncmp(items[1].text, "host 29:3000", items[1].text_length), 0);
	cr_assert_eq(strlen(items[0].stamp), 20u);
	settings_remove_item(&s, "recent_address", "host 29:3000", 0);
	settings_put_item(&s, "recent_address", "one\twith\ttabs", "more", 20, 0);
	closed(&s);
	s = opened(true);
	cr_assert_eq(settings_items(&s, "recent_address", items, 40), 20u);
	cr_assert_eq(strncmp(items[0].text, "one with tabs\tmore", 18), 0);
	cr_assert_str_eq(items[0].more + 4 - 4, strchr(items[0].text, '\t') + 1);
	cr_assert_eq(strncmp(items[2].text, "host 28:3000", items[2].text_length), 0);
	closed(&s);
}

Test(settings, two_windows_do_not_undo_each_other, .init = make_folder, .fini = remove_folder)
{
	struct settings a = opened(true), b = opened(true);
	settings_put(&a, "theme", "light", 0);
	settings_put_item(&a, "recent_address", "a:1", "", 20, 0);
	settings_put(&b, "scale", "150", 0);
	settings_put_item(&b, "recent_address", "b:1", "", 20, 0);
	closed(&a);
	closed(&b);
	struct settings s = opened(true);
	struct settings_item items[5];
	cr_assert_str_eq(settings_get(&s, "theme"), "light");
	cr_assert_str_eq(settings_get(&s, "scale"), "150");
	cr_assert_eq(settings_items(&s, "recent_address", items, 5), 2u);
	/* What one removes does not come back with the other's next change. */
	a = opened(true);
	settings_remove_item(&s, "recent_address", "a:1", 0);
	closed(&s);
	settings_put(&a, "theme", "dark", 0);
	closed(&a);
	cr_assert_null(strstr(file_text(), "a:1"));
	cr_assert_not_null(strstr(file_text(), "theme = dark"));
}

/* A tick at a time until the writer has ended. */
static bool written(struct settings *s, struct gcs_error *err)
{
	bool told = false;
	for (int i = 0; i < 500 && (s->writing || s->due_ms != 0 || i == 0); i++) {
		told = settings_tick(s, 1000000 + (uint64_t)i, err) || told;
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	return told;
}

Test(settings, the_writer_is_a_thread, .init = make_folder, .fini = remove_folder)
{
	struct gcs_error err = {.status = GCS_OK};
	struct settings s = opened(true);
	settings_put(&s, "theme", "light", 5);
	cr_assert_not(settings_tick(&s, 500, &err));
	cr_assert_not(s.writing, "not before it is due");
	cr_assert_not(written(&s, &err));
	cr_assert_eq(s.changes, 0u);
	cr_assert_str_eq(file_text(), "theme = light\n");
	settings_put(&s, "theme", "contrast", 5);
	closed(&s);
	cr_assert_str_eq(file_text(), "theme = contrast\n");
}

Test(settings, a_folder_that_cannot_be_written_is_told_once, .init = make_folder,
    .fini = remove_folder)
{
	struct gcs_error err = {.status = GCS_OK};
	/* Also for root: a file where a folder is needed. */
	snprintf(path, sizeof path, "%s/file/view.conf", folder);
	char command[200];
	snprintf(command, sizeof command, "echo x >%s/file", folder);
	cr_assert_eq(system(command), 0);
	struct settings s;
	settings_open(&s, path, &err);
	settings_put(&s, "theme", "light", 0);
	cr_assert(written(&s, &err), "told");
	cr_assert_not_null(strstr(err.text, "settings will not be saved"), "%s", err.text);
	cr_assert_str_eq(settings_get(&s, "theme"), "light", "it goes on without");
	settings_put(&s, "theme", "dark", 0);
	cr_assert_not(written(&s, &err), "once");
	settings_close(&s, &err);
}

Test(keep, the_window_comes_back_as_it_was, .init = make_folder, .fini = close_world)
{
	begin_with("window = 720x500\ntheme = contrast\ncolours = grey\nscale = 150\n"
		   "side_width = 220\nside_shown = no\nview = sites\n");
	cr_assert(w.app.cv.w == 720 && w.app.cv.h == 500);
	cr_assert_str_eq(theme_at(w.app.theme)->name, "contrast");
	cr_assert_eq(w.app.ramp, 2);
	cr_assert_eq(w.app.scale, 150);
	cr_assert_not(w.app.side_shown);
	cr_assert_eq(w.app.side_width, 220 * 150 / 100);
	cr_assert_str_eq(w.app.toast, "");
	cr_assert(w.app.view == &sites_view);
	world_key(&w, "Ctrl+0");
	world_key(&w, "Q");
	world_key(&w, "1");
	world_key(&w, "F9");
	app_resize(&w.app, 900, 620);
	app_tick(&w.app);
	view_state_end(&w.app);
	cr_assert_not_null(strstr(file_text(), "window = 900x620\ntheme = dark\n"));
	cr_assert_not_null(strstr(file_text(), "scale = 100"));
	cr_assert_not_null(strstr(file_text(), "side_shown = yes"));
	cr_assert_not_null(strstr(file_text(), "view = heap"));
}

Test(keep, nonsense_in_the_file_changes_nothing, .init = make_folder, .fini = close_world)
{
	begin_with("window = 99999999x1\ntheme = pink\ncolours = \nscale = 1e9\n"
		   "side_width = -4\nside_shown = maybe\nview = nowhere\nlayout = x\n"
		   "collapsed = \nstartup = nonsense; theme nonsense;;; ;\n");
	cr_assert(w.app.cv.w == 800 && w.app.cv.h == 600);
	cr_assert_eq(w.app.theme, 0);
	cr_assert_eq(w.app.scale, 100);
	cr_assert(w.app.side_shown);
	cr_assert(w.app.view == &heap_view);
	cr_assert_not_null(
	    strstr(w.app.toast, "Settings, startup: theme nonsense"), "%s", w.app.toast);
	world_live(&w, 3);
}

Test(keep, commands_to_begin_with, .init = make_folder, .fini = close_world)
{
	begin_with("startup = theme light; colours cividis; stream Live; events\n");
	cr_assert_str_eq(theme_at(w.app.theme)->name, "light");
	cr_assert_eq(w.app.ramp, 1);
	cr_assert(w.app.view == &events_view);
	world_live(&w, 2);
	app_tick(&w.app);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], (uint32_t)REGION_LIVE,
	    "what needs a picture waits for it");
	world_run(&w, "stream Used\n");
	app_tick(&w.app);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], (uint32_t)REGION_USED, "once");
	view_state_end(&w.app);
	cr_assert_null(strstr(file_text(), "theme = "), "it stays the startup line's");
}

Test(keep, groups_of_a_server_stay_collapsed, .init = make_folder, .fini = close_world)
{
	begin_with("");
	world_live(&w, 2);
	cr_assert(world_run(&w, "toggle_group Threads\n"));
	view_state_end(&w.app);
	cr_assert_not_null(
	    strstr(file_text(), "HotSpot 21.0.2 (G1)\ttoggle_group Threads\n"), "%s", file_text());
	char text[400];
	snprintf(text, sizeof text, "%s", file_text());
	world_close(&w);
	begin_with(text);
	world_live(&w, 2);
	cr_assert(w.app.group_closed[1] && !w.app.group_closed[0]);
	cr_assert_geq(w.source.collapses, 1u, "and the server knows");
	cr_assert(world_run(&w, "toggle_group Threads\n"));
	view_state_end(&w.app);
	cr_assert_null(strstr(file_text(), "Threads"));
}

/* Only what differs from how a space starts. */
Test(keep, folded_spaces_stay_as_chosen, .init = make_folder, .fini = close_world)
{
	begin_with("");
	world_live(&w, 2);
	cr_assert(world_run(&w, "space Threads\nfold\nspace Card table\nfold\n"));
	view_state_end(&w.app);
	cr_assert_not_null(strstr(file_text(), "/Threads\tfold off\n"), "%s", file_text());
	char text[800];
	snprintf(text, sizeof text, "%s", file_text());
	world_close(&w);
	begin_with(text);
	world_live(&w, 2);
	cr_assert(window_says(&w.app, "Card table\tfolded\t"));
	cr_assert(window_says(&w.app, "Threads\t6 tiles"));
	cr_assert(world_run(&w, "space Threads\nfold\nspace Card table\nfold\n"));
	view_state_end(&w.app);
	cr_assert_null(strstr(file_text(), "fold"), "%s", file_text());
}

Test(keep, connections_become_recent_ones, .init = make_folder, .fini = close_world)
{
	begin_with("");
	struct recent r[10];
	cr_assert(app_connect(&w.app, "typo:3000"));
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	cr_assert_eq(recents_known(&w.app, false, r, 10), 0u, "only what was reached");
	world_live(&w, 1);
	cr_assert_eq(recents_known(&w.app, false, r, 10), 1u);
	cr_assert_str_eq(r[0].text, "127.0.0.1:3000");
	cr_assert_not(r[0].file);
}

Test(recents, not_a_process_that_has_ended, .init = make_folder, .fini = close_world)
{
	struct recent r[10];
	char settings[200];
	const pid_t child = fork();
	cr_assert_geq(child, 0);
	if (child == 0)
		_exit(0);
	cr_assert_eq(waitpid(child, NULL, 0), child);
	snprintf(settings, sizeof settings,
	    "recent_address = 2026-11-20T10:00:00Z pid:%ld\n"
	    "recent_address = 2026-11-19T10:00:00Z pid:%ld\n",
	    (long)child, (long)getpid());
	begin_with(settings);
	cr_assert_eq(recents_known(&w.app, false, r, 10), 1u);
	cr_assert_eq(atol(r[0].text + 4), (long)getpid());
}

Test(recents, chosen_and_forgotten_by_keys, .init = make_folder, .fini = close_world)
{
	begin_with("recent_address = 2026-11-20T10:00:00Z one:3000\n"
		   "recent_address = 2026-11-19T10:00:00Z two:3000\n"
		   "recent_file = 2026-11-21T10:00:00Z /t/run.gcspy\n");
	world_key(&w, "Ctrl+L");
	cr_assert(
	    window_says(&w.app, "browser\trecent\nrecording\trun.gcspy /t\tfile\t2026-11-21 10:00\n"
				"server\tone:3000\tserver\t2026-11-20 10:00\nserver\ttwo:3000\t"));
	world_key(&w, "Down");
	world_key(&w, "Down");
	world_key(&w, "Delete");
	cr_assert(window_says(&w.app, "recording\trun.gcspy /t\tfile\t2026-11-21 10:00\n"
				      "> server\ttwo:3000\t"));
	world_key(&w, "Enter");
	cr_assert_str_eq(w.source.address, "two:3000");
	cr_assert_eq(w.app.modal, MODAL_NONE);
	/* What is typed goes before the list. */
	world_key(&w, "Ctrl+L");
	world_key(&w, "Down");
	world_type(&w, "three:3000");
	cr_assert(window_says(&w.app, "Nothing here contains what is typed"));
	world_key(&w, "Enter");
	cr_assert_str_eq(w.source.address, "three:3000");
	view_state_end(&w.app);
	cr_assert_null(strstr(file_text(), "one:3000"));
	cr_assert_not_null(strstr(file_text(), "two:3000"));
}

Test(keep, layouts, .init = make_folder, .fini = close_world)
{
	begin_with("");
	cr_assert(world_run(&w, "layout_save wide\ntheme light\nevents\nside_panel\nscale_up\n"));
	cr_assert(world_run(&w, "layout_save my second\nlayout_use wide\n"));
	cr_assert(w.app.view == &heap_view && w.app.side_shown && w.app.scale == 100);
	cr_assert_str_eq(theme_at(w.app.theme)->name, "dark");
	cr_assert(world_run(&w, "layout_use my second\n"));
	cr_assert(w.app.view == &events_view && !w.app.side_shown && w.app.scale == 125);
	cr_assert(world_run(&w, "layout_forget wide\n"));
	cr_assert_not(world_run(&w, "layout_use wide\n"));
	cr_assert_str_eq(w.app.toast, "No layout named wide; available: my second");
	cr_assert_not(world_run(&w, "layout_save\n"));
}

Test(nav, back_and_forward, .init = make_folder, .fini = close_world)
{
	begin_with("");
	world_live(&w, 3);
	cr_assert(world_run(&w, "select G1 regions 18\n"));
	world_wait(&w, 2000);
	world_key(&w, "2");
	world_wait(&w, 2000);
	world_key(&w, "7");
	world_key(&w, "Ctrl+Alt+Left");
	cr_assert(w.app.view == &sites_view);
	world_key(&w, "Ctrl+Alt+Left");
	cr_assert(w.app.view == &heap_view);
	cr_assert(w.app.selected.space == WORLD_REGIONS && w.app.selected.tile == 18);
	world_key(&w, "Ctrl+Alt+Left");
	cr_assert_eq(w.app.selected.space, GCS_NONE, "before the tile was chosen");
	world_key(&w, "Ctrl+Alt+Left");
	cr_assert_not_null(strstr(w.app.toast, "Nothing to go back to"));
	world_key(&w, "Ctrl+Alt+Right");
	cr_assert_eq(w.app.selected.tile, 18u);
	world_key(&w, "Ctrl+Alt+Right");
	world_key(&w, "Ctrl+Alt+Right");
	cr_assert(w.app.view == &events_view);
	cr_assert_not(app_command(&w.app, COMMAND_go_forward, NULL));
	/* Tiles that are passed by quickly are one place; the line is bounded. */
	world_key(&w, "1");
	int before = w.app.nav.count;
	for (int i = 0; i < 20; i++)
		world_key(&w, "Right");
	cr_assert_leq(w.app.nav.count, before + 1);
	for (int i = 0; i < 200; i++) {
		world_wait(&w, 2000);
		world_key(&w, i % 2 == 0 ? "2" : "1");
	}
	cr_assert_eq(w.app.nav.count, NAV_PLACES);
}

Test(cli, settings_options)
{
	struct cli cli;
	struct gcs_error err;
	char *both[] = {"gcspy-view", "--settings", "x", "--no-settings"};
	cr_assert_not(cli_parse(&cli, 4, both, &err));
	cr_assert_not_null(strstr(err.text, "--no-settings"), "%s", err.text);
	cr_assert(cli_parse(&cli, 3, both, &err));
	cr_assert_str_eq(cli.settings, "x");
	cr_assert_not(cli_unattended(&cli));
	char *script[] = {"gcspy-view", "--script", "x"};
	cr_assert(cli_parse(&cli, 3, script, &err));
	cr_assert(cli_unattended(&cli), "a script has no settings of its own accord");
}
