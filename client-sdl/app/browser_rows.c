/* The rows of the browser. Declared in browser.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app.h"
#include "browser.h"
#include "findtext.h"
#include "sites_view.h"

enum { NAME, SIZE, TIME, COLUMNS };

static const struct table_column folder_columns[COLUMNS] = {
    {"name", "Name", TEXT_LEFT, 150, 1, 0, true},
    {"size", "Size", TEXT_RIGHT, 84, 0, 1, false},
    {"changed", "Changed", TEXT_RIGHT, 142, 0, 2, false},
};

static const struct table_column recent_columns[COLUMNS] = {
    {"name", "Name", TEXT_LEFT, 150, 1, 0, true},
    {"kind", "Kind", TEXT_LEFT, 70, 0, 1, true},
    {"used", "Used (UTC)", TEXT_RIGHT, 142, 0, 2, false},
};

/* What is typed restricts the rows, unless it is a path. */
static const char *filter_of(const struct app *app)
{
	const char *text = app->field.text;
	const bool path = strchr(text, '/') != NULL || text[0] == '~';
	return app->browser->filters && !path ? text : "";
}

static void add_row(struct app *app, enum browser_kind kind, uint32_t index, const char *name)
{
	struct browser *b = app->browser;
	const char *filter = filter_of(app);
	if (b->rows == BROWSER_ROWS || (*filter != 0 && findtext_fit(name, filter) == 0))
		return;
	b->row[b->rows++] = (struct browser_row){.kind = kind, .index = index, .name = name};
}

static void add_rows(struct app *app)
{
	struct browser *b = app->browser;
	b->rows = 0;
	if (b->place == BROWSER_RECENT) {
		for (uint32_t i = 0; i < b->recents; i++)
			add_row(app, b->recent[i].file ? BROWSER_FILE : BROWSER_SERVER, i,
			    b->recent[i].text);
		return;
	}
	if (strcmp(b->folder, "/") != 0)
		add_row(app, BROWSER_PARENT, 0, "..");
	for (uint32_t i = 0; b->list != NULL && i < b->list->count; i++)
		add_row(app, b->list->entry[i].folder ? BROWSER_INNER : BROWSER_FILE, i,
		    b->list->entry[i].name);
}

/* Folders are sorted by name, whatever files are sorted by. */
static void give_keys(struct browser *b)
{
	const bool recent = b->place == BROWSER_RECENT;
	const int column = b->table.sort;
	for (uint32_t i = 0; i < b->rows; i++) {
		struct browser_row *row = &b->row[i];
		const struct folder_entry *e =
		    recent || row->kind == BROWSER_PARENT ? NULL : &b->list->entry[row->index];
		if (recent)
			row->key = column == SIZE   ? row->kind
				   : column == TIME ? -(int64_t)row->index
						    : 0;
		else if (row->kind == BROWSER_FILE)
			row->key = column == SIZE ? e->bytes : column == TIME ? e->time_ns : 0;
		if (b->table.falling)
			row->key = -row->key;
		row->falling = column == NAME && b->table.falling;
	}
}

static int by_key_and_name(const void *left, const void *right)
{
	const struct browser_row *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	int order = strcasecmp(a->name, b->name);
	order = order != 0 ? order : strcmp(a->name, b->name);
	return a->falling ? -order : order;
}

static void sort_rows(struct browser *b)
{
	give_keys(b);
	/* Kind by kind, as they were added. */
	for (uint32_t from = 0, to; from < b->rows; from = to) {
		to = from + 1;
		while (to < b->rows &&
		       (b->place == BROWSER_RECENT || b->row[to].kind == b->row[from].kind))
			to++;
		qsort(b->row + from, to - from, sizeof *b->row, by_key_and_name);
	}
}

void browser_fill(struct app *app)
{
	struct browser *b = app->browser;
	add_rows(app);
	sort_rows(b);
	b->table.selected = TABLE_NONE;
	for (uint32_t i = 0; b->wanted[0] != 0 && i < b->rows; i++)
		if (strcmp(b->row[i].name, b->wanted) == 0)
			b->table.selected = i;
	if (b->table.selected != TABLE_NONE)
		browser_selected(app);
	else
		b->previewed[0] = 0;
	app_dirty(app, PANEL_MODAL);
}

/* "run.gcspy", and after a tab its folder. */
static void put_recent(const struct recent *e, char *text, size_t size)
{
	char name[300], folder[TABLE_CELL];
	const char *slash = e->file ? strrchr(e->text, '/') : NULL;
	if (slash == NULL || slash == e->text) {
		sites_put_name(text, size, e->text);
		return;
	}
	char path[RECENTS_TEXT];
	snprintf(path, sizeof path, "%.*s", (int)(slash - e->text), e->text);
	snprintf(text, size, "%s\t%s", sites_put_name(name, sizeof name, slash + 1),
	    sites_put_name(folder, sizeof folder, path));
}

static void put_recent_cell(const struct recent *e, int column, char *text, size_t size)
{
	if (column == NAME)
		put_recent(e, text, size);
	else if (column == SIZE)
		snprintf(text, size, "%s", e->file ? "file" : "server");
	else /* "2026-11-22T03:00:00Z" as "2026-11-22 03:00" */
		snprintf(
		    text, size, "%.10s %.5s", e->stamp, strlen(e->stamp) > 11 ? e->stamp + 11 : "");
}

static void put_entry_cell(const struct folder_entry *e, int column, char *text, size_t size)
{
	char name[sizeof e->name + 8];
	if (column == NAME)
		snprintf(text, size, "%s%s%s%s", sites_put_name(name, sizeof name, e->name),
		    e->folder ? "/" : "", e->flaw[0] != 0 ? "\t" : "", e->flaw);
	else if (column == SIZE && !e->folder)
		sites_put_bytes(text, size, (double)e->bytes);
	else if (column == TIME)
		folder_put_time(text, size, e->time_ns);
}

static void put_cell(void *context, uint32_t i, int column, char *text, size_t size)
{
	const struct app *app = context;
	const struct browser *b = app->browser;
	const struct browser_row *row = &b->row[i];
	*text = 0;
	if (b->place == BROWSER_RECENT)
		put_recent_cell(&b->recent[row->index], column, text, size);
	else if (row->kind != BROWSER_PARENT)
		put_entry_cell(&b->list->entry[row->index], column, text, size);
	else if (column == NAME)
		snprintf(text, size, "..\tfolder above");
}

static enum table_tone tone_of(void *context, uint32_t i, int column)
{
	const struct app *app = context;
	const struct browser *b = app->browser;
	const struct browser_row *row = &b->row[i];
	const bool odd = b->place == BROWSER_FOLDER && row->kind == BROWSER_FILE &&
			 b->list->entry[row->index].flaw[0] != 0;
	return odd || column != NAME ? TABLE_UNCERTAIN : TABLE_PLAIN;
}

void browser_table(struct app *app, struct table_rows *rows)
{
	const struct browser *b = app->browser;
	*rows = (struct table_rows){
	    .column = b->place == BROWSER_RECENT ? recent_columns : folder_columns,
	    .columns = COLUMNS,
	    .count = b->rows,
	    .cell = put_cell,
	    .tone = tone_of,
	    .context = app,
	};
}

void browser_empty(const struct app *app, char *text, size_t size)
{
	const struct browser *b = app->browser;
	char name[FOLDER_PATH];
	*text = 0;
	if (b->place == BROWSER_RECENT && b->recents == 0)
		snprintf(text, size, "No recent %s", b->files ? "files" : "addresses or files");
	else if (b->place == BROWSER_FOLDER && b->list == NULL)
		snprintf(text, size, "Reading the folder \xe2\x80\xa6");
	else if (b->place == BROWSER_FOLDER && b->list->error != 0)
		snprintf(text, size, "Cannot list %s: %s",
		    sites_put_name(name, sizeof name, b->folder), strerror(b->list->error));
	else if (b->place == BROWSER_FOLDER && b->list->count == 0)
		snprintf(text, size, "No folders and no recordings here");
	else if (b->rows == 0)
		snprintf(text, size, "Nothing here contains what is typed");
}

/* What the list leaves out. */
static void put_more(const struct folder_list *list, char *text, size_t size)
{
	size_t n = 0;
	*text = 0;
	if (list->more_folders > 0)
		n = (size_t)snprintf(
		    text, size, "\xe2\x80\xa6 and %u more folders", list->more_folders);
	if (list->more_files > 0)
		n += (size_t)snprintf(text + n, size - n, "%s and %u older recordings",
		    n > 0 ? "," : "\xe2\x80\xa6", list->more_files);
	if (!list->all && list->error == 0)
		snprintf(text + n, size - n, "%sfolder too large to list in full",
		    n > 0 ? " \xc2\xb7 " : "");
}

void browser_hint(const struct app *app, char *text, size_t size)
{
	const struct browser *b = app->browser;
	*text = 0;
	if (b->place == BROWSER_FOLDER && b->list != NULL)
		put_more(b->list, text, size);
	if (*text == 0)
		snprintf(text, size, "%s",
		    b->place == BROWSER_RECENT
			? "A click selects, another one opens \xc2\xb7 Up/Down \xc2\xb7 Delete "
			  "removes"
			: "A click selects, another one opens \xc2\xb7 Up/Down \xc2\xb7 Backspace "
			  "goes up");
}

static void put_row(struct app *app, uint32_t i, struct textbuf *out)
{
	static const char *const kinds[] = {"above", "folder", "recording", "server"};
	char cell[TABLE_CELL];
	const struct browser *b = app->browser;
	textbuf_printf(out, "%s%s", i == b->table.selected ? "> " : "", kinds[b->row[i].kind]);
	for (int column = 0; column < COLUMNS; column++) {
		put_cell(app, i, column, cell, sizeof cell);
		textbuf_printf(out, "\t%s", cell);
	}
	textbuf_printf(out, "\n");
}

void browser_text(struct app *app, struct textbuf *out)
{
	const struct browser *b = app->browser;
	char text[FOLDER_PATH + 200];
	if (b == NULL)
		return;
	sites_put_name(text, sizeof text, b->folder);
	textbuf_printf(out, "browser\t%s\n", b->place == BROWSER_RECENT ? "recent" : text);
	for (uint32_t i = 0; i < b->rows; i++)
		put_row(app, i, out);
	browser_empty(app, text, sizeof text);
	if (*text != 0)
		textbuf_printf(out, "%s\n", text);
	browser_hint(app, text, sizeof text);
	textbuf_printf(out, "%s\n", text);
	const struct preview *p = browser_preview(b);
	for (uint32_t i = 0; p != NULL && i < p->rows; i++)
		textbuf_printf(out, "preview\t%s\t%s\n", p->row[i].label, p->row[i].value);
	if (p != NULL && p->note[0] != 0)
		textbuf_printf(out, "preview\t%s\n", p->note);
}
