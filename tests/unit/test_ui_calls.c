/* The view of call sites: what is asked and when, and what is kept (S6, V4, Q2, Q3). */
#include <criterion/criterion.h>
#include <gcspy/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sites_view.h"
#include "ui_calls.h"
#include "ui_profile.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct sites_view *view(void)
{
	return w.app.views[VIEW_SITES];
}

static void open_view(void)
{
	world_open(&w, 960, 640);
	world_live(&w, 2);
	world_key(&w, "2");
	world_wait(&w, 0);
}

static void open_shop(void)
{
	open_view();
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
}

static bool says(const char *text)
{
	return calls_says(&w, text);
}

Test(calls, nothing_is_asked_while_the_view_is_closed, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 2);
	world_wait(&w, 10000);
	cr_assert_eq(w.source.queries, 0u);
	cr_assert(world_is_idle(&w));
	world_key(&w, "2");
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 1u);
	cr_assert_str_eq(w.source.topic, "sites");
	cr_assert_str_eq(w.source.kind, "live");
	world_key(&w, "1");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries, 1u);
	cr_assert(w.app.view == &heap_view);
	/* The answer that came meanwhile is there at once. */
	world_key(&w, "2");
	cr_assert(says("30.7 MiB"));
}

Test(calls, one_question_at_a_time, .fini = close_world)
{
	open_view();
	cr_assert_eq(w.source.queries, 1u);
	cr_assert(world_is_idle(&w), "nothing is due while an answer is awaited");
	/* The source of the tests ends the program at a second question. */
	world_key(&w, "R");
	world_key(&w, "K");
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries, 1u);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 2u);
	cr_assert_str_eq(w.source.kind, "recent");
}

Test(calls, asks_again_every_few_seconds_or_on_request, .fini = close_world)
{
	open_shop();
	cr_assert_eq(app_wait_ms(&w.app), PROFILES_REFRESH_MS);
	world_wait(&w, PROFILES_REFRESH_MS - 1);
	cr_assert_eq(w.source.queries, 1u);
	world_wait(&w, 1);
	cr_assert_eq(w.source.queries, 2u);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 1));
	world_key(&w, "Shift+A");
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries, 2u);
	cr_assert(world_is_idle(&w));
	world_key(&w, "R");
	cr_assert_eq(w.source.queries, 3u);
}

Test(calls, sampling_is_turned_on_by_a_key, .fini = close_world)
{
	open_view();
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	cr_assert(says("Sampling is off"));
	world_key(&w, "E");
	cr_assert_eq(w.source.sets, 1u);
	cr_assert_str_eq(w.source.interval, "512k");
	world_answer(&w, GCS_OK, "the interval is 512 KiB", NULL);
	cr_assert_str_eq(w.app.toast, "Sampling: the interval is 512 KiB");
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 2u, "and the samples are asked for at once");
	world_answer(&w, GCS_OK, "", profile_empty(GCS_PROFILE_LIVE, 524288));
	cr_assert(world_run(&w, "sites_sample 64k\n"));
	cr_assert_str_eq(w.source.interval, "64k");
	world_answer(&w, GCS_ARGUMENT, "interval 64k: not today", NULL);
	cr_assert_str_eq(w.app.toast, "Sampling is not changed: interval 64k: not today");
	cr_assert(says("No samples yet"));
}

Test(calls, the_offer_is_a_button_too, .fini = close_world)
{
	open_view();
	world_answer(&w, GCS_STATE, "another agent samples", NULL);
	cr_assert(says("another agent samples."));
	world_key(&w, "Tab");
	for (int i = 0; i < 40 && w.app.ui.focus != UI_ID(PANEL_VIEW, PROFILES_OFFER); i++)
		world_key(&w, "Tab");
	world_key(&w, "Enter");
	cr_assert_eq(w.source.sets, 1u);
}

Test(calls, sources_and_servers_without_call_sites, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_key(&w, "2");
	cr_assert(says("Not connected"));
	w.source.mute = true;
	world_live(&w, 1);
	cr_assert(says("This source has no call sites"));
	world_key(&w, "R");
	world_key(&w, "E");
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries + w.source.sets, 0u);
	w.source.mute = false;
	w.source.refusal = GCS_UNSUPPORTED;
	cr_assert(app_connect(&w.app, "old:3000"));
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	world_wait(&w, 0);
	cr_assert(says("This program does not sample allocations"));
	/* What was refused is not asked again at each turn. */
	cr_assert_eq(w.source.queries, 1u);
	cr_assert_eq(app_wait_ms(&w.app), PROFILES_REFRESH_MS);
	w.source.refusal = GCS_OK;
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_UNSUPPORTED, "no call sites here", NULL);
	cr_assert(says("no call sites here"));
}

Test(calls, last_data_stay_when_the_connection_is_lost, .fini = close_world)
{
	open_shop();
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_CLOSED, "", NULL);
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	world_wait(&w, 0);
	cr_assert(says("Not connected, showing the last data"));
	cr_assert(says("HashMap$Node[]"));
	unsigned asked = w.source.queries;
	/* Another connection owes nothing of what the last one was asked. */
	cr_assert(app_connect(&w.app, "127.0.0.1:3000"));
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries, asked);
	w.source.state = SOURCE_LIVE;
	world_wait(&w, 0);
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, asked + 1);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert_null(strstr(window_text(&w.app), "showing the last data"));
}

Test(calls, another_program_does_not_show_the_last_ones_data, .fini = close_world)
{
	open_shop();
	cr_assert(app_connect(&w.app, "other:3000"));
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	world_wait(&w, 0);
	cr_assert_null(strstr(window_text(&w.app), "HashMap"), "not even until it has answered");
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	cr_assert(says("Sampling is off\n"));
	cr_assert_eq(w.app.rect[PANEL_SIDE].w, 0);
	cr_assert_null(view()->now.profile);
}

Test(calls, a_question_that_cannot_be_sent_is_no_answer, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 1);
	w.source.refusal = GCS_STATE;
	world_key(&w, "2");
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 1u);
	cr_assert_null(strstr(window_text(&w.app), "Sampling is off"));
}

Test(calls, a_question_dies_with_its_connection, .fini = close_world)
{
	open_view();
	app_disconnect(&w.app);
	world_wait(&w, 60000);
	cr_assert(says("Not connected"));
	cr_assert(app_connect(&w.app, "127.0.0.1:3000"));
	w.source.state = SOURCE_LIVE;
	world_wait(&w, 0);
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 2u);
}

Test(calls, hostile_answers_are_words, .fini = close_world)
{
	open_view();
	world_answer_bytes(&w, GCS_OK, "", "\x01\xff\xff\xff", 4);
	cr_assert(says("No call sites"));
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_RECENT, 0));
	cr_assert(says("a different kind of profile"));
	world_wait(&w, PROFILES_REFRESH_MS);
	void *large = calloc(1, PROFILES_MOST_BYTES + 1);
	cr_assert_not_null(large);
	world_answer_bytes(&w, GCS_OK, "", large, PROFILES_MOST_BYTES + 1);
	free(large);
	cr_assert(says("too large to show"));
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, (enum gcs_status)77, "\x1b[31m\nwords", NULL);
	cr_assert(says("?[31m?words"));
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_OK, "", profile_strange(GCS_PROFILE_LIVE));
	cr_assert(says("two?lines?and?more"));
	for (int i = 0; i < 10; i++) {
		world_key(&w, "Down");
		world_key(&w, "O");
		world_key(&w, "Shift+PageDown");
		cr_assert(w.app.side_content < 20000, "a deep stack is cut");
	}
	cr_assert(says("more frames"));
}

Test(calls, an_error_later_keeps_what_is_there, .fini = close_world)
{
	open_shop();
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	cr_assert(says("Sampling is off"));
	cr_assert_not(says("HashMap$Node[]"), "no figures of before");
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_LIMIT, "", NULL);
	cr_assert(says("HashMap$Node[]"));
	cr_assert(says("No response, showing the last data"));
}

Test(calls, kinds_keep_their_data, .fini = close_world)
{
	open_shop();
	world_key(&w, "Right");
	world_wait(&w, 0);
	cr_assert_str_eq(w.source.kind, "recent");
	world_answer(&w, GCS_OK, "", profile_empty(GCS_PROFILE_RECENT, 524288));
	cr_assert(says("No samples yet"));
	world_key(&w, "Left");
	cr_assert(says("HashMap$Node[]"));
	cr_assert(world_run(&w, "sites_kind allocated\n"));
	cr_assert_eq(w.app.profiles.kind, GCS_PROFILE_ALLOCATED);
	cr_assert_not(world_run(&w, "sites_kind dead\n"));
	world_key(&w, "K");
	cr_assert_eq(w.app.profiles.kind, GCS_PROFILE_LIVE);
}
