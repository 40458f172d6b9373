/* Text about the shown event; declared in event_history.h. */
#include <gcspy/format.h>
#include <stdio.h>

#include "app.h"
#include "export_text.h"

uint64_t event_history_number(const struct app *app)
{
	const struct overview *o = event_history_overview(app);
	const uint32_t i = overview_find(o, event_history_shown_ns(app) + 1);
	return i > 0 ? o->at[i - 1].place + 1 : 1;
}

uint64_t event_history_shown_number(const struct app *app)
{
	return app->replay.on ? app->replay.at.place + 1
			      : gcs_snapshot_occurrence(app->snapshot)->sequence;
}

static const char *program_text(const struct app *app)
{
	if (app->state == SOURCE_LOST)
		return app->ended ? "program ended" : "connection lost";
	if (app->state != SOURCE_LIVE)
		return "not connected";
	static const char *const run[] = {
	    [GCS_RUNNING] = "program running",
	    [GCS_PAUSING] = "program pausing at its next event",
	    [GCS_PAUSED] = "program paused",
	};
	return run[app->run];
}

void event_history_ago_text(const struct app *app, char *text, size_t size)
{
	uint64_t first, last;
	char time[32];
	*text = 0;
	if (!app->event_history.back || !event_history_span(app, &first, &last))
		return;
	snprintf(text, size, "%s behind live",
	    replay_put_time(time, sizeof time, last - event_history_shown_ns(app)));
}

void event_history_summary(const struct app *app, char *text, size_t size)
{
	const struct event_history *p = &app->event_history;
	char ago[64], number[48], all[48], speed[128] = "", what[64];
	event_history_ago_text(app, ago, sizeof ago);
	gcs_format_count(number, sizeof number, event_history_shown_number(app));
	gcs_format_count(
	    all, sizeof all, gcs_snapshot_occurrence(event_history_newest(app))->sequence);
	if (p->plays || p->speed != 1 || app->playback_rate.kind != PLAYBACK_RATE_TIMES)
		playback_rate_put(app, speed, sizeof speed, p->speed);
	snprintf(what, sizeof what, "%s",
	    p->plays     ? "Playing history"
	    : p->waiting ? "Looking back \xe2\x80\xa6"
			 : "Looking back");
	snprintf(text, size, "%s \xc2\xb7 event %s of %s \xc2\xb7 %s \xc2\xb7 %s%s%s", what, number,
	    all, ago, program_text(app), speed[0] != 0 ? " \xc2\xb7 " : "", speed);
}

void event_history_text(const struct app *app, struct textbuf *out)
{
	const struct event_history *p = &app->event_history;
	struct event_history_file files[EVENT_HISTORY_FILES];
	uint64_t first, last, until;
	char a[32], b[32], words[256];
	if (!event_history_span(app, &first, &last))
		return;
	if (p->back) {
		event_history_summary(app, words, sizeof words);
		textbuf_printf(out, "shown\t%s\n", words);
	}
	const uint32_t n =
	    app->replay.on ? 0 : event_history_files(app, files, EVENT_HISTORY_FILES);
	for (uint32_t i = 0; i < n; i++)
		textbuf_printf(out, "kept\t%s to %s, 1 of %u events\n",
		    replay_put_time(a, sizeof a, files[i].from_ns - first),
		    replay_put_time(b, sizeof b, files[i].to_ns - first), files[i].stride);
	if (event_history_thinned(app, &until) == UINT32_MAX)
		textbuf_printf(
		    out, "kept\tnothing before %s\n", replay_put_time(a, sizeof a, until - first));
	for (uint32_t i = 0; i < p->marks.count; i++) {
		const struct mark *m = &p->marks.at[i];
		textbuf_printf(out, "bookmark\t%s\t%s\n",
		    replay_put_time(a, sizeof a, m->time_ns > first ? m->time_ns - first : 0),
		    m->note);
	}
}
