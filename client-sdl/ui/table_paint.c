/* Painting a table: titles, rows and cells. Declared in table_parts.h. */
#include <string.h>

#include "layout.h"
#include "palette.h"
#include "table_parts.h"

/* Points to where the values grow. */
static void paint_order(struct ui *ui, struct cv_rect r, bool falling)
{
	int size = ui_px(ui, 8);
	struct cv_rect at = centred(r, size, size / 2);
	for (int i = 0; i < at.h; i++) {
		int y = falling ? at.y + i : at.y + at.h - 1 - i;
		cv_hline(ui->cv, at.x + i, y, at.w - 2 * i, ui->theme->accent);
	}
}

void table_paint_title(struct ui *ui, uint32_t id, struct cv_rect cell, const struct table *table,
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
			/* Where room is short, in the cell's margin. */
			order.x +=
			    clamp_int(text.w - used - gap - ui_px(ui, 8), -ui_px(ui, 6), text.w);
		else
			order.x += used + gap;
		order.w = ui_px(ui, 8);
		paint_order(ui, order, table->falling);
	}
	text_in(ui->cv, font, text, column->align, sorted ? th->text : th->weak, column->title);
	ui_ring(ui, id, rect_inset(cell, ui_px(ui, 2)));
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

static uint32_t ink_of(const struct ui *ui, const struct table_rows *rows, uint32_t row, int column)
{
	const struct theme *th = ui->theme;
	enum table_tone tone =
	    rows->tone != NULL ? rows->tone(rows->context, row, column) : TABLE_PLAIN;
	if (rows->old || tone == TABLE_UNCERTAIN)
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
		struct cv_rect mark = table_cut_branch(ui, table, rows, row, &cell, &branch);
		cv_push_clip(ui->cv, whole);
		paint_branch(ui, mark, &branch, whole);
		cv_pop_clip(ui->cv);
	}
	double part = rows->bar != NULL ? rows->bar(rows->context, row, column) : -1;
	if (part >= 0) {
		int h = ui_px(ui, 10);
		struct cv_rect bar = rect_make(cell.x, cell.y + (cell.h - h) / 2, 0, h);
		int room = cell.w - ui_px(ui, rows->bar_text > 0 ? rows->bar_text : 56);
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

static void paint_row(struct ui *ui, struct cv_rect body, const struct table *table,
    const struct table_rows *rows, uint32_t row, const int *x, const int *w)
{
	const struct theme *th = ui->theme;
	struct cv_rect r = table_row_rect(ui, body, table, row);
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

void table_paint_body(struct ui *ui, uint32_t id, struct cv_rect body, struct table *table,
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
