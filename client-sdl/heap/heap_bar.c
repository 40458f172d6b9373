/* The tools in the title of the active space and of the hovered one (V2). Declared in
 * heap_view.h. */
#include <stdio.h>

#include "heap_view.h"
#include "layout.h"

enum { FIRST_ACTIVE = 10, FIRST_HOVERED = 20 };

enum tool { TOOL_PIN, TOOL_HIDE, TOOL_STREAMS, TOOL_SUMMARY, TOOL_CLEAR, TOOLS };

static const struct {
	enum command_id command;
	const char *tip;
} tools[TOOLS] = {
    [TOOL_PIN] = {COMMAND_pin, "Pin the space to the top, or unpin it\nKey\tJ"},
    [TOOL_HIDE] = {COMMAND_hide, "Hide the space; listed at the end of the map\nKey\tShift+J"},
    [TOOL_STREAMS] = {COMMAND_stream, "Choose the stream that colours the tiles\nKeys\t[ and ]"},
    [TOOL_SUMMARY] = {COMMAND_summary, "Summary of the space and its streams\nKey\tShift+Y"},
    [TOOL_CLEAR] = {COMMAND_clear_markers, "Clear the marked tiles\nKey\tShift+Delete"},
};

struct cv_rect heap_title_rect(
    const struct heap *heap, const struct app *app, const struct heap_item *item)
{
	const struct ui *ui = &app->ui;
	struct cv_rect r = heap_item_rect(heap, app, item);
	return rect_make(r.x + ui_px(ui, 6), r.y + ui_px(ui, 3), r.w - 2 * ui_px(ui, 6),
	    ui_px(&app->ui, HEAP_TITLE) - ui_px(ui, 3));
}

/* The icons, in a square of ten units. */
static void paint_tool(struct ui *ui, enum tool tool, struct cv_rect r, uint32_t ink, bool on)
{
	struct cv *cv = ui->cv;
	const int u = r.w / 10 > 0 ? r.w / 10 : 1, line = ui_px(ui, 1) > 0 ? ui_px(ui, 1) : 1;
	switch (tool) {
	case TOOL_PIN: /* a head, a rim and a needle; filled when the space is pinned */
		if (on)
			cv_fill(cv, rect_make(r.x + 3 * u, r.y, 4 * u, 5 * u), ink);
		else
			cv_frame(cv, rect_make(r.x + 3 * u, r.y, 4 * u, 5 * u + line), line, ink);
		cv_fill(cv, rect_make(r.x + u, r.y + 5 * u, 8 * u, line), ink);
		cv_fill(cv, rect_make(r.x + 5 * u - line / 2, r.y + 5 * u, line, 5 * u), ink);
		break;
	case TOOL_HIDE: /* a cross */
		for (int i = 0; i < 8 * u; i++) {
			cv_fill(cv, rect_make(r.x + u + i, r.y + u + i, line + 1, line), ink);
			cv_fill(
			    cv, rect_make(r.x + 9 * u - i - 1, r.y + u + i, line + 1, line), ink);
		}
		break;
	case TOOL_STREAMS: /* a list */
		for (int i = 0; i < 3; i++) {
			const int y = r.y + (1 + 3 * i) * u;
			cv_fill(cv, rect_make(r.x, y, 2 * u, 2 * u), ink);
			cv_fill(cv, rect_make(r.x + 3 * u, y + u / 2, 7 * u, line + u / 2), ink);
		}
		break;
	case TOOL_SUMMARY: /* columns */
		for (int i = 0; i < 3; i++) {
			static const int height[3] = {4, 9, 6};
			cv_fill(cv,
			    rect_make(r.x + (1 + 3 * i) * u, r.y + (10 - height[i]) * u, 2 * u,
				height[i] * u),
			    ink);
		}
		break;
	default: /* a marked tile, struck out */
		cv_frame(cv, rect_make(r.x + u, r.y + u, 8 * u, 8 * u), line, ink);
		for (int i = 0; i < 10 * u; i++)
			cv_fill(cv, rect_make(r.x + i, r.y + 10 * u - i - 1, line + 1, line), ink);
		break;
	}
}

static void run_tool(struct heap *heap, struct app *app, const struct heap_item *item,
    enum tool tool, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	const bool active = item->id == app->active_space;
	const uint32_t id = UI_ID(PANEL_VIEW, (active ? FIRST_ACTIVE : FIRST_HOVERED) + (int)tool);
	const bool clicked = ui_control(ui, id, r);
	ui_tip(ui, id, r, tools[tool].tip);
	if (ui_paints(ui)) {
		const bool on = tool == TOOL_PIN && item->prefs->pinned;
		const bool strong = on || ui->hot == id;
		if (ui->hot == id)
			cv_round(ui->cv, r, ui_px(ui, 4), th->hover);
		const int size = ui_px(ui, 10);
		paint_tool(ui, tool, centred(r, size, size), strong ? th->text : th->weak, on);
		ui_ring(ui, id, rect_inset(r, ui_px(ui, 1)));
	}
	if (!clicked)
		return;
	app_activate(app, item->id);
	if (tool == TOOL_STREAMS)
		app->modal_at = r;
	heap->bar = GCS_NONE;
	heap_run(app, tools[tool].command);
}

void heap_bar_run(
    struct heap *heap, struct app *app, const struct heap_item *item, struct cv_rect *title)
{
	struct ui *ui = &app->ui;
	const int w = ui_px(ui, 22);
	const bool marked = item->prefs->marks.count > 0;
	const int count = marked ? TOOLS : TOOL_CLEAR;
	/* In a narrow window the title has priority. */
	if ((item->id != app->active_space && item->id != heap->bar) || title->w < 9 * w)
		return;
	struct cv_rect bar = cut_right(title, count * w);
	cut_right(title, ui_px(ui, 8));
	for (int i = 0; i < count && !ui->used; i++)
		run_tool(heap, app, item, (enum tool)i, cut_left(&bar, w));
}
