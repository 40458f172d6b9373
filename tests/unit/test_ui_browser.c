/* The file browser of the dialog to connect or to open, on folders with all that may be in one. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "browser.h"
#include "text_finder.h"
#include "ui_folder.h"
#include "ui_leak.h"

static struct world w;
static char folder[96];

/* A shell's command in the folder; $leak is a recording. */
static void shell(const char *command)
{
	char all[2000];
	snprintf(all, sizeof all, "cd %s && leak=" LEAK_PATH " && { %s; }", folder, command);
	cr_assert_eq(system(all), 0, "%s", command);
}

static void open_browser(void)
{
	folder_open(folder, sizeof folder, "browser");
	cr_assert_eq(chdir(folder), 0);
	cr_assert_not_null(getcwd(folder, sizeof folder));
	world_open(&w, 1000, 700);
}

static void close_browser(void)
{
	cr_assert_eq(chdir("/"), 0);
	world_close(&w);
	folder_close();
}

static void show_folder(void)
{
	world_key(&w, "Ctrl+O");
	window_folder(&w.app);
}

/* Has the row of that name selected, and its file read. */
static void choose_row(const char *name)
{
	struct browser *b = w.app.browser;
	for (uint32_t i = 0; i < b->rows; i++) {
		if (strcmp(b->row[i].name, name) != 0)
			continue;
		b->table.selected = i;
		browser_selected(&w.app);
		window_folder(&w.app);
		return;
	}
	cr_assert_fail("no row %s", name);
}

static bool window_omits(const char *what)
{
	return strstr(window_text(&w.app), what) == NULL;
}

static const char *path_in(const char *name)
{
	static char path[400];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

TestSuite(browser, .init = open_browser, .fini = close_browser);

Test(browser, lists_folders_and_recordings)
{
	shell("mkdir 'b folder' A .hidden && touch .hidden.gcspy notes.txt && mkfifo pipe.gcspy && "
	      "cp $leak run.gcspy && cp $leak unnamed && echo text >text.gcspy && "
	      "ln -s run.gcspy link.gcspy && ln -s nowhere dangling.gcspy && ln -s A linked && "
	      "touch -d 2026-11-20T10:00:00Z run.gcspy && touch -d 2026-11-21T11:30:00Z unnamed && "
	      "touch -d 2026-11-22T11:30:00Z text.gcspy && touch -h -d 2000-01-01 link.gcspy");
	show_folder();
	const char *text = window_text(&w.app);
	cr_assert_str_eq(w.app.browser->folder, folder);
	const char *rows = strstr(text, "\nabove\t");
	cr_assert_not_null(rows, "%s", text);
	static const char *const names[] = {
	    "..", "A/", "b folder/", "linked/", "text.gcspy", "unnamed", "link.gcspy", "run.gcspy"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *at = strchr(rows + 1, '\t') + 1;
		cr_assert_eq(strncmp(at, names[i], strlen(names[i])), 0, "%s: %.40s", names[i], at);
		rows = strchr(at, '\n');
	}
	cr_assert_eq(strncmp(rows, "\nA click selects", 16), 0, "and nothing else: %.100s", rows);
	cr_assert(window_says(&w.app, "recording\trun.gcspy\t197 KiB\t2026-11-20 10:00\n"));
	cr_assert(window_says(&w.app, "recording\ttext.gcspy not a recording\t5 B\t"));
}

Test(browser, sorts_by_a_click_on_a_title)
{
	int x, y;
	shell("mkdir y z && cp $leak a.gcspy && head -c 9999 $leak >B.gcspy && "
	      "touch -d 2026-11-20T10:00:00Z a.gcspy && touch -d 2026-11-21T10:00:00Z B.gcspy");
	show_folder();
	cr_assert_str_eq(w.app.browser->row[3].name, "B.gcspy", "the newest first");
	cr_assert(text_find(&w.app, "Size", &x, &y));
	world_click(&w, x, y, 1);
	cr_assert_str_eq(w.app.browser->row[3].name, "a.gcspy", "the largest first");
	cr_assert(text_find(&w.app, "Name", &x, &y));
	world_click(&w, x, y, 1);
	cr_assert_str_eq(w.app.browser->row[1].name, "y");
	cr_assert_str_eq(w.app.browser->row[3].name, "a.gcspy", "whatever the case");
	world_click(&w, x, y, 1);
	cr_assert_str_eq(w.app.browser->row[0].name, "..", "always first");
	cr_assert_str_eq(w.app.browser->row[1].name, "z");
	cr_assert_str_eq(w.app.browser->row[3].name, "B.gcspy");
}

Test(browser, hostile_names_are_harmless)
{
	shell("mkdir \"$(printf 'a\\033[31m\\nb\\377')\" && "
	      "cp $leak \"$(printf 'n\\303\\244h\\342\\200\\256er.gcspy')\"");
	show_folder();
	cr_assert(window_says(&w.app, "folder\ta?[31m?b?/\t"));
	cr_assert(window_says(&w.app, "recording\tn\xc3\xa4h?er.gcspy\t197 KiB\t"));
	w.app.browser->table.selected = 1;
	world_key(&w, "Enter");
	window_folder(&w.app);
	cr_assert(window_says(&w.app, "No folders and no recordings here"));
	cr_assert_str_eq(w.app.browser->folder, path_in("a\033[31m\nb\377"));
	world_key(&w, "Backspace");
	window_folder(&w.app);
	choose_row("n\xc3\xa4h\xe2\x80\xae"
		   "er.gcspy");
	cr_assert(window_says(&w.app, "preview\tCollector\tG1\n"));
}

Test(browser, a_full_folder_is_bounded_and_counted)
{
	shell("for i in $(seq 1012); do echo >$i.gcspy; done; mkdir $(seq -f f%g 1003); "
	      "touch -d 2020-01-01 7.gcspy");
	show_folder();
	cr_assert_eq(w.app.browser->rows, 1 + 2 * FOLDER_MOST);
	cr_assert(
	    window_says(&w.app, "\xe2\x80\xa6 and 3 more folders, and 12 older recordings\n"));
	cr_assert(window_omits("\t7.gcspy"), "the oldest");
}

Test(browser, previews_tell_what_a_recording_is)
{
	shell("cp $leak run.gcspy && head -c 100000 $leak >cut.gcspy && "
	      "head -c 1000 $leak >short.gcspy && echo text >text.gcspy && "
	      "cp $leak large.gcspy && truncate -s 300M large.gcspy");
	show_folder();
	cr_assert(window_omits("\npreview\t"));
	choose_row("run.gcspy");
	cr_assert(window_says(&w.app,
	    "preview\tProgram\tShop, process 3056\npreview\tCollector\tG1\n"
	    "preview\tJDK\t25.0.3+9-LTS\npreview\tRecorded\t2026-11-22 23:22\n"
	    "preview\tLength\t0:27.720\npreview\tEvents\t49\npreview\tSize\t197 KiB\n"));
	cr_assert(window_omits("Not closed properly"));
	choose_row("cut.gcspy");
	cr_assert(
	    window_says(&w.app, "preview\tNot closed properly: it is still being recorded, or"));
	cr_assert(window_omits("preview\tEvents\t49\n"), "of what can be read");
	cr_assert(window_says(&w.app, "preview\tCollector\tG1\n"));
	choose_row("short.gcspy");
	cr_assert(window_says(&w.app, "preview\tIt has no whole event\n"));
	choose_row("text.gcspy");
	cr_assert(
	    window_says(&w.app, "preview\tCannot be opened: not a GCspy recording (*.gcspy)\n"));
	choose_row("large.gcspy");
	cr_assert(
	    window_says(&w.app, "preview\tSize\t300 MiB\npreview\tProgram, length and events "
				"are not known: it was not closed properly, and is too large"));
	cr_assert(window_omits("preview\tEvents"));
	choose_row("..");
	cr_assert(window_omits("\npreview\t"));
}

/* The preview of what is selected last is shown, whatever was read before. */
Test(browser, previews_follow_the_selection)
{
	shell("for i in 1 2 3 4 5 6 7 8; do cp $leak $i.gcspy; done; echo text >9.gcspy");
	show_folder();
	for (uint32_t i = 0; i < w.app.browser->rows; i++) {
		w.app.browser->table.selected = i;
		browser_selected(&w.app);
	}
	choose_row("9.gcspy");
	cr_assert(
	    window_says(&w.app, "preview\tCannot be opened: not a GCspy recording (*.gcspy)\n"));
	cr_assert(window_omits("preview\tEvents"));
}

/* What the settings remember may be something else by now. */
Test(browser, previews_of_recent_files_never_wait)
{
	struct settings s;
	struct gcs_error err;
	shell("mkfifo pipe && cp $leak run.gcspy && "
	      "for f in $PWD/run.gcspy $PWD/pipe $PWD/gone $PWD; do "
	      "echo recent_file = 2026-11-21T10:00:00Z $f; done >view.conf");
	cr_assert(settings_open(&s, path_in("view.conf"), &err), "%s", err.text);
	view_state_begin(&w.app, &s, NULL);
	show_folder();
	browser_recent(&w.app);
	cr_assert(window_says(&w.app, "browser\trecent\nrecording\t"));
	static const struct {
		const char *name, *says;
	} cases[] = {{"pipe", "preview\tCannot be opened: not a file\n"},
	    {"gone", "preview\tCannot be opened: No such file or directory\n"},
	    {"run.gcspy", "preview\tEvents\t49\n"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		choose_row(path_in(cases[i].name));
		cr_assert(window_says(&w.app, cases[i].says));
	}
	choose_row(folder);
	cr_assert(window_says(&w.app, "preview\tCannot be opened: a folder\n"));
}

/* Root may read everything: another user's rights. */
static bool give_up_rights(void)
{
	const uid_t nobody = 65534;
	if (geteuid() != 0)
		return false;
	cr_assert_eq(chown(folder, nobody, (gid_t)-1), 0);
	cr_assert_eq(seteuid(nobody), 0);
	return true;
}

Test(browser, what_may_not_be_read_is_told)
{
	shell("mkdir closed && cp $leak closed.gcspy");
	const bool root = give_up_rights();
	if (!root)
		shell("chmod 0 closed closed.gcspy");
	else {
		cr_assert_eq(seteuid(0), 0);
		shell("chmod 0 closed closed.gcspy");
		give_up_rights();
	}
	show_folder();
	cr_assert(window_says(&w.app, "recording\tclosed.gcspy Permission denied\t197 KiB\t"));
	choose_row("closed.gcspy");
	cr_assert(window_says(&w.app, "preview\tCannot be opened: Permission denied\n"));
	choose_row("closed");
	world_key(&w, "Enter");
	window_folder(&w.app);
	char text[500];
	snprintf(text, sizeof text, "Cannot list %s: Permission denied", path_in("closed"));
	cr_assert(window_says(&w.app, text));
	world_key(&w, "Down");
	world_key(&w, "Enter");
	window_folder(&w.app);
	cr_assert(window_says(&w.app, "> folder\tclosed/\t"), "the way back");
	if (root)
		cr_assert_eq(seteuid(0), 0);
	shell("chmod 700 closed");
}

Test(browser, what_changes_is_seen)
{
	shell("mkdir inner && cp $leak inner/one.gcspy");
	show_folder();
	browser_enter(&w.app, path_in("inner"), "one.gcspy");
	window_folder(&w.app);
	cr_assert(window_says(&w.app, "> recording\tone.gcspy\t"));
	const uint64_t due = browser_due_ms(&w.app);
	cr_assert(due >= w.app.now_ms + 2000 && due != UINT64_MAX, "not all the time");
	shell("cp $leak inner/two.gcspy; echo text >inner/one.gcspy");
	world_wait(&w, (unsigned)(due - w.app.now_ms));
	window_folder(&w.app);
	cr_assert(window_says(&w.app, "recording\ttwo.gcspy\t197 KiB\t"));
	cr_assert(window_says(&w.app, "> recording\tone.gcspy not a recording\t5 B\t"));
	cr_assert(window_says(&w.app, "preview\tCannot be opened: not a GCspy recording"));
	shell("rm -r inner");
	world_wait(&w, (unsigned)(browser_due_ms(&w.app) - w.app.now_ms));
	window_folder(&w.app);
	char text[500];
	snprintf(text, sizeof text, "Cannot list %s: No such file or directory", path_in("inner"));
	cr_assert(window_says(&w.app, text));
	cr_assert(window_omits("one.gcspy"));
	world_key(&w, "Backspace");
	window_folder(&w.app);
	cr_assert(window_says(&w.app, "No folders and no recordings here"));
	world_key(&w, "Escape");
	cr_assert_eq(browser_due_ms(&w.app), UINT64_MAX, "a closed dialog reads nothing");
}

Test(browser, keys_walk_and_open)
{
	shell("mkdir -p inner/deep && cp $leak inner/one.gcspy && cp $leak inner/two.gcspy");
	show_folder();
	world_key(&w, "Down");
	world_key(&w, "Down");
	world_key(&w, "Enter");
	window_folder(&w.app);
	cr_assert_str_eq(w.app.browser->folder, path_in("inner"));
	world_key(&w, "PageDown");
	cr_assert_eq(w.app.browser->table.selected, 3u);
	world_key(&w, "Delete");
	cr_assert_str_eq(w.app.toast, "This is in the folder, not in the recent list");
	world_key(&w, "Backspace");
	window_folder(&w.app);
	cr_assert(window_says(&w.app, "> folder\tinner/\t"), "where it came from");
	world_key(&w, "Enter");
	window_folder(&w.app);
	/* What is typed filters, and the only one left is opened. */
	world_type(&w, "TW");
	cr_assert_eq(w.app.browser->rows, 1u);
	world_key(&w, "Backspace");
	cr_assert_eq(w.app.field.text[1], 0, "a letter, not a folder");
	world_key(&w, "Backspace");
	cr_assert_eq(w.app.browser->rows, 4u);
	world_type(&w, "two");
	world_key(&w, "Enter");
	cr_assert_str_eq(w.source.address, path_in("inner/two.gcspy"));
	cr_assert_eq(w.app.modal, MODAL_NONE);
	/* The folder stays for the next time. */
	show_folder();
	cr_assert_str_eq(w.app.browser->folder, path_in("inner"));
	world_key(&w, "Enter");
	cr_assert_str_eq(w.app.toast, "Choose a file with Up and Down or type its name");
	world_key(&w, "Down");
	world_key(&w, "Up");
	cr_assert_eq(w.app.browser->table.selected, TABLE_NONE, "back in the field");
	world_type(&w, "one.gcspy");
	world_key(&w, "Enter");
	cr_assert_str_eq(w.source.address, path_in("inner/one.gcspy"));
}

Test(browser, paths_are_typed)
{
	shell("mkdir -p inner/deep && cp $leak inner/one.gcspy");
	cr_assert_eq(setenv("HOME", path_in("inner"), 1), 0);
	show_folder();
	world_type(&w, "inner/deep/..//");
	cr_assert_eq(w.app.browser->rows, 2u, "a path is no filter");
	world_key(&w, "Enter");
	window_folder(&w.app);
	cr_assert_str_eq(w.app.browser->folder, path_in("inner"));
	cr_assert_eq(w.app.field.text[0], 0);
	world_type(&w, "/");
	world_key(&w, "Enter");
	window_folder(&w.app);
	cr_assert_str_eq(w.app.browser->folder, "/");
	cr_assert(window_omits("\nabove\t"));
	world_key(&w, "Backspace");
	cr_assert_str_eq(w.app.browser->folder, "/", "there is none above");
	world_type(&w, "/../tmp/./..");
	world_key(&w, "Enter");
	window_folder(&w.app);
	cr_assert_str_eq(w.app.browser->folder, "/");
	browser_recent(&w.app);
	world_type(&w, "./inner//deep/");
	world_key(&w, "Enter");
	window_folder(&w.app);
	cr_assert_str_eq(w.app.browser->folder, path_in("inner/deep"), "of the working directory");
	world_type(&w, "~");
	world_key(&w, "Enter");
	window_folder(&w.app);
	cr_assert_str_eq(w.app.browser->folder, path_in("inner"));
	world_type(&w, "missing");
	world_key(&w, "Enter");
	cr_assert_str_eq(w.source.address, path_in("inner/missing"), "its opener says why not");
	/* An address is one also where a folder is shown. */
	world_key(&w, "Ctrl+L");
	window_folder(&w.app);
	world_key(&w, "Ctrl+A");
	world_type(&w, "db1:3000");
	world_key(&w, "Enter");
	cr_assert_str_eq(w.source.address, "db1:3000");
	world_key(&w, "Ctrl+L");
	world_key(&w, "Ctrl+A");
	world_type(&w, "one.gcspy");
	world_key(&w, "Enter");
	cr_assert_str_eq(w.source.address, path_in("inner/one.gcspy"));
}

Test(browser, too_long_paths_are_refused)
{
	char path[FOLDER_PATH + 100];
	show_folder();
	memset(path, 'x', sizeof path - 1);
	path[0] = '/';
	path[sizeof path - 1] = 0;
	browser_enter(&w.app, path, "");
	cr_assert_str_eq(w.app.toast, "Addresses and paths are limited to 1023 bytes");
	cr_assert_str_eq(w.app.browser->folder, folder);
}
