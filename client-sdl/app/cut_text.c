#include "cut_text.h"

#include <stdio.h>
#include <string.h>

#include "app.h"

static void forget(struct app *app)
{
	if (!rect_empty(app->cut_text.at))
		app_dirty(app, PANEL_MODAL);
	app->cut_text.at = rect_make(0, 0, 0, 0);
}

void cut_text_event(struct app *app, const struct ui_event *ev)
{
	struct cut_text *c = &app->cut_text;
	const bool moves = ev->kind == EV_MOVE;
	if (moves && rect_has(c->at, ev->x, ev->y))
		return;
	/* Any other event may bring other text under a pointer that rests. */
	const bool again = c->rests || c->due_ms != 0;
	forget(app);
	c->rests = false;
	c->due_ms = 0;
	if (ev->kind != EV_LEAVE && (moves || again))
		c->due_ms = app->now_ms + CUT_TEXT_MS;
}

/* The panel under the pointer; PANEL_COUNT if there is none. */
static enum panel_id panel_under(const struct app *app)
{
	if (app->modal != MODAL_NONE)
		return rect_has(app->modal_box, app->ui.mouse_x, app->ui.mouse_y) ? PANEL_MODAL
										  : PANEL_COUNT;
	int i = 0;
	while (i < PANEL_MODAL && !rect_has(app->rect[i], app->ui.mouse_x, app->ui.mouse_y))
		i++;
	return i < PANEL_MODAL ? (enum panel_id)i : PANEL_COUNT;
}

void cut_text_tick(struct app *app)
{
	struct cut_text *c = &app->cut_text;
	if (c->due_ms == 0 || app->now_ms < c->due_ms)
		return;
	c->due_ms = 0;
	const enum panel_id under = panel_under(app);
	if (under == PANEL_COUNT || app->ui.active != 0)
		return;
	c->rests = true;
	app_dirty(app, under);
	app->view_all = app->view_all || under == PANEL_VIEW;
}

uint64_t cut_text_due_ms(const struct app *app)
{
	return app->cut_text.due_ms != 0 ? app->cut_text.due_ms : UINT64_MAX;
}

static void note_at_pointer(void *context, struct cv_rect at, const char *text, bool cut)
{
	struct app *app = context;
	struct cut_text *c = &app->cut_text;
	if (!rect_has(at, app->ui.mouse_x, app->ui.mouse_y))
		return;
	c->noted = true;
	c->noted_cut = cut;
	c->noted_at = at;
	snprintf(c->noted_text, sizeof c->noted_text, "%s", text);
}

void cut_text_begin(struct app *app)
{
	app->cut_text.noted = false;
	if (!app->cut_text.rests || app->cv.note_text != NULL)
		return;
	app->cv.note_text = note_at_pointer;
	app->cv.note_context = app;
}

void cut_text_end(struct app *app, bool whole)
{
	struct cut_text *c = &app->cut_text;
	if (app->cv.note_text != note_at_pointer)
		return;
	app->cv.note_text = NULL;
	if (c->noted && c->noted_cut) {
		c->at = c->noted_at;
		memcpy(c->text, c->noted_text, sizeof c->text);
	} else if (c->noted || whole) {
		c->at = rect_make(0, 0, 0, 0);
	}
}

struct cv_rect cut_text_tip(const struct app *app, char *text)
{
	const struct ui *ui = &app->ui;
	const struct cut_text *c = &app->cut_text;
	memcpy(text, ui->tip, UI_TIP_TEXT);
	if (rect_empty(c->at) || strstr(ui->tip, c->text) != NULL)
		return ui->tip_at;
	const int used = snprintf(text, UI_TIP_TEXT, "%s", c->text);
	if (ui->tip[0] == 0 || used >= UI_TIP_TEXT - 1)
		return c->at;
	snprintf(text + used, UI_TIP_TEXT - (size_t)used, "\n%s", ui->tip);
	return ui->tip_at;
}
