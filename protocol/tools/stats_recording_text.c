/* The beginning of the page: what was recorded, and what is missing of it. */

#include "stats_page.h"

#include <inttypes.h>
#include <stdio.h>

static void page_head(struct out *out, const struct gcs_stats *s, const char *source)
{
	char from[40], to[40];
	out_text(out, s->server, out_width(out));
	out_raw(out, "\n");
	out_text(out, source, out_width(out));
	out_raw(out, "\n");
	if (s->snapshots == 0) {
		out_raw(out, "Nothing was recorded.\n");
		return;
	}
	out_format(out, "%s to %s: ", text_time(from, sizeof from, s->first_wall_ns),
	    text_time(to, sizeof to, s->last_wall_ns));
	stats_duration(out, (double)s->wall_ns);
	out_format(
	    out, ", events %" PRIu64 " to %" PRIu64 "\n", s->first_place + 1, s->last_place + 1);
	if (s->unfinished)
		out_raw(out, "Unfinished: the file has no end, as its writer was stopped or still "
			     "writes\n");
}

static void page_count(struct out *out, const char *name, uint64_t count, const char *words)
{
	stats_name(out, 2, name, STATS_NAME);
	stats_cell(out, (double)count, GCS_UNIT_NUMBER, STATS_CELL - 2);
	out_format(out, "%s%s\n", words[0] == '\0' ? "" : "  ", words);
}

static void page_event(struct out *out, const struct gcs_stats_event *e)
{
	char words[260] = "";
	if (e->unseen != 0)
		snprintf(words, sizeof words, "and %s that were not recorded",
		    stats_figure((double)e->unseen, GCS_UNIT_NUMBER).text);
	if (e->counted != GCS_NO_PLACE)
		snprintf(words, sizeof words, "recorded, of %s that were counted%s%s%s",
		    stats_figure((double)e->counted, GCS_UNIT_NUMBER).text,
		    e->counted_per_second < 0 ? "" : ", ",
		    e->counted_per_second < 0
			? ""
			: stats_figure(e->counted_per_second, GCS_UNIT_NUMBER).text,
		    e->counted_per_second < 0 ? "" : " a second");
	page_count(out, e->name, e->recorded, words);
}

/* When each trigger fired, its condition, and what it did. */
static void page_triggers(struct out *out, const struct gcs_stats *s)
{
	char text[GCS_MAX_NAME + 100], first[40], last[40];
	if (s->trigger_count != 0)
		out_raw(out, "\nTriggers that fired\n");
	for (uint32_t i = 0; i < s->trigger_count; i++) {
		const struct gcs_stats_trigger *t = &s->triggers[i];
		text_time(first, sizeof first, t->first_wall_ns);
		text_time(last, sizeof last, t->last_wall_ns);
		if (t->fires == 1)
			snprintf(text, sizeof text, "time, at event %" PRIu64 ", %s",
			    t->first_place + 1, first);
		else
			snprintf(text, sizeof text,
			    "times, from event %" PRIu64 ", %s, to event %" PRIu64 ", %s",
			    t->first_place + 1, first, t->last_place + 1, last);
		page_count(out, t->name, t->fires, text);
		out_spaces(out, STATS_NAME + STATS_CELL);
		out_wrapped(out, STATS_NAME + STATS_CELL, STATS_NAME + STATS_CELL, t->condition);
		out_spaces(out, STATS_NAME + STATS_CELL);
		out_wrapped(out, STATS_NAME + STATS_CELL, STATS_NAME + STATS_CELL,
		    gcs_trigger_did_text(text, sizeof text, t));
	}
	if (s->fires_left_out != 0)
		out_format(out, "  and %" PRIu64 " times of other triggers\n", s->fires_left_out);
}

/* What GCspy has cost the program; and its own thread's time, in which the program runs. */
static void page_cost(struct out *out, const struct gcs_stats *s)
{
	if (s->updates_ns == 0 || s->cost_ns != 0) {
		stats_name(out, 2, "Own cost, and holds", STATS_NAME);
		stats_cell(out, (double)s->cost_ns, GCS_UNIT_NANOSECONDS, STATS_CELL - 2);
		if (s->wall_ns != 0)
			out_format(out, "  %s of the time%s",
			    stats_figure((double)s->cost_ns / (double)s->wall_ns, GCS_UNIT_SHARE)
				.text,
			    s->cost_ns > s->wall_ns ? ", in several threads" : "");
		out_raw(out, "\n");
	}
	if (s->updates_ns == 0)
		return;
	stats_name(out, 2, "Updates, and holds", STATS_NAME);
	stats_cell(out, (double)s->updates_ns, GCS_UNIT_NANOSECONDS, STATS_CELL - 2);
	out_raw(out, "  in GCspy's own thread; the program runs unless held\n");
}

static void page_recording(struct out *out, const struct gcs_stats *s)
{
	const struct {
		const char *name;
		uint64_t count;
		const char *words;
	} troubles[] = {
	    {"Missed", s->missed, "snapshots, because the recorder was slow"},
	    {"Unreadable", s->unreadable, "events, because of damage"},
	    {"Lost profiles", s->lost_profiles, "because of damage; figures are from others"},
	    {"Gaps", s->gaps, "nothing is computed across them"},
	    {"Restarts", s->restarts, "of the server's sequence; nothing is computed across them"},
	};
	stats_title(out, "Recording");
	out_raw(out, "\n");
	for (uint32_t i = 0; i < s->event_count; i++)
		page_event(out, &s->events[i]);
	page_count(out, "Snapshots", s->snapshots, "");
	page_count(out, "Profiles of samples", s->profiles,
	    s->profiles == 0 ? "" : "of all kinds: live objects, garbage, allocation");
	for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++)
		if (troubles[i].count != 0)
			page_count(out, troubles[i].name, troubles[i].count, troubles[i].words);
	page_cost(out, s);
	if (!s->collects && s->snapshots != 0) {
		stats_name(out, 2, "Collections", STATS_NAME);
		stats_right(out, "-", STATS_CELL - 2);
		out_raw(out, "  no event has attributes of any; JSON has the reasons\n");
	}
}

void stats_recording_text(struct out *out, const struct gcs_stats *s, const char *source)
{
	page_head(out, s, source);
	page_recording(out, s);
	page_triggers(out, s);
}
