/* The commands of the view of call sites; declared in sites_view.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sites.h"
#include "sites_view.h"

/* Those of all entries at once: they cost as much as one. */
static bool has_numbers(struct sites_view *view)
{
	const struct gcs_profile *profile = view->index.profile;
	if (view->numbers != NULL || profile == NULL)
		return view->numbers != NULL;
	uint64_t *numbers = calloc((size_t)gcs_profile_entry_count(profile) + 1, sizeof *numbers);
	if (numbers != NULL &&
	    gcs_profile_site_numbers(profile, view->index.runtime_frame, numbers))
		view->numbers = numbers;
	else
		free(numbers);
	return view->numbers != NULL;
}

static bool number_of(
    struct sites_view *view, const struct site *site, uint64_t *number, char *name, size_t size)
{
	const struct gcs_profile *profile = view->index.profile;
	if (site == NULL || !has_numbers(view))
		return false;
	*number = view->numbers[site->entry];
	char class_name[128], frame[160] = "";
	const struct gcs_frame *top = sites_top(&view->index, site);
	sites_put_simple(
	    class_name, sizeof class_name, gcs_profile_name(profile, site->class_name));
	if (top != NULL)
		sites_put_frame(frame, sizeof frame, top);
	snprintf(name, size, "%s%s%s", class_name, frame[0] != 0 ? " from " : "", frame);
	return true;
}

bool sites_selected_number(struct sites_view *view, uint64_t *number, char *name, size_t size)
{
	return number_of(view, sites_selected(view), number, name, size);
}

static const struct site *looked_at(const struct sites_view *view, bool selected)
{
	const uint32_t row = selected ? view->table.selected : view->table.hovered;
	return view->order != NULL && row < view->sites.count ? &view->sites.site[view->order[row]]
							      : NULL;
}

uint64_t sites_look(const struct sites_view *view, bool selected)
{
	const struct site *site = looked_at(view, selected);
	return site == NULL ? 0 : site->key != 0 ? site->key : 1;
}

bool sites_looked_number(
    struct sites_view *view, bool selected, uint64_t *number, char *name, size_t size)
{
	return number_of(view, looked_at(view, selected), number, name, size);
}

static bool command_sort(struct sites_view *view, struct app *app, const char *argument)
{
	if (!profiles_sort(app, &view->table, sites_columns, SITES_COLUMNS, SITES_SHARE, argument))
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
	if (table_move(&app->ui, view->table_at, &view->table, view->sites.count, by))
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
		table_reveal(&app->ui, view->table_at, &view->table, view->sites.count);
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
	profiles_sort_state(&view->table, sites_columns, out);
	view_state_put_flag(out, "plumbing", COMMAND_sites_plumbing, app->profiles.runtime_frame);
}
