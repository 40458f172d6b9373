/* What the table of call sites keeps: how it is sorted; and, for all views of call sites, whether
 * runtime frames are shown. Declared in sites_view.h. */
#include <string.h>

#include "sites_view.h"
#include "table_words.h"

void sites_keep(void *self, struct app *app, enum keep_scope scope, struct textbuf *out)
{
	const struct sites_view *view = self;
	if (scope != KEEP_STYLE)
		return;
	table_words(&view->table, sites_columns, SITES_COLUMNS, out);
	words_put_flag(out, "plumbing", app->profiles.runtime_frame);
}

bool sites_keep_take(
    void *self, struct app *app, enum keep_scope scope, const char *key, const char *value)
{
	struct sites_view *view = self;
	if (scope != KEEP_STYLE)
		return key == NULL;
	if (strcmp(key, "plumbing") == 0) {
		bool ok = words_flag(value, &app->profiles.runtime_frame);
		profiles_changed(app);
		return ok;
	}
	bool ok = table_take_word(&view->table, sites_columns, SITES_COLUMNS, key, value);
	sites_sort_by(view, app);
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	return ok;
}
