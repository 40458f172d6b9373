/* The rows of both tables: all triggers, and what has fired. Declared in triggers_view.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "events_view.h"
#include "text.h"
#include "triggers_view.h"

static const struct table_column columns[TRIGGER_COLUMNS] = {
    [TRIGGER_NAME] = {"name", "Trigger", TEXT_LEFT, 110, 0, 0, true},
    [TRIGGER_ON] = {"on", "State", TEXT_LEFT, 70, 0, 2, true},
    [TRIGGER_WHEN] = {"when", "When", TEXT_LEFT, 160, 3, 0, true},
    [TRIGGER_THEN] = {"then", "Then", TEXT_LEFT, 130, 2, 4, true},
    [TRIGGER_FIRED] = {"fired", "Fired", TEXT_RIGHT, 60, 0, 1, false},
    [TRIGGER_LAST] = {"last", "Last fire", TEXT_RIGHT, 100, 0, 3, false},
};

enum { FIRED_NUMBER, FIRED_TIME, FIRED_EVENT, FIRED_NAMES, FIRED_WORDS, FIRED_COLUMNS };

static const struct table_column fired_columns[FIRED_COLUMNS] = {
    [FIRED_NUMBER] = {"number", "At event", TEXT_RIGHT, 80, 0, 0, false},
    [FIRED_TIME] = {"time", "Time", TEXT_RIGHT, 110, 0, 2, false},
    [FIRED_EVENT] = {"event", "Event", TEXT_LEFT, 110, 1, 3, true},
    [FIRED_NAMES] = {"triggers", "Triggers", TEXT_LEFT, 130, 1, 0, true},
    [FIRED_WORDS] = {"words", "Attributes", TEXT_LEFT, 150, 3, 1, true},
};

const char *trigger_row_name(const struct trigger_row *row)
{
	return row->own != NULL     ? row->own->name
	       : row->state != NULL ? row->state->trigger.name
				    : row->fire->name;
}

static struct trigger_row *row_named(struct triggers_view *view, const char *name)
{
	for (uint32_t i = 0; i < view->rows; i++)
		if (strncmp(trigger_row_name(&view->row[i]), name, EVENT_HEADER_FIRED - 1) == 0)
			return &view->row[i];
	if (view->rows == TRIGGERS_ROWS)
		return NULL;
	view->row[view->rows] = (struct trigger_row){.own = NULL};
	return &view->row[view->rows++];
}

void triggers_sync(struct triggers_view *view, struct app *app)
{
	view->app = app;
	view->rows = 0;
	triggers_fires_take(&view->fires, &view->set, event_history_overview(app));
	if (app->source.ops != NULL && app->source.ops->fired != NULL)
		app->source.ops->fired(app->source.self, &view->told);
	for (uint32_t i = 0; i < view->set.count; i++)
		view->row[view->rows++] = (struct trigger_row){.own = &view->set.at[i]};
	const bool live = view->connection == app->connection && app->state == SOURCE_LIVE;
	for (uint32_t i = 0; live && i < view->states; i++) {
		struct trigger_row *row = row_named(view, view->state[i].trigger.name);
		if (row != NULL)
			row->state = &view->state[i];
	}
	for (uint32_t i = 0; i < view->fires.names; i++) {
		struct trigger_row *row = row_named(view, view->fires.by[i].name);
		if (row == NULL)
			continue;
		row->fire = &view->fires.by[i];
		row->told = fired_list_find(&view->told, view->fires.by[i].name);
	}
	if (view->table.selected != TABLE_NONE && view->table.selected >= view->rows)
		view->table.selected = TABLE_NONE;
}

static const char *state_text(const struct trigger_row *row)
{
	if (row->own != NULL && row->own->wrong[0] != 0)
		return "rejected";
	if (row->own != NULL)
		return row->own->on ? "on" : "off";
	if (row->state == NULL)
		return "-";
	return row->state->trigger.actions & GCS_TRIGGER_KEEP ? "kept" : "other's";
}

/* The server counts all; an event here may be newer than its list, and so may a condition. */
static uint64_t times_fired(const struct trigger_row *row)
{
	const uint64_t here = row->fire != NULL ? row->fire->count : 0;
	const bool same =
	    row->state != NULL &&
	    (row->own == NULL || strcmp(row->own->condition, row->state->trigger.condition) == 0);
	return same && row->state->times > here ? row->state->times : here;
}

static void put_last(const struct trigger_row *row, char *text, size_t size)
{
	if (row->fire != NULL)
		events_put_time(row->fire->last_wall_ns, row->fire->last_ns, text, size);
	else
		snprintf(text, size, "-");
}

static void trigger_cell(void *context, uint32_t i, int column, char *text, size_t size)
{
	const struct triggers_view *view = context;
	const struct trigger_row *row = &view->row[i];
	const struct own_trigger *own = row->own;
	const struct gcs_trigger *t = row->state != NULL ? &row->state->trigger : NULL;
	*text = 0;
	switch (column) {
	case TRIGGER_NAME:
		snprintf(text, size, "%s", trigger_row_name(row));
		break;
	case TRIGGER_ON:
		snprintf(text, size, "%s", state_text(row));
		break;
	case TRIGGER_WHEN:
		snprintf(text, size, "%s",
		    own != NULL         ? own->condition
		    : t != NULL         ? t->condition
		    : row->told != NULL ? row->told->condition
					: "");
		break;
	case TRIGGER_THEN:
		if (own != NULL)
			triggers_then_text(
			    own->actions, own->nth, own->most, own->plugin, text, size);
		else if (t != NULL)
			triggers_then_text(t->actions, t->nth, t->most, t->plugin, text, size);
		else if (row->told != NULL)
			triggers_then_text(row->told->actions, 1, 0, row->told->plugin, text, size);
		break;
	case TRIGGER_FIRED:
		gcs_format_count(text, size, times_fired(row));
		break;
	default:
		put_last(row, text, size);
		break;
	}
	text_clean(text);
}

static bool has_fired_now(void *context, uint32_t i)
{
	const struct triggers_view *view = context;
	const struct trigger_fire *fire = view->row[i].fire;
	return fire != NULL && view->app->snapshot != NULL &&
	       fire->last_sequence == gcs_snapshot_occurrence(view->app->snapshot)->sequence;
}

struct table_rows triggers_rows(struct triggers_view *view, struct app *app)
{
	view->app = app;
	return (struct table_rows){.column = columns,
	    .columns = TRIGGER_COLUMNS,
	    .count = view->rows,
	    .cell = trigger_cell,
	    .marked = has_fired_now,
	    .context = view,
	    .old = app_is_old(app)};
}

const struct event_header *triggers_fired_at(const struct triggers_view *view, uint32_t row)
{
	const struct trigger_fires *f = &view->fires;
	return row < f->count ? &f->of->at[f->at[f->count - 1 - row]] : NULL;
}

static void put_names(
    const struct triggers_view *view, const struct event_header *m, char *text, size_t size)
{
	*text = 0;
	for (const char *name = m->fired; *name != 0;) {
		const size_t n = strcspn(name, "\n"), used = strlen(text);
		char one[EVENT_HEADER_FIRED];
		snprintf(one, sizeof one, "%.*s", (int)n, name);
		snprintf(text + used, size - used, "%s%s%s", used > 0 ? ", " : "", one,
		    triggers_fires_is_earlier(&view->set, one, m) ? " (earlier condition)" : "");
		name += n + (name[n] != 0);
	}
}

static void fired_cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	const struct triggers_view *view = context;
	const struct gcs_model *model = app_model(view->app);
	const struct event_header *m = triggers_fired_at(view, row);
	*text = 0;
	if (column == FIRED_NUMBER)
		gcs_format_count(text, size, m->number);
	else if (column == FIRED_TIME)
		events_put_time(m->wall_ns, m->time_ns, text, size);
	else if (column == FIRED_EVENT)
		snprintf(text, size, "%s",
		    m->event < model->event_count ? model->events[m->event].name : EVENTS_NO_EVENT);
	else if (column == FIRED_NAMES)
		put_names(view, m, text, size);
	else
		snprintf(text, size, "%s", m->text + event_header_fired_length(m));
	text_clean(text);
}

static bool fired_is_shown(void *context, uint32_t row)
{
	const struct triggers_view *view = context;
	const struct event_header *m = triggers_fired_at(view, row);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(view->app->snapshot);
	return m->time_ns == o->time_ns && m->sequence == o->sequence;
}

struct table_rows triggers_fired_rows(struct triggers_view *view, struct app *app)
{
	view->app = app;
	return (struct table_rows){.column = fired_columns,
	    .columns = FIRED_COLUMNS,
	    .count = view->fires.count,
	    .cell = fired_cell,
	    .marked = fired_is_shown,
	    .context = view,
	    .old = app_is_old(app)};
}
