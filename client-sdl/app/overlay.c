#include "overlay.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"

#define TIP_LINES 40

typedef void dialog_function(struct app *app, struct cv_rect r);

/* Size at scale 1; height 0: as high as the window allows. */
static const struct dialog {
	dialog_function *run;
	int w, h;
} dialogs[] = {
    [MODAL_HELP] = {help_run, 1000, 560},
    [MODAL_PALETTE] = {palette_run, 640, 400},
    [MODAL_CONNECT] = {connect_run, 860, 540},
    [MODAL_INFO] = {info_run, 640, 480},
    [MODAL_STREAMS] = {stream_menu_run, 300, 0},
    [MODAL_SUMMARY] = {summary_run, 680, 480},
    [MODAL_COLLECT] = {collect_run, 460, 150},
    [MODAL_COLOURS] = {colours_run, 500, 292},
    [MODAL_MENU] = {menu_run, 300, 0},
    [MODAL_ARGUMENT] = {argument_run, 460, 150},
    [MODAL_SETTINGS] = {settings_run, 640, 290},
};

void overlay_dialog(struct app *app, struct cv_rect r)
{
	if (app->modal != MODAL_NONE)
		dialogs[app->modal].run(app, r);
}

static struct cv_rect dialog_box(const struct app *app)
{
	const struct dialog *d = &dialogs[app->modal];
	struct cv_rect room =
	    rect_inset(rect_make(0, 0, app->cv.w, app->cv.h), ui_px(&app->ui, 16));
	int h = d->h > 0 ? ui_px(&app->ui, d->h) : room.h, w = ui_px(&app->ui, d->w);
	if (app->modal == MODAL_STREAMS)
		h = ui_px(&app->ui, stream_menu_height(app));
	if (app->modal == MODAL_MENU)
		menu_size(app, &w, &h);
	if (!rect_empty(app->modal_at)) { /* a menu below what opened it */
		struct cv_rect box = centred(room, w, h);
		struct cv_rect at = app->modal_at;
		/* Below the pointer to its right, below a button to its left. */
		const int x = at.w > 1 ? at.x + at.w - box.w : at.x;
		box.x = clamp_int(x, room.x, room.x + room.w - box.w);
		box.y = clamp_int(at.y + at.h, room.y, room.y + room.h - box.h);
		return box;
	}
	return centred(room, w, h);
}

#define SHADOW 5 /* pixels around the box */

static void paint_shadow(struct cv *cv, struct cv_rect box)
{
	for (int i = SHADOW - 2; i >= 0; i--) {
		struct cv_rect r = rect_inset(box, -i);
		r.y += 2;
		cv_blend(cv, r, 0x000000, 28);
	}
}

void overlay_modal(struct app *app)
{
	if (app->modal == MODAL_NONE)
		return;
	struct cv *cv = &app->cv;
	struct cv_rect window = rect_make(0, 0, cv->w, cv->h);
	if (!layer_save(&app->layer_modal, cv, window))
		return;
	const struct theme *th = app->ui.theme;
	int radius = ui_px(&app->ui, 8);
	if (rect_empty(app->modal_at))
		cv_blend(cv, window, th->shade, 150);
	app->modal_box = dialog_box(app);
	cv_round(cv, app->modal_box, radius, th->panel);
	cv_round_frame(cv, app->modal_box, radius, ui_px(&app->ui, 1), th->line);
	ui_begin(&app->ui, PANEL_MODAL, NULL);
	cv_push_clip(cv, app->modal_box);
	overlay_dialog(app, rect_inset(app->modal_box, ui_px(&app->ui, 16)));
	cv_pop_clip(cv);
}

struct tip_line {
	const char *label, *value; /* value NULL: the label alone */
};

/* Splits a tooltip into lines, and these at the tab; works on a copy. */
static int split_tip(char *text, struct tip_line *lines)
{
	int n = 0;
	while (text != NULL && *text != 0 && n < TIP_LINES) {
		char *end = strchr(text, '\n');
		if (end != NULL)
			*end++ = 0;
		char *tab = strchr(text, '\t');
		if (tab != NULL)
			*tab++ = 0;
		lines[n++] = (struct tip_line){text, tab};
		text = end;
	}
	return n;
}

static struct cv_rect tip_place(const struct app *app, int w, int h)
{
	struct cv_rect at = app->ui.tip_at;
	int gap = ui_px(&app->ui, 10);
	int x = at.x + at.w + gap;
	int y = at.y + at.h + gap;
	if (x + w > app->cv.w)
		x = at.x - gap - w;
	if (y + h > app->cv.h)
		y = at.y - gap - h;
	return rect_make(
	    clamp_int(x, 2, app->cv.w - w - 2), clamp_int(y, 2, app->cv.h - h - 2), w, h);
}

void overlay_tip(struct app *app)
{
	struct ui *ui = &app->ui;
	app->tip_shown = ui->tip[0] != 0;
	if (!app->tip_shown)
		return;
	char text[UI_TIP_TEXT];
	memcpy(text, ui->tip, sizeof text);
	struct tip_line lines[TIP_LINES];
	int n = split_tip(text, lines);
	struct font *font = ui->fonts->face[FONT_UI];
	int label_w = 0, value_w = 0, alone_w = 0;
	for (int i = 0; i < n; i++) {
		int w = text_width(ui->fonts->face[i == 0 ? FONT_BOLD : FONT_UI], lines[i].label);
		int v = lines[i].value != NULL ? text_width(font, lines[i].value) : 0;
		int *widest = lines[i].value != NULL ? &label_w : &alone_w;
		*widest = w > *widest ? w : *widest;
		value_w = v > value_w ? v : value_w;
	}
	int gap = label_w > 0 ? ui_px(ui, 16) : 0;
	int w = label_w + gap + value_w > alone_w ? label_w + gap + value_w : alone_w;
	int line = font_height(font) + ui_px(ui, 2);
	int pad = ui_px(ui, 8);
	struct cv_rect box = tip_place(app, w + 2 * pad, n * line + 2 * pad);
	if (!layer_save(&app->layer_tip, &app->cv, rect_inset(box, -SHADOW)))
		return;
	paint_shadow(&app->cv, box);
	cv_round(&app->cv, box, ui_px(ui, 6), ui->theme->raised);
	cv_round_frame(&app->cv, box, ui_px(ui, 6), ui_px(ui, 1), ui->theme->hover);
	struct cv_rect r = rect_inset(box, pad);
	for (int i = 0; i < n; i++) {
		struct cv_rect row = cut_top(&r, line);
		bool title = i == 0;
		text_in(&app->cv, title ? ui->fonts->face[FONT_BOLD] : font, row, TEXT_LEFT,
		    title ? ui->theme->text : ui->theme->weak, lines[i].label);
		if (lines[i].value != NULL)
			text_in(&app->cv, font, row, TEXT_RIGHT, ui->theme->text, lines[i].value);
	}
}

void overlay_toast(struct app *app)
{
	struct ui *ui = &app->ui;
	if (app->toast[0] == 0)
		return;
	struct font *font = ui->fonts->face[FONT_UI];
	int room = app->cv.w - ui_px(ui, 64);
	int w = clamp_int(text_width(font, app->toast), 0, room) + ui_px(ui, 32);
	int h = ui_px(ui, 36);
	int bottom = app->rect[PANEL_TIMELINE].y - ui_px(ui, 12);
	struct cv_rect box = rect_make((app->cv.w - w) / 2, bottom - h, w, h);
	if (!layer_save(&app->layer_toast, &app->cv, rect_inset(box, -SHADOW)))
		return;
	paint_shadow(&app->cv, box);
	cv_round(&app->cv, box, ui_px(ui, 6), ui->theme->text);
	struct cv_rect text = rect_make(box.x + ui_px(ui, 16), box.y, box.w - ui_px(ui, 32), box.h);
	text_in(&app->cv, font, text, TEXT_LEFT, ui->theme->panel, app->toast);
}
