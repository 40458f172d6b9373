/* The context menus of the timeline and of lists of events. Declared in timeline.h. */
#include <stdio.h>

#include "timeline.h"

void timeline_event_menu(struct app *app, const struct event_header *m)
{
	char place[32], at[40];
	snprintf(place, sizeof place, "%llu", (unsigned long long)m->number);
	snprintf(at, sizeof at, "at=%s", place);
	menu_add(app, COMMAND_seek, "Go to this event", place);
	menu_add(app, COMMAND_bookmark, "Bookmark it \xe2\x80\xa6", at);
	menu_add(app, COMMAND_range_begin, "Start a time range here", place);
	menu_add(app, COMMAND_range_end, "End the time range here", place);
}

/* What concerns the strip as a whole. */
static void add_strip(struct app *app)
{
	menu_section(app);
	if (app->range.on)
		menu_add(app, COMMAND_range_clear, "Clear the time range", NULL);
	menu_add(app, COMMAND_time_scale, "Zoom in", "in");
	menu_add(app, COMMAND_time_scale, "Zoom out", "out");
	menu_add(app, COMMAND_time_scale, "Show all of the time", "all");
	if (app->event_history.back)
		menu_add(app, COMMAND_live, "Return to the live program", NULL);
	menu_section(app);
	if (app->event_history.marks.count > 0) {
		menu_add(app, COMMAND_bookmark_prev, "Previous bookmark", NULL);
		menu_add(app, COMMAND_bookmark_next, "Next bookmark", NULL);
	}
	if (app->source.ops != NULL && !app->source.ops->file)
		menu_add(app, COMMAND_record, NULL, NULL);
}

void timeline_menu(struct app *app)
{
	const struct event_header *m = timeline_pointed(app);
	const struct gcs_model *model = app_model(app);
	if (m != NULL && model != NULL) {
		menu_begin(app, "%.100s #%llu",
		    m->event < model->event_count ? model->events[m->event].name : "Snapshot",
		    (unsigned long long)m->number);
		timeline_event_menu(app, m);
	} else {
		menu_begin(app, "Timeline");
	}
	if (app->snapshot != NULL)
		add_strip(app);
}
