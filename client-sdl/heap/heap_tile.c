#include "heap_tile.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>

#include "layout.h"
#include "side.h"
#include "sites_view.h"

void heap_tile_init(struct heap_tile *tile)
{
	*tile = (struct heap_tile){0};
	tile->of.space = tile->answer.of.space = GCS_NONE;
	for (int i = 0; i < HEAP_TILE_KEPT; i++)
		tile->kept[i].of.space = GCS_NONE;
}

static bool is_same(struct tile_ref a, struct tile_ref b)
{
	return a.space == b.space && (a.space == GCS_NONE || a.tile == b.tile);
}

/* Identifies the heap that is shown, while the connection is the same. */
static uint64_t shown_event(const struct app *app)
{
	return profiles_are_whole(app) ? event_history_shown_ns(app) : app->events;
}

/* The cached sites of a tile at the shown event. */
static const struct heap_tile_sites *find_kept(
    const struct heap_tile *t, const struct app *app, struct tile_ref of)
{
	for (int i = 0; i < HEAP_TILE_KEPT && t->connection == app->connection; i++)
		if (t->kept[i].of.space != GCS_NONE && is_same(t->kept[i].of, of) &&
		    t->kept[i].event == shown_event(app))
			return &t->kept[i];
	return NULL;
}

static bool is_awaited(const struct heap_tile *t, const struct app *app)
{
	return t->waiting && t->connection == app->connection;
}

static struct tile_ref in_focus(const struct app *app)
{
	return app->hovered.space != GCS_NONE ? app->hovered : app->selected;
}

static bool can_ask(const struct app *app, bool quiet)
{
	char where[PROFILES_WHERE];
	return !quiet && app->view_id == VIEW_HEAP && app_can_ask(app) && profiles_may_ask(app) &&
	       app_place_of(app, in_focus(app), where, sizeof where) == NULL;
}

uint64_t heap_tile_due_ms(const struct heap_tile *t, const struct app *app, bool quiet)
{
	struct tile_ref now = in_focus(app);
	if (quiet)
		return UINT64_MAX;
	if (!is_same(now, t->of))
		return app->now_ms; /* to note the time */
	if (is_awaited(t, app) && !t->late)
		return t->since_ms + HEAP_TILE_ASKING_MS;
	if (now.space == GCS_NONE || !can_ask(app, quiet))
		return UINT64_MAX;
	if (!t->asked || t->connection != app->connection)
		return t->since_ms + HEAP_TILE_PAUSE_MS;
	/* The sites are the same until the next event. */
	if (t->asked_event == shown_event(app))
		return UINT64_MAX;
	return t->asked_ms + (profiles_are_whole(app) ? HEAP_TILE_ASKING_MS : HEAP_TILE_REFRESH_MS);
}

void heap_tile_tick(struct heap_tile *t, struct app *app, bool quiet)
{
	struct tile_ref now = in_focus(app);
	if (!is_same(now, t->of)) {
		t->of = now;
		t->since_ms = app->now_ms;
		t->asked = false;
		app_dirty(app, PANEL_SIDE);
		/* The selected tile is always queried: its sites are marked in other views. */
		const struct heap_tile_sites *kept =
		    is_same(now, app->selected) ? NULL : find_kept(t, app, now);
		if (kept != NULL) {
			t->answer = *kept;
			t->asked = true;
			t->asked_ms = app->now_ms;
			t->asked_event = kept->event;
		}
	}
	if (is_awaited(t, app) && app->now_ms >= t->since_ms + HEAP_TILE_ASKING_MS && !t->late) {
		t->late = true;
		app_dirty(app, PANEL_SIDE);
	}
	if (app->selected.space == GCS_NONE)
		profiles_set_tile(app, NULL);
	if (now.space == GCS_NONE || !can_ask(app, quiet) ||
	    heap_tile_due_ms(t, app, quiet) > app->now_ms)
		return;
	for (int i = 0; i < HEAP_TILE_KEPT && t->connection != app->connection; i++)
		t->kept[i].of.space = GCS_NONE;
	app_place_of(app, now, t->asked_where, sizeof t->asked_where);
	enum gcs_status status = profiles_ask(
	    app, GCS_PROFILE_LIVE, profiles_are_whole(app) ? "" : t->asked_where, &t->id);
	t->waiting = status == GCS_OK;
	t->asked = true;
	t->asked_ms = app->now_ms;
	t->asked_event = shown_event(app);
	t->asked_of = now;
	t->asked_selected = is_same(now, app->selected);
	t->late = false;
	t->connection = app->connection;
}

/* The largest sites of the profile. */
static void put_rows(
    struct heap_tile_sites *t, const struct gcs_profile *profile, const struct profiles *p)
{
	const struct gcs_site_filter filter = {
	    .all_frames = p->runtime_frame, .libraries = p->libraries.prefix};
	struct gcs_sites *sites = gcs_sites_create(profile, &filter, NULL);
	t->count = sites != NULL ? gcs_sites_count(sites) : 0;
	for (; t->rows < HEAP_TILE_SITES && t->rows < t->count; t->rows++) {
		const struct gcs_site *site = gcs_sites_at(sites, t->rows);
		sites_put_title(t->row[t->rows].name, sizeof t->row->name, sites, site, " ");
		sites_put_share(t->row[t->rows].share, sizeof t->row->share, site->bytes,
		    gcs_sites_total(sites)->bytes);
		char own[sizeof t->row->own - 5];
		if (sites_put_own(own, sizeof own, sites, site)[0] != 0)
			snprintf(t->row[t->rows].own, sizeof t->row->own, "from %s", own);
	}
	gcs_sites_free(sites);
}

static void take(struct heap_tile *t, struct app *app, const struct gcs_answer *answer)
{
	struct gcs_profile *profile = NULL;
	t->answer = (struct heap_tile_sites){.of.space = GCS_NONE, .event = t->asked_event};
	struct gcs_error err = {.text = ""};
	const bool whole = profiles_are_whole(app);
	if (answer->status == GCS_OK && answer->length <= HEAP_TILE_MOST_BYTES)
		profile = gcs_profile_decode(answer->bytes, answer->length, NULL);
	if (profile == NULL && whole)
		gcs_fail(&err, GCS_STATE,
		    answer->status == GCS_OK ? "The profile here is large: C searches it."
					     : "No profile was recorded up to here.");
	if (profile != NULL && whole)
		profile = profiles_of_place(app, profile, t->asked_where, &err);
	if (profile != NULL || err.text[0] != 0) {
		t->answer.of = t->asked_of;
		snprintf(t->answer.why, sizeof t->answer.why, "%.159s", err.text);
	}
	if (profile != NULL)
		put_rows(&t->answer, profile, &app->profiles);
	if (t->answer.of.space != GCS_NONE)
		t->kept[t->next++ % HEAP_TILE_KEPT] = t->answer;
	struct shared_profile *shared = shared_profile_new(profile);
	if (t->asked_selected && is_same(t->asked_of, app->selected))
		profiles_set_tile(app, shared);
	shared_profile_unref(shared);
	app_dirty(app, PANEL_SIDE);
}

void heap_tile_poll(struct heap_tile *t, struct app *app)
{
	if (!is_awaited(t, app))
		return;
	struct gcs_answer *answer = app_answer(app, t->id);
	if (answer == NULL)
		return;
	t->waiting = false;
	if (answer->status != GCS_CLOSED)
		take(t, app, answer);
	gcs_answer_free(answer);
}

/* True if the answer is about the tile in focus. */
static bool is_answered(const struct heap_tile *t, const struct app *app)
{
	return t->answer.of.space != GCS_NONE && is_same(t->answer.of, in_focus(app)) &&
	       t->connection == app->connection && app->snapshot != NULL &&
	       (!profiles_are_whole(app) || t->answer.event == shown_event(app));
}

static bool is_there(const struct app *app, struct tile_ref of)
{
	return app_space(app, of.space) != NULL &&
	       of.tile < gcs_snapshot_tiles(app->snapshot, of.space);
}

/* Shows the previous tile's sites until the answer is late, so that the panel does not flicker while
 * the pointer moves. */
static bool is_shown(const struct heap_tile *t, const struct app *app)
{
	const struct tile_ref now = in_focus(app);
	const bool soon = now.space != GCS_NONE && is_same(now, t->of) &&
			  app->now_ms < t->since_ms + HEAP_TILE_ASKING_MS;
	return is_answered(t, app) ||
	       (soon && t->answer.of.space != GCS_NONE && t->connection == app->connection &&
		   is_there(app, t->answer.of));
}

static bool is_late(const struct heap_tile *t, const struct app *app)
{
	return is_awaited(t, app) && is_same(t->asked_of, in_focus(app)) &&
	       is_there(app, t->asked_of) && app->now_ms >= t->since_ms + HEAP_TILE_ASKING_MS;
}

static void put_more(const struct heap_tile_sites *t, char *text, size_t size)
{
	char count[32];
	snprintf(text, size, "%s", t->why);
	if (t->why[0] == 0 && t->count == 0)
		snprintf(text, size, "No live samples in this tile.");
	else if (t->count > t->rows)
		snprintf(text, size, "%s more; C shows all",
		    sites_put_count(count, sizeof count, t->count - t->rows));
}

void heap_tile_side(const struct heap_tile *t, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	char name[200], more[160] = "Loading \xe2\x80\xa6";
	const bool shown = is_shown(t, app);
	if (!shown && !is_late(t, app))
		return;
	const struct tile_ref of = shown ? t->answer.of : t->asked_of;
	gcs_format_tile_name(name, sizeof name, app->snapshot, of.space, of.tile);
	side_section(app, column, "Call sites in this tile", name);
	for (uint32_t i = 0; shown && i < t->answer.rows; i++) {
		side_row(app, column, t->answer.row[i].name, t->answer.row[i].share, false);
		if (t->answer.row[i].own[0] != 0)
			side_paragraph(
			    app, column, FONT_SMALL, ui->theme->weak, 4, t->answer.row[i].own);
	}
	if (shown)
		put_more(&t->answer, more, sizeof more);
	if (more[0] != 0)
		side_paragraph(app, column, FONT_SMALL, ui->theme->weak, 4, more);
}

void heap_tile_text(const struct heap_tile *t, const struct app *app, struct textbuf *out)
{
	char more[160];
	if (is_late(t, app) && !is_answered(t, app))
		textbuf_puts(out, "sites in tile\tLoading \xe2\x80\xa6\n");
	if (!is_answered(t, app))
		return;
	for (uint32_t i = 0; i < t->answer.rows; i++)
		textbuf_printf(out, "site in tile\t%s\t%s%s%s\n", t->answer.row[i].name,
		    t->answer.row[i].share, t->answer.row[i].own[0] != 0 ? "\t" : "",
		    t->answer.row[i].own);
	put_more(&t->answer, more, sizeof more);
	if (more[0] != 0)
		textbuf_printf(out, "sites in tile\t%s\n", more);
}
