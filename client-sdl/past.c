#include "past.h"

#include <stdio.h>

#include "app.h"

bool past_go_to(struct app *app, uint64_t time_ns)
{
	if (!app->replay.on) {
		app_toast(app, "Only a recording can go back; Ctrl+R makes one");
		return false;
	}
	replay_go_to(app, time_ns);
	return true;
}

uint32_t past_files(const struct app *app, struct past_file *files, uint32_t most)
{
	if (most == 0 || app->source.ops == NULL || !app->source.ops->file)
		return 0;
	files[0] = (struct past_file){.from_ns = 0, .to_ns = UINT64_MAX, .stride = 1};
	snprintf(files[0].path, sizeof files[0].path, "%s", app->address);
	return 1;
}

static void changed(struct app *app)
{
	app_dirty(app, PANEL_TIMELINE);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	app->view_all = true;
}

void past_choose(struct app *app, uint64_t from_ns, uint64_t to_ns)
{
	bool turned = to_ns < from_ns;
	app->range = (struct past_range){
	    .on = true, .from_ns = turned ? to_ns : from_ns, .to_ns = turned ? from_ns : to_ns};
	changed(app);
}

void past_choose_all(struct app *app)
{
	if (!app->range.on)
		return;
	app->range.on = false;
	changed(app);
}
