/* Nothing is cut without a way to see it whole: in each view and dialog, from 1x to 3x (V10). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "ui_leak.h"

enum { CUTS = 400 };

static struct leak_world w;
static struct cut {
	struct cv_rect at;
	char text[UI_TIP_TEXT];
} cuts[CUTS];
static int count;

static void close_leak(void)
{
	leak_close(&w);
}

static struct app *app_of(void)
{
	return &w.replay.app;
}

static void note_cut(void *context, struct cv_rect at, const char *text, bool cut)
{
	const struct app *app = context;
	if (app->modal != MODAL_NONE && app->ui.panel != PANEL_MODAL)
		return;
	/* What is painted over another text hides that. */
	const int x = at.x + at.w / 2, y = at.y + at.h / 2;
	for (int i = 0; i < count; i++)
		if (rect_has(at, cuts[i].at.x + cuts[i].at.w / 2, cuts[i].at.y + cuts[i].at.h / 2))
			cuts[i--] = cuts[--count];
	if (!cut || count == CUTS || !rect_has(at, x, y))
		return;
	cuts[count].at = at;
	snprintf(cuts[count++].text, UI_TIP_TEXT, "%s", text);
}

static void look(void)
{
	struct app *app = app_of();
	app_dirty_all(app);
	count = 0;
	app->cv.note_text = note_cut;
	app->cv.note_context = app;
	app_frame(app);
	app->cv.note_text = NULL;
}

/* The tooltip of the pointer, which rests in the middle. */
static bool tells(struct cv_rect at, const char *text)
{
	char tip[UI_TIP_TEXT];
	struct app *app = app_of();
	leak_pointer(&w, EV_MOVE, at.x + at.w / 2, at.y + at.h / 2);
	app->now_ms += CUT_TEXT_MS;
	app_tick(app);
	app_frame(app);
	cut_text_tip(app, tip);
	return app->tip_shown && strstr(tip, text) != NULL;
}

/* Tools that come up under the pointer move a title aside. */
static bool tells_aside(const char *text)
{
	look();
	for (int i = 0; i < count; i++)
		if (strcmp(cuts[i].text, text) == 0)
			return tells(cuts[i].at, text);
	return false;
}

/* Every text that is cut has a tooltip with the whole of it. Returns their number. */
static int look_whole(const char *what, int scale)
{
	static struct cut seen[CUTS];
	leak_pointer(&w, EV_LEAVE, -1, -1);
	look();
	const int n = count;
	cr_assert_lt(n, CUTS);
	memcpy(seen, cuts, sizeof seen);
	for (int i = 0; i < n; i++)
		cr_assert(tells(seen[i].at, seen[i].text) || tells_aside(seen[i].text),
		    "%s at %d %%, %d,%d: '%s', tip '%s'", what, scale, seen[i].at.x, seen[i].at.y,
		    seen[i].text, app_of()->ui.tip);
	memcpy(cuts, seen, sizeof seen);
	count = n;
	return n;
}

static const char *const views[] = {"overview", "heap_map", "leaks", "call_sites", "flame_graph",
    "call_tables", "history", "charts", "chart histogram", "chart treemap", "chart table", "events",
    "triggers", "plugins"};
static const char *const dialogs[] = {"help", "command_palette", "connect", "general_info",
    "settings", "summary", "space_colours", "context_menu"};

static void run(const char *step)
{
	cr_assert(replay_run(&w.replay, step), "%s", step);
	leak_settle(&w);
}

static void look_at_all(int width, int height, int scale)
{
	char step[40];
	int cut = 0;
	leak_open(&w, width, height);
	snprintf(step, sizeof step, "scale_reset %d", scale);
	run(step);
	cr_assert_eq(app_of()->scale, scale);
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		run(views[i]);
		cut += look_whole(views[i], scale);
	}
	run("heap_map");
	for (size_t i = 0; i < sizeof dialogs / sizeof *dialogs; i++) {
		run(dialogs[i]);
		cr_assert_neq(app_of()->modal, MODAL_NONE, "%s", dialogs[i]);
		cut += look_whole(dialogs[i], scale);
		app_close_modal(app_of());
	}
	cr_assert_gt(cut, 0, "something to look at");
}

Test(cut_text, whole_in_a_tooltip_at_1x, .fini = close_leak)
{
	look_at_all(1280, 800, 100);
}

Test(cut_text, whole_in_a_tooltip_at_2x, .fini = close_leak)
{
	look_at_all(2560, 1600, 200);
}

Test(cut_text, whole_in_a_tooltip_at_3x, .fini = close_leak)
{
	look_at_all(3840, 2400, 300);
}

/* Most is cut where there is least room. */
Test(cut_text, whole_in_a_tooltip_in_a_small_window, .fini = close_leak)
{
	look_at_all(1280, 800, 200);
}

/* The pointer has to rest, and what moves away under it takes its tooltip along. */
Test(cut_text, comes_after_a_rest, .fini = close_leak)
{
	struct app *app = app_of();
	leak_open(&w, 640, 480);
	run("heap_map");
	cr_assert_gt(look_whole("heap_map", 100), 0);
	const struct cv_rect at = cuts[0].at;
	leak_pointer(&w, EV_LEAVE, -1, -1);
	leak_pointer(&w, EV_MOVE, at.x + 1, at.y + at.h / 2);
	app->now_ms += CUT_TEXT_MS - 1;
	app_tick(app);
	app_frame(app);
	cr_assert(rect_empty(app->cut_text.at), "too early");
	app->now_ms++;
	app_tick(app);
	app_frame(app);
	cr_assert(rect_same(app->cut_text.at, at));
	cr_assert(app->tip_shown);
	leak_pointer(&w, EV_MOVE, at.x + 2, at.y + at.h / 2);
	cr_assert(app->tip_shown, "within the same text it stays");
	run("charts");
	app_dirty_all(app);
	app_frame(app);
	cr_assert(rect_empty(app->cut_text.at) || strcmp(app->cut_text.text, cuts[0].text) != 0,
	    "what is not there any more is not told");
	leak_pointer(&w, EV_LEAVE, -1, -1);
	cr_assert(rect_empty(app->cut_text.at));
}

/* What a key brings under the pointer is told as well; without a pointer keys make nothing due. */
Test(cut_text, keys_do_not_wake, .fini = close_leak)
{
	struct app *app = app_of();
	leak_open(&w, 640, 480);
	run("heap_map");
	leak_pointer(&w, EV_LEAVE, -1, -1);
	app_event(app, &(struct ui_event){.kind = EV_KEY, .key = ']'});
	cr_assert_eq(cut_text_due_ms(app), UINT64_MAX);
	leak_pointer(&w, EV_MOVE, 20, 20);
	app->now_ms += CUT_TEXT_MS;
	app_tick(app);
	cr_assert_eq(cut_text_due_ms(app), UINT64_MAX, "once");
	app_event(app, &(struct ui_event){.kind = EV_KEY, .key = ']'});
	cr_assert_neq(cut_text_due_ms(app), UINT64_MAX);
}
