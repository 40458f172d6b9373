#include "collect.h"

#include <gcspy/format.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"

static const char no_collections[] = "this server does not collect on request";

const char *collect_refusal(const struct app *app)
{
	if (app->state != SOURCE_LIVE)
		return "not connected";
	if (app->source.ops->file)
		return "a recording has no program that could collect garbage";
	return app->source.ops->query == NULL ? no_collections : NULL;
}

bool collect_is_awaited(const struct app *app)
{
	return app->collect.state != COLLECT_IDLE && app->collect.connection == app->connection;
}

static bool refuse_collection(struct app *app, const char *why)
{
	snprintf(app->collect.result, sizeof app->collect.result, "No collection: %.250s", why);
	app_toast(app, "%s", app->collect.result);
	app_dirty(app, PANEL_VIEW);
	return false;
}

static void ask_collection(struct app *app)
{
	struct collect *c = &app->collect;
	const enum gcs_status status =
	    app->source.ops->query(app->source.self, "gc", 0, NULL, &c->id);
	c->state = status == GCS_OK ? COLLECT_ASKED : COLLECT_IDLE;
	if (status != GCS_OK)
		refuse_collection(
		    app, status == GCS_UNSUPPORTED ? no_collections : gcs_status_text(status));
}

/* The other queries come first. */
static void want_collection(struct app *app)
{
	struct collect *c = &app->collect;
	c->state = COLLECT_WANTED;
	c->connection = app->connection;
	c->agreed = app->program;
	app_toast(app, app->run == GCS_RUNNING ? "Collecting garbage \xe2\x80\xa6"
					       : "Garbage is collected when the program resumes");
	app_dirty(app, PANEL_VIEW);
	collect_poll(app);
}

bool collect_command(struct app *app, const char *argument)
{
	const char *why = collect_refusal(app);
	const bool now = argument != NULL && strcmp(argument, "now") == 0;
	if (why != NULL)
		return refuse_collection(app, why);
	if (argument != NULL && !now) {
		app_toast(app, "collect %.80s: expected now, or nothing", argument);
		return false;
	}
	if (collect_is_awaited(app)) {
		app_toast(app, "The program is about to collect garbage");
		return true;
	}
	if (now || app->collect.agreed == app->program)
		want_collection(app);
	else
		app_open_modal(app, MODAL_COLLECT);
	return true;
}

/* The answer has a line key=value for each figure. */
static void take_collection(struct app *app, const struct gcs_answer *answer)
{
	uint64_t number, ns;
	char body[200], time[48];
	if (answer->status == GCS_CLOSED)
		return;
	snprintf(body, sizeof body, "%.*s", (int)(answer->length < 199 ? answer->length : 199),
	    answer->length > 0 ? (const char *)answer->bytes : "");
	if (answer->status != GCS_OK) {
		refuse_collection(app,
		    answer->message[0] != 0 ? answer->message : gcs_status_text(answer->status));
		return;
	}
	if (sscanf(body, "collection=%" SCNu64 "\npause=%" SCNu64, &number, &ns) != 2) {
		refuse_collection(app, "the server's answer is not understood");
		return;
	}
	gcs_format_number(
	    time, sizeof time, ns < INT64_MAX ? (int64_t)ns : INT64_MAX, GCS_NANOSECONDS);
	snprintf(app->collect.result, sizeof app->collect.result,
	    "Collection %" PRIu64 " paused the program for %s", number, time);
	app_toast(app, "%s", app->collect.result);
	app->profiles.fetch.wanted = true; /* it has judged what was new */
	app_dirty(app, PANEL_VIEW);
}

void collect_poll(struct app *app)
{
	struct collect *c = &app->collect;
	if (!collect_is_awaited(app) || app->state != SOURCE_LIVE)
		return;
	if (c->state == COLLECT_WANTED && profiles_may_ask(app))
		ask_collection(app);
	struct gcs_answer *answer =
	    c->state == COLLECT_ASKED ? app->source.ops->answer(app->source.self, c->id) : NULL;
	if (answer == NULL)
		return;
	c->state = COLLECT_IDLE;
	take_collection(app, answer);
	gcs_answer_free(answer);
}

void collect_run(struct app *app, struct cv_rect r)
{
	enum { COLLECT = 1, CANCEL };
	static const char text[] =
	    "The JVM runs a full collection, which pauses the program: the more it keeps alive, "
	    "the "
	    "longer. Afterwards, live means what this collection has spared.";
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	struct cv_rect row = cut_top(&r, ui_px(ui, 28)), buttons = cut_bottom(&r, ui_px(ui, 30));
	if (ui_paints(ui)) {
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], row, TEXT_LEFT, th->text,
		    "Collect garbage now?");
		text_paragraph(ui->cv, ui->fonts->face[FONT_UI], r, th->text, text);
	}
	const int gap = ui_px(ui, 8);
	struct cv_rect ok =
	    cut_right(&buttons, ui_button_width(ui, ICON_NONE, "Collect") + 2 * gap);
	cut_right(&buttons, gap);
	struct cv_rect no = cut_right(&buttons, ui_button_width(ui, ICON_NONE, "Cancel") + gap);
	const bool yes =
	    ui_button(ui, UI_ID(PANEL_MODAL, COLLECT), ok, ICON_NONE, "Collect", BUTTON_PRIMARY);
	if (!ui_button(ui, UI_ID(PANEL_MODAL, CANCEL), no, ICON_NONE, "Cancel", 0) && !yes)
		return;
	app_close_modal(app);
	if (yes)
		collect_command(app, "now");
}
