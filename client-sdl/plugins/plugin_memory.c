/* Memory as hexadecimal bytes and characters, with its marks. Declared in plugin_answer.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "palette.h"
#include "plugin_answer.h"
#include "text.h"

/* Work for marks inside marks is bounded, whatever an answer claims. */
#define MARK_WORK (32u << 20)

const struct table_column plugin_memory_columns[MEMORY_COLUMNS] = {
    [MEMORY_ADDRESS] = {"address", "Address", TEXT_LEFT, 126, 0, 0, true},
    [MEMORY_BYTES] = {"bytes", "Bytes", TEXT_LEFT, 420, 0, 0, true},
    [MEMORY_TEXT] = {"text", "Text", TEXT_LEFT, 150, 0, 2, true},
    [MEMORY_MARKS] = {"marks", "Begins here", TEXT_LEFT, 120, 1, 1, true},
};

/* The marks are in the order of their starts: an inner one overwrites the outer one. */
void plugin_memory_mark(struct plugin_answer *a)
{
	const struct gcs_memory *m = a->memory;
	size_t work = 0;
	a->mark = m->mark_count > 0 ? malloc((m->length + 1) * sizeof *a->mark) : NULL;
	if (a->mark == NULL)
		return;
	memset(a->mark, 0xff, (m->length + 1) * sizeof *a->mark);
	for (uint32_t i = 0; i < m->mark_count; i++) {
		const uint64_t start = m->marks[i].start;
		const uint64_t room = start < m->length ? m->length - start : 0;
		const uint64_t n = m->marks[i].length < room ? m->marks[i].length : room;
		if ((work += n) > MARK_WORK)
			return;
		for (uint64_t k = 0; k < n; k++)
			a->mark[start + k] = i;
	}
}

/* The texts of the marks that begin in a line. */
static void put_marks(const struct plugin_answer *a, uint64_t first, char *text, size_t size)
{
	const struct gcs_memory *m = a->memory;
	uint32_t low = 0, high = m->mark_count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (m->marks[middle].start < first)
			low = middle + 1;
		else
			high = middle;
	}
	size_t used = 0;
	for (; low < m->mark_count && m->marks[low].start < first + MEMORY_LINE; low++) {
		if (used + 1 < size)
			used += (size_t)snprintf(text + used, size - used, "%s%.200s",
			    used > 0 ? ", " : "", m->marks[low].text);
	}
}

static void put_bytes(const struct gcs_memory *m, uint64_t first, char *text, size_t size)
{
	const uint8_t *bytes = m->bytes;
	size_t used = 0;
	for (uint64_t i = first; i < first + MEMORY_LINE && i < m->length; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%02x",
		    i == first       ? ""
		    : i == first + 8 ? "  "
				     : " ",
		    bytes[i]);
}

static void put_characters(const struct gcs_memory *m, uint64_t first, char *text)
{
	const uint8_t *bytes = m->bytes;
	size_t n = 0;
	for (uint64_t i = first; i < first + MEMORY_LINE && i < m->length; i++)
		text[n++] = bytes[i] >= ' ' && bytes[i] < 127 ? (char)bytes[i] : '.';
	text[n] = 0;
}

void plugin_memory_cell(
    const struct plugin_answer *a, uint32_t row, int column, char *text, size_t size)
{
	const struct gcs_memory *m = a->memory;
	const uint64_t first = (uint64_t)row * MEMORY_LINE;
	*text = 0;
	switch (column) {
	case MEMORY_ADDRESS:
		snprintf(text, size, "0x%012" PRIx64, m->address + first);
		break;
	case MEMORY_BYTES:
		put_bytes(m, first, text, size);
		break;
	case MEMORY_TEXT:
		put_characters(m, first, text);
		break;
	default:
		put_marks(a, first, text, size);
		text_clean(text);
		break;
	}
}

/* Neighbouring marks differ. */
static uint32_t mark_colour(const struct theme *th, uint32_t mark)
{
	const uint32_t inks[] = {th->accent, th->good, th->related, th->warn};
	return cv_mix(th->ground, inks[mark % 4], 90);
}

static uint32_t mark_of(const struct plugin_answer *a, uint64_t at)
{
	return a->mark != NULL && at < a->memory->length ? a->mark[at] : GCS_NONE;
}

static void paint_bytes(
    struct plugin_answer *a, struct app *app, struct cv_rect cell, uint64_t first)
{
	struct ui *ui = &app->ui;
	struct font *mono = ui->fonts->face[FONT_MONO];
	const int advance = text_width(mono, "0"), high = font_height(mono);
	const int y = cell.y + (cell.h - high) / 2;
	const uint8_t *bytes = a->memory->bytes;
	int x = cell.x + ui_px(ui, 6);
	for (uint64_t i = first; i < first + MEMORY_LINE && i < a->memory->length; i++) {
		const uint32_t mark = mark_of(a, i);
		char text[4];
		snprintf(text, sizeof text, "%02x", bytes[i]);
		x += i == first + 8 ? advance : 0;
		const bool on = i + 1 < first + MEMORY_LINE && mark == mark_of(a, i + 1);
		if (mark != GCS_NONE)
			cv_fill(ui->cv,
			    rect_make(x, cell.y,
				on ? (i == first + 7 ? 4 : 3) * advance : 2 * advance, cell.h - 1),
			    mark_colour(ui->theme, mark));
		text_paint(
		    ui->cv, mono, x, y, bytes[i] != 0 ? ui->theme->text : ui->theme->weak, text);
		x += 3 * advance;
	}
}

void plugin_memory_paint(struct plugin_answer *a, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct table_rows rows = plugin_rows_of(a);
	const uint32_t first = (uint32_t)(a->table.scroll / table_row_height(ui));
	const uint32_t page = (uint32_t)table_page(ui, r) + 1;
	for (uint32_t row = first; row < rows.count && row <= first + page; row++) {
		struct cv_rect cell;
		char text[TABLE_CELL];
		for (int i = MEMORY_ADDRESS; i <= MEMORY_TEXT; i++) {
			if (!table_cell_rect(ui, r, &a->table, &rows, row, i, &cell))
				continue;
			cv_push_clip(ui->cv, cell);
			if (i == MEMORY_BYTES) {
				paint_bytes(a, app, cell, (uint64_t)row * MEMORY_LINE);
			} else {
				plugin_memory_cell(a, row, i, text, sizeof text);
				cut_left(&cell, ui_px(ui, 6));
				text_in(ui->cv, ui->fonts->face[FONT_MONO], cell, TEXT_LEFT,
				    i == MEMORY_TEXT ? ui->theme->text : ui->theme->weak, text);
			}
			cv_pop_clip(ui->cv);
		}
	}
}
