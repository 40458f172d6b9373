/* Where the browser is, and what it opens. Declared in browser.h. */
#include "browser.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"

/* From one reading of a folder to the next, or longer, so that it takes at most 0.5 % of the time. */
#define AGAIN_MS      2000
#define TIMES_READING 200

/* "/a" and "b" as "/a/b"; false if it is too long. */
static bool join_path(char *path, size_t size, const char *folder, const char *name)
{
	const bool root = folder[strlen(folder) - 1] == '/';
	return (size_t)snprintf(path, size, "%s%s%s", folder, root ? "" : "/", name) < size;
}

static void complain_of_length(struct app *app)
{
	app_toast(app, "Addresses and paths are limited to %d bytes", FOLDER_PATH - 1);
}

static bool browser_is_shown(const struct app *app)
{
	return app->modal == MODAL_CONNECT && app->browser != NULL;
}

static void read_again(struct app *app)
{
	struct browser *b = app->browser;
	struct folder_list *list = folder_list_new(b->folder);
	b->due_ms = app->now_ms + AGAIN_MS;
	if (list == NULL)
		return;
	b->reading = true;
	b->since_ms = app->now_ms;
	b->reader.wake = app->wake;
	b->reader.wake_context = app->wake_context;
	worker_give(&b->reader, &list->work);
}

static void take_list(struct app *app)
{
	struct browser *b = app->browser;
	struct folder_list *list = (struct folder_list *)worker_take(&b->reader);
	if (list == NULL)
		return;
	if (strcmp(list->path, b->folder) != 0) { /* left in the meantime */
		folder_list_free(list);
		return;
	}
	b->reading = false;
	const uint64_t pause = TIMES_READING * (app->now_ms - b->since_ms);
	b->due_ms = app->now_ms + (pause > AGAIN_MS ? pause : AGAIN_MS);
	if (b->list != NULL && folder_list_same(b->list, list)) {
		folder_list_free(list);
		return;
	}
	folder_list_free(b->list);
	b->list = list;
	b->pressed = TABLE_NONE; /* rows may have moved from under the pointer */
	browser_fill(app);
}

static void take_preview(struct app *app)
{
	struct browser *b = app->browser;
	struct preview *preview = (struct preview *)worker_take(&b->previewer);
	if (preview == NULL)
		return;
	free(b->preview);
	b->preview = preview;
	if (browser_is_shown(app))
		app_dirty(app, PANEL_MODAL);
}

void browser_poll(struct app *app)
{
	if (app->browser == NULL)
		return;
	take_list(app);
	take_preview(app);
}

uint64_t browser_due_ms(const struct app *app)
{
	const struct browser *b = app->browser;
	return browser_is_shown(app) && b->place == BROWSER_FOLDER && !b->reading ? b->due_ms
										  : UINT64_MAX;
}

void browser_tick(struct app *app)
{
	if (app->now_ms >= browser_due_ms(app))
		read_again(app);
}

const struct browser_row *browser_row(const struct browser *b)
{
	return b->table.selected < b->rows ? &b->row[b->table.selected] : NULL;
}

/* The path or address of a row; false if it is too long. */
static bool path_of(const struct browser *b, const struct browser_row *row, char *path, size_t size)
{
	if (b->place == BROWSER_RECENT)
		return (size_t)snprintf(path, size, "%s", row->name) < size;
	return join_path(path, size, b->folder, row->name);
}

const struct preview *browser_preview(const struct browser *b)
{
	const bool same = b->preview != NULL && strcmp(b->preview->path, b->previewed) == 0;
	return same && b->previewed[0] != 0 ? b->preview : NULL;
}

/* Asks for the preview of the selected file, unless it is there and the file is the same. */
static void ask_preview(struct app *app)
{
	struct browser *b = app->browser;
	const struct browser_row *row = browser_row(b);
	const struct folder_entry *e = NULL;
	char path[FOLDER_PATH];
	if (row == NULL || row->kind != BROWSER_FILE || !path_of(b, row, path, sizeof path)) {
		b->previewed[0] = 0;
		return;
	}
	if (b->place == BROWSER_FOLDER)
		e = &b->list->entry[row->index];
	const int64_t bytes = e != NULL ? e->bytes : -1, time_ns = e != NULL ? e->time_ns : -1;
	if (strcmp(path, b->previewed) == 0 && bytes == b->previewed_bytes &&
	    time_ns == b->previewed_ns)
		return;
	struct preview *preview = preview_new(path);
	if (preview == NULL)
		return;
	preview->number = ++b->asked;
	memcpy(b->previewed, path, sizeof path);
	b->previewed_bytes = bytes;
	b->previewed_ns = time_ns;
	b->previewer.wake = app->wake;
	b->previewer.wake_context = app->wake_context;
	worker_give(&b->previewer, &preview->work);
}

void browser_selected(struct app *app)
{
	struct browser *b = app->browser;
	const struct browser_row *row = browser_row(b);
	snprintf(b->wanted, sizeof b->wanted, "%s", row != NULL ? row->name : "");
	ask_preview(app);
	app_dirty(app, PANEL_MODAL);
}

static void start_over(struct browser *b, const char *wanted)
{
	snprintf(b->wanted, sizeof b->wanted, "%s", wanted);
	b->filters = false;
	b->reveal = true;
	b->pressed = TABLE_NONE;
	b->table.selected = b->table.hovered = TABLE_NONE;
	b->table.scroll = 0;
	b->previewed[0] = 0;
}

void browser_recent(struct app *app)
{
	struct browser *b = app->browser;
	b->place = BROWSER_RECENT;
	b->recents = recents_known(app, b->files, b->recent, RECENTS_MOST);
	start_over(b, "");
	browser_fill(app);
}

void browser_enter(struct app *app, const char *folder, const char *wanted)
{
	struct browser *b = app->browser;
	char path[FOLDER_PATH];
	if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) {
		complain_of_length(app);
		return;
	}
	if (strcmp(path, b->folder) != 0) {
		folder_list_free(b->list);
		b->list = NULL;
		memcpy(b->folder, path, sizeof path);
	}
	b->place = BROWSER_FOLDER;
	start_over(b, wanted);
	textfield_set(&app->field, "");
	read_again(app);
	browser_fill(app);
}

void browser_up(struct app *app)
{
	char path[FOLDER_PATH], name[FOLDER_PATH];
	const struct browser *b = app->browser;
	const char *slash = strrchr(b->folder, '/');
	if (b->place != BROWSER_FOLDER || slash == NULL || slash[1] == 0)
		return;
	snprintf(name, sizeof name, "%s", slash + 1);
	snprintf(
	    path, sizeof path, "%.*s", slash > b->folder ? (int)(slash - b->folder) : 1, b->folder);
	browser_enter(app, path, name);
}

static void open_path(struct app *app, const char *path)
{
	if (app->browser->compares) {
		app_close_modal(app);
		app_command(app, COMMAND_compare, path);
	} else if (app_connect(app, path)) {
		app_close_modal(app);
	}
}

static void act_on(struct app *app, const struct browser_row *row)
{
	char path[FOLDER_PATH];
	if (row->kind == BROWSER_PARENT)
		browser_up(app);
	else if (!path_of(app->browser, row, path, sizeof path))
		complain_of_length(app);
	else if (row->kind == BROWSER_INNER)
		browser_enter(app, path, "");
	else
		open_path(app, path);
}

/* A path that was typed: of the folder shown, unless it is absolute or in the home folder. */
static bool typed_path(const struct browser *b, const char *typed, char *path, size_t size)
{
	const char *home = getenv("HOME");
	if (typed[0] == '~' && (typed[1] == '/' || typed[1] == 0) && home != NULL)
		return (size_t)snprintf(path, size, "%s%s", home, typed + 1) < size;
	if (typed[0] == '/' || b->place == BROWSER_RECENT)
		return (size_t)snprintf(path, size, "%s", typed) < size;
	return join_path(path, size, b->folder, typed);
}

/* The only row that is left of what is typed, or NULL. */
static const struct browser_row *only_row(const struct browser *b)
{
	return b->filters && b->rows == 1 ? &b->row[0] : NULL;
}

/* An absolute path without "." and ".."; the folder above a link is the one that it is in, as for the
 * row "..". */
static bool plain_path(const char *path, char *plain, size_t size)
{
	char here[FOLDER_PATH] = "/";
	size_t n = 0;
	if (path[0] != '/' && getcwd(here, sizeof here) == NULL)
		return false;
	const char *const parts[] = {here, path};
	plain[0] = 0;
	for (int i = 0; i < 2; i++) {
		for (const char *at = parts[i] + strspn(parts[i], "/"); *at != 0;
		     at += strspn(at, "/")) {
			const size_t length = strcspn(at, "/");
			if (length == 2 && strncmp(at, "..", 2) == 0) {
				while (n > 0 && plain[--n] != '/')
					continue;
			} else if (length != 1 || *at != '.') {
				if (n + length + 2 > size)
					return false;
				plain[n++] = '/';
				memcpy(plain + n, at, length);
				n += length;
			}
			plain[n] = 0;
			at += length;
		}
	}
	if (n == 0)
		snprintf(plain, size, "/");
	return true;
}

static void act_on_typed(struct app *app, const char *typed)
{
	struct browser *b = app->browser;
	char path[FOLDER_PATH], whole[FOLDER_PATH];
	struct stat st;
	if (!typed_path(b, typed, path, sizeof path)) {
		complain_of_length(app);
		return;
	}
	const bool there = stat(path, &st) == 0;
	if (there && S_ISDIR(st.st_mode) && plain_path(path, whole, sizeof whole))
		browser_enter(app, whole, "");
	else if (there && (b->files || strchr(typed, '/') != NULL ||
			      folder_file_flaw(AT_FDCWD, path) == NULL))
		open_path(app, path);
	else if (b->files && only_row(b) != NULL)
		act_on(app, only_row(b));
	else
		open_path(app, b->files ? path : typed);
}

void browser_act(struct app *app)
{
	struct browser *b = app->browser;
	const struct browser_row *row = browser_row(b);
	char typed[sizeof app->field.text];
	if (row != NULL) {
		act_on(app, row);
		return;
	}
	if (app->field.text[0] == 0 && b->files) {
		app_toast(app, "Choose a file with Up and Down or type its name");
		return;
	}
	if (app->field.text[0] == 0)
		textfield_insert(&app->field, "127.0.0.1:3000");
	memcpy(typed, app->field.text, sizeof typed);
	act_on_typed(app, typed);
}

void browser_forget(struct app *app)
{
	struct browser *b = app->browser;
	const struct browser_row *row = browser_row(b);
	if (row == NULL)
		return;
	if (b->place != BROWSER_RECENT) {
		app_toast(app, "This is in the folder, not in the recent list");
		return;
	}
	const uint32_t at = b->table.selected;
	recents_remove(app, &b->recent[row->index]);
	b->recents = recents_known(app, b->files, b->recent, RECENTS_MOST);
	b->wanted[0] = 0;
	browser_fill(app);
	if (b->rows > 0)
		b->table.selected = at < b->rows ? at : b->rows - 1;
	browser_selected(app);
}

void browser_begin(struct app *app, bool files)
{
	if (app->browser == NULL) {
		app->browser = calloc(1, sizeof *app->browser);
		if (app->browser == NULL)
			return;
		table_init(&app->browser->table, 2, true);
	}
	struct browser *b = app->browser;
	b->files = files;
	b->compares = false;
	if (b->folder[0] == 0 && getcwd(b->folder, sizeof b->folder) == NULL)
		strcpy(b->folder, "/");
	browser_recent(app);
	if (!files && b->recents > 0)
		return;
	b->place = BROWSER_FOLDER;
	read_again(app);
	browser_fill(app);
}

bool browser_open(struct app *app, const char *file)
{
	if (file != NULL)
		return app_connect(app, file);
	app_open_modal(app, MODAL_CONNECT);
	textfield_set(&app->field, "");
	browser_begin(app, true);
	return true;
}

bool browser_compare(struct app *app, const char *file)
{
	if (file != NULL)
		return app_command(app, COMMAND_compare, file);
	browser_open(app, NULL);
	if (app->browser != NULL)
		app->browser->compares = true;
	return app->browser != NULL;
}

void browser_free(struct browser *b)
{
	if (b == NULL)
		return;
	worker_fini(&b->reader);
	worker_fini(&b->previewer);
	folder_list_free(b->list);
	free(b->preview);
	free(b);
}
