/*
 * Pictures of the view of events, the empty window, the lists of the dialogs and narrow windows
 * (V2, V3, V10), pixel by pixel. See test_ui_golden.c.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp. NOLINT(bugprone-reserved-identifier) */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browser.h"
#include "ui_world.h"

static struct world w;
static char folder[64];

static void open_folder(void)
{
	strcpy(folder, "/tmp/gcspy-golden-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

static void close_world(void)
{
	char command[100];
	world_close(&w);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}

/* Some days of use. */
static void use_settings(void)
{
	char path[100];
	snprintf(path, sizeof path, "%s/view.conf", folder);
	FILE *f = fopen(path, "w");
	cr_assert_not_null(f);
	fputs("recent_address = 2026-11-21T10:00:00Z db1.example.org:3000\n"
	      "recent_address = 2026-11-20T09:30:00Z 127.0.0.1:3000\n"
	      "recent_address = 2026-11-18T16:05:00Z unix:/run/shop/gcspy.sock\n"
	      "recent_file = 2026-11-21T08:30:00Z /home/ana/traces/a/path/that/is/rather/long/"
	      "for/a/list/run-2026-11-21.gcspy\n"
	      "recent_file = 2026-11-19T08:30:00Z /home/ana/na\xc3\xafve names/run 2.gcspy\n",
	    f);
	cr_assert_eq(fclose(f), 0);
	struct settings s;
	struct gcs_error err;
	cr_assert(settings_open(&s, path, &err), "%s", err.text);
	view_state_begin(&w.app, &s, NULL);
	app_frame(&w.app);
}

static void open_events(int width, int height, unsigned n)
{
	open_folder();
	world_open(&w, width, height);
	world_live(&w, n);
	world_key(&w, "7");
}

Test(golden_windows, events, .fini = close_world)
{
	open_events(960, 640, 12);
	cr_assert(
	    world_run(&w, "filter GC start delay=250 period=1000\nfilter GC end pause=yes\n"));
	world_key(&w, "Down");
	world_key(&w, "Down");
	cr_assert(world_golden(&w, "events"));
}

Test(golden_windows, events_bad_value, .fini = close_world)
{
	open_events(640, 400, 12);
	cr_assert(world_run(&w, "theme light\n"));
	world_key(&w, "Down");
	world_key(&w, "Right");
	world_key(&w, "Enter");
	world_type(&w, "10001");
	world_key(&w, "Enter");
	cr_assert(world_golden(&w, "events-bad-value"));
}

Test(golden_windows, events_in_a_narrow_window, .fini = close_world)
{
	open_events(400, 300, 12);
	world_key(&w, "Down");
	cr_assert(world_golden(&w, "events-narrow"));
}

Test(golden_windows, events_of_a_recording_high_contrast, .fini = close_world)
{
	open_folder();
	world_open(&w, 800, 500);
	w.source.mute = true;
	world_live(&w, 5);
	world_key(&w, "7");
	cr_assert(world_run(&w, "theme contrast\n"));
	cr_assert(world_golden(&w, "events-recording"));
}

Test(golden_windows, empty_with_recents, .fini = close_world)
{
	open_folder();
	world_open(&w, 960, 720);
	use_settings();
	world_key(&w, "Tab");
	/* Past the tabs and the buttons, onto the first of the list. */
	for (int i = 0; i < VIEW_COUNT + 4; i++)
		world_key(&w, "Tab");
	cr_assert(world_golden(&w, "empty-recents"));
}

Test(golden_windows, connect_list, .fini = close_world)
{
	open_folder();
	world_open(&w, 960, 640);
	use_settings();
	cr_assert_eq(chdir("/"), 0);
	world_key(&w, "Ctrl+L");
	world_key(&w, "Down");
	world_key(&w, "Down");
	window_folder(&w.app);
	cr_assert(world_golden(&w, "connect-list"));
}

/* A folder so deep that the picture has no room for the part of its path that is different each time. */
#define DEEP                                                                                       \
	"recordings that Ana made in the autumn of the year 2026/of the shop on the servers in "   \
	"the cellar/leaks"

Test(golden_windows, open_list, .fini = close_world)
{
	char command[800];
	open_folder();
	snprintf(command, sizeof command,
	    "mkdir -p \"%s/" DEEP "/old ones\" && cd \"%s/" DEEP "\" && mkdir empty && "
	    "echo no >notes.gcspy && cp " GCSPY_SOURCE_DIR "/docs/leak.gcspy . && "
	    "chmod 644 leak.gcspy && touch -d 2026-11-20T10:00:00Z * && "
	    "touch -d 2026-11-21T11:30:00Z notes.gcspy",
	    folder, folder);
	cr_assert_eq(system(command), 0);
	snprintf(command, sizeof command, "%s/" DEEP, folder);
	world_open(&w, 960, 640);
	use_settings();
	world_key(&w, "Ctrl+O");
	browser_enter(&w.app, command, "leak.gcspy");
	window_folder(&w.app);
	cr_assert(world_golden(&w, "open-list"));
	app_resize(&w.app, 400, 300);
	browser_enter(&w.app, command, "leak.gcspy");
	window_folder(&w.app);
	cr_assert(world_golden(&w, "open-small"));
}

Test(golden_windows, help_searched, .fini = close_world)
{
	open_folder();
	world_open(&w, 800, 500);
	world_live(&w, 3);
	world_key(&w, "?");
	world_type(&w, "tile");
	cr_assert(world_golden(&w, "help-search"));
	world_type(&w, "xyz");
	cr_assert(world_golden(&w, "help-nothing"));
}
