/* Builds call trees; declared in calltree_view.h. Their text is in calltree_text.c. */
#include "calltree_view.h"

#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "app.h"
#include "hash.h"

static void part_fini(struct calltree_part *part)
{
	gcs_tree_free(part->tree);
	free(part->key);
	free(part->marked);
	free(part->below);
	free(part->ends);
	*part = (struct calltree_part){0};
}

static void drop(struct work *work)
{
	struct calltree *t = (struct calltree *)work;
	if (t == NULL)
		return;
	part_fini(&t->part[0]);
	part_fini(&t->part[1]);
	gcs_sites_free(t->sites);
	gcs_sites_free(t->sites_before);
	shared_profile_unref(t->after);
	shared_profile_unref(t->before);
	shared_profile_unref(t->tile);
	free(t);
}

double calltree_value(const struct gcs_node *node, enum gcs_measure measure)
{
	return measure == GCS_BY_BYTES ? node->total_bytes : node->total_objects;
}

double calltree_base(const struct gcs_node *node, enum gcs_measure measure)
{
	return measure == GCS_BY_BYTES ? node->base_bytes : node->base_objects;
}

double calltree_change(const struct gcs_node *node, enum gcs_measure measure)
{
	double now = calltree_value(node, measure), before = calltree_base(node, measure);
	return now + before > 0 ? (now - before) / (now + before) : 0;
}

/* On the worker's thread, or at once on the window's. */

static uint64_t key_of(uint64_t parent, const struct gcs_node *node)
{
	return hash_mix(hash_text(hash_add(parent, node->kind), node->name));
}

static bool fill_part(struct calltree_part *part)
{
	uint32_t count = gcs_tree_count(part->tree);
	part->key = malloc(count * sizeof *part->key);
	part->below = malloc(count * sizeof *part->below);
	if (part->key == NULL || part->below == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++) { /* parents have smaller numbers */
		const struct gcs_node *node = gcs_tree_node(part->tree, i);
		part->key[i] = key_of(i > 0 ? part->key[node->parent] : 1, node);
		part->below[i] = 1;
	}
	for (uint32_t i = count; i-- > 1;)
		part->below[gcs_tree_node(part->tree, i)->parent] += part->below[i];
	return true;
}

static struct gcs_sites *sites_of(
    const struct calltree *t, struct shared_profile *shared, bool aged, struct gcs_error *err)
{
	struct gcs_site_filter filter = {
	    .all_frames = t->runtime_frame, .libraries = t->libraries.prefix};
	filter.thread_pattern = t->request.thread[0] != 0 ? t->request.thread : NULL;
	filter.min_age = aged ? t->min_age : 0;
	filter.below_age = aged ? t->below_age : 0;
	return gcs_sites_create(shared_profile_get(shared), &filter, err);
}

static struct gcs_tree *tree_of(const struct calltree *t, const struct gcs_sites *sites,
    const struct gcs_sites *before, int part, struct gcs_error *err)
{
	bool up =
	    t->request.form == CALLTREE_UP || (t->request.form == CALLTREE_SANDWICH && part == 0);
	struct gcs_tree_options options = {
	    .form = up ? GCS_TREE_CALLERS : GCS_TREE_CALLEES,
	    .collapse = t->request.collapse,
	    .method = t->request.form == CALLTREE_SANDWICH ? t->request.method : NULL,
	    .before = before,
	};
	return gcs_tree_create_with(sites, &options, err);
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Marks the nodes that are also in the tree of the selected tile. */
static void mark_with(struct calltree_part *part, struct calltree_part *tile)
{
	uint32_t count = gcs_tree_count(part->tree), keys = gcs_tree_count(tile->tree);
	part->marked = calloc(count, sizeof *part->marked);
	if (part->marked == NULL || !fill_part(tile))
		return;
	qsort(tile->key, keys, sizeof *tile->key, by_key);
	for (uint32_t i = 1; i < count; i++)
		part->marked[i] =
		    bsearch(&part->key[i], tile->key, keys, sizeof *tile->key, by_key) != NULL;
}

static void mark(struct calltree *t, int number)
{
	struct calltree_part tile = {0};
	struct gcs_sites *sites = t->tile != NULL ? sites_of(t, t->tile, false, NULL) : NULL;
	if (sites != NULL && gcs_sites_count(sites) > 0)
		tile.tree = tree_of(t, sites, NULL, number, NULL);
	if (tile.tree != NULL)
		mark_with(&t->part[number], &tile);
	part_fini(&tile);
	gcs_sites_free(sites);
}

/* The largest sites come first. */
static bool note_sites(const struct calltree *t, struct calltree_part *part)
{
	part->ends = calloc(gcs_tree_count(part->tree), sizeof *part->ends);
	if (part->ends == NULL)
		return false;
	for (uint32_t i = 0; i < gcs_sites_count(t->sites); i++) {
		uint32_t at = gcs_tree_of_site(part->tree, i);
		for (; at != GCS_NONE; at = gcs_tree_node(part->tree, at)->parent)
			if (part->ends[at].count++ == 0)
				part->ends[at].largest = i;
	}
	return true;
}

static bool make_part(struct calltree *t, int number)
{
	struct calltree_part *part = &t->part[number];
	part->tree = tree_of(t, t->sites, t->sites_before, number, &t->err);
	if (part->tree == NULL)
		return false;
	if (!fill_part(part) || !note_sites(t, part)) {
		gcs_fail(&t->err, GCS_NOMEM, "out of memory for the call tree");
		return false;
	}
	mark(t, number);
	return true;
}

static void make(struct work *work)
{
	struct calltree *t = (struct calltree *)work;
	bool ok = (t->sites = sites_of(t, t->after, true, &t->err)) != NULL;
	if (ok && t->before != NULL)
		ok = (t->sites_before = sites_of(t, t->before, true, &t->err)) != NULL;
	ok = ok && make_part(t, 0);
	if (ok && t->request.form == CALLTREE_SANDWICH)
		ok = make_part(t, 1);
	if (ok)
		return;
	part_fini(&t->part[0]);
	part_fini(&t->part[1]);
}

/* The window's thread. */

static uint64_t size_of(const struct shared_profile *shared)
{
	const struct gcs_profile *p = shared_profile_get(shared);
	return p != NULL ? (uint64_t)gcs_profile_entry_count(p) + gcs_profile_stack_count(p) : 0;
}

static bool is_same(const struct calltree_request *a, const struct calltree_request *b)
{
	return a->chains == b->chains && a->chains_version == b->chains_version &&
	       a->form == b->form && a->collapse == b->collapse &&
	       strcmp(a->method, b->method) == 0 && strcmp(a->thread, b->thread) == 0;
}

static void put(struct calltree_maker *maker, struct calltree *tree)
{
	drop((struct work *)maker->made);
	maker->made = tree;
}

static struct shared_profile *shown_of(
    const struct calltree_request *request, const struct app *app)
{
	return request->chains != NULL ? request->chains : profiles_shown(app);
}

static void ask(struct calltree_maker *maker, struct app *app)
{
	struct calltree *t = calloc(1, sizeof *t);
	if (t == NULL)
		return;
	t->work = (struct work){.run = make, .drop = drop};
	t->request = maker->request;
	t->version = maker->version;
	t->runtime_frame = app->profiles.runtime_frame || t->request.chains != NULL;
	profiles_set_libraries(&t->libraries, app->profiles.libraries.text);
	t->after = shared_profile_ref(shown_of(&t->request, app));
	if (t->request.chains == NULL) {
		t->unknown = app->profiles.live.unknown[0] != 0;
		profiles_ages(app, &t->min_age, &t->below_age);
		t->before = shared_profile_ref(profiles_before(app));
		t->tile = shared_profile_ref(app->profiles.tile);
	}
	maker->worker.wake = app->wake;
	maker->worker.wake_context = app->wake_context;
	maker->waiting =
	    size_of(t->after) + size_of(t->before) + size_of(t->tile) >= CALLTREE_AT_ONCE;
	if (maker->waiting) {
		worker_give(&maker->worker, &t->work);
		return;
	}
	make(&t->work);
	put(maker, t);
}

static bool take(struct calltree_maker *maker)
{
	struct calltree *t = (struct calltree *)worker_take(&maker->worker);
	if (t == NULL)
		return false;
	/* A small tree, built at once, may have overtaken it. */
	if (!maker->waiting || !is_same(&t->request, &maker->request)) {
		drop(&t->work);
		return false;
	}
	maker->waiting = t->version != maker->version;
	put(maker, t);
	return true;
}

bool calltree_sync(
    struct calltree_maker *maker, struct app *app, const struct calltree_request *request)
{
	bool changed = take(maker);
	struct calltree_request now = *request;
	if (now.chains == NULL)
		(void)sites_filter_thread(&app->profiles.filter, now.thread);
	if (maker->version == app->profiles.version && is_same(&maker->request, &now))
		return changed;
	/* Of another form, or without data: the previous tree must not be shown for it. */
	bool other = maker->request.form != now.form || maker->request.chains != now.chains ||
		     strcmp(maker->request.method, now.method) != 0 ||
		     strcmp(maker->request.thread, now.thread) != 0;
	maker->request = now;
	maker->version = app->profiles.version;
	maker->waiting = false;
	if (other || shown_of(&now, app) == NULL)
		put(maker, NULL);
	if (shown_of(&now, app) != NULL &&
	    (request->form != CALLTREE_SANDWICH || request->method[0] != 0))
		ask(maker, app);
	return true;
}

void calltree_maker_fini(struct calltree_maker *maker)
{
	worker_fini(&maker->worker);
	put(maker, NULL);
	*maker = (struct calltree_maker){0};
}

uint32_t calltree_find(const struct calltree_part *part, uint64_t key)
{
	for (uint32_t i = 0; i < gcs_tree_count(part->tree); i++)
		if (part->key[i] == key)
			return i;
	return GCS_NONE;
}

uint32_t calltree_place_sites(
    struct calltree_place place, uint64_t *numbers, char *name, size_t size)
{
	const struct gcs_sites *sites = place.part != NULL ? place.tree->sites : NULL;
	if (sites == NULL)
		return 0;
	const struct gcs_tree *tree = place.part->tree;
	const struct calltree_ends *ends = &place.part->ends[place.node];
	const uint32_t most = ends->count < PROFILES_KEPT ? ends->count : PROFILES_KEPT;
	calltree_put_short(name, size, gcs_tree_node(tree, place.node));
	for (uint32_t i = ends->largest, found = 0; found < most; i++) {
		uint32_t at = gcs_tree_of_site(tree, i);
		while (at != GCS_NONE && at > place.node)
			at = gcs_tree_node(tree, at)->parent;
		if (at == place.node)
			numbers[found++] = gcs_site_number(sites, gcs_sites_at(sites, i));
	}
	return ends->count;
}

const struct gcs_frame *calltree_own_frame(struct calltree_place place)
{
	const struct calltree_ends *ends =
	    place.part != NULL ? &place.part->ends[place.node] : NULL;
	return ends != NULL && ends->count > 0 ? gcs_sites_own_frame(place.tree->sites,
						     gcs_sites_at(place.tree->sites, ends->largest))
					       : NULL;
}
