/* The flame graph as a user works with it: zooming, searching, keys, the pointer (S6, S8, V9). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flame_view.h"
#include "ui_calls.h"
#include "ui_profile.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct flame_view *view(void)
{
	return w.app.views[VIEW_FLAME];
}

static const struct gcs_node *node(uint32_t number)
{
	return gcs_tree_node(flame_part(view())->tree, number);
}

static uint32_t named(const char *name)
{
	uint32_t found = calltree_find_name(flame_part(view()), name);
	cr_assert_neq(found, GCS_NONE, "%s", name);
	return found;
}

static void open_shop(void)
{
	calls_open_shop(&w, "3", 1120, 640);
}

static void click(uint32_t number)
{
	struct cv_rect r = flame_rect(view(), &w.app, number);
	cr_assert_gt(r.w, 0);
	world_click(&w, r.x + r.w / 2, r.y + r.h / 2, 1);
}

static bool says(const char *text)
{
	return calls_says(&w, text);
}

Test(flame, asks_as_the_other_views_do, .fini = close_world)
{
	world_open(&w, 1120, 640);
	world_live(&w, 2);
	world_wait(&w, 10000);
	cr_assert_eq(w.source.queries, 0u);
	world_key(&w, "3");
	world_wait(&w, 0);
	cr_assert(w.app.view == &flame_view && w.source.queries == 1);
	cr_assert(says("Loading call sites"));
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	/* One profile for all three: the others have it at once. */
	world_key(&w, "2");
	cr_assert(says("Arrays.copyOf Arrays.java:3537"));
	world_key(&w, "4");
	cr_assert(says("Thread.run"));
	cr_assert_eq(w.source.queries, 1u);
	/* So are kind, filter and runtime frames. */
	world_key(&w, "H");
	world_run(&w, "sites_filter byte\n");
	world_key(&w, "3");
	cr_assert(w.app.profiles.runtime_frame && says("filter\tbyte"));
	world_wait(&w, PROFILES_REFRESH_MS);
	cr_assert_eq(w.source.queries, 2u);
}

Test(flame, frames_are_as_wide_as_their_share, .fini = close_world)
{
	open_shop();
	struct cv_rect all = flame_rect(view(), &w.app, 0);
	cr_assert_leq(abs(all.w - view()->area.w), 2);
	for (uint32_t i = 0; i < gcs_tree_count(flame_part(view())->tree); i++) {
		struct cv_rect r = flame_rect(view(), &w.app, i);
		double share = node(i)->total_bytes / node(0)->total_bytes;
		cr_assert_leq(fabs(r.w - share * all.w), 3, "%s", node(i)->name);
		if (i == 0)
			continue;
		struct cv_rect parent = flame_rect(view(), &w.app, node(i)->parent);
		cr_assert(r.x >= parent.x && r.x + r.w <= parent.x + parent.w + 1);
		cr_assert_eq(r.y + flame_row_height(&w.app), parent.y, "the root is at the bottom");
	}
	world_key(&w, "Shift+F");
	cr_assert_gt(flame_rect(view(), &w.app, 1).y, flame_rect(view(), &w.app, 0).y);
	/* By objects other frames are wide. */
	uint32_t items = named("LineItem");
	int before = flame_rect(view(), &w.app, items).w;
	world_key(&w, "Shift+U");
	cr_assert_gt(flame_rect(view(), &w.app, items).w, before);
	cr_assert(says("flame graph\tLive\tobjects"));
}

Test(flame, a_click_zooms_and_escape_goes_back_one_step, .fini = close_world)
{
	open_shop();
	click(named("Handler.handle"));
	cr_assert_eq(view()->focus, named("Handler.handle"));
	cr_assert_leq(abs(flame_rect(view(), &w.app, view()->focus).w - view()->area.w), 2);
	cr_assert(says("zoomed\tcom.example.shop.http.Handler.handle"));
	click(named("Sessions.open"));
	cr_assert_eq(view()->focus, named("Sessions.open"));
	/* Callers stay in sight, and one click leads back to them. */
	cr_assert_leq(abs(flame_rect(view(), &w.app, named("Thread.run")).w - view()->area.w), 2);
	world_key(&w, "Escape");
	cr_assert_eq(view()->focus, named("Handler.handle"));
	world_key(&w, "Backspace");
	cr_assert_eq(view()->focus, 0u);
	cr_assert(w.app.view == &flame_view);
	world_key(&w, "Escape");
	cr_assert(w.app.view == &heap_view);
}

Test(flame, breadcrumbs_lead_back, .fini = close_world)
{
	open_shop();
	world_run(&w, "frame Handler.handle\n");
	world_key(&w, "Enter");
	cr_assert_eq(view()->focus, named("Handler.handle"));
	bool back = false;
	for (int i = 0; i < 60 && !back; i++) {
		world_key(&w, "Tab");
		if (w.app.ui.focus < UI_ID(PANEL_VIEW, FLAME_CRUMB) ||
		    w.app.ui.focus >= UI_ID(PANEL_VIEW, FLAME_CRUMB + FLAME_CRUMBS))
			continue;
		world_key(&w, "Enter");
		back = view()->focus != named("Handler.handle");
	}
	cr_assert_eq(view()->focus, 0u, "the first crumb is the root");
}

Test(flame, zoom_and_selection_are_found_again, .fini = close_world)
{
	open_shop();
	click(named("Sessions.open"));
	world_run(&w, "frame HashMap.resize\n");
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 3));
	cr_assert_eq(view()->focus, named("Sessions.open"));
	cr_assert_eq(view()->selected, named("HashMap.resize"));
	/* In a profile without it all is shown. */
	calls_next(&w, calls_single());
	cr_assert(view()->focus == 0 && view()->selected == GCS_NONE);
}

Test(flame, keys_move_among_frames, .fini = close_world)
{
	open_shop();
	world_key(&w, "Up");
	cr_assert_eq(view()->selected, 0u);
	world_key(&w, "Up");
	cr_assert_str_eq(node(view()->selected)->name, "java.lang.Thread.run");
	world_key(&w, "Up");
	world_key(&w, "Up");
	uint32_t first = view()->selected;
	world_key(&w, "Right");
	cr_assert_eq(node(view()->selected)->parent, node(first)->parent);
	cr_assert_leq(node(view()->selected)->total_bytes, node(first)->total_bytes);
	world_key(&w, "Left");
	cr_assert_eq(view()->selected, first);
	world_key(&w, "Left");
	cr_assert_eq(view()->selected, first, "there is nothing beside it");
	world_key(&w, "Down");
	cr_assert_eq(view()->selected, node(first)->parent);
	world_key(&w, "End");
	cr_assert_eq(node(view()->selected)->kind, GCS_NODE_CLASS);
	cr_assert(says("Kind\tAllocated class"));
	/* With the root on top the way away from it is down. */
	world_key(&w, "Shift+F");
	uint32_t at = view()->selected;
	world_key(&w, "Up");
	cr_assert_eq(view()->selected, node(at)->parent);
	world_key(&w, "Home");
	cr_assert_eq(view()->selected, view()->focus);
	for (int i = 0; i < 100; i++)
		world_key(&w, "Right");
	cr_assert(view()->selected != GCS_NONE);
}

Test(flame, wheel_zooms_at_the_pointer_and_dragging_pans, .fini = close_world)
{
	open_shop();
	struct cv_rect r = flame_rect(view(), &w.app, named("Sessions.open"));
	int x = r.x + r.w / 2, width = r.w;
	struct ui_event ev = {.kind = EV_WHEEL, .x = x, .y = r.y + 4, .wheel = 1};
	for (int i = 0; i < 3; i++) {
		app_event(&w.app, &ev);
		app_frame(&w.app);
	}
	r = flame_rect(view(), &w.app, named("Sessions.open"));
	cr_assert_gt(r.w, width * 17 / 10);
	cr_assert_leq(abs(r.x + r.w / 2 - x), 4, "what is under the pointer stays there");
	/* Dragging moves it, and is no click. */
	uint32_t focus = view()->focus;
	ev = (struct ui_event){.kind = EV_DOWN, .x = x, .y = r.y + 4, .button = 1};
	app_event(&w.app, &ev);
	ev.kind = EV_MOVE;
	ev.x = x + 60;
	app_event(&w.app, &ev);
	ev.kind = EV_UP;
	app_event(&w.app, &ev);
	app_frame(&w.app);
	struct cv_rect moved = flame_rect(view(), &w.app, named("Sessions.open"));
	cr_assert_leq(abs(moved.x - r.x - 60), 2);
	cr_assert_eq(view()->focus, focus);
	world_key(&w, "Escape");
	cr_assert(view()->zoom.from == 0 && view()->zoom.to == 1);
	world_key(&w, "+");
	cr_assert_lt(view()->zoom.to - view()->zoom.from, 1);
	world_key(&w, "-");
	world_key(&w, "-");
	cr_assert(view()->zoom.from == 0 && view()->zoom.to == 1);
}

Test(flame, a_tip_has_the_figures, .fini = close_world)
{
	open_shop();
	struct cv_rect r = flame_rect(view(), &w.app, named("PageWriter.flush"));
	world_move(&w, r.x + 10, r.y + 5);
	const char *tip = w.app.ui.tip;
	cr_assert_not_null(strstr(tip, "com.example.shop.render.PageWriter.flush"));
	cr_assert_not_null(strstr(tip, "Kind\tJava method"));
	cr_assert_not_null(strstr(tip, "Bytes\t30.7 MiB \xc2\xb1 3.91 MiB"), "%s", tip);
	cr_assert_not_null(strstr(tip, "Of total\t35.7 %"), "%s", tip);
	cr_assert_not_null(strstr(tip, "Of parent\t58.8 %"), "%s", tip);
	cr_assert_not_null(strstr(tip, "Samples\t61"));
	cr_assert_not_null(strstr(tip, "Objects\t3,"), "%s", tip);
	world_move(&w, view()->area.x + 10, view()->area.y + 2);
	cr_assert_eq(w.app.ui.tip[0], 0, "there is no frame");
}

Test(flame, a_search_marks_and_counts_but_removes_nothing, .fini = close_world)
{
	open_shop();
	uint32_t frames = gcs_tree_count(flame_part(view())->tree);
	world_key(&w, "/");
	world_type(&w, "hashmap");
	cr_assert_eq(gcs_tree_count(flame_part(view())->tree), frames);
	cr_assert(view()->hit[named("HashMap.resize")] && !view()->hit[named("Thread.run")]);
	/* Of nested ones the outer counts: HashMap and ConcurrentHashMap. */
	double share = (node(named("HashMap.putVal"))->total_bytes +
			   node(named("ConcurrentHashMap.putVal"))->total_bytes) /
		       node(0)->total_bytes;
	cr_assert(fabs(view()->matched - share) < 1e-9);
	cr_assert(says("5 found \xc2\xb7 21.0 % matched"));
	world_run(&w, "sites_filter class:byte[\n");
	cr_assert_eq(view()->hits, 2u);
	/* Of threads the graph shows those that fit, and nothing else. */
	const double all = node(0)->total_bytes;
	world_run(&w, "sites_filter thread:CACHE-w\n");
	cr_assert(view()->hit == NULL && says(" frames of these threads"));
	cr_assert(node(0)->total_bytes > 0 && node(0)->total_bytes < all);
	cr_assert_lt(gcs_tree_count(flame_part(view())->tree), frames);
	world_run(&w, "sites_filter thread:/^(cache-warmer|http-.*)$\n");
	cr_assert(node(0)->total_bytes > 0 && node(0)->total_bytes <= all);
	world_run(&w, "sites_filter thread:[no.body]\n");
	cr_assert(says("No thread matches the filter"));
	world_run(&w, "sites_filter /[\n");
	cr_assert(says("invalid pattern"));
	world_key(&w, "Escape"); /* out of the field */
	world_key(&w, "Escape");
	cr_assert(w.app.profiles.field.text[0] == 0 && w.app.view == &flame_view);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

Test(flame, a_monkey, .fini = close_world)
{
	static const char *const keys[] = {"Up", "Down", "Left", "Right", "Enter", "Backspace",
	    "Escape", "+", "-", "0", "Home", "End", "PageUp", "PageDown", "Shift+F", "Shift+U",
	    "Shift+C", "Shift+E", "Ctrl+D", "H", "K", "3", "4", "2", "Shift+T", "*", "O", "Tab"};
	uint32_t seed = 7;
	open_shop();
	for (int i = 0; i < 500; i++) {
		uint32_t r = next_random(&seed);
		if (r % 4 != 0)
			world_key(&w, keys[r % (sizeof keys / sizeof *keys)]);
		else if (r % 8 == 0)
			world_click(&w, (int)(next_random(&seed) % 1120),
			    48 + (int)(next_random(&seed) % 480), 1);
		else
			world_move(
			    &w, (int)(next_random(&seed) % 1120), (int)(next_random(&seed) % 640));
		world_wait(&w, r % 50);
		enum gcs_profile_kind kind;
		if (!w.source.pending || w.app.state != SOURCE_LIVE)
			continue;
		bool tiles = strcmp(w.source.topic, "tiles") == 0;
		if (tiles || !gcs_profile_find_kind(w.source.kind, &kind))
			world_answer(&w, GCS_UNSUPPORTED, "no", NULL);
		else if (r % 3 != 0)
			world_answer(&w, GCS_OK, "",
			    r % 7 == 0 ? profile_strange(kind) : profile_shop(kind, r % 9));
	}
}

/* Zooming the whole window keeps the graph fitted: nothing is left over, nothing cut off. */
Test(flame, zooming_the_window_keeps_it_fitted, .fini = close_world)
{
	open_shop();
	for (int i = 0; i < 6; i++) {
		world_key(&w, i < 3 ? "Ctrl++" : "Ctrl+-");
		const struct cv_rect all = flame_rect(view(), &w.app, 0);
		cr_assert_leq(abs(all.x - view()->area.x), 1, "%d", w.app.scale);
		cr_assert_leq(abs(all.w - view()->area.w), 2, "%d", w.app.scale);
		cr_assert(view()->zoom.from == 0 && view()->zoom.to == 1);
		cr_assert_eq(view()->scroll, 0);
	}
	/* A deep frame stays where it can be seen. */
	calls_next(&w, calls_recursive(400));
	calls_settle(&w);
	world_run(&w, "frame app.Leaf\n");
	for (int i = 0; i < 6; i++) {
		world_key(&w, i < 3 ? "Ctrl++" : "Ctrl+-");
		const struct cv_rect leaf = flame_rect(view(), &w.app, view()->selected);
		cr_assert(rect_meets(leaf, view()->area), "%d", w.app.scale);
	}
}
