/*
 * The state of the window and its views between two runs (A10, D30): the script commands that
 * recreate it, in the user's settings, and lists of servers, files and layouts.
 * A view writes its commands (view.h); they run as if the view were shown. Those of STATE_STYLE are
 * a line "VIEW.KEY = ARGUMENT" each, so that two windows can change different ones. Those of
 * STATE_TARGET are an item of the list "VIEW.target", by server; those of a space one of the list
 * "space". In these lists commands are separated by ';'. The window's thread only.
 */
#ifndef GCSPY_CLIENT_VIEW_STATE_H
#define GCSPY_CLIENT_VIEW_STATE_H

#include <gcspy/model.h>

#include "commands.h"
#include "settings.h"
#include "view.h"

#define STATE_RECENT  20u  /* addresses, and as many files */
#define STATE_SERVERS 20u  /* with choices in a view, or with collapsed groups */
#define STATE_SPACES  200u /* with choices, of all servers */

struct cli;

/* The window itself comes after the views. */
enum { STATE_WINDOW = VIEW_COUNT, STATE_OWNERS };

struct view_state {
	struct settings settings;
	bool begun;
	bool running;        /* commands are run to recreate a state, not for the user */
	bool touched;        /* the user may have changed something */
	bool warned;         /* that something is too long to be saved */
	bool rest;           /* startup commands that need a snapshot have not run yet */
	uint64_t connection; /* the last one that was added to the recent ones */
	int points, pixels;  /* width of the window as requested and as it is, for dense displays */
	int width, height, view;       /* as last saved */
	char target[GCS_MAX_NAME + 1]; /* the server that the views' choices belong to, or "" */
	char *style[STATE_OWNERS], *choice[STATE_OWNERS]; /* as last saved */
};

/* The default settings file in `path`; false without a home directory. */
bool view_state_path(char *path, size_t size);

/* Fills in what the arguments leave open: size and theme. */
void view_state_arguments(const struct settings *settings, struct cli *cli);

/* Takes the settings over and recreates the state; a toast tells what failed. cli may be NULL. */
void view_state_begin(struct app *app, struct settings *settings, const struct cli *cli);

/* Saves what has changed, when it is due. */
void view_state_tick(struct app *app);
uint64_t view_state_due_ms(const struct app *app);
void view_state_end(struct app *app);

/* The user may have changed something. */
void view_state_touch(struct app *app);

/* The connection is up: adds it to the recent ones. */
void view_state_connected(struct app *app);

/* Before a snapshot is shown: saves the choices if it comes from another server. */
void view_state_before(struct app *app, const struct gcs_model *next);

/* The first snapshot of a server is shown: recreates what was chosen for it. */
void view_state_server(struct app *app);

/* The saved commands of a space of the present server, or "". Lives until the next change. */
const char *view_state_space(const struct app *app, const char *space);
void view_state_put_space(struct app *app, const char *space, const char *commands);

/* view_state_commands.c: appends a command to a state, with the key of a style ("" otherwise). */
void view_state_put(
    struct textbuf *out, const char *key, enum command_id command, const char *argument);
void view_state_put_flag(struct textbuf *out, const char *key, enum command_id command, bool on);

/* Appends `text`, with control characters and those in `special` as %XX. */
void view_state_escape(struct textbuf *out, const char *text, const char *special);

/* What a view or the window writes, as one line "KEY\tCOMMAND ARGUMENT" per command; NULL without
 * memory. The caller frees it. */
char *view_state_of(struct app *app, int owner, enum state_scope scope);

/* The same as a list of commands separated by ';'. */
void view_state_list(struct textbuf *out, const char *state);

/* Saves the styles that differ from `before`; recreates those in the settings, but the window's
 * theme and, with `scaled`, its scale. */
void view_state_save_style(struct app *app, int owner, const char *before, const char *now);
void view_state_restore_style(struct app *app, int owner, bool scaled);

/* Runs a list of commands of a view; the name of another one in the list makes it that one's.
 * Returns the last view. A toast reports the first command that fails, with `key`. */
int view_state_run(struct app *app, int owner, const char *key, const char *list);

/* The argument of a command that switches something: "on", "off", or NULL for the other way. */
bool view_state_switch(struct app *app, enum command_id id, const char *argument, bool *on);

/* The same for one of two names. */
bool view_state_choice(struct app *app, enum command_id id, const char *argument,
    const char *const names[2], int *choice);

#endif
