/* Group headers, which collapse and expand their groups. Declared in heap_view.h. */
#include "heap_view.h"
#include "layout.h"

enum { FIRST_GROUP = 100 };

static uint32_t widget(const struct heap_item *item)
{
	return UI_ID(PANEL_VIEW, FIRST_GROUP + item->id);
}

static void paint(struct heap *heap, struct app *app, const struct heap_item *item)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	const struct gcs_group *group = &app_model(app)->groups[item->id];
	struct cv_rect r = heap_item_rect(heap, app, item);
	cv_fill(ui->cv, r, th->ground);
	cv_touch(ui->cv, r);
	ui_ring(ui, widget(item), rect_inset(r, ui_px(ui, 3)));
	cut_left(&r, ui_px(ui, 6 + 16 * item->depth));
	struct cv_rect mark = cut_left(&r, ui_px(ui, 16));
	int size = ui_px(ui, 8);
	mark = rect_make(mark.x, mark.y + (mark.h - size) / 2, size, size);
	if (app_group_open(app, item->id)) {
		for (int i = 0; i < (size + 1) / 2; i++)
			cv_hline(ui->cv, mark.x + i, mark.y + size / 4 + i, size - 2 * i, th->weak);
	} else {
		cv_arrow(ui->cv, mark, 1, th->weak);
	}
	struct font *bold = ui->fonts->face[FONT_BOLD];
	text_in(ui->cv, bold, r, TEXT_LEFT, th->weak, group->name);
	int w = text_width(bold, group->name) + ui_px(ui, 12);
	cv_hline(ui->cv, r.x + w, r.y + r.h / 2, r.w - w, th->line);
}

static void toggle(struct app *app, uint32_t group)
{
	app_toggle_group(app, group);
	app->view_all = true;
}

/* Left collapses and Right expands, as in a tree. */
static void run_keys(struct app *app, const struct heap_item *item)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	if (ui->used || ui->focus != widget(item) || !key_of_event(ui->ev, &stroke) ||
	    stroke.mods != 0 || (stroke.key != KEY_LEFT && stroke.key != KEY_RIGHT))
		return;
	if ((stroke.key == KEY_RIGHT) == app->group_closed[item->id])
		toggle(app, item->id);
	ui_take(ui);
}

void heap_group_run(struct heap *heap, struct app *app, struct heap_item *item, bool all)
{
	struct ui *ui = &app->ui;
	const uint32_t id = widget(item);
	const bool rings = ui->focus == id && ui->focus_shown;
	if (item->id >= app->group_count)
		return;
	if (ui_control(ui, id, heap_item_rect(heap, app, item))) {
		if (ui->ev->kind == EV_UP)
			ui->focus = 0;
		toggle(app, item->id);
		return;
	}
	if (!ui_paints(ui)) {
		run_keys(app, item);
		return;
	}
	const bool open = app_group_open(app, item->id);
	if (all || rings || heap->ringed == id || open != item->open)
		paint(heap, app, item);
	item->open = open;
	if (rings)
		heap->ringed = id;
	else if (heap->ringed == id)
		heap->ringed = 0;
}

bool heap_open_groups(struct heap *heap, struct app *app, const char *argument)
{
	uint32_t opened = 0;
	(void)heap;
	(void)argument;
	for (uint32_t i = 0; i < app->group_count; i++) {
		if (!app->group_closed[i])
			continue;
		toggle(app, i);
		opened++;
	}
	if (opened == 0)
		app_toast(app, app->group_count > 0 ? "All groups are already expanded"
						    : "There are no groups");
	else
		app_toast(app, "%u group%s expanded", opened, opened == 1 ? "" : "s");
	return true;
}
