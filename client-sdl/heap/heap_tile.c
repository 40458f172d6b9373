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
	tile->of.space = tile->told_of.space = GCS_NONE;
}

static bool is_same(struct tile_ref a, struct tile_ref b)
{
	return a.space == b.space && (a.space == GCS_NONE || a.tile == b.tile);
}

static struct tile_ref looked_at(const struct app *app)
{
	return app->hovered.space != GCS_NONE ? app->hovered : app->selected;
}

static bool can_ask(const struct app *app, bool quiet)
{
	char where[PROFILES_WHERE];
	return !quiet && app->view_id == VIEW_HEAP && !app->past.back &&
	       app->state == SOURCE_LIVE && app->source.ops->query != NULL &&
	       profiles_may_ask(app) &&
	       app_place_of(app, looked_at(app), where, sizeof where) == NULL;
}

uint64_t heap_tile_due_ms(const struct heap_tile *t, const struct app *app, bool quiet)
{
	struct tile_ref now = looked_at(app);
	if (quiet)
		return UINT64_MAX;
	if (!is_same(now, t->of))
		return app->now_ms; /* to note since when */
	if (now.space == GCS_NONE || !can_ask(app, quiet))
		return UINT64_MAX;
	if (!t->asked || t->connection != app->connection)
		return t->since_ms + HEAP_TILE_PAUSE_MS;
	/* The same picture has the same sites. */
	return t->asked_events != app->events ? t->asked_ms + HEAP_TILE_REFRESH_MS : UINT64_MAX;
}

void heap_tile_tick(struct heap_tile *t, struct app *app, bool quiet)
{
	struct tile_ref now = looked_at(app);
	char where[PROFILES_WHERE];
	if (!is_same(now, t->of)) {
		t->of = now;
		t->since_ms = app->now_ms;
		t->asked = false;
		app_dirty(app, PANEL_SIDE);
	}
	if (app->selected.space == GCS_NONE)
		profiles_set_tile(app, NULL);
	if (now.space == GCS_NONE || heap_tile_due_ms(t, app, quiet) > app->now_ms)
		return;
	app_place_of(app, now, where, sizeof where);
	enum gcs_status status = profiles_ask(app, GCS_PROFILE_LIVE, where, &t->id);
	t->waiting = status == GCS_OK;
	t->asked = true;
	t->asked_ms = app->now_ms;
	t->asked_events = app->events;
	t->asked_of = now;
	t->asked_selected = is_same(now, app->selected);
	t->connection = app->connection;
}

static void put_row(
    struct heap_tile *t, const struct sites_index *index, const struct sites *sites, uint32_t i)
{
	char class_name[80], frame[80];
	const struct site *site = &sites->site[i];
	const struct gcs_frame *top = sites_top(index, site);
	sites_put_simple(
	    class_name, sizeof class_name, gcs_profile_name(index->profile, site->class_name));
	frame[0] = 0;
	if (top != NULL)
		sites_put_frame(frame, sizeof frame, top);
	snprintf(t->row[t->rows].name, sizeof t->row->name, "%s%s%s", class_name,
	    frame[0] != 0 ? " " : "", frame);
	sites_put_share(t->row[t->rows].share, sizeof t->row->share, site->bytes, sites->all_bytes);
	t->rows++;
}

/* The largest sites of the profile. */
static void put_rows(struct heap_tile *t, const struct gcs_profile *profile, bool plumbing)
{
	struct sites_index index;
	struct sites sites;
	if (!sites_index_init(&index, profile, plumbing))
		return;
	if (sites_init(&sites, &index, NULL)) {
		uint32_t taken[HEAP_TILE_SITES];
		t->count = sites.count;
		while (t->rows < HEAP_TILE_SITES && t->rows < sites.count) {
			uint32_t best = GCS_NONE;
			for (uint32_t i = 0; i < sites.count; i++) {
				bool used = false;
				for (uint32_t k = 0; k < t->rows; k++)
					used = used || taken[k] == i;
				if (!used && (best == GCS_NONE ||
						 sites.site[i].bytes > sites.site[best].bytes))
					best = i;
			}
			taken[t->rows] = best;
			put_row(t, &index, &sites, best);
		}
		sites_fini(&sites);
	}
	sites_index_fini(&index);
}

static void take(struct heap_tile *t, struct app *app, const struct gcs_answer *answer)
{
	struct gcs_profile *profile = NULL;
	t->rows = t->count = 0;
	t->told_of.space = GCS_NONE;
	if (answer->status == GCS_OK && answer->length <= HEAP_TILE_MOST_BYTES)
		profile = gcs_profile_decode(answer->bytes, answer->length, NULL);
	if (profile != NULL) {
		t->told_of = t->asked_of;
		put_rows(t, profile, app->profiles.plumbing);
	}
	struct shared_profile *shared = shared_profile_new(profile);
	if (t->asked_selected && is_same(t->asked_of, app->selected))
		profiles_set_tile(app, shared);
	shared_profile_unref(shared);
	app_dirty(app, PANEL_SIDE);
}

void heap_tile_poll(struct heap_tile *t, struct app *app)
{
	if (!t->waiting || t->connection != app->connection)
		return;
	struct gcs_answer *answer = app_answer(app, t->id);
	if (answer == NULL)
		return;
	t->waiting = false;
	take(t, app, answer);
	gcs_answer_free(answer);
}

/* True when the answer is about the tile that is looked at. */
static bool is_told(const struct heap_tile *t, const struct app *app)
{
	return t->told_of.space != GCS_NONE && is_same(t->told_of, looked_at(app)) &&
	       t->connection == app->connection && app->snapshot != NULL;
}

static void more_words(const struct heap_tile *t, char *text, size_t size)
{
	char count[32];
	text[0] = 0;
	if (t->count == 0)
		snprintf(text, size, "No live samples lie here.");
	else if (t->count > t->rows)
		snprintf(text, size, "%s more, C shows all",
		    sites_put_count(count, sizeof count, t->count - t->rows));
}

void heap_tile_side(const struct heap_tile *t, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	char name[200], more[80];
	if (!is_told(t, app))
		return;
	gcs_format_tile_name(name, sizeof name, app->snapshot, t->told_of.space, t->told_of.tile);
	side_section(app, column, "Call sites in it", name);
	for (uint32_t i = 0; i < t->rows; i++)
		side_row(app, column, t->row[i].name, t->row[i].share, false);
	more_words(t, more, sizeof more);
	if (more[0] != 0)
		ui_label(ui, cut_top(column, ui_px(ui, 20)), TEXT_LEFT, more);
}

void heap_tile_text(const struct heap_tile *t, const struct app *app, struct textbuf *out)
{
	char more[80];
	if (!is_told(t, app))
		return;
	for (uint32_t i = 0; i < t->rows; i++)
		textbuf_printf(out, "site in it\t%s\t%s\n", t->row[i].name, t->row[i].share);
	more_words(t, more, sizeof more);
	if (more[0] != 0)
		textbuf_printf(out, "sites in it\t%s\n", more);
}
