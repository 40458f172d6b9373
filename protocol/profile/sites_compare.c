/*
 * Changes between two profiles. Their sites share nothing but texts, so the texts of both are
 * interned together, and stacks by their texts.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "live_profile.h"
#include "sites_internal.h"

struct gcs_comparison {
	const struct gcs_sites *before, *after;
	struct gcs_change *items;
	struct gcs_change total;
	uint32_t count;
	char unknown[200];
	double seconds;
};

struct joining {
	struct gcs_comparison *comparison;
	struct intern_texts texts;
	struct intern_keys frames;        /* class, method, file, line, kind */
	struct intern_keys stacks;        /* caller plus 1, frame */
	struct intern_keys sites;         /* stack plus 1, class, thread */
	uint32_t *rows[2];                /* by site before and after: its change */
	struct sites_variance *variances; /* by change */
	struct sites_pairs pairs;
};

/* Fills in the numbers, plus 1, of one profile's stacks. False without memory. */
static bool join_stacks(struct joining *j, const struct gcs_sites *sites, uint32_t *numbers)
{
	for (uint32_t i = 0; i < sites->stacks.count; i++) {
		const uint32_t *words = sites->stacks.items[i].words;
		const struct gcs_frame *f = gcs_profile_frame(sites->profile, words[1]);
		struct intern_key stack = {{words[0] == 0 ? 0 : numbers[words[0] - 1],
		    sites_intern_frame(&j->texts, &j->frames, f)}};
		numbers[i] = intern_key(&j->stacks, &stack) + 1;
		if (stack.words[1] == UINT32_MAX || numbers[i] == 0)
			return false;
	}
	return true;
}

static bool join_sites(struct joining *j, const struct gcs_sites *sites, bool after)
{
	struct gcs_comparison *c = j->comparison;
	uint32_t *numbers = gcs_zalloc(((size_t)sites->stacks.count + 1) * sizeof *numbers);
	bool good = numbers != NULL && join_stacks(j, sites, numbers);
	for (uint32_t i = 0; good && i < sites->count; i++) {
		const struct gcs_site *s = &sites->items[i];
		/* By frame or thread, a site may have other classes than before. */
		const bool classes =
		    sites->by != GCS_SITES_BY_FRAME && sites->by != GCS_SITES_BY_THREAD;
		struct intern_key key = {{s->stack == GCS_NONE ? 0 : numbers[s->stack],
		    intern_text(&j->texts, classes ? s->class_name : ""),
		    intern_text(&j->texts, s->thread)}};
		uint32_t number = intern_key(&j->sites, &key);
		good = number != UINT32_MAX && key.words[1] != UINT32_MAX &&
		       key.words[2] != UINT32_MAX;
		if (!good)
			break;
		struct gcs_change *change = &c->items[number];
		*(after ? &change->after : &change->before) = s;
		j->rows[after][i] = number;
		c->count = j->sites.count;
	}
	gcs_free(numbers);
	return good;
}

static void settle(
    struct gcs_change *c, const struct sites_pairs *pairs, const struct sites_variance *v)
{
	static const struct gcs_site none = {.stack = GCS_NONE};
	const struct gcs_site *before = c->before == NULL ? &none : c->before;
	const struct gcs_site *after = c->after == NULL ? &none : c->after;
	double bytes, objects;
	sites_pairs_variance(pairs, v, &bytes, &objects);
	c->bytes = after->bytes - before->bytes;
	c->bytes_error = sqrt(bytes);
	c->objects = after->objects - before->objects;
	c->objects_error = sqrt(objects);
}

static const struct gcs_site *either(const struct gcs_change *c)
{
	return c->after == NULL ? c->before : c->after;
}

/* From the largest growth to the largest shrinkage. */
static int compare(const void *left, const void *right)
{
	const struct gcs_change *a = left, *b = right;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	int order = strcmp(either(a)->class_name, either(b)->class_name);
	if (order == 0)
		order = (a->after == NULL) - (b->after == NULL);
	return order != 0
		   ? order
		   : (either(a)->stack > either(b)->stack) - (either(a)->stack < either(b)->stack);
}

static void settle_all(struct joining *j)
{
	struct gcs_comparison *c = j->comparison;
	const uint32_t *const rows[2] = {j->rows[0], j->rows[1]};
	const uint32_t *const whole[2] = {NULL, NULL};
	struct sites_variance total = {.bytes = 0};
	sites_pairs_add(&j->pairs, rows, j->variances);
	for (uint32_t i = 0; i < c->count; i++)
		settle(&c->items[i], &j->pairs, &j->variances[i]);
	if (c->count != 0)
		qsort(c->items, c->count, sizeof *c->items, compare);
	sites_pairs_add(&j->pairs, whole, &total);
	c->total = (struct gcs_change){.before = &c->before->total, .after = &c->after->total};
	settle(&c->total, &j->pairs, &total);
}

static bool join(struct joining *j, const struct gcs_sites *before, const struct gcs_sites *after)
{
	struct gcs_comparison *c = j->comparison;
	const size_t most = (size_t)before->count + after->count + 1;
	c->before = before;
	c->after = after;
	c->items = gcs_zalloc(most * sizeof *c->items);
	j->rows[0] = gcs_alloc(((size_t)before->count + 1) * sizeof(uint32_t));
	j->rows[1] = gcs_alloc(((size_t)after->count + 1) * sizeof(uint32_t));
	j->variances = gcs_zalloc(most * sizeof *j->variances);
	if (c->items == NULL || j->rows[0] == NULL || j->rows[1] == NULL || j->variances == NULL ||
	    !sites_pairs_init(&j->pairs, before, after) || !join_sites(j, before, false) ||
	    !join_sites(j, after, true))
		return false;
	settle_all(j);
	gcs_profiles_tell_growth(before->profile, after->profile, c->unknown, sizeof c->unknown);
	c->seconds = gcs_profiles_seconds(before->profile, after->profile);
	return true;
}

struct gcs_comparison *gcs_sites_compare(
    const struct gcs_sites *before, const struct gcs_sites *after, struct gcs_error *err)
{
	struct joining j = {.comparison = gcs_zalloc(sizeof *j.comparison)};
	bool done = j.comparison != NULL && join(&j, before, after);
	intern_texts_fini(&j.texts);
	intern_keys_fini(&j.frames);
	intern_keys_fini(&j.stacks);
	intern_keys_fini(&j.sites);
	sites_pairs_fini(&j.pairs);
	gcs_free(j.rows[0]);
	gcs_free(j.rows[1]);
	gcs_free(j.variances);
	if (done)
		return j.comparison;
	gcs_comparison_free(j.comparison);
	gcs_fail(err, GCS_NOMEM, "no memory for the comparison");
	return NULL;
}

void gcs_comparison_free(struct gcs_comparison *c)
{
	if (c == NULL)
		return;
	gcs_free(c->items);
	gcs_free(c);
}

uint32_t gcs_comparison_count(const struct gcs_comparison *c)
{
	return c->count;
}

const struct gcs_change *gcs_comparison_at(const struct gcs_comparison *c, uint32_t change)
{
	return change < c->count ? &c->items[change] : NULL;
}

const struct gcs_change *gcs_comparison_total(const struct gcs_comparison *c)
{
	return &c->total;
}

const char *gcs_comparison_unknown(const struct gcs_comparison *c)
{
	return c->unknown;
}

double gcs_comparison_seconds(const struct gcs_comparison *c)
{
	return c->seconds;
}

const struct gcs_sites *gcs_comparison_before(const struct gcs_comparison *c)
{
	return c->before;
}

const struct gcs_sites *gcs_comparison_after(const struct gcs_comparison *c)
{
	return c->after;
}
