/* Declared in layout_undo.h. */
#include "layout_undo.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"

/* The present layout, the caller's; NULL without memory. */
static char *present(struct app *app)
{
	struct textbuf words = {0};
	keep_layout_words(app, &words);
	char *line = words.failed ? NULL : strdup(textbuf_text(&words));
	textbuf_fini(&words);
	return line;
}

void layout_undo_fini(struct app *app)
{
	struct layout_undo *u = &app->layout_undo;
	for (uint32_t i = 0; i < u->count; i++)
		free(u->line[i]);
	free(u->now);
	*u = (struct layout_undo){0};
}

void layout_undo_begin(struct app *app)
{
	layout_undo_fini(app);
	app->layout_undo.now = present(app);
}

static void push(struct layout_undo *u, char *line)
{
	if (u->count == LAYOUT_UNDO) {
		free(u->line[0]);
		memmove(u->line, u->line + 1, (LAYOUT_UNDO - 1) * sizeof *u->line);
		u->count--;
	}
	u->line[u->count++] = line;
}

void layout_undo_note(struct app *app)
{
	struct layout_undo *u = &app->layout_undo;
	if (!u->look || app->ui.active != 0)
		return;
	u->look = false;
	char *line = present(app);
	if (line == NULL || u->now == NULL || strcmp(line, u->now) == 0) {
		if (u->now == NULL)
			u->now = line;
		else
			free(line);
		return;
	}
	push(u, u->now);
	u->now = line;
}

bool layout_undo_step(struct app *app)
{
	struct layout_undo *u = &app->layout_undo;
	layout_undo_note(app);
	if (u->count == 0) {
		app_toast(app, "There is no layout before this one");
		return false;
	}
	char *line = u->line[--u->count];
	keep_use_layout(app, line);
	free(u->now);
	u->now = present(app);
	free(line);
	app_toast(app, "The layout before this one; %u more", u->count);
	return true;
}
