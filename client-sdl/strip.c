#include "strip.h"

#include <gcspy/format.h>
#include <stdio.h>

#include "layout.h"

struct strip strip_lay_out(
    const struct app *app, struct cv_rect r, uint64_t end_ns, uint64_t span_ns)
{
	const struct ui *ui = &app->ui;
	struct strip s = {0};
	const struct gcs_model *model = app_model(app);
	int events = model != NULL ? (int)model->event_count : 1;
	r = rect_inset(r, ui_px(ui, 4));
	cut_left(&r, ui_px(ui, 12));
	cut_right(&r, ui_px(ui, 12));
	if (r.h > ui_px(ui, 44))
		cut_bottom(&r, ui_px(ui, 14));
	cut_left(&r, clamp_int(ui_px(ui, 200), 0, r.w / 3));
	int room = r.h / ui_px(ui, 13);
	s.lanes = clamp_int(events, 1, room > 1 ? room : 1);
	s.lane_height = r.h / s.lanes;
	s.ticks = r;
	s.span_ns = span_ns > 0 ? span_ns : 1;
	s.end_ns = end_ns;
	return s;
}

int strip_lane(const struct strip *s, uint32_t event)
{
	return event < (uint32_t)s->lanes ? (int)event : s->lanes - 1;
}

int strip_x(const struct strip *s, uint64_t time_ns)
{
	uint64_t before = s->end_ns - time_ns;
	double part = (double)before / (double)s->span_ns;
	if (part > 2) /* a clock that a server makes up: anywhere outside */
		part = 2;
	return s->ticks.x + s->ticks.w - 3 - (int)(part * (s->ticks.w - 4));
}

uint32_t strip_colour(const struct theme *th, uint32_t colour)
{
	for (int part = 0; part < 256; part += 32) {
		uint32_t c = cv_mix(colour, th->text, part);
		if (theme_contrast(c, th->ground) >= 3)
			return c;
	}
	return th->text;
}

void strip_labels(struct app *app, const struct strip *s, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const struct gcs_model *model = app_model(app);
	for (uint32_t i = 0; i < model->event_count && i < (uint32_t)s->lanes; i++) {
		struct cv_rect row =
		    rect_make(r.x + ui_px(ui, 16), s->ticks.y + (int)i * s->lane_height,
			s->ticks.x - r.x - ui_px(ui, 24), s->lane_height);
		char count[48];
		gcs_format_number(count, sizeof count,
		    (int64_t)gcs_snapshot_counter(app->snapshot, i), GCS_DECIMAL);
		int w = text_width(ui->fonts->face[FONT_SMALL], count);
		struct cv_rect number = cut_right(&row, w);
		text_in(ui->cv, ui->fonts->face[FONT_SMALL], number, TEXT_RIGHT, ui->theme->text,
		    count);
		cut_right(&row, ui_px(ui, 8));
		struct cv_rect mark = cut_left(&row, ui_px(ui, 3));
		cut_left(&row, ui_px(ui, 6));
		cv_fill(
		    ui->cv, rect_inset(mark, 0), strip_colour(ui->theme, model->events[i].colour));
		bool merged = (int)i == s->lanes - 1 && model->event_count > (uint32_t)s->lanes;
		char name[320];
		snprintf(
		    name, sizeof name, "%s%s", model->events[i].name, merged ? " and others" : "");
		ui_label(ui, row, TEXT_LEFT, name);
	}
}
