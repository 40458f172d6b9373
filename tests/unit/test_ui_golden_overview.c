/* Pictures of the overview and of survivors, pixel by pixel. A changed picture is looked at before
 * GCSPY_UPDATE_GOLDEN=1 makes it the golden. */
#include <criterion/criterion.h>

#include "ui_leak.h"

static struct leak_world w;

static void close_leak(void)
{
	leak_close(&w);
}

static bool shown(const char *name)
{
	leak_pointer(&w, EV_LEAVE, -1, -1);
	return window_golden(&w.replay.app, name);
}

static void show_leaks(void)
{
	leak_click(&w, UI_ID(PANEL_VIEW, OVERVIEW_LEAKS));
}

Test(golden_overview, large, .fini = close_leak)
{
	leak_open(&w, 1280, 800);
	cr_assert(shown("overview"));
	show_leaks();
	cr_assert(shown("leaks"));
}

Test(golden_overview, small, .fini = close_leak)
{
	leak_open(&w, 960, 720);
	cr_assert(shown("overview-small"));
	show_leaks();
	cr_assert(shown("leaks-small"));
}

Test(golden_overview, themes, .fini = close_leak)
{
	leak_open(&w, 1280, 800);
	app_command(&w.replay.app, COMMAND_theme, "light");
	w.replay.app.toast[0] = 0;
	cr_assert(shown("overview-light"));
	app_command(&w.replay.app, COMMAND_theme, "contrast");
	w.replay.app.toast[0] = 0;
	cr_assert(shown("overview-contrast"));
	show_leaks();
	cr_assert(shown("leaks-contrast"));
	app_command(&w.replay.app, COMMAND_theme, "light");
	w.replay.app.toast[0] = 0;
	cr_assert(shown("leaks-light"));
}

Test(golden_overview, twice_as_large, .fini = close_leak)
{
	leak_begin(&w, 2560, 1600);
	cr_assert(app_set_scale(&w.replay.app, 200));
	app_frame(&w.replay.app);
	leak_click(&w, LEAK_SAMPLE_BUTTON);
	leak_settle(&w);
	cr_assert(shown("overview-2x"));
	show_leaks();
	cr_assert(shown("leaks-2x"));
}

/* A window that is too small for all of it. */
Test(golden_overview, scrolled, .fini = close_leak)
{
	leak_open(&w, 1280, 800);
	cr_assert(app_set_scale(&w.replay.app, 200));
	app_frame(&w.replay.app);
	cr_assert(shown("overview-scroll"));
	app_command(&w.replay.app, COMMAND_tile_last, NULL);
	cr_assert(shown("overview-scrolled"));
}

/* As after a connection that was lost for a time. */
Test(golden_overview, gap, .fini = close_leak)
{
	leak_open(&w, 1280, 800);
	struct overview *o = &w.replay.app.replay.overview;
	uint32_t i = o->count / 3;
	while (o->at[i].time_ns - o->at[i - 1].time_ns < 1000000000)
		i++;
	o->at[i].after_gap = o->brief[i].after_gap = o->has_gaps = true;
	app_dirty_all(&w.replay.app);
	cr_assert(shown("overview-gap"));
}

/* A range, and the moment under the pointer in all charts and on the timeline. */
Test(golden_overview, range_and_moment, .fini = close_leak)
{
	leak_open(&w, 1280, 800);
	const struct timeline s =
	    overview_lay_out(&w.replay.app, w.replay.app.rect[PANEL_VIEW]).all;
	event_history_choose(
	    &w.replay.app, timeline_time(&s, s.ticks.x + 300), timeline_time(&s, s.ticks.x + 600));
	leak_settle(&w);
	leak_pointer(&w, EV_MOVE, s.ticks.x + 430, s.ticks.y + 60);
	cr_assert(window_golden(&w.replay.app, "overview-range"));
}
