/*
 * The file browser of the dialog to connect or to open (connect_box.c): a folder's entries or the
 * recent addresses and files as rows of a table, and a preview of the selected file. Threads read
 * folders and files; while a folder is shown, it is read again every two seconds. The window's thread
 * only; it never waits.
 */
#ifndef GCSPY_CLIENT_BROWSER_H
#define GCSPY_CLIENT_BROWSER_H

#include "folder_list.h"
#include "preview.h"
#include "recents.h"
#include "table.h"

#define BROWSER_ROWS (2u * FOLDER_MOST + 1u)

/* What follows a click into a folder too closely is the second half of a double click. */
#define BROWSER_QUIET_MS 400

struct app;
struct textbuf;

enum browser_place { BROWSER_RECENT, BROWSER_FOLDER };

/* In the order of rows. */
enum browser_kind { BROWSER_PARENT, BROWSER_INNER, BROWSER_FILE, BROWSER_SERVER };

struct browser_row {
	enum browser_kind kind;
	uint32_t index; /* in the list of the folder, or among the recent ones */
	const char
	    *name;   /* of a file or folder in its folder; the address or path of a recent one */
	int64_t key; /* by which rows of a kind are sorted, then by name, backwards if */
	bool falling;
};

struct browser {
	enum browser_place place;
	bool files;    /* only files, no addresses */
	bool compares; /* the chosen one is compared with, not opened */
	bool filters;  /* the field's text was typed: only rows that contain it are shown */
	char folder[FOLDER_PATH];
	struct folder_list *list; /* of the folder; NULL until it has been read */
	bool reading;
	uint64_t since_ms, due_ms;
	struct recent recent[RECENTS_MOST];
	uint32_t recents;
	struct browser_row row[BROWSER_ROWS];
	uint32_t rows;
	struct table table;
	char wanted[FOLDER_PATH]; /* the name of the selected row, also before it is there */
	bool reveal;              /* scroll to it once it is there */
	uint32_t pressed;         /* the row where the pointer went down */
	bool again;               /* it was selected before */
	uint64_t quiet_until_ms;
	struct preview *preview; /* the newest, of `previewed` or of a file before */
	char previewed[FOLDER_PATH];
	int64_t previewed_bytes, previewed_ns;
	uint64_t asked; /* the number of the newest that was asked for */
	struct worker reader, previewer;
};

/* Ctrl+O: the dialog with files only, or opens the file at once. Ctrl+L: the dialog with all. */
bool browser_open(struct app *app, const char *file);
/* The dialog with files only, to compare with one, or compares with the file at once. */
bool browser_compare(struct app *app, const char *file);

/* Called when the dialog opens. */
void browser_begin(struct app *app, bool files);
void browser_poll(struct app *app);
void browser_tick(struct app *app);
uint64_t browser_due_ms(const struct app *app);
void browser_free(struct browser *b);

/* Where it is: a folder, of which the row `wanted` will be selected; the folder above; the recent
 * ones. */
void browser_enter(struct app *app, const char *folder, const char *wanted);
void browser_up(struct app *app);
void browser_recent(struct app *app);

/* After a change of the table's selection. */
void browser_selected(struct app *app);
const struct browser_row *browser_row(const struct browser *b);

/* Enters or opens the selected row, else what is typed in the field. */
void browser_act(struct app *app);

/* Removes the selected row from the recent ones; a toast if it is not one of them. */
void browser_forget(struct app *app);

/* The preview of the selected row, NULL while there is none. */
const struct preview *browser_preview(const struct browser *b);

/* browser_rows.c. Makes the rows anew; selects the wanted one. */
void browser_fill(struct app *app);
void browser_table(struct app *app, struct table_rows *rows);
/* What to say of the list, below it; in its place, if it is empty. */
void browser_hint(const struct app *app, char *text, size_t size);
void browser_empty(const struct app *app, char *text, size_t size);
void browser_text(struct app *app, struct textbuf *out);

#endif
