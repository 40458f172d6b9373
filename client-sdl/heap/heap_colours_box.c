/* The dialog of a space's colours (V2, "Colors" of 2002). Declared in app.h. */
#include <stdio.h>

#include "heap_view.h"
#include "layout.h"

enum { ROW = 10, DEFAULTS = 30, LESS = 40, MORE = 60 };

static const char *const about[COLOUR_PARTS] = {"colours of values", "outline of the selected tile",
    "marked tiles", "range being marked", "borders between tiles", "linked tiles"};

/* All shades of a stream's ramp, or one colour. */
static void paint_sample(
    struct app *app, const struct heap_colours *c, enum colour_part part, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	uint32_t shade[256];
	if (part != COLOUR_STREAM) {
		cv_fill(ui->cv, r, heap_colours_of(app, c, part));
		return;
	}
	palette_ramp(heap_colours_ramp(app, app->active_space), ui->theme->dark, shade);
	for (int x = 0; x < r.w; x++)
		cv_vline(ui->cv, r.x + x, r.y, r.h, shade[x * (PALETTE_SHADES - 1) / r.w]);
}

static void run_row(struct app *app, struct heap_prefs *p, struct cv_rect r, int part)
{
	struct ui *ui = &app->ui;
	const bool chosen = app->modal_row == part;
	struct cv_rect row = rect_inset(r, ui_px(ui, 2));
	if (ui_paints(ui) && chosen)
		cv_round_frame(ui->cv, row, ui_px(ui, 4), ui_px(ui, 1), ui->theme->accent);
	cut_left(&row, ui_px(ui, 8));
	struct cv_rect more = cut_right(&row, ui_px(ui, 28)), word = cut_right(&row, ui_px(ui, 80));
	struct cv_rect less = cut_right(&row, ui_px(ui, 28));
	if (ui_button(ui, UI_ID(PANEL_MODAL, LESS + part), less, ICON_NONE, "<", BUTTON_FLAT))
		heap_colours_turn(app, p, (enum colour_part)part, -1);
	if (ui_button(ui, UI_ID(PANEL_MODAL, MORE + part), more, ICON_NONE, ">", BUTTON_FLAT))
		heap_colours_turn(app, p, (enum colour_part)part, 1);
	if (ui_area(ui, UI_ID(PANEL_MODAL, ROW + part), r)) {
		app->modal_row = part;
		ui_take(ui);
	}
	if (!ui_paints(ui))
		return;
	struct cv_rect sample = cut_right(&row, ui_px(ui, 72));
	sample = centred(sample, ui_px(ui, 60), ui_px(ui, 14));
	paint_sample(app, &p->colours, (enum colour_part)part, sample);
	ui_value(ui, word, TEXT_CENTRE, heap_colours_word(&p->colours, (enum colour_part)part));
	const char *title = heap_colours_title((enum colour_part)part);
	const int w = text_width(ui->fonts->face[FONT_UI], title) + ui_px(ui, 10);
	ui_value(ui, cut_left(&row, w), TEXT_LEFT, title);
	ui_label(ui, row, TEXT_LEFT, about[part]);
}

/* Up and Down select a row, Left and Right change its colour, Delete resets it. */
static void run_keys(struct app *app, struct heap_prefs *p)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	const enum colour_part part =
	    (enum colour_part)clamp_int(app->modal_row, 0, COLOUR_PARTS - 1);
	if (ui->ev == NULL || ui->used || !key_of_event(ui->ev, &stroke) || stroke.mods != 0)
		return;
	if (stroke.key == KEY_UP || stroke.key == KEY_DOWN)
		app->modal_row =
		    clamp_int((int)part + (stroke.key == KEY_DOWN ? 1 : -1), 0, COLOUR_PARTS - 1);
	else if (stroke.key == KEY_LEFT || stroke.key == KEY_RIGHT)
		heap_colours_turn(app, p, part, stroke.key == KEY_RIGHT ? 1 : -1);
	else if (stroke.key == KEY_DELETE && p->colours.part[part] > 0)
		heap_colours_turn(app, p, part, 0);
	else
		return;
	ui_take(ui);
}

void colours_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct heap_prefs *p = heap_prefs_of(app->views[VIEW_HEAP], app, app->active_space);
	if (p == NULL)
		return;
	struct cv_rect title = cut_top(&r, ui_px(ui, 28));
	if (ui_paints(ui)) {
		char text[GCS_MAX_NAME + 20];
		snprintf(text, sizeof text, "Colours of %s", p->name);
		text_in(
		    ui->cv, ui->fonts->face[FONT_BOLD], title, TEXT_LEFT, ui->theme->text, text);
	}
	for (int i = 0; i < COLOUR_PARTS; i++)
		run_row(app, p, cut_top(&r, ui_px(ui, 32)), i);
	cut_top(&r, ui_px(ui, 8));
	struct cv_rect foot = cut_top(&r, ui_px(ui, 32));
	const int w = ui_button_width(ui, ICON_NONE, "Defaults");
	if (ui_button(
		ui, UI_ID(PANEL_MODAL, DEFAULTS), cut_left(&foot, w), ICON_NONE, "Defaults", 0))
		heap_colours_reset(app, p);
	cut_left(&foot, ui_px(ui, 12));
	if (ui_paints(ui))
		ui_label(ui, foot, TEXT_LEFT,
		    "Arrows select \xc2\xb7 Delete: default \xc2\xb7 Esc closes");
	run_keys(app, p);
}

void colours_text(struct app *app, struct textbuf *out)
{
	const struct heap_prefs *p = heap_prefs_of(app->views[VIEW_HEAP], app, app->active_space);
	if (p == NULL)
		return;
	textbuf_printf(out, "colours\t%s\n", p->name);
	for (int i = 0; i < COLOUR_PARTS; i++)
		textbuf_printf(out, "%s\t%s\n", heap_colours_title((enum colour_part)i),
		    heap_colours_word(&p->colours, (enum colour_part)i));
}
