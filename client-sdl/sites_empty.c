/* What stands in place of the table, and why. Declared in sites_view.h. */
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "sites_view.h"

/* The server's words about sampling, unless they only repeat that it is off. */
static const char *reason(const char *words)
{
	static const char plain[] = "is off";
	size_t n = strlen(words), m = strlen(plain);
	return n >= m && strcmp(words + n - m, plain) == 0 ? "" : words;
}

/* Without a profile: what the connection and the last answer say. */
static void no_profile(const struct sites_view *view, const struct app *app, char *title,
    size_t title_size, char *text, size_t size, bool *offer)
{
	const struct sites_data *data = &view->data[view->kind];
	bool known = data->answered && data->connection == app->connection;
	if (app->past.back && (data->status == GCS_UNSUPPORTED || !app_can_ask(app))) {
		snprintf(title, title_size, "No call sites were kept up to here");
		snprintf(text, size,
		    "Profiles are kept as they come while this view, or a recording, asks for "
		    "them. L goes back to the newest moment.");
	} else if (app->state == SOURCE_NONE) {
		snprintf(title, title_size, "Not connected");
		snprintf(text, size,
		    "Ctrl+L connects to a program or opens a recording; the call sites appear "
		    "here.");
	} else if (app->state == SOURCE_CONNECTING) {
		snprintf(title, title_size, "Connecting to %s \xe2\x80\xa6", app->address);
		snprintf(text, size, "The call sites appear as soon as the program answers.");
	} else if (app->state == SOURCE_LOST) {
		snprintf(title, title_size, "No connection to %s", app->address);
		snprintf(text, size, "%s", app->why.text);
	} else if (app->source.ops->query == NULL) {
		snprintf(title, title_size, "This source has no call sites");
		snprintf(
		    text, size, "Only a running program can be asked for sampled allocations.");
	} else if (!known) {
		snprintf(title, title_size, "Asking for call sites \xe2\x80\xa6");
		snprintf(text, size, "The program has not answered yet.");
	} else if (data->status == GCS_STATE) {
		const char *why = reason(data->words);
		snprintf(title, title_size, "Sampling is off");
		snprintf(text, size,
		    "%s%sSampled allocations show which code fills the heap; at a sample every "
		    "512 KiB they cost next to nothing.",
		    why, *why != 0 ? ".\n" : "");
		*offer = true;
	} else if (data->status == GCS_UNSUPPORTED && app->replay.on) {
		snprintf(title, title_size, "No call sites were recorded up to here");
		snprintf(text, size, "%s", data->words);
	} else if (data->status == GCS_UNSUPPORTED) {
		snprintf(title, title_size, "This program does not sample allocations");
		snprintf(text, size, "%s",
		    data->words[0] != 0 ? data->words
					: "Its GCspy is older than call sites, or without them.");
	} else {
		snprintf(title, title_size, "No call sites");
		snprintf(text, size, "%s",
		    data->words[0] != 0 ? data->words : gcs_status_text(data->status));
	}
}

static const char *when_samples_come(enum gcs_profile_kind kind)
{
	switch (kind) {
	case GCS_PROFILE_LIVE:
		return "They appear after the next collection that finds sampled objects alive.";
	case GCS_PROFILE_RECENT:
	case GCS_PROFILE_FREQUENT:
		return "They appear after the next collection that finds sampled objects dead.";
	case GCS_PROFILE_ALLOCATED:
	case GCS_PROFILE_KIND_COUNT:
		break;
	}
	return "They appear as soon as the program has allocated enough.";
}

bool sites_empty_words(const struct sites_view *view, const struct app *app, char *title,
    size_t title_size, char *text, size_t size, bool *offer)
{
	const struct gcs_profile *profile = view->data[view->kind].profile;
	*offer = false;
	if (profile == NULL) {
		no_profile(view, app, title, title_size, text, size, offer);
		return true;
	}
	if (view->order == NULL) {
		snprintf(title, title_size, "Not enough memory for the call sites");
		snprintf(text, size, "Other programs may have to be closed first.");
		return true;
	}
	if (gcs_profile_entry_count(profile) == 0 && view->where[0] != 0 &&
	    view->kind == GCS_PROFILE_LIVE) {
		sites_where_words(view, text, size);
		snprintf(title, title_size, "No live samples %s", text);
		snprintf(text, size, "Escape shows all call sites.");
		return true;
	}
	if (gcs_profile_entry_count(profile) == 0) {
		*offer = gcs_profile_head(profile)->interval == 0 && app->state == SOURCE_LIVE;
		snprintf(title, title_size, *offer ? "Sampling is off" : "No samples yet");
		snprintf(text, size, "%s",
		    *offer ? "There are no samples of this kind." : when_samples_come(view->kind));
		return true;
	}
	if (view->sites.count == 0) {
		snprintf(title, title_size, "No call site fits the filter");
		snprintf(text, size, "Escape takes the filter away.");
		return true;
	}
	return false;
}

void sites_empty_run(struct sites_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	char title[400], text[800];
	bool offer;
	if (!sites_empty_words(view, app, title, sizeof title, text, sizeof text, &offer))
		return;
	struct font *font = ui->fonts->face[FONT_UI];
	struct cv_rect box = centred(r, ui_px(ui, 520), ui_px(ui, 160));
	box = centred(box, box.w - ui_px(ui, 32), box.h);
	struct cv_rect row = cut_top(&box, ui_px(ui, 28));
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], row, TEXT_LEFT, ui->theme->text, title);
	row = cut_top(&box, text_paragraph(NULL, font, box, 0, text));
	if (ui_paints(ui))
		text_paragraph(ui->cv, font, row, ui->theme->weak, text);
	if (!offer)
		return;
	cut_top(&box, ui_px(ui, 16));
	row = cut_top(&box, ui_px(ui, 32));
	const char *label = "Sample every 512 KiB";
	struct cv_rect button =
	    cut_left(&row, ui_button_width(ui, ICON_NONE, label) + ui_px(ui, 8));
	if (ui_button(ui, UI_ID(PANEL_VIEW, SITES_OFFER), button, ICON_NONE, label, BUTTON_PRIMARY))
		sites_sample(view, app, SITES_INTERVAL);
	cut_left(&row, ui_px(ui, 12));
	ui_label(ui, row, TEXT_LEFT, "or press E");
}
