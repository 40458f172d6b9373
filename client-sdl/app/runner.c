#include "runner.h"

#include <stdio.h>
#include <string.h>

#include "png.h"

bool runner_start(struct runner *run, const struct cli *cli, struct gcs_error *err)
{
	run->cli = cli;
	run->exit_code = 0;
	run->scripted = cli->script != NULL;
	run->exit_code = 2;
	if (run->scripted && !script_load(&run->script, cli->script, err))
		return false;
	run->app.pause_at_start = cli->pause;
	if (cli->address != NULL && !app_connect(&run->app, cli->address)) {
		const enum gcs_status status = run->app.why.status;
		run->exit_code = status == GCS_OK || status == GCS_ARGUMENT ? 2 : 1;
		gcs_fail(err, GCS_ARGUMENT, "%s", run->app.toast);
		return false;
	}
	/* A recording that opens at a given place stays there. */
	if (cli->at != NULL || cli->play)
		run->app.guided_to = run->app.connection;
	run->exit_code = 0;
	return true;
}

void runner_fini(struct runner *run)
{
	script_fini(&run->script);
	app_fini(&run->app);
}

static void complain(struct runner *run, const char *text)
{
	struct textbuf line = {0};
	textbuf_printf(&line, "gcspy-view: %s\n", text);
	fputs(textbuf_text(&line), stderr);
	textbuf_fini(&line);
	run->exit_code = 1;
}

/* No such event: writes nothing rather than another event. */
static void misplaced(struct runner *run, const char *why)
{
	char text[400];
	snprintf(text, sizeof text, "--at %.100s: %s", run->cli->at, why);
	complain(run, text);
	run->misplaced = run->app.quit = true;
}

/* While a file's index is being read: its timeline and the places of its events are not complete. */
static bool is_reading(const struct app *app)
{
	const bool file = app->source.ops != NULL && app->source.ops->headers != NULL;
	return file && (!app->replay.on || !app->replay.whole);
}

/* True once a recording is at the place that the arguments name; its events must be known first. */
static bool is_there(struct runner *run)
{
	struct app *app = &run->app;
	const char *at = run->cli->at;
	if (at == NULL || app->state == SOURCE_LOST)
		return true;
	/* The first snapshot of a file may arrive before its place is known. */
	if (app->snapshot == NULL || is_reading(app))
		return false;
	if (!app->replay.on) {
		misplaced(run, "only recordings have earlier events");
		return false;
	}
	if (!run->sought) {
		run->sought = true;
		run->seen = app->stats.snapshots;
		if (!app_command(app, COMMAND_seek, at)) {
			const char *words = strstr(app->toast, ": ");
			misplaced(run, words != NULL ? words + 2 : app->toast);
			return false;
		}
		const struct overview *o = event_history_overview(app);
		uint64_t wanted = 0;
		event_history_place(app, at, &wanted);
		const uint32_t i = overview_find(o, wanted + 1);
		run->seek_ns = i > 0 ? o->at[i - 1].time_ns : 0;
	}
	/* A seek shows a snapshot, also of where it already is. One that plays may show others first. */
	return app->stats.snapshots > run->seen &&
	       (!run->cli->play || event_history_shown_ns(app) >= run->seek_ns) &&
	       gcs_snapshot_occurrence(app->snapshot)->time_ns == event_history_shown_ns(app);
}

/* Without a user, a run ends with its task or with its connection. */
static bool task_is_over(struct runner *run)
{
	const struct cli *cli = run->cli;
	struct app *app = &run->app;
	bool unattended = cli->events > 0 || cli->screenshot != NULL || cli->dump;
	if (run->scripted || !unattended)
		return false;
	if (cli->events > 0 ? app->events >= cli->events
			    : app->snapshot != NULL && !is_reading(app))
		return !cli->dump || app->state != SOURCE_LIVE || dump_ready(app, cli->dump_kind);
	if (app->state == SOURCE_LOST) {
		complain(run, app->why.text);
		return true;
	}
	if (app->state == SOURCE_NONE && cli->address == NULL)
		return cli->events == 0;
	return false;
}

bool runner_turn(struct runner *run, uint64_t now_ms)
{
	struct app *app = &run->app;
	app->now_ms = now_ms;
	app_tick(app);
	app_poll(app);
	if (!is_there(run))
		return !app->quit;
	if (run->scripted) {
		enum script_state state = script_run(&run->script, app);
		if (state == SCRIPT_FAILED) {
			complain(run, run->script.failure);
			return false;
		}
		/* A finished script leaves the window to the user, if there is one. */
		if (state == SCRIPT_DONE && run->cli->present == CLI_PRESENT_NONE)
			return false;
	}
	return !app->quit && !task_is_over(run);
}

int runner_wait_ms(const struct runner *run)
{
	int a = app_wait_ms(&run->app);
	int b = run->scripted ? script_wait_ms(&run->script, &run->app) : -1;
	if (a < 0)
		return b;
	return b >= 0 && b < a ? b : a;
}

int runner_finish(struct runner *run)
{
	struct app *app = &run->app;
	if (run->misplaced)
		return run->exit_code;
	app_frame(app);
	if (run->cli->screenshot != NULL) {
		struct gcs_error err;
		if (png_write(run->cli->screenshot, app->cv.px, app->cv.w, app->cv.h, &err) !=
		    GCS_OK)
			complain(run, err.text);
	}
	if (run->cli->dump) {
		struct textbuf out = {0};
		if (!dump_text(app, run->cli->dump_kind, &out))
			complain(run, app->toast);
		else if (fputs(textbuf_text(&out), stdout) < 0 || fflush(stdout) != 0)
			complain(run, "cannot write to standard output");
		textbuf_fini(&out);
	}
	return run->exit_code;
}
