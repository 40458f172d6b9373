/*
 * Scripts operate the window, for tests, pictures and demonstrations.
 *
 * Each line is a step: a command with its argument, or one of
 *	wait event N | wait live | wait lost	until N events were received, a snapshot is shown,
 *						the connection is lost
 *	wait more N				until N events were received since this step began
 *	wait says TEXT				until the text of the window, as of dump, contains TEXT
 *	wait answer				until the view shows the answer to its query
 *	wait zoom				until the view shows the requested zoom
 *	wait place N | wait end			until event N is shown (of a recording, or of the
 *						received ones of a live program), the end
 *	wait back | wait newest			until an earlier moment of a live program is shown,
 *						the newest again
 *	wait strip | wait recorded		until the timeline is complete, a file is finished
 *	sleep MS				a pause
 *	key K | type TEXT			as if pressed or typed
 *	move POINT | click [BUTTON] POINT	the pointer, then ctrl or shift. POINT is X Y in pixels, or
 *						the first painted text that is, or contains, "TEXT",
 *						as soon as there is one
 *	wheel N X Y | drag [BUTTON] X Y X Y [MODS]	press, move, release: middle …, … shift+alt
 *	pointer N				a user without a keyboard: from here on at most N
 *						clicks and drags, and no keys, text or commands
 *	hover SPACE TILE			puts the pointer on a tile
 *	size WxH				resizes the canvas
 *	drop FILE				drops a file on the window
 *	screenshot FILE				saves a PNG image
 *	quit
 * Empty lines and lines that start with # are skipped. A step that fails ends the script with a
 * message that names the line.
 */
#ifndef GCSPY_CLIENT_SCRIPT_H
#define GCSPY_CLIENT_SCRIPT_H

#include "app.h"

#define SCRIPT_WAIT_MS 30000 /* longest wait */

enum script_state { SCRIPT_RUNNING, SCRIPT_DONE, SCRIPT_FAILED };

struct script {
	char *text; /* the file, split into lines */
	char *next; /* the line to run, NULL at the end */
	const char *file;
	int line;
	char step[256]; /* the step that is waiting, or "" */
	uint64_t until_ms;
	uint64_t events;         /* received before the step began */
	int clicks, clicks_most; /* since the step `pointer`, and its limit; 0: there was none */
	char failure[512];
};

/* Reads the steps from a text (copied) or a file. `file` is the name for messages and must stay
 * valid. */
bool script_init(struct script *script, const char *file, const char *text, struct gcs_error *err);
bool script_load(struct script *script, const char *file, struct gcs_error *err);
void script_fini(struct script *script);

/* Runs steps until one has to wait, the end, or a failure. */
enum script_state script_run(struct script *script, struct app *app);

/* Milliseconds until the waiting step times out or continues; -1: none is waiting. */
int script_wait_ms(const struct script *script, const struct app *app);

#endif
