/*
 * The list from which the user connects or opens: recent addresses and files from the settings, and
 * the recordings in the working folder, which a thread of its own looks for. The window's thread
 * only.
 */
#ifndef GCSPY_CLIENT_RECENTS_H
#define GCSPY_CLIENT_RECENTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENTS_TEXT    1024
#define RECENTS_FOLDER  30u    /* files of the working folder that are listed, the newest */
#define RECENTS_ENTRIES 10000u /* entries of the folder that are looked at */
#define RECENTS_MOST    (20u + 20u + RECENTS_FOLDER)

struct app;

struct recent {
	char text[RECENTS_TEXT]; /* address or path */
	char stamp[32];          /* when: "2026-11-22T03:00:00Z", or "" */
	bool file, found;        /* found: in the folder, and not among the recent ones */
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
	pthread_t thread;
	bool looking;
	atomic_bool looked;
	struct folder_file found[RECENTS_FOLDER];
	uint32_t found_count, found_more;
	char folder[RECENTS_TEXT]; /* its path, as the recent files have theirs */
	bool found_all;            /* the folder has no more entries than are looked at */
	void (*wake)(void *context);
	void *wake_context;
};

/* Ctrl+O: the dialog with files alone, or the file itself. Ctrl+L has all. */
bool recents_open(struct app *app, const char *file);

/* When the dialog opens: the list, and a look into the folder. */
void recents_begin(struct app *app, bool files);

/* Takes in what was found in the folder. */
void recents_poll(struct app *app);

/* Takes an entry out of the settings; false for a file that was only found. */
bool recents_remove(struct app *app, uint32_t i);

/* The list from the settings alone, the newest first; at most `most`. */
uint32_t recents_known(
    const struct app *app, bool files_only, struct recent *entries, uint32_t most);

/* connect_box.c: the text for so many pixels; of a path that is too long its end says more. */
struct ui;
void recents_shown(
    const struct ui *ui, const struct recent *entry, int width, char *text, size_t size);

void recents_free(struct recents *recents);

#endif
