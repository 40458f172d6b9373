/* General information about the server and all event counters, as a table of two columns. */
#include <gcspy/format.h>
#include <stdio.h>

#include "app.h"
#include "layout.h"

enum { BAR = 1 };

/* The event of the snapshot, or NULL. */
static const struct gcs_event *present_event(const struct app *app)
{
	const struct gcs_model *model = app_model(app);
	uint32_t event = gcs_snapshot_occurrence(app->snapshot)->event;
	return event < model->event_count ? &model->events[event] : NULL;
}

/* The rows: server name, server information, counters, attributes of the event. */
static uint32_t row_count(const struct app *app)
{
	const struct gcs_model *model = app_model(app);
	const struct gcs_event *event = present_event(app);
	return 1 + model->info_count + model->event_count +
	       (event != NULL ? event->attribute_count : 0);
}

static void row_at(
    const struct app *app, uint32_t i, char *key, size_t key_size, char *value, size_t size)
{
	const struct gcs_model *model = app_model(app);
	if (i == 0) {
		snprintf(key, key_size, "Server");
		snprintf(value, size, "%s", model->server_name);
		return;
	}
	i -= 1;
	if (i < model->info_count) {
		snprintf(key, key_size, "%s", model->info[i].key);
		snprintf(value, size, "%s", model->info[i].value);
		return;
	}
	i -= model->info_count;
	if (i < model->event_count) {
		char number[64];
		gcs_format_count(number, sizeof number, gcs_snapshot_counter(app->snapshot, i));
		snprintf(key, key_size, "%s", model->events[i].name);
		snprintf(value, size, "%s times", number);
		return;
	}
	i -= model->event_count;
	const struct gcs_event *event = present_event(app);
	snprintf(key, key_size, "%s: %s", event->name, event->attributes[i].name);
	gcs_format_attribute(value, size, app->snapshot, i);
}

/* Long values take several lines. */
static int row_height(const struct app *app, int width, const char *value)
{
	const struct ui *ui = &app->ui;
	struct cv_rect room = rect_make(0, 0, width, 0);
	return text_paragraph(NULL, ui->fonts->face[FONT_UI], room, 0, value) + ui_px(ui, 8);
}

static void paint_row(
    struct app *app, struct cv_rect row, int key_w, const char *key, const char *value)
{
	struct ui *ui = &app->ui;
	cv_hline(ui->cv, row.x, row.y + row.h - 1, row.w,
	    cv_mix(ui->theme->panel, ui->theme->line, 150));
	struct cv_rect left = cut_left(&row, key_w);
	left.h = font_height(ui->fonts->face[FONT_UI]) + ui_px(ui, 8);
	cut_right(&left, ui_px(ui, 8));
	ui_label(ui, left, TEXT_LEFT, key);
	row.y += ui_px(ui, 4);
	text_paragraph(ui->cv, ui->fonts->face[FONT_UI], row, ui->theme->text, value);
}

static bool scroll_key(struct ui *ui, int content, int page, int *at)
{
	struct keystroke stroke;
	if (ui->ev == NULL || !key_of_event(ui->ev, &stroke))
		return false;
	int step = 0;
	if (stroke.key == KEY_UP || stroke.key == KEY_DOWN)
		step = ui_px(ui, 40);
	else if (stroke.key == KEY_PAGE_UP || stroke.key == KEY_PAGE_DOWN)
		step = page;
	else if (stroke.key == KEY_HOME || stroke.key == KEY_END)
		step = content;
	if (step == 0)
		return false;
	bool up = stroke.key == KEY_UP || stroke.key == KEY_PAGE_UP || stroke.key == KEY_HOME;
	*at = clamp_int(*at + (up ? -step : step), 0, content > page ? content - page : 0);
	ui_take(ui);
	return true;
}

void info_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	if (app->snapshot == NULL)
		return;
	struct cv_rect title = cut_top(&r, ui_px(ui, 28));
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], title, TEXT_LEFT, ui->theme->text,
		    "Server information");
	ui_label(ui, title, TEXT_RIGHT, "Ctrl+C copies \xc2\xb7 Esc closes");
	cut_top(&r, ui_px(ui, 4));
	struct cv_rect bar = cut_right(&r, ui_px(ui, 12));
	int key_w = r.w * 3 / 10;
	int content = 0;
	char value[GCS_MAX_TEXT + 1];
	char key[600];
	if (ui_paints(ui))
		cv_push_clip(ui->cv, r);
	for (uint32_t i = 0; i < row_count(app); i++) {
		row_at(app, i, key, sizeof key, value, sizeof value);
		int h = row_height(app, r.w - key_w, value);
		struct cv_rect row = rect_make(r.x, r.y + content - app->modal_scroll, r.w, h);
		if (ui_paints(ui) && rect_meets(row, r))
			paint_row(app, row, key_w, key, value);
		content += h;
	}
	if (ui_paints(ui))
		cv_pop_clip(ui->cv);
	scroll_key(ui, content, r.h, &app->modal_scroll);
	ui_scroll_wheel(ui, r, content, r.h, ui_px(ui, 40), &app->modal_scroll);
	if (ui_scroll_bar(ui, UI_ID(PANEL_MODAL, BAR), bar, content, r.h, &app->modal_scroll))
		app_dirty(app, PANEL_MODAL);
}

void info_text(struct app *app, struct textbuf *out)
{
	char value[GCS_MAX_TEXT + 1];
	char key[600];
	for (uint32_t i = 0; app->snapshot != NULL && i < row_count(app); i++) {
		row_at(app, i, key, sizeof key, value, sizeof value);
		textbuf_printf(out, "%s\t%s\n", key, value);
	}
}
