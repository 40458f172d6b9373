/* The rows of the table and their order. Declared in sites_view.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sites_view.h"

const struct gcs_site *sites_of_row(
    const struct sites_view *view, uint32_t row, const struct gcs_sites **sites)
{
	*sites = view->now.shown;
	if (view->row == NULL || row >= view->rows)
		return NULL;
	const struct gcs_change *c = &view->row[row].change;
	if (c->after != NULL)
		return c->after;
	*sites = view->before.shown;
	return c->before;
}

uint64_t sites_number_of_row(struct sites_view *view, uint32_t row)
{
	const struct gcs_sites *sites;
	const struct gcs_site *site = sites_of_row(view, row, &sites);
	if (site == NULL)
		return 0;
	struct sites_side *side = sites == view->now.shown ? &view->now : &view->before;
	if (side->numbers == NULL) {
		side->numbers = calloc(gcs_sites_count(sites), sizeof *side->numbers);
		if (side->numbers == NULL || !gcs_sites_numbers(sites, side->numbers))
			return 0;
	}
	return side->numbers[site - gcs_sites_at(sites, 0)];
}

static int by_key(const void *a, const void *b)
{
	const struct sites_row *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	int order = strcmp(x->text, y->text);
	if (order == 0)
		order = strcmp(x->more, y->more);
	return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

/* The simple name, then all of it. */
static void set_text(struct sites_row *row, const char *name, const char *more)
{
	const char *point = strrchr(name, '.');
	row->text = point != NULL ? point + 1 : name;
	row->more = more;
}

static void set_key(struct sites_view *view, uint32_t i)
{
	struct sites_row *row = &view->row[i];
	const struct gcs_sites *sites;
	const struct gcs_site *site = sites_of_row(view, i, &sites);
	const struct gcs_frame *top = view->table.sort == SITES_OWN
					  ? gcs_sites_own_frame(sites, site)
					  : sites_top(sites, site);
	row->number = sites_value(view, i, view->table.sort);
	/* What changed most, whether it is more or less. */
	if (view->comparison != NULL && view->table.sort != SITES_AGE)
		row->number = fabs(row->number);
	row->text = row->more = "";
	if (view->table.sort == SITES_CLASS_NAME)
		set_text(row, site->class_name, site->class_name);
	else if (view->table.sort >= SITES_TOP && view->table.sort != SITES_NEW && top != NULL)
		set_text(row, top->class_name, top->method);
}

/* Selects the row that the selected site is in now. */
static void find_selected(struct sites_view *view)
{
	view->table.selected = TABLE_NONE;
	for (uint32_t i = 0; view->selected != 0 && i < view->rows; i++) {
		if (sites_number_of_row(view, i) == view->selected) {
			view->table.selected = i;
			break;
		}
	}
}

static void sort(struct sites_view *view, struct app *app)
{
	for (uint32_t i = 0; i < view->rows; i++)
		set_key(view, i);
	if (view->rows > 0)
		qsort(view->row, view->rows, sizeof *view->row, by_key);
	for (uint32_t i = 0; view->table.falling && i < view->rows / 2; i++) {
		const struct sites_row row = view->row[i];
		view->row[i] = view->row[view->rows - 1 - i];
		view->row[view->rows - 1 - i] = row;
	}
	find_selected(view);
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

void sites_sort_by(struct sites_view *view, struct app *app)
{
	sort(view, app);
	view->table.scroll = 0;
	table_reveal(&app->ui, view->table_at, &view->table, view->rows);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

uint64_t *sites_numbers_of(const struct gcs_profile *profile, bool runtime_frame)
{
	uint64_t *numbers = calloc((size_t)gcs_profile_entry_count(profile) + 1, sizeof *numbers);
	if (numbers != NULL && gcs_profile_site_numbers(profile, runtime_frame, numbers))
		return numbers;
	free(numbers);
	return NULL;
}

/* Marks the sites that the heap map's selected tile has. */
static void mark(struct sites_view *view, const struct app *app)
{
	const struct gcs_profile *tile = shared_profile_get(app->profiles.tile);
	const size_t count = tile != NULL ? gcs_profile_entry_count(tile) : 0;
	uint64_t *here = count > 0 ? sites_numbers_of(tile, view->runtime_frame) : NULL;
	if (here == NULL)
		return;
	qsort(here, count, sizeof *here, by_number);
	for (uint32_t i = 0; i < view->rows; i++) {
		const uint64_t number = sites_number_of_row(view, i);
		view->row[i].marked =
		    bsearch(&number, here, count, sizeof *here, by_number) != NULL;
	}
	free(here);
}

static void side_forget(struct sites_side *side, bool whole)
{
	if (side->shown != side->all)
		gcs_sites_free(side->shown);
	side->shown = NULL;
	free(side->numbers);
	side->numbers = NULL;
	sites_found_fini(&side->found);
	if (!whole)
		return;
	gcs_sites_free(side->all);
	shared_profile_unref(side->profile);
	*side = (struct sites_side){.profile = NULL};
}

static void forget_rows(struct sites_view *view)
{
	gcs_comparison_free(view->comparison);
	view->comparison = NULL;
	free(view->row);
	view->row = NULL;
	view->rows = 0;
}

void sites_view_fini(struct sites_view *view)
{
	forget_rows(view);
	side_forget(&view->now, true);
	side_forget(&view->before, true);
	free(view->numbers);
	view->numbers = NULL;
}

/* The sites of a profile that the filter and the ages select, and without the filter. */
static bool gather(
    struct sites_side *side, const struct sites_view *view, struct app *app, struct gcs_error *err)
{
	const struct gcs_profile *profile = shared_profile_get(side->profile);
	const struct sites_filter *typed = &app->profiles.filter;
	struct gcs_site_filter filter = {.all_frames = view->runtime_frame,
	    .libraries = view->libraries.prefix,
	    .with_new = view->with_new && view->before.profile == NULL};
	profiles_ages(app, &filter.min_age, &filter.below_age);
	if (side->all == NULL)
		side->all = gcs_sites_create(profile, &filter, err);
	side->shown = side->all;
	if (side->all == NULL || sites_filter_is_open(typed))
		return side->all != NULL;
	side->shown = NULL;
	if (!sites_found_init(&side->found, profile, typed))
		return false;
	filter.selects = sites_found_has;
	filter.context = &side->found;
	side->shown = gcs_sites_create(profile, &filter, err);
	return side->shown != NULL;
}

static bool make_rows(struct sites_view *view, struct app *app)
{
	struct gcs_error err;
	if (view->now.profile == NULL)
		return true;
	if (!gather(&view->now, view, app, &err))
		return false;
	if (view->before.profile != NULL &&
	    (!gather(&view->before, view, app, &err) ||
		(view->comparison = gcs_sites_compare(view->before.shown, view->now.shown, &err)) ==
		    NULL))
		return false;
	const uint32_t rows = view->comparison != NULL ? gcs_comparison_count(view->comparison)
						       : gcs_sites_count(view->now.shown);
	view->row = calloc((size_t)rows + 1, sizeof *view->row);
	view->rows = view->row != NULL ? rows : 0;
	for (uint32_t i = 0; i < view->rows; i++) {
		const struct gcs_site *site = gcs_sites_at(view->now.shown, i);
		view->row[i].change = view->comparison != NULL
					  ? *gcs_comparison_at(view->comparison, i)
					  : (struct gcs_change){.after = site,
						.bytes = site->bytes,
						.bytes_error = site->bytes_error,
						.objects = site->objects,
						.objects_error = site->objects_error};
		view->row[i].at = i;
	}
	return view->row != NULL;
}

static void regroup(struct sites_view *view, struct app *app)
{
	view->filter_version = app->profiles.filter_version;
	forget_rows(view);
	side_forget(&view->now, false);
	side_forget(&view->before, false);
	if (!make_rows(view, app)) {
		forget_rows(view);
		app_toast(app, "Not enough memory for the call sites");
	}
	mark(view, app);
	sort(view, app);
}

void sites_sync(struct sites_view *view, struct app *app)
{
	if (view->kind != app->profiles.kind ||
	    view->filter_version != app->profiles.filter_version)
		view->table.scroll = 0;
	view->kind = app->profiles.kind;
	if (view->version != app->profiles.version) {
		sites_view_fini(view);
		view->version = app->profiles.version;
		view->runtime_frame = app->profiles.runtime_frame;
		view->with_new = app->profiles.with_new;
		view->live = app->profiles.live;
		profiles_set_libraries(&view->libraries, app->profiles.libraries.text);
		view->now.profile = shared_profile_ref(profiles_shown(app));
		view->before.profile = shared_profile_ref(profiles_before(app));
		regroup(view, app);
	} else if (view->filter_version != app->profiles.filter_version) {
		regroup(view, app);
	}
}

const struct sites_row *sites_selected(const struct sites_view *view)
{
	return view->row != NULL && view->table.selected < view->rows
		   ? &view->row[view->table.selected]
		   : NULL;
}

void sites_note_selection(struct sites_view *view, struct app *app)
{
	view->selected = sites_look(view, true);
	if (view->selected != 0)
		profiles_keep(app);
	app->side_scroll = 0;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}
