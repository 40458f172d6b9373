#include "table.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "table_parts.h"

/* Widget numbers from the table's own on; the titles' from TITLES on. */
enum { BODY, BAR, TITLES };

void table_init(struct table *table, int sort, bool falling)
{
	memset(table, 0, sizeof *table);
	table->selected = table->hovered = TABLE_NONE;
	table->sort = sort;
	table->falling = falling;
}

int table_row_height(const struct ui *ui)
{
	return font_height(ui->fonts->face[FONT_UI]) + ui_px(ui, 8);
}

/* The three parts of a table. */
static void parts(const struct ui *ui, struct cv_rect r, struct cv_rect *titles,
    struct cv_rect *body, struct cv_rect *bar)
{
	*titles = cut_top(&r, ui_px(ui, 26));
	*bar = cut_right(&r, ui_px(ui, 12));
	titles->w = r.w;
	*body = r;
}

static int content(const struct ui *ui, uint32_t count)
{
	int64_t all = (int64_t)count * table_row_height(ui);
	return all < INT_MAX ? (int)all : INT_MAX;
}

int table_page(const struct ui *ui, struct cv_rect r)
{
	struct cv_rect titles, body, bar;
	parts(ui, r, &titles, &body, &bar);
	int n = body.h / table_row_height(ui);
	return n > 0 ? n : 1;
}

void table_reveal(const struct ui *ui, struct cv_rect r, struct table *table, uint32_t count)
{
	struct cv_rect titles, body, bar;
	parts(ui, r, &titles, &body, &bar);
	if (table->selected >= count)
		return;
	int h = table_row_height(ui);
	int64_t top = (int64_t)table->selected * h;
	if (top < table->scroll)
		table->scroll = (int)top;
	else if (top + h > (int64_t)table->scroll + body.h)
		table->scroll = (int)(top + h - body.h);
}

bool table_move(
    const struct ui *ui, struct cv_rect r, struct table *table, uint32_t count, int64_t by)
{
	if (count == 0)
		return false;
	uint32_t before = table->selected;
	/* Without a selection, it enters from the end where the movement starts. */
	int64_t from = by > 0 ? -1 : (int64_t)count;
	int64_t to = (before < count ? (int64_t)before : from) + by;
	to = to < 0 ? 0 : to;
	table->selected = to < count ? (uint32_t)to : count - 1;
	table_reveal(ui, r, table, count);
	return table->selected != before;
}

/* The minimum width of the columns up to a rank. */
static int needed(const struct ui *ui, const struct table_rows *rows, int rank)
{
	int sum = 0;
	for (int i = 0; i < rows->columns; i++) {
		if (rows->column[i].rank <= rank)
			sum += ui_px(ui, rows->column[i].width);
	}
	return sum;
}

/* Where columns that are never hidden have no room, the stretching ones give way, in proportion and
 * down to a part: a number that is cut tells nothing, a name does. */
static void give_way(const struct table_rows *rows, int missing, int *w)
{
	enum { LEAST = 4 };
	int able = 0;
	for (int i = 0; i < rows->columns; i++)
		able += rows->column[i].stretch > 0 ? w[i] - w[i] / LEAST : 0;
	missing = missing < able ? missing : able;
	for (int i = 0; i < rows->columns && missing > 0; i++) {
		if (rows->column[i].stretch == 0 || w[i] == 0)
			continue;
		const int own = w[i] - w[i] / LEAST;
		const int less = (int)((int64_t)missing * own / able);
		w[i] -= less;
		missing -= less;
		able -= own;
	}
}

void table_layout(const struct ui *ui, const struct table_rows *rows, int width, int *x, int *w)
{
	int rank = 0;
	for (int i = 0; i < rows->columns; i++)
		rank = rows->column[i].rank > rank ? rows->column[i].rank : rank;
	while (rank == TABLE_HIDDEN || (rank > 0 && needed(ui, rows, rank) > width))
		rank--;
	int parts_left = 0;
	for (int i = 0; i < rows->columns; i++) {
		const struct table_column *c = &rows->column[i];
		w[i] = c->rank <= rank ? ui_px(ui, c->width) : 0;
		parts_left += c->rank <= rank ? c->stretch : 0;
	}
	int spare = width - needed(ui, rows, rank);
	give_way(rows, -spare, w);
	spare = spare > 0 ? spare : 0;
	int at = 0;
	for (int i = 0; i < rows->columns; i++) {
		const struct table_column *c = &rows->column[i];
		x[i] = at;
		if (c->rank > rank)
			continue;
		if (c->stretch > 0) {
			int more = (int)((int64_t)spare * c->stretch / parts_left);
			w[i] += more;
			spare -= more;
			parts_left -= c->stretch;
		}
		w[i] = clamp_int(w[i], 0, width - at);
		at += w[i];
	}
}

/* A click on a title: reverses the order, or sorts by this column. */
static void choose(struct table *table, const struct table_rows *rows, int column)
{
	if (table->sort == column)
		table->falling = !table->falling;
	else
		table->falling = !rows->column[column].rising;
	table->sort = column;
}

static bool run_titles(struct ui *ui, uint32_t id, struct cv_rect r, struct table *table,
    const struct table_rows *rows)
{
	int x[TABLE_COLUMNS], w[TABLE_COLUMNS];
	bool sorted = false;
	table_layout(ui, rows, r.w, x, w);
	for (int i = 0; i < rows->columns; i++) {
		struct cv_rect cell = rect_make(r.x + x[i], r.y, w[i], r.h);
		uint32_t title = id + TITLES + (uint32_t)i;
		if (w[i] == 0)
			continue;
		if (ui_control(ui, title, cell)) {
			choose(table, rows, i);
			sorted = true;
		}
		if (ui_paints(ui))
			table_paint_title(
			    ui, title, cell, table, &rows->column[i], table->sort == i);
	}
	return sorted;
}

#define STEP       14  /* pixels by which a child is indented */
#define NAME_LEAST 160 /* minimum width of the names in a tree's column */

struct cv_rect table_cut_branch(const struct ui *ui, const struct table *table,
    const struct table_rows *rows, uint32_t row, struct cv_rect *cell, struct table_branch *branch)
{
	rows->branch(rows->context, row, branch);
	int64_t indent = (int64_t)branch->depth * ui_px(ui, STEP) - table->tree_scroll;
	indent = indent < INT_MAX / 2 ? indent : INT_MAX / 2;
	if (indent < 0) { /* scrolled out to the left */
		cell->x += (int)indent;
		cell->w -= (int)indent;
		indent = 0;
	}
	cut_left(cell, (int)indent);
	return cut_left(cell, ui_px(ui, STEP));
}

void table_reveal_branch(
    const struct ui *ui, struct cv_rect r, struct table *table, const struct table_rows *rows)
{
	struct cv_rect titles, body, bar;
	int x[TABLE_COLUMNS], w[TABLE_COLUMNS];
	struct table_branch branch;
	parts(ui, r, &titles, &body, &bar);
	table_layout(ui, rows, body.w, x, w);
	if (rows->branch == NULL || table->selected >= rows->count)
		return;
	rows->branch(rows->context, table->selected, &branch);
	int64_t indent = (int64_t)branch.depth * ui_px(ui, STEP);
	int room = w[rows->branch_column] - ui_px(ui, NAME_LEAST);
	room = room > 0 ? room : 0;
	indent = indent < INT_MAX / 2 ? indent : INT_MAX / 2;
	if (indent - table->tree_scroll > room)
		table->tree_scroll = (int)indent - room;
	else if (indent < table->tree_scroll)
		table->tree_scroll = (int)indent;
	if (indent <= room)
		table->tree_scroll = 0;
}

struct cv_rect table_row_rect(
    const struct ui *ui, struct cv_rect body, const struct table *table, uint32_t row)
{
	int h = table_row_height(ui);
	int64_t y = (int64_t)row * h - table->scroll;
	return rect_make(body.x, body.y + (int)y, body.w, h);
}

/* Text that does not fit into its cell is shown in a tooltip, with what follows it weaker. */
static void tip_of_cell(struct ui *ui, uint32_t id, struct cv_rect cell, char *text)
{
	char *tab = strchr(text, '\t');
	if (tab != NULL)
		*tab = ' ';
	if (text_width(ui->fonts->face[FONT_UI], text) > cell.w - ui_px(ui, 12))
		ui_tip(ui, id, cell, text);
}

static void point(struct ui *ui, uint32_t id, struct cv_rect body, struct table *table,
    const struct table_rows *rows)
{
	uint32_t before = table->hovered;
	table->hovered = TABLE_NONE;
	/* The tooltip's row has moved away under the pointer. */
	if (ui->ev->kind == EV_WHEEL && ui->hot == id)
		ui->tip[0] = 0;
	if (ui->hot == id && rect_has(body, ui->mouse_x, ui->mouse_y)) {
		int64_t row =
		    ((int64_t)ui->mouse_y - body.y + table->scroll) / table_row_height(ui);
		if (row < rows->count)
			table->hovered = (uint32_t)row;
	}
	ui->dirty = ui->dirty || table->hovered != before;
	int x[TABLE_COLUMNS], w[TABLE_COLUMNS];
	if (table->hovered == TABLE_NONE || ui->ev->kind != EV_MOVE)
		return;
	table_layout(ui, rows, body.w, x, w);
	struct cv_rect r = table_row_rect(ui, body, table, table->hovered);
	for (int i = 0; i < rows->columns; i++) {
		struct cv_rect cell = rect_make(r.x + x[i], r.y, w[i], r.h);
		char text[TABLE_CELL];
		if (!rect_has(cell, ui->mouse_x, ui->mouse_y))
			continue;
		struct table_branch branch;
		if (rows->branch != NULL && i == rows->branch_column)
			table_cut_branch(ui, table, rows, table->hovered, &cell, &branch);
		rows->cell(rows->context, table->hovered, i, text, sizeof text);
		tip_of_cell(ui, id, cell, text);
	}
}

static bool body_key(struct ui *ui, uint32_t id, struct cv_rect r, struct table *table,
    const struct table_rows *rows)
{
	struct keystroke stroke;
	if (ui->used || ui->focus != id || !key_of_event(ui->ev, &stroke) || stroke.mods != 0)
		return false;
	int64_t by;
	switch (stroke.key) {
	case KEY_UP:
	case KEY_DOWN:
		by = stroke.key == KEY_UP ? -1 : 1;
		break;
	case KEY_PAGE_UP:
	case KEY_PAGE_DOWN:
		by = table_page(ui, r);
		by = stroke.key == KEY_PAGE_UP ? -by : by;
		break;
	case KEY_HOME:
	case KEY_END:
		by = stroke.key == KEY_HOME ? -(int64_t)UINT32_MAX : (int64_t)UINT32_MAX;
		break;
	default:
		return false;
	}
	bool changed = table_move(ui, r, table, rows->count, by);
	ui_take(ui);
	return changed;
}

/* True if the pointer is on the mark that opens a row. */
static bool is_on_mark(const struct ui *ui, struct cv_rect body, const struct table *table,
    const struct table_rows *rows, uint32_t row)
{
	int x[TABLE_COLUMNS], w[TABLE_COLUMNS];
	struct table_branch branch;
	if (rows->branch == NULL || row >= rows->count)
		return false;
	table_layout(ui, rows, body.w, x, w);
	struct cv_rect r = table_row_rect(ui, body, table, row);
	struct cv_rect cell =
	    rect_make(r.x + x[rows->branch_column], r.y, w[rows->branch_column], r.h);
	cut_left(&cell, ui_px(ui, 6));
	struct cv_rect mark = table_cut_branch(ui, table, rows, row, &cell, &branch);
	return branch.state != BRANCH_LEAF && rect_has(mark, ui->ev->x, ui->ev->y);
}

static enum table_change body_event(struct ui *ui, uint32_t id, struct cv_rect r,
    struct cv_rect body, struct table *table, const struct table_rows *rows)
{
	bool pressed = ui->ev->kind == EV_DOWN && !ui->used && ui->ev->button == 1 &&
		       rect_has(body, ui->ev->x, ui->ev->y);
	ui_area(ui, id, body);
	point(ui, id, body, table, rows);
	if (!pressed)
		return body_key(ui, id, r, table, rows) ? TABLE_SELECTED : TABLE_SAME;
	ui->focus = id;
	uint32_t before = table->selected;
	if (table->hovered == TABLE_NONE) { /* touched without a movement before */
		int64_t row = ((int64_t)ui->ev->y - body.y + table->scroll) / table_row_height(ui);
		table->selected = row < rows->count ? (uint32_t)row : before;
	} else {
		table->selected = table->hovered;
	}
	bool toggled = is_on_mark(ui, body, table, rows, table->selected);
	table_reveal(ui, r, table, rows->count);
	return toggled ? TABLE_TOGGLED : table->selected != before ? TABLE_SELECTED : TABLE_SAME;
}

enum table_change ui_table(struct ui *ui, uint32_t id, struct cv_rect r, struct table *table,
    const struct table_rows *rows, bool all)
{
	struct cv_rect titles, body, bar;
	parts(ui, r, &titles, &body, &bar);
	int height = content(ui, rows->count);
	enum table_change change = TABLE_SAME;
	if (table->selected != TABLE_NONE && table->selected >= rows->count)
		table->selected = TABLE_NONE;
	if (ui_paints(ui) && ui->hot != id)
		table->hovered = TABLE_NONE;
	if (ui_paints(ui)) {
		struct cv_rect top = titles;
		top.w = r.w;
		cv_fill(ui->cv, top, ui->theme->panel);
		cv_hline(ui->cv, r.x, titles.y + titles.h - 1, r.w, ui->theme->line);
		cv_touch(ui->cv, top);
		cv_fill(ui->cv, bar, ui->theme->ground);
		cv_touch(ui->cv, bar);
	}
	if (run_titles(ui, id, titles, table, rows))
		change = TABLE_SORTED;
	ui_scroll_bar(ui, id + BAR, bar, height, body.h, &table->scroll);
	if (!ui_paints(ui)) {
		ui_scroll_wheel(ui, body, height, body.h, 3 * table_row_height(ui), &table->scroll);
		enum table_change body_change = body_event(ui, id + BODY, r, body, table, rows);
		return body_change != TABLE_SAME ? body_change : change;
	}
	struct ui_focus_list *list = &ui->items[ui->panel];
	if (rows->count > 0 && list->count < UI_FOCUS_ITEMS)
		list->id[list->count++] = id + BODY;
	table_paint_body(ui, id + BODY, body, table, rows, all);
	return change;
}

bool table_cell_rect(const struct ui *ui, struct cv_rect r, const struct table *table,
    const struct table_rows *rows, uint32_t row, int column, struct cv_rect *cell)
{
	struct cv_rect titles, body, bar;
	int x[TABLE_COLUMNS], w[TABLE_COLUMNS];
	parts(ui, r, &titles, &body, &bar);
	table_layout(ui, rows, body.w, x, w);
	if (row >= rows->count || column < 0 || column >= rows->columns || w[column] == 0)
		return false;
	struct cv_rect line = table_row_rect(ui, body, table, row);
	*cell = rect_make(line.x + x[column], line.y, w[column], line.h);
	return line.y >= body.y && line.y + line.h <= body.y + body.h;
}

bool table_cell_at(const struct ui *ui, struct cv_rect r, const struct table *table,
    const struct table_rows *rows, int x, int y, uint32_t *row, int *column)
{
	struct cv_rect titles, body, bar;
	int left[TABLE_COLUMNS], w[TABLE_COLUMNS];
	parts(ui, r, &titles, &body, &bar);
	int64_t at = ((int64_t)y - body.y + table->scroll) / table_row_height(ui);
	if (!rect_has(body, x, y) || at >= rows->count)
		return false;
	*row = (uint32_t)at;
	table_layout(ui, rows, body.w, left, w);
	for (int i = 0; i < rows->columns; i++) {
		if (w[i] > 0 && x >= body.x + left[i] && x < body.x + left[i] + w[i]) {
			*column = i;
			return true;
		}
	}
	return false;
}
