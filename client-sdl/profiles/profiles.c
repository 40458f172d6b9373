/* The shown profile: kind, ages, comparison. Declared in profiles.h. */
#include "profiles.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "live_profile.h"
#include "sites_view.h"

struct shared_profile {
	struct gcs_profile *profile;
	atomic_uint holders;
};

struct shared_profile *shared_profile_new(struct gcs_profile *profile)
{
	struct shared_profile *shared = profile != NULL ? malloc(sizeof *shared) : NULL;
	if (shared == NULL) {
		gcs_profile_free(profile);
		return NULL;
	}
	shared->profile = profile;
	atomic_init(&shared->holders, 1);
	return shared;
}

struct shared_profile *shared_profile_ref(struct shared_profile *shared)
{
	if (shared != NULL)
		atomic_fetch_add(&shared->holders, 1);
	return shared;
}

void shared_profile_unref(struct shared_profile *shared)
{
	if (shared == NULL || atomic_fetch_sub(&shared->holders, 1) != 1)
		return;
	gcs_profile_free(shared->profile);
	free(shared);
}

const struct gcs_profile *shared_profile_get(const struct shared_profile *shared)
{
	return shared != NULL ? shared->profile : NULL;
}

void profiles_init(struct app *app)
{
	struct profiles *p = &app->profiles;
	*p = (struct profiles){.automatic = true, .version = 1, .kept_by = VIEW_SITES};
	p->reader.wake = p->loader.wake = p->decoder.wake = app->wake;
	p->reader.wake_context = p->loader.wake_context = p->decoder.wake_context =
	    app->wake_context;
}

void profiles_fini(struct app *app)
{
	struct profiles *p = &app->profiles;
	worker_fini(&p->reader);
	worker_fini(&p->loader);
	worker_fini(&p->decoder);
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++)
		shared_profile_unref(p->data[i].profile);
	shared_profile_unref(p->base.profile);
	shared_profile_unref(p->ends.from);
	shared_profile_unref(p->ends.to);
	shared_profile_unref(p->tile);
	site_locations_fini(&p->site_locations);
	sites_filter_fini(&p->filter);
	*p = (struct profiles){0};
}

bool profiles_are_shown(const struct app *app)
{
	return app->view_id == VIEW_SITES || app->view_id == VIEW_FLAME ||
	       app->view_id == VIEW_CALLS;
}

struct shared_profile *profiles_shown(const struct app *app)
{
	const struct profiles *p = &app->profiles;
	return p->ends.to != NULL ? p->ends.to : p->data[p->kind].profile;
}

struct shared_profile *profiles_before(const struct app *app)
{
	const struct profiles *p = &app->profiles;
	if (p->ends.to != NULL)
		return p->ends.from;
	const struct gcs_profile *base = shared_profile_get(p->base.profile);
	/* Profiles of different kinds are not comparable. */
	return base != NULL && gcs_profile_head(base)->kind == p->kind ? p->base.profile : NULL;
}

bool profiles_have_side(void *self, struct app *app)
{
	(void)self;
	return profiles_shown(app) != NULL;
}

const struct gcs_profile *profiles_profile(const struct app *app)
{
	return shared_profile_get(profiles_shown(app));
}

void profiles_ages(const struct app *app, uint32_t *min_age, uint32_t *below_age)
{
	bool any = app->profiles.kind == GCS_PROFILE_ALLOCATED;
	*min_age = any ? 0 : app->profiles.min_age;
	*below_age = any ? 0 : app->profiles.below_age;
	/* An older server does not distinguish new objects from those that survived. */
	const struct gcs_profile *profile = profiles_profile(app);
	if (app->profiles.kind == GCS_PROFILE_LIVE && profile != NULL && *min_age == 0 &&
	    *below_age != 1 && profiles_before(app) != NULL &&
	    gcs_profile_head(profile)->live_includes_new)
		*min_age = 1;
}

bool profiles_are_rates(const struct app *app)
{
	return profiles_before(app) != NULL && app->profiles.live.minutes > 0;
}

static double new_bytes(const struct gcs_profile *profile)
{
	double bytes = 0;
	for (uint32_t i = 0; i < gcs_profile_entry_count(profile); i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(profile, i);
		bytes += gcs_profile_is_new(profile, e) ? e->bytes : e->new_bytes;
	}
	return bytes;
}

/* Once for each profile: it takes a pass over its entries. */
static void describe_live(struct app *app)
{
	struct profiles_live *l = &app->profiles.live;
	const struct gcs_profile *profile = profiles_profile(app);
	const struct gcs_profile *before = shared_profile_get(profiles_before(app));
	*l = (struct profiles_live){.minutes = 0};
	if (profile == NULL)
		return;
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const bool aged = h->kind == GCS_PROFILE_LIVE || h->kind == GCS_PROFILE_ALLOCATED;
	gcs_profile_judged_text(l->judged, sizeof l->judged, profile);
	if (app->profiles.where[0] == '\0')
		gcs_profile_coverage_text(l->cover, sizeof l->cover, profile);
	if (aged && !h->live_includes_new)
		sites_put_bytes(l->new_bytes, sizeof l->new_bytes, new_bytes(profile));
	if (before == NULL || !aged)
		return;
	gcs_profiles_tell_growth(before, profile, l->unknown, sizeof l->unknown);
	l->minutes = gcs_profiles_seconds(before, profile) / 60;
}

void profiles_changed(struct app *app)
{
	app->profiles.version++;
	describe_live(app);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

void profiles_filtered(struct app *app)
{
	app->profiles.filter_version++;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

void profiles_keep(struct app *app)
{
	app->profiles.kept = true;
	app->profiles.kept_by = (int)app->view_id;
}

void profiles_set_tile(struct app *app, struct shared_profile *tile)
{
	if (tile == app->profiles.tile)
		return;
	shared_profile_unref(app->profiles.tile);
	app->profiles.tile = shared_profile_ref(tile);
	app->profiles.version++;
}
