#include "textfield.h"

#include <string.h>

#include "layout.h"
#include "utf8.h"

void textfield_set(struct textfield *field, const char *text)
{
	memset(field, 0, sizeof *field);
	textfield_insert(field, text);
	field->anchor = 0;
}

static void span(const struct textfield *field, size_t *from, size_t *to)
{
	*from = field->cursor < field->anchor ? field->cursor : field->anchor;
	*to = field->cursor < field->anchor ? field->anchor : field->cursor;
}

static void erase(struct textfield *field, size_t from, size_t to)
{
	memmove(field->text + from, field->text + to, strlen(field->text + to) + 1);
	field->cursor = field->anchor = from;
}

void textfield_insert(struct textfield *field, const char *text)
{
	size_t from, to;
	span(field, &from, &to);
	erase(field, from, to);
	while (*text != 0) {
		const char *start = text;
		uint32_t code = utf8_next(&text);
		size_t n = (size_t)(text - start);
		size_t length = strlen(field->text);
		if (code < 32 || code == 127)
			continue;
		if (length + n >= sizeof field->text)
			break;
		memmove(field->text + field->cursor + n, field->text + field->cursor,
		    length - field->cursor + 1);
		memcpy(field->text + field->cursor, start, n);
		field->cursor += n;
	}
	field->anchor = field->cursor;
}

static void move(struct textfield *field, size_t to, unsigned mods)
{
	field->cursor = to;
	if ((mods & MOD_SHIFT) == 0)
		field->anchor = to;
}

static bool clipboard_key(struct textfield *field, uint32_t key, const struct ui_clipboard *clip)
{
	size_t from, to;
	span(field, &from, &to);
	char part[sizeof field->text];
	switch (key) {
	case 'A':
		field->anchor = 0;
		field->cursor = strlen(field->text);
		return true;
	case 'C':
	case 'X':
		/* Without a selection, the owner handles Ctrl+C. */
		if (key == 'C' && to == from)
			return false;
		memcpy(part, field->text + from, to - from);
		part[to - from] = 0;
		if (to > from)
			clip->put(clip->context, part);
		if (key == 'X')
			erase(field, from, to);
		return true;
	case 'V':
		clip->get(clip->context, part, sizeof part);
		textfield_insert(field, part);
		return true;
	default:
		return false;
	}
}

bool textfield_key(
    struct textfield *field, struct keystroke stroke, const struct ui_clipboard *clipboard)
{
	size_t from, to;
	span(field, &from, &to);
	if (stroke.mods & MOD_CTRL)
		return clipboard_key(field, stroke.key, clipboard);
	switch (stroke.key) {
	case KEY_LEFT:
		move(field, utf8_before(field->text, field->cursor), stroke.mods);
		return true;
	case KEY_RIGHT:
		move(field, utf8_after(field->text, field->cursor), stroke.mods);
		return true;
	case KEY_HOME:
		move(field, 0, stroke.mods);
		return true;
	case KEY_END:
		move(field, strlen(field->text), stroke.mods);
		return true;
	case KEY_BACKSPACE:
		if (from == to)
			from = utf8_before(field->text, to);
		erase(field, from, to);
		return true;
	case KEY_DELETE:
		if (from == to)
			to = utf8_after(field->text, from);
		erase(field, from, to);
		return true;
	default:
		return false;
	}
}

static void paint_field(
    struct ui *ui, uint32_t id, struct cv_rect r, struct textfield *field, const char *hint)
{
	const struct theme *th = ui->theme;
	struct font *font = ui->fonts->face[FONT_UI];
	bool focused = ui->focus == id;
	struct cv_rect in = rect_inset(r, ui_px(ui, 1));
	cv_round(ui->cv, r, ui_px(ui, 4), focused ? th->accent : th->line);
	cv_round(ui->cv, in, ui_px(ui, 3), th->ground);
	in = rect_make(
	    r.x + ui_px(ui, 8), r.y + ui_px(ui, 2), r.w - ui_px(ui, 16), r.h - ui_px(ui, 4));
	if (field->text[0] == 0)
		text_in(ui->cv, font, in, TEXT_LEFT, th->weak, hint);
	int cursor = text_width_n(font, field->text, field->cursor);
	field->scroll = clamp_int(field->scroll, cursor - in.w + 1, cursor);
	int x = in.x - (field->scroll > 0 ? field->scroll : 0);
	int height = font_height(font);
	int y = in.y + (in.h - height) / 2;
	size_t from, to;
	span(field, &from, &to);
	cv_push_clip(ui->cv, in);
	if (focused && from != to) {
		int left = text_width_n(font, field->text, from);
		int right = text_width_n(font, field->text, to);
		cv_fill(ui->cv, rect_make(x + left, y, right - left, height),
		    cv_mix(th->ground, th->accent, 90));
	}
	text_paint(ui->cv, font, x, y, th->text, field->text);
	if (focused)
		cv_fill(ui->cv, rect_make(x + cursor, y, ui_px(ui, 1), height), th->accent);
	cv_pop_clip(ui->cv);
}

/* The byte offset of the character boundary nearest to pixel x of the text. */
static size_t offset_at(struct font *font, const char *text, int x)
{
	size_t at = 0;
	while (text[at] != 0) {
		size_t next = utf8_after(text, at);
		int left = text_width_n(font, text, at);
		int right = text_width_n(font, text, next);
		if (x < (left + right) / 2)
			break;
		at = next;
	}
	return at;
}

static void take_pointer(struct ui *ui, uint32_t id, struct cv_rect r, struct textfield *field)
{
	bool pressed = ui->ev->kind == EV_DOWN && rect_has(r, ui->ev->x, ui->ev->y) && !ui->used;
	bool dragged = ui->ev->kind == EV_MOVE && ui->active == id;
	ui_area(ui, id, r);
	if (!pressed && !dragged)
		return;
	int x = ui->ev->x - r.x - ui_px(ui, 8) + (field->scroll > 0 ? field->scroll : 0);
	field->cursor = offset_at(ui->fonts->face[FONT_UI], field->text, x);
	if (pressed) {
		field->anchor = field->cursor;
		ui->focus = id;
	}
	ui_take(ui);
}

bool ui_field(
    struct ui *ui, uint32_t id, struct cv_rect r, struct textfield *field, const char *hint)
{
	if (ui_paints(ui)) {
		struct ui_focus_list *list = &ui->items[ui->panel];
		if (list->count < UI_FOCUS_ITEMS)
			list->id[list->count++] = id;
		paint_field(ui, id, r, field, hint);
		return false;
	}
	take_pointer(ui, id, r, field);
	if (ui->used || ui->focus != id)
		return false;
	if (ui->ev->kind == EV_TEXT) {
		textfield_insert(field, ui->ev->text);
		ui_take(ui);
		return true;
	}
	struct keystroke stroke;
	if (!key_of_event(ui->ev, &stroke) || !textfield_key(field, stroke, &ui->clipboard))
		return false;
	ui_take(ui);
	return true;
}
