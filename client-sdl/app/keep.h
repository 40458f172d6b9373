/*
 * What the window keeps in its settings (A10, D30): size, theme, ramp, scale, side panel, view,
 * collapsed groups of a server, where it was connected, named layouts, commands to begin with, and
 * what was chosen in the views (keep_views.c).
 * A view that wants to keep something of its own uses keep_put and keep_get with keys that begin
 * with its name, such as "flame.icicle". The window's thread only.
 */
#ifndef GCSPY_CLIENT_KEEP_H
#define GCSPY_CLIENT_KEEP_H

#include <gcspy/model.h>

#include "commands.h"
#include "settings.h"

#define KEEP_RECENT  20u /* addresses, and as many files */
#define KEEP_SERVERS 20u /* whose collapsed groups are known */
#define KEEP_LAYOUTS 50u
#define KEEP_SPACES  200u /* in which something is chosen, of all servers */

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
	char target[GCS_MAX_NAME + 1]; /* whose choices the views have; "": of none yet */
	struct keep_view *views; /* what the views kept last, one for each; NULL: nothing yet */
	bool look;               /* a user may have chosen something since */
	bool told;               /* that something is too long to be kept */
	bool rest; /* commands to begin with that need a picture are still to be run */
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

/* keep_views.c: what the views have chosen (keep in view.h). A user may have chosen something. */
void keep_look(struct app *app);

/* Takes what is kept of all views' looks; notes what is other than before; forgets. */
void keep_views_begin(struct app *app);
void keep_views_note(struct app *app);
void keep_views_end(struct app *app);

/* The picture is of the server with that key from now on. */
void keep_target(struct app *app, const char *target);

/* Before a picture is shown: what was chosen in the one before is noted if it is another server's. */
void keep_before(struct app *app, const struct gcs_model *next);

/* The looks of all views in words, as a layout has them; one of these words. */
struct textbuf;
void keep_styles(struct app *app, struct textbuf *out);
bool keep_take_style(struct app *app, const char *key, const char *value);

/* What is kept of a space of the present target in words, "": nothing. Lives until the next change. */
const char *keep_space(const struct app *app, const char *space);
void keep_put_space(struct app *app, const char *space, const char *words);

/* Hands the words of a kept line to `taker`, which is false for what it does not understand: the first
 * such word is told, with the key and the last message as the reason. */
typedef bool keep_taker(void *context, struct app *app, const char *key, const char *value);
void keep_take_line(
    struct app *app, const char *key, const char *line, keep_taker *taker, void *context);

/* keep_layout.c: panel, theme, ramp, scale and the looks of all views in words; uses such words. */
void keep_layout_words(struct app *app, struct textbuf *out);
void keep_use_layout(struct app *app, const char *words);

/* The commands of layouts. */
bool keep_has_command(enum command_id id);
bool keep_command(struct app *app, enum command_id id, const char *argument);

#endif
