/* Axes on the canvas or in a vector picture; declared in charts_pen.h. */
#include "charts_pen.h"

#include "layout.h"

double plot_x(const struct plot *p, double value)
{
	return p->area.x + axis_place(&p->x, value) * p->area.w;
}

double plot_y(const struct plot *p, double value)
{
	return p->area.y + (1 - axis_place(&p->y, value)) * p->area.h;
}

void plot_lay_out(const struct pen *pen, struct plot *p, struct cv_rect r)
{
	struct ui *ui = pen->ui;
	struct font *font = ui->fonts->face[FONT_SMALL];
	int widest = ui_px(ui, 16);
	for (int i = 0; i < p->y.count; i++) {
		int w = text_width(font, p->y.label[i]);
		widest = w > widest ? w : widest;
	}
	cut_top(&r, ui_px(ui, 16));
	cut_bottom(&r, font_height(font) + ui_px(ui, 10));
	cut_left(&r, clamp_int(widest + 4, 0, r.w / 3) + ui_px(ui, 8));
	cut_right(&r, ui_px(ui, 20));
	p->area = r;
}

static void x_labels(const struct pen *pen, const struct plot *p)
{
	struct ui *ui = pen->ui;
	struct font *font = ui->fonts->face[FONT_SMALL];
	int taken = p->area.x - ui_px(ui, 40);
	int h = font_height(font);
	for (int i = 0; i < p->x.count; i++) {
		int x = (int)plot_x(p, p->x.tick[i]);
		int w = text_width(font, p->x.label[i]) + 2;
		int room = i + 1 < p->x.count ? (int)plot_x(p, p->x.tick[i + 1]) - x
			   : i > 0            ? x - (int)plot_x(p, p->x.tick[i - 1])
					      : p->area.w;
		if (p->x.names && room > ui_px(ui, 40))
			w = clamp_int(w, 0, room - ui_px(ui, 6));
		int left = clamp_int(x - w / 2, p->area.x - ui_px(ui, 40),
		    p->area.x + p->area.w + ui_px(ui, 18) - w);
		pen_fill(pen, rect_make(x, p->area.y + p->area.h, 1, ui_px(ui, 4)), ui->theme->line,
		    NULL);
		if (left < taken)
			continue;
		pen_text(pen, FONT_SMALL,
		    rect_make(left, p->area.y + p->area.h + ui_px(ui, 6), w, h), TEXT_CENTRE,
		    ui->theme->weak, p->x.label[i]);
		taken = left + w + ui_px(ui, p->x.names ? 4 : 8);
	}
}

void plot_paint(const struct pen *pen, const struct plot *p)
{
	struct ui *ui = pen->ui;
	const struct theme *th = ui->theme;
	int h = font_height(ui->fonts->face[FONT_SMALL]);
	int taken = p->area.y + p->area.h + h;
	for (int i = 0; i < p->y.count; i++) {
		int y = (int)plot_y(p, p->y.tick[i]);
		pen_fill(pen, rect_make(p->area.x, y, p->area.w, 1),
		    cv_mix(th->ground, th->weak, 60), NULL);
		if (y + h / 2 > taken)
			continue;
		taken = y - h / 2;
		struct cv_rect label =
		    rect_make(p->area.x - ui_px(ui, 8) - p->area.w, y - h / 2, p->area.w, h);
		int left = pen->svg == NULL ? ui->cv->clip.x : pen->x;
		cut_left(&label, clamp_int(left - label.x, 0, label.w));
		pen_text(pen, FONT_SMALL, label, TEXT_RIGHT, th->weak, p->y.label[i]);
	}
	pen_fill(pen, rect_make(p->area.x, p->area.y, 1, p->area.h), th->weak, NULL);
	pen_fill(pen, rect_make(p->area.x, p->area.y + p->area.h, p->area.w, 1), th->weak, NULL);
	x_labels(pen, p);
}

void plot_mark(const struct pen *pen, const struct plot *p, int x, int w, uint32_t colour)
{
	int top = ui_px(pen->ui, 6);
	w = w > 1 ? w : 1;
	pen_fill(pen, rect_make(x, p->area.y, w, p->area.h), colour, NULL);
	/* A triangle on top distinguishes it from grid lines. */
	for (int i = 0; i < top; i++)
		pen_fill(pen,
		    rect_make(x + w / 2 - (top - i), p->area.y - top + i, 2 * (top - i) + 1, 1),
		    colour, NULL);
}

void plot_label(
    const struct pen *pen, const struct plot *p, int x, int y, uint32_t colour, const char *text)
{
	struct font *font = pen->ui->fonts->face[FONT_SMALL];
	int w = text_width(font, text) + 2, h = font_height(font);
	struct cv_rect label =
	    rect_make(clamp_int(x - w / 2, p->area.x, p->area.x + p->area.w - w), y - h - 1, w, h);
	pen_fill(pen, rect_inset(label, -1), pen->ui->theme->ground, NULL);
	pen_text(pen, FONT_SMALL, label, TEXT_CENTRE, colour, text);
}
