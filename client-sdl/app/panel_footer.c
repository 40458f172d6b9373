/* The bar at the bottom: pause and step, connection state, connect. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "layout.h"

enum { PAUSE = 1, STEP, CONNECT, RECONNECT, HELP, LIVE, SAVE };

static void describe_lost(const struct app *app, const char *server, char *text, size_t size)
{
	const bool tries = app->retry_at_ms != 0 || app->state == SOURCE_CONNECTING;
	char when[16] = "";
	struct tm local;
	if (localtime_r(&app->lost_at, &local) != NULL)
		strftime(when, sizeof when, "%H:%M:%S", &local);
	if (app->ended && app->snapshot != NULL)
		snprintf(
		    text, size, "Ended at %s \xc2\xb7 %s \xc2\xb7 last snapshot", when, server);
	else
		snprintf(text, size, "Connection lost%s%s%s%s%s", tries ? ", retrying" : " at ",
		    tries ? "" : when, app->snapshot != NULL ? " \xc2\xb7 last snapshot" : "",
		    app->why.text[0] != 0 ? " \xc2\xb7 " : "", app->why.text);
}

/* "Live", and for how long no event has come. */
static void describe_running(const struct app *app, char *text, size_t size)
{
	char time[48];
	const uint64_t ms = app_silent_ms(app);
	if (ms < 60000)
		snprintf(time, sizeof time, "%u s", (unsigned)(ms / 1000));
	else
		snprintf(time, sizeof time, "%u min", (unsigned)(ms / 60000));
	snprintf(text, size, ms > 0 ? "Live \xc2\xb7 no event for %s" : "Live", time);
}

/* The sentence about what is shown and its colour. */
static uint32_t describe_shown(const struct app *app, char *text, size_t size)
{
	const struct theme *th = app->ui.theme;
	const struct gcs_model *model = app_model(app);
	const char *server = model != NULL ? model->server_name : "";
	char others[48] = "", live[64];
	if (app->run_others > 0)
		snprintf(
		    others, sizeof others, " \xc2\xb7 also paused by %u more", app->run_others);
	if (app->event_history.back) {
		event_history_summary(app, text, size);
		return app->state == SOURCE_LOST ? th->bad : th->warn;
	}
	switch (app->state) {
	case SOURCE_NONE:
		snprintf(text, size, "Not connected%s",
		    app->snapshot != NULL ? " \xc2\xb7 last snapshot" : "");
		return th->weak;
	case SOURCE_CONNECTING:
		if (app->source.ops->file) {
			snprintf(text, size, "Opening %.500s \xe2\x80\xa6", app->address);
			return th->warn;
		}
		if (app->retries) { /* the reason stays visible */
			describe_lost(app, server, text, size);
			return th->bad;
		}
		snprintf(text, size, "Connecting to %.500s \xe2\x80\xa6", app->address);
		return th->warn;
	case SOURCE_LOST:
		if (app->source.ops->file)
			snprintf(text, size, "Cannot open \xc2\xb7 %s", app->why.text);
		else
			describe_lost(app, server, text, size);
		return app->ended ? th->warn : th->bad;
	case SOURCE_LIVE:
		break;
	}
	if (app->replay.on) {
		replay_text(app, text, size);
		return replay_plays(app) ? th->good : th->warn;
	}
	describe_running(app, live, sizeof live);
	const char *const run[] = {
	    [GCS_RUNNING] = live,
	    [GCS_PAUSING] = "Pausing at the next event",
	    [GCS_PAUSED] = "Paused",
	};
	snprintf(text, size, "%s%s \xc2\xb7 %s%s%.300s", run[app->run], others, server,
	    *server != 0 ? " \xc2\xb7 " : "", app->address);
	return app->run == GCS_RUNNING ? th->good : th->warn;
}

/* The same after what is known of a connection that is to replace it. */
static uint32_t describe(const struct app *app, char *text, size_t size)
{
	const struct theme *th = app->ui.theme;
	pending_connection_text(app, text, size);
	const size_t n = strlen(text);
	if (n == 0)
		return describe_shown(app, text, size);
	snprintf(text + n, size - n, " \xc2\xb7 still showing: ");
	describe_shown(app, text + strlen(text), size - strlen(text));
	return app->pending_connection.why[0] != 0 ? th->bad : th->warn;
}

/* At the right end: a red dot, and what is being recorded. */
static void run_record_mark(struct app *app, struct cv_rect *r)
{
	struct ui *ui = &app->ui;
	char text[160];
	record_text(app, text, sizeof text);
	if (text[0] == 0 || !ui_paints(ui))
		return;
	struct font *font = ui->fonts->face[FONT_UI];
	int size = ui_px(ui, 10);
	int w = text_width(font, text);
	struct cv_rect words = cut_right(r, w < r->w / 2 ? w : r->w / 2);
	struct cv_rect dot = cut_right(r, size + ui_px(ui, 8));
	cut_right(r, ui_px(ui, 12));
	dot = rect_make(dot.x, dot.y + (dot.h - size) / 2, size, size);
	cv_round(ui->cv, dot, size / 2, ui->theme->bad);
	text_in(ui->cv, font, words, TEXT_LEFT, ui->theme->text, text);
}

static void paint_state(struct app *app, struct cv_rect r, uint32_t colour)
{
	struct ui *ui = &app->ui;
	int size = ui_px(ui, 10);
	struct cv_rect dot = rect_make(r.x, r.y + (r.h - size) / 2, size, size);
	bool stands = app->replay.on ? !replay_plays(app) : app->run != GCS_RUNNING;
	if (app->event_history.back)
		cv_arrow(ui->cv, dot, -1, colour);
	else if (app->state == SOURCE_LIVE && stands)
		ui_icon(ui, ICON_PAUSE, dot, colour);
	else if (app->state == SOURCE_LIVE)
		cv_round(ui->cv, dot, size / 2, colour);
	else if (app->state == SOURCE_LOST)
		cv_fill(ui->cv, rect_make(dot.x, dot.y + size / 2 - 1, size, ui_px(ui, 3)), colour);
	else
		cv_round_frame(ui->cv, dot, size / 2, ui_px(ui, 2), colour);
}

/* A button for a command; its tooltip has the help and the key. */
static bool button(struct app *app, struct cv_rect *r, bool right, int id, enum command_id command,
    enum ui_icon icon, const char *label, unsigned flags)
{
	struct ui *ui = &app->ui;
	int w = ui_button_width(ui, icon, label);
	struct cv_rect b = right ? cut_right(r, w) : cut_left(r, w);
	if (right)
		cut_right(r, ui_px(ui, 8));
	else
		cut_left(r, ui_px(ui, 8));
	bool clicked = ui_button(ui, UI_ID(PANEL_FOOTER, id), b, icon, label, flags);
	const struct command *c = command_at(command);
	char tip[256];
	snprintf(tip, sizeof tip, "%s\nKey\t%.*s", c->help, (int)strcspn(c->keys, " "), c->keys);
	ui_tip(ui, UI_ID(PANEL_FOOTER, id), b, tip);
	return clicked;
}

void footer_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	bool live = app->state == SOURCE_LIVE;
	if (ui_paints(ui))
		cv_hline(ui->cv, r.x, r.y, r.w, ui->theme->line);
	r = rect_inset(r, ui_px(ui, 6));
	cut_left(&r, ui_px(ui, 10));
	cut_right(&r, ui_px(ui, 10));
	bool back = app->event_history.back;
	bool running = back             ? app->event_history.plays
		       : app->replay.on ? replay_plays(app)
					: app->run == GCS_RUNNING;
	if (button(app, &r, false, PAUSE, COMMAND_pause_resume, running ? ICON_PAUSE : ICON_PLAY,
		running                  ? back ? "Pause" : "Pause"
		: app->replay.on || back ? "Play"
					 : "Resume",
		live || back ? 0 : BUTTON_OFF))
		app_command(app, COMMAND_pause_resume, NULL);
	if (button(app, &r, false, STEP, COMMAND_step, ICON_STEP, "Step",
		live || back ? 0 : BUTTON_OFF))
		app_command(app, COMMAND_step, NULL);
	if (back && button(app, &r, false, LIVE, COMMAND_live, ICON_NONE, "Live", BUTTON_PRIMARY))
		app_command(app, COMMAND_live, NULL);
	if (button(app, &r, true, HELP, COMMAND_help, ICON_NONE, "?", 0))
		app_command(app, COMMAND_help, NULL);
	bool wide = r.w > ui_px(ui, 420);
	if (wide &&
	    button(app, &r, true, CONNECT, COMMAND_connect, ICON_NONE, "Connect \xe2\x80\xa6", 0))
		app_command(app, COMMAND_connect, NULL);
	const bool tries = app->pending_connection.address[0] != 0 || app->retry_at_ms != 0 ||
			   (app->retries && app->state == SOURCE_CONNECTING);
	bool busy = live || app->state == SOURCE_CONNECTING || tries;
	const char *leave = tries ? "Stop" : live && app->source.ops->file ? "Close" : "Disconnect";
	if (wide && app->address[0] != 0 &&
	    button(app, &r, true, RECONNECT, busy ? COMMAND_disconnect : COMMAND_reconnect,
		ICON_NONE, busy ? leave : "Reconnect", 0)) {
		app_command(app, busy ? COMMAND_disconnect : COMMAND_reconnect, NULL);
	}
	if (wide && record_can_save(app) &&
	    button(app, &r, true, SAVE, COMMAND_record, ICON_NONE, "Save recording", 0))
		app_command(app, COMMAND_record, NULL);
	cut_left(&r, ui_px(ui, 8));
	run_record_mark(app, &r);
	char text[1024];
	uint32_t colour = describe(app, text, sizeof text);
	if (ui_paints(ui)) {
		paint_state(app, r, colour);
		cut_left(&r, ui_px(ui, 18));
		text_in(ui->cv, ui->fonts->face[FONT_UI], r, TEXT_LEFT, ui->theme->text, text);
	}
}

void footer_text(struct app *app, struct textbuf *out)
{
	char text[1024];
	describe(app, text, sizeof text);
	textbuf_printf(out, "%s\n", text);
	record_text(app, text, sizeof text);
	if (text[0] != 0)
		textbuf_printf(out, "%s\n", text);
}
