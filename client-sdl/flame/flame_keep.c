/* What the flame graph keeps: its looks. Declared in flame_view.h. */
#include <string.h>

#include "flame_view.h"
#include "words.h"

static const char *const measures[] = {[GCS_BY_BYTES] = "bytes", [GCS_BY_OBJECTS] = "objects"};
static const char *const ways[] = {"flames", "icicles"};

void flame_keep(void *self, struct app *app, enum keep_scope scope, struct textbuf *out)
{
	const struct flame_view *view = self;
	(void)app;
	if (scope != KEEP_STYLE)
		return;
	words_put(out, "width", measures[view->measure]);
	words_put(out, "way", ways[view->icicle]);
	words_put_flag(out, "collapse", view->collapse);
}

bool flame_keep_take(
    void *self, struct app *app, enum keep_scope scope, const char *key, const char *value)
{
	struct flame_view *view = self;
	int choice = 0;
	bool ok = false;
	if (scope != KEEP_STYLE)
		return key == NULL;
	if (strcmp(key, "width") == 0 && (ok = words_choice(value, measures, 2, &choice)))
		view->measure = (enum gcs_measure)choice;
	else if (strcmp(key, "way") == 0 && (ok = words_choice(value, ways, 2, &choice)))
		view->icicle = choice == 1;
	else if (strcmp(key, "collapse") == 0)
		ok = words_flag(value, &view->collapse);
	view->filter_version--; /* what is found has another share */
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	return ok;
}
