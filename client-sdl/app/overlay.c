#include "overlay.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"

#define TIP_LINES 40
#define TIP_LINE  80 /* characters of a line of a tooltip, at most */

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
	if (app->modal == MODAL_NONE) {
		layer_fini(&app->layer_modal); /* the pixels of a whole window */
		return;
	}
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
	bool title;
};

/* A tooltip in lines, with room for those that are broken in two. */
struct tip {
	struct tip_line line[TIP_LINES];
	int n;
	char text[UI_TIP_TEXT + 2 * TIP_LINES];
	size_t used;
};

static const char *keep_text(struct tip *tip, const char *text, size_t n)
{
	char *at = tip->text + tip->used;
	const size_t room = sizeof tip->text - tip->used;
	n = n < room ? n : room - 1;
	memcpy(at, text, n);
	at[n] = 0;
	tip->used += n + 1 < room ? n + 1 : n;
	return at;
}

/* One line of the text: a label, or a value beside its label. */
static void add_lines(struct tip *tip, struct font *font, int width, const char *label,
    size_t label_n, const char *text, bool title)
{
	if (label != NULL)
		label = keep_text(tip, label, label_n);
	while (text != NULL && tip->n < TIP_LINES) {
		const char *next;
		const size_t n = text_break(font, text, width, &next);
		const char *part = keep_text(tip, text, n);
		tip->line[tip->n++] = label != NULL ? (struct tip_line){label, part, title}
						    : (struct tip_line){part, NULL, title};
		label = label != NULL ? "" : NULL;
		text = next;
	}
}

/* The widest label of a value, which has at most half of the width. */
static int widest_label(struct ui *ui, const char *text, int width)
{
	int widest = 0;
	for (const char *at = text; *at != 0;) {
		const size_t line = strcspn(at, "\n"), label = strcspn(at, "\t\n");
		struct font *font = ui->fonts->face[at == text ? FONT_BOLD : FONT_UI];
		const int w = label < line ? text_width_n(font, at, label) : 0;
		widest = w > widest ? w : widest;
		at += line + (at[line] != 0);
	}
	return widest < width / 2 ? widest : width / 2;
}

/* Splits a tooltip into lines of at most a width, and these at the tab; returns the width of the
 * labels. The text is changed. */
static int split_tip(struct ui *ui, char *text, int width, int gap, struct tip *tip)
{
	const int label_w = widest_label(ui, text, width);
	bool title = true;
	while (text != NULL && *text != 0 && tip->n < TIP_LINES) {
		struct font *font = ui->fonts->face[title ? FONT_BOLD : FONT_UI];
		char *end = strchr(text, '\n');
		if (end != NULL)
			*end++ = 0;
		const char *tab = strchr(text, '\t');
		if (tab != NULL)
			add_lines(tip, ui->fonts->face[FONT_UI], width - label_w - gap, text,
			    (size_t)(tab - text), tab + 1, title);
		else
			add_lines(tip, font, width, NULL, 0, text, title);
		title = false;
		text = end;
	}
	return label_w;
}

static struct cv_rect tip_place(const struct app *app, struct cv_rect at, int w, int h)
{
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
	char text[UI_TIP_TEXT];
	const struct cv_rect at = cut_text_tip(app, text);
	app->tip_shown = text[0] != 0;
	if (!app->tip_shown)
		return;
	struct font *font = ui->fonts->face[FONT_UI];
	const int pad = ui_px(ui, 8), room = app->cv.w - 2 * pad - 2 * SHADOW;
	const int chosen = TIP_LINE * text_width(font, "n");
	struct tip tip = {.n = 0};
	int gap = ui_px(ui, 16), value_w = 0, alone_w = 0;
	const int label_w = split_tip(ui, text, chosen < room ? chosen : room, gap, &tip);
	for (int i = 0; i < tip.n; i++) {
		const struct tip_line *l = &tip.line[i];
		struct font *face = ui->fonts->face[l->title ? FONT_BOLD : FONT_UI];
		const int w =
		    l->value != NULL ? text_width(font, l->value) : text_width(face, l->label);
		int *widest = l->value != NULL ? &value_w : &alone_w;
		*widest = w > *widest ? w : *widest;
	}
	gap = label_w > 0 ? gap : 0;
	int w = label_w + gap + value_w > alone_w ? label_w + gap + value_w : alone_w;
	int line = font_height(font) + ui_px(ui, 2);
	struct cv_rect box = tip_place(app, at, w + 2 * pad, tip.n * line + 2 * pad);
	if (!layer_save(&app->layer_tip, &app->cv, rect_inset(box, -SHADOW)))
		return;
	paint_shadow(&app->cv, box);
	cv_round(&app->cv, box, ui_px(ui, 6), ui->theme->raised);
	cv_round_frame(&app->cv, box, ui_px(ui, 6), ui_px(ui, 1), ui->theme->hover);
	struct cv_rect r = rect_inset(box, pad);
	for (int i = 0; i < tip.n; i++) {
		const struct tip_line *l = &tip.line[i];
		struct cv_rect row = cut_top(&r, line), label = row;
		if (l->value != NULL)
			label.w = label_w;
		text_in(&app->cv, l->title ? ui->fonts->face[FONT_BOLD] : font, label, TEXT_LEFT,
		    l->title ? ui->theme->text : ui->theme->weak, l->label);
		if (l->value != NULL)
			text_in(&app->cv, font, row, TEXT_RIGHT, ui->theme->text, l->value);
	}
}

void overlay_toast(struct app *app)
{
	struct ui *ui = &app->ui;
	if (app->toast[0] == 0)
		return;
	struct font *font = ui->fonts->face[FONT_UI];
	int room = app->cv.w - ui_px(ui, 64);
	int wide = clamp_int(text_width(font, app->toast), 0, room);
	struct cv_rect text = rect_make(0, 0, wide, 0);
	text.h = text_paragraph(NULL, font, text, 0, app->toast);
	int w = wide + ui_px(ui, 32), h = text.h - font_height(font) + ui_px(ui, 36);
	int bottom = app->rect[PANEL_TIMELINE].y - ui_px(ui, 12);
	struct cv_rect box = rect_make((app->cv.w - w) / 2, bottom - h, w, h);
	if (!layer_save(&app->layer_toast, &app->cv, rect_inset(box, -SHADOW)))
		return;
	paint_shadow(&app->cv, box);
	cv_round(&app->cv, box, ui_px(ui, 6), ui->theme->text);
	text.x = box.x + ui_px(ui, 16);
	text.y = box.y + (box.h - text.h) / 2;
	text_paragraph(&app->cv, font, text, ui->theme->panel, app->toast);
}
