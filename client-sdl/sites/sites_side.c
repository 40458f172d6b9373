/* The selected call site in the side panel: figures, survival, stack. Declared in sites_view.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "side.h"
#include "sites_view.h"

#define ROWS    16 /* most rows of figures */
#define THREADS 5  /* threads that are named */

enum { COPY = 200 };

struct figure {
	char name[40];
	char value[160];
};

static struct figure *next_figure(struct figure *figures, int *n, const char *name)
{
	snprintf(figures[*n].name, sizeof figures->name, "%s", name);
	figures[*n].value[0] = 0;
	return &figures[(*n)++];
}

static void put_estimate(
    char *text, size_t size, char *(*put)(char *, size_t, double), double value, double variance)
{
	char a[64], b[64];
	snprintf(text, size, "%s \xc2\xb1 %s", put(a, sizeof a, value),
	    put(b, sizeof b, sqrt(variance)));
}

/* What only single samples know: their sizes. */
static void size_figure(
    const struct sites_view *view, const struct site *site, struct figure *figures, int *n)
{
	const struct gcs_profile *p = view->index.profile;
	uint32_t number = (uint32_t)(site - view->sites.site);
	uint64_t least = UINT64_MAX, most = 0;
	for (uint32_t i = site->entry; i < view->index.border; i++) {
		if (view->sites.of_entry[i] != number)
			continue;
		uint64_t size = gcs_profile_entry(p, i)->size;
		least = size < least ? size : least;
		most = size > most ? size : most;
	}
	if (least > most)
		return; /* it was only there before */
	char a[64], b[64];
	sites_put_bytes(a, sizeof a, (double)least);
	sites_put_bytes(b, sizeof b, (double)most);
	struct figure *f = next_figure(figures, n, "Sample size");
	snprintf(f->value, sizeof f->value, "%s%s%s", a, least < most ? " to " : "",
	    least < most ? b : "");
}

struct thread_share {
	uint32_t name;
	double bytes;
};

/* The threads with the most bytes among the first different ones of the site, largest first. */
static int find_threads(const struct sites_view *view, const struct site *site,
    struct thread_share *threads, int most, bool *more)
{
	const struct gcs_profile *p = view->index.profile;
	uint32_t number = (uint32_t)(site - view->sites.site);
	int n = 0;
	*more = false;
	for (uint32_t i = site->entry; i < view->index.border; i++) {
		if (view->sites.of_entry[i] != number)
			continue;
		const struct gcs_profile_entry *e = gcs_profile_entry(p, i);
		uint32_t name = view->index.name_of[e->thread];
		int at = 0;
		while (at < n && threads[at].name != name)
			at++;
		if (at == most) {
			*more = true;
			continue;
		}
		if (at == n)
			threads[n++] = (struct thread_share){.name = name};
		threads[at].bytes += e->bytes;
	}
	for (int i = 1; i < n; i++) {
		struct thread_share t = threads[i];
		int at = i;
		for (; at > 0 && threads[at - 1].bytes < t.bytes; at--)
			threads[at] = threads[at - 1];
		threads[at] = t;
	}
	return n;
}

static void thread_figures(
    const struct sites_view *view, const struct site *site, struct figure *figures, int *n)
{
	struct thread_share threads[64];
	bool more;
	int count = find_threads(view, site, threads, 64, &more);
	for (int i = 0; i < count && i < THREADS; i++) {
		char name[100], share[32];
		struct figure *f = next_figure(figures, n, i == 0 ? "Threads" : "");
		sites_put_name(
		    name, sizeof name, gcs_profile_name(view->index.profile, threads[i].name));
		sites_put_share(share, sizeof share, threads[i].bytes, site->bytes);
		snprintf(f->value, sizeof f->value, "%s  %s", name[0] != 0 ? name : "?", share);
	}
	if (count > THREADS || more) {
		struct figure *f = next_figure(figures, n, "");
		snprintf(f->value, sizeof f->value, "and %s%d more", more ? "at least " : "",
		    count - THREADS);
	}
}

/* What it is compared with, and the difference. */
static void change_figures(const struct site *site, struct figure *figures, int *n)
{
	char text[64], error[64], growth[32];
	struct figure *f = next_figure(figures, n, "Change");
	snprintf(f->value, sizeof f->value, "%s \xc2\xb1 %s  %s",
	    sites_put_change(text, sizeof text, sites_put_bytes, site->bytes - site->base_bytes),
	    sites_put_bytes(error, sizeof error, sqrt(site->bytes_variance)),
	    sites_put_growth(growth, sizeof growth, site->bytes, site->base_bytes));
	f = next_figure(figures, n, "Before");
	sites_put_bytes(f->value, sizeof f->value, site->base_bytes);
}

static int fill_figures(
    const struct sites_view *view, const struct site *site, struct figure *figures)
{
	int n = 0;
	bool totals = view->kind == GCS_PROFILE_ALLOCATED;
	if (view->joined != NULL)
		change_figures(site, figures, &n);
	struct figure *f = next_figure(figures, &n, "Bytes");
	put_estimate(f->value, sizeof f->value, sites_put_bytes, site->bytes, site->bytes_variance);
	f = next_figure(figures, &n, "Share");
	sites_put_share(f->value, sizeof f->value, site->bytes, view->sites.all_bytes);
	f = next_figure(figures, &n, "Objects");
	put_estimate(
	    f->value, sizeof f->value, sites_put_count, site->objects, site->objects_variance);
	f = next_figure(figures, &n, "Samples");
	sites_put_count(f->value, sizeof f->value, (double)site->samples);
	f = next_figure(
	    figures, &n, view->kind == GCS_PROFILE_LIVE ? "Mean age" : "Mean age at death");
	bool aged = sites_has_age(view, site);
	snprintf(f->value, sizeof f->value, "%.1f collections", site->age);
	if (!aged)
		snprintf(f->value, sizeof f->value, "none dead yet");
	f = next_figure(figures, &n, "Age (bytes allocated)");
	sites_put_bytes(f->value, sizeof f->value, site->lifetime);
	if (!aged)
		n--;
	if (totals) {
		f = next_figure(figures, &n, "Still live");
		sites_put_bytes(f->value, sizeof f->value, site->live_bytes);
	} else {
		size_figure(view, site, figures, &n);
	}
	thread_figures(view, site, figures, &n);
	return n;
}

/* What of a site's bytes is live and what died at which age. */
static double survival(const struct site *site, uint32_t bucket)
{
	return bucket < GCS_SURVIVAL_BUCKETS ? site->died_bytes[bucket] : site->live_bytes;
}

static void run_survival(
    const struct sites_view *view, struct app *app, const struct site *site, struct cv_rect *column)
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
		/* What lives is told from what died by its outline too. */
		if (live)
			cv_frame(ui->cv, bar, ui_px(ui, 2), ui->theme->good);
		else
			cv_fill(ui->cv, bar, ui->theme->accent);
	}
}

/* Steps over a frame and those below it that are the same: recursion is told by a number. What
 * is left of the stack comes back, and how often the frame stood there. */
static uint32_t next_frame(const struct sites_view *view, uint32_t node, uint32_t *times)
{
	uint32_t frame = view->index.node[node].frame;
	*times = 0;
	do {
		node = view->index.node[node].parent;
		(*times)++;
	} while (node != GCS_NONE && view->index.node[node].frame == frame);
	return node;
}

static char *put_times(char *text, size_t size, uint32_t times)
{
	snprintf(text, size, times > 1 ? "  \xc3\x97 %" PRIu32 : "", times);
	return text;
}

static void run_frame(struct app *app, struct cv_rect *column, const struct gcs_frame *frame,
    uint32_t times, bool top)
{
	struct ui *ui = &app->ui;
	char name[500], place[240], package[240], below[500], recursion[32];
	int line = font_height(ui->fonts->face[FONT_UI]) + ui_px(ui, 2);
	struct cv_rect first = cut_top(column, line);
	struct cv_rect second = cut_top(column, line);
	cut_top(column, ui_px(ui, 4));
	if (!ui_paints(ui) || !rect_meets(rect_or(first, second), ui->cv->clip))
		return;
	sites_put_frame(name, sizeof name, frame);
	sites_put_place(place, sizeof place, frame);
	sites_put_package(package, sizeof package, frame->class_name);
	put_times(recursion, sizeof recursion, times);
	bool java = frame->kind == GCS_FRAME_JAVA || frame->kind == GCS_FRAME_NATIVE_METHOD;
	snprintf(below, sizeof below, "%s%s%s", place, java && package[0] != 0 ? " \xc2\xb7 " : "",
	    java ? package : "");
	int w = text_width(ui->fonts->face[FONT_UI], recursion);
	ui_value(ui, cut_right(&first, w), TEXT_RIGHT, recursion);
	text_in(ui->cv, ui->fonts->face[top ? FONT_BOLD : FONT_UI], first, TEXT_LEFT,
	    ui->theme->text, name);
	cut_left(&second, ui_px(ui, 12));
	ui_label(ui, second, TEXT_LEFT, below);
}

static void run_stack(
    const struct sites_view *view, struct app *app, const struct site *site, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	char detail[80] = "no frames";
	uint32_t node = site->node, times;
	if (node != GCS_NONE)
		snprintf(detail, sizeof detail, "%" PRIu32 " frames%s",
		    view->index.node[node].depth, view->index.runtime_frame ? "" : "; H shows all");
	side_section(app, column, "Stack", detail);
	for (uint32_t i = 0; node != GCS_NONE && i < SITES_FRAMES_SHOWN; i++) {
		uint32_t frame = view->index.node[node].frame;
		node = next_frame(view, node, &times);
		run_frame(
		    app, column, gcs_profile_frame(view->index.profile, frame), times, i == 0);
	}
	if (node != GCS_NONE) {
		snprintf(detail, sizeof detail, "and %" PRIu32 " more frames",
		    view->index.node[node].depth);
		ui_label(ui, cut_top(column, ui_px(ui, 20)), TEXT_LEFT, detail);
	}
}

/* In the line of the first title: what stands in the panel goes to the clipboard. */
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
	sites_side_words(view, &out);
	ui->clipboard.put(ui->clipboard.context, textbuf_text(&out));
	app_toast(app, "Copied call site");
	textbuf_fini(&out);
}

void sites_side_run(struct sites_view *view, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	const struct site *site = sites_selected(view);
	if (site != NULL)
		run_copy(view, app, *column);
	side_section(app, column, "Call site", "");
	if (site == NULL) {
		const char *hint =
		    "Click a row or use the arrow keys to see its stack and figures.";
		struct cv_rect text = rect_make(column->x, column->y, column->w, 0);
		text.h = text_paragraph(ui_paints(ui) ? ui->cv : NULL, ui->fonts->face[FONT_SMALL],
		    text, ui->theme->weak, hint);
		cut_top(column, text.h);
		return;
	}
	char name[600];
	sites_put_name(name, sizeof name, gcs_profile_name(view->index.profile, site->class_name));
	struct cv_rect title = rect_make(column->x, column->y, column->w, 0);
	title.h = text_paragraph(ui_paints(ui) ? ui->cv : NULL, ui->fonts->face[FONT_MONO], title,
	    ui->theme->text, name);
	cut_top(column, title.h + ui_px(ui, 4));
	struct figure figures[ROWS];
	int n = fill_figures(view, site, figures);
	for (int i = 0; i < n; i++)
		side_row(app, column, figures[i].name, figures[i].value, false);
	run_survival(view, app, site, column);
	run_stack(view, app, site, column);
}

static void stack_words(const struct sites_view *view, uint32_t node, struct textbuf *out)
{
	char name[500], place[240], package[240], recursion[32];
	uint32_t times;
	for (uint32_t i = 0; node != GCS_NONE && i < SITES_FRAMES_SHOWN; i++) {
		const struct gcs_frame *frame =
		    gcs_profile_frame(view->index.profile, view->index.node[node].frame);
		node = next_frame(view, node, &times);
		sites_put_package(package, sizeof package, frame->class_name);
		bool java = frame->kind == GCS_FRAME_JAVA || frame->kind == GCS_FRAME_NATIVE_METHOD;
		textbuf_printf(out, "frame\t%s%s%s\t%s%s\n", java ? package : "",
		    java && package[0] != 0 ? "." : "", sites_put_frame(name, sizeof name, frame),
		    sites_put_place(place, sizeof place, frame),
		    put_times(recursion, sizeof recursion, times));
	}
	if (node != GCS_NONE)
		textbuf_printf(out, "and %" PRIu32 " more frames\n", view->index.node[node].depth);
}

void sites_side_words(struct sites_view *view, struct textbuf *out)
{
	const struct site *site = sites_selected(view);
	if (site == NULL)
		return;
	char text[600];
	sites_put_name(text, sizeof text, gcs_profile_name(view->index.profile, site->class_name));
	textbuf_printf(out, "call site\t%s\n", text);
	struct figure figures[ROWS];
	int n = fill_figures(view, site, figures);
	for (int i = 0; i < n; i++)
		textbuf_printf(out, "%s\t%s\n", figures[i].name, figures[i].value);
	for (uint32_t i = 0; view->kind == GCS_PROFILE_ALLOCATED && i <= GCS_SURVIVAL_BUCKETS; i++)
		textbuf_printf(out, "survival %s\t%s\n",
		    i < GCS_SURVIVAL_BUCKETS ? gcs_survival_text(i) : "live",
		    sites_put_bytes(text, sizeof text, survival(site, i)));
	stack_words(view, site->node, out);
}
