/* The simple widgets: button, check box, scroll bar, split. Declared in ui.h. */
#include <string.h>

#include "layout.h"
#include "ui.h"

#define ICON_SIZE 10

int ui_button_width(const struct ui *ui, enum ui_icon icon, const char *label)
{
	int w = ui_px(ui, 20) + text_width(ui->fonts->face[FONT_UI], label);
	if (icon != ICON_NONE)
		w += ui_px(ui, ICON_SIZE + (*label != 0 ? 6 : 0));
	return w;
}

static uint32_t button_ground(const struct ui *ui, uint32_t id, unsigned flags)
{
	const struct theme *th = ui->theme;
	bool over = ui->hot == id && (flags & BUTTON_OFF) == 0;
	if (flags & BUTTON_PRIMARY && (flags & BUTTON_OFF) == 0)
		return over ? cv_mix(th->accent, th->text, 50) : th->accent;
	if (flags & BUTTON_FLAT && !over)
		return th->panel;
	return over ? th->hover : th->raised;
}

static void paint_button(struct ui *ui, uint32_t id, struct cv_rect r, enum ui_icon icon,
    const char *label, unsigned flags)
{
	const struct theme *th = ui->theme;
	uint32_t ink = th->text;
	if (flags & BUTTON_OFF)
		ink = cv_mix(th->weak, th->raised, 110);
	else if (flags & BUTTON_PRIMARY)
		ink = th->on_accent;
	cv_round(ui->cv, r, ui_px(ui, 4), button_ground(ui, id, flags));
	if (ui->active == id && (flags & BUTTON_OFF) == 0)
		cv_round_frame(ui->cv, r, ui_px(ui, 4), ui_px(ui, 1), th->accent);
	int used = ui_button_width(ui, icon, label) - ui_px(ui, 20);
	int x = r.x + (r.w - used) / 2;
	if (x < r.x + ui_px(ui, 4)) /* too narrow: the end is cut, and the neighbour left alone */
		x = r.x + ui_px(ui, 4);
	if (icon != ICON_NONE) {
		int size = ui_px(ui, ICON_SIZE);
		ui_icon(ui, icon, rect_make(x, r.y + (r.h - size) / 2, size, size), ink);
		x += size + ui_px(ui, 6);
	}
	struct cv_rect text = rect_make(x, r.y, r.x + r.w - ui_px(ui, 4) - x, r.h);
	text_in(ui->cv, ui->fonts->face[FONT_UI], text, TEXT_LEFT, ink, label);
	ui_ring(ui, id, r);
}

bool ui_button(struct ui *ui, uint32_t id, struct cv_rect r, enum ui_icon icon, const char *label,
    unsigned flags)
{
	bool clicked = false;
	if ((flags & BUTTON_OFF) == 0)
		clicked = ui_control(ui, id, r);
	if (ui_paints(ui))
		paint_button(ui, id, r, icon, label, flags);
	return clicked;
}

bool ui_toggle(struct ui *ui, uint32_t id, struct cv_rect r, const char *label, bool *on)
{
	bool clicked = ui_control(ui, id, r);
	if (clicked)
		*on = !*on;
	if (!ui_paints(ui))
		return clicked;
	const struct theme *th = ui->theme;
	int size = ui_px(ui, 14);
	struct cv_rect box = rect_make(r.x + ui_px(ui, 4), r.y + (r.h - size) / 2, size, size);
	cv_round(ui->cv, box, ui_px(ui, 3), *on ? th->accent : th->raised);
	if (!*on)
		cv_round_frame(ui->cv, box, ui_px(ui, 3), ui_px(ui, 1), th->weak);
	else
		cv_fill(ui->cv, rect_inset(box, ui_px(ui, 4)), th->on_accent);
	struct cv_rect text = rect_make(box.x + size + ui_px(ui, 8), r.y, r.w, r.h);
	text.w = r.x + r.w - text.x;
	ui_value(ui, text, TEXT_LEFT, label);
	ui_ring(ui, id, r);
	return clicked;
}

void ui_toggle_off(struct ui *ui, uint32_t id, struct cv_rect r, const char *label)
{
	ui_area(ui, id, r);
	if (!ui_paints(ui))
		return;
	int size = ui_px(ui, 14);
	struct cv_rect box = rect_make(r.x + ui_px(ui, 4), r.y + (r.h - size) / 2, size, size);
	cv_round_frame(ui->cv, box, ui_px(ui, 3), ui_px(ui, 1), ui->theme->line);
	struct cv_rect text = rect_make(box.x + size + ui_px(ui, 8), r.y, r.w, r.h);
	text.w = r.x + r.w - text.x;
	text_in(ui->cv, ui->fonts->face[FONT_UI], text, TEXT_LEFT, ui->theme->weak, label);
}

static void limit(int content, int page, int *at)
{
	*at = clamp_int(*at, 0, content - page > 0 ? content - page : 0);
}

static struct cv_rect thumb_of(const struct ui *ui, struct cv_rect r, int content, int page, int at)
{
	int least = ui_px(ui, 24);
	int h = (int)((long)r.h * page / content);
	h = clamp_int(h, least, r.h);
	int range = content - page;
	int y = range > 0 ? (int)((long)(r.h - h) * at / range) : 0;
	return rect_make(r.x, r.y + y, r.w, h);
}

static void drag_thumb(struct ui *ui, struct cv_rect r, struct cv_rect thumb, int range, int *at)
{
	int way = r.h - thumb.h;
	int y = ui->ev->y - ui->drag_offset - r.y;
	if (way > 0)
		*at = (int)((long)clamp_int(y, 0, way) * range / way);
}

bool ui_scroll_bar(struct ui *ui, uint32_t id, struct cv_rect r, int content, int page, int *at)
{
	int before = *at;
	limit(content, page, at);
	if (content <= page)
		return *at != before;
	struct cv_rect thumb = thumb_of(ui, r, content, page, *at);
	if (ui->ev != NULL) {
		bool pressed = ui->ev->kind == EV_DOWN && !ui->used;
		ui_area(ui, id, r);
		if (ui->active == id && pressed) {
			bool on_thumb = rect_has(thumb, ui->ev->x, ui->ev->y);
			ui->drag_offset = on_thumb ? ui->ev->y - thumb.y : thumb.h / 2;
			drag_thumb(ui, r, thumb, content - page, at);
		} else if (ui->active == id && ui->ev->kind == EV_MOVE) {
			drag_thumb(ui, r, thumb, content - page, at);
			ui_take(ui);
		}
		return *at != before;
	}
	const struct theme *th = ui->theme;
	bool strong = ui->active == id || ui->hot == id;
	struct cv_rect bar = rect_inset(thumb, ui_px(ui, 2));
	cv_round(ui->cv, bar, ui_px(ui, 4), strong ? th->weak : cv_mix(th->hover, th->weak, 80));
	return *at != before;
}

bool ui_scroll_wheel(struct ui *ui, struct cv_rect r, int content, int page, int line, int *at)
{
	const struct ui_event *ev = ui->ev;
	if (ev == NULL || ui->used || ev->kind != EV_WHEEL || ev->mods != 0 || content <= page ||
	    !rect_has(r, ev->x, ev->y))
		return false;
	int before = *at;
	*at -= ev->wheel * line;
	limit(content, page, at);
	ui_take(ui);
	return *at != before;
}

bool ui_split(struct ui *ui, uint32_t id, struct cv_rect r, int low, int high, int *at)
{
	if (ui->ev != NULL) {
		bool pressed = ui->ev->kind == EV_DOWN && !ui->used;
		ui_area(ui, id, r);
		if (ui->active == id && pressed)
			ui->drag_offset = ui->ev->x + *at;
		if (ui->active != id || ui->ev->kind != EV_MOVE)
			return false;
		int before = *at;
		*at = clamp_int(ui->drag_offset - ui->ev->x, low, high);
		ui_take(ui);
		return *at != before;
	}
	bool strong = ui->active == id || ui->hot == id;
	int line = ui_px(ui, strong ? 2 : 1);
	cv_fill(ui->cv, rect_make(r.x + (r.w - line) / 2, r.y, line, r.h),
	    strong ? ui->theme->accent : ui->theme->line);
	return false;
}
