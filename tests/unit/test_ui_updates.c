/* The update interval of a target in sample-driven mode, with the achieved rate (F12, V10). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "events_view.h"
#include "ui_target.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static bool says(const char *text)
{
	return window_says(&w.app, text);
}

/* Questions that are due are asked, and what has been answered is taken. */
static void settle(void)
{
	world_wait(&w, 10);
	app_poll(&w.app);
	app_frame(&w.app);
}

static void press(const char *key)
{
	world_key(&w, key);
	app_poll(&w.app);
}

static struct cv_rect slider;

static void note_slider(void *context, uint32_t id, struct cv_rect r)
{
	(void)context;
	if (id == UI_ID(PANEL_VIEW, EVENTS_UPDATE))
		slider = r;
}

/* Where the slider is, as the panel reports it. */
static void find_slider(void)
{
	slider = rect_make(0, 0, 0, 0);
	w.app.ui.area = note_slider;
	world_move(&w, 5, w.app.rect[PANEL_VIEW].y + 5);
	w.app.ui.area = NULL;
}

Test(updates_view, interval_and_achieved_rate, .fini = close_world)
{
	target_open(&w, 1000, 640, 12);
	world_key(&w, "7");
	settle();
	cr_assert_eq(target.asked, 1u);
	/* Four updates in each 87 ms. */
	cr_assert(says("Updates\tevery 50 ms \xc2\xb7 46 of 20 per second"));
	world_wait(&w, UPDATE_REFRESH_MS);
	cr_assert_eq(target.asked, 2u, "another client may have set it");
}

Test(updates_view, a_target_that_falls_behind_is_marked)
{
	const struct events_update u = {.ms = 10};
	char text[80];
	bool late;
	events_update_text(&u, 40, text, sizeof text, &late);
	cr_assert_str_eq(text, "every 10 ms \xc2\xb7 40 of 100 per second");
	cr_assert(late);
	events_update_text(&u, 99.6, text, sizeof text, &late);
	cr_assert_not(late);
	events_update_text(&(struct events_update){.ms = 0}, 1234, text, sizeof text, &late);
	cr_assert_str_eq(text, "at each event \xc2\xb7 1,234 per second");
	events_update_text(
	    &(struct events_update){.ms = UPDATE_UNKNOWN}, -1, text, sizeof text, &late);
	cr_assert_str_eq(text, "interval not known");
}

Test(updates_view, keys_set_the_interval, .fini = close_world)
{
	target_open(&w, 1000, 640, 6);
	world_key(&w, "U");
	cr_assert(w.app.view == &events_view);
	settle();
	press("Right");
	cr_assert_eq(target.update_ms, 100u);
	press("Right");
	cr_assert_eq(target.update_ms, 200u);
	press("Home");
	cr_assert_eq(target.update_ms, 0u);
	cr_assert(says("Updates\tat each event"));
	press("End");
	cr_assert_eq(target.update_ms, 60000u);
	cr_assert_eq(target.sets, 4u);
}

Test(updates_view, the_pointer_drags_the_slider, .fini = close_world)
{
	target_open(&w, 1000, 640, 6);
	world_key(&w, "7");
	settle();
	find_slider();
	cr_assert_gt(slider.w, 100);
	const int y = slider.y + slider.h / 2;
	world_click(&w, slider.x + 2, y, 1);
	app_poll(&w.app);
	cr_assert_eq(target.update_ms, 0u, "the left end is each event");
	app_event(
	    &w.app, &(struct ui_event){.kind = EV_DOWN, .x = slider.x + 2, .y = y, .button = 1});
	for (int x = slider.x; x <= slider.x + slider.w; x++)
		app_event(&w.app, &(struct ui_event){.kind = EV_MOVE, .x = x, .y = y});
	const unsigned sets = target.sets;
	cr_assert_leq(sets, 2u, "one at a time: %u", sets);
	app_event(&w.app,
	    &(struct ui_event){.kind = EV_UP, .x = slider.x + slider.w, .y = y, .button = 1});
	for (int i = 0; i < 3; i++)
		app_poll(&w.app);
	cr_assert_eq(target.update_ms, 60000u, "and in the end the last one");
	app_event(
	    &w.app, &(struct ui_event){.kind = EV_WHEEL, .x = slider.x + 9, .y = y, .wheel = -1});
	app_poll(&w.app);
	cr_assert_eq(target.update_ms, 10000u);
}

Test(updates_view, the_command_takes_milliseconds, .fini = close_world)
{
	static const char *const wrong[] = {"60001", "-1", "soon", "5s", "99999999999999999999"};
	target_open(&w, 1000, 640, 6);
	cr_assert(world_run(&w, "update 250\n"));
	app_poll(&w.app);
	cr_assert_eq(target.update_ms, 250u);
	cr_assert(world_run(&w, "update 20ms\n"));
	app_poll(&w.app);
	cr_assert_eq(target.update_ms, 20u);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char line[64];
		snprintf(line, sizeof line, "update %s\n", wrong[i]);
		cr_assert_not(world_run(&w, line), "%s", wrong[i]);
	}
	snprintf(target.refusal, sizeof target.refusal, "%s", "not while recording");
	cr_assert(world_run(&w, "update 5\n"));
	app_poll(&w.app);
	cr_assert_str_eq(w.app.toast, "Update interval: not while recording");
	cr_assert_eq(target.update_ms, 20u);
}

/* A target that publishes each event: the interval is this client's, and is seen once it is set. */
Test(updates_view, other_targets_are_seen_at_an_own_interval, .fini = close_world)
{
	world_open(&w, 1000, 640);
	world_live(&w, 6);
	world_key(&w, "7");
	cr_assert(world_run(&w, "update 50\n"));
	cr_assert_eq(w.source.interval_ms, 50u);
	cr_assert(says("Updates\tevery 50 ms"));
	world_wait(&w, 100);
	find_slider();
	cr_assert_gt(slider.w, 100);
	world_click(&w, slider.x + 2, slider.y + slider.h / 2, 1);
	cr_assert_eq(w.source.interval_ms, 0u);
	cr_assert(says("Updates\tat each event"));
	w.source.refusal = GCS_UNSUPPORTED;
	cr_assert_not(app_command(&w.app, COMMAND_update, "20"));
	cr_assert(says("Updates\tat each event"), "what was refused is not shown");
	cr_assert_eq(w.source.queries, 0u, "nothing is asked");
}

Test(updates_view, other_targets_have_no_slider, .fini = close_world)
{
	world_open(&w, 1000, 640);
	world_live(&w, 6);
	cr_assert_not(app_command(&w.app, COMMAND_update, NULL));
	cr_assert_str_eq(
	    w.app.toast, "This program publishes each event; update 50 takes one in 50 ms");
	world_key(&w, "7");
	world_wait(&w, 5000);
	find_slider();
	cr_assert_eq(slider.w, 0);
	cr_assert_eq(w.source.queries, 0u, "and is not asked");
}

Test(updates_view, looks_like_this, .fini = close_world)
{
	target_open(&w, 900, 420, 12);
	w.app.side_shown = false;
	app_layout(&w.app);
	world_key(&w, "U");
	settle();
	cr_assert(world_golden(&w, "updates"));
}

/* An old connection's answer never comes; the new one is asked again. */
Test(updates_view, a_new_connection_is_asked_again, .fini = close_world)
{
	target_open(&w, 1000, 640, 6);
	world_key(&w, "7");
	world_wait(&w, 10);
	target.update_ms = 500;
	world_live(&w, 0);
	target_event(&w, 1);
	settle();
	cr_assert_eq(target.asked, 2u);
	cr_assert(says("Updates\tevery 500 ms"));
}
