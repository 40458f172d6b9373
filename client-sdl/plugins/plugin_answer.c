#include "plugin_answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "text.h"

void plugin_answer_clear(struct plugin_answer *a)
{
	gcs_plugin_free(a->grid);
	gcs_plugin_free(a->memory);
	free(a->mark);
	free(a->text);
	free(a->line);
	free(a->row);
	free(a->closed);
	free(a->column_title);
	*a = (struct plugin_answer){.kind = a->kind};
}

void plugin_answer_fail(struct plugin_answer *a, const char *format, ...)
{
	va_list ap;
	plugin_answer_clear(a);
	va_start(ap, format);
	vsnprintf(a->message, sizeof a->message, format, ap);
	va_end(ap);
	text_clean(a->message);
}

/* A tab is four blanks; the end of a line may be that of other systems. */
static bool take_text(struct plugin_answer *a, const char *bytes, size_t length)
{
	size_t tabs = 0, lines = 1, used = 0;
	for (size_t i = 0; i < length; i++) {
		tabs += bytes[i] == '\t';
		lines += bytes[i] == '\n';
	}
	a->text = malloc(length + 3 * tabs + 1);
	a->line = malloc(lines * sizeof *a->line);
	if (a->text == NULL || a->line == NULL)
		return false;
	for (size_t i = 0; i < length; used++) {
		a->line[a->lines++] = used;
		for (; i < length && bytes[i] != '\n'; i++) {
			if (bytes[i] == '\t') {
				memcpy(a->text + used, "    ", 4);
				used += 4;
			} else if (bytes[i] != '\r') {
				a->text[used++] = bytes[i] != 0 ? bytes[i] : ' ';
			}
		}
		a->text[used] = 0;
		text_clean(a->text + a->line[a->lines - 1]);
		i++;
	}
	return true;
}

/* Wide enough for the first rows. False without memory. */
static bool plan_columns(struct plugin_answer *a)
{
	const struct gcs_table *g = a->grid;
	int widest = -1;
	a->column_title = calloc(g->column_count + 1, sizeof *a->column_title);
	if (a->column_title == NULL)
		return false;
	a->columns = (int)g->column_count;
	for (uint32_t i = 0; i < g->column_count; i++) {
		const bool number = g->columns[i].kind == GCS_COLUMN_NUMBER;
		struct table_column *c = &a->column[i];
		size_t most = strlen(g->columns[i].name) + 2;
		for (uint32_t r = 0; !number && r < g->row_count && r < 200; r++) {
			const size_t n = strlen(g->cells[(size_t)r * g->column_count + i].text);
			most = n > most ? n : most;
		}
		snprintf(
		    a->column_title[i], sizeof a->column_title[i], "%.63s", g->columns[i].name);
		text_clean(a->column_title[i]);
		*c = (struct table_column){.name = a->column_title[i],
		    .title = a->column_title[i],
		    .align = number ? TEXT_RIGHT : TEXT_LEFT,
		    .width = clamp_int((int)most * 7 + 14, number ? 90 : 60, 340),
		    .rank = (int)i,
		    .rising = !number};
		if (!number && (widest < 0 || c->width > a->column[widest].width))
			widest = (int)i;
	}
	if (g->depths != NULL && a->columns > 0)
		a->column[0].width = clamp_int(a->column[0].width + 80, 160, 420);
	if (widest >= 0)
		a->column[g->depths != NULL ? 0 : widest].stretch = 1;
	return true;
}

static bool take_body(
    struct plugin_answer *a, const void *bytes, size_t length, struct gcs_error *e)
{
	switch (a->kind) {
	case GCS_PLUGIN_TABLE:
		a->grid = gcs_table_decode(bytes, length, e);
		if (a->grid == NULL)
			return false;
		snprintf(a->title, sizeof a->title, "%s", a->grid->title);
		a->closed = calloc(a->grid->row_count + 1, sizeof *a->closed);
		return a->closed != NULL && plan_columns(a) && plugin_rows_arrange(a);
	case GCS_PLUGIN_BYTES:
		a->memory = gcs_memory_decode(bytes, length, e);
		if (a->memory == NULL)
			return false;
		snprintf(a->title, sizeof a->title, "%s", a->memory->title);
		memcpy(a->column, plugin_memory_columns, sizeof plugin_memory_columns);
		a->columns = MEMORY_COLUMNS;
		plugin_memory_mark(a);
		return plugin_rows_arrange(a);
	default:
		a->column[0] = (struct table_column){.name = "text", .title = "", .stretch = 1};
		a->columns = 1;
		return take_text(a, bytes, length) && plugin_rows_arrange(a);
	}
}

bool plugin_answer_take(
    struct plugin_answer *a, enum gcs_plugin_kind kind, const void *bytes, size_t length)
{
	struct gcs_error err = {.text = ""};
	plugin_answer_clear(a);
	a->kind = kind;
	table_init(&a->table, -1, false);
	if (length > PLUGIN_ANSWER_MOST) {
		plugin_answer_fail(a, "The answer has %zu bytes, too many to show", length);
		return false;
	}
	if (!take_body(a, bytes, length, &err)) {
		plugin_answer_fail(a, "The answer is not understood: %s",
		    err.text[0] != 0 ? err.text : "out of memory");
		return false;
	}
	text_clean(a->title);
	a->shown = true;
	return true;
}

/* "pauses=3 longest-us=554273": for programs; the title says the same to people. */
static bool is_for_programs(const char *message)
{
	while (*message != 0) {
		const size_t key = strcspn(message, "= ");
		if (key == 0 || message[key] != '=')
			return false;
		message += key + 1;
		const size_t value = strspn(message, "0123456789.");
		if (value == 0)
			return false;
		message += value;
		message += strspn(message, " ");
	}
	return true;
}

void plugin_answer_tell(struct plugin_answer *a, const char *event, const char *message)
{
	char text[200] = "";
	if (!is_for_programs(message))
		snprintf(text, sizeof text, "%.190s", message);
	snprintf(a->about, sizeof a->about, "answered at event %s%s%s", event,
	    text[0] != 0 ? " \xc2\xb7 " : "", text_clean(text));
}

int plugin_answer_head(
    const struct plugin_answer *a, const struct ui *ui, struct cv_rect r, bool paints)
{
	struct font *bold = ui->fonts->face[FONT_BOLD];
	struct cv *cv = paints ? ui->cv : NULL;
	if (a->title[0] == 0)
		return 0;
	const int top = r.y;
	cut_top(&r, ui_px(ui, 2));
	cut_top(&r, text_paragraph(cv, bold, r, ui->theme->text, a->title));
	return r.y - top + ui_px(ui, 4);
}

static void toggle_branch(struct plugin_answer *a, struct app *app, uint32_t at)
{
	if (at >= a->rows || a->grid == NULL || !plugin_rows_is_parent(a, a->row[at]))
		return;
	a->closed[a->row[at]] = !a->closed[a->row[at]];
	plugin_rows_arrange(a);
	app_dirty(app, PANEL_VIEW);
}

void plugin_answer_run(struct plugin_answer *a, struct app *app, uint32_t id, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	a->at = r;
	if (!a->shown) {
		if (ui_paints(ui) && a->message[0] != 0)
			text_paragraph(ui->cv, ui->fonts->face[FONT_UI],
			    rect_inset(r, ui_px(ui, 12)), ui->theme->warn, a->message);
		return;
	}
	struct table_rows rows = plugin_rows_of(a);
	const int scroll = a->table.scroll;
	const enum table_change change = ui_table(ui, id, r, &a->table, &rows, ui_paints(ui));
	if (change == TABLE_SORTED)
		plugin_rows_sort(a);
	else if (change == TABLE_TOGGLED)
		toggle_branch(a, app, a->table.selected);
	if (a->memory != NULL && ui_paints(ui))
		plugin_memory_paint(a, app, r);
	if (change != TABLE_SAME || scroll != a->table.scroll)
		app_dirty(app, PANEL_VIEW);
}

/* Opens or closes the selected branch; a leaf, or one that is closed, gives way to its parent. */
static void fold(struct plugin_answer *a, struct app *app, bool open)
{
	const uint32_t at = a->table.selected;
	if (at >= a->rows || a->grid == NULL || a->grid->depths == NULL)
		return;
	const uint32_t row = a->row[at];
	if (plugin_rows_is_parent(a, row) && a->closed[row] == open) {
		toggle_branch(a, app, at);
		return;
	}
	for (uint32_t i = at; !open && i-- > 0;) {
		if (a->grid->depths[a->row[i]] < a->grid->depths[row]) {
			a->table.selected = i;
			break;
		}
	}
	table_reveal(&app->ui, a->at, &a->table, a->rows);
	app_dirty(app, PANEL_VIEW);
}

bool plugin_answer_command(struct plugin_answer *a, struct app *app, enum command_id id)
{
	const int64_t by = command_rows(id, table_page(&app->ui, a->at));
	if (!a->shown)
		return false;
	if (by != 0) {
		table_move(&app->ui, a->at, &a->table, a->rows, by);
	} else if (id == COMMAND_tile_left || id == COMMAND_tile_right) {
		fold(a, app, id == COMMAND_tile_right);
	} else if (id == COMMAND_open_frame) {
		toggle_branch(a, app, a->table.selected);
	} else if (id == COMMAND_expand_all && a->closed != NULL) {
		memset(a->closed, 0, a->grid->row_count * sizeof *a->closed);
		plugin_rows_arrange(a);
	} else {
		return false;
	}
	app_dirty(app, PANEL_VIEW);
	return true;
}

void plugin_answer_text(const struct plugin_answer *a, struct textbuf *out)
{
	char text[TABLE_CELL];
	if (a->message[0] != 0)
		textbuf_printf(out, "%s\n", a->message);
	if (!a->shown)
		return;
	if (a->about[0] != 0)
		textbuf_printf(out, "about\t%s\n", a->about);
	if (a->title[0] != 0)
		textbuf_printf(out, "answer\t%s\n", a->title);
	struct table_rows rows = plugin_rows_of((struct plugin_answer *)(uintptr_t)a);
	for (int i = 0; i < a->columns && a->text == NULL; i++)
		textbuf_printf(out, i + 1 < a->columns ? "%s\t" : "%s\n", a->column[i].title);
	for (uint32_t row = 0; row < rows.count; row++) {
		for (uint32_t i = 0; a->grid != NULL && a->grid->depths != NULL &&
				     i < a->grid->depths[a->row[row]] && i < 64;
		     i++)
			textbuf_puts(out, "  ");
		for (int i = 0; i < a->columns; i++) {
			if (a->memory != NULL)
				plugin_memory_cell(a, row, i, text, sizeof text);
			else
				rows.cell(rows.context, row, i, text, sizeof text);
			textbuf_printf(out, i + 1 < a->columns ? "%s\t" : "%s\n", text);
		}
	}
}
