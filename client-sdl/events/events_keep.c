/* What the view of events keeps: how both tables are sorted. Declared in events_view.h. */
#include <string.h>

#include "events_view.h"
#include "table_words.h"

void events_keep(void *self, struct app *app, enum keep_scope scope, struct textbuf *out)
{
	const struct events_view *view = self;
	(void)app;
	if (scope != KEEP_STYLE)
		return;
	table_words(&view->table, events_columns, EVENTS_COLUMNS, out);
	words_put_flag(out, "newest_first", view->list.falling);
}

bool events_keep_take(
    void *self, struct app *app, enum keep_scope scope, const char *key, const char *value)
{
	struct events_view *view = self;
	if (scope != KEEP_STYLE)
		return key == NULL;
	app_dirty(app, PANEL_VIEW);
	if (strcmp(key, "newest_first") == 0)
		return words_flag(value, &view->list.falling);
	bool ok = table_take_word(&view->table, events_columns, EVENTS_COLUMNS, key, value);
	events_sort(view, app);
	return ok;
}
