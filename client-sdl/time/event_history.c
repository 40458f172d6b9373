/* The shown event: the newest or an earlier one of a live program, or one of a recording. */
#include "event_history.h"

#include <stdio.h>
#include <string.h>

#include "event_history_inner.h"

static uint64_t time_of(const struct gcs_snapshot *s)
{
	return gcs_snapshot_occurrence(s)->time_ns;
}

void event_history_changed(struct app *app)
{
	app_dirty(app, PANEL_HEADER);
	app_dirty(app, PANEL_TIMELINE);
	app_dirty(app, PANEL_FOOTER);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	app->view_all = true;
}

static struct gcs_snapshot *recent_at(const struct event_history *p, uint32_t i)
{
	return p->recent[(p->recent_first + i) % EVENT_HISTORY_RECENT];
}

/* The values of all tiles; columns shared with neighbours are counted too. */
static uint64_t bytes_of(const struct gcs_snapshot *s)
{
	const struct gcs_model *model = gcs_snapshot_model(s);
	uint64_t bytes = 4096;
	for (uint32_t i = 0; i < model->space_count; i++)
		bytes += (uint64_t)gcs_snapshot_tiles(s, i) * model->spaces[i].stream_count * 8;
	return bytes;
}

static void drop_recent(struct event_history *p)
{
	struct gcs_snapshot *s = recent_at(p, 0);
	p->recent_bytes -= bytes_of(s);
	p->recent_first = (p->recent_first + 1) % EVENT_HISTORY_RECENT;
	p->recent_count--;
	gcs_snapshot_unref(s);
}

static void keep_recent(struct event_history *p, const struct gcs_snapshot *snapshot)
{
	const uint64_t bytes = bytes_of(snapshot);
	while (p->recent_count == EVENT_HISTORY_RECENT ||
	       (p->recent_count >= EVENT_HISTORY_RECENT_LEAST &&
		   p->recent_bytes + bytes > EVENT_HISTORY_RECENT_BYTES))
		drop_recent(p);
	p->recent[(p->recent_first + p->recent_count++) % EVENT_HISTORY_RECENT] =
	    gcs_snapshot_ref(snapshot);
	p->recent_bytes += bytes;
}

/* Passes snapshots on to the store; the first ones wait until its files exist. */
static void feed(struct event_history *p)
{
	const uint64_t oldest = p->events - p->recent_count;
	if (p->history == NULL)
		return;
	if (p->fed < oldest)
		p->fed = oldest;
	while (p->fed < p->events && event_history_store_put(p->history,
					 recent_at(p, (uint32_t)(p->fed - oldest)), p->fed))
		p->fed++;
}

struct gcs_snapshot *event_history_judge(const struct event_history *p, int64_t wall_ns)
{
	uint32_t i = p->recent_count;
	while (i > 1 && gcs_snapshot_occurrence(recent_at(p, i - 1))->wall_ns > wall_ns)
		i--;
	return i == 0 ? NULL : recent_at(p, i - 1);
}

static void forget(struct app *app)
{
	struct event_history *p = &app->event_history;
	event_history_store_close(p->ending);
	p->ending = p->history;
	p->history = NULL;
	if (p->ending != NULL)
		event_history_store_end(p->ending);
	while (p->recent_count > 0)
		drop_recent(p);
	event_history_drop_profiles(p);
	gcs_snapshot_unref(p->newest);
	overview_fini(&p->overview);
	marks_fini(&p->marks);
	*p = (struct event_history){.history_bytes = p->history_bytes,
	    .ending = p->ending,
	    .speed = 1,
	    .question = p->question,
	    .lost = p->question};
	app->range.on = false;
	app->timeline = (struct timeline_view){.zoomed = false};
	event_history_changed(app);
}

void event_history_fini(struct app *app)
{
	forget(app);
	event_history_store_close(app->event_history.ending);
	app->event_history.ending = NULL;
}

static void start(struct app *app, const struct gcs_snapshot *first)
{
	struct event_history *p = &app->event_history;
	struct gcs_error err;
	const struct event_history_store_options options = {
	    .bytes = p->history_bytes, .wake = app->wake, .context = app->wake_context};
	p->first_ns = time_of(first);
	p->speed = 1;
	p->overview.newest_whole = true;
	marks_open(&p->marks, NULL, app->wake, app->wake_context);
	if (p->history_bytes == 0)
		return;
	p->history = event_history_store_open(&options, &err);
	if (p->history == NULL)
		app_toast(app, "History is limited to the newest events: %s", err.text);
}

/* True if the snapshot continues what is known, even over another connection. */
static bool goes_on(const struct event_history *p, const struct gcs_snapshot *s)
{
	const struct gcs_model *a = p->newest != NULL ? gcs_snapshot_model(p->newest) : NULL;
	const struct gcs_model *b = gcs_snapshot_model(s);
	if (a == b)
		return time_of(s) >= time_of(p->newest);
	bool same = a != NULL && strcmp(a->server_name, b->server_name) == 0 &&
		    a->event_count == b->event_count && time_of(s) >= time_of(p->newest);
	/* The counters of a server that was restarted begin at 0. So do those of an agent that was
	 * attached again, but its name has the process. */
	const bool process = same && strstr(a->server_name, ", process ") != NULL;
	for (uint32_t i = 0; same && i < a->event_count; i++)
		same =
		    strcmp(a->events[i].name, b->events[i].name) == 0 &&
		    (process || gcs_snapshot_counter(s, i) >= gcs_snapshot_counter(p->newest, i));
	return same;
}

bool event_history_meet(struct app *app, const struct gcs_snapshot *first)
{
	const struct event_history *p = &app->event_history;
	if (app->replay.on || app->source.ops->file)
		return app->source.ops->file || !app->again;
	if (p->events > 0 && strcmp(p->address, app->address) == 0 && goes_on(p, first))
		return false;
	forget(app);
	return true;
}

void event_history_note(struct app *app, const struct gcs_snapshot *snapshot)
{
	struct event_history *p = &app->event_history;
	if (app->replay.on || app->source.ops->file)
		return;
	if (p->events > 0 && (strcmp(p->address, app->address) != 0 || !goes_on(p, snapshot)))
		forget(app);
	if (p->events == 0)
		start(app, snapshot);
	struct event_header m = event_header_with_text(snapshot);
	m.after_gap = p->events > 0 && p->connection != app->connection;
	m.place = p->events++;
	m.number = m.sequence;
	p->connection = app->connection;
	memcpy(p->address, app->address, sizeof p->address);
	overview_add(&p->overview, &m);
	keep_recent(p, snapshot);
	gcs_snapshot_unref(p->newest);
	p->newest = gcs_snapshot_ref(snapshot);
	feed(p);
}

void event_history_picture(struct app *app, struct gcs_snapshot *newest)
{
	struct event_history *p = &app->event_history;
	if (!p->back || p->events == 0) {
		app_show(app, newest);
		return;
	}
	app->stats.skipped++;
	app_dirty(app, PANEL_HEADER); /* how long ago it was */
	app_dirty(app, PANEL_TIMELINE);
	app_dirty(app, PANEL_FOOTER);
}

static void show(struct app *app, struct gcs_snapshot *s)
{
	struct event_history *p = &app->event_history;
	const uint64_t before = event_history_shown_ns(app);
	p->waiting = false;
	if (p->exact)
		p->at_ns = time_of(s);
	app_show(app, s);
	timescale_reveal(app, before, p->plays);
	event_history_changed(app);
}

/* The recent snapshot with that time, or NULL if the disk must be read. */
static struct gcs_snapshot *find_recent(
    const struct event_history *p, uint64_t time_ns, enum event_history_store_way way)
{
	struct gcs_snapshot *best = NULL;
	if (p->recent_count == 0 || (p->history != NULL && time_of(recent_at(p, 0)) > time_ns))
		return NULL;
	for (uint32_t i = p->recent_count; i-- > 0;) {
		struct gcs_snapshot *s = recent_at(p, i);
		if (way == EVENT_HISTORY_STORE_FORWARD && time_of(s) < time_ns)
			break;
		best = s;
		if (way == EVENT_HISTORY_STORE_BACK && time_of(s) <= time_ns)
			break;
	}
	return best;
}

void event_history_want(struct app *app, uint64_t time_ns, enum event_history_store_way way)
{
	struct event_history *p = &app->event_history;
	p->back = true;
	p->exact = !p->plays;
	p->at_ns = time_ns;
	struct gcs_snapshot *s = find_recent(p, time_ns, way);
	if (s == NULL && p->history == NULL)
		s = recent_at(p, p->recent_count - 1);
	if (s != NULL) {
		show(app, s);
		return;
	}
	p->waiting = true;
	event_history_store_want(p->history, time_ns, way);
	event_history_changed(app);
}

bool event_history_go_to(struct app *app, uint64_t time_ns)
{
	struct event_history *p = &app->event_history;
	if (app->replay.on) {
		replay_go_to(app, time_ns);
		return true;
	}
	if (p->events == 0) {
		app_toast(app, "No events to look back at yet");
		return false;
	}
	p->plays = app->playback_rate.on = false;
	event_history_want(
	    app, time_ns > p->first_ns ? time_ns : p->first_ns, EVENT_HISTORY_STORE_BACK);
	return true;
}

void event_history_live(struct app *app)
{
	struct event_history *p = &app->event_history;
	if (!p->back)
		return;
	p->back = p->waiting = p->plays = app->playback_rate.on = false;
	if (p->history != NULL)
		event_history_store_rest(p->history);
	app->timeline.follow = true;
	if (p->newest != NULL)
		app_show(app, p->newest);
	event_history_changed(app);
}

static void take(struct app *app)
{
	struct event_history *p = &app->event_history;
	struct gcs_snapshot *s;
	if (!event_history_store_take(p->history, &s))
		return;
	if (s == NULL && p->recent_count > 0) /* not written yet, or never */
		s = gcs_snapshot_ref(recent_at(p, 0));
	if (s != NULL && p->back)
		show(app, s);
	p->waiting = false;
	gcs_snapshot_unref(s);
}

static void tell_failure(struct app *app)
{
	struct event_history *p = &app->event_history;
	struct gcs_error err;
	if (p->told || !event_history_store_error(p->history, &err))
		return;
	p->told = true;
	app_toast(app, "History is limited to what is on disk and the newest %u events: %s",
	    EVENT_HISTORY_RECENT, err.text);
	app_dirty(app, PANEL_TIMELINE);
}

/* The bookmarks of a recording come from the file beside it. */
static void adopt_recording(struct app *app)
{
	struct event_history *p = &app->event_history;
	if (!app->replay.on || app->replay.connection != app->connection ||
	    p->of == app->connection)
		return;
	forget(app);
	p->of = app->connection;
	marks_open(
	    &p->marks, app->source.ops->file ? app->address : NULL, app->wake, app->wake_context);
}

void event_history_poll(struct app *app)
{
	struct event_history *p = &app->event_history;
	struct gcs_error err = {.status = GCS_OK};
	bool news;
	adopt_recording(app);
	if (!marks_poll(&p->marks, &news, &err))
		app_toast(app, "Bookmarks cannot be saved: %s", err.text);
	if (news)
		app_dirty(app, PANEL_TIMELINE);
	if (p->history == NULL)
		return;
	feed(p);
	event_history_feed_profiles(p);
	take(app);
	tell_failure(app);
}

/* The whole time. */

const struct overview *event_history_overview(const struct app *app)
{
	return app->replay.on ? &app->replay.overview : &app->event_history.overview;
}

bool event_history_span(const struct app *app, uint64_t *first_ns, uint64_t *last_ns)
{
	const struct event_history *p = &app->event_history;
	*first_ns = app->replay.on ? app->replay.at.first_time_ns : p->first_ns;
	*last_ns = app->replay.on      ? app->replay.at.last_time_ns
		   : p->newest != NULL ? time_of(p->newest)
				       : 0;
	return app->replay.on || p->events > 0;
}

uint64_t event_history_shown_ns(const struct app *app)
{
	if (app->replay.on)
		return app->replay.at.time_ns;
	return app->snapshot != NULL ? time_of(app->snapshot) : 0;
}

uint64_t event_history_here_ns(const struct app *app)
{
	const struct event_history *p = &app->event_history;
	if (!p->waiting)
		return event_history_shown_ns(app);
	const uint32_t i = overview_find(&p->overview, p->at_ns + 1);
	return i > 0 ? p->overview.at[i - 1].time_ns : p->at_ns;
}

const struct gcs_snapshot *event_history_newest(const struct app *app)
{
	return app->event_history.back && app->event_history.newest != NULL
		   ? app->event_history.newest
		   : app->snapshot;
}

uint32_t event_history_files(const struct app *app, struct event_history_file *files, uint32_t most)
{
	if (app->event_history.history != NULL)
		return event_history_store_files(app->event_history.history, files, most);
	if (most == 0 || app->source.ops == NULL || !app->source.ops->file)
		return 0;
	files[0] = (struct event_history_file){.from_ns = 0, .to_ns = UINT64_MAX, .stride = 1};
	snprintf(files[0].path, sizeof files[0].path, "%s", app->address);
	return 1;
}

uint32_t event_history_profile_files(
    const struct app *app, struct event_history_file *files, uint32_t most)
{
	if (app->event_history.history != NULL)
		return event_history_store_profile_files(app->event_history.history, files, most);
	return event_history_files(app, files, most);
}

uint32_t event_history_thinned(const struct app *app, uint64_t *until_ns)
{
	const struct event_history *p = &app->event_history;
	struct event_history_file files[EVENT_HISTORY_FILES];
	uint32_t n = event_history_files(app, files, EVENT_HISTORY_FILES);
	*until_ns = 0;
	if (app->replay.on || p->events == 0)
		return 0;
	/* The start of what can be shown again, from files or from snapshots kept by reference. */
	*until_ns = p->recent_count > 0 ? time_of(recent_at(p, 0)) : 0;
	uint32_t i = n;
	while (i > 0 && files[i - 1].stride == 1) {
		i--;
		*until_ns = files[i].from_ns < *until_ns ? files[i].from_ns : *until_ns;
	}
	if (*until_ns <= p->first_ns)
		return 0;
	return i > 0 ? files[i - 1].stride : UINT32_MAX;
}

void event_history_choose(struct app *app, uint64_t from_ns, uint64_t to_ns)
{
	bool turned = to_ns < from_ns, was = app->range.on;
	app->range = (struct event_history_range){
	    .on = true, .from_ns = turned ? to_ns : from_ns, .to_ns = turned ? from_ns : to_ns};
	event_history_changed(app);
	if (!was)
		app_layout(app);
}

void event_history_choose_all(struct app *app)
{
	app->event_history.begun = app->event_history.ended = false;
	if (!app->range.on)
		return;
	app->range.on = false;
	event_history_changed(app);
	app_layout(app);
}

bool event_history_leave(struct app *app)
{
	if (app->range.on || app->event_history.begun || app->event_history.ended) {
		event_history_choose_all(app);
		app_toast(app, "Time range cleared");
		app_dirty(app, PANEL_TIMELINE);
	} else if (app->event_history.back) {
		event_history_live(app);
		app_toast(app, "Live again");
	} else {
		return false;
	}
	return true;
}
