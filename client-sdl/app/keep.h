/*
 * What the window keeps in its settings (A10, D30): size, theme, ramp, scale, side panel, view,
 * collapsed groups of a server, where it was connected, named layouts, commands to begin with.
 * A view that wants to keep something of its own uses keep_put and keep_get with keys that begin
 * with its name, such as "flame.icicle". The window's thread only.
 */
#ifndef GCSPY_CLIENT_KEEP_H
#define GCSPY_CLIENT_KEEP_H

#include "commands.h"
#include "settings.h"

#define KEEP_RECENT  20u /* addresses, and as many files */
#define KEEP_SERVERS 20u /* whose collapsed groups are known */
#define KEEP_LAYOUTS 50u

struct app;
struct cli;

/* What was last kept, so that a change is seen. */
struct keep_state {
	int theme, ramp, scale, side_width, width, height;
	bool side_shown;
	int view;
};

struct keep {
	struct settings settings;
	struct keep_state state;
	bool begun;
	uint64_t connection; /* that was put into the list of recent ones last */
	int points, pixels;  /* width of the window as asked for and as it is, for dense displays */
	bool rest;           /* commands to begin with that need a picture are still to be run */
};

/* The file that is used without --settings, in `path`; false if there is no home for it. */
bool keep_path(char *path, size_t size);

/* Fills in what the arguments do not say: size and theme. */
void keep_arguments(const struct settings *settings, struct cli *cli);

/* Takes the settings over and applies them; false if a command to begin with failed (a toast). */
void keep_begin(struct app *app, struct settings *settings, const struct cli *cli);

/* Notes what has changed since, and has it written. */
void keep_tick(struct app *app);
uint64_t keep_due_ms(const struct app *app);
void keep_end(struct app *app);

const char *keep_get(const struct app *app, const char *key);
bool keep_put(struct app *app, const char *key, const char *value);

/* A connection is there: it goes to the list of recent ones. */
void keep_connected(struct app *app);

/* Another server's picture: its groups are collapsed as they were, commands that waited are run. */
void keep_server(struct app *app);

/* A group was collapsed or opened by the user. */
void keep_groups(struct app *app);

/* The commands of layouts. */
bool keep_has_command(enum command_id id);
bool keep_command(struct app *app, enum command_id id, const char *argument);

#endif
