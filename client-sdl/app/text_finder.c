#include "text_finder.h"

#include <string.h>

#include "app.h"

struct finder {
	const struct app *app;
	const char *text;
	struct cv_rect equal, contains; /* empty: none yet */
};

static void note(void *context, struct cv_rect at, const char *text, bool cut)
{
	(void)cut;
	struct finder *f = context;
	const struct app *app = f->app;
	if (app->modal != MODAL_NONE && !rect_meets(at, app->modal_box))
		return;
	if (rect_empty(f->equal) && strcmp(text, f->text) == 0)
		f->equal = at;
	if (rect_empty(f->contains) && strstr(text, f->text) != NULL)
		f->contains = at;
}

bool text_find(struct app *app, const char *text, int *x, int *y)
{
	struct finder f = {.app = app, .text = text};
	app_dirty_all(app);
	app->cv.note_text = note;
	app->cv.note_context = &f;
	app_frame(app);
	app->cv.note_text = NULL;
	const struct cv_rect at = rect_empty(f.equal) ? f.contains : f.equal;
	*x = at.x + at.w / 2;
	*y = at.y + at.h / 2;
	return !rect_empty(at);
}
