#include "timeline.h"

#include "layout.h"

struct timeline timeline_lay_out(const struct app *app, struct cv_rect r)
{
	const struct ui *ui = &app->ui;
	const struct gcs_model *model = app_model(app);
	const struct overview *o = event_history_overview(app);
	int events = model != NULL ? (int)model->event_count : 1;
	bool any = o->most_pause > 0 || o->most_used > 0;
	int h = !any || r.h < ui_px(ui, 88) ? 0 : ui_px(ui, r.h >= ui_px(ui, 126) ? 64 : 30);
	struct timeline s = {.lanes = 1};
	struct cv_rect panel = r;
	/* The axis stays at the bottom: the graph is cut out above it. */
	r.h -= h;
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
	s.graph = rect_make(r.x, r.y + r.h, r.w, h);
	s.axis = rect_make(r.x, r.y + r.h + h, r.w, panel.y + panel.h - r.y - r.h - h);
	if (app->replay.on ? panel.h < ui_px(ui, 48) : s.axis.h - ui_px(ui, 2) < ui_px(ui, 10))
		s.axis.h = 0;
	timescale_part(app, &s.from_ns, &s.end_ns);
	s.span_ns = s.end_ns - s.from_ns;
	return s;
}

struct cv_rect timeline_field(const struct timeline *s)
{
	return rect_make(s->ticks.x, s->ticks.y, s->ticks.w, s->ticks.h + s->graph.h);
}

int timeline_lane(const struct timeline *s, uint32_t event)
{
	return event < (uint32_t)s->lanes ? (int)event : s->lanes - 1;
}

int timeline_x(const struct timeline *s, uint64_t time_ns)
{
	double part = (double)(int64_t)(s->end_ns - time_ns) / (double)s->span_ns;
	double left = part * (s->ticks.w - 4);
	/* Clamps times far outside, also of a server's wrong clock. */
	left = left > 1e6 ? 1e6 : left < -1e6 ? -1e6 : left;
	return s->ticks.x + s->ticks.w - 3 - (int)left;
}

uint64_t timeline_time(const struct timeline *s, int x)
{
	double part = (double)(x - s->ticks.x) / (double)(s->ticks.w - 3);
	if (part >= 1)
		return s->end_ns;
	part = part < 0 ? 0 : part;
	return s->from_ns + (uint64_t)(part * (double)s->span_ns + 0.5);
}

uint32_t timeline_colour(const struct theme *th, uint32_t colour)
{
	for (int part = 0; part < 256; part += 32) {
		uint32_t c = cv_mix(colour, th->text, part);
		if (theme_contrast(c, th->ground) >= 3)
			return c;
	}
	return th->text;
}
