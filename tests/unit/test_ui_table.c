/* The table: columns, keys, pointer, and that only what is in sight and changed is painted
 * (V11). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "table.h"

#define WIDTH  600
#define HEIGHT 300
#define ID     UI_ID(1, 50)

static const struct table_column columns[] = {
    {"number", "Number", TEXT_RIGHT, 80, 0, 0, false},
    {"name", "Name", TEXT_LEFT, 100, 1, 0, true},
    {"more", "More", TEXT_LEFT, 100, 2, 1, true},
};

static struct cv cv;
static struct fonts fonts;
static struct ui ui;
static struct table table;
static struct table_rows rows;
static unsigned asked;
static const struct cv_rect where = {0, 0, WIDTH, HEIGHT};

static void cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	(void)context;
	asked++;
	snprintf(text, size,
	    column == 1 ? "a name that is far too long for the cell %u\tand more" : "%u", row);
}

static void set_up(void)
{
	cr_assert(cv_init(&cv, WIDTH, HEIGHT) && fonts_block(&fonts, 100));
	ui = (struct ui){
	    .cv = &cv, .fonts = &fonts, .theme = theme_at(0), .scale = 100, .mouse_x = -1};
	rows = (struct table_rows){.column = columns, .columns = 3, .count = 100000, .cell = cell};
	table_init(&table, 0, true);
}

static void tear_down(void)
{
	cv_fini(&cv);
	fonts_fini(&fonts);
}

static void paint(bool all)
{
	asked = 0;
	ui_begin(&ui, 1, NULL);
	ui_table(&ui, ID, where, &table, &rows, all);
}

static enum table_change send(struct ui_event ev)
{
	if (ev.kind != EV_KEY) {
		ui.mouse_x = ev.x;
		ui.mouse_y = ev.y;
	}
	ui_begin(&ui, 1, &ev);
	return ui_table(&ui, ID, where, &table, &rows, false);
}

static enum table_change press(uint32_t key)
{
	return send((struct ui_event){.kind = EV_KEY, .key = key});
}

static enum table_change click(int x, int y)
{
	send((struct ui_event){.kind = EV_MOVE, .x = x, .y = y});
	enum table_change a = send((struct ui_event){.kind = EV_DOWN, .x = x, .y = y, .button = 1});
	enum table_change b = send((struct ui_event){.kind = EV_UP, .x = x, .y = y, .button = 1});
	return a != TABLE_SAME ? a : b;
}

Test(table, only_rows_in_sight_are_asked_for, .init = set_up, .fini = tear_down)
{
	paint(true);
	cr_assert_gt(asked, 0u);
	cr_assert_leq(asked, 3u * ((unsigned)table_page(&ui, where) + 2));
	table.scroll = 1000000;
	paint(false);
	cr_assert_gt(asked, 0u);
	cr_assert_leq(asked, 3u * ((unsigned)table_page(&ui, where) + 2));
}

Test(table, nothing_is_painted_when_nothing_changed, .init = set_up, .fini = tear_down)
{
	paint(true);
	paint(false);
	cr_assert_eq(asked, 0u);
	send((struct ui_event){.kind = EV_MOVE, .x = 30, .y = 100});
	cr_assert(ui.dirty, "another row is under the pointer");
	paint(false);
	cr_assert_eq(asked, 3u, "one row");
	send((struct ui_event){.kind = EV_MOVE, .x = 31, .y = 100});
	cr_assert_not(ui.dirty);
	table.selected = 4;
	paint(false);
	cr_assert_leq(asked, 6u);
}

Test(table, keys_move_the_selection, .init = set_up, .fini = tear_down)
{
	paint(true);
	ui.focus = ID;
	cr_assert_eq(press(KEY_DOWN), TABLE_SELECTED);
	cr_assert_eq(table.selected, 0u);
	cr_assert_eq(press(KEY_UP), TABLE_SAME);
	press(KEY_PAGE_DOWN);
	cr_assert_eq(table.selected, (uint32_t)table_page(&ui, where));
	press(KEY_END);
	cr_assert_eq(table.selected, 99999u);
	paint(false);
	cr_assert_gt(table.scroll, 1000000);
	press(KEY_PAGE_UP);
	cr_assert_eq(table.selected, 99999u - (uint32_t)table_page(&ui, where));
	press(KEY_HOME);
	cr_assert(table.selected == 0 && table.scroll == 0);
	rows.count = 0;
	cr_assert_eq(press(KEY_DOWN), TABLE_SAME);
	paint(true);
	cr_assert_eq(table.selected, TABLE_NONE);
}

Test(table, a_key_without_the_focus_is_not_taken, .init = set_up, .fini = tear_down)
{
	paint(true);
	cr_assert_eq(press(KEY_DOWN), TABLE_SAME);
	cr_assert(!ui.used && table.selected == TABLE_NONE);
	ui.focus = ID;
	cr_assert_eq(press(KEY_F12), TABLE_SAME);
	cr_assert_not(ui.used);
}

Test(table, titles_sort_and_reverse, .init = set_up, .fini = tear_down)
{
	paint(true);
	cr_assert_eq(click(200, 10), TABLE_SORTED);
	cr_assert(table.sort == 1 && !table.falling, "names rise at first");
	cr_assert_eq(click(200, 10), TABLE_SORTED);
	cr_assert(table.sort == 1 && table.falling);
	click(20, 10);
	cr_assert(table.sort == 0 && table.falling, "numbers fall at first");
	/* The same by keyboard: the titles are in the tab order, before the rows. */
	paint(true);
	ui_focus_move(&ui, 1, 1, 1);
	ui_focus_move(&ui, 1, 1, 1);
	cr_assert_eq(press(KEY_ENTER), TABLE_SORTED);
	cr_assert_eq(table.sort, 1);
	ui_focus_move(&ui, -1, 1, 1);
	ui_focus_move(&ui, -1, 1, 1);
	cr_assert_eq(ui.focus, ID);
}

Test(table, pointer_selects_and_scrolls, .init = set_up, .fini = tear_down)
{
	paint(true);
	cr_assert_eq(click(50, 60), TABLE_SELECTED);
	cr_assert_eq(table.selected, 1u);
	cr_assert_eq(ui.focus, ID);
	send((struct ui_event){.kind = EV_WHEEL, .wheel = -2, .x = 50, .y = 60});
	cr_assert_gt(table.scroll, 0);
	paint(false);
	send((struct ui_event){.kind = EV_MOVE, .x = WIDTH - 5, .y = 40});
	send((struct ui_event){.kind = EV_DOWN, .x = WIDTH - 5, .y = 40, .button = 1});
	send((struct ui_event){.kind = EV_MOVE, .x = WIDTH - 5, .y = HEIGHT + 500});
	send((struct ui_event){.kind = EV_UP, .x = WIDTH - 5, .y = HEIGHT + 500, .button = 1});
	paint(false);
	cr_assert_eq(click(50, HEIGHT - 3), TABLE_SELECTED);
	cr_assert_eq(table.selected, 99999u);
}

Test(table, what_does_not_fit_has_a_tooltip, .init = set_up, .fini = tear_down)
{
	paint(true);
	send((struct ui_event){.kind = EV_MOVE, .x = 120, .y = 60});
	cr_assert(strstr(ui.tip, "too long for the cell 1 and more") != NULL, "%s", ui.tip);
	send((struct ui_event){.kind = EV_WHEEL, .wheel = -1, .x = 120, .y = 60});
	cr_assert_eq(ui.tip[0], 0, "gone with its row");
	send((struct ui_event){.kind = EV_MOVE, .x = 50, .y = 60});
	cr_assert_eq(ui.tip[0], 0);
}

Test(table, narrow_tables_leave_columns_out, .init = set_up, .fini = tear_down)
{
	int x[TABLE_COLUMNS], w[TABLE_COLUMNS];
	table_layout(&ui, &rows, 400, x, w);
	cr_assert(x[1] == 80 && w[0] == 80 && w[1] == 140 && w[2] == 180);
	table_layout(&ui, &rows, 279, x, w);
	cr_assert(w[1] == 199 && w[2] == 0, "the column of rank 1 has gone");
	for (int width = 0; width < 300; width++) {
		table_layout(&ui, &rows, width, x, w);
		for (int i = 0; i < 3; i++)
			cr_assert(w[i] >= 0 && x[i] + w[i] <= width, "%d", width);
	}
}

Test(table, more_rows_than_pixels_can_count, .init = set_up, .fini = tear_down)
{
	rows.count = UINT32_MAX - 1;
	ui.focus = ID;
	paint(true);
	press(KEY_END);
	paint(false);
	press(KEY_PAGE_UP);
	paint(true);
	cr_assert_geq(table.scroll, 0);
}

/* Where even what is never hidden has no room, names give way, numbers stay whole. */
Test(table, names_give_way_to_numbers, .init = set_up, .fini = tear_down)
{
	static const struct table_column own[] = {
	    {"name", "Name", TEXT_LEFT, 200, 3, 0, true},
	    {"number", "Number", TEXT_RIGHT, 80, 0, 0, false},
	    {"place", "Place", TEXT_LEFT, 100, 1, 0, true},
	    {"error", "Error", TEXT_RIGHT, 60, 0, 0, false},
	};
	const struct table_rows four = {.column = own, .columns = 4};
	int x[4], width[4];
	table_layout(&ui, &four, 440, x, width);
	cr_assert_eq(width[0] + width[2], 300);
	table_layout(&ui, &four, 290, x, width);
	cr_assert_eq(width[1], 80);
	cr_assert_eq(width[3], 60);
	cr_assert_eq(x[3] + width[3], 290);
	cr_assert_eq(width[0], 100, "in proportion");
	cr_assert_eq(width[2], 50);
	table_layout(&ui, &four, 150, x, width);
	cr_assert_eq(width[0], 50, "down to a quarter");
	cr_assert_eq(x[3] + width[3], 150);
}
