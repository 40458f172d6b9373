/*
 * A shell runs the application: it waits for input, for the reader thread's wake-up and for time-
 * outs, and presents frames. shell_sdl.c has a window, shell_none.c has none. Everything but
 * shell_wake is for the main thread.
 */
#ifndef GCSPY_CLIENT_SHELL_H
#define GCSPY_CLIENT_SHELL_H

#include "runner.h"

#define FRAME_US 16600 /* shortest time between two frames */

struct shell;

struct shell_ops {
	/* Opens a window (or none) as the arguments say; returns its size in pixels and the
	 * display's scale. */
	struct shell *(*open)(
	    const struct cli *cli, int *width, int *height, int *scale, struct gcs_error *err);
	/* Something changed: any thread, never blocks for long. context is the shell. */
	void (*wake)(void *context);
	struct ui_clipboard (*clipboard)(struct shell *shell);
	/* Makes the event of a file dropped on the window; NULL without a window. context is the
	 * shell. */
	bool (*drop)(void *context, const char *path);
	/* Runs until the end. False if frames can no longer be presented. */
	bool (*loop)(struct shell *shell, struct runner *run, struct gcs_error *err);
	void (*close)(struct shell *shell);
};

extern const struct shell_ops shell_sdl;
extern const struct shell_ops shell_none;

#endif
