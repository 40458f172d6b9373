/* The rows of the table: their order and their cells. Declared in sites_view.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sites.h"
#include "sites_view.h"

const struct table_column sites_columns[SITES_COLUMNS] = {
    [SITES_BYTES] = {"bytes", "Bytes", TEXT_RIGHT, 80, 0, 0, false},
    [SITES_ERROR] = {"error", "\xc2\xb1", TEXT_RIGHT, 86, 0, 3, false},
    [SITES_SHARE] = {"share", "Share", TEXT_RIGHT, 110, 1, 2, false},
    [SITES_OBJECTS] = {"objects", "Objects", TEXT_RIGHT, 76, 0, 4, false},
    [SITES_SAMPLES] = {"samples", "Samples", TEXT_RIGHT, 70, 0, 5, false},
    [SITES_AGE] = {"age", "Age", TEXT_RIGHT, 50, 0, 6, false},
    [SITES_CLASS_NAME] = {"class", "Class", TEXT_LEFT, 120, 3, 0, true},
    [SITES_TOP] = {"frame", "Top frame", TEXT_LEFT, 160, 4, 1, true},
};

static const struct site *site_at(const struct sites_view *view, uint32_t row)
{
	return &view->sites.site[view->order[row]];
}

bool sites_has_age(const struct sites_view *view, const struct site *site)
{
	double died = 0;
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		died += site->died_bytes[i];
	return view->kind != GCS_PROFILE_ALLOCATED || died > 0;
}

static void put_two(char *text, size_t size, const char *first, const char *second)
{
	snprintf(text, size, "%s%s%s", first, *second != 0 ? "\t" : "", second);
}

static void put_class(
    const struct sites_view *view, const struct site *site, char *text, size_t size)
{
	char simple[200], package[200];
	const char *name = gcs_profile_name(view->index.profile, site->class_name);
	put_two(text, size, sites_put_simple(simple, sizeof simple, name),
	    sites_put_package(package, sizeof package, name));
}

static void put_top(const struct sites_view *view, const struct site *site, char *text, size_t size)
{
	char name[300], place[200];
	const struct gcs_frame *frame = sites_top(&view->index, site);
	if (frame == NULL)
		snprintf(text, size, "[no Java frames]");
	else
		put_two(text, size, sites_put_frame(name, sizeof name, frame),
		    sites_put_place(place, sizeof place, frame));
}

/* The value, or how much it has changed. */
static void put_value(const struct sites_view *view, char *text, size_t size,
    char *(*put)(char *, size_t, double), double value, double base)
{
	if (view->joined != NULL)
		sites_put_change(text, size, put, value - base);
	else
		put(text, size, value);
}

void sites_cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	const struct sites_view *view = context;
	const struct site *site = site_at(view, row);
	char number[64];
	bool change = view->joined != NULL;
	switch ((enum sites_column)column) {
	case SITES_BYTES:
		put_value(view, text, size, sites_put_bytes, site->bytes, site->base_bytes);
		break;
	case SITES_ERROR:
		snprintf(text, size, "\xc2\xb1 %s",
		    sites_put_bytes(number, sizeof number, sqrt(site->bytes_variance)));
		break;
	case SITES_SHARE:
		if (change)
			sites_put_growth(text, size, site->bytes, site->base_bytes);
		else
			sites_put_share(text, size, site->bytes, view->sites.all_bytes);
		break;
	case SITES_OBJECTS:
		put_value(view, text, size, sites_put_count, site->objects, site->base_objects);
		break;
	case SITES_SAMPLES:
		put_value(view, text, size, sites_put_count, (double)site->samples,
		    (double)site->base_samples);
		break;
	case SITES_AGE:
		if (!sites_has_age(view, site))
			snprintf(text, size, "-");
		else
			snprintf(text, size, site->age < 10000 ? "%.1f" : "%.1e", site->age);
		break;
	case SITES_CLASS_NAME:
		put_class(view, site, text, size);
		break;
	case SITES_TOP:
		put_top(view, site, text, size);
		break;
	case SITES_COLUMNS:
		break;
	}
}

static double bar_of(void *context, uint32_t row, int column)
{
	const struct sites_view *view = context;
	const struct site *site = site_at(view, row);
	if (column != SITES_SHARE)
		return -1;
	double all = view->sites.all_bytes, part = site->bytes;
	if (view->joined != NULL) {
		all += view->sites.all_base_bytes;
		part = 2 * fabs(site->bytes - site->base_bytes);
	}
	return all > 0 ? part / all : 0;
}

static enum table_tone tone_of(void *context, uint32_t row, int column)
{
	const struct sites_view *view = context;
	const struct site *site = site_at(view, row);
	if (view->joined == NULL || column == SITES_ERROR || column >= SITES_AGE)
		return TABLE_PLAIN;
	return site->bytes > site->base_bytes   ? TABLE_MORE
	       : site->bytes < site->base_bytes ? TABLE_LESS
						: TABLE_PLAIN;
}

static bool is_marked(void *context, uint32_t row)
{
	const struct sites_view *view = context;
	return view->marked[view->order[row]];
}

/* In a difference the share is by how much something has grown. */
static const struct table_column *columns_of(const struct sites_view *view)
{
	static struct table_column changed[SITES_COLUMNS];
	if (view->joined == NULL)
		return sites_columns;
	memcpy(changed, sites_columns, sizeof changed);
	changed[SITES_SHARE].title = "Growth";
	return changed;
}

struct table_rows sites_table_rows(struct sites_view *view, const struct app *app)
{
	return (struct table_rows){
	    .column = columns_of(view),
	    .columns = SITES_COLUMNS,
	    .count = view->order != NULL ? view->sites.count : 0,
	    .cell = sites_cell,
	    .bar = bar_of,
	    .tone = tone_of,
	    .marked = view->marked != NULL ? is_marked : NULL,
	    .context = view,
	    .old = profiles_are_old(app),
	};
}

/* What a site is sorted by: a number, or a text and what decides between equal ones. */
struct sort_key {
	double number;
	const char *text, *more;
	uint32_t site;
};

static int by_key(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	int order = strcmp(x->text, y->text);
	if (order == 0)
		order = strcmp(x->more, y->more);
	if (order != 0)
		return order;
	return x->site < y->site ? -1 : x->site > y->site;
}

static struct sort_key key_of(const struct sites_view *view, uint32_t i, enum sites_column column)
{
	const struct site *site = &view->sites.site[i];
	struct sort_key key = {.text = "", .more = "", .site = i};
	const struct gcs_frame *top = sites_top(&view->index, site);
	const double numbers[SITES_COLUMNS] = {
	    [SITES_BYTES] = site->bytes - site->base_bytes,
	    [SITES_ERROR] = site->bytes_variance,
	    [SITES_SHARE] = site->bytes - site->base_bytes,
	    [SITES_OBJECTS] = site->objects - site->base_objects,
	    [SITES_SAMPLES] = (double)site->samples - (double)site->base_samples,
	    [SITES_AGE] = sites_has_age(view, site) ? site->age : -1,
	};
	key.number = numbers[column];
	if (column == SITES_CLASS_NAME) {
		key.text = gcs_profile_name(view->index.profile, site->class_name);
		const char *point = strrchr(key.text, '.');
		key.more = key.text;
		key.text = point != NULL ? point + 1 : key.text;
	} else if (column == SITES_TOP && top != NULL) {
		const char *point = strrchr(top->class_name, '.');
		key.text = point != NULL ? point + 1 : top->class_name;
		key.more = top->method;
	}
	return key;
}

/* Puts the selection on the row where the selected site is now. */
static void find_selected(struct sites_view *view, struct app *app)
{
	view->table.selected = TABLE_NONE;
	for (uint32_t i = 0; view->has_selected && i < view->sites.count; i++) {
		if (site_at(view, i)->key == view->selected_key) {
			view->table.selected = i;
			break;
		}
	}
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

void sites_resort(struct sites_view *view, struct app *app)
{
	uint32_t n = view->sites.count;
	struct sort_key *keys = malloc(((size_t)n + 1) * sizeof *keys);
	free(view->order);
	view->order = malloc(((size_t)n + 1) * sizeof *view->order);
	if (keys == NULL || view->order == NULL || view->sites.site == NULL) {
		free(view->order);
		view->order = NULL;
		view->table.selected = TABLE_NONE;
	} else {
		for (uint32_t i = 0; i < n; i++)
			keys[i] = key_of(view, i, (enum sites_column)view->table.sort);
		qsort(keys, n, sizeof *keys, by_key);
		for (uint32_t i = 0; i < n; i++)
			view->order[view->table.falling ? n - 1 - i : i] = keys[i].site;
		find_selected(view, app);
	}
	free(keys);
}

void sites_sort_by(struct sites_view *view, struct app *app)
{
	sites_resort(view, app);
	view->table.scroll = 0;
	table_reveal(&app->ui, view->table_at, &view->table, view->sites.count);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* The sites' numbers of a profile, by entry; NULL without memory. */
static uint64_t *numbers_of(const struct gcs_profile *profile, bool runtime_frame)
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
	free(view->marked);
	view->marked = NULL;
	if (tile == NULL || view->index.profile == NULL || view->sites.count == 0)
		return;
	uint64_t *here = numbers_of(tile, view->index.runtime_frame);
	uint64_t *all = numbers_of(view->index.profile, view->index.runtime_frame);
	view->marked = calloc(view->sites.count, sizeof *view->marked);
	size_t count = gcs_profile_entry_count(tile);
	if (here != NULL && count > 0)
		qsort(here, count, sizeof *here, by_number);
	for (uint32_t i = 0;
	     here != NULL && all != NULL && view->marked != NULL && i < view->sites.count; i++)
		view->marked[i] = bsearch(&all[view->sites.site[i].entry], here, count,
				      sizeof *here, by_number) != NULL;
	free(here);
	free(all);
}

static void regroup(struct sites_view *view, struct app *app)
{
	view->filter_version = app->profiles.filter_version;
	sites_fini(&view->sites);
	if (view->index.profile == NULL ||
	    !sites_init(&view->sites, &view->index, &app->profiles.filter))
		view->sites.count = 0;
	mark(view, app);
	sites_resort(view, app);
}

/* What is shown, alone or together with what it is compared with. */
static const struct gcs_profile *choose(struct sites_view *view, struct app *app)
{
	const struct gcs_profile *before = shared_profile_get(profiles_before(app));
	shared_profile_unref(view->shown);
	view->shown = shared_profile_ref(profiles_shown(app));
	gcs_profile_free(view->joined);
	view->joined = NULL;
	const struct gcs_profile *profile = shared_profile_get(view->shown);
	if (profile == NULL || before == NULL)
		return profile;
	view->joined = sites_join(profile, before);
	return view->joined != NULL ? view->joined : profile;
}

static void rebuild(struct sites_view *view, struct app *app)
{
	view->version = app->profiles.version;
	free(view->numbers);
	view->numbers = NULL;
	sites_fini(&view->sites);
	sites_index_fini(&view->index);
	const struct gcs_profile *profile = choose(view, app);
	if (profile != NULL &&
	    !sites_index_init(&view->index, profile, app->profiles.runtime_frame))
		app_toast(app, "Not enough memory for the call sites");
	if (view->joined != NULL)
		view->index.border = gcs_profile_entry_count(shared_profile_get(view->shown));
	profiles_ages(app, &view->index.min_age, &view->index.below_age);
	regroup(view, app);
}

void sites_sync(struct sites_view *view, struct app *app)
{
	if (view->kind != app->profiles.kind ||
	    view->filter_version != app->profiles.filter_version)
		view->table.scroll = 0;
	view->kind = app->profiles.kind;
	if (view->version != app->profiles.version)
		rebuild(view, app);
	else if (view->filter_version != app->profiles.filter_version)
		regroup(view, app);
}

const struct site *sites_selected(const struct sites_view *view)
{
	if (view->order == NULL || view->table.selected >= view->sites.count)
		return NULL;
	return site_at(view, view->table.selected);
}

void sites_note_selection(struct sites_view *view, struct app *app)
{
	const struct site *site = sites_selected(view);
	view->has_selected = site != NULL;
	view->selected_key = site != NULL ? site->key : 0;
	if (site != NULL)
		profiles_keep(app);
	app->side_scroll = 0;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}
