#include "ui_folder.h"
#include "ui_replay.h"

#include <gcspy/memory.h>
#include <gcspy/trace.h>
#include <gcspy/trigger.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "script.h"
#include "ui_profile.h"

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

static void write_live(struct gcs_trace_writer *writer, struct gcs_profile *p)
{
	void *bytes;
	size_t length;
	world_must(gcs_profile_encode(p, &bytes, &length, NULL) == GCS_OK, "profile");
	world_must(gcs_trace_write_profile(writer, bytes, length, NULL) == GCS_OK, "write");
	gcs_profile_free(p);
	gcs_free(bytes);
}

static void write_profile(struct gcs_trace_writer *writer)
{
	write_live(writer, profile_shop(GCS_PROFILE_LIVE, 0));
}

/* As at the beginning of sampling: nothing has been judged. */
static void write_new(struct gcs_trace_writer *writer)
{
	struct gcs_profile *p = profile_empty(GCS_PROFILE_LIVE, 512 << 10);
	profile_add_new(p, 3);
	write_live(writer, p);
}

/* As if the writer had been killed: the file as it is now, without its end. */
static void keep_unfinished(struct gcs_trace_writer *writer, const char *path)
{
	static char bytes[1 << 20];
	world_must(gcs_trace_flush(writer, true, NULL) == GCS_OK, "flush");
	FILE *f = fopen(path, "rb");
	size_t n = f != NULL ? fread(bytes, 1, sizeof bytes, f) : 0;
	world_must(f != NULL && n > 0 && fclose(f) == 0, path);
	world_must(gcs_trace_finish(writer, NULL) == GCS_OK, "finish");
	f = fopen(path, "wb");
	world_must(f != NULL && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, path);
}

static void fire(struct gcs_snapshot *snapshot)
{
	const struct gcs_fired fired = {.trigger = "long",
	    .condition = "pause > 2ms",
	    .plugin = "stack",
	    .actions = GCS_TRIGGER_PAUSE | GCS_TRIGGER_KEEP};
	world_must(gcs_snapshot_add_fired(snapshot, &fired), "fired");
}

/* An answer of the plugin `paths` that is recorded; bytes NULL: none. */
struct recorded_paths {
	uint32_t at;
	const void *bytes;
	size_t length;
};

static void write_paths(struct gcs_trace_writer *writer, const struct recorded_paths *paths)
{
	const struct gcs_trace_answer answer = {
	    .plugin = "paths", .message = "", .bytes = paths->bytes, .length = paths->length};
	world_must(gcs_trace_write_answer(writer, &answer, NULL) == GCS_OK, "answer");
}

static void record(struct replay_world *w, uint32_t events, uint32_t profile_every,
    uint32_t fired_every, const struct recorded_paths *paths, bool new_first, bool finish)
{
	memset(w, 0, sizeof *w);
	struct gcs_error err = {.text = ""};
	folder_open(w->folder, sizeof w->folder, "play");
	snprintf(w->path, sizeof w->path, "%s/run.gcspy", w->folder);
	const struct gcs_trace_options options = {.path = w->path, .replace = true};
	struct gcs_trace_writer *writer = gcs_trace_create(&options, &err);
	world_must(writer != NULL, err.text);
	struct gcs_model *model = world_model();
	struct gcs_snapshot *last = NULL;
	for (uint32_t i = 0; i < events; i++) {
		struct gcs_snapshot *s = world_snapshot(model, last, i);
		gcs_snapshot_unref(last);
		last = s;
		if (fired_every != 0 && i % fired_every == fired_every - 1)
			fire(s);
		world_must(gcs_trace_write(writer, s, &err) == GCS_OK, err.text);
		/* Small chunks, so that damage leaves something. */
		if (i % 20 == 19)
			gcs_trace_flush(writer, true, NULL);
		if (new_first && i == 2)
			write_new(writer);
		if (profile_every != 0 && i % profile_every == profile_every - 1)
			write_profile(writer);
		if (paths != NULL && i == paths->at)
			write_paths(writer, paths);
	}
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
	if (finish)
		world_must(gcs_trace_finish(writer, &err) == GCS_OK, err.text);
	else
		keep_unfinished(writer, w->path);
}

void replay_record(struct replay_world *w, uint32_t events, uint32_t profile_every, bool finish)
{
	record(w, events, profile_every, 0, NULL, false, finish);
}

void replay_record_late(struct replay_world *w, uint32_t events)
{
	record(w, events, events, 0, NULL, true, true);
}

void replay_record_paths(
    struct replay_world *w, uint32_t events, uint32_t at, const void *answer, size_t length)
{
	record(w, events, 5, 0, &(struct recorded_paths){at, answer, length}, false, true);
}

void replay_record_fired(struct replay_world *w, uint32_t events, uint32_t fired_every)
{
	record(w, events, 0, fired_every, NULL, false, true);
}

static void put_text(void *context, const char *text)
{
	struct replay_world *w = context;
	snprintf(w->clipboard, sizeof w->clipboard, "%s", text);
}

static void get_text(void *context, char *text, size_t size)
{
	struct replay_world *w = context;
	snprintf(text, size, "%s", w->clipboard);
}

bool replay_run(struct replay_world *w, const char *text)
{
	struct script script;
	struct gcs_error err = {.text = ""};
	enum script_state state;
	world_must(script_init(&script, "test", text, &err), err.text);
	do {
		w->app.now_ms = now_ms();
		app_tick(&w->app);
		app_poll(&w->app);
		state = script_run(&script, &w->app);
		app_frame(&w->app);
		if (state == SCRIPT_RUNNING)
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	} while (state == SCRIPT_RUNNING);
	if (state == SCRIPT_FAILED)
		fprintf(stderr, "%s\n", script.failure);
	script_fini(&script);
	return state == SCRIPT_DONE;
}

void replay_begin(struct replay_world *w, int width, int height)
{
	world_must(setenv("TZ", "UTC", 1) == 0, "setenv");
	tzset();
	struct app_options options = {
	    .width = width,
	    .height = height,
	    .scale = 100,
	    .make_fonts = fonts_block,
	    .opener = {.open = source_open, .context = &w->source},
	    .clipboard = {.put = put_text, .get = get_text, .context = w},
	};
	struct gcs_error err = {.text = ""};
	world_must(app_init(&w->app, &options, &err), err.text);
	w->app.now_ms = now_ms();
	world_must(app_connect(&w->app, w->path), w->app.toast);
}

void replay_open(struct replay_world *w, int width, int height)
{
	replay_begin(w, width, height);
	world_must(replay_run(w, "wait strip\nfirst_event\nwait place 1\n"), "the first event");
}

void replay_fini(struct replay_world *w)
{
	app_fini(&w->app);
	folder_close();
}

bool replay_says(struct replay_world *w, const char *what)
{
	return window_says(&w->app, what);
}
