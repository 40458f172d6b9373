/* What the tables of callers and callees keep: which table, how it is sorted, and by server the
 * method of the sandwich. Declared in calls.h. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "table_words.h"

void calls_keep(void *self, struct app *app, enum keep_scope scope, struct textbuf *out)
{
	const struct calls_view *view = self;
	(void)app;
	if (scope == KEEP_TARGET && view->method[0] != 0)
		words_put(out, "method", view->method);
	if (scope == KEEP_TARGET)
		return;
	words_put(out, "table", calls_form_words[view->form]);
	table_words(&view->table, calls_columns, CALLS_COLUMNS, out);
	words_put_flag(out, "collapse", view->collapse);
}

static bool read_method(struct calls_view *view, const char *key, const char *value)
{
	if (key != NULL && (strcmp(key, "method") != 0 || strlen(value) >= sizeof view->method))
		return false;
	snprintf(view->method, sizeof view->method, "%s", key != NULL ? value : "");
	return true;
}

bool calls_keep_take(
    void *self, struct app *app, enum keep_scope scope, const char *key, const char *value)
{
	struct calls_view *view = self;
	int form;
	bool ok;
	if (scope == KEEP_TARGET) {
		ok = read_method(view, key, value);
	} else if (strcmp(key, "table") == 0) {
		ok = words_choice(value, calls_form_words, CALLS_FORMS, &form);
		view->form = ok ? (enum calltree_form)form : view->form;
	} else if (strcmp(key, "collapse") == 0) {
		ok = words_flag(value, &view->collapse);
	} else {
		ok = table_take_word(&view->table, calls_columns, CALLS_COLUMNS, key, value);
		calls_sort_by(view, app);
	}
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	return ok;
}
