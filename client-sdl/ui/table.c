#include "table.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "palette.h"

/* Widget numbers from the table's own on; the titles' from TITLES on. */
enum { BODY, BAR, TITLES };

#define TIP_LINE 80 /* characters of a line of a tooltip */

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
	/* Without a selection it comes in from the end that the movement starts from. */
	int64_t from = by > 0 ? -1 : (int64_t)count;
	int64_t to = (before < count ? (int64_t)before : from) + by;
	to = to < 0 ? 0 : to;
	table->selected = to < count ? (uint32_t)to : count - 1;
	table_reveal(ui, r, table, count);
	return table->selected != before;
}

/* The width that the columns up to a rank need at least. */
static int needed(const struct ui *ui, const struct table_rows *rows, int rank)
{
	int sum = 0;
	for (int i = 0; i < rows->columns; i++) {
		if (rows->column[i].rank <= rank)
			sum += ui_px(ui, rows->column[i].width);
	}
	return sum;
}

void table_layout(const struct ui *ui, const struct table_rows *rows, int width, int *x, int *w)
{
	int rank = 0;
	for (int i = 0; i < rows->columns; i++)
		rank = rows->column[i].rank > rank ? rows->column[i].rank : rank;
	while (rank > 0 && needed(ui, rows, rank) > width)
		rank--;
	int parts_left = 0;
	for (int i = 0; i < rows->columns; i++)
		parts_left += rows->column[i].rank <= rank ? rows->column[i].stretch : 0;
	int spare = width - needed(ui, rows, rank);
	spare = spare > 0 ? spare : 0;
	int at = 0;
	for (int i = 0; i < rows->columns; i++) {
		const struct table_column *c = &rows->column[i];
		x[i] = at;
		w[i] = 0;
		if (c->rank > rank)
			continue;
		w[i] = ui_px(ui, c->width);
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

/* Up or down: where the values grow to. */
static void paint_order(struct ui *ui, struct cv_rect r, bool falling)
{
	int size = ui_px(ui, 8);
	struct cv_rect at = centred(r, size, size / 2);
	for (int i = 0; i < at.h; i++) {
		int y = falling ? at.y + i : at.y + at.h - 1 - i;
		cv_hline(ui->cv, at.x + i, y, at.w - 2 * i, ui->theme->accent);
	}
}

static void paint_title(struct ui *ui, uint32_t id, struct cv_rect cell, const struct table *table,
    const struct table_column *column, bool sorted)
{
	const struct theme *th = ui->theme;
	if (ui->hot == id)
		cv_round(ui->cv, rect_inset(cell, ui_px(ui, 2)), ui_px(ui, 3), th->raised);
	struct cv_rect text = cell;
	cut_left(&text, ui_px(ui, 6));
	cut_right(&text, ui_px(ui, 6));
	struct font *font = ui->fonts->face[sorted ? FONT_BOLD : FONT_SMALL];
	if (sorted) {
		int used = text_width(font, column->title);
		int gap = ui_px(ui, 5);
		struct cv_rect order = text;
		if (column->align == TEXT_RIGHT)
			order.x += clamp_int(text.w - used - gap - ui_px(ui, 8), 0, text.w);
		else
			order.x += used + gap;
		order.w = ui_px(ui, 8);
		paint_order(ui, order, table->falling);
	}
	text_in(ui->cv, font, text, column->align, sorted ? th->text : th->weak, column->title);
	ui_ring(ui, id, rect_inset(cell, ui_px(ui, 2)));
}

/* A click on a title: the other way round, or this column. */
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
			paint_title(ui, title, cell, table, &rows->column[i], table->sort == i);
	}
	return sorted;
}

static void paint_text(struct ui *ui, struct cv_rect cell, enum text_align align, uint32_t ink,
    uint32_t weak, char *text)
{
	struct font *font = ui->fonts->face[FONT_UI];
	char *tab = strchr(text, '\t');
	if (tab != NULL)
		*tab++ = 0;
	text_in(ui->cv, font, cell, align, ink, text);
	if (tab == NULL || *tab == 0)
		return;
	int used = text_width(font, text) + ui_px(ui, 8);
	struct cv_rect rest = cell;
	cut_left(&rest, used);
	if (rest.w >= ui_px(ui, 24))
		text_in(ui->cv, ui->fonts->face[FONT_SMALL], rest, TEXT_LEFT, weak, tab);
}

#define STEP       14  /* pixels by which a child is indented */
#define NAME_LEAST 160 /* of the column of a tree that its names have at least */

/* Where the mark of a row of a tree is, and cuts the indent and it off the cell. */
static struct cv_rect cut_branch(const struct ui *ui, const struct table *table,
    const struct table_rows *rows, uint32_t row, struct cv_rect *cell, struct table_branch *branch)
{
	rows->branch(rows->context, row, branch);
	int64_t indent = (int64_t)branch->depth * ui_px(ui, STEP) - table->tree_scroll;
	indent = indent < INT_MAX / 2 ? indent : INT_MAX / 2;
	if (indent < 0) { /* to the left of what is in sight */
		cell->x += (int)indent;
		cell->w -= (int)indent;
		indent = 0;
	}
	cut_left(cell, (int)indent);
	return cut_left(cell, ui_px(ui, STEP));
}

static void paint_branch(
    struct ui *ui, struct cv_rect mark, const struct table_branch *branch, struct cv_rect clip)
{
	const struct theme *th = ui->theme;
	int size = ui_px(ui, 8);
	struct cv_rect at = rect_make(mark.x, mark.y + (mark.h - size) / 2, size, size);
	if (!rect_meets(at, clip))
		return;
	if (branch->state == BRANCH_OPEN) {
		for (int i = 0; i < (size + 1) / 2; i++)
			cv_hline(ui->cv, at.x + i, at.y + size / 4 + i, size - 2 * i, th->weak);
	} else if (branch->state == BRANCH_CLOSED) {
		cv_arrow(ui->cv, at, 1, th->text);
	}
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

static uint32_t ink_of(const struct ui *ui, const struct table_rows *rows, uint32_t row, int column)
{
	const struct theme *th = ui->theme;
	enum table_tone tone =
	    rows->tone != NULL ? rows->tone(rows->context, row, column) : TABLE_PLAIN;
	if (rows->old)
		return th->weak;
	return tone == TABLE_PLAIN ? th->text : palette_change_ink(tone == TABLE_MORE, th->dark);
}

static void paint_cell(struct ui *ui, struct cv_rect cell, const struct table *table,
    const struct table_rows *rows, uint32_t row, int column)
{
	const struct theme *th = ui->theme;
	char text[TABLE_CELL];
	cut_left(&cell, ui_px(ui, 6));
	cut_right(&cell, ui_px(ui, 6));
	struct cv_rect whole = cell;
	if (rows->branch != NULL && column == rows->branch_column) {
		struct table_branch branch;
		struct cv_rect mark = cut_branch(ui, table, rows, row, &cell, &branch);
		cv_push_clip(ui->cv, whole);
		paint_branch(ui, mark, &branch, whole);
		cv_pop_clip(ui->cv);
	}
	double part = rows->bar != NULL ? rows->bar(rows->context, row, column) : -1;
	if (part >= 0) {
		int h = ui_px(ui, 10);
		struct cv_rect bar = rect_make(cell.x, cell.y + (cell.h - h) / 2, 0, h);
		int room = cell.w - ui_px(ui, 56);
		bar.w = room > 0 ? (int)((part < 1 ? part : 1) * room + 0.5) : 0;
		if (bar.w == 0 && part > 0 && room > 0)
			bar.w = ui_px(ui, 1);
		uint32_t colour = rows->old ? th->weak : th->accent;
		cv_fill(ui->cv, bar, cv_mix(th->ground, colour, 190));
	}
	rows->cell(rows->context, row, column, text, sizeof text);
	cv_push_clip(ui->cv, whole);
	paint_text(
	    ui, cell, rows->column[column].align, ink_of(ui, rows, row, column), th->weak, text);
	cv_pop_clip(ui->cv);
}

static struct cv_rect row_rect(
    const struct ui *ui, struct cv_rect body, const struct table *table, uint32_t row)
{
	int h = table_row_height(ui);
	int64_t y = (int64_t)row * h - table->scroll;
	return rect_make(body.x, body.y + (int)y, body.w, h);
}

static void paint_row(struct ui *ui, struct cv_rect body, const struct table *table,
    const struct table_rows *rows, uint32_t row, const int *x, const int *w)
{
	const struct theme *th = ui->theme;
	struct cv_rect r = row_rect(ui, body, table, row);
	uint32_t ground = th->ground;
	if (row == table->selected)
		ground = th->raised;
	else if (row == table->hovered)
		ground = cv_mix(th->ground, th->raised, 140);
	cv_fill(ui->cv, r, ground);
	cv_hline(ui->cv, r.x, r.y + r.h - 1, r.w, cv_mix(th->ground, th->line, 110));
	for (int i = 0; i < rows->columns; i++) {
		if (w[i] > 0)
			paint_cell(ui, rect_make(r.x + x[i], r.y, w[i], r.h), table, rows, row, i);
	}
	if (rows->marked != NULL && rows->marked(rows->context, row))
		cv_fill(
		    ui->cv, rect_make(r.x + ui_px(ui, 3), r.y, ui_px(ui, 2), r.h - 1), th->related);
	if (row == table->selected)
		cv_fill(ui->cv, rect_make(r.x, r.y, ui_px(ui, 3), r.h - 1), th->accent);
	cv_touch(ui->cv, r);
}

static void paint_body(struct ui *ui, uint32_t id, struct cv_rect body, struct table *table,
    const struct table_rows *rows, bool all)
{
	bool focused = ui->focus == id && ui->focus_shown;
	all = all || !rect_same(table->shown.r, body) || table->shown.count != rows->count ||
	      table->shown.scroll != table->scroll ||
	      table->shown.tree_scroll != table->tree_scroll || table->shown.focused || focused;
	int x[TABLE_COLUMNS], w[TABLE_COLUMNS];
	table_layout(ui, rows, body.w, x, w);
	cv_push_clip(ui->cv, body);
	if (all) {
		cv_fill(ui->cv, body, ui->theme->ground);
		cv_touch(ui->cv, body);
	}
	int h = table_row_height(ui);
	uint32_t first = (uint32_t)(table->scroll / h);
	uint32_t last = (uint32_t)(((int64_t)table->scroll + body.h) / h);
	for (uint32_t i = first; i <= last && i < rows->count; i++) {
		bool other = i == table->selected || i == table->shown.selected ||
			     i == table->hovered || i == table->shown.hovered;
		bool same = table->selected == table->shown.selected &&
			    table->hovered == table->shown.hovered;
		if (all || (other && !same))
			paint_row(ui, body, table, rows, i, x, w);
	}
	if (focused)
		cv_frame(ui->cv, body, ui_px(ui, 2), ui->theme->accent);
	cv_pop_clip(ui->cv);
	table->shown.r = body;
	table->shown.selected = table->selected;
	table->shown.hovered = table->hovered;
	table->shown.count = rows->count;
	table->shown.scroll = table->scroll;
	table->shown.tree_scroll = table->tree_scroll;
	table->shown.focused = focused;
}

/* A text that does not fit into its cell stands in full in a tooltip, in lines of bearable
 * length. */
static void tip_of_cell(struct ui *ui, uint32_t id, struct cv_rect cell, char *text)
{
	struct font *font = ui->fonts->face[FONT_UI];
	char *tab = strchr(text, '\t');
	if (tab != NULL)
		*tab = ' ';
	if (text_width(font, text) <= cell.w - ui_px(ui, 12))
		return;
	char lines[UI_TIP_TEXT];
	size_t used = 0;
	int width = TIP_LINE * text_width(font, "n");
	const char *line = text;
	while (line != NULL && *line != 0 && used + TABLE_CELL + 2 < sizeof lines) {
		const char *next;
		size_t n = text_break(font, line, width, &next);
		used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%.*s",
		    used > 0 ? "\n" : "", (int)n, line);
		line = next;
	}
	ui_tip(ui, id, cell, lines);
}

static void point(struct ui *ui, uint32_t id, struct cv_rect body, struct table *table,
    const struct table_rows *rows)
{
	uint32_t before = table->hovered;
	table->hovered = TABLE_NONE;
	/* What a tooltip was about has moved away under the pointer. */
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
	struct cv_rect r = row_rect(ui, body, table, table->hovered);
	for (int i = 0; i < rows->columns; i++) {
		struct cv_rect cell = rect_make(r.x + x[i], r.y, w[i], r.h);
		char text[TABLE_CELL];
		if (!rect_has(cell, ui->mouse_x, ui->mouse_y))
			continue;
		struct table_branch branch;
		if (rows->branch != NULL && i == rows->branch_column)
			cut_branch(ui, table, rows, table->hovered, &cell, &branch);
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

/* True when the pointer is on the mark that opens a row. */
static bool is_on_mark(const struct ui *ui, struct cv_rect body, const struct table *table,
    const struct table_rows *rows, uint32_t row)
{
	int x[TABLE_COLUMNS], w[TABLE_COLUMNS];
	struct table_branch branch;
	if (rows->branch == NULL || row >= rows->count)
		return false;
	table_layout(ui, rows, body.w, x, w);
	struct cv_rect r = row_rect(ui, body, table, row);
	struct cv_rect cell =
	    rect_make(r.x + x[rows->branch_column], r.y, w[rows->branch_column], r.h);
	cut_left(&cell, ui_px(ui, 6));
	struct cv_rect mark = cut_branch(ui, table, rows, row, &cell, &branch);
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
	if (table->hovered == TABLE_NONE) { /* touched without having been pointed at */
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
	paint_body(ui, id + BODY, body, table, rows, all);
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
	struct cv_rect line = row_rect(ui, body, table, row);
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
