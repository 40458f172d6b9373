/* The commands of the view of call sites; declared in sites_view.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sites_view.h"

static uint32_t looked_at(const struct sites_view *view, bool selected)
{
	return selected ? view->table.selected : view->table.hovered;
}

static bool is_same_frame(const struct gcs_frame *a, const struct gcs_frame *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return a->line == b->line && strcmp(a->method, b->method) == 0 &&
	       strcmp(a->class_name, b->class_name) == 0;
}

/* Whether a call site is one of a row's by class, frame or package. */
static bool is_part(const struct sites_view *view, const struct gcs_site *row,
    const struct gcs_frame *row_own, const struct gcs_site *part)
{
	const struct gcs_sites *parts = view->now.parts;
	const struct gcs_frame *own = gcs_sites_own_frame(parts, part);
	if (view->by == GCS_SITES_BY_CLASS)
		return strcmp(part->class_name, row->class_name) == 0;
	if (view->by == GCS_SITES_BY_FRAME)
		return is_same_frame(own, row_own);
	char package[GCS_MAX_TEXT + 1];
	gcs_frame_package(gcs_sites_profile(parts), own, package, sizeof package);
	return strcmp(package, row->class_name) == 0;
}

/* The largest first, as the sites are. */
static uint32_t parts_of(
    const struct sites_view *view, uint32_t row, uint64_t *numbers, char *name, size_t size)
{
	const struct gcs_sites *sites, *parts = view->now.parts;
	const struct gcs_site *site = sites_of_row(view, row, &sites);
	uint32_t count = 0;
	if (parts == NULL || site == NULL || sites != view->now.shown)
		return 0;
	const struct gcs_frame *own = gcs_sites_own_frame(sites, site);
	for (uint32_t i = 0; i < gcs_sites_count(parts); i++) {
		const struct gcs_site *part = gcs_sites_at(parts, i);
		if (!is_part(view, site, own, part))
			continue;
		if (count < PROFILES_KEPT)
			numbers[count] = gcs_site_number(parts, part);
		count++;
	}
	sites_put_group(name, size, view, row);
	return count;
}

uint32_t sites_looked_numbers(
    struct sites_view *view, bool selected, uint64_t *numbers, char *name, size_t size)
{
	const struct gcs_sites *sites;
	const uint32_t row = looked_at(view, selected);
	const struct gcs_site *site = sites_of_row(view, row, &sites);
	if (view->by != GCS_SITES_BY_SITE)
		return parts_of(view, row, numbers, name, size);
	*numbers = sites_number_of_row(view, row);
	if (*numbers != 0)
		sites_put_title(name, size, sites, site, " from ");
	return *numbers != 0;
}

uint64_t sites_look(struct sites_view *view, bool selected)
{
	return sites_key_of_row(view, looked_at(view, selected));
}

static bool command_sort(struct sites_view *view, struct app *app, const char *argument)
{
	if (!profiles_sort(
		app, &view->table, sites_shown_columns(view), SITES_COLUMNS, SITES_SHARE, argument))
		return false;
	sites_sort_by(view, app);
	app_dirty(app, PANEL_VIEW);
	return true;
}

static bool run_sites_command(
    struct sites_view *view, struct app *app, enum command_id id, const char *argument)
{
	switch (id) {
	case COMMAND_sites_sort:
		return command_sort(view, app, argument);
	case COMMAND_sites_group:
		return sites_group_command(app, argument);
	case COMMAND_open_frame:
		return sites_open_group(view, app);
	case COMMAND_sites_reverse:
		if (!profiles_reverse(app, &view->table, argument))
			return false;
		sites_sort_by(view, app);
		return true;
	default:
		return false;
	}
}

static bool move_row(struct sites_view *view, struct app *app, int64_t by)
{
	struct profiles_empty empty;
	if (!sites_has_table(view, app, &empty))
		return true;
	if (table_move(&app->ui, view->table_at, &view->table, view->rows, by))
		sites_note_selection(view, app);
	app_dirty(app, PANEL_VIEW);
	return true;
}

/* The keys that move among tiles move among rows here; left and right are the tabs. */
static bool run_movement(struct sites_view *view, struct app *app, enum command_id id)
{
	const int64_t by = command_rows(id, table_page(&app->ui, view->table_at));
	if (by != 0)
		return move_row(view, app, by);
	switch (id) {
	case COMMAND_tile_left:
	case COMMAND_tile_right:
		profiles_turn_kind(app, id == COMMAND_tile_left ? -1 : 1);
		return true;
	case COMMAND_reveal:
		table_reveal(&app->ui, view->table_at, &view->table, view->rows);
		app_dirty(app, PANEL_VIEW);
		return true;
	default:
		return false;
	}
}

/* What has a meaning only among tiles must not change them unseen. */
bool sites_is_for_tiles(enum command_id id)
{
	return id == COMMAND_stream_next || id == COMMAND_stream_prev || id == COMMAND_space_next ||
	       id == COMMAND_space_prev || id == COMMAND_toggle_group || id == COMMAND_zoom_in ||
	       id == COMMAND_zoom_out || id == COMMAND_zoom_fit;
}

bool sites_run_command(
    struct sites_view *view, struct app *app, enum command_id id, const char *argument)
{
	app_frame(app); /* The layout is that of the present state from here on. */
	if (id == COMMAND_back)
		return profiles_leave(app);
	if (argument == NULL && sites_is_for_tiles(id)) {
		app_toast(app, "Only available in the heap map (press 1)");
		return true;
	}
	return run_movement(view, app, id) || run_sites_command(view, app, id, argument) ||
	       profiles_run_command(app, id, argument);
}

/* Whether runtime frames are shown holds for all views of call sites. */
void sites_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	const struct sites_view *view = self;
	if (scope != STATE_STYLE)
		return;
	view_state_put(out, "group", COMMAND_sites_group, sites_group_name(view->wanted));
	profiles_sort_state(&view->table, sites_columns, out);
	view_state_put_flag(out, "plumbing", COMMAND_sites_plumbing, app->profiles.runtime_frame);
	view_state_put_flag(out, "new", COMMAND_sites_new, app->profiles.with_new);
	view_state_put(out, "library", COMMAND_library,
	    app->profiles.libraries.text[0] != 0 ? app->profiles.libraries.text : "none");
}
