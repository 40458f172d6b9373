/* What the window writes: pictures, texts, the clipboard. Declared in app.h. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "browser.h"
#include "latency.h"
#include "png.h"

/* A file name made of the time, unless one is given. */
static const char *name_of_picture(const char *arg, const char *form, char *name, size_t size)
{
	time_t now = time(NULL);
	struct tm local;
	if (arg != NULL)
		return arg;
	localtime_r(&now, &local);
	strftime(name, size, form, &local);
	return name;
}

static bool save_picture(struct app *app, const char *arg)
{
	char name[64];
	arg = name_of_picture(arg, "gcspy-%Y%m%d-%H%M%S.png", name, sizeof name);
	app->toast[0] = 0; /* often about the picture before */
	app_dirty(app, PANEL_MODAL);
	app_frame(app); /* The picture shows the state after what went before. */
	struct gcs_error err;
	if (png_write(arg, app->cv.px, app->cv.w, app->cv.h, &err) != GCS_OK) {
		app_toast(app, "%s", err.text);
		return false;
	}
	app_toast(app, "Saved %s", arg);
	return true;
}

static void view_text(struct app *app, struct textbuf *out)
{
	if (app_is_at_start(app))
		heap_empty_text(app, out);
	else
		app->view->copy_text(app->view_self, app, out);
}

static void focused_text(struct app *app, struct textbuf *out)
{
	uint32_t panel = app->ui.focus >> 16;
	if (app->ui.focus == 0) {
		panel = PANEL_VIEW;
		for (uint32_t i = 0; i < PANEL_MODAL; i++) {
			if (rect_has(app->rect[i], app->ui.mouse_x, app->ui.mouse_y))
				panel = i;
		}
	}
	if (app->modal == MODAL_HELP)
		help_text(app, out);
	else if (app->modal == MODAL_PALETTE)
		palette_text(app, out);
	else if (app->modal == MODAL_INFO)
		info_text(app, out);
	else if (app->modal == MODAL_MENU)
		menu_text(app, out);
	else if (app->modal == MODAL_SUMMARY)
		summary_text(app, out);
	else if (app->modal == MODAL_COLOURS)
		colours_text(app, out);
	else if (app->modal == MODAL_CONNECT)
		browser_text(app, out);
	else if (panel == PANEL_HEADER)
		header_text(app, out);
	else if (panel == PANEL_SIDE)
		side_text(app, out);
	else if (panel == PANEL_TIMELINE)
		timeline_text(app, out);
	else if (panel == PANEL_FOOTER)
		footer_text(app, out);
	else
		view_text(app, out);
}

void app_dump(struct app *app, struct textbuf *out)
{
	footer_text(app, out);
	header_text(app, out);
	timeline_text(app, out);
	textbuf_printf(out, "view\t%s\n", app->view->title);
	view_text(app, out);
	side_text(app, out);
	if (app->snapshot != NULL)
		info_text(app, out);
	if (app->modal == MODAL_CONNECT)
		browser_text(app, out);
	latency_text(&app->latency, out);
	if (app->toast[0] != 0)
		textbuf_printf(out, "message\t%s\n", app->toast);
}

/* Writes to a file, or to standard output if path is NULL. */
static bool write_text(struct app *app, const struct textbuf *out, const char *path)
{
	FILE *f = path != NULL ? fopen(path, "w") : stdout;
	bool ok = f != NULL && !out->failed && fputs(textbuf_text(out), f) >= 0;
	if (f != NULL && path != NULL)
		ok = fclose(f) == 0 && ok;
	else if (f != NULL)
		fflush(f);
	if (!ok)
		app_toast(app, "cannot write %s", path != NULL ? path : "output");
	return ok;
}

static bool save_svg(struct app *app, const char *arg)
{
	char name[64];
	struct textbuf out = {0};
	arg = name_of_picture(arg, "gcspy-%Y%m%d-%H%M%S.svg", name, sizeof name);
	app->toast[0] = 0; /* often about the picture before */
	app_dirty(app, PANEL_MODAL);
	app_frame(app); /* The picture shows the state after what went before. */
	bool ok = app->view->svg != NULL && app->view->svg(app->view_self, app, &out);
	if (!ok)
		app_toast(app, "%s cannot be saved as SVG; Ctrl+E saves a PNG", app->view->title);
	else if ((ok = write_text(app, &out, arg)))
		app_toast(app, "Saved %s", arg);
	textbuf_fini(&out);
	return ok;
}

bool app_output_command(struct app *app, enum command_id id, const char *arg)
{
	if (id == COMMAND_export_png)
		return save_picture(app, arg);
	if (id == COMMAND_export_svg)
		return save_svg(app, arg);
	struct textbuf out = {0};
	bool ok = true;
	if (id == COMMAND_copy) {
		focused_text(app, &out);
		app->ui.clipboard.put(app->ui.clipboard.context, textbuf_text(&out));
		app_toast(app, "Copied %zu characters", out.length);
	} else {
		app_dump(app, &out);
		ok = write_text(app, &out, arg);
	}
	textbuf_fini(&out);
	return ok;
}
