/* What a user sees first; declared in app.h. */
#include "app.h"

bool app_tells_memory(const struct gcs_model *model)
{
	for (uint32_t i = 0; i < model->event_count; i++)
		if (event_header_tells(&model->events[i]))
			return true;
	return false;
}

/* The first event with the largest heap after a collection, of those from number `place` on; or
 * NULL. */
static const struct event_header *most_telling(const struct overview *o, uint64_t place)
{
	const struct event_header *best = NULL;
	for (uint32_t i = 0; i < o->count; i++) {
		const struct event_header *m = &o->at[i];
		if (m->number >= place && m->used_bytes >= 0 && m->before_bytes >= 0 &&
		    (best == NULL || m->used_bytes > best->used_bytes))
			best = m;
	}
	return best;
}

/* Once for each connection, as soon as its events are known. */
void app_guide(struct app *app)
{
	const bool known = !app->source.ops->file || (app->replay.on && app->replay.whole);
	if (!app->guided || app->snapshot == NULL || app->guided_to == app->connection ||
	    app->pictured != app->connection || !known)
		return;
	app->guided_to = app->connection;
	if (!app_tells_memory(app_model(app))) {
		if (app->view_id == VIEW_OVERVIEW)
			app_set_view(app, VIEW_HEAP);
		return;
	}
	if (!app->source.ops->file || replay_plays(app))
		return;
	/* Where its call sites are known, if there are any. */
	const struct recorded_profile *live = replay_next_live(app, 0);
	const struct event_header *m =
	    most_telling(event_history_overview(app), live != NULL ? live->place : 0);
	if (m != NULL)
		event_history_go_to(app, m->time_ns);
	else if (live != NULL)
		event_history_go_to(app, live->time_ns);
}
