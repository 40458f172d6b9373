/*
 * The list in the dialogs to connect and to open: recent addresses and files from the settings, and
 * the recordings in the working folder, which a thread reads. The window's thread only.
 */
#ifndef GCSPY_CLIENT_RECENTS_H
#define GCSPY_CLIENT_RECENTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENTS_TEXT    1024
#define RECENTS_FOLDER  30u    /* files of the working folder that are listed, newest first */
#define RECENTS_ENTRIES 10000u /* entries of the folder that are examined */
#define RECENTS_MOST    (20u + 20u + RECENTS_FOLDER)

struct app;

struct recent {
	char text[RECENTS_TEXT]; /* address or path */
	char stamp[32];          /* when: "2026-11-22T03:00:00Z", or "" */
	bool file, found;        /* found: in the folder, and not a recent one */
};

struct folder_file {
	char name[256];
	int64_t time_ns;
};

struct recents {
	struct recent entry[RECENTS_MOST];
	uint32_t count;
	uint32_t more; /* recordings in the folder that are not listed */
	bool files;    /* only files */
	bool compares; /* the chosen one is compared with, not opened */
	pthread_t thread;
	bool looking;
	atomic_bool looked;
	struct folder_file found[RECENTS_FOLDER];
	uint32_t found_count, found_more;
	char folder[RECENTS_TEXT]; /* its path, in the same form as those of recent files */
	bool found_all;            /* the folder has no more entries than that */
	void (*wake)(void *context);
	void *wake_context;
};

/* Ctrl+O: the dialog with files only, or opens the file at once. Ctrl+L: the dialog with all. */
bool recents_open(struct app *app, const char *file);
/* The dialog with files only, to compare with one, or compares with the file at once. */
bool recents_compare(struct app *app, const char *file);

/* Called when the dialog opens: fills the list and starts reading the folder. */
void recents_begin(struct app *app, bool files);

/* Adds the recordings found in the folder. */
void recents_poll(struct app *app);

/* Removes an entry from the settings; false for a file that is only in the folder. */
bool recents_remove(struct app *app, uint32_t i);

/* The list from the settings only, newest first; at most `most`. */
uint32_t recents_known(
    const struct app *app, bool files_only, struct recent *entries, uint32_t most);

/* connect_box.c: shortens the text to a width in pixels; a path at its start, since its end says
 * more. */
struct ui;
void recents_shown(
    const struct ui *ui, const struct recent *entry, int width, char *text, size_t size);

void recents_free(struct recents *recents);

#endif
