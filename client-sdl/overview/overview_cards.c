/* The figures at the top of the overview, and what is found about leaks; see overview_view.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "overview_view.h"

#define PLUS_MINUS "\xc2\xb1"
#define DOT        " \xc2\xb7 "

static char *figure_text(char *text, size_t size, double value, enum gcs_unit unit)
{
	return gcs_format_figure(text, size, value, unit);
}

static void name_card(struct overview_card *c, const char *name, const char *tip)
{
	snprintf(c->name, sizeof c->name, "%s", name);
	snprintf(c->tip, sizeof c->tip, "%s\n%s", name, tip);
}

static void unknown_card(struct overview_card *c, const char *why)
{
	snprintf(c->value, sizeof c->value, "not known");
	snprintf(c->note, sizeof c->note, "%.300s", why);
	snprintf(c->tip, sizeof c->tip, "%s: not known\n%.300s", c->name, why);
}

/* "+7.6 MiB/min ± 35 KiB" of a trend by the hour. */
static void trend_text(char *text, size_t size, const struct gcs_stats_series *s)
{
	enum { MINUTES = 60 };
	char rate[32], error[32];
	if (!s->has_trend) {
		snprintf(text, size, "no trend: fewer than two values");
		return;
	}
	figure_text(rate, sizeof rate, fabs(s->trend_per_hour) / MINUTES, GCS_UNIT_BYTES);
	const char *sign = s->trend_per_hour < 0 ? "\xe2\x80\x93" : "+";
	if (s->trend_error < 0)
		snprintf(text, size, "%s%s/min", sign, rate);
	else
		snprintf(text, size, "%s%s/min " PLUS_MINUS " %s", sign, rate,
		    figure_text(error, sizeof error, s->trend_error / MINUTES, GCS_UNIT_BYTES));
}

static void heap_card(struct overview_card *c, const struct gcs_stats *s)
{
	name_card(c, "After collections",
	    "Bytes in use after the last collection, and their trend over the time shown");
	if (s->heap_after.why.text[0] != 0) {
		unknown_card(c, s->heap_after.why.text);
		return;
	}
	figure_text(c->value, sizeof c->value, s->heap_after.series.last, GCS_UNIT_BYTES);
	trend_text(c->note, sizeof c->note, &s->heap_after.series);
}

static void committed_card(struct overview_card *c, const struct gcs_stats *s)
{
	char most[32];
	name_card(c, "Committed", "Memory that the heap has from the system");
	if (s->committed.why.text[0] != 0) {
		unknown_card(c, s->committed.why.text);
		return;
	}
	const struct gcs_stats_series *series = &s->committed.series;
	figure_text(c->value, sizeof c->value, series->last, GCS_UNIT_BYTES);
	snprintf(c->note, sizeof c->note, "at most %s",
	    figure_text(most, sizeof most, series->max, GCS_UNIT_BYTES));
}

static void rate_card(
    struct overview_card *c, const struct gcs_stats_rate *rate, const char *beside)
{
	char error[32], peak[32];
	if (rate->why.text[0] != 0) {
		unknown_card(c, beside[0] != 0 ? beside : rate->why.text);
		return;
	}
	figure_text(c->value, sizeof c->value, rate->per_second, GCS_UNIT_BYTES_PER_SECOND);
	if (rate->error >= 0)
		append_clause(c->note, sizeof c->note, PLUS_MINUS " %s",
		    figure_text(error, sizeof error, rate->error, GCS_UNIT_BYTES));
	if (rate->peak_per_second >= 0)
		append_clause(c->note, sizeof c->note, "peak %s",
		    figure_text(
			peak, sizeof peak, rate->peak_per_second, GCS_UNIT_BYTES_PER_SECOND));
}

/* What is counted between collections, else what samples estimate. */
static void allocation_card(struct overview_card *c, const struct gcs_stats *s)
{
	const bool counted = s->allocation.why.text[0] == 0, sampled = s->sampled.why.text[0] == 0;
	name_card(c, counted || !sampled ? "Allocation" : "Allocation, by samples",
	    "Bytes allocated per second: the mean with its standard error, and the peak");
	rate_card(c, counted || !sampled ? &s->allocation : &s->sampled, "");
}

static void promotion_card(
    struct overview_card *c, const struct app *app, const struct gcs_stats *s)
{
	name_card(
	    c, "Promotion", "Bytes per second that young collections move to the old generation");
	rate_card(c, &s->promotion, time_figures_spaceless(app));
}

static void share_card(struct overview_card *c, const struct gcs_stats *s)
{
	char total[32], wall[32];
	name_card(c, "Time in pauses", "Share of the time in which collections paused the program");
	if (s->no_pauses.text[0] != 0 || s->pauses.share < 0) {
		unknown_card(
		    c, s->no_pauses.text[0] != 0 ? s->no_pauses.text : "the time is not known");
		return;
	}
	figure_text(c->value, sizeof c->value, s->pauses.share, GCS_UNIT_SHARE);
	figure_text(wall, sizeof wall, (double)s->watched_ns, GCS_UNIT_NANOSECONDS);
	figure_text(
	    total, sizeof total, s->pauses.share * (double)s->watched_ns, GCS_UNIT_NANOSECONDS);
	snprintf(c->note, sizeof c->note, "%s of %s%s", total, wall,
	    s->has_unwatched ? " without gaps" : "");
}

static void longest_card(struct overview_card *c, const struct gcs_stats *s)
{
	char median[32], p99[32];
	name_card(c, "Longest pause", "Click to go to it");
	if (s->no_pauses.text[0] != 0) {
		unknown_card(c, s->no_pauses.text);
		return;
	}
	figure_text(c->value, sizeof c->value, (double)s->pauses.max_ns, GCS_UNIT_NANOSECONDS);
	snprintf(c->note, sizeof c->note, "median %s" DOT "p99 %s",
	    figure_text(median, sizeof median, (double)s->pauses.median_ns, GCS_UNIT_NANOSECONDS),
	    figure_text(p99, sizeof p99, (double)s->pauses.p99_ns, GCS_UNIT_NANOSECONDS));
}

void overview_cards(const struct app *app, struct overview_card card[OVERVIEW_CARDS])
{
	static const char *const names[OVERVIEW_CARDS] = {"After collections", "Committed",
	    "Allocation", "Promotion", "Time in pauses", "Longest pause"};
	const char *why;
	const struct gcs_stats *s = time_figures(app, &why);
	memset(card, 0, OVERVIEW_CARDS * sizeof *card);
	for (int i = 0; s == NULL && i < OVERVIEW_CARDS; i++) {
		name_card(&card[i], names[i], why);
		snprintf(card[i].value, sizeof card[i].value, "\xe2\x80\xa6");
		snprintf(card[i].note, sizeof card[i].note, "%.300s", why);
	}
	if (s == NULL)
		return;
	heap_card(&card[0], s);
	committed_card(&card[1], s);
	allocation_card(&card[2], s);
	promotion_card(&card[3], app, s);
	share_card(&card[4], s);
	longest_card(&card[5], s);
	for (int i = 0; i < OVERVIEW_CARDS; i++) {
		const size_t used = strlen(card[i].tip);
		if (strstr(card[i].tip, card[i].value) == NULL)
			snprintf(card[i].tip + used, sizeof card[i].tip - used, "\n%s" DOT "%s",
			    card[i].value, card[i].note);
	}
}

static void suspect_text(const struct gcs_stats *s, char *text, size_t size)
{
	enum { SECONDS = 60 };
	const struct gcs_suspect *most = &s->suspects[0];
	uint32_t stack = most->site->stack;
	const struct gcs_frame *frame = gcs_sites_caller(s->survivors, &stack);
	char name[200], rate[32], error[32];
	if (frame != NULL)
		gcs_frame_line(name, sizeof name, frame);
	else
		snprintf(name, sizeof name, "%s", most->site->class_name);
	snprintf(text, size, "%s: %s keeps %s/min more " PLUS_MINUS " %s, %.0f %% of what grows",
	    s->suspect_count == 1 ? "Suspect" : "Suspects, the fastest", name,
	    figure_text(rate, sizeof rate, most->per_second * SECONDS, GCS_UNIT_BYTES),
	    figure_text(error, sizeof error, most->error * SECONDS, GCS_UNIT_BYTES),
	    100 * most->share);
}

bool overview_finding(const struct app *app, char *text, size_t size)
{
	const char *why;
	char reason[300];
	const struct gcs_stats *s = time_figures(app, &why);
	if (s == NULL)
		snprintf(text, size, "Leaks: %s", why);
	else if (s->suspect_count > 0)
		suspect_text(s, text, size);
	else if (s->no_suspects.text[0] != 0)
		snprintf(text, size, "Leaks: not known: %s",
		    time_figures_reason(reason, sizeof reason, s->no_suspects.text));
	else if (gcs_stats_heap_grows(s))
		snprintf(text, size, "The heap grows, but no frame of the program beyond doubt");
	else
		snprintf(text, size, "No suspect: %s",
		    gcs_stats_heap_is_steady(s) ? "what collections leave of the heap does not grow"
						: "whether the heap grows is not certain");
	const char *remark = time_figures_remark(app);
	if (remark[0] != 0)
		append_clause(text, size, "%s", remark);
	return s != NULL && s->suspect_count > 0;
}

/* "± 606 KiB · peak 38.3 MiB/s" in two lines where one has no room. */
static void put_note(struct ui *ui, struct cv_rect in, const char *note)
{
	char first[OVERVIEW_CARD_TEXT];
	const char *cut = strstr(note, DOT), *next;
	next = cut != NULL ? cut + strlen(DOT) : NULL;
	if (cut == NULL && (cut = strstr(note + (note[0] != 0), PLUS_MINUS)) != NULL)
		next = cut;
	const bool fits = text_width(ui->fonts->face[FONT_SMALL], note) <= in.w;
	snprintf(first, sizeof first, "%.*s",
	    fits || cut == NULL ? (int)strlen(note) : (int)(cut - note), note);
	ui_label(ui, cut_top(&in, ui_px(ui, 14)), TEXT_LEFT, first);
	if (!fits && next != NULL)
		ui_label(ui, cut_top(&in, ui_px(ui, 14)), TEXT_LEFT, next);
}

static void run_card(struct app *app, struct cv_rect r, int i, const struct overview_card *c)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	const uint32_t id = UI_ID(PANEL_VIEW, OVERVIEW_CARD + i);
	const bool button = i == OVERVIEW_CARDS - 1;
	const bool clicked = button ? ui_control(ui, id, r) : ui_area(ui, id, r);
	ui_tip(ui, id, r, c->tip);
	if (clicked && button) {
		const struct overview *o = event_history_overview(app);
		const struct event_header *longest = NULL;
		for (uint32_t k = 0; k < o->count; k++)
			if (o->at[k].pause_ns >= 0 &&
			    (longest == NULL || o->at[k].pause_ns > longest->pause_ns))
				longest = &o->at[k];
		if (longest != NULL)
			event_history_go_to(app, longest->time_ns);
	}
	if (!ui_paints(ui))
		return;
	cv_round(ui->cv, r, ui_px(ui, 4), button && ui->hot == id ? th->hover : th->panel);
	cv_round_frame(ui->cv, r, ui_px(ui, 4), ui_px(ui, 1), cv_mix(th->panel, th->line, 150));
	struct cv_rect in = rect_inset(r, ui_px(ui, 6));
	cut_left(&in, ui_px(ui, 4));
	ui_label(ui, cut_top(&in, ui_px(ui, 14)), TEXT_LEFT, c->name);
	text_in(ui->cv, ui->fonts->face[FONT_BOLD], cut_top(&in, ui_px(ui, 19)), TEXT_LEFT,
	    th->text, c->value);
	put_note(ui, in, c->note);
	ui_ring(ui, id, rect_inset(r, ui_px(ui, 2)));
}

static void run_finding(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	char text[700];
	const bool found = overview_finding(app, text, sizeof text);
	if (rect_empty(r))
		return;
	if (ui_paints(ui)) {
		cv_round(ui->cv, r, ui_px(ui, 4), th->panel);
		if (found)
			cv_fill(ui->cv, rect_make(r.x, r.y, ui_px(ui, 4), r.h), th->bad);
	}
	struct cv_rect in = rect_inset(r, ui_px(ui, 4));
	const char *map = "Heap map", *leaks = found ? "Show the leak" : "Survivors";
	struct cv_rect button = cut_right(&in, ui_button_width(ui, ICON_NONE, map));
	cut_right(&in, ui_px(ui, 6));
	if (ui_button(ui, UI_ID(PANEL_VIEW, OVERVIEW_MAP), button, ICON_NONE, map, 0)) {
		app_command(app, COMMAND_heap_map, NULL);
		return;
	}
	button = cut_right(&in, ui_button_width(ui, ICON_NONE, leaks));
	cut_right(&in, ui_px(ui, 8));
	if (ui_button(ui, UI_ID(PANEL_VIEW, OVERVIEW_LEAKS), button, ICON_NONE, leaks,
		found ? BUTTON_PRIMARY : 0)) {
		app_command(app, COMMAND_leaks, NULL);
		return;
	}
	/* Where there is nothing to show yet. */
	if (event_history_overview(app)->count == 0 && collect_refusal(app) == NULL) {
		button = cut_right(&in, ui_button_width(ui, ICON_NONE, "Collect"));
		cut_right(&in, ui_px(ui, 8));
		if (ui_button(ui, UI_ID(PANEL_VIEW, OVERVIEW_COLLECT), button, ICON_NONE, "Collect",
			collect_is_awaited(app) ? BUTTON_OFF : 0)) {
			app_command(app, COMMAND_collect, NULL);
			return;
		}
	}
	cut_left(&in, ui_px(ui, 8));
	const uint32_t id = UI_ID(PANEL_VIEW, OVERVIEW_FINDING);
	ui_area(ui, id, in);
	ui_tip(ui, id, in, text);
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[found ? FONT_BOLD : FONT_UI], in, TEXT_LEFT,
		    found ? th->text : th->weak, text);
}

void overview_cards_run(struct app *app, const struct overview_layout *l)
{
	struct overview_card card[OVERVIEW_CARDS];
	overview_cards(app, card);
	for (int i = 0; i < OVERVIEW_CARDS; i++)
		if (!rect_empty(l->card[i]))
			run_card(app, l->card[i], i, &card[i]);
	run_finding(app, l->finding);
}
