/* The file browser with a window that opens files, and a pointer that finds what is painted. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "browser.h"
#include "text_finder.h"
#include "ui_folder.h"
#include "ui_leak.h"

static char folder[96];

/* A shell's command in the folder; $leak is a recording. */
static void shell(const char *command)
{
	char all[2000];
	snprintf(all, sizeof all, "cd %s && leak=" LEAK_PATH " && { %s; }", folder, command);
	cr_assert_eq(system(all), 0, "%s", command);
}

static const char *path_in(const char *name)
{
	static char path[400];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static struct leak_world pointer;

static void click_text(const char *text)
{
	struct app *app = &pointer.replay.app;
	int x, y;
	cr_assert(text_find(app, text, &x, &y), "%s", text);
	leak_click_at(&pointer, x, y);
	if (app->browser != NULL)
		window_folder(app);
}

static void pass(unsigned ms)
{
	pointer.replay.app.now_ms += ms;
	app_tick(&pointer.replay.app);
	app_frame(&pointer.replay.app);
}

static void open_pointer(void)
{
	folder_open(folder, sizeof folder, "browser");
	cr_assert_eq(chdir(folder), 0);
	cr_assert_not_null(getcwd(folder, sizeof folder));
	leak_begin(&pointer, 1280, 800);
}

static void close_pointer(void)
{
	cr_assert_eq(chdir("/"), 0);
	leak_close(&pointer);
	folder_close();
}

TestSuite(browser_pointer, .init = open_pointer, .fini = close_pointer);

Test(browser_pointer, clicks_alone_open_a_recording_of_an_inner_folder)
{
	struct app *app = &pointer.replay.app;
	int x, y;
	shell("mkdir -p runs/today other && cp $leak runs/today/shop.gcspy && "
	      "cp $leak runs/today/first.gcspy && touch -d 2020-01-01 runs/today/first.gcspy");
	click_text("Open a recording \xe2\x80\xa6");
	click_text("other/");
	pass(BROWSER_QUIET_MS);
	click_text("..");
	pass(BROWSER_QUIET_MS);
	/* A double click enters one folder, not what then is under the pointer. */
	cr_assert(text_find(app, "runs/", &x, &y));
	leak_click_at(&pointer, x, y);
	window_folder(app);
	leak_click_at(&pointer, x, y - table_row_height(&app->ui)); /* where "today" is now */
	window_folder(app);
	cr_assert_str_eq(app->browser->folder, path_in("runs"));
	pass(BROWSER_QUIET_MS);
	click_text("today/");
	pass(BROWSER_QUIET_MS);
	/* One click shows, another one opens. */
	click_text("first.gcspy");
	cr_assert(window_says(app, "preview\tProgram\tShop, process 3056\n"));
	cr_assert_eq(app->modal, MODAL_CONNECT);
	click_text("shop.gcspy");
	cr_assert_eq(app->modal, MODAL_CONNECT, "another file is selected first");
	cr_assert_eq(app->state, SOURCE_NONE);
	click_text("shop.gcspy");
	cr_assert_eq(app->modal, MODAL_NONE);
	leak_settle(&pointer);
	cr_assert_eq(app->state, SOURCE_LIVE);
	cr_assert_str_eq(app->address, path_in("runs/today/shop.gcspy"));
}

Test(browser_pointer, breadcrumbs_and_buttons)
{
	struct app *app = &pointer.replay.app;
	int x, y;
	shell("mkdir -p runs/today && cp $leak runs/today/shop.gcspy && cp $leak above.gcspy");
	click_text("Open a recording \xe2\x80\xa6");
	click_text("runs/");
	pass(BROWSER_QUIET_MS);
	click_text("today/");
	pass(BROWSER_QUIET_MS);
	click_text("runs");
	cr_assert_str_eq(app->browser->folder, path_in("runs"), "by its button");
	cr_assert(text_find(app, "/", &x, &y));
	leak_pointer(&pointer, EV_MOVE, x, y);
	cr_assert_str_eq(app->ui.tip, "/", "a button names its folder");
	click_text("/");
	cr_assert_str_eq(app->browser->folder, "/");
	click_text("Recent");
	cr_assert(window_says(app, "browser\trecent\nNo recent files\n"));
	browser_enter(app, folder, "");
	window_folder(app);
	pass(BROWSER_QUIET_MS);
	click_text("above.gcspy");
	click_text("Open");
	cr_assert_eq(app->modal, MODAL_NONE);
	leak_settle(&pointer);
	cr_assert_str_eq(app->address, path_in("above.gcspy"));
	/* A row that the pointer leaves before it is released is not clicked. */
	cr_assert(browser_open(app, NULL));
	window_folder(app);
	click_text("above.gcspy");
	cr_assert(text_find(app, "above.gcspy", &x, &y));
	leak_pointer(&pointer, EV_DOWN, x, y);
	leak_pointer(&pointer, EV_MOVE, x, y + 200);
	leak_pointer(&pointer, EV_UP, x, y + 200);
	cr_assert_eq(app->modal, MODAL_CONNECT);
	click_text("Cancel");
	cr_assert_eq(app->modal, MODAL_NONE);
}
