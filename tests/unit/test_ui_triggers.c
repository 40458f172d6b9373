/* The view of triggers: set, completed, switched, kept, and what has fired (F17, V10). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "plugins_menu.h"
#include "plugins_view.h"
#include "triggers_view.h"
#include "ui_target.h"

static struct world w;

static struct triggers_view *view(void)
{
	return w.app.views[VIEW_TRIGGERS];
}

static void close_world(void)
{
	world_close(&w);
}

static bool says(const char *text)
{
	return window_says(&w.app, text);
}

/* Asks what is due, and takes the answers. */
static void settle(void)
{
	for (int i = 0; i < 3; i++)
		world_wait(&w, 10);
}

static void open_target(void)
{
	target_open(&w, 1000, 640, 6);
	world_key(&w, "8");
	settle();
	cr_assert(w.app.view == &triggers_view);
}

static void fire(void)
{
	target.fires = true;
	target_event(&w, 100);
	settle();
}

Test(triggers_view, typed_and_set_by_keys, .fini = close_world)
{
	open_target();
	world_key(&w, "!");
	world_type(&w, "pause > 2ms");
	world_key(&w, "Enter");
	settle();
	cr_assert_eq(target.set, 1u);
	cr_assert_str_eq(target.trigger[0].condition, "pause > 2ms");
	cr_assert_str_eq(target.trigger[0].name, "trigger-1");
	cr_assert(says("trigger-1\ton\tpause > 2ms\tmark the event\t0\t-\n"));
	cr_assert(says("night\tkept\tPause > 1s\tsave a recording \xc2\xb7 kept\t7\t-\n"));
}

Test(triggers_view, commands_set_switch_and_remove, .fini = close_world)
{
	open_target();
	cr_assert(world_run(&w, "trigger name=long do=pause,record nth=3 most=10 plugin=backtrace "
				"when=event = \"GC end\" and pause > 200ms\n"));
	settle();
	const struct target_trigger *t = &target.trigger[0];
	cr_assert_eq(t->actions, (uint32_t)(GCS_TRIGGER_PAUSE | GCS_TRIGGER_RECORD));
	cr_assert(t->nth == 3 && t->most == 10);
	cr_assert_str_eq(t->plugin, "backtrace");
	cr_assert(says("pause \xc2\xb7 save a recording \xc2\xb7 ask backtrace \xc2\xb7 every 3rd "
		       "time \xc2\xb7 at most 10 times"));
	cr_assert(world_run(&w, "trigger_switch long\n"));
	settle();
	cr_assert_eq(target.triggers, 0u);
	cr_assert(says("long\toff\t"));
	cr_assert(world_run(&w, "trigger_switch long\ntrigger_remove long\n"));
	settle();
	cr_assert_eq(target.triggers, 0u);
	cr_assert_eq(view()->set.count, 0u);
}

Test(triggers_view, what_the_server_rejects_is_off_and_says_why, .fini = close_world)
{
	open_target();
	snprintf(target.refusal, sizeof target.refusal, "\"paus\": expected an attribute");
	cr_assert(world_run(&w, "trigger name=x when=paus > 1\n"));
	settle();
	cr_assert_str_eq(w.app.toast, "Trigger: \"paus\": expected an attribute");
	cr_assert(says("x\trejected\tpaus > 1"));
	cr_assert(says("rejected\tx\t\"paus\": expected an attribute"));
}

Test(triggers_view, fires_are_marked_listed_and_gone_to, .fini = close_world)
{
	open_target();
	cr_assert(world_run(&w, "trigger name=long plugin=backtrace when=pause > 2ms\n"));
	settle();
	fire();
	target_event(&w, 100);
	target_event(&w, 100);
	settle();
	cr_assert(says("1 event at which triggers fired"));
	cr_assert(says("7\t1.522 s\tGC start\tlong\tkind Young"));
	cr_assert(says("long\ton\tpause > 2ms\task backtrace\t1\t1.522 s"));
	world_key(&w, "Ctrl+Up");
	cr_assert(w.app.event_history.back);
	cr_assert_eq(gcs_snapshot_occurrence(w.app.snapshot)->sequence, 7u);
	cr_assert(says("fired here\tlong\t1\tpause > 2ms\tbacktrace\t"));
	cr_assert_not(app_command(&w.app, COMMAND_fired_next, NULL));
	cr_assert_str_eq(w.app.toast, "No trigger has fired later");
	/* Its answer is shown as the plugin's. */
	const struct gcs_fired *f = gcs_snapshot_fired(w.app.snapshot, 0);
	cr_assert(plugins_show_fired(&w.app, f), "%s", w.app.toast);
	cr_assert(w.app.view == &plugins_view);
	cr_assert(says("about\tasked by trigger long at event 7"));
	cr_assert(says("  com.shop.Server.serve\tServer.java\t88"));
	/* The view of events has them too, and finds them. */
	world_key(&w, "7");
	cr_assert(says("fired\tlong\tpause > 2ms"));
	cr_assert(world_run(&w, "find fired long\n"));
	cr_assert(says("7\t1.522 s\tGC start\t\tfired long \xc2\xb7 kind Young"));
}

/* What has fired belongs to the condition that it fired with. */
Test(triggers_view, fires_of_an_earlier_condition_do_not_count, .fini = close_world)
{
	open_target();
	cr_assert(world_run(&w, "trigger name=long when=pause > 2ms\n"));
	settle();
	fire();
	cr_assert(says("long\ton\tpause > 2ms\tmark the event\t1\t1.522 s"));
	cr_assert(world_run(&w, "trigger name=long when=pause > 9ms\n"));
	cr_assert(says("long\ton\tpause > 9ms\tmark the event\t0\t-"), "at once");
	settle();
	cr_assert(says("long\ton\tpause > 9ms\tmark the event\t0\t-"));
	cr_assert(says("7\t1.522 s\tGC start\tlong (earlier condition)\t"));
	fire();
	cr_assert(says("long\ton\tpause > 9ms\tmark the event\t1\t"));
	cr_assert(says("\tlong\tkind"));
	/* Other actions leave the count. */
	cr_assert(world_run(&w, "trigger name=long do=record when=pause > 9ms\n"));
	cr_assert(says("long\ton\tpause > 9ms\tsave a recording\t1\t"));
}

Test(triggers_view, sent_again_to_the_same_program_only, .fini = close_world)
{
	open_target();
	cr_assert(world_run(&w, "trigger name=a when=count > 5\n"));
	settle();
	cr_assert_eq(target.set, 1u);
	world_live(&w, 0);
	target_event(&w, 100);
	settle();
	cr_assert_eq(target.set, 2u, "a new connection");
	cr_assert(app_connect(&w.app, "127.0.0.1:4000"));
	w.source.state = SOURCE_LIVE;
	target_event(&w, 100);
	settle();
	cr_assert_eq(target.set, 2u, "another program");
	cr_assert_not(view()->set.at[0].on);
	triggers_view.forget(view(), &w.app);
	cr_assert_eq(view()->set.count, 0u);
}

/* A saved trigger may pause the program: it waits to be switched on. */
Test(triggers_view, saved_triggers_are_off, .fini = close_world)
{
	struct textbuf state = {0};
	open_target();
	cr_assert(world_run(&w, "trigger name=a do=pause when=pause > 1s; or count = 3\n"));
	triggers_view.state(view(), &w.app, STATE_TARGET, &state);
	cr_assert_str_eq(textbuf_text(&state),
	    "\ttrigger name=a do=pause nth=1 most=0 on=yes when=pause > 1s%3b or count = 3\n");
	triggers_view.forget(view(), &w.app);
	w.app.view_state.running = true;
	cr_assert(app_command(&w.app, COMMAND_trigger,
	    "name=a do=pause nth=1 most=0 on=yes when=pause > 1s; or count = 3"));
	w.app.view_state.running = false;
	cr_assert_eq(target.set, 1u);
	cr_assert_not(view()->set.at[0].on);
	textbuf_fini(&state);
}

Test(triggers_view, wrong_texts_say_what_is_expected, .fini = close_world)
{
	static const char *const wrong[] = {"name=a", "do=explode when=count > 1",
	    "nth=x when=count > 1", "pause > 200ms", "name= when=count > 1"};
	open_target();
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		cr_assert_not(app_command(&w.app, COMMAND_trigger, wrong[i]), "%s", wrong[i]);
		cr_assert_not_null(strstr(w.app.toast, "expected"), "%s", w.app.toast);
	}
	cr_assert_eq(target.set, 0u);
}

static const char *complete(const char *text, uint32_t i)
{
	static struct trigger_suggestion s[TRIGGERS_SUGGESTIONS];
	const uint32_t n = triggers_complete(w.model, text, strlen(text), s);
	return i < n ? s[i].text : "";
}

Test(triggers_view, conditions_are_completed, .fini = close_world)
{
	world_open(&w, 400, 300);
	cr_assert_str_eq(complete("", 0), "event = ");
	cr_assert_str_eq(complete("ev", 0), "event = ");
	cr_assert_str_eq(complete("event = ", 0), "\"GC start\" ");
	cr_assert_str_eq(complete("event = GC e", 0), "\"GC end\" ");
	cr_assert_str_eq(complete("event = \"GC e", 0), "\"GC end\" ");
	cr_assert_str_eq(complete("event = \"GC end\" ", 0), "and ");
	cr_assert_str_eq(complete("event = \"GC end\" and pau", 0), "pause ");
	cr_assert_str_eq(complete("event = \"GC end\" and pause ", 0), "> ");
	cr_assert_str_eq(complete("heap a", 0), "\"heap after\" ");
	cr_assert_str_eq(complete("kind ", 0), "= ");
	cr_assert_str_eq(complete("kind = M", 0), "Mixed ");
	cr_assert_str_eq(complete("cause ", 0), "~ ");
	cr_assert_str_eq(complete("pause > 200ms ", 1), "or ");
	cr_assert_str_eq(complete("(pause > 1s or ", 0), "event = ");
	cr_assert_str_eq(complete("zzz", 0), "");
}

Test(triggers_view, a_suggestion_is_taken_over, .fini = close_world)
{
	open_target();
	world_key(&w, "!");
	world_type(&w, "event = GC e");
	world_key(&w, "Down");
	world_key(&w, "Enter");
	cr_assert_str_eq(view()->condition.text, "event = \"GC end\" ");
	cr_assert_eq(target.set, 0u, "Enter took the name over");
}

/* In a window that is too low for form and tables, all is reached by scrolling. */
Test(triggers_view, nothing_is_cut_off, .fini = close_world)
{
	static const int of[][3] = {{1280, 800, 200}, {1280, 800, 300}, {480, 360, 100}};
	open_target();
	cr_assert(world_run(&w, "trigger name=long when=pause > 2ms\n"));
	settle();
	fire();
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		app_resize(&w.app, of[i][0], of[i][1]);
		cr_assert(app_set_scale(&w.app, of[i][2]));
		app_frame(&w.app);
		const struct cv_rect r = w.app.rect[PANEL_VIEW];
		struct triggers_places p = triggers_places_of(view(), &w.app, r);
		const int row = table_row_height(&w.app.ui);
		cr_assert_gt(p.content, r.h, "window %zu", i);
		cr_assert(p.form.y >= r.y && p.table.h >= 2 * row && p.list.h >= 2 * row);
		for (int step = 0; step < 100; step++) {
			const struct ui_event ev = {
			    .kind = EV_WHEEL, .x = r.x + 3, .y = r.y + 3, .wheel = -1};
			app_event(&w.app, &ev);
			app_frame(&w.app);
		}
		p = triggers_places_of(view(), &w.app, r);
		cr_assert_eq(p.list.y + p.list.h, r.y + r.h, "window %zu", i);
		cr_assert(window_is_whole(&w.app));
		view()->scroll = 0;
	}
	app_resize(&w.app, 1280, 800);
	cr_assert(app_set_scale(&w.app, 200));
	cr_assert(world_golden(&w, "triggers_2x"));
}

Test(triggers_view, looks_like_this, .fini = close_world)
{
	target_open(&w, 1000, 520, 6);
	world_key(&w, "8");
	cr_assert(world_run(&w, "trigger name=long do=pause plugin=backtrace when=event = \"GC "
				"end\" and pause > 2ms\n"));
	settle();
	fire();
	cr_assert(world_run(&w, "trigger name=second when=count > 1000\n"));
	settle();
	world_key(&w, "!");
	world_type(&w, "event = ");
	cr_assert(world_golden(&w, "triggers"));
	app_resize(&w.app, 480, 520);
	cr_assert(world_golden(&w, "triggers_narrow"));
}
