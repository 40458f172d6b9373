/*
 * Recent addresses and files, which the settings keep: for the dialog to connect and to open
 * (browser.h) and for the empty window. The window's thread only.
 */
#ifndef GCSPY_CLIENT_RECENTS_H
#define GCSPY_CLIENT_RECENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENTS_TEXT 1024
#define RECENTS_MOST (20u + 20u)

struct app;
struct ui;

struct recent {
	char text[RECENTS_TEXT]; /* address or path */
	char stamp[32];          /* when: "2026-11-22T03:00:00Z" */
	bool file;
};

/* Newest first; at most `most`. */
uint32_t recents_known(
    const struct app *app, bool files_only, struct recent *entries, uint32_t most);

/* Has the settings forget it. */
void recents_remove(struct app *app, const struct recent *entry);

/* Shortens the text to a width in pixels; a path at its start, since its end says more. */
void recents_shown(
    const struct ui *ui, const struct recent *entry, int width, char *text, size_t size);

#endif
