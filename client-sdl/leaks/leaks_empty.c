/* What the view says without survivors; declared in leaks_view.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "leaks_view.h"

/* "reading the history …" needs no full stop. */
static bool ends_open(const char *why)
{
	static const char dots[] = "\xe2\x80\xa6";
	const size_t n = strlen(why), m = strlen(dots);
	return n >= m && strcmp(why + n - m, dots) == 0;
}

/* What is missing while the program samples: a collection, then a second one. */
static void explain_sampling(const struct app *app, uint64_t interval, struct leaks_empty *empty)
{
	const size_t n = strlen(empty->text);
	char bytes[40];
	gcs_format_number(bytes, sizeof bytes, (int64_t)interval, GCS_BYTES);
	snprintf(empty->text + n, sizeof empty->text - n,
	    "\nThe program samples every %s. A collection shows what survives, a second one what "
	    "grows%s.",
	    bytes,
	    time_figures_no_event(app) != NULL ? "; Call sites has what earlier ones have left"
					       : "");
	if (collect_refusal(app) == NULL) {
		empty->label = "Collect";
		empty->command = COMMAND_collect;
	}
}

void leaks_explain_empty(const struct app *app, const char *why, struct leaks_empty *empty)
{
	uint64_t interval = 0;
	*empty = (struct leaks_empty){.label = ""};
	snprintf(empty->text, sizeof empty->text,
	    "Survivors are known from sampled allocations that collections have judged: %.250s%s",
	    why, ends_open(why) ? "" : ".");
	if (app->state != SOURCE_LIVE || app->replay.on || app->snapshot == NULL)
		return;
	const enum sampling_state state = sampling_state(app, &interval);
	if (state == SAMPLING_ON && !ends_open(why))
		explain_sampling(app, interval, empty);
	if (state != SAMPLING_OFF && state != SAMPLING_UNTOLD)
		return;
	if (state == SAMPLING_OFF) {
		const size_t n = strlen(empty->text);
		snprintf(empty->text + n, sizeof empty->text - n, "\nSampling is off.");
	}
	empty->label = "Sample every 512 KiB";
	empty->command = COMMAND_sites_sample;
}

void leaks_empty_run(struct app *app, struct cv_rect r, const char *why)
{
	struct ui *ui = &app->ui;
	struct font *font = ui->fonts->face[FONT_UI];
	struct leaks_empty empty;
	leaks_explain_empty(app, why, &empty);
	r = rect_inset(r, ui_px(ui, 16));
	struct cv_rect box = centred(r, ui_px(ui, 520), ui_px(ui, 150));
	const struct cv_rect title = cut_top(&box, ui_px(ui, 26));
	const struct cv_rect text = cut_top(&box, text_paragraph(NULL, font, box, 0, empty.text));
	if (ui_paints(ui)) {
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], title, TEXT_LEFT, ui->theme->text,
		    "No survivors to show");
		text_paragraph(ui->cv, font, text, ui->theme->weak, empty.text);
	}
	if (empty.label[0] == 0)
		return;
	cut_top(&box, ui_px(ui, 12));
	struct cv_rect row = cut_top(&box, ui_px(ui, 30));
	const uint32_t id = UI_ID(PANEL_VIEW, LEAKS_SAMPLE);
	if (ui_button(ui, id, cut_left(&row, ui_button_width(ui, ICON_NONE, empty.label)),
		ICON_NONE, empty.label,
		empty.command == COMMAND_collect && collect_is_awaited(app) ? BUTTON_OFF
									    : BUTTON_PRIMARY))
		app_command(app, empty.command, NULL);
}
