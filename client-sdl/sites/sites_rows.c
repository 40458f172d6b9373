/* The rows of the table and their order; those of large profiles are made on a thread. Declared in
 * sites_view.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calltree_view.h"
#include "hash.h"
#include "sites_view.h"

/* What the rows are made of, and the result: the fields of `made` that sites_view_fini frees. */
struct build {
	struct work work;
	struct sites_view made;
	struct sites_filter filter;
	uint32_t min_age, below_age;
	struct shared_profile *tile;
};

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

/* By class, frame and so on: what a row has in common, the same in the next profile. */
static uint64_t group_of_row(
    const struct sites_view *view, const struct gcs_sites *sites, const struct gcs_site *site)
{
	const struct gcs_frame *own = gcs_sites_own_frame(sites, site);
	uint64_t key = hash_text((uint64_t)view->by + 1, site->thread);
	if (view->by != GCS_SITES_BY_FRAME && view->by != GCS_SITES_BY_THREAD)
		key = hash_text(key, site->class_name);
	if (own != NULL)
		key = hash_add(hash_text(hash_text(key, own->class_name), own->method), own->line);
	return hash_mix(key) | 1;
}

uint64_t sites_key_of_row(struct sites_view *view, uint32_t row)
{
	const struct gcs_sites *sites;
	const struct gcs_site *site = sites_of_row(view, row, &sites);
	if (site != NULL && view->by != GCS_SITES_BY_SITE)
		return group_of_row(view, sites, site);
	return sites_number_of_row(view, row);
}

uint64_t sites_number_of_row(struct sites_view *view, uint32_t row)
{
	const struct gcs_sites *sites;
	const struct gcs_site *site = sites_of_row(view, row, &sites);
	if (site == NULL || view->by != GCS_SITES_BY_SITE)
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
	if (view->table.sort == SITES_CLASS_NAME && view->by == GCS_SITES_BY_THREAD)
		row->text = site->thread;
	else if (view->table.sort == SITES_CLASS_NAME && view->by == GCS_SITES_BY_PACKAGE)
		row->text = site->class_name;
	else if (view->table.sort == SITES_CLASS_NAME)
		set_text(row, site->class_name, site->class_name);
	else if (view->table.sort >= SITES_TOP && view->table.sort != SITES_NEW && top != NULL)
		set_text(row, top->class_name, top->method);
}

static void order(struct sites_view *view)
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
}

/* Selects the row that the selected site is in now. */
static void find_selected(struct sites_view *view)
{
	view->table.selected = TABLE_NONE;
	uint32_t i = 0;
	while (i < view->rows && sites_key_of_row(view, i) != view->selected)
		i++;
	if (view->selected != 0 && i < view->rows)
		view->table.selected = i;
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
static void mark_rows(struct sites_view *view, const struct shared_profile *shared)
{
	const struct gcs_profile *tile = shared_profile_get(shared);
	const bool any = tile != NULL && view->by == GCS_SITES_BY_SITE;
	const size_t count = any ? gcs_profile_entry_count(tile) : 0;
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

static void side_fini(struct sites_side *side)
{
	if (side->shown != side->all)
		gcs_sites_free(side->shown);
	gcs_sites_free(side->all);
	gcs_sites_free(side->parts);
	free(side->numbers);
	sites_found_fini(&side->found);
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
	view->table.selected = TABLE_NONE; /* until find_selected */
}

static void forget(struct sites_view *view)
{
	forget_rows(view);
	side_fini(&view->now);
	side_fini(&view->before);
	free(view->numbers);
	view->numbers = NULL;
	free(view->libraries);
	view->libraries = NULL;
}

void sites_view_fini(struct sites_view *view)
{
	worker_fini(&view->worker);
	forget(view);
}

/* On the worker's thread, or at once on the window's. */

/* The sites of a profile that the filter and the ages select, and without the filter. */
static bool gather(struct sites_side *side, const struct build *b, struct gcs_error *err)
{
	const struct sites_view *view = &b->made;
	const struct gcs_profile *profile = shared_profile_get(side->profile);
	struct gcs_site_filter filter = {.all_frames = view->runtime_frame,
	    .libraries = view->libraries->prefix,
	    .by = view->by,
	    .min_age = b->min_age,
	    .below_age = b->below_age,
	    .with_new = view->with_new && view->before.profile == NULL};
	side->shown = side->all = gcs_sites_create(profile, &filter, err);
	if (side->all == NULL || sites_filter_is_open(&b->filter))
		return side->all != NULL;
	side->shown = NULL;
	if (!sites_found_init(&side->found, profile, &b->filter))
		return false;
	filter.selects = sites_found_has;
	filter.context = &side->found;
	side->shown = gcs_sites_create(profile, &filter, err);
	return side->shown != NULL;
}

/* The call sites that rows by class, frame or package consist of. Those of threads are not told
 * apart by their numbers. */
static bool gather_parts(struct sites_side *side, const struct build *b, struct gcs_error *err)
{
	const struct sites_view *view = &b->made;
	const bool open = sites_filter_is_open(&b->filter);
	const struct gcs_site_filter filter = {.all_frames = view->runtime_frame,
	    .libraries = view->libraries->prefix,
	    .min_age = b->min_age,
	    .below_age = b->below_age,
	    .selects = open ? NULL : sites_found_has,
	    .context = open ? NULL : &side->found};
	if (view->by == GCS_SITES_BY_SITE || view->by == GCS_SITES_BY_THREAD)
		return true;
	side->parts = gcs_sites_create(shared_profile_get(side->profile), &filter, err);
	return side->parts != NULL;
}

static bool make_rows(struct build *b)
{
	struct sites_view *view = &b->made;
	struct gcs_error err;
	if (!gather(&view->now, b, &err) || !gather_parts(&view->now, b, &err))
		return false;
	if (view->before.profile != NULL &&
	    (!gather(&view->before, b, &err) ||
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

static void build(struct work *work)
{
	struct build *b = (struct build *)work;
	struct sites_view *view = &b->made;
	if (view->now.profile == NULL)
		return;
	if (!make_rows(b)) {
		forget_rows(view);
		return;
	}
	mark_rows(view, b->tile);
	order(view);
	if (!view->large)
		return;
	/* What the window's thread would otherwise compute when it is first needed. */
	(void)sites_number_of_row(view, 0);
	view->numbers =
	    sites_numbers_of(shared_profile_get(view->now.profile), view->runtime_frame);
}

/* The window's thread. */

static void drop(struct work *work)
{
	struct build *b = (struct build *)work;
	forget(&b->made);
	sites_filter_fini(&b->filter);
	shared_profile_unref(b->tile);
	free(b);
}

static void show(struct sites_view *view, struct app *app, struct build *b)
{
	struct sites_view *made = &b->made;
	forget(view);
	view->now = made->now;
	view->before = made->before;
	view->comparison = made->comparison;
	view->row = made->row;
	view->rows = made->rows;
	view->numbers = made->numbers;
	view->libraries = made->libraries;
	view->live = made->live;
	view->by = made->by;
	view->runtime_frame = made->runtime_frame;
	view->with_new = made->with_new;
	view->large = made->large;
	view->failed = view->row == NULL && view->now.profile != NULL;
	b->made = (struct sites_view){.version = 0};
	drop(&b->work);
	if (view->failed)
		app_toast(app, "Not enough memory for the call sites");
	find_selected(view);
	if (view->reveals)
		table_reveal(&app->ui, view->table_at, &view->table, view->rows);
	view->reveals = false;
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

static uint64_t size_of(const struct shared_profile *shared)
{
	const struct gcs_profile *p = shared_profile_get(shared);
	return p != NULL ? (uint64_t)gcs_profile_entry_count(p) + gcs_profile_stack_count(p) : 0;
}

/* Has the rows made; the present ones stay until then. */
static void ask(struct sites_view *view, struct app *app)
{
	struct build *b = calloc(1, sizeof *b);
	struct profiles_libraries *libraries = malloc(sizeof *libraries);
	if (b == NULL || libraries == NULL) {
		free(b);
		free(libraries);
		return;
	}
	struct sites_view *made = &b->made;
	b->work = (struct work){.run = build, .drop = drop};
	made->version = ++view->asked;
	made->by = view->wanted;
	made->runtime_frame = app->profiles.runtime_frame;
	made->with_new = app->profiles.with_new;
	made->live = app->profiles.live;
	made->table = view->table;
	made->libraries = libraries;
	profiles_set_libraries(libraries, app->profiles.libraries.text);
	made->now.profile = shared_profile_ref(profiles_shown(app));
	made->before.profile = shared_profile_ref(profiles_before(app));
	b->tile = shared_profile_ref(app->profiles.tile);
	sites_filter_init(&b->filter, app->profiles.field.text);
	profiles_ages(app, &b->min_age, &b->below_age);
	made->large =
	    size_of(made->now.profile) + size_of(made->before.profile) + size_of(b->tile) >=
	    CALLTREE_AT_ONCE;
	view->waiting = made->large;
	view->worker.wake = app->wake;
	view->worker.wake_context = app->wake_context;
	if (made->large) {
		worker_give(&view->worker, &b->work);
		return;
	}
	build(&b->work);
	show(view, app, b);
}

static void take(struct sites_view *view, struct app *app)
{
	struct build *b = (struct build *)worker_take(&view->worker);
	if (b == NULL)
		return;
	if (!view->waiting || b->made.version != view->asked) {
		drop(&b->work);
		return;
	}
	view->waiting = false;
	show(view, app, b);
}

void sites_sync(struct sites_view *view, struct app *app)
{
	take(view, app);
	const bool filtered = view->filter_version != app->profiles.filter_version;
	const bool other = view->kind != app->profiles.kind || view->wanted != view->asked_by;
	if (other || filtered)
		view->table.scroll = 0;
	if (view->version == app->profiles.version && !filtered && !other)
		return;
	/* Rows of another kind must not be shown for these. */
	if (other || profiles_shown(app) == NULL)
		forget(view);
	view->kind = app->profiles.kind;
	view->asked_by = view->wanted;
	view->version = app->profiles.version;
	view->filter_version = app->profiles.filter_version;
	ask(view, app);
}

void sites_sort_by(struct sites_view *view, struct app *app)
{
	view->table.scroll = 0;
	view->reveals = true;
	if (view->large || view->waiting) {
		ask(view, app);
		return;
	}
	order(view);
	find_selected(view);
	view->reveals = false;
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	table_reveal(&app->ui, view->table_at, &view->table, view->rows);
}

const struct sites_row *sites_selected(const struct sites_view *view)
{
	return view->row != NULL && view->table.selected < view->rows
		   ? &view->row[view->table.selected]
		   : NULL;
}

void sites_note_selection(struct sites_view *view, struct app *app)
{
	view->selected = sites_key_of_row(view, view->table.selected);
	if (view->selected != 0)
		profiles_keep(app);
	app->side_scroll = 0;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}
