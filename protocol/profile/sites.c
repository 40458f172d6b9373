#include "sites_internal.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

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
	bool *class_fits;          /* by name */
	bool *thread_fits;
	double *age_weight; /* by site: divisor of its means */
	uint32_t capacity;  /* of sites and weights */
};

static void *table(uint32_t count, size_t size)
{
	return gcs_zalloc(((size_t)count + 1) * size);
}

/* Marks the names that match the pattern; all of them without one. */
static enum gcs_status match_names(const struct gathering *g, const char *what, const char *pattern,
    bool *fits, struct gcs_error *err)
{
	uint32_t count = gcs_profile_name_count(g->profile);
	regex_t regex;
	if (pattern == NULL) {
		memset(fits, 1, count);
		return GCS_OK;
	}
	int code = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (code != 0) {
		char words[128];
		regerror(code, &regex, words, sizeof words);
		return gcs_fail(err, code == REG_ESPACE ? GCS_NOMEM : GCS_ARGUMENT,
		    "%s \"%.100s\" is not a regular expression: %s", what, pattern, words);
	}
	for (uint32_t i = 0; i < count; i++)
		fits[i] = regexec(&regex, gcs_profile_name(g->profile, i), 0, NULL, 0) == 0;
	regfree(&regex);
	return GCS_OK;
}

static bool counts(const struct gathering *g, const struct gcs_profile_entry *e)
{
	const struct gcs_site_filter *f = g->filter;
	return g->class_fits[e->class_name] && g->thread_fits[e->thread] && e->age >= f->min_age &&
	       (f->below_age == 0 || e->age < f->below_age);
}

static void mark_stacks(const struct gathering *g)
{
	uint32_t entries = gcs_profile_entry_count(g->profile);
	for (uint32_t i = 0; i < entries; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(g->profile, i);
		if (e->stack != GCS_NONE && counts(g, e))
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
		bool hidden = !g->filter->all_frames &&
			      gcs_frame_is_runtime(gcs_profile_frame(g->profile, s->frame));
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

/* Errors are variances until finish(). Means are updated incrementally, because in a hostile
 * profile a sum of estimates times ages may exceed the range of double. */
static void add_entry(const struct gcs_profile *profile, struct gcs_site *site, double *weight,
    const struct gcs_profile_entry *e)
{
	enum gcs_profile_kind kind = gcs_profile_head(profile)->kind;
	bool totals = kind == GCS_PROFILE_ALLOCATED;
	/* In totals the means are over the dead. */
	double over = !totals                        ? e->objects
		      : e->objects > e->live_objects ? e->objects - e->live_objects
						     : 0;
	site->samples += e->samples;
	site->bytes += e->bytes;
	site->bytes_error += e->bytes_variance;
	site->objects += e->objects;
	site->objects_error += e->objects_variance;
	*weight += over;
	double part = over > 0 ? over / *weight : 0;
	site->mean_age += part * (e->age - site->mean_age);
	site->mean_lifetime += part * ((double)e->lifetime_bytes - site->mean_lifetime);
	site->live_bytes += kind == GCS_PROFILE_LIVE ? e->bytes : e->live_bytes;
	site->live_objects += kind == GCS_PROFILE_LIVE ? e->objects : e->live_objects;
	for (uint32_t i = 0; totals && i < GCS_SURVIVAL_BUCKETS; i++)
		site->survival[i] += e->died_bytes[i];
	if (!totals)
		site->survival[gcs_survival_bucket(e->age)] += e->bytes;
}

static void finish(struct gcs_site *site, double weight)
{
	site->bytes_error = sqrt(site->bytes_error);
	site->objects_error = sqrt(site->objects_error);
	site->mean_age = weight > 0 ? site->mean_age : -1;
	site->mean_lifetime = weight > 0 ? site->mean_lifetime : -1;
}

/* The entry's site; UINT32_MAX without memory. */
static uint32_t site_of(struct gathering *g, const struct gcs_profile_entry *e)
{
	struct gcs_sites *s = g->sites;
	const char *class_name = gcs_profile_name(g->profile, e->class_name);
	const char *thread = g->filter->by_thread ? gcs_profile_name(g->profile, e->thread) : "";
	struct intern_key key = {
	    {0, intern_text(&g->texts, class_name), intern_text(&g->texts, thread)}};
	if (!stack_of(g, e, &key.words[0]) || key.words[1] == UINT32_MAX ||
	    key.words[2] == UINT32_MAX || !grow(g))
		return UINT32_MAX;
	uint32_t number = intern_key(&g->keys, &key);
	if (number != s->count)
		return number;
	s->items[number] = (struct gcs_site){
	    .stack = key.words[0] == 0 ? GCS_NONE : key.words[0] - 1,
	    .class_name = class_name,
	    .thread = thread,
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
	mark_stacks(g);
	if (!join_frames(g) || !show_stacks(g))
		return false;
	for (uint32_t i = 0; i < entries; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(g->profile, i);
		if (!counts(g, e))
			continue;
		uint32_t site = site_of(g, e);
		if (site == UINT32_MAX)
			return false;
		add_entry(g->profile, &s->items[site], &g->age_weight[site], e);
		add_entry(g->profile, &s->total, &weight, e);
	}
	for (uint32_t i = 0; i < s->count; i++)
		finish(&s->items[i], g->age_weight[i]);
	finish(&s->total, weight);
	return true;
}

/* The largest first; deterministic. */
static int compare(const void *left, const void *right)
{
	const struct gcs_site *a = left, *b = right;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	int order = strcmp(a->class_name, b->class_name);
	if (order == 0)
		order = strcmp(a->thread, b->thread);
	return order != 0 ? order : (a->stack > b->stack) - (a->stack < b->stack);
}

static enum gcs_status prepare(struct gathering *g, struct gcs_error *err)
{
	uint32_t names = gcs_profile_name_count(g->profile);
	uint32_t stacks = gcs_profile_stack_count(g->profile);
	g->sites = gcs_zalloc(sizeof *g->sites);
	g->first_frame = table(gcs_profile_frame_count(g->profile), 2 * sizeof(uint32_t));
	g->shown = table(stacks, sizeof *g->shown);
	g->wanted = table(stacks, sizeof *g->wanted);
	g->class_fits = table(names, sizeof *g->class_fits);
	g->thread_fits = table(names, sizeof *g->thread_fits);
	if (g->sites == NULL || g->first_frame == NULL || g->shown == NULL || g->wanted == NULL ||
	    g->class_fits == NULL || g->thread_fits == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the call sites");
	g->sites->profile = g->profile;
	g->sites->total.stack = GCS_NONE;
	g->sites->total.class_name = g->sites->total.thread = "";
	enum gcs_status status =
	    match_names(g, "class", g->filter->class_pattern, g->class_fits, err);
	return status != GCS_OK
		   ? status
		   : match_names(g, "thread", g->filter->thread_pattern, g->thread_fits, err);
}

static void gathering_fini(struct gathering *g)
{
	intern_texts_fini(&g->texts);
	intern_keys_fini(&g->frames);
	intern_keys_fini(&g->keys);
	gcs_free(g->first_frame);
	gcs_free(g->shown);
	gcs_free(g->wanted);
	gcs_free(g->class_fits);
	gcs_free(g->thread_fits);
	gcs_free(g->age_weight);
}

struct gcs_sites *gcs_sites_create(
    const struct gcs_profile *profile, const struct gcs_site_filter *filter, struct gcs_error *err)
{
	static const struct gcs_site_filter everything;
	struct gathering g = {.profile = profile, .filter = filter == NULL ? &everything : filter};
	if (gcs_profile_head(profile)->kind == GCS_PROFILE_ALLOCATED &&
	    (g.filter->min_age != 0 || g.filter->below_age != 0)) {
		gcs_fail(err, GCS_UNSUPPORTED,
		    "ages of single objects are not kept for what was allocated; each site has the "
		    "bytes that died at each age");
		return NULL;
	}
	enum gcs_status status = prepare(&g, err);
	if (status == GCS_OK && !gather(&g))
		status = gcs_fail(err, GCS_NOMEM, "no memory for the call sites");
	gathering_fini(&g);
	if (status != GCS_OK) {
		gcs_sites_free(g.sites);
		return NULL;
	}
	struct gcs_sites *s = g.sites;
	if (s->count != 0)
		qsort(s->items, s->count, sizeof *s->items, compare);
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
	gcs_free(s->items);
	gcs_free(s);
}

const struct gcs_profile *gcs_sites_profile(const struct gcs_sites *s)
{
	return s->profile;
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
