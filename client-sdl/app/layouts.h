/*
 * Layouts: the styles of the window and of all views, as a script (view_state.h). Those with a name
 * are in the settings and have the view, too. A change by the user puts the layout before it on a
 * bounded stack; undoing takes it off (D29). Which view is shown is a place, to which nav.h goes
 * back. The window's thread only.
 */
#ifndef GCSPY_CLIENT_LAYOUTS_H
#define GCSPY_CLIENT_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "commands.h"
#include "export_text.h"

#define LAYOUTS_NAMED 50u
enum { LAYOUTS_UNDO = 32 };

struct app;

struct layouts {
	char *script[LAYOUTS_UNDO]; /* the oldest first */
	uint32_t count;
	char *now;
	bool touched; /* the user may have changed something since */
};

/* The present layout is the first one. */
void layouts_begin(struct app *app);
void layouts_fini(struct app *app);

/* Looks for a change, if there may be one and nothing is being dragged. */
void layouts_note(struct app *app);

/* The present layout. */
void layouts_put(struct app *app, struct textbuf *out);

bool layouts_have_command(enum command_id id);
bool layouts_command(struct app *app, enum command_id id, const char *argument);

#endif
