/* The selected survivor in the side panel; declared in leaks_view.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "leaks_view.h"
#include "side.h"
#include "sites_view.h"

enum { COURSE_HEIGHT = 74, FRAMES = 24 };

/* The largest call site that the survivor is made of; NULL if there is none. */
static const struct gcs_site *largest_site(
    const struct gcs_stats *stats, const struct gcs_survivor *s)
{
	const enum gcs_sites_by by = gcs_sites_by(stats->survivors);
	uint32_t stack = s->site->stack;
	const struct gcs_frame *wanted = gcs_sites_caller(stats->survivors, &stack);
	char name[600], line[600];
	if (wanted != NULL)
		gcs_frame_line(name, sizeof name, wanted);
	for (uint32_t i = 0; stats->live != NULL && i < gcs_sites_count(stats->live); i++) {
		const struct gcs_site *site = gcs_sites_at(stats->live, i);
		const struct gcs_frame *own = gcs_sites_own_frame(stats->live, site);
		if (by == GCS_SITES_BY_CLASS && strcmp(site->class_name, s->site->class_name) == 0)
			return site;
		if (by == GCS_SITES_BY_SITE && gcs_site_number(stats->live, site) == s->key)
			return site;
		if (by == GCS_SITES_BY_FRAME && own != NULL && wanted != NULL &&
		    strcmp(gcs_frame_line(line, sizeof line, own), name) == 0)
			return site;
	}
	return NULL;
}

static void put_row(struct app *app, struct cv_rect *column, struct textbuf *out, const char *name,
    const char *text)
{
	if (out != NULL)
		textbuf_printf(out, "%s\t%s\n", name, text);
	else
		side_row(app, column, name, text, false);
}

static void put_figures(struct app *app, struct cv_rect *column, struct textbuf *out,
    const struct gcs_stats *stats, const struct gcs_survivor *s)
{
	enum { MINUTE = 60 };
	char a[40], b[40], text[120];
	snprintf(text, sizeof text, "%s \xc2\xb1 %s",
	    gcs_format_figure(a, sizeof a, s->site->bytes, GCS_UNIT_BYTES),
	    gcs_format_figure(b, sizeof b, s->site->bytes_error, GCS_UNIT_BYTES));
	put_row(app, column, out, "Surviving", text);
	snprintf(text, sizeof text, "%s \xc2\xb1 %s",
	    sites_put_count(a, sizeof a, s->site->objects),
	    sites_put_count(b, sizeof b, s->site->objects_error));
	put_row(app, column, out, "Objects", text);
	if (isnan(s->per_second))
		snprintf(text, sizeof text, "not known: fewer than two profiles");
	else
		snprintf(text, sizeof text, "%s%s \xc2\xb1 %s",
		    s->per_second < 0 ? "\xe2\x80\x93" : "+",
		    gcs_format_figure(a, sizeof a, fabs(s->per_second) * MINUTE, GCS_UNIT_BYTES),
		    gcs_format_figure(b, sizeof b, s->error * MINUTE, GCS_UNIT_BYTES));
	put_row(app, column, out, "Growth per minute", text);
	if (s->share >= 0)
		put_row(app, column, out, "Of what grows",
		    gcs_format_figure(text, sizeof text, s->share, GCS_UNIT_SHARE));
	if (s->site->mean_age >= 0) {
		snprintf(text, sizeof text, "%.1f collections", s->site->mean_age);
		put_row(app, column, out, "Mean age", text);
	}
	snprintf(
	    text, sizeof text, "%u, each judged by another collection", stats->judged_profiles);
	put_row(app, column, out, "Profiles", text);
}

static void put_ages(
    struct app *app, struct cv_rect *column, struct textbuf *out, const struct gcs_survivor *s)
{
	char text[60];
	double all = 0;
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		all += s->site->survival[i];
	if (!(all > 0))
		return;
	if (out == NULL)
		side_section(app, column, "Collections survived", "");
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++) {
		if (!(s->site->survival[i] > 0))
			continue;
		gcs_format_figure(text, sizeof text, s->site->survival[i], GCS_UNIT_BYTES);
		if (out == NULL && ui_paints(&app->ui)) {
			const int label = ui_px(&app->ui, 48), value = ui_px(&app->ui, 72);
			const int room = column->w - label - value;
			const int w = (int)((room > 0 ? room : 0) * s->site->survival[i] / all);
			cv_fill(&app->cv,
			    rect_make(column->x + label, column->y + ui_px(&app->ui, 2), w,
				font_height(app->ui.fonts->face[FONT_UI]) + ui_px(&app->ui, 2)),
			    cv_mix(app->ui.theme->panel, app->ui.theme->accent, 60));
		}
		put_row(app, column, out, gcs_survival_text(i), text);
	}
}

static void put_stack(struct app *app, struct cv_rect *column, struct textbuf *out,
    const struct gcs_stats *stats, const struct gcs_site *site)
{
	const struct gcs_frame *frame;
	char line[600];
	uint32_t stack = site->stack;
	if (out == NULL)
		side_section(app, column, "Largest call site", "");
	snprintf(line, sizeof line, "%s", site->class_name);
	for (int i = 0; i <= FRAMES; i++) {
		if (out != NULL)
			textbuf_printf(out, "stack\t%s\n", line);
		else
			side_paragraph(app, column, i == 0 ? FONT_BOLD : FONT_SMALL,
			    app->ui.theme->text, 3, line);
		frame = gcs_sites_caller(stats->live, &stack);
		if (frame == NULL)
			return;
		gcs_frame_line(line, sizeof line, frame);
	}
}

static bool run_button(struct app *app, struct cv_rect *column, uint32_t n, const char *label,
    const char *tip, bool on)
{
	struct ui *ui = &app->ui;
	const uint32_t id = UI_ID(PANEL_SIDE, n);
	struct cv_rect r = cut_top(column, ui_px(ui, 26));
	cut_top(column, ui_px(ui, 5));
	ui_tip(ui, id, r, tip);
	return ui_button(ui, id, r, ICON_NONE, label, on ? 0 : BUTTON_OFF);
}

/* In a recording, to the last profile, which the survivors are from, unless it is shown. */
static void go_to_profile(struct app *app)
{
	const struct recorded_profile *last = replay_last_live(app);
	if (last == NULL || app->range.on || app->replay.at.place + 1 >= last->place)
		return;
	event_history_go_to(app, last->time_ns);
	app_toast(app, "Event %" PRIu64 ": the profile that the survivors are from", last->place);
}

/* Where to go on: what holds it, its tiles, its call sites. */
static void run_ways(struct app *app, struct cv_rect *column, const struct gcs_stats *stats,
    const struct gcs_site *site)
{
	const struct gcs_model *model = app_model(app);
	const bool paths = model != NULL && app->state == SOURCE_LIVE && !app->replay.on &&
			   gcs_model_find_plugin(model, "paths") != GCS_NONE;
	const bool live = app->state == SOURCE_LIVE && !app->replay.on;
	const struct gcs_frame *own = gcs_sites_own_frame(stats->live, site);
	char digits[24], text[600];
	snprintf(digits, sizeof digits, "%012" PRIx64, gcs_site_number(stats->live, site));
	if (run_button(app, column, LEAKS_HELD, "What holds it",
		paths ? "Asks the program what holds these objects, which pauses it several times"
		      : "A recording cannot be asked, nor a program without reference chains",
		paths)) {
		app_command(app, COMMAND_site_holders, digits);
		return;
	}
	if (run_button(app, column, LEAKS_MAP, "Where it is in the heap",
		live ? "Marks its tiles in the heap map"
		     : "A recording does not have the addresses of objects",
		live)) {
		app_command(app, COMMAND_site_tiles, digits);
		return;
	}
	if (!run_button(
		app, column, LEAKS_SITES, "Its call sites", "Filters the call sites by it", true))
		return;
	if (own != NULL)
		gcs_frame_text(text, sizeof text, own);
	profiles_choose_kind(app, GCS_PROFILE_LIVE);
	go_to_profile(app);
	app_command(app, COMMAND_sites_filter, own != NULL ? text : site->class_name);
}

void leaks_menu(void *self, struct app *app, bool pointed)
{
	struct leaks_view *view = self;
	const char *why;
	char name[LEAKS_NAME_TEXT];
	const struct gcs_stats *stats = leaks_sync(view, app, &why);
	if (stats != NULL && pointed && view->table.hovered < view->rows) {
		view->table.selected = view->table.hovered;
		leaks_note_selection(view, app, stats);
	}
	const struct gcs_survivor *s = stats != NULL ? leaks_selected(view, stats) : NULL;
	const struct gcs_site *site = s != NULL ? largest_site(stats, s) : NULL;
	if (s != NULL) {
		leaks_put_name(stats, s, name, sizeof name);
		name[strcspn(name + 1, "\t") + 1] = 0;
		menu_begin(app, "%.150s", name + (*name == '\t'));
	}
	if (site != NULL)
		profiles_menu_site(app, stats->live, site, gcs_site_number(stats->live, site));
	menu_section(app);
	menu_add(app, COMMAND_leaks, "By frame outside the JDK", "frame");
	menu_add(app, COMMAND_leaks, "By class", "class");
	menu_add(app, COMMAND_leaks, "By call site", "site");
	profiles_menu_views(app);
}

void leaks_side(void *self, struct app *app, struct cv_rect *column)
{
	struct leaks_view *view = self;
	struct ui *ui = &app->ui;
	const char *why;
	const struct gcs_stats *stats = leaks_sync(view, app, &why);
	const struct gcs_survivor *s = stats != NULL ? leaks_selected(view, stats) : NULL;
	char text[LEAKS_NAME_TEXT];
	if (s == NULL) {
		side_section(app, column, "Survivors", "");
		side_paragraph(app, column, FONT_SMALL, ui->theme->weak, 4,
		    "Click a row to see how it grew, how old it is, and where it comes from.");
		return;
	}
	side_section(app, column, s->verdict == GCS_VERDICT_GROWS ? "Suspect" : "Survivor", "");
	leaks_put_name(stats, s, text, sizeof text);
	for (char *tab = strchr(text, '\t'); tab != NULL; tab = NULL)
		*tab = ' ';
	side_paragraph(app, column, FONT_BOLD, ui->theme->text, 2, text);
	leaks_put_reason(stats, s, text, sizeof text);
	side_paragraph(app, column, FONT_SMALL,
	    s->verdict == GCS_VERDICT_GROWS ? ui->theme->text : ui->theme->weak, 6, text);
	struct cv_rect course = cut_top(column, ui_px(ui, COURSE_HEIGHT));
	if (ui_paints(ui))
		leaks_paint_course(app, course, stats, s, true);
	cut_top(column, ui_px(ui, 6));
	put_figures(app, column, NULL, stats, s);
	cut_top(column, ui_px(ui, 8));
	const struct gcs_site *site = largest_site(stats, s);
	if (site != NULL)
		run_ways(app, column, stats, site);
	if (app->view_id != VIEW_LEAKS)
		return; /* a button has shown another view */
	put_ages(app, column, NULL, s);
	if (site != NULL)
		put_stack(app, column, NULL, stats, site);
}

void leaks_side_text(void *self, struct app *app, struct textbuf *out)
{
	struct leaks_view *view = self;
	const char *why;
	const struct gcs_stats *stats = leaks_sync(view, app, &why);
	const struct gcs_survivor *s = stats != NULL ? leaks_selected(view, stats) : NULL;
	char text[LEAKS_NAME_TEXT];
	if (s == NULL)
		return;
	leaks_put_name(stats, s, text, sizeof text);
	textbuf_printf(out, "selected\t%s\n", text);
	leaks_put_reason(stats, s, text, sizeof text);
	textbuf_printf(out, "%s\t%s\n", leaks_verdict_word(s->verdict), text);
	put_figures(app, NULL, out, stats, s);
	put_ages(app, NULL, out, s);
	const struct gcs_site *site = largest_site(stats, s);
	if (site != NULL)
		put_stack(app, NULL, out, stats, site);
}
