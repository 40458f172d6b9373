/* The rows of the event table, and the columns of both tables. Declared in events_view.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "events_view.h"

const struct table_column events_columns[EVENTS_COLUMNS] = {
    [EVENTS_NAME] = {"event", "Event", TEXT_LEFT, 96, 3, 0, true},
    [EVENTS_COUNT] = {"count", "Counter", TEXT_RIGHT, 62, 1, 0, false},
    [EVENTS_RATE] = {"rate", "Per second", TEXT_RIGHT, 78, 0, 2, false},
    [EVENTS_ENABLED] = {"enabled", "Enabled", TEXT_CENTRE, 58, 0, 0, false},
    [EVENTS_DELAY] = {"delay", "Delay", TEXT_RIGHT, 72, 0, 0, false},
    [EVENTS_PAUSE] = {"pause", "Pause", TEXT_CENTRE, 50, 0, 0, false},
    [EVENTS_PERIOD] = {"period", "Period", TEXT_RIGHT, 62, 0, 0, false},
    [EVENTS_SINCE] = {"last", "Last seen", TEXT_RIGHT, 112, 0, 3, false},
    [EVENTS_MEAN] = {"mean", "Mean pause", TEXT_RIGHT, 84, 0, 4, false},
    [EVENTS_LONGEST] = {"longest", "Max pause", TEXT_RIGHT, 84, 0, 4, false},
};

const struct table_column events_list_columns[LIST_COLUMNS] = {
    [LIST_NUMBER] = {"number", "Event #", TEXT_RIGHT, 86, 0, 0, false},
    [LIST_TIME] = {"time", "Time", TEXT_RIGHT, 112, 0, 0, false},
    [LIST_EVENT] = {"event", "Event", TEXT_LEFT, 100, 1, 0, true},
    [LIST_PAUSE] = {"pause", "Pause", TEXT_RIGHT, 84, 0, 4, false},
    [LIST_WORDS] = {"attributes", "Attributes", TEXT_LEFT, 80, 5, 0, true},
};

void events_put_time(int64_t wall_ns, uint64_t time_ns, char *text, size_t size)
{
	time_t seconds = (time_t)(wall_ns / 1000000000);
	struct tm local;
	char clock[32];
	if (wall_ns > 0 && localtime_r(&seconds, &local) != NULL &&
	    strftime(clock, sizeof clock, "%H:%M:%S", &local) > 0)
		snprintf(text, size, "%s.%03d", clock, (int)(wall_ns / 1000000 % 1000));
	else
		snprintf(text, size, "%llu.%03d s", (unsigned long long)(time_ns / 1000000000),
		    (int)(time_ns / 1000000 % 1000));
}

/* Time by the window's clock since the newest snapshot, if longer than between two events of a
 * busy program. */
static uint64_t idle_ms(const struct events_view *view, const struct app *app)
{
	if (app->state != SOURCE_LIVE || app->run != GCS_RUNNING || app->replay.on ||
	    app->now_ms < view->log.arrived_ms + 1000)
		return 0;
	return app->now_ms - view->log.arrived_ms;
}

double events_rate(const struct events_view *view, const struct app *app, uint32_t event)
{
	if (events_are_of_history(app))
		return event < GCS_MAX_EVENTS ? view->summary.rate[event] : -1;
	if (app->state != SOURCE_LIVE)
		return -1;
	return events_log_rate(&view->log, app->snapshot, event, idle_ms(view, app));
}

static void put_rate(double rate, char *text, size_t size)
{
	if (rate < 0)
		snprintf(text, size, "-");
	else if (rate >= 100)
		gcs_format_number(text, size, (int64_t)(rate + 0.5), GCS_DECIMAL);
	else if (rate > 0 && rate < 0.05)
		snprintf(text, size, "< 0.1");
	else
		snprintf(text, size, "%.1f", rate);
}

static void put_figure(const struct events_figures *f, int column, char *text, size_t size)
{
	snprintf(text, size, "-");
	if (column == EVENTS_SINCE && f->seen)
		events_put_time(f->last_wall_ns, f->last_ns, text, size);
	else if (column == EVENTS_MEAN && f->pauses > 0)
		gcs_format_number(text, size, (int64_t)(f->pause_ns / f->pauses), GCS_NANOSECONDS);
	else if (column == EVENTS_LONGEST && f->pauses > 0)
		gcs_format_number(text, size, (int64_t)f->longest_ns, GCS_NANOSECONDS);
}

static const struct events_figures *figures_of(
    const struct events_view *view, const struct app *app, uint32_t event)
{
	return events_are_of_history(app) ? &view->summary.figures[event]
					  : &view->log.figures[event];
}

/* In a time range, the count of the range; otherwise the server's counter at the moment shown. */
static uint64_t count_of(const struct events_view *view, const struct app *app, uint32_t event)
{
	return app->range.on ? view->summary.count[event]
			     : gcs_snapshot_counter(app->snapshot, event);
}

void events_cell_text(struct events_view *view, uint32_t event, int column, char *text, size_t size)
{
	const struct app *app = view->app;
	const struct gcs_filter *f = &view->filters.request[event].filter;
	const bool filters = events_filters_unavailable(app) == NULL;
	*text = 0;
	switch (column) {
	case EVENTS_NAME:
		snprintf(text, size, "%s", view->filters.request[event].name);
		break;
	case EVENTS_COUNT:
		gcs_format_count(text, size, count_of(view, app, event));
		break;
	case EVENTS_RATE:
		put_rate(events_rate(view, app, event), text, size);
		break;
	case EVENTS_ENABLED:
		snprintf(text, size, "%s", !filters ? "-" : f->enabled ? "yes" : "no");
		break;
	case EVENTS_PAUSE:
		snprintf(text, size, "%s", !filters ? "-" : f->pause ? "yes" : "no");
		break;
	case EVENTS_DELAY:
		gcs_format_number(text, size, f->delay_ms, GCS_DECIMAL);
		snprintf(text + strlen(text), size - strlen(text), " ms");
		break;
	case EVENTS_PERIOD:
		gcs_format_number(text, size, f->period, GCS_DECIMAL);
		break;
	default:
		put_figure(figures_of(view, app, event), column, text, size);
		break;
	}
	if (!filters && (column == EVENTS_DELAY || column == EVENTS_PERIOD))
		snprintf(text, size, "-");
}

/* These cells are empty here: check boxes are painted over them, and a colour mark before the
 * name. */
static void cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	struct events_view *view = context;
	uint32_t event = view->order[row];
	bool box = column == EVENTS_ENABLED || column == EVENTS_PAUSE;
	*text = 0;
	if (box && events_filters_unavailable(view->app) == NULL)
		return;
	char words[TABLE_CELL];
	events_cell_text(view, event, column, words, sizeof words);
	snprintf(text, size, "%s%.500s", column == EVENTS_NAME ? "   " : "", words);
}

/* Names ascending, all else descending. */
static bool before(const struct events_view *view, uint32_t a, uint32_t b)
{
	const struct app *app = view->app;
	const struct gcs_filter *fa = &view->filters.request[a].filter;
	const struct gcs_filter *fb = &view->filters.request[b].filter;
	const struct events_figures *ga = figures_of(view, app, a), *gb = figures_of(view, app, b);
	double x = 0, y = 0;
	switch (view->table.sort) {
	case EVENTS_NAME:
		return strcmp(view->filters.request[a].name, view->filters.request[b].name) > 0;
	case EVENTS_COUNT:
		x = (double)count_of(view, app, a);
		y = (double)count_of(view, app, b);
		break;
	case EVENTS_RATE:
		x = events_rate(view, app, a);
		y = events_rate(view, app, b);
		break;
	case EVENTS_ENABLED:
		x = fa->enabled;
		y = fb->enabled;
		break;
	case EVENTS_DELAY:
		x = fa->delay_ms;
		y = fb->delay_ms;
		break;
	case EVENTS_PAUSE:
		x = fa->pause;
		y = fb->pause;
		break;
	case EVENTS_PERIOD:
		x = fa->period;
		y = fb->period;
		break;
	case EVENTS_SINCE:
		x = (double)ga->last_ns;
		y = (double)gb->last_ns;
		break;
	case EVENTS_MEAN:
		x = ga->pauses > 0 ? (double)ga->pause_ns / (double)ga->pauses : -1;
		y = gb->pauses > 0 ? (double)gb->pause_ns / (double)gb->pauses : -1;
		break;
	case EVENTS_LONGEST:
		x = (double)ga->longest_ns;
		y = (double)gb->longest_ns;
		break;
	default:
		return a < b; /* in the server's order */
	}
	return x > y;
}

/* Rows move only on the user's request, so that none moves while it is edited. */
void events_sort(struct events_view *view, struct app *app)
{
	view->app = app;
	uint32_t selected = events_selected(view);
	const uint32_t n = view->filters.count;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i;
		for (; at > 0; at--) {
			uint32_t other = view->order[at - 1];
			bool ahead = view->table.falling || view->table.sort < 0
					 ? before(view, i, other)
					 : before(view, other, i);
			if (!ahead)
				break;
			view->order[at] = other;
		}
		view->order[at] = i;
	}
	view->ordered = n;
	for (uint32_t i = 0; i < n; i++) {
		if (view->order[i] == selected)
			view->table.selected = i;
	}
}

struct table_rows events_rows(struct events_view *view, struct app *app)
{
	view->app = app;
	if (view->ordered != view->filters.count)
		events_sort(view, app);
	return (struct table_rows){.column = events_columns,
	    .columns = EVENTS_COLUMNS,
	    .count = app->snapshot != NULL ? view->filters.count : 0,
	    .cell = cell,
	    .context = view,
	    .old = app_is_old(app)};
}

static const char *const list_orders[] = {"oldest", "newest"};

void events_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	const struct events_view *view = self;
	(void)app;
	if (scope != STATE_STYLE)
		return;
	profiles_sort_state(&view->table, events_columns, out);
	view_state_put(out, "newest_first", COMMAND_sites_reverse, list_orders[view->list.falling]);
}

bool events_sort_command(
    struct events_view *view, struct app *app, enum command_id id, const char *argument)
{
	int newest = view->list.falling;
	bool ok;
	if (id == COMMAND_sites_sort && strcmp(argument, "none") == 0)
		ok = view->table.sort < 0;
	else if (id == COMMAND_sites_sort)
		ok = profiles_sort(app, &view->table, events_columns, EVENTS_COLUMNS, -1, argument);
	else if (strcmp(argument, "rising") == 0 || strcmp(argument, "falling") == 0)
		ok = profiles_reverse(app, &view->table, argument);
	else
		ok = view_state_choice(app, id, argument, list_orders, &newest);
	view->list.falling = newest == 1;
	events_sort(view, app);
	app_dirty(app, PANEL_VIEW);
	return ok;
}
