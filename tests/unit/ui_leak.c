#include "ui_leak.h"

#include <string.h>
#include <time.h>

static void note_area(void *context, uint32_t id, struct cv_rect r)
{
	struct leak_world *w = context;
	if (id == w->wanted)
		w->found = r;
}

void leak_begin(struct leak_world *w, int width, int height)
{
	memset(w, 0, sizeof *w);
	struct app_options options = {
	    .width = width,
	    .height = height,
	    .scale = 100,
	    .make_fonts = fonts_block,
	    .opener = {.open = source_open, .context = &w->replay.source},
	    .sample_path = LEAK_PATH,
	    .guided = true,
	};
	struct gcs_error err = {.text = ""};
	world_must(app_init(&w->replay.app, &options, &err), err.text);
	w->replay.app.ui.area = note_area;
	w->replay.app.ui.area_context = w;
	app_frame(&w->replay.app);
}

void leak_settle(struct leak_world *w)
{
	struct app *app = &w->replay.app;
	for (int i = 0; i < 20000; i++) {
		world_must(replay_run(&w->replay, "wait live\n"), "live");
		if (app->replay.whole && app->guided_to == app->connection &&
		    time_figures_settled(NULL, app)) {
			/* Toasts pass. */
			app->now_ms += TOAST_MS + 1;
			app_tick(app);
			app_frame(app);
			return;
		}
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	world_must(false, "figures within their time");
}

void figures_wait(struct app *app)
{
	for (int i = 0; i < 20000 && !time_figures_settled(NULL, app); i++) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		app_poll(app);
	}
	world_must(time_figures_settled(NULL, app), "figures within their time");
	app_frame(app);
}

void leak_open(struct leak_world *w, int width, int height)
{
	leak_begin(w, width, height);
	leak_click(w, LEAK_SAMPLE_BUTTON);
	leak_settle(w);
}

void leak_close(struct leak_world *w)
{
	app_fini(&w->replay.app);
}

void leak_pointer(struct leak_world *w, enum ui_event_kind kind, int x, int y)
{
	const struct ui_event ev = {.kind = kind, .x = x, .y = y, .button = 1};
	app_event(&w->replay.app, &ev);
	app_frame(&w->replay.app);
}

struct cv_rect leak_place(struct leak_world *w, uint32_t id)
{
	w->wanted = id;
	w->found = rect_make(0, 0, 0, 0);
	/* Each panel tells its controls when the pointer is on it. */
	for (int panel = 0; panel < PANEL_MODAL && rect_empty(w->found); panel++) {
		const struct cv_rect r = w->replay.app.rect[panel];
		if (!rect_empty(r))
			leak_pointer(w, EV_MOVE, r.x + r.w / 2, r.y + r.h / 2);
	}
	world_must(!rect_empty(w->found), "a control is in sight");
	return w->found;
}

void leak_click_at(struct leak_world *w, int x, int y)
{
	w->clicks++;
	leak_pointer(w, EV_MOVE, x, y);
	leak_pointer(w, EV_DOWN, x, y);
	leak_pointer(w, EV_UP, x, y);
}

void leak_click(struct leak_world *w, uint32_t id)
{
	const struct cv_rect r = leak_place(w, id);
	leak_click_at(w, r.x + r.w / 2, r.y + r.h / 2);
}
