/* Playing the history of a live program: from the time at which it started, the newest event that is
 * not later is shown. Declared in event_history.h. */
#include "event_history_inner.h"

static uint64_t play_time(const struct app *app)
{
	const struct event_history *p = &app->event_history;
	const double ns = (double)(app->now_ms - p->play_ms) * 1e6 * p->speed;
	const double at = (double)p->play_ns + ns;
	if (at <= (double)p->first_ns)
		return p->first_ns;
	return at >= 1e19 ? UINT64_MAX : (uint64_t)at;
}

/* The time of the next event in the direction of play; false at the end. */
static bool next_time(const struct event_history *p, uint64_t *time_ns)
{
	const struct overview *o = &p->overview;
	uint32_t i = overview_find(o, p->at_ns + (p->speed > 0));
	if (p->speed > 0 ? i == o->count : i == 0)
		return false;
	*time_ns = o->at[p->speed > 0 ? i : i - 1].time_ns;
	return true;
}

uint64_t event_history_due_ms(const struct app *app)
{
	const struct event_history *p = &app->event_history;
	uint64_t next;
	if (!p->plays || p->waiting)
		return UINT64_MAX;
	if (app->playback_rate.on)
		return playback_rate_due_ms(app);
	if (!next_time(p, &next))
		return app->now_ms;
	double ms = ((double)next - (double)p->play_ns) / (p->speed * 1e6);
	return p->play_ms + (ms > 1e9 ? (uint64_t)1e9 : ms > 0 ? (uint64_t)ms + 1 : 0);
}

void event_history_tick(struct app *app)
{
	struct event_history *p = &app->event_history;
	uint64_t next, at = play_time(app);
	bool ended;
	if (!p->plays || p->waiting)
		return;
	if (app->playback_rate.on) {
		if (playback_rate_take(app, p->speed, &next, &ended))
			event_history_want(app, next, EVENT_HISTORY_STORE_BACK);
		if (!ended)
			return;
	}
	if (!next_time(p, &next)) {
		p->plays = app->playback_rate.on = false;
		if (p->speed > 0)
			event_history_live(app);
		event_history_changed(app);
		return;
	}
	if (p->speed > 0 ? at < next : at > next)
		return;
	const struct overview *o = &p->overview;
	const uint32_t i = overview_find(o, at + 1);
	event_history_want(app, o->at[i > 0 ? i - 1 : 0].time_ns, EVENT_HISTORY_STORE_BACK);
}

void event_history_play(struct app *app, bool on)
{
	struct event_history *p = &app->event_history;
	p->plays = on;
	app->playback_rate.on = false;
	if (on && app->playback_rate.kind != PLAYBACK_RATE_TIMES)
		playback_rate_start(app, p->at_ns, p->speed);
	p->play_ms = app->now_ms;
	p->play_ns = p->at_ns;
	event_history_changed(app);
}
