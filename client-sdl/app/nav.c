#include "nav.h"

#include <string.h>

#include "app.h"

static struct nav_place here(const struct app *app)
{
	struct nav_place p = {.view = (int)app->view_id,
	    .space = app->active_space,
	    .stream = GCS_NONE,
	    .tile = GCS_NONE};
	if (p.space < app->space_count)
		p.stream = app->stream_of[p.space];
	if (app->selected.space != GCS_NONE && app->selected.space == p.space)
		p.tile = app->selected.tile;
	return p;
}

static bool same(const struct nav_place *a, const struct nav_place *b)
{
	return a->view == b->view && a->space == b->space && a->stream == b->stream &&
	       a->tile == b->tile;
}

/* Only the tile differs, and the last one was not shown for long. */
static bool passed_by(
    const struct nav *nav, const struct nav_place *a, const struct nav_place *b, uint64_t now_ms)
{
	return a->view == b->view && a->space == b->space && a->stream == b->stream &&
	       a->tile != GCS_NONE && now_ms - nav->since_ms < NAV_JOIN;
}

void nav_note(struct app *app)
{
	struct nav *nav = &app->nav;
	struct nav_place p = here(app);
	if (nav->count > 0 && same(&p, &nav->place[nav->at]))
		return;
	/* The first snapshot is not a step by the user. */
	bool first =
	    nav->count == 1 && nav->place[0].space == GCS_NONE && nav->place[0].view == p.view;
	if (nav->count > 0 && (first || passed_by(nav, &nav->place[nav->at], &p, app->now_ms))) {
		nav->place[nav->at] = p;
		nav->count = nav->at + 1;
	} else {
		if (nav->count > 0 && nav->at == NAV_PLACES - 1) {
			memmove(nav->place, nav->place + 1, sizeof nav->place - sizeof p);
			nav->at--;
		}
		nav->at = nav->count > 0 ? nav->at + 1 : 0;
		nav->place[nav->at] = p;
		nav->count = nav->at + 1;
	}
	nav->since_ms = app->now_ms;
}

static void visit(struct app *app, const struct nav_place *p)
{
	app_set_view(app, (enum view_id)p->view);
	if (!app_shows(app, p->space))
		return;
	if (p->stream != GCS_NONE)
		app_set_stream(app, p->space, p->stream);
	bool tile = p->tile != GCS_NONE && p->tile < gcs_snapshot_tiles(app->snapshot, p->space);
	app_select(app, tile ? p->space : GCS_NONE, tile ? p->tile : 0);
	app_activate(app, p->space);
	app->reveal = app->reveal || tile;
}

bool nav_go(struct app *app, int dir)
{
	struct nav *nav = &app->nav;
	nav_note(app);
	int to = nav->at + dir;
	if (to < 0 || to >= nav->count) {
		app_toast(app, dir < 0 ? "Nothing to go back to" : "Nothing to go forward to");
		return false;
	}
	nav->at = to;
	visit(app, &nav->place[to]);
	/* What no longer exists leaves the place unchanged. */
	nav->place[to] = here(app);
	return true;
}
