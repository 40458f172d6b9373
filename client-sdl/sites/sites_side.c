/* The selected call site in the side panel: figures, survival, stack. Declared in sites_view.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "live_profile.h"
#include "side.h"
#include "sites_view.h"

#define THREADS 5 /* threads listed by name */

enum { COPY = 200, OPEN, STACK_FIRST = 300 };

/* A site and its row. */
struct shown {
	const struct sites_row *row;
	const struct gcs_site *site;
	const struct gcs_sites *sites;
};

static struct shown shown_of(const struct sites_view *view)
{
	struct shown shown = {.row = sites_selected(view)};
	shown.site = sites_of_row(view, view->table.selected, &shown.sites);
	return shown;
}

static void put_estimate(struct textbuf *out, const char *name,
    char *(*put)(char *, size_t, double), double value, double error)
{
	char a[64], b[64];
	textbuf_printf(
	    out, "%s\t%s \xc2\xb1 %s\n", name, put(a, sizeof a, value), put(b, sizeof b, error));
}

/* Figures that only single samples have: sizes and threads. */
struct details {
	uint64_t least, most; /* bytes of an object; least > most: none now */
	struct thread_share {
		const char *name;
		double bytes;
	} thread[64]; /* the first different ones */
	int threads;
	bool more;
	double bytes; /* of all its samples, each estimated by itself */
};

static void add_thread(struct details *d, const char *name, double bytes)
{
	const int most = (int)(sizeof d->thread / sizeof *d->thread);
	int at = 0;
	while (at < d->threads && strcmp(d->thread[at].name, name) != 0)
		at++;
	d->more = d->more || at == most;
	if (at == most)
		return;
	if (at == d->threads)
		d->thread[d->threads++] = (struct thread_share){.name = name};
	d->thread[at].bytes += bytes;
}

static int by_bytes(const void *a, const void *b)
{
	const struct thread_share *x = a, *y = b;
	return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes)
				    : strcmp(x->name, y->name);
}

static struct details details_of(struct sites_view *view, const struct app *app)
{
	const struct gcs_profile *p = shared_profile_get(view->now.profile);
	struct details d = {.least = UINT64_MAX};
	uint32_t min_age, below_age;
	profiles_ages(app, &min_age, &below_age);
	if (view->by != GCS_SITES_BY_SITE)
		return d;
	if (view->numbers == NULL)
		view->numbers = sites_numbers_of(p, view->runtime_frame);
	const uint64_t number = sites_look(view, true);
	for (uint32_t i = 0; view->numbers != NULL && i < gcs_profile_entry_count(p); i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(p, i);
		if (view->numbers[i] != number || gcs_profile_is_new(p, e) || e->age < min_age ||
		    (below_age != 0 && e->age >= below_age) ||
		    !sites_found_has(&view->now.found, e))
			continue;
		d.least = e->size < d.least ? e->size : d.least;
		d.most = e->size > d.most ? e->size : d.most;
		d.bytes += e->bytes;
		add_thread(&d, gcs_profile_name(p, e->thread), e->bytes);
	}
	qsort(d.thread, (size_t)d.threads, sizeof *d.thread, by_bytes);
	return d;
}

static void put_threads(const struct details *d, struct textbuf *out)
{
	char name[100], share[32];
	for (int i = 0; i < d->threads && i < THREADS; i++) {
		sites_put_name(name, sizeof name, d->thread[i].name);
		textbuf_printf(out, "%s\t%s  %s\n", i == 0 ? "Threads" : "",
		    name[0] != 0 ? name : "?",
		    sites_put_share(share, sizeof share, d->thread[i].bytes, d->bytes));
	}
	if (d->threads > THREADS || d->more)
		textbuf_printf(
		    out, "\tand %s%d more\n", d->more ? "at least " : "", d->threads - THREADS);
}

/* The value to compare with, and the difference. */
static void put_change(
    const struct gcs_change *c, const struct profiles_live *live, struct textbuf *out)
{
	char text[64], error[64], growth[32];
	const double before = c->before != NULL ? c->before->bytes : 0;
	if (live->unknown[0] != 0) {
		textbuf_puts(out, "Change\tnot known\n");
		return;
	}
	if (live->minutes > 0)
		textbuf_printf(out, "Change per minute\t%s \xc2\xb1 %s\n",
		    sites_put_change(text, sizeof text, sites_put_bytes, c->bytes / live->minutes),
		    sites_put_bytes(error, sizeof error, c->bytes_error / live->minutes));
	textbuf_printf(out, "Change\t%s \xc2\xb1 %s  %s\n",
	    sites_put_change(text, sizeof text, sites_put_bytes, c->bytes),
	    sites_put_bytes(error, sizeof error, c->bytes_error),
	    sites_put_growth(growth, sizeof growth, before + c->bytes, before));
	textbuf_printf(out, "Before\t%s\n", sites_put_bytes(text, sizeof text, before));
}

/* The figures of the site, a line each: name, tab, value. */
static void put_figures(
    struct sites_view *view, const struct app *app, struct shown shown, struct textbuf *out)
{
	const struct gcs_site none = {.mean_age = -1};
	const struct gcs_change *c = &shown.row->change;
	const struct gcs_site *site = c->after != NULL ? c->after : &none;
	const struct details d = details_of(view, app);
	char a[64], b[64], own[500];
	sites_put_own(own, sizeof own, shown.sites, shown.site);
	if (own[0] != 0)
		textbuf_printf(out, "%s\t%s\n", sites_own_title(view->libraries), own);
	if (view->comparison != NULL)
		put_change(c, &view->live, out);
	put_estimate(out, "Bytes", sites_put_bytes, site->bytes, site->bytes_error);
	textbuf_printf(out, "Share\t%s\n",
	    sites_put_share(a, sizeof a, site->bytes, gcs_sites_total(view->now.all)->bytes));
	if (gcs_sites_has_new(view->now.shown))
		textbuf_printf(out, "New\t%s %s\n", sites_put_bytes(a, sizeof a, site->new_bytes),
		    gcs_profile_new_text(gcs_sites_profile(view->now.shown)));
	put_estimate(out, "Objects", sites_put_count, site->objects, site->objects_error);
	textbuf_printf(out, "Samples\t%s\n", sites_put_count(a, sizeof a, (double)site->samples));
	textbuf_puts(out, view->kind == GCS_PROFILE_LIVE ? "Mean age" : "Mean age at death");
	if (site->mean_age < 0)
		textbuf_puts(out, "\tnone dead yet\n");
	else
		textbuf_printf(out, "\t%.1f collections\nAge (bytes allocated)\t%s\n",
		    site->mean_age, sites_put_bytes(a, sizeof a, site->mean_lifetime));
	if (view->kind == GCS_PROFILE_ALLOCATED)
		textbuf_printf(out, "Still live\t%s\n",
		    gcs_profile_knows_live(gcs_sites_profile(shown.sites))
			? sites_put_bytes(a, sizeof a, site->live_bytes)
			: "not known, sampling is off");
	else if (d.least <= d.most)
		textbuf_printf(out, "Sample size\t%s%s%s\n",
		    sites_put_bytes(a, sizeof a, (double)d.least), d.least < d.most ? " to " : "",
		    d.least < d.most ? sites_put_bytes(b, sizeof b, (double)d.most) : "");
	put_threads(&d, out);
}

/* How many of a site's bytes are live, and the ages at which the others died. */
static double survival(const struct gcs_site *site, uint32_t bucket)
{
	return bucket < GCS_SURVIVAL_BUCKETS ? site->survival[bucket] : site->live_bytes;
}

static void run_survival(const struct sites_view *view, struct app *app,
    const struct gcs_site *site, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	if (view->kind != GCS_PROFILE_ALLOCATED)
		return;
	side_section(app, column, "Survival", "collections survived");
	double all = 0;
	for (uint32_t i = 0; i <= GCS_SURVIVAL_BUCKETS; i++)
		all += survival(site, i);
	int label = text_width(ui->fonts->face[FONT_SMALL], "17-64 ");
	for (uint32_t i = 0; i <= GCS_SURVIVAL_BUCKETS; i++) {
		struct cv_rect row = cut_top(column, ui_px(ui, 20));
		if (!ui_paints(ui))
			continue;
		char share[32];
		double part = all > 0 ? survival(site, i) / all : 0;
		bool live = i == GCS_SURVIVAL_BUCKETS;
		ui_label(
		    ui, cut_left(&row, label), TEXT_LEFT, live ? "live" : gcs_survival_text(i));
		sites_put_share(share, sizeof share, survival(site, i), all);
		ui_value(ui, cut_right(&row, ui_px(ui, 60)), TEXT_RIGHT, share);
		struct cv_rect bar = row;
		bar.y += ui_px(ui, 4);
		bar.h -= ui_px(ui, 8);
		bar.w = (int)(part * bar.w + 0.5);
		/* An outline distinguishes live bytes from dead ones without colour. */
		if (live)
			cv_frame(ui->cv, bar, ui_px(ui, 2), ui->theme->good);
		else
			cv_fill(ui->cv, bar, ui->theme->accent);
	}
}

/* Steps over a frame and its recursive calls, and counts them; the next frame, or NULL. */
static const struct gcs_frame *next_frame(
    const struct gcs_sites *sites, const struct gcs_frame *frame, uint32_t *stack, uint32_t *times)
{
	const struct gcs_frame *next;
	*times = 0;
	do {
		next = gcs_sites_caller(sites, stack);
		(*times)++;
	} while (next == frame);
	return next;
}

static uint32_t depth_of(const struct gcs_sites *sites, uint32_t stack)
{
	uint32_t depth = 0;
	while (gcs_sites_caller(sites, &stack) != NULL)
		depth++;
	return depth;
}

static char *put_times(char *text, size_t size, uint32_t times)
{
	snprintf(text, size, times > 1 ? "  \xc3\x97 %" PRIu32 : "", times);
	return text;
}

/* A click shows only the call sites with this frame; true when it was used. */
static bool run_frame(struct app *app, struct cv_rect *column, const struct gcs_frame *frame,
    uint32_t times, uint32_t number)
{
	const bool top = number == 0;
	struct ui *ui = &app->ui;
	char name[500], place[240], package[240], below[500], recursion[32];
	int line = font_height(ui->fonts->face[FONT_UI]) + ui_px(ui, 2);
	struct cv_rect first = cut_top(column, line);
	struct cv_rect second = cut_top(column, line);
	cut_top(column, ui_px(ui, 4));
	const uint32_t id = UI_ID(PANEL_SIDE, STACK_FIRST + number);
	const struct cv_rect both = rect_or(first, second);
	if (ui_area(ui, id, both)) {
		char filter[600];
		app_command(
		    app, COMMAND_sites_filter, gcs_frame_text(filter, sizeof filter, frame));
		return true;
	}
	ui_tip(ui, id, both, "Click: only call sites with this frame");
	if (!ui_paints(ui) || !rect_meets(both, ui->cv->clip))
		return false;
	sites_put_frame(name, sizeof name, frame);
	sites_put_place(place, sizeof place, frame);
	sites_put_package(package, sizeof package, frame->class_name);
	put_times(recursion, sizeof recursion, times);
	bool java = frame->kind == GCS_FRAME_JAVA || frame->kind == GCS_FRAME_NATIVE_METHOD;
	snprintf(below, sizeof below, "%s%s%s", place, java && package[0] != 0 ? " \xc2\xb7 " : "",
	    java ? package : "");
	int w = text_width(ui->fonts->face[FONT_UI], recursion);
	ui_value(ui, cut_right(&first, w), TEXT_RIGHT, recursion);
	struct font *face = ui->fonts->face[top ? FONT_BOLD : FONT_UI];
	text_in(ui->cv, face, first, TEXT_LEFT, ui->hot == id ? ui->theme->accent : ui->theme->text,
	    name);
	cut_left(&second, ui_px(ui, 12));
	ui_label(ui, second, TEXT_LEFT, below);
	return false;
}

static void run_stack(struct app *app, struct shown shown, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	char detail[80] = "no frames";
	uint32_t stack = shown.site->stack, times;
	const uint32_t depth = depth_of(shown.sites, stack);
	if (depth > 0)
		snprintf(detail, sizeof detail, "%" PRIu32 " frames%s", depth,
		    app->profiles.runtime_frame ? "" : "; H shows all");
	side_section(app, column, "Stack", detail);
	const struct gcs_frame *frame = gcs_sites_caller(shown.sites, &stack), *next;
	for (uint32_t i = 0; frame != NULL && i < SITES_FRAMES_SHOWN; i++, frame = next) {
		next = next_frame(shown.sites, frame, &stack, &times);
		if (run_frame(app, column, frame, times, i))
			return;
	}
	if (frame != NULL) {
		snprintf(detail, sizeof detail, "and %" PRIu32 " more frames",
		    depth_of(shown.sites, stack) + 1);
		ui_label(ui, cut_top(column, ui_px(ui, 20)), TEXT_LEFT, detail);
	}
}

/* In the line of the first title: copies the text of the panel. */
static void run_copy(struct sites_view *view, struct app *app, struct cv_rect column)
{
	struct ui *ui = &app->ui;
	const char *label = "Copy";
	cut_top(&column, ui_px(ui, 10));
	struct cv_rect row = cut_top(&column, ui_px(ui, 24));
	struct cv_rect button = cut_right(&row, ui_button_width(ui, ICON_NONE, label));
	if (!ui_button(ui, UI_ID(PANEL_SIDE, COPY), button, ICON_NONE, label, 0))
		return;
	struct textbuf out = {0};
	sites_stack_text(view, app, &out);
	ui->clipboard.put(ui->clipboard.context, textbuf_text(&out));
	app_toast(app, "Copied call site");
	textbuf_fini(&out);
}

static void run_open(struct sites_view *view, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	const char *label = "Its call sites";
	struct cv_rect row = cut_top(column, ui_px(ui, 30));
	struct cv_rect button = cut_left(&row, ui_button_width(ui, ICON_NONE, label));
	button.h = ui_px(ui, 24);
	if (ui_button(ui, UI_ID(PANEL_SIDE, OPEN), button, ICON_NONE, label, 0))
		sites_open_group(view, app);
	ui_tip(ui, UI_ID(PANEL_SIDE, OPEN), button, "Show only these call sites\nKey\tEnter");
}

void sites_side_run(struct sites_view *view, struct app *app, struct cv_rect *column)
{
	const struct shown shown = shown_of(view);
	struct textbuf figures = {0};
	if (shown.site != NULL)
		run_copy(view, app, *column);
	const bool group = view->by != GCS_SITES_BY_SITE;
	char name[600];
	side_section(app, column, group ? sites_group_title(view->by) : "Call site", "");
	if (shown.site != NULL)
		sites_put_group(name, sizeof name, view, view->table.selected);
	if (!profiles_side_title(app, column, shown.site != NULL ? name : NULL,
		group ? "Click a row to see its figures; Enter shows its call sites."
		      : "Click a row or use the arrow keys to see its stack and figures."))
		return;
	if (group)
		run_open(view, app, column);
	put_figures(view, app, shown, &figures);
	profiles_side_rows(app, column, textbuf_text(&figures));
	textbuf_fini(&figures);
	run_survival(view, app, shown.site, column);
	if (!group)
		run_stack(app, shown, column);
}

static void stack_text(struct shown shown, struct textbuf *out)
{
	char name[500], place[240], package[240], recursion[32];
	uint32_t stack = shown.site->stack, times;
	const struct gcs_frame *frame = gcs_sites_caller(shown.sites, &stack), *next;
	for (uint32_t i = 0; frame != NULL && i < SITES_FRAMES_SHOWN; i++, frame = next) {
		next = next_frame(shown.sites, frame, &stack, &times);
		sites_put_package(package, sizeof package, frame->class_name);
		bool java = frame->kind == GCS_FRAME_JAVA || frame->kind == GCS_FRAME_NATIVE_METHOD;
		textbuf_printf(out, "frame\t%s%s%s\t%s%s\n", java ? package : "",
		    java && package[0] != 0 ? "." : "", sites_put_frame(name, sizeof name, frame),
		    sites_put_place(place, sizeof place, frame),
		    put_times(recursion, sizeof recursion, times));
	}
	if (frame != NULL)
		textbuf_printf(
		    out, "and %" PRIu32 " more frames\n", depth_of(shown.sites, stack) + 1);
}

void sites_stack_text(struct sites_view *view, const struct app *app, struct textbuf *out)
{
	const struct shown shown = shown_of(view);
	if (shown.site == NULL)
		return;
	char text[600];
	textbuf_printf(out, "%s\t%s\n",
	    view->by == GCS_SITES_BY_SITE ? "call site" : sites_group_name(view->by),
	    sites_put_group(text, sizeof text, view, view->table.selected));
	put_figures(view, app, shown, out);
	for (uint32_t i = 0; view->kind == GCS_PROFILE_ALLOCATED && i <= GCS_SURVIVAL_BUCKETS; i++)
		textbuf_printf(out, "survival %s\t%s\n",
		    i < GCS_SURVIVAL_BUCKETS ? gcs_survival_text(i) : "live",
		    sites_put_bytes(text, sizeof text, survival(shown.site, i)));
	stack_text(shown, out);
}
