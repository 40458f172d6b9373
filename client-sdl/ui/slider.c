/* A slider with a fixed number of positions. Declared in ui.h. */
#include "layout.h"
#include "ui.h"

/* Where the knob can be: its centre at the first and the last position. */
static struct cv_rect track_of(const struct ui *ui, struct cv_rect r)
{
	const int rim = ui_px(ui, 8);
	return rect_make(r.x + rim, r.y, r.w > 2 * rim ? r.w - 2 * rim : 1, r.h);
}

static int position_at(struct cv_rect track, int steps, int x)
{
	const int of = track.w > 1 ? track.w : 1;
	return clamp_int(((x - track.x) * (steps - 1) + of / 2) / of, 0, steps - 1);
}

static void slider_key(struct ui *ui, int steps, int *at)
{
	struct keystroke stroke;
	int to = *at;
	if (!key_of_event(ui->ev, &stroke) || stroke.mods != 0)
		return;
	if (stroke.key == KEY_LEFT || stroke.key == KEY_DOWN)
		to--;
	else if (stroke.key == KEY_RIGHT || stroke.key == KEY_UP)
		to++;
	else if (stroke.key == KEY_HOME)
		to = 0;
	else if (stroke.key == KEY_END)
		to = steps - 1;
	else
		return;
	*at = clamp_int(to, 0, steps - 1);
	ui_take(ui);
}

static void slider_event(struct ui *ui, uint32_t id, struct cv_rect r, int steps, int *at)
{
	const bool pressed =
	    ui->ev->kind == EV_DOWN && !ui->used && rect_has(r, ui->ev->x, ui->ev->y);
	ui_area(ui, id, r);
	if (ui->active == id && (pressed || ui->ev->kind == EV_MOVE)) {
		*at = position_at(track_of(ui, r), steps, ui->ev->x);
		ui->focus = id;
		ui_take(ui);
	} else if (ui->ev->kind == EV_WHEEL && !ui->used && ui->ev->mods == 0 &&
		   rect_has(r, ui->ev->x, ui->ev->y)) {
		*at = clamp_int(*at + (ui->ev->wheel > 0 ? 1 : -1), 0, steps - 1);
		ui_take(ui);
	} else if (!ui->used && ui->focus == id) {
		slider_key(ui, steps, at);
	}
}

static void paint_slider(struct ui *ui, uint32_t id, struct cv_rect r, int steps, int at)
{
	const struct theme *th = ui->theme;
	const struct cv_rect track = track_of(ui, r);
	const int line = ui_px(ui, 4), knob = ui_px(ui, 14), y = r.y + r.h / 2;
	const int x = track.x + track.w * at / (steps > 1 ? steps - 1 : 1);
	cv_round(ui->cv, rect_make(track.x, y - line / 2, track.w, line), line / 2, th->hover);
	cv_round(ui->cv, rect_make(track.x, y - line / 2, x - track.x, line), line / 2, th->accent);
	for (int i = 0; i < steps; i++)
		cv_vline(ui->cv, track.x + track.w * i / (steps > 1 ? steps - 1 : 1), y + knob / 2,
		    ui_px(ui, 3), th->weak);
	const bool strong = ui->hot == id || ui->active == id;
	cv_round(ui->cv, rect_make(x - knob / 2, y - knob / 2, knob, knob), knob / 2,
	    strong ? th->text : th->accent);
	ui_ring(ui, id, r);
}

bool ui_slider(struct ui *ui, uint32_t id, struct cv_rect r, int steps, int *at)
{
	const int before = *at;
	if (!ui_paints(ui)) {
		slider_event(ui, id, r, steps, at);
		return *at != before;
	}
	struct ui_focus_list *list = &ui->items[ui->panel];
	if (list->count < UI_FOCUS_ITEMS)
		list->id[list->count++] = id;
	paint_slider(ui, id, r, steps, *at);
	return false;
}
