/*
 * Bookmarks and ranges of recordings, texts of bookmarks, figures of ranges (V8, F22).
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "range.h"
#include "timeline.h"
#include "ui_replay.h"

static struct replay_world r;

static void close_replay(void)
{
	char marks[256];
	snprintf(marks, sizeof marks, "%s.marks", r.path);
	unlink(marks);
	replay_fini(&r);
}

/* Written by a thread, after a while. */
static bool file_becomes(const char *what)
{
	char path[256], text[512] = "";
	snprintf(path, sizeof path, "%s.marks", r.path);
	for (int i = 0; i < 2000 && strstr(text, what) == NULL; i++) {
		FILE *f = fopen(path, "r");
		if (f != NULL) {
			text[fread(text, 1, sizeof text - 1, f)] = 0;
			fclose(f);
		}
		replay_run(&r, "sleep 2\n");
	}
	return strstr(text, what) != NULL;
}

Test(marks, bookmarks_of_a_recording_are_kept, .fini = close_replay)
{
	replay_record(&r, 60, 0, true);
	replay_open(&r, 900, 700);
	cr_assert(replay_run(&r, "seek 20\nwait place 20\nbookmark slow here\n"));
	cr_assert(replay_run(&r, "seek 40\nwait place 40\nkey M\n"));
	cr_assert(
	    file_becomes("ns of the program's clock, note\n2653000000\tslow here\n4393000000\t\n"));
	cr_assert(app_connect(&r.app, r.path));
	cr_assert(replay_run(&r, "wait strip\nfirst_event\nwait place 1\n"));
	for (int i = 0; i < 2000 && r.app.event_history.marks.count < 2; i++)
		cr_assert(replay_run(&r, "sleep 2\n"));
	cr_assert(replay_run(&r, "key Ctrl+Right\nwait place 20\n"));
	cr_assert(replay_run(&r, "key Ctrl+Right\nwait place 40\nkey Ctrl+Left\nwait place 20\n"));
	cr_assert(replay_run(&r, "range 10 30\n"));
	cr_assert(replay_says(&r, "Events\t21\n"));
	cr_assert_not(replay_run(&r, "live\n"));
}

Test(marks, read_any_text)
{
	static struct marks m;
	marks_take_text(&m, "# head\n30\tb\n10\ta\n\nx\n20\n-5\tno\n99999999999999999999999\tmax\n"
			    "40 no\n50\tend without newline");
	cr_assert_eq(m.count, 5u);
	cr_assert_eq(m.at[0].time_ns, 10u);
	cr_assert_str_eq(m.at[2].note, "b");
	cr_assert_str_eq(m.at[3].note, "end without newline");
	char longer[500];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	cr_assert(marks_set(&m, 10, longer));
	cr_assert_eq(strlen(m.at[0].note), MARKS_NOTE - 1);
	cr_assert(marks_set(&m, 10, "\xe4\xb8\xad\n\x7f\xff"));
	char *text = marks_text(&m);
	struct marks again = {0};
	marks_take_text(&again, text);
	cr_assert_eq(again.count, m.count);
	for (uint32_t i = 0; i < m.count; i++)
		cr_assert_str_eq(again.at[i].note, m.at[i].note);
	free(text);
}

Test(range, counts_what_is_known)
{
	struct overview o = {.newest_whole = true};
	struct range_figures f;
	for (uint64_t i = 0; i < 3 * OVERVIEW_LIMIT; i++)
		overview_add(&o, &(struct event_header){.sequence = i,
				     .place = i,
				     .time_ns = i * 10,
				     .event = (uint32_t)(i % 2),
				     .pause_ns = i % 2 == 1 ? 5 : -1,
				     .used_bytes = 100,
				     .before_bytes = 150});
	range_count(&o, 0, UINT64_MAX, &f);
	cr_assert_lt(f.known, f.all);
	cr_assert_geq(f.all, 3 * OVERVIEW_LIMIT - 8);
	/* The newest are all there. */
	range_count(&o, (3 * OVERVIEW_LIMIT - 1000) * UINT64_C(10), UINT64_MAX, &f);
	cr_assert_eq(f.known, 1000u);
	cr_assert_eq(f.all, 1000u);
	cr_assert_eq(f.pauses, 500u);
	cr_assert_eq(f.pause_ns, 2500);
	cr_assert_eq(f.allocated, 999 * 50);
	cr_assert(o.whole_ns > 0 && o.count <= OVERVIEW_LIMIT);
	range_count(&o, 5, 4, &f);
	cr_assert_eq(f.all, 0u);
	cr_assert_eq(f.allocated, -1);
	overview_fini(&o);
}

/* The live strip is filled by more than half, and what is written below it is round (V8). */
Test(timeline, spans_and_ticks_are_round)
{
	static const struct {
		uint64_t ms, span_ms;
	} spans[] = {{0, 100}, {22, 100}, {100, 100}, {101, 150}, {151, 200}, {201, 300},
	    {301, 500}, {501, 700}, {701, 1000}, {11000, 15000}, {20001, 30000},
	    {3600000, 5000000}};
	static const struct {
		uint64_t least_ns, step_ns, at;
		const char *text;
	} ticks[] = {{2340800000, 5000000000, 3, "0:15"}, {5000000001, 10000000000, 1, "0:10"},
	    {11000000000, 20000000000, 4, "1:20"}, {200000000, 200000000, 7, "0:01.4"},
	    {25000, 50000, 30000, "0:01.50000"}, {31000000000, 60000000000, 61, "1:01:00"}};
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
		cr_assert_eq(
		    timescale_span(spans[i].ms * 1000000), spans[i].span_ms * 1000000, "%zu", i);
	for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
		char text[48];
		cr_assert_eq(timeline_step(ticks[i].least_ns), ticks[i].step_ns, "%zu", i);
		timeline_put_tick(
		    text, sizeof text, ticks[i].at * ticks[i].step_ns, ticks[i].step_ns);
		cr_assert_str_eq(text, ticks[i].text);
	}
}
