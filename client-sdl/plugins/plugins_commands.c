/* `ask`, and the keys in the view of plugins. Declared in plugins_view.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "plugins_menu.h"
#include "plugins_view.h"
#include "text.h"

/* The parameter that a word "NAME=" names, or GCS_NONE. */
static uint32_t parameter_at(const struct gcs_plugin *plugin, const char *text)
{
	for (uint32_t i = 0; i < plugin->parameter_count; i++) {
		const size_t n = strlen(plugin->parameters[i].name);
		if (strncmp(text, plugin->parameters[i].name, n) == 0 && text[n] == '=')
			return i;
	}
	return GCS_NONE;
}

/* Where the next parameter begins: a value may have blanks. */
static size_t value_length(const struct gcs_plugin *plugin, const char *text)
{
	for (size_t i = 0; text[i] != 0; i++)
		if (text[i] == ' ' && parameter_at(plugin, text + i + 1) != GCS_NONE)
			return i;
	return strlen(text);
}

static void name_parameters(const struct gcs_plugin *plugin, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	for (uint32_t i = 0; i < plugin->parameter_count && used + 1 < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%.60s=", used > 0 ? ", " : "",
		    plugin->parameters[i].name);
}

static bool set_parameters(struct app *app, struct plugin_page *page, const char *text)
{
	const struct gcs_plugin *plugin = plugins_plugin(app, page);
	while (*(text += strspn(text, " ")) != 0) {
		const uint32_t i = parameter_at(plugin, text);
		char value[sizeof page->field->text], names[160];
		if (i == GCS_NONE) {
			name_parameters(plugin, names, sizeof names);
			app_toast(app, "ask %.60s: %.40s: expected %s", page->name, text,
			    names[0] != 0 ? names : "no parameters");
			return false;
		}
		text += strlen(plugin->parameters[i].name) + 1;
		const size_t n = value_length(plugin, text);
		snprintf(value, sizeof value, "%.*s",
		    (int)(n < sizeof value ? n : sizeof value - 1), text);
		textfield_set(&page->field[i], value);
		page->filled = true;
		text += n;
	}
	return true;
}

static struct plugin_page *page_named(
    struct plugins_view *view, const struct app *app, const char *text, size_t n)
{
	for (uint32_t i = 0; i < view->pages; i++) {
		const char *title = plugins_plugin(app, &view->page[i])->title;
		const char *name = view->page[i].name;
		if ((strlen(name) == n && strncasecmp(name, text, n) == 0) ||
		    (strlen(title) == n && strncasecmp(title, text, n) == 0))
			return &view->page[i];
	}
	return NULL;
}

bool plugins_ask_command(struct app *app, const char *argument)
{
	struct plugins_view *view = app->views[VIEW_PLUGINS];
	if (argument == NULL)
		return plugins_menu_open(app);
	plugins_sync(view, app);
	const size_t n = strcspn(argument, " ");
	struct plugin_page *page = page_named(view, app, argument, n);
	if (page == NULL) {
		app_toast(app, "No plugin named \"%.*s\"", (int)(n < 80 ? n : 80), argument);
		return false;
	}
	view->list.selected = (uint32_t)(page - view->page);
	app_set_view(app, VIEW_PLUGINS);
	app_dirty(app, PANEL_VIEW);
	if (!page->filled)
		plugins_fill(app, page);
	return set_parameters(app, page, argument + n) && plugins_ask(view, app, page);
}

static bool move_page(struct plugins_view *view, struct app *app, int64_t by)
{
	if (view->pages == 0)
		return true;
	int64_t to = (int64_t)view->list.selected + by;
	to = to < 0 ? 0 : to >= view->pages ? view->pages - 1 : to;
	view->list.selected = (uint32_t)to;
	app_dirty(app, PANEL_VIEW);
	return true;
}

bool plugins_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	struct plugins_view *view = self;
	if (app->snapshot == NULL || app->modal != MODAL_NONE || argument != NULL)
		return false;
	plugins_sync(view, app);
	struct plugin_page *page = plugins_page(view);
	if (page == NULL)
		return false;
	if (id == COMMAND_space_next || id == COMMAND_space_prev)
		return move_page(view, app, id == COMMAND_space_next ? 1 : -1);
	if (id == COMMAND_sites_refresh) {
		plugins_ask(view, app, page);
		return true;
	}
	const int64_t by = command_rows(id, 4);
	if (app->ui.focus == UI_ID(PANEL_VIEW, PLUGINS_LIST) && by != 0)
		return move_page(view, app, by);
	return plugin_answer_command(&page->answer, app, id) ||
	       (by != 0 && move_page(view, app, by));
}

bool plugins_show_fired(struct app *app, const struct gcs_fired *fired)
{
	struct plugins_view *view = app->views[VIEW_PLUGINS];
	char number[40];
	plugins_sync(view, app);
	struct plugin_page *page = page_named(view, app, fired->plugin, strlen(fired->plugin));
	if (page == NULL) {
		app_toast(app, "No plugin named \"%.80s\"", fired->plugin);
		return false;
	}
	view->list.selected = (uint32_t)(page - view->page);
	app_set_view(app, VIEW_PLUGINS);
	app_dirty(app, PANEL_VIEW);
	gcs_format_count(number, sizeof number, event_history_shown_number(app));
	if (fired->status != GCS_OK || fired->answer == NULL)
		plugin_answer_fail(&page->answer, "At event %s: %s", number,
		    fired->message[0] != 0 ? fired->message : gcs_status_text(fired->status));
	else
		plugin_answer_take(
		    &page->answer, plugins_plugin(app, page)->kind, fired->answer, fired->length);
	if (page->answer.shown)
		snprintf(page->answer.about, sizeof page->answer.about,
		    "asked by trigger %.100s at event %s", fired->trigger, number);
	text_clean(page->answer.about);
	return page->answer.shown;
}
