/* The context menu of the view of events: a kind of event, or one event. */
#include <stdio.h>

#include "events_view.h"
#include "timeline.h"

static void menu_of_kind(struct events_view *view, struct app *app, uint32_t event)
{
	const char *name = view->filters.request[event].name;
	const struct gcs_filter *f = &view->filters.request[event].filter;
	char text[600];
	menu_begin(app, "%.120s", name);
	menu_add(app, COMMAND_find, "List only these events", name);
	if (events_filters_unavailable(app) == NULL) {
		menu_section(app);
		menu_add(app, f->enabled ? COMMAND_disable_events : COMMAND_enable_events,
		    f->enabled ? "Disable" : "Enable", name);
		snprintf(text, sizeof text, "%.500s pause=%s", name, f->pause ? "no" : "yes");
		menu_add(
		    app, COMMAND_filter, f->pause ? "Do not pause at it" : "Pause at it", text);
		menu_add(app, COMMAND_default_filters, "Reset its filter", name);
		snprintf(text, sizeof text, "do=pause when=event = \"%.500s\"", name);
		menu_add(app, COMMAND_trigger, "Set a trigger that pauses at it", text);
	}
}

void events_menu(void *self, struct app *app, bool pointed)
{
	struct events_view *view = self;
	if (app->snapshot == NULL)
		return;
	view->app = app;
	const struct event_header *m = pointed ? events_list_select_hovered(view) : NULL;
	const uint32_t row = pointed ? view->table.hovered : view->table.selected;
	if (m != NULL) {
		const struct gcs_model *model = app_model(app);
		menu_begin(app, "%.100s #%llu",
		    m->event < model->event_count ? model->events[m->event].name : "Snapshot",
		    (unsigned long long)m->number);
		timeline_event_menu(app, m);
	} else if (row < view->filters.count) {
		view->table.selected = row;
		menu_of_kind(view, app, view->order[row]);
	}
	menu_section(app);
	menu_add(app, COMMAND_triggers, "Triggers", NULL);
	app_dirty(app, PANEL_VIEW);
}
