/* The field at the top of the side panel: an expression or a search. Declared in heap_view.h. */
#include <stdio.h>
#include <string.h>

#include "heap_view.h"
#include "layout.h"
#include "side.h"

enum { FIELD = 50 };

void heap_field_open(struct heap *heap, struct app *app, enum heap_field field)
{
	const struct heap_prefs *p = heap_prefs_of(heap, app, app->active_space);
	const char *text = field == FIELD_EXPRESSION && p != NULL ? p->text : "";
	textfield_set(&heap->field, text);
	heap->field_open = field;
	app->ui.focus = UI_ID(PANEL_SIDE, FIELD);
	app->ui.focus_shown = true;
	app->side_scroll = 0;
	if (!app->side_shown) {
		app->side_shown = true;
		app_layout(app);
	}
	app_dirty(app, PANEL_SIDE);
}

bool heap_field_close(struct heap *heap, struct app *app)
{
	if (heap->field_open == FIELD_NONE)
		return false;
	heap->field_open = FIELD_NONE;
	if (app->ui.focus == UI_ID(PANEL_SIDE, FIELD))
		app->ui.focus = 0;
	app_dirty(app, PANEL_SIDE);
	return true;
}

static void enter(struct heap *heap, struct app *app)
{
	char text[sizeof heap->field.text];
	memcpy(text, heap->field.text, sizeof text);
	const bool ok = heap->field_open == FIELD_FIND ? heap_find_text(heap, app, text)
						       : heap_set_text(heap, app, text);
	if (ok)
		heap_field_close(heap, app);
	ui_take(&app->ui);
}

/* Help for the field, or the error in its text. */
static const char *field_help(
    const struct heap *heap, const struct app *app, char *text, size_t size, uint32_t *ink)
{
	struct gcs_error err = {.text = ""};
	struct expr expr;
	const struct gcs_space *s = app_space(app, app->active_space);
	*ink = app->ui.theme->weak;
	if (heap->field_open == FIELD_FIND || s == NULL || heap->field.text[0] == 0)
		return heap->field_open == FIELD_FIND
			   ? "0x\xe2\x80\xa6 selects the tile at that address; a name goes "
			     "to a space, a group or a stream. Enter searches."
			   : "From the streams of the space: Used / Capacity * 100 %, [two words] "
			     "> 4K, prev(Used), min, max, abs, log2, tile, size. Enter applies.";
	if (expr_compile(&expr, heap->field.text, s, &err))
		return expr.percent ? "Shown on a scale from 0 to 100 %. Enter applies."
				    : "Shown on a scale from min to max. Enter applies.";
	*ink = app->ui.theme->bad;
	snprintf(text, size, "%s", err.text);
	return text;
}

void heap_field_run(struct heap *heap, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	const bool find = heap->field_open == FIELD_FIND;
	const uint32_t id = UI_ID(PANEL_SIDE, FIELD);
	if (heap->field_open == FIELD_NONE)
		return;
	side_section(app, column, find ? "Find" : "Expression", "Esc closes");
	struct cv_rect row = cut_top(column, ui_px(ui, 28));
	ui_field(ui, id, row, &heap->field, find ? "address or name" : "Used / Capacity * 100 %");
	cut_top(column, ui_px(ui, 6));
	char text[400];
	uint32_t ink;
	const char *help = field_help(heap, app, text, sizeof text, &ink);
	side_paragraph(app, column, FONT_SMALL, ink, 4, help);
	struct keystroke stroke;
	if (!ui_paints(ui) && !ui->used && ui->focus == id && key_of_event(ui->ev, &stroke) &&
	    stroke.key == KEY_ENTER)
		enter(heap, app);
}
