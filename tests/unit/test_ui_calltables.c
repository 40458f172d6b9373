/* Callers and callees as tables: top-down, bottom-up, sandwich, differences, hostile profiles (S6, S8,
 * V9, Q2). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "ui_calls.h"
#include "ui_profile.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct calls_view *view(void)
{
	return w.app.views[VIEW_CALLS];
}

static void open_shop(void)
{
	calls_open_shop(&w, "4", 1120, 640);
}

static bool says(const char *text)
{
	return calls_says(&w, text);
}

/* The name in the selected row. */
static const char *selected(void)
{
	const struct gcs_node *node = calls_selected(view());
	return node != NULL ? node->name : "";
}

Test(calltables, rows_are_opened_and_closed, .fini = close_world)
{
	open_shop();
	cr_assert_eq(view()->rows, 2u, "the root and what it called");
	world_key(&w, "Down");
	cr_assert_str_eq(selected(), "all");
	world_key(&w, "Right");
	cr_assert_str_eq(selected(), "java.lang.Thread.run");
	/* Where there is no choice more than one row opens. */
	world_key(&w, "Right");
	cr_assert(calls_is_open(view(), 2) && view()->rows > 5);
	uint32_t rows = view()->rows;
	world_key(&w, "Left");
	cr_assert_eq(view()->rows, 2u);
	world_key(&w, "Left");
	cr_assert_str_eq(selected(), "all");
	world_key(&w, "Left");
	cr_assert_eq(view()->rows, 1u);
	world_key(&w, "Enter");
	cr_assert_eq(view()->rows, rows);
	/* What is open stays so in the next profile, and the selection. */
	world_run(&w, "frame Handler.handle\n");
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 2));
	cr_assert_eq(view()->rows, rows);
	cr_assert_str_eq(selected(), "com.example.shop.http.Handler.handle");
	world_key(&w, "Home");
	world_key(&w, "*");
	cr_assert_eq(view()->rows, gcs_tree_count(calls_part(view(), 0)->tree));
}

Test(calltables, the_pointer_opens_rows, .fini = close_world)
{
	open_shop();
	struct table_rows rows = calls_table_rows(view(), &w.app);
	int x[TABLE_COLUMNS], widths[TABLE_COLUMNS];
	struct cv_rect r = view()->table_at;
	table_layout(&w.app.ui, &rows, r.w - ui_px(&w.app.ui, 12), x, widths);
	int h = font_height(w.app.fonts.face[FONT_UI]) + ui_px(&w.app.ui, 8);
	int at = r.x + x[CALLS_NAME] + 6 + 14 + 4; /* the mark of the second row */
	world_click(&w, at, r.y + 26 + h + h / 2, 1);
	cr_assert_gt(view()->rows, 2u);
	world_click(&w, at, r.y + 26 + h + h / 2, 1);
	cr_assert_eq(view()->rows, 2u);
	world_click(&w, at + 40, r.y + 26 + h + h / 2, 1);
	cr_assert_eq(view()->rows, 2u, "the name only selects");
	cr_assert_eq(view()->table.selected, 1u);
}

/* Rows below an open one add up to it, in any order of columns. */
Test(calltables, sums_and_order, .fini = close_world)
{
	open_shop();
	world_key(&w, "Down");
	world_key(&w, "*");
	static const char *const columns[] = {
	    "bytes", "error", "self", "objects", "samples", "name", "share"};
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		char step[64];
		snprintf(step, sizeof step, "sites_sort %s\n", columns[i]);
		cr_assert(world_run(&w, step));
		for (uint32_t row = 0; row + 1 < view()->rows; row++) {
			const struct gcs_node *a = calls_node(view(), row);
			const struct gcs_node *b = calls_node(view(), row + 1);
			bool siblings = a->parent == b->parent && a->first_child == GCS_NONE;
			if (siblings && i < 5)
				cr_assert_geq(calls_value(a, view()->table.sort),
				    calls_value(b, view()->table.sort));
			cr_assert_leq(b->depth, a->depth + 1);
		}
		cr_assert_eq(view()->rows, gcs_tree_count(calls_part(view(), 0)->tree));
	}
	cr_assert_not(world_run(&w, "sites_sort nonsense\n"));
	world_key(&w, "Shift+O");
	cr_assert_not(view()->table.falling);
	world_key(&w, "O");
}

Test(calltables, bottom_up_begins_with_the_classes, .fini = close_world)
{
	open_shop();
	world_key(&w, "Shift+T");
	cr_assert(says("calls\tBottom-up\tLive"));
	cr_assert_eq(view()->rows, 10u, "all, and the nine classes");
	cr_assert_eq(calls_node(view(), 1)->kind, GCS_NODE_CLASS);
	world_key(&w, "Down");
	world_key(&w, "Down");
	world_key(&w, "Right");
	world_key(&w, "Right");
	cr_assert_str_eq(selected(), "java.util.Arrays.copyOf");
	double sum = 0;
	for (uint32_t i = 0; i < view()->rows; i++)
		if (calls_node(view(), i)->depth == 1)
			sum += calls_node(view(), i)->total_bytes;
	cr_assert(abs((int)(sum - calls_node(view(), 0)->total_bytes)) <= 1);
}

Test(calltables, a_sandwich_of_the_selected_method, .fini = close_world)
{
	open_shop();
	cr_assert(world_run(&w, "sites_group sandwich\n"));
	cr_assert(says("No method selected"));
	world_run(&w, "sites_group top-down\n");
	world_key(&w, "Down");
	world_key(&w, "*");
	world_run(&w, "frame Order.addItem\n");
	world_key(&w, "Shift+T");
	world_key(&w, "Shift+T");
	cr_assert_eq(view()->form, CALLTREE_SANDWICH);
	cr_assert_str_eq(view()->method, "com.example.shop.model.Order.addItem");
	const struct gcs_node *callers = gcs_tree_node(calls_part(view(), 0)->tree, 0);
	const struct gcs_node *callees = gcs_tree_node(calls_part(view(), 1)->tree, 0);
	cr_assert(callers->total_bytes == callees->total_bytes && callers->samples == 29);
	cr_assert(says("callers of com.example.shop.model.Order.addItem"));
	cr_assert(says("OrderReader$Row.read"));
	cr_assert(says("LineItem"));
	/* Enter goes on to the method of a row. */
	world_run(&w, "frame OrderReader.run\n");
	world_key(&w, "Enter");
	cr_assert_str_eq(view()->method, "com.example.shop.imports.OrderReader.run");
	cr_assert(world_run(&w, "sites_group sandwich no.such.method\n"));
	cr_assert_eq(view()->rows, 2u);
	cr_assert_not(world_run(&w, "sites_group sideways\n"));
	/* A frame of the flame graph is a method, too. */
	world_run(&w, "sites_group top-down\n");
	view()->method[0] = 0;
	world_key(&w, "3");
	world_run(&w, "frame Price.format\n");
	world_key(&w, "4");
	world_run(&w, "sites_group sandwich\n");
	cr_assert_str_eq(view()->method, "com.example.shop.catalogue.Price.format");
}

Test(calltables, a_filter_leaves_what_it_finds_and_the_way_to_it, .fini = close_world)
{
	open_shop();
	world_key(&w, "/");
	world_type(&w, "linei");
	cr_assert(says("1 found \xc2\xb7 9.9 % matched"));
	cr_assert_eq(view()->rows, 7u, "opened as far as the class");
	cr_assert_str_eq(calls_node(view(), 6)->name, "com.example.shop.model.LineItem");
	world_key(&w, "Enter");
	world_key(&w, "Down");
	world_key(&w, "Left");
	cr_assert_eq(view()->rows, 1u, "what the filter has opened can be closed");
	world_run(&w, "sites_filter nothing-like-it\n");
	cr_assert(says("No row matches the filter"));
	world_key(&w, "Escape");
	world_key(&w, "Escape");
	cr_assert_eq(view()->rows, 2u);
	cr_assert(w.app.view == &calls_view);
	world_key(&w, "Escape");
	cr_assert(w.app.view == &heap_view);
}

Test(calltables, differences_have_signs, .fini = close_world)
{
	open_shop();
	world_key(&w, "Ctrl+D");
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 2));
	cr_assert(says("+20\t0\tall"), "samples");
	/* Back in time it shrinks. */
	world_key(&w, "Ctrl+D");
	world_key(&w, "Ctrl+D");
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert(says("\xe2\x80\x93"
		       "20\t0\tall"));
	calls_next(&w, calls_single());
	cr_assert_str_eq(calls_node(view(), 1)->name, "java.lang.Thread.run",
	    "what changed most comes first, though it is less");
	world_key(&w, "Down");
	world_key(&w, "*");
	cr_assert(says("gone"));
	cr_assert(says("new"));
	world_key(&w, "2");
	cr_assert(says("gone"));
	cr_assert(says("Compared with mark A"));
	world_key(&w, "Down");
	cr_assert(says("Change\t"));
	world_key(&w, "Escape");
	cr_assert_not(says("gone"));
}

Test(calltables, copied_rows_are_a_table, .fini = close_world)
{
	open_shop();
	world_key(&w, "Down");
	world_key(&w, "*");
	world_key(&w, "Ctrl+C");
	cr_assert_not_null(strstr(w.clipboard,
	    "\nBytes\t\xc2\xb1\tShare\tSelf\tObjects\tSamples\tDepth\tName\tOutside the JDK\n"));
	cr_assert_not_null(strstr(w.clipboard, "\t34\t7\tjava.util.HashMap$Node[]\t"
					       "Sessions.open:57 Sessions.java\n"),
	    "%s", w.clipboard);
}

/* The deepest stacks, the most sites, and names that nobody expects. */
Test(calltables, limits_are_told, .fini = close_world)
{
	open_shop();
	calls_next(&w, profile_many(GCS_PROFILE_LIVE, 9000));
	calls_settle(&w);
	world_key(&w, "Down");
	world_run(&w, "sites_sort name\n");
	world_run(&w, "sites_group bottom-up\n");
	calls_settle(&w);
	world_key(&w, "Home");
	world_key(&w, "*");
	cr_assert_not_null(strstr(w.app.toast, "stay collapsed"), "%s", w.app.toast);
	cr_assert_gt(view()->rows, 5000u);
	world_key(&w, "End");
	cr_assert_eq(view()->table.selected, view()->rows - 1);
	calls_next(&w, calls_recursive(4000));
	calls_settle(&w);
	world_run(&w, "sites_group top-down\n");
	calls_settle(&w);
	world_key(&w, "Home");
	world_key(&w, "*");
	cr_assert_geq(view()->rows, 4003u);
	world_key(&w, "End");
	cr_assert_gt(view()->table.tree_scroll, 1000, "the name is in sight");
	world_key(&w, "Home");
	cr_assert_eq(view()->table.tree_scroll, 0);
	world_key(&w, "Shift+C");
	calls_settle(&w);
	cr_assert_leq(view()->rows, 5u);
	calls_next(&w, profile_strange(GCS_PROFILE_LIVE));
	calls_settle(&w);
	world_key(&w, "Home");
	world_key(&w, "*");
	world_key(&w, "Shift+T");
	calls_settle(&w);
	world_key(&w, "Down");
	world_key(&w, "*");
	world_key(&w, "Ctrl+C");
	app_resize(&w.app, 200, 100);
	world_key(&w, "PageDown");
	app_resize(&w.app, 1, 1);
	world_key(&w, "PageDown");
}

Test(calltables, keys_of_rows, .fini = close_world)
{
	struct keyset set = {0};
	for (uint64_t i = 0; i < KEYSET_MOST; i++)
		cr_assert(keyset_add(&set, i * 64));
	cr_assert_not(keyset_add(&set, 3), "it is bounded");
	cr_assert(keyset_has(&set, 0) && keyset_has(&set, 64) && !keyset_has(&set, 65));
	for (uint64_t i = 0; i < KEYSET_MOST; i += 2)
		keyset_remove(&set, i * 64);
	for (uint64_t i = 0; i < KEYSET_MOST; i++)
		cr_assert_eq(keyset_has(&set, i * 64), i % 2 == 1);
	keyset_clear(&set);
	cr_assert_not(keyset_has(&set, 64));
	world_open(&w, 100, 100);
}
