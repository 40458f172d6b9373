/* General information about the server and all event counters, as a table of two columns. */
#include <gcspy/format.h>
#include <string.h>

#include "app.h"
#include "layout.h"

enum { BAR = 1 };

/* A line for each row: the server's name and information, its counters, the attributes of the event,
 * the shown profile. */
void info_text(struct app *app, struct textbuf *out)
{
	const struct gcs_model *model = app_model(app);
	char text[GCS_MAX_TEXT + 1];
	if (model == NULL)
		return;
	textbuf_printf(out, "Server\t%s\n", model->server_name);
	for (uint32_t i = 0; i < model->info_count; i++)
		textbuf_printf(out, "%s\t%s\n", model->info[i].key, model->info[i].value);
	for (uint32_t i = 0; i < model->event_count; i++) {
		gcs_format_count(text, sizeof text, gcs_snapshot_counter(app->snapshot, i));
		textbuf_printf(out, "%s\t%s times\n", model->events[i].name, text);
	}
	const uint32_t number = gcs_snapshot_occurrence(app->snapshot)->event;
	const struct gcs_event *event = number < model->event_count ? &model->events[number] : NULL;
	for (uint32_t i = 0; event != NULL && i < event->attribute_count; i++) {
		gcs_format_attribute(text, sizeof text, app->snapshot, i);
		textbuf_printf(out, "%s: %s\t%s\n", event->name, event->attributes[i].name, text);
	}
	profiles_facts(app, out);
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
	struct textbuf text = {0};
	info_text(app, &text);
	if (ui_paints(ui))
		cv_push_clip(ui->cv, r);
	for (char *line = text.text, *end; line != NULL && *line != 0; line = end) {
		end = line + strcspn(line, "\n");
		if (*end != 0)
			*end++ = 0;
		char *value = line + strcspn(line, "\t");
		if (*value != 0)
			*value++ = 0;
		int h = row_height(app, r.w - key_w, value);
		struct cv_rect row = rect_make(r.x, r.y + content - app->modal_scroll, r.w, h);
		if (ui_paints(ui) && rect_meets(row, r))
			paint_row(app, row, key_w, line, value);
		content += h;
	}
	textbuf_fini(&text);
	if (ui_paints(ui))
		cv_pop_clip(ui->cv);
	scroll_key(ui, content, r.h, &app->modal_scroll);
	ui_scroll_wheel(ui, r, content, r.h, ui_px(ui, 40), &app->modal_scroll);
	if (ui_scroll_bar(ui, UI_ID(PANEL_MODAL, BAR), bar, content, r.h, &app->modal_scroll))
		app_dirty(app, PANEL_MODAL);
}
