#include "ui.h"

#include <stdio.h>
#include <string.h>

#include "layout.h"

int ui_px(const struct ui *ui, int n)
{
	return (n * ui->scale + 50) / 100;
}

void ui_begin(struct ui *ui, int panel, const struct ui_event *ev)
{
	ui->panel = panel;
	ui->ev = ev;
	ui->used = false;
	ui->dirty = false;
	if (ev == NULL)
		ui->items[panel].count = 0;
}

bool ui_paints(const struct ui *ui)
{
	return ui->ev == NULL;
}

void ui_take(struct ui *ui)
{
	ui->used = true;
	ui->dirty = true;
}

static int flat_list(const struct ui *ui, int first, int last, uint32_t *ids, int *at)
{
	int n = 0;
	*at = -1;
	for (int p = first; p <= last; p++) {
		for (int i = 0; i < ui->items[p].count; i++) {
			if (ui->items[p].id[i] == ui->focus)
				*at = n;
			ids[n++] = ui->items[p].id[i];
		}
	}
	return n;
}

void ui_focus_move(struct ui *ui, int dir, int first, int last)
{
	uint32_t ids[UI_PANELS * UI_FOCUS_ITEMS];
	int at;
	int n = flat_list(ui, first, last, ids, &at);
	if (n == 0)
		return;
	if (at < 0)
		at = dir > 0 ? 0 : n - 1;
	else
		at = (at + dir + n) % n;
	ui->focus = ids[at];
	ui->focus_shown = true;
}

bool ui_area(struct ui *ui, uint32_t id, struct cv_rect r)
{
	const struct ui_event *ev = ui->ev;
	if (ev != NULL && ui->area != NULL)
		ui->area(ui->area_context, id, r);
	if (ev == NULL || ui->used)
		return false;
	bool inside = rect_has(r, ev->x, ev->y);
	switch (ev->kind) {
	case EV_MOVE:
		if (inside && ui->active == 0)
			ui->hot = id;
		return false;
	case EV_DOWN:
		if (!inside || ev->button != 1)
			return false;
		ui->active = id;
		ui->focus_shown = false;
		ui_take(ui);
		return false;
	case EV_UP:
		if (ui->active != id || ev->button != 1)
			return false;
		ui->active = 0;
		ui_take(ui);
		return inside;
	default:
		return false;
	}
}

static void add_focus_item(struct ui *ui, uint32_t id)
{
	struct ui_focus_list *list = &ui->items[ui->panel];
	if (ui_paints(ui) && list->count < UI_FOCUS_ITEMS)
		list->id[list->count++] = id;
}

bool ui_control(struct ui *ui, uint32_t id, struct cv_rect r)
{
	add_focus_item(ui, id);
	if (ui_area(ui, id, r))
		return true;
	struct keystroke stroke;
	if (ui->ev == NULL || ui->used || ui->focus != id || !key_of_event(ui->ev, &stroke))
		return false;
	if (stroke.mods != 0 || (stroke.key != KEY_ENTER && stroke.key != ' '))
		return false;
	ui_take(ui);
	return true;
}

void ui_ring(struct ui *ui, uint32_t id, struct cv_rect r)
{
	if (ui_paints(ui) && ui->focus == id && ui->focus_shown)
		cv_round_frame(ui->cv, rect_inset(r, -ui_px(ui, 1)), ui_px(ui, 5), ui_px(ui, 2),
		    ui->theme->accent);
}

void ui_tip(struct ui *ui, uint32_t id, struct cv_rect r, const char *text)
{
	if (ui->ev == NULL || ui->ev->kind != EV_MOVE || ui->hot != id)
		return;
	snprintf(ui->tip, sizeof ui->tip, "%s", text);
	ui->tip_at = r;
}

void ui_icon(struct ui *ui, enum ui_icon icon, struct cv_rect r, uint32_t colour)
{
	struct cv *cv = ui->cv;
	int bar = r.w / 3 > 0 ? r.w / 3 : 1;
	switch (icon) {
	case ICON_NONE:
		break;
	case ICON_PAUSE:
		cv_fill(cv, rect_make(r.x, r.y, bar, r.h), colour);
		cv_fill(cv, rect_make(r.x + r.w - bar, r.y, bar, r.h), colour);
		break;
	case ICON_PLAY:
		cv_arrow(cv, r, 1, colour);
		break;
	case ICON_RECORD: /* the only icon with a colour of its own */
		cv_round(cv, r, r.w / 2, ui->theme->bad);
		break;
	case ICON_STOP:
		cv_fill(cv, rect_inset(r, r.w / 8), colour);
		break;
	case ICON_MINUS:
	case ICON_PLUS:
		bar = r.w / 6 > 0 ? r.w / 6 : 1;
		cv_fill(cv, rect_make(r.x, r.y + (r.h - bar) / 2, r.w, bar), colour);
		if (icon == ICON_PLUS)
			cv_fill(cv, rect_make(r.x + (r.w - bar) / 2, r.y, bar, r.h), colour);
		break;
	case ICON_STEP:
		bar = r.w / 4 > 0 ? r.w / 4 : 1;
		cv_arrow(cv, rect_make(r.x, r.y, r.w - bar - 1, r.h), 1, colour);
		cv_fill(cv, rect_make(r.x + r.w - bar, r.y, bar, r.h), colour);
		break;
	}
}

void ui_label(struct ui *ui, struct cv_rect r, enum text_align align, const char *text)
{
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_SMALL], r, align, ui->theme->weak, text);
}

void ui_value(struct ui *ui, struct cv_rect r, enum text_align align, const char *text)
{
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_UI], r, align, ui->theme->text, text);
}
