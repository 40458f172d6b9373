/* The view of plugins: questions about a tile or a thread, and their answers (F18, V10). */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_view.h"
#include "plugins_menu.h"
#include "plugins_view.h"
#include "related.h"
#include "ui_target.h"

static struct world w;

static struct plugins_view *view(void)
{
	return w.app.views[VIEW_PLUGINS];
}

static struct plugin_page *page(void)
{
	return plugins_page(view());
}

static void close_world(void)
{
	world_close(&w);
}

static void open_target(void)
{
	target_open(&w, 1000, 640, 6);
}

static bool says(const char *text)
{
	return window_says(&w.app, text);
}

static void run(const char *script)
{
	cr_assert(world_run(&w, script), "%s", w.app.toast);
	world_wait(&w, 10);
}

Test(plugins_view, a_backtrace_is_a_tree, .fini = close_world)
{
	open_target();
	run("ask backtrace thread=worker 1\n");
	cr_assert_str_eq(target.question, "backtrace thread=worker 1");
	cr_assert(w.app.view == &plugins_view);
	cr_assert(says("answer\tmain, 5 frames\n"
		       "Frame\tFile\tLine\n"
		       "java.lang.Thread.run\tThread.java\t1,583\n"
		       "  com.shop.Server.serve\tServer.java\t88\n"
		       "    com.shop.Cart.add\tCart.java\t31\n"
		       "      libzip.so\t\t-\n"
		       "  com.shop.Log.flush\tLog.java\t7\n"));
	cr_assert(says("answered at event 6"));
}

/* Going back in the history is another model, and pages move. */
Test(plugins_view, titles_stay_when_the_pages_move, .fini = close_world)
{
	open_target();
	run("ask fragmentation\n");
	const struct plugin_page *before = page();
	const struct plugin_answer *a = &before->answer;
	cr_assert(a->columns > 1);
	for (int i = 0; i < a->columns; i++) {
		const char *at = a->column[i].title;
		cr_assert(at < (const char *)before || at >= (const char *)(before + 1),
		    "column %d is named in a page that moves", i);
		cr_assert_eq(a->column[i].name, at);
	}
	char *titles = strdup(a->column[1].title);
	view()->model = NULL;
	plugins_sync(view(), &w.app);
	cr_assert_neq(page(), before);
	cr_assert_str_eq(page()->answer.column[1].title, titles);
	free(titles);
	cr_assert(says("fragmentation (512)\t-\t29.5 KiB"));
}

Test(plugins_view, branches_close_by_keys, .fini = close_world)
{
	open_target();
	run("ask backtrace\n");
	cr_assert_str_eq(target.question, "backtrace", "the server knows the initial value");
	const struct plugin_answer *a = &page()->answer;
	world_key(&w, "Down");
	world_key(&w, "Down");
	cr_assert_eq(a->table.selected, 1u);
	world_key(&w, "Left");
	cr_assert_eq(a->rows, 3u, "what it calls is closed");
	cr_assert_eq(a->row[2], 4u);
	world_key(&w, "Left");
	cr_assert_eq(a->table.selected, 0u, "to the caller");
	world_key(&w, "Enter");
	cr_assert_eq(a->rows, 1u);
	world_key(&w, "*");
	cr_assert_eq(a->rows, 5u);
	world_key(&w, "Enter");
	world_key(&w, "Right");
	cr_assert_eq(a->rows, 5u);
}

Test(plugins_view, tables_sort_and_unknown_numbers_come_last, .fini = close_world)
{
	open_target();
	run("ask fragmentation\n");
	cr_assert_str_eq(target.question, "fragmentation space=0", "the active space");
	struct plugin_answer *a = &page()->answer;
	cr_assert_eq(a->row[0], 0u);
	a->table.sort = 1;
	plugin_rows_sort(a);
	cr_assert(a->row[0] == 1 && a->row[1] == 0 && a->row[2] == 2);
	a->table.falling = true;
	plugin_rows_sort(a);
	cr_assert(a->row[0] == 0 && a->row[1] == 1 && a->row[2] == 2);
	cr_assert(says("fragmentation (512)\t-\t29.5 KiB"));
}

Test(plugins_view, memory_of_the_selected_tile, .fini = close_world)
{
	char question[200];
	uint64_t start, end;
	open_target();
	run("select G1 regions 30\n");
	cr_assert(related_range(w.app.snapshot, WORLD_REGIONS, 30, &start, &end));
	run("ask memory\n");
	snprintf(question, sizeof question, "memory address=0x%" PRIx64 " length=65536", start);
	cr_assert_str_eq(target.question, question, "at most 64 KiB");
	cr_assert_eq(page()->answer.rows, 16u);
	snprintf(question, sizeof question,
	    "0x%012" PRIx64 "\t00 01 02 03 04 00 06 07  08 09 00 0b 0c 0d 0e 00\t"
	    "................\tbyte[8], header\n",
	    start);
	cr_assert(says(question));
	const uint32_t *mark = page()->answer.mark;
	cr_assert(mark[0] == 1 && mark[11] == 1 && mark[12] == 0 && mark[24] == GCS_NONE);
	cr_assert(mark[40] == 2 && mark[69] == 2 && mark[70] == GCS_NONE, "inner ones win");
}

Test(plugins_view, required_values_are_asked_for, .fini = close_world)
{
	open_target();
	cr_assert_not(world_run(&w, "ask memory\n"));
	cr_assert_eq(target.questions, 0u);
	cr_assert_str_eq(page()->answer.message, "address is required: First byte");
	cr_assert_eq(w.app.ui.focus, UI_ID(PANEL_VIEW, PLUGINS_FIELD));
	world_type(&w, "0x1000");
	world_key(&w, "Enter");
	cr_assert_str_eq(target.question, "memory address=0x1000");
	world_wait(&w, 10);
	cr_assert(page()->answer.shown);
}

Test(plugins_view, text_has_lines, .fini = close_world)
{
	open_target();
	run("ask notes level=all\n");
	const struct plugin_answer *a = &page()->answer;
	cr_assert_eq(a->rows, 4u);
	cr_assert_str_eq(a->text + a->line[1], "    two");
	cr_assert_str_eq(a->text + a->line[2], "");
	cr_assert_str_eq(a->text + a->line[3], "three?", "bytes that are no text");
	cr_assert(says("about\tanswered at event 6 \xc2\xb7 as of now"));
}

Test(plugins_view, the_menu_of_a_tile, .fini = close_world)
{
	struct cv_rect r;
	open_target();
	cr_assert(heap_view.place(w.app.views[VIEW_HEAP], &w.app, WORLD_REGIONS, 20, &r));
	world_click(&w, r.x + r.w / 2, r.y + r.h / 2, 3);
	cr_assert_eq(w.app.modal, MODAL_MENU);
	cr_assert_eq(w.app.selected.tile, 20u);
	while (w.app.menu.entry[w.app.modal_row].plugin == GCS_NONE ||
	       strcmp(w.app.menu.entry[w.app.modal_row].label, "Memory") != 0) {
		const int row = w.app.modal_row;
		world_key(&w, "Down");
		cr_assert_gt(w.app.modal_row, row, "the last entry");
	}
	world_key(&w, "Enter");
	cr_assert_eq(w.app.modal, MODAL_NONE);
	cr_assert(
	    strstr(target.question, "memory address=0x") == target.question, "%s", target.question);
	cr_assert(w.app.view == &plugins_view);
}

Test(plugins_view, the_palette_asks, .fini = close_world)
{
	open_target();
	world_key(&w, "Ctrl+K");
	world_type(&w, "backtr");
	world_key(&w, "Enter");
	cr_assert_str_eq(target.question, "backtrace");
	world_key(&w, "Shift+Q");
	cr_assert_eq(w.app.modal, MODAL_MENU);
	world_key(&w, "Escape");
	cr_assert_eq(w.app.modal, MODAL_NONE);
}

Test(plugins_view, refusals_take_the_place_of_the_answer, .fini = close_world)
{
	open_target();
	run("ask notes\n");
	snprintf(target.refusal, sizeof target.refusal, "memory=on is not set");
	world_key(&w, "R");
	world_wait(&w, 10);
	cr_assert_not(page()->answer.shown);
	cr_assert(says("memory=on is not set"));
	target.refusal[0] = 0;
	world_key(&w, "R");
	world_wait(&w, 10);
	cr_assert(page()->answer.shown);
}

Test(plugins_view, wrong_questions_say_what_is_expected, .fini = close_world)
{
	open_target();
	cr_assert_not(world_run(&w, "ask nothing\n"));
	cr_assert_str_eq(w.app.toast, "No plugin named \"nothing\"");
	cr_assert_not(world_run(&w, "ask memory adress=1\n"));
	cr_assert_str_eq(w.app.toast, "ask memory: adress=1: expected address=, length=");
	cr_assert_eq(target.questions, 0u);
}

Test(plugins_view, hostile_answers_are_not_understood)
{
	static struct plugin_answer a;
	cr_assert_not(plugin_answer_take(&a, GCS_PLUGIN_TABLE, "\xff\xff\xff", 3));
	cr_assert(strstr(a.message, "The answer is not understood: ") == a.message);
	cr_assert_not(plugin_answer_take(&a, GCS_PLUGIN_BYTES, "", 0));
	cr_assert_not(a.shown);
	cr_assert(plugin_answer_take(&a, GCS_PLUGIN_TEXT, "", 0), "no lines");
	cr_assert_eq(a.rows, 0u);
	plugin_answer_clear(&a);
}

Test(plugins_view, other_programs_have_none, .fini = close_world)
{
	world_open(&w, 1000, 640);
	world_live(&w, 4);
	world_key(&w, "9");
	cr_assert(says("No plugins"));
	world_key(&w, "Shift+Q");
	cr_assert_str_eq(w.app.toast, "This program has no plugins");
	cr_assert_eq(w.app.modal, MODAL_NONE);
}

Test(plugins_view, looks_like_this, .fini = close_world)
{
	target_open(&w, 900, 480, 12);
	run("select G1 regions 30\nask memory\n");
	cr_assert(world_golden(&w, "plugins_memory"));
	run("ask backtrace\n");
	world_key(&w, "Down");
	cr_assert(world_golden(&w, "plugins_tree"));
	app_resize(&w.app, 480, 420);
	run("ask fragmentation\n");
	cr_assert(world_golden(&w, "plugins_narrow"));
}
