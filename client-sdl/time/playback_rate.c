#include "playback_rate.h"

#include <gcspy/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

#define MOST_MS 60000

static bool set_every(struct playback_rate *playback_rate, double ms)
{
	if (!(ms >= 1 && ms <= MOST_MS))
		return false;
	*playback_rate =
	    (struct playback_rate){.kind = PLAYBACK_RATE_EVERY, .every_ms = (uint32_t)(ms + 0.5)};
	return true;
}

bool playback_rate_parse(struct playback_rate *playback_rate, const char *text)
{
	char *end;
	if (strcmp(text, "compensated") == 0) {
		*playback_rate = (struct playback_rate){.kind = PLAYBACK_RATE_COMPENSATED};
		return true;
	}
	const bool every = strncmp(text, "every ", 6) == 0;
	const double number = strtod(text + (every ? 6 : 0), &end);
	end += strspn(end, " ");
	if (!every)
		return strcmp(end, "/s") == 0 && number > 0 &&
		       set_every(playback_rate, 1000 / number);
	if (strcmp(end, "ms") == 0)
		return set_every(playback_rate, number);
	return strcmp(end, "s") == 0 && set_every(playback_rate, number * 1000);
}

/* The next event in the direction of play, and the delay until then. */
static bool next_of(const struct app *app, double speed, uint64_t *time_ns, double *wait_ms)
{
	const struct overview *o = event_history_overview(app);
	const struct playback_rate *p = &app->playback_rate;
	const uint32_t i = overview_find(o, p->at_ns + (speed > 0));
	if (speed > 0 ? i == o->count : i == 0)
		return false;
	const struct event_header *m = &o->at[speed > 0 ? i : i - 1];
	*time_ns = m->time_ns;
	*wait_ms = p->every_ms;
	if (p->kind == PLAYBACK_RATE_EVERY)
		return true;
	/* GCspy's overhead belongs to the later of the two events. */
	const uint64_t own = speed > 0 || i == o->count ? m->own_ns : o->at[i].own_ns;
	const uint64_t gap = speed > 0 ? m->time_ns - p->at_ns : p->at_ns - m->time_ns;
	*wait_ms = (double)(gap > own ? gap - own : 0) / 1e6 / (speed > 0 ? speed : -speed);
	return true;
}

void playback_rate_start(struct app *app, uint64_t from_ns, double speed)
{
	uint64_t next;
	double wait = 0;
	app->playback_rate.on = true;
	app->playback_rate.at_ns = from_ns;
	next_of(app, speed, &next, &wait);
	app->playback_rate.due_ms = (double)app->now_ms + wait;
}

uint64_t playback_rate_due_ms(const struct app *app)
{
	const double due = app->playback_rate.due_ms;
	if (!app->playback_rate.on)
		return UINT64_MAX;
	return due > (double)app->now_ms ? (uint64_t)due + 1 : app->now_ms;
}

bool playback_rate_take(struct app *app, double speed, uint64_t *time_ns, bool *ended)
{
	struct playback_rate *p = &app->playback_rate;
	uint64_t next;
	double wait;
	bool any = false;
	*ended = false;
	if (!p->on || p->due_ms > (double)app->now_ms)
		return false;
	/* A fixed delay shows each event, however late; recorded times are kept. */
	while (p->due_ms <= (double)app->now_ms) {
		if (!next_of(app, speed, &next, &wait)) {
			*ended = true;
			break;
		}
		*time_ns = p->at_ns = next;
		any = true;
		if (p->kind == PLAYBACK_RATE_EVERY)
			p->due_ms = (double)app->now_ms + p->every_ms;
		else if (next_of(app, speed, &next, &wait))
			p->due_ms += wait;
	}
	return any;
}

char *playback_rate_put(const struct app *app, char *text, size_t size, double speed)
{
	const struct playback_rate *p = &app->playback_rate;
	char words[64];
	if (p->kind == PLAYBACK_RATE_EVERY) {
		gcs_format_number(
		    words, sizeof words, (int64_t)p->every_ms * 1000000, GCS_NANOSECONDS);
		snprintf(text, size, "one event every %s%s", words, speed < 0 ? ", backwards" : "");
		return text;
	}
	replay_put_speed(words, sizeof words, speed);
	snprintf(text, size, "%s%s", words,
	    p->kind == PLAYBACK_RATE_COMPENSATED ? ", without GCspy overhead" : "");
	return text;
}
