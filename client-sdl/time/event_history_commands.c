/* The commands about the time; declared in event_history.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_history_inner.h"

/* The first event of this number or a larger one; of a server that began again, since then. */
static uint32_t find_number(const struct overview *o, uint64_t number)
{
	uint32_t i = o->count;
	while (i > 0 && o->at[i - 1].number >= number &&
	       (i == o->count || o->at[i - 1].number <= o->at[i].number))
		i--;
	return i;
}

bool event_history_place(const struct app *app, const char *text, uint64_t *time_ns)
{
	const struct overview *o = event_history_overview(app);
	uint64_t first, last;
	char *end;
	const double seconds = replay_seconds(text);
	if (!event_history_span(app, &first, &last))
		return false;
	if (seconds >= 0) {
		*time_ns = seconds < 1e6 ? first + (uint64_t)(seconds * 1e9) : UINT64_MAX;
		return true;
	}
	const unsigned long long number = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != 0 || number == 0 || o->count == 0)
		return false;
	const uint32_t i = find_number(o, number);
	*time_ns = i < o->count ? o->at[i].time_ns : last;
	return i < o->count;
}

bool event_history_seek_place(struct app *app, const char *text, uint64_t *time_ns)
{
	uint64_t first = 0, last = 0;
	char oldest[48], number[48], end[32];
	event_history_span(app, &first, &last);
	/* The last event, to the millisecond. */
	if (event_history_place(app, text, time_ns) && *time_ns <= last + 1000000)
		return true;
	const struct overview *o = event_history_overview(app);
	const uint64_t newest =
	    app->replay.on || o->count == 0 ? app->replay.at.events : o->at[o->count - 1].number;
	app_toast(app, "seek %.80s: expected an event from %s to %s or a time from 0:00 to %s",
	    text, gcs_format_count(oldest, sizeof oldest, o->count == 0 ? 1 : o->at[0].number),
	    gcs_format_count(number, sizeof number, newest),
	    replay_put_time(end, sizeof end, last - first));
	return false;
}

static bool move(struct app *app, int64_t by)
{
	struct event_history *p = &app->event_history;
	const struct overview *o = &p->overview;
	const uint64_t at = p->back ? p->at_ns : event_history_shown_ns(app);
	const bool on = by > 0;
	if (p->plays)
		event_history_play(app, false);
	if (on && !p->back) {
		app_toast(app, "This is the newest event");
		return false;
	}
	/* Forwards: the first event after it; backwards: the last one before. */
	int64_t i = (int64_t)overview_find(o, at + on) + by - on;
	if (i >= (int64_t)o->count) {
		event_history_live(app);
		return true;
	}
	i = i > 0 ? i : 0;
	event_history_want(
	    app, o->at[i].time_ns, on ? EVENT_HISTORY_STORE_FORWARD : EVENT_HISTORY_STORE_BACK);
	return true;
}

static bool go_live(struct app *app)
{
	if (app->replay.on) {
		app_toast(app, "This is a recording: Ctrl+End goes to its last event");
		return false;
	}
	event_history_live(app);
	return true;
}

static bool set_speed(struct app *app, double speed)
{
	struct event_history *p = &app->event_history;
	char words[64];
	const double size = speed < 0 ? -speed : speed;
	if (size > GCS_SPEED_FASTEST || size < GCS_SPEED_SLOWEST)
		return true; /* at the limit nothing changes */
	if (p->plays)
		event_history_play(app, true);
	p->speed = speed;
	app_dirty(app, PANEL_FOOTER);
	if (!p->back)
		app_toast(app, "Playing history %s", replay_put_speed(words, sizeof words, speed));
	return true;
}

static bool turn_round(struct app *app)
{
	struct event_history *p = &app->event_history;
	if (p->back)
		return set_speed(app, -p->speed);
	p->speed = p->speed > 0 ? -p->speed : p->speed;
	event_history_want(app, event_history_shown_ns(app), EVENT_HISTORY_STORE_BACK);
	event_history_play(app, true);
	return true;
}

static bool seek(struct app *app, const char *arg)
{
	uint64_t time_ns;
	return event_history_seek_place(app, arg, &time_ns) && event_history_go_to(app, time_ns);
}

static bool play_speed(struct app *app, const char *arg)
{
	double speed;
	struct playback_rate playback_rate = {.kind = PLAYBACK_RATE_TIMES};
	if (playback_rate_parse(&playback_rate, arg)) {
		app->playback_rate = playback_rate;
		if (app->event_history.plays)
			event_history_play(app, true);
		app_dirty(app, PANEL_FOOTER);
		return true;
	}
	if (replay_parse_speed(arg, &speed)) {
		app->playback_rate = playback_rate;
		return set_speed(app, speed);
	}
	app_toast(app, REPLAY_SPEED_HELP, arg);
	return false;
}

static bool run_live(struct app *app, enum command_id id, const char *arg)
{
	const double speed = app->event_history.speed != 0 ? app->event_history.speed : 1;
	if (app->event_history.events == 0) {
		app_toast(app,
		    app->state == SOURCE_LIVE ? "No events to look back at yet" : "Not connected");
		return false;
	}
	switch (id) {
	case COMMAND_pause_resume:
		event_history_play(app, !app->event_history.plays);
		return true;
	case COMMAND_step:
		return move(app, 1);
	case COMMAND_step_back:
		return move(app, -1);
	case COMMAND_skip_forward:
		return move(app, 10);
	case COMMAND_skip_back:
		return move(app, -10);
	case COMMAND_first_event:
		return event_history_go_to(app, app->event_history.first_ns);
	case COMMAND_last_event:
		return go_live(app);
	case COMMAND_slower:
		return set_speed(app, speed / 2);
	case COMMAND_faster:
		return set_speed(app, speed * 2);
	case COMMAND_backwards:
		return turn_round(app);
	case COMMAND_play_speed:
	case COMMAND_play_original:
	case COMMAND_play_fast:
	case COMMAND_play_each_second:
	case COMMAND_play_compensated:
		return play_speed(app, arg != NULL ? arg : replay_speed_of(id));
	case COMMAND_seek:
		return seek(app, arg);
	case COMMAND_loop:
		app_toast(app, "Only recordings can loop");
		return false;
	default:
		app_toast(app, "Not available while looking back; L returns to live");
		return false;
	}
}

/* Commands with another or no meaning while the user looks back at a live program. */
static bool is_live_command(const struct app *app, enum command_id id)
{
	if (app->replay.on)
		return false;
	if (id == COMMAND_pause_resume || id == COMMAND_step || id == COMMAND_look_closer ||
	    id == COMMAND_look_back)
		return app->event_history.back;
	return id >= COMMAND_step_back && id <= COMMAND_seek;
}

static bool set_end(struct app *app, bool begins, const char *place)
{
	struct event_history *p = &app->event_history;
	uint64_t at = event_history_here_ns(app);
	if (place != NULL && !event_history_seek_place(app, place, &at))
		return false;
	if (begins) {
		p->begun = true;
		p->begin_ns = at;
	} else {
		p->ended = true;
		p->end_ns = at;
	}
	if (app->range.on && !(p->begun && p->ended)) {
		event_history_choose(
		    app, begins ? at : app->range.from_ns, begins ? app->range.to_ns : at);
		p->begun = p->ended = false;
	} else if (p->begun && p->ended) {
		event_history_choose(app, p->begin_ns, p->end_ns);
		p->begun = p->ended = false;
	} else {
		app_toast(app,
		    begins ? "Range starts here; Shift+B ends it" : "Range ends here; B starts it");
	}
	app_dirty(app, PANEL_TIMELINE);
	return true;
}

static bool choose(struct app *app, const char *arg)
{
	char words[128];
	uint64_t from, to;
	snprintf(words, sizeof words, "%s", arg != NULL ? arg : "");
	char *second = strchr(words, ' ');
	if (second != NULL)
		*second++ = 0;
	if (second == NULL || !event_history_place(app, words, &from) ||
	    !event_history_place(app, second, &to)) {
		app_toast(app, "range %s: expected two events or times such as 1:30 or 2.5s",
		    arg != NULL ? arg : "");
		return false;
	}
	event_history_choose(app, from, to);
	return true;
}

static bool bookmark(struct app *app, const char *note)
{
	struct marks *marks = &app->event_history.marks;
	uint64_t at = event_history_here_ns(app);
	if (note != NULL && strncmp(note, "at=", 3) == 0) {
		char place[40];
		snprintf(place, sizeof place, "%.*s", (int)strcspn(note + 3, " "), note + 3);
		note += strcspn(note, " ");
		note += strspn(note, " ");
		if (!event_history_seek_place(app, place, &at))
			return false;
	}
	const uint32_t i = marks_find(marks, at);
	app_dirty(app, PANEL_TIMELINE);
	if (i < marks->count && note == NULL) {
		marks_remove(marks, i);
		app_toast(app, "Bookmark removed");
	} else if (marks_set(marks, at, note != NULL ? note : "")) {
		app_toast(app, "Bookmark added; Ctrl+Left and Ctrl+Right go to bookmarks");
	} else {
		app_toast(
		    app, "Limit of %u bookmarks reached: remove one first (M on it)", MARKS_MOST);
		return false;
	}
	event_history_poll(app);
	return true;
}

static bool go_to_mark(struct app *app, int way)
{
	const struct marks *marks = &app->event_history.marks;
	const uint32_t i = marks_next(marks, event_history_here_ns(app), way);
	if (i < marks->count) {
		if (marks->at[i].note[0] != 0)
			app_toast(app, "%s", marks->at[i].note);
		return event_history_go_to(app, marks->at[i].time_ns);
	}
	app_toast(app, marks->count == 0 ? "No bookmarks yet: M adds one"
		       : way < 0         ? "No earlier bookmark"
					 : "No later bookmark");
	return false;
}

static bool pause_program(struct app *app)
{
	if (app->replay.on) {
		app_toast(app, "This is a recording: Space plays or pauses it");
		return false;
	}
	const struct source_ops *ops = app->source.ops;
	const enum gcs_status status =
	    app->run == GCS_RUNNING ? ops->pause(app->source.self) : ops->resume(app->source.self);
	if (status != GCS_OK)
		app_toast(app, "Failed: %s", gcs_status_text(status));
	return status == GCS_OK;
}

static bool scale(struct app *app, const char *how)
{
	if (strcmp(how, "all") == 0)
		timescale_fit(app);
	else if (strcmp(how, "in") == 0 || strcmp(how, "out") == 0)
		timescale_zoom(app, *how == 'i' ? 0.5 : 2, event_history_shown_ns(app));
	else if (strcmp(how, "earlier") == 0 || strcmp(how, "later") == 0)
		timescale_pan(app, *how == 'e' ? -0.25 : 0.25);
	else
		app_toast(app, "time_scale %s: expected in, out, earlier, later or all", how);
	return how[0] != 0 && strstr("all in out earlier later", how) != NULL;
}

static bool run_any(struct app *app, enum command_id id, const char *arg)
{
	switch (id) {
	case COMMAND_live:
		return go_live(app);
	case COMMAND_pause_program:
		return pause_program(app);
	case COMMAND_range_begin:
	case COMMAND_range_end:
		return set_end(app, id == COMMAND_range_begin, arg);
	case COMMAND_range_clear:
		event_history_choose_all(app);
		return true;
	case COMMAND_range:
		return choose(app, arg);
	case COMMAND_bookmark:
		return bookmark(app, arg);
	case COMMAND_bookmark_prev:
	case COMMAND_bookmark_next:
		return go_to_mark(app, id == COMMAND_bookmark_prev ? -1 : 1);
	default:
		return scale(app, arg != NULL ? arg : "all");
	}
}

static bool is_any_command(enum command_id id)
{
	return id >= COMMAND_live && id <= COMMAND_time_scale;
}

bool event_history_command(struct app *app, enum command_id id, const char *argument, bool *done)
{
	const struct command *c = command_at(id);
	if (!app->replay.on)
		replay_poll(app); /* the new connection may be a recording */
	const bool live = is_live_command(app, id);
	if (!live && !is_any_command(id))
		return false;
	*done = false;
	if (id == COMMAND_pause_program && app->state != SOURCE_LIVE)
		app_toast(app, "Not connected");
	else if (app->snapshot == NULL)
		app_toast(app, app->state == SOURCE_LIVE ? "No snapshot yet" : "Not connected");
	else if (argument == NULL && command_needs_argument(id))
		app_toast(app, "%s: expected %s", c->name, c->args);
	else
		*done = live ? run_live(app, id, argument) : run_any(app, id, argument);
	return true;
}
