#include "replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

enum { AT_ONCE = 4096 };

static void reset(struct app *app)
{
	struct replay *r = &app->replay;
	bool was = r->on;
	app->playback_rate = (struct playback_rate){.kind = PLAYBACK_RATE_TIMES};
	overview_fini(&r->overview);
	*r = (struct replay){.connection = app->connection};
	if (was)
		app_layout(app);
}

static bool same_position(const struct gcs_position *a, const struct gcs_position *b)
{
	return a->place == b->place && a->events == b->events && a->time_ns == b->time_ns &&
	       a->speed == b->speed && a->loop == b->loop && a->ended == b->ended &&
	       a->skipped == b->skipped && a->last_time_ns == b->last_time_ns;
}

static void take_headers(struct app *app)
{
	const struct source *source = &app->source;
	static struct event_header headers[AT_ONCE]; /* used by one thread only */
	if (source->ops->headers == NULL)
		return;
	uint32_t n = source->ops->headers(source->self, headers, AT_ONCE, &app->replay.whole);
	for (uint32_t i = 0; i < n; i++)
		overview_add(&app->replay.overview, &headers[i]);
	if (n > 0)
		app_dirty(app, PANEL_TIMELINE);
	if (n > 0 && (app->view_id == VIEW_EVENTS || app->view_id == VIEW_TRIGGERS))
		app_dirty(app, PANEL_VIEW);
}

void replay_poll(struct app *app)
{
	struct replay *r = &app->replay;
	const struct source *source = &app->source;
	struct gcs_position at;
	if (r->connection != app->connection)
		reset(app);
	if (source->ops == NULL || source->ops->position == NULL ||
	    !source->ops->position(source->self, &at))
		return;
	bool first = !r->on;
	char flaws[sizeof r->flaws] = "";
	if (source->ops->flaws != NULL)
		source->ops->flaws(source->self, true, flaws, sizeof flaws);
	bool same = same_position(&at, &r->at) && strcmp(flaws, r->flaws) == 0;
	uint64_t before = r->at.time_ns;
	r->on = true;
	r->at = at;
	timescale_reveal(app, before, replay_plays(app));
	memcpy(r->flaws, flaws, sizeof flaws);
	take_headers(app);
	if (first)
		app_layout(app);
	if (same)
		return;
	app_dirty(app, PANEL_HEADER);
	app_dirty(app, PANEL_TIMELINE);
	app_dirty(app, PANEL_FOOTER);
}

void replay_note(struct app *app, const struct gcs_snapshot *snapshot)
{
	if (app->source.ops->headers != NULL)
		return;
	struct event_header m = event_header_with_text(snapshot);
	m.place = app->replay.at.place;
	m.number = m.place + 1;
	overview_add(&app->replay.overview, &m);
}

static const struct recorded_profile *live_profiles(const struct app *app, uint32_t *count)
{
	*count = 0;
	return app->replay.on && app->source.ops->live_profiles != NULL
		   ? app->source.ops->live_profiles(app->source.self, count)
		   : NULL;
}

const struct recorded_profile *replay_next_live(const struct app *app, uint64_t place)
{
	uint32_t n;
	const struct recorded_profile *list = live_profiles(app, &n);
	for (uint32_t i = 0; i < n; i++)
		if (!list[i].empty && list[i].place > place)
			return &list[i];
	return NULL;
}

const struct recorded_profile *replay_last_live(const struct app *app)
{
	uint32_t n;
	const struct recorded_profile *list = live_profiles(app, &n);
	return n > 0 && !list[n - 1].empty ? &list[n - 1] : NULL;
}

const char *replay_profiles_cure(const struct app *app)
{
	enum { LEAST = 3 };
	uint32_t n, useful = 0;
	const struct recorded_profile *list = live_profiles(app, &n);
	for (uint32_t i = 0; i < n; i++)
		useful += !list[i].empty;
	return app->replay.whole && n > 0 && useful < LEAST
		   ? "gcspy record --profiles 5 records a profile every 5 seconds"
		   : "";
}

bool replay_plays(const struct app *app)
{
	const struct gcs_position *at = &app->replay.at;
	if (app->playback_rate.on)
		return true;
	return app->run == GCS_RUNNING && at->speed != 0 && !at->ended;
}

static uint64_t time_of_place(const struct app *app, uint64_t place)
{
	char number[24];
	uint64_t time_ns = app->replay.at.first_time_ns;
	snprintf(number, sizeof number, "%" PRIu64, place + 1);
	event_history_place(app, number, &time_ns);
	return time_ns;
}

static bool seek_by(struct app *app, enum gcs_seek_action action, int64_t value)
{
	const struct gcs_seek request = {.action = action, .value = value};
	/* Playback by its own clock continues from there. */
	if (app->playback_rate.on && action == GCS_SEEK_TIME)
		app->playback_rate.at_ns = (uint64_t)value;
	else if (app->playback_rate.on && action == GCS_SEEK_PLACE)
		app->playback_rate.at_ns = time_of_place(app, (uint64_t)value);
	enum gcs_status status = app->source.ops->seek(app->source.self, &request);
	if (status != GCS_OK)
		app_toast(app, "Failed: %s", gcs_status_text(status));
	replay_poll(app);
	return status == GCS_OK;
}

void replay_go_to(struct app *app, uint64_t time_ns)
{
	seek_by(app, GCS_SEEK_TIME, (int64_t)time_ns);
}

static bool replay_at(struct app *app, double speed)
{
	double size = fabs(speed);
	if (size > GCS_SPEED_FASTEST)
		size = GCS_SPEED_FASTEST;
	if (size < GCS_SPEED_SLOWEST)
		size = GCS_SPEED_SLOWEST;
	return seek_by(app, GCS_SEEK_SPEED, (int64_t)((speed < 0 ? -size : size) * 1000));
}

static bool hold(struct app *app)
{
	app->playback_rate.on = false;
	app_dirty(app, PANEL_FOOTER);
	return app->run != GCS_RUNNING || app->source.ops->pause(app->source.self) == GCS_OK;
}

void replay_stop(struct app *app)
{
	if (app->replay.on)
		hold(app);
}

/* Continues; at the end in the direction of play, starts over from the other end. `held` just now:
 * app->run may not know yet. */
static bool play(struct app *app, bool held)
{
	const struct gcs_position *at = &app->replay.at;
	uint64_t last = at->events - 1, from = at->time_ns;
	bool ok = true;
	if (!at->loop && at->place == (at->speed < 0 ? 0 : last))
		from = at->speed < 0 ? at->last_time_ns : at->first_time_ns;
	if (at->speed == 0)
		ok = replay_at(app, 1);
	if (!at->loop && at->speed >= 0 && at->place == last)
		ok = ok && seek_by(app, GCS_SEEK_PLACE, 0);
	else if (!at->loop && at->speed < 0 && at->place == 0)
		ok = ok && seek_by(app, GCS_SEEK_PLACE, (int64_t)last);
	if (ok && app->playback_rate.kind != PLAYBACK_RATE_TIMES) {
		/* The recording is paused; the window advances by its own clock. */
		hold(app);
		playback_rate_start(app, from, at->speed < 0 ? -1 : 1);
		return true;
	}
	if (held || app->run != GCS_RUNNING)
		ok = ok && app->source.ops->resume(app->source.self) == GCS_OK;
	return ok;
}

static bool skip(struct app *app, int64_t places)
{
	return hold(app) && seek_by(app, GCS_SEEK_MOVE, places);
}

bool replay_parse_speed(const char *text, double *speed)
{
	char *end = NULL;
	*speed = strcmp(text, "fast") == 0       ? GCS_SPEED_FASTEST
		 : strcmp(text, "original") == 0 ? 1
						 : strtod(text, &end);
	double size = fabs(*speed);
	return (end == NULL || (*end == 0 && end != text)) && size >= GCS_SPEED_SLOWEST &&
	       size <= GCS_SPEED_FASTEST;
}

const char *replay_speed_of(enum command_id id)
{
	switch (id) {
	case COMMAND_play_original:
		return "original";
	case COMMAND_play_fast:
		return "fast";
	case COMMAND_play_each_second:
		return "1/s";
	case COMMAND_play_compensated:
		return "compensated";
	default:
		return NULL;
	}
}

static bool speed_command(struct app *app, const char *arg)
{
	double speed;
	struct playback_rate playback_rate = {.kind = PLAYBACK_RATE_TIMES};
	const bool plays = replay_plays(app);
	if (!playback_rate_parse(&playback_rate, arg) && !replay_parse_speed(arg, &speed)) {
		app_toast(app, REPLAY_SPEED_HELP, arg);
		return false;
	}
	if (playback_rate.kind != PLAYBACK_RATE_TIMES && app->source.ops->headers == NULL) {
		app_toast(app, "play_speed %s: only available for recorded files", arg);
		return false;
	}
	if (plays)
		hold(app);
	app->playback_rate = playback_rate;
	bool ok = playback_rate.kind != PLAYBACK_RATE_TIMES || replay_at(app, speed);
	app_dirty(app, PANEL_FOOTER);
	return ok && (!plays || play(app, true));
}

uint64_t replay_due_ms(const struct app *app)
{
	return app->replay.on ? playback_rate_due_ms(app) : UINT64_MAX;
}

void replay_tick(struct app *app)
{
	const struct gcs_position *at = &app->replay.at;
	uint64_t time_ns;
	bool ended;
	if (!app->replay.on || !app->playback_rate.on)
		return;
	const double speed = at->speed != 0 ? at->speed : 1;
	if (playback_rate_take(app, speed, &time_ns, &ended))
		seek_by(app, GCS_SEEK_TIME, (int64_t)time_ns);
	if (!ended)
		return;
	app->playback_rate.on = false;
	if (at->loop) {
		seek_by(app, GCS_SEEK_PLACE, speed > 0 ? 0 : (int64_t)at->events - 1);
		playback_rate_start(app, speed > 0 ? at->first_time_ns : at->last_time_ns, speed);
	}
	app_dirty(app, PANEL_FOOTER);
}

double replay_seconds(const char *arg)
{
	double sum = 0;
	char *end;
	for (int part = 0; part < 3; part++) {
		double value = strtod(arg, &end);
		if (end == arg || !(value >= 0 && value < 1e9))
			return -1;
		if (*end != ':') {
			if (part > 0)
				return *end == 0 ? sum * 60 + value : -1;
			if (strcmp(end, "ms") == 0)
				return value / 1000;
			return strcmp(end, "s") == 0 ? value : -1;
		}
		sum = sum * 60 + value;
		arg = end + 1;
	}
	return -1;
}

static bool seek_command(struct app *app, const char *arg)
{
	const struct gcs_position *at = &app->replay.at;
	char *end;
	uint64_t time_ns;
	unsigned long long place = strtoull(arg, &end, 10);
	if (arg[0] >= '0' && arg[0] <= '9' && *end == 0 && place >= 1 && place <= at->events)
		return seek_by(app, GCS_SEEK_PLACE, (int64_t)place - 1);
	const bool ok = event_history_seek_place(app, arg, &time_ns);
	return ok && seek_by(app, GCS_SEEK_TIME, (int64_t)time_ns);
}

static bool run_command(struct app *app, enum command_id id, const char *arg)
{
	const struct gcs_position *at = &app->replay.at;
	double speed = at->speed != 0 ? at->speed : 1;
	switch (id) {
	case COMMAND_pause_resume:
		return replay_plays(app) ? hold(app) : play(app, false);
	case COMMAND_step:
		return skip(app, 1);
	case COMMAND_step_back:
		return skip(app, -1);
	case COMMAND_skip_forward:
		return skip(app, 10);
	case COMMAND_skip_back:
		return skip(app, -10);
	case COMMAND_first_event:
		return seek_by(app, GCS_SEEK_PLACE, 0);
	case COMMAND_last_event:
		return seek_by(app, GCS_SEEK_PLACE, (int64_t)at->events - 1);
	case COMMAND_slower:
		return replay_at(app, speed / 2);
	case COMMAND_faster:
		return replay_at(app, speed * 2);
	case COMMAND_backwards:
		return replay_at(app, -speed);
	case COMMAND_loop:
		return seek_by(app, GCS_SEEK_LOOP, !at->loop);
	case COMMAND_play_speed:
	case COMMAND_play_original:
	case COMMAND_play_fast:
	case COMMAND_play_each_second:
	case COMMAND_play_compensated:
		return speed_command(app, arg != NULL ? arg : replay_speed_of(id));
	case COMMAND_seek:
		return seek_command(app, arg);
	default:
		return false;
	}
}

static bool is_mine(enum command_id id)
{
	return id == COMMAND_pause_resume || id == COMMAND_step ||
	       (id >= COMMAND_step_back && id <= COMMAND_seek);
}

bool replay_command(struct app *app, enum command_id id, const char *argument)
{
	if (!is_mine(id))
		return false;
	replay_poll(app);
	if (app->replay.on && argument == NULL && command_needs_argument(id)) {
		app_toast(app, "%s: expected %s", command_at(id)->name, command_at(id)->args);
		return false;
	}
	if (app->replay.on) {
		bool ok = run_command(app, id, argument);
		app_poll(app);
		return ok;
	}
	return false;
}

char *replay_put_time(char *text, size_t size, uint64_t ns)
{
	uint64_t ms = ns / 1000000u;
	uint64_t seconds = ms / 1000;
	uint64_t hours = seconds / 3600;
	unsigned minutes = (unsigned)(seconds / 60 % 60);
	if (hours > 0)
		snprintf(
		    text, size, "%" PRIu64 ":%02u:%02u", hours, minutes, (unsigned)(seconds % 60));
	else
		snprintf(text, size, "%u:%02u.%03u", minutes, (unsigned)(seconds % 60),
		    (unsigned)(ms % 1000));
	return text;
}

char *replay_put_speed(char *text, size_t size, double speed)
{
	const char *way = speed < 0 ? ", backwards" : "";
	if (fabs(speed) >= GCS_SPEED_FASTEST)
		snprintf(text, size, "as fast as possible%s", way);
	else
		snprintf(text, size, "%.3g\xc3\x97%s", fabs(speed), way);
	return text;
}

/* A path's file name; an address unchanged. */
static const char *name_of(const struct app *app)
{
	const char *slash = app->source.ops->file ? strrchr(app->address, '/') : NULL;
	return slash != NULL ? slash + 1 : app->address;
}

void replay_text(const struct app *app, char *text, size_t size)
{
	const struct gcs_position *at = &app->replay.at;
	char now[32], all[32], speed[128];
	const char *state = replay_plays(app) ? "Playing" : at->ended ? "At the end" : "Paused";
	if (at->ended && at->speed < 0)
		state = "At the beginning";
	playback_rate_put(app, speed, sizeof speed, at->speed);
	snprintf(text, size,
	    "%s \xc2\xb7 recording %s \xc2\xb7 event %" PRIu64 " of %" PRIu64
	    " \xc2\xb7 %s of %s \xc2\xb7 %s%s",
	    state, name_of(app), at->place + 1, at->events,
	    replay_put_time(now, sizeof now, at->time_ns - at->first_time_ns),
	    replay_put_time(all, sizeof all, at->last_time_ns - at->first_time_ns), speed,
	    at->loop ? ", loop" : "");
}

void replay_loss_text(const struct app *app, char *text, size_t size)
{
	const struct replay *r = &app->replay;
	size_t n = (size_t)snprintf(text, size, "%s", r->flaws);
	if (r->at.skipped > 0 && n < size)
		snprintf(text + n, size - n, "%s%" PRIu64 " events skipped", n > 0 ? "; " : "",
		    r->at.skipped);
}
