#include "sites_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "live_profile.h"
#include "sites_select.h"

/* By frame or thread, the class of objects that differ in it. */
static const char several[] = "[several classes]";

struct gathering {
	const struct gcs_profile *profile;
	const struct gcs_site_filter *filter;
	struct gcs_sites *sites;
	struct intern_texts texts; /* of names and frames */
	struct intern_keys frames; /* class, method, file, line, kind */
	struct intern_keys keys;   /* of sites: shown stack plus 1, class, thread */
	uint32_t *first_frame;     /* by frame: the first equal one */
	uint32_t *shown;           /* by stack: its shown stack plus 1, 0 for none */
	bool *wanted;              /* by stack: it or a callee is in a selected entry */
	uint32_t *own;             /* by stack: its own frame plus 1; by frame and package */
	struct selection selection;
	double *age_weight; /* by site: divisor of its means */
	uint32_t capacity;  /* of sites and weights */
};

static void *table(uint32_t count, size_t size)
{
	return gcs_zalloc(((size_t)count + 1) * size);
}

static void mark_stacks(const struct gathering *g)
{
	uint32_t entries = gcs_profile_entry_count(g->profile);
	for (uint32_t i = 0; i < entries; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(g->profile, i);
		if (e->stack != GCS_NONE && selection_has(&g->selection, e))
			g->wanted[e->stack] = true;
	}
	/* Parents have smaller numbers. */
	for (uint32_t i = gcs_profile_stack_count(g->profile); i-- != 0;) {
		uint32_t parent = gcs_profile_stack(g->profile, i)->parent;
		if (g->wanted[i] && parent != GCS_NONE)
			g->wanted[parent] = true;
	}
}

uint32_t sites_intern_frame(
    struct intern_texts *texts, struct intern_keys *frames, const struct gcs_frame *f)
{
	struct intern_key key = {{intern_text(texts, f->class_name), intern_text(texts, f->method),
	    intern_text(texts, f->file), f->line, (uint32_t)f->kind}};
	for (int i = 0; i < 3; i++)
		if (key.words[i] == UINT32_MAX)
			return UINT32_MAX;
	return intern_key(frames, &key);
}

/* Finds the first of equal frames. False without memory. */
static bool join_frames(struct gathering *g)
{
	uint32_t count = gcs_profile_frame_count(g->profile);
	uint32_t *first = g->first_frame; /* doubles as: by distinct frame, its first number */
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_frame *f = gcs_profile_frame(g->profile, i);
		uint32_t before = g->frames.count;
		uint32_t number = sites_intern_frame(&g->texts, &g->frames, f);
		if (number == UINT32_MAX)
			return false;
		if (number == before)
			first[count + number] = i;
		first[i] = first[count + number];
	}
	return true;
}

/* The shown stack of a frame called by `parent` (plus 1), plus 1; 0 without memory. */
static uint32_t shown_stack(struct gathering *g, uint32_t parent, uint32_t frame)
{
	struct intern_key key = {{parent, g->first_frame[frame]}};
	return intern_key(&g->sites->stacks, &key) + 1;
}

static bool show_stacks(struct gathering *g)
{
	uint32_t count = gcs_profile_stack_count(g->profile);
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_stack *s = gcs_profile_stack(g->profile, i);
		if (!g->wanted[i])
			continue;
		uint32_t parent = s->parent == GCS_NONE ? 0 : g->shown[s->parent];
		const struct gcs_frame *f = gcs_profile_frame(g->profile, s->frame);
		bool hidden = !g->filter->all_frames && gcs_frame_is_runtime(f);
		if (!gcs_frame_is_library(g->profile, f, g->filter->libraries))
			g->own[i] = s->frame + 1;
		else if (s->parent != GCS_NONE)
			g->own[i] = g->own[s->parent];
		g->shown[i] = hidden ? parent : shown_stack(g, parent, s->frame);
		if (!hidden && g->shown[i] == 0)
			return false;
	}
	return true;
}

/* An entry's shown stack plus 1. Of runtime frames only, the youngest stays. */
static bool stack_of(struct gathering *g, const struct gcs_profile_entry *e, uint32_t *stack)
{
	*stack = e->stack == GCS_NONE ? 0 : g->shown[e->stack];
	if (e->stack == GCS_NONE || *stack != 0)
		return true;
	*stack = shown_stack(g, 0, gcs_profile_stack(g->profile, e->stack)->frame);
	return *stack != 0;
}

/* Room for one more site. */
static bool grow(struct gathering *g)
{
	struct gcs_sites *s = g->sites;
	if (s->count < g->capacity)
		return true;
	uint32_t capacity = g->capacity == 0 ? 64 : g->capacity * 2;
	struct gcs_site *items = gcs_realloc(s->items, capacity * sizeof *items);
	if (items == NULL)
		return false;
	s->items = items;
	double *weight = gcs_realloc(g->age_weight, capacity * sizeof *weight);
	if (weight == NULL)
		return false;
	g->age_weight = weight;
	g->capacity = capacity;
	return true;
}

static void add_new(struct gcs_site *site, const struct gcs_profile_entry *e)
{
	site->new_bytes += e->bytes;
	site->new_bytes_error += e->bytes_variance;
	site->new_objects += e->objects;
}

/* Errors are variances until finish(). Means are updated incrementally, because in a hostile
 * profile a sum of estimates times ages may exceed the range of double. */
static void add_entry(const struct gcs_profile *profile, const struct gcs_live_sum *sum,
    struct gcs_site *site, double *weight, const struct gcs_profile_entry *e)
{
	enum gcs_profile_kind kind = gcs_profile_head(profile)->kind;
	bool totals = kind == GCS_PROFILE_ALLOCATED;
	/* Live objects are at most what the heap has in use. */
	const double f = kind == GCS_PROFILE_LIVE ? gcs_live_factor(sum, e) : 1;
	if (gcs_profile_is_new(profile, e)) {
		add_new(site, e);
		return;
	}
	/* In totals the means are over the dead. A sample stands for one object or more; less is what was
	 * rounded. */
	const double dead = e->objects - e->live_objects - e->new_objects;
	const double over = !totals ? e->objects : dead >= 0.5 ? dead : 0;
	site->samples += e->samples;
	site->bytes += f * e->bytes;
	site->bytes_error += f * f * e->bytes_variance;
	site->objects += f * e->objects;
	site->objects_error += f * f * e->objects_variance;
	*weight += over;
	double part = over > 0 ? over / *weight : 0;
	site->mean_age += part * (e->age - site->mean_age);
	site->mean_lifetime += part * ((double)e->lifetime_bytes - site->mean_lifetime);
	site->live_bytes += kind == GCS_PROFILE_LIVE ? f * e->bytes : sum->factor * e->live_bytes;
	site->live_objects +=
	    kind == GCS_PROFILE_LIVE ? f * e->objects : sum->factor * e->live_objects;
	site->new_bytes += e->new_bytes;
	site->new_objects += e->new_objects;
	for (uint32_t i = 0; totals && i < GCS_SURVIVAL_BUCKETS; i++)
		site->survival[i] += e->died_bytes[i];
	if (!totals)
		site->survival[gcs_survival_bucket(e->age)] += f * e->bytes;
}

static void finish(const struct gcs_profile *profile, struct gcs_site *site, double weight)
{
	const bool totals = gcs_profile_head(profile)->kind == GCS_PROFILE_ALLOCATED;
	site->bytes_error = sqrt(site->bytes_error);
	site->objects_error = sqrt(site->objects_error);
	site->new_bytes_error = totals ? -1 : sqrt(site->new_bytes_error);
	site->mean_age =
	    weight > 0 && !gcs_profile_head(profile)->explicit_free ? site->mean_age : -1;
	site->mean_lifetime = weight > 0 ? site->mean_lifetime : -1;
}

char *gcs_frame_package(
    const struct gcs_profile *profile, const struct gcs_frame *own, char *text, size_t size)
{
	const char *name = gcs_profile_no_own_frame(profile), *end = NULL;
	if (own != NULL) {
		name = own->class_name;
		if (own->kind != GCS_FRAME_NATIVE) {
			end = strrchr(name, '.');
			name = end == NULL ? "[no package]" : name;
		}
	}
	const size_t length = end != NULL ? (size_t)(end - name) : strlen(name);
	snprintf(text, size, "%.*s", (int)length, name);
	return text;
}

/* The interned package of a frame plus 1, or of no frame; UINT32_MAX without memory. */
static uint32_t package_of(struct gathering *g, uint32_t own)
{
	const char *name;
	char package[GCS_MAX_TEXT + 1];
	gcs_frame_package(g->profile, own != 0 ? gcs_profile_frame(g->profile, own - 1) : NULL,
	    package, sizeof package);
	const uint32_t known = intern_find_text(&g->texts, package);
	if (known != UINT32_MAX)
		return known;
	name = arena_text(&g->sites->arena, package, strlen(package));
	return name != NULL ? intern_text(&g->texts, name) : UINT32_MAX;
}

/* What the entry's site has in common; false without memory. */
static bool key_of(struct gathering *g, const struct gcs_profile_entry *e, struct intern_key *key)
{
	const enum gcs_sites_by by = g->filter->by;
	const bool threads = by == GCS_SITES_BY_THREAD || g->filter->by_thread;
	const bool classes =
	    by == GCS_SITES_BY_SITE || by == GCS_SITES_BY_CLASS || g->filter->by_class;
	*key = (struct intern_key){
	    {0, intern_text(&g->texts, classes ? gcs_profile_name(g->profile, e->class_name) : ""),
		intern_text(&g->texts, threads ? gcs_profile_name(g->profile, e->thread) : "")}};
	if (key->words[1] == UINT32_MAX || key->words[2] == UINT32_MAX)
		return false;
	if (by == GCS_SITES_BY_SITE)
		return stack_of(g, e, &key->words[0]);
	const uint32_t own = e->stack == GCS_NONE ? 0 : g->own[e->stack];
	if (by == GCS_SITES_BY_PACKAGE)
		return (key->words[1] = package_of(g, own)) != UINT32_MAX;
	if (by != GCS_SITES_BY_FRAME)
		return true;
	if (own != 0)
		key->words[0] = shown_stack(g, 0, own - 1);
	return own == 0 || key->words[0] != 0;
}

/* The entry's site; UINT32_MAX without memory. */
static uint32_t site_of(struct gathering *g, const struct gcs_profile_entry *e)
{
	struct gcs_sites *s = g->sites;
	const char *class_name = gcs_profile_name(g->profile, e->class_name);
	struct intern_key key;
	if (!key_of(g, e, &key) || !grow(g))
		return UINT32_MAX;
	if (g->filter->by == GCS_SITES_BY_PACKAGE)
		class_name = g->texts.items[key.words[1]];
	uint32_t number = intern_key(&g->keys, &key);
	if (number != s->count) {
		if (number != UINT32_MAX && strcmp(s->items[number].class_name, class_name) != 0)
			s->items[number].class_name = several;
		return number;
	}
	s->items[number] = (struct gcs_site){
	    .stack = key.words[0] == 0 ? GCS_NONE : key.words[0] - 1,
	    .class_name = class_name,
	    .thread = g->texts.items[key.words[2]],
	};
	g->age_weight[number] = 0;
	s->count++;
	return number;
}

static bool gather(struct gathering *g)
{
	struct gcs_sites *s = g->sites;
	double weight = 0;
	uint32_t entries = gcs_profile_entry_count(g->profile);
	const struct gcs_live_sum sum = gcs_profile_live_sum(g->profile);
	mark_stacks(g);
	if (!join_frames(g) || !show_stacks(g))
		return false;
	for (uint32_t i = 0; i < entries; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(g->profile, i);
		if (!selection_has(&g->selection, e))
			continue;
		uint32_t site = site_of(g, e);
		if (site == UINT32_MAX)
			return false;
		if (s->of_entry != NULL && !gcs_profile_is_new(g->profile, e))
			s->of_entry[i] = site + 1;
		add_entry(g->profile, &sum, &s->items[site], &g->age_weight[site], e);
		add_entry(g->profile, &sum, &s->total, &weight, e);
	}
	for (uint32_t i = 0; i < s->count; i++)
		finish(g->profile, &s->items[i], g->age_weight[i]);
	finish(g->profile, &s->total, weight);
	return true;
}

static enum gcs_status prepare(struct gathering *g, struct gcs_error *err)
{
	const struct gcs_profile_head *h = gcs_profile_head(g->profile);
	uint32_t stacks = gcs_profile_stack_count(g->profile);
	g->sites = gcs_zalloc(sizeof *g->sites);
	g->first_frame = table(gcs_profile_frame_count(g->profile), 2 * sizeof(uint32_t));
	g->shown = table(stacks, sizeof *g->shown);
	g->wanted = table(stacks, sizeof *g->wanted);
	g->own = table(stacks, sizeof *g->own);
	if (g->sites != NULL && h->kind == GCS_PROFILE_LIVE) {
		g->sites->of_entry = table(gcs_profile_entry_count(g->profile), sizeof(uint32_t));
		if (g->sites->of_entry == NULL)
			return gcs_fail(err, GCS_NOMEM, "no memory for the call sites");
	}
	if (g->sites == NULL || g->first_frame == NULL || g->shown == NULL || g->wanted == NULL ||
	    g->own == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the call sites");
	g->sites->profile = g->profile;
	g->sites->by = g->filter->by;
	g->sites->libraries = g->filter->libraries;
	g->sites->has_new = !h->live_includes_new && !h->explicit_free &&
			    gcs_profile_knows_live(g->profile) &&
			    (h->kind == GCS_PROFILE_ALLOCATED ||
				(h->kind == GCS_PROFILE_LIVE && g->filter->with_new));
	g->sites->total.stack = GCS_NONE;
	g->sites->total.class_name = g->sites->total.thread = "";
	return selection_init(&g->selection, g->profile, g->filter, err);
}

static void gathering_fini(struct gathering *g)
{
	intern_texts_fini(&g->texts);
	intern_keys_fini(&g->frames);
	intern_keys_fini(&g->keys);
	gcs_free(g->first_frame);
	gcs_free(g->shown);
	gcs_free(g->wanted);
	gcs_free(g->own);
	selection_fini(&g->selection);
	gcs_free(g->age_weight);
}

struct gcs_sites *gcs_sites_create(
    const struct gcs_profile *profile, const struct gcs_site_filter *filter, struct gcs_error *err)
{
	static const struct gcs_site_filter everything;
	struct gathering g = {.profile = profile, .filter = filter == NULL ? &everything : filter};
	enum gcs_status status = prepare(&g, err);
	bool good = status != GCS_OK || gather(&g);
	gathering_fini(&g);
	good = good && (status != GCS_OK || sites_sort(g.sites));
	if (!good)
		status = gcs_fail(err, GCS_NOMEM, "no memory for the call sites");
	if (status != GCS_OK) {
		gcs_sites_free(g.sites);
		return NULL;
	}
	struct gcs_sites *s = g.sites;
	if (g.filter->top != 0 && s->count > g.filter->top) {
		s->omitted = s->count - g.filter->top;
		s->count = g.filter->top;
	}
	return s;
}

void gcs_sites_free(struct gcs_sites *s)
{
	if (s == NULL)
		return;
	intern_keys_fini(&s->stacks);
	arena_fini(&s->arena);
	gcs_free(s->items);
	gcs_free(s->of_entry);
	gcs_free(s);
}

const struct gcs_profile *gcs_sites_profile(const struct gcs_sites *s)
{
	return s->profile;
}

bool sites_is_only_new(const struct gcs_site *s)
{
	return s->bytes <= 0 && s->new_bytes > 0;
}

enum gcs_sites_by gcs_sites_by(const struct gcs_sites *s)
{
	return s->by;
}

bool gcs_sites_has_new(const struct gcs_sites *s)
{
	return s->has_new;
}

uint32_t gcs_sites_count(const struct gcs_sites *s)
{
	return s->count;
}

uint32_t gcs_sites_omitted(const struct gcs_sites *s)
{
	return s->omitted;
}

const struct gcs_site *gcs_sites_at(const struct gcs_sites *s, uint32_t site)
{
	return site < s->count ? &s->items[site] : NULL;
}

const struct gcs_site *gcs_sites_total(const struct gcs_sites *s)
{
	return &s->total;
}

const struct gcs_frame *gcs_sites_caller(const struct gcs_sites *s, uint32_t *stack)
{
	if (*stack >= s->stacks.count)
		return NULL;
	const struct intern_key *key = &s->stacks.items[*stack];
	*stack = key->words[0] - 1; /* the root's 0 becomes GCS_NONE */
	return gcs_profile_frame(s->profile, key->words[1]);
}

const char *gcs_profile_no_own_frame(const struct gcs_profile *profile)
{
	return gcs_profile_head(profile)->explicit_free
		   ? "[no frame outside libraries]"
		   : "[no frame outside the JDK and libraries]";
}

const struct gcs_frame *gcs_sites_own_frame(const struct gcs_sites *s, const struct gcs_site *site)
{
	uint32_t stack = site->stack;
	const struct gcs_frame *f = gcs_sites_caller(s, &stack);
	while (f != NULL && gcs_frame_is_library(s->profile, f, s->libraries))
		f = gcs_sites_caller(s, &stack);
	return f;
}
