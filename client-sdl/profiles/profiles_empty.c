/* The message in place of the data. Declared in profiles.h. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "sites_view.h"

/* The server's message about sampling, unless it only repeats that it is off. */
static const char *reason(const char *words)
{
	static const char plain[] = "is off";
	size_t n = strlen(words), m = strlen(plain);
	return n >= m && strcmp(words + n - m, plain) == 0 ? "" : words;
}

/* Of a recording: which event has the next profile with survivors, and how to record more. */
static void add_next(const struct app *app, struct profiles_empty *empty)
{
	const struct recorded_profile *next = replay_next_live(app, app->replay.at.place + 1);
	const char *cure = replay_profiles_cure(app);
	char *text = empty->text;
	const size_t size = sizeof empty->text;
	size_t n = strlen(text);
	if (!app->replay.on || app->profiles.kind != GCS_PROFILE_LIVE)
		return;
	if (next != NULL)
		snprintf(text + n, size - n,
		    "%sThe next profile with survivors is that of event %llu.", n > 0 ? " " : "",
		    (unsigned long long)next->place);
	n = strlen(text);
	if (cure[0] != 0)
		snprintf(text + n, size - n, "%s%s.", n > 0 ? "\n" : "", cure);
}

/* Without a profile: the state of the connection, and the last answer. */
static void no_profile(const struct app *app, struct profiles_empty *empty)
{
	char *title = empty->title, *text = empty->text;
	const size_t title_size = sizeof empty->title, size = sizeof empty->text;
	const struct profiles_data *data = &app->profiles.data[app->profiles.kind];
	bool known = data->answered && data->connection == app->connection;
	if (app->event_history.back && (data->status == GCS_UNSUPPORTED || !app_can_ask(app))) {
		snprintf(title, title_size, "No call sites saved up to this point");
		snprintf(text, size,
		    "Profiles are saved while this window is connected and the program samples "
		    "allocations. L returns to live.");
	} else if (app->state == SOURCE_NONE) {
		snprintf(title, title_size, "Not connected");
		snprintf(text, size,
		    "Ctrl+L connects to a program or opens a recording; its call sites appear "
		    "here.");
	} else if (app->state == SOURCE_CONNECTING) {
		snprintf(title, title_size, "Connecting to %s \xe2\x80\xa6", app->address);
		snprintf(text, size, "Call sites appear as soon as the program responds.");
	} else if (app->state == SOURCE_LOST) {
		snprintf(title, title_size, "Cannot connect to %s", app->address);
		snprintf(text, size, "%s", app->why.text);
	} else if (app->source.ops->query == NULL) {
		snprintf(title, title_size, "This source has no call sites");
		snprintf(
		    text, size, "Only a running program with the agent has sampled allocations.");
	} else if (!known) {
		snprintf(title, title_size, "Loading call sites \xe2\x80\xa6");
		snprintf(text, size, "%s",
		    app->replay.on ? "Reading the recording."
				   : "Waiting for the program to respond.");
	} else if (data->status == GCS_STATE) {
		const char *why = reason(data->message);
		snprintf(title, title_size, "Sampling is off");
		snprintf(text, size,
		    "%s%sSampled allocations show which code fills the heap. One sample per "
		    "512 KiB has very little overhead.",
		    why, *why != 0 ? ".\n" : "");
		empty->offer = PROFILES_OFFER_SAMPLES;
	} else if (data->status == GCS_UNSUPPORTED && app->replay.on) {
		snprintf(title, title_size, "No call sites recorded up to this point");
		snprintf(text, size, "%s", data->message);
		if (text[0] != 0)
			snprintf(text + strlen(text), size - strlen(text), ".");
		add_next(app, empty);
		const struct overview *o = &app->replay.overview;
		if (o->count > 0 && event_history_here_ns(app) < o->at[o->count - 1].time_ns)
			empty->offer = PROFILES_OFFER_LAST;
	} else if (data->status == GCS_UNSUPPORTED) {
		snprintf(title, title_size, "This program does not sample allocations");
		snprintf(text, size, "%s",
		    data->message[0] != 0 ? data->message
					  : "Its GCspy agent has no support for call sites.");
	} else {
		snprintf(title, title_size, "No call sites");
		snprintf(text, size, "%s",
		    data->message[0] != 0 ? data->message : gcs_status_text(data->status));
	}
}

/* Nothing is live: everything sampled is garbage, or has not been judged yet. */
static void explain_no_survivors(const struct app *app, struct profiles_empty *empty)
{
	const struct gcs_profile *profile = profiles_profile(app);
	const bool judged = profile != NULL && gcs_profile_head(profile)->judged.number != 0;
	char where[200];
	profiles_where_text(app, where, sizeof where);
	snprintf(empty->title, sizeof empty->title, "No survivors %s",
	    where[0] != 0 ? where : "in this profile");
	snprintf(empty->text, sizeof empty->text, "%s%s",
	    judged ? "None of the sampled objects that a collection has judged is alive."
		   : "When it was taken, no collection had judged its sampled objects.",
	    where[0] != 0 ? " Escape shows all call sites." : "");
	if (!judged && collect_refusal(app) == NULL)
		empty->offer = PROFILES_OFFER_COLLECTION;
	add_next(app, empty);
}

void profiles_explain_none(const struct app *app, struct profiles_empty *empty)
{
	*empty = (struct profiles_empty){.offer = PROFILES_OFFER_NOTHING};
	const char *title = "No call sites in this profile", *text = "";
	if (!sites_filter_is_open(&app->profiles.filter)) {
		title = "No call site matches the filter";
		text = "Escape clears the filter.";
	} else if (app->profiles.min_age != 0 || app->profiles.below_age != 0) {
		title = "No objects of this age";
		text = "Shift+E selects other ages.";
	} else if (app->profiles.kind == GCS_PROFILE_LIVE) {
		explain_no_survivors(app, empty);
		return;
	}
	snprintf(empty->title, sizeof empty->title, "%s", title);
	snprintf(empty->text, sizeof empty->text, "%s", text);
	add_next(app, empty);
}

static const char *when_samples_come(enum gcs_profile_kind kind)
{
	switch (kind) {
	case GCS_PROFILE_LIVE:
		return "They appear after the next collection with live sampled objects.";
	case GCS_PROFILE_RECENT:
	case GCS_PROFILE_FREQUENT:
		return "They appear after the next collection that frees sampled objects.";
	case GCS_PROFILE_ALLOCATED:
	case GCS_PROFILE_KIND_COUNT:
		break;
	}
	return "They appear once the program has allocated enough.";
}

bool profiles_explain_empty(const struct app *app, struct profiles_empty *empty)
{
	const struct profiles *p = &app->profiles;
	const struct gcs_profile *profile = profiles_profile(app);
	char *title = empty->title;
	const size_t title_size = sizeof empty->title;
	*empty = (struct profiles_empty){.offer = PROFILES_OFFER_NOTHING};
	if (profile == NULL) {
		no_profile(app, empty);
		return true;
	}
	if (gcs_profile_entry_count(profile) != 0 || profiles_before(app) != NULL)
		return false;
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	if (p->kind == GCS_PROFILE_LIVE &&
	    (profiles_where(app)[0] != 0 || (h->died > 0 && h->interval > 0))) {
		explain_no_survivors(app, empty);
		return true;
	}
	if (app->replay.on) {
		const bool live = p->kind == GCS_PROFILE_LIVE;
		snprintf(title, title_size, "%s",
		    live ? "No live objects in the profile of this event"
			 : "No samples in the profile of this event");
		add_next(app, empty);
		return true;
	}
	const bool off = h->interval == 0 && app->state == SOURCE_LIVE;
	empty->offer = off ? PROFILES_OFFER_SAMPLES : PROFILES_OFFER_NOTHING;
	snprintf(title, title_size, off ? "Sampling is off" : "No samples yet");
	snprintf(empty->text, sizeof empty->text, "%s",
	    off ? "There are no samples of this kind." : when_samples_come(p->kind));
	return true;
}

static const struct offer {
	const char *label, *hint;
	enum command_id command;
} offers[] = {
    [PROFILES_OFFER_SAMPLES] = {"Sample every 512 KiB", "or press E", COMMAND_sites_sample},
    [PROFILES_OFFER_LAST] = {"Go to the last event", "or press Ctrl+End", COMMAND_last_event},
    [PROFILES_OFFER_COLLECTION] = {"Collect", "or press Ctrl+G", COMMAND_collect},
};

void profiles_empty_run(struct app *app, const struct profiles_empty *empty, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const char *title = empty->title, *text = empty->text;
	struct font *font = ui->fonts->face[FONT_UI];
	struct cv_rect box = centred(r, ui_px(ui, 520), ui_px(ui, 160));
	box = centred(box, box.w - ui_px(ui, 32), box.h);
	struct cv_rect row = cut_top(&box, ui_px(ui, 28));
	if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], row, TEXT_LEFT, ui->theme->text, title);
	row = cut_top(&box, text_paragraph(NULL, font, box, 0, text));
	if (ui_paints(ui))
		text_paragraph(ui->cv, font, row, ui->theme->weak, text);
	if (empty->offer == PROFILES_OFFER_NOTHING)
		return;
	cut_top(&box, ui_px(ui, 16));
	row = cut_top(&box, ui_px(ui, 32));
	const struct offer *offer = &offers[empty->offer];
	struct cv_rect button =
	    cut_left(&row, ui_button_width(ui, ICON_NONE, offer->label) + ui_px(ui, 8));
	if (ui_button(ui, UI_ID(PANEL_VIEW, PROFILES_OFFER), button, ICON_NONE, offer->label,
		BUTTON_PRIMARY)) {
		app_command(app, offer->command, NULL);
		return;
	}
	cut_left(&row, ui_px(ui, 12));
	ui_label(ui, row, TEXT_LEFT, offer->hint);
}
