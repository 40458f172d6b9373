/* Where the visualiser's events come from (client-sdl/source): which addresses are recordings, and the
 * list of all events (F21). */
#include <criterion/criterion.h>
#include <gcspy/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui_replay.h"

static struct replay_world w;

static void close_world(void)
{
	replay_fini(&w);
}

Test(source, what_is_no_recording_is_refused, .fini = close_world)
{
	replay_record(&w, 2, 0, true);
	replay_open(&w, 600, 400);
	cr_assert_not(app_connect(&w.app, "/nowhere/run.gcspy"));
	cr_assert_not_null(
	    strstr(w.app.toast, "/nowhere/run.gcspy: No such file"), "%s", w.app.toast);
	char other[160];
	snprintf(other, sizeof other, "%s/other.gcspy", w.folder);
	FILE *f = fopen(other, "w");
	cr_assert(f != NULL && fputs("no trace", f) >= 0 && fclose(f) == 0);
	cr_assert_not(app_connect(&w.app, other));
	cr_assert_not_null(strstr(w.app.toast, "not a GCspy recording"), "%s", w.app.toast);
	f = fopen(other, "w"); /* the first bytes of one, and nothing else */
	cr_assert(f != NULL && fputs(GCS_TRACE_MAGIC, f) >= 0 && fclose(f) == 0);
	cr_assert(app_connect(&w.app, other));
	cr_assert(replay_run(&w, "wait lost\n"));
	cr_assert_eq(w.app.retry_at_ms, 0u, "a file is not tried again and again");
	cr_assert(replay_says(&w, "Cannot open"));
	cr_assert_not(w.app.replay.on);
	unlink(other);
	char longer[2000];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	cr_assert_not(app_connect(&w.app, longer));
}

Test(source, is_told_from_addresses)
{
	cr_assert(source_is_file("run.gcspy"));
	cr_assert(source_is_file("./3000"));
	cr_assert_not(source_is_file("3000"));
	cr_assert_not(source_is_file("db1:3000"));
	cr_assert_not(source_is_file("unix:/run/gcspy"));
	cr_assert_not(source_is_file("2002:db1/x:3000"));
	cr_assert_not(source_is_file(".gcspy"));
}

/* Another file that is there is said to be no recording, not to be no program. */
Test(source, another_file_says_what_it_is_not)
{
	struct source_options options = {.token = NULL};
	struct source source;
	struct gcs_error err = {.text = ""};
	char folder[] = "/tmp/gcspy-other-XXXXXX";
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	FILE *f = fopen("map.log", "w");
	cr_assert(f != NULL &&
		  fputs("[0.012s][info][gc] Using G1\n[0.8s][info][gc] Pause\n", f) >= 0 &&
		  fclose(f) == 0);
	cr_assert_not(source_open(&options, "map.log", false, &source, &err));
	cr_assert_str_eq(err.text, "map.log: not a GCspy recording");
	cr_assert_not(source_open(&options, "no.log", false, &source, &err));
	cr_assert_not_null(strstr(err.text, "neither a file"), "%s", err.text);
	cr_assert(unlink("map.log") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
}

Test(source, overview_is_in_order_bounded_and_keeps_long_pauses)
{
	struct overview o = {0};
	for (uint64_t i = 0; i < 1000; i++) { /* any order, each twice */
		uint64_t k = i % 500 * 7 % 500;
		overview_add(
		    &o, &(struct event_header){.sequence = k, .time_ns = k * 10, .pause_ns = -1});
	}
	cr_assert_eq(o.count, 500u);
	for (uint32_t i = 0; i < o.count; i++)
		cr_assert_eq(o.at[i].sequence, i);
	cr_assert_eq(overview_find(&o, 95), 10u);
	overview_fini(&o);
	for (uint64_t i = 0; i < 5u * OVERVIEW_LIMIT; i++)
		overview_add(
		    &o, &(struct event_header){
			    .sequence = i, .time_ns = i, .pause_ns = i == 7 ? 1000000 : 5});
	cr_assert_leq(o.count, OVERVIEW_LIMIT);
	cr_assert_gt(o.count, OVERVIEW_LIMIT / 4);
	cr_assert_eq(o.most_pause, 1000000);
	cr_assert_eq(o.at[0].pause_ns, 1000000, "the longest pause stays");
	for (uint32_t i = 1; i < o.count; i++)
		cr_assert_lt(o.at[i - 1].time_ns, o.at[i].time_ns);
	overview_fini(&o);
}
