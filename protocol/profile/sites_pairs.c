/*
 * The variance of a change between two profiles of one run. The error of a sample that is in both
 * is in both estimates, and cancels in their difference; what is left is that of the samples that
 * came and of those that went (docs/sites.md, "The error of a change").
 */
#include <math.h>
#include <string.h>

#include <gcspy/memory.h>

#include "calltree.h"
#include "live_profile.h"
#include "sites_internal.h"

enum { BEFORE, AFTER };

/* A sample's ids are unique within a run, which the time of its beginning tells apart. */
static bool is_one_run(const struct gcs_sites *before, const struct gcs_sites *after)
{
	const struct gcs_profile_head *b = gcs_profile_head(before->profile);
	const struct gcs_profile_head *a = gcs_profile_head(after->profile);
	return before->of_entry != NULL && after->of_entry != NULL && b->since_wall_ns != 0 &&
	       b->since_wall_ns == a->since_wall_ns && strcmp(b->server, a->server) == 0;
}

/* Live ones, selected or not. */
static bool counts(const struct gcs_profile *p, const struct gcs_profile_entry *e)
{
	return !gcs_profile_is_new(p, e);
}

/* Finds the samples that are live in both; of samples with one id the first ones. */
static bool match_samples(struct sites_pairs *p)
{
	const struct gcs_profile *before = p->of[BEFORE]->profile, *after = p->of[AFTER]->profile;
	const uint32_t was = gcs_profile_entry_count(before), is = gcs_profile_entry_count(after);
	struct hash_table index = {.count = 0};
	p->partner[BEFORE] = gcs_zalloc(((size_t)was + 1) * sizeof(uint32_t));
	p->partner[AFTER] = gcs_zalloc(((size_t)is + 1) * sizeof(uint32_t));
	if (p->partner[BEFORE] == NULL || p->partner[AFTER] == NULL || !hash_reserve(&index, was))
		return false;
	for (uint32_t i = 0; i < was; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(before, i);
		if (e->id != 0 && counts(before, e) && hash_get(&index, e->id) == HASH_NONE)
			(void)hash_put(&index, e->id, i); /* there is room */
	}
	for (uint32_t i = 0; i < is; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(after, i);
		const bool known = e->id != 0 && counts(after, e);
		const uint64_t at = known ? hash_get(&index, e->id) : HASH_NONE;
		if (at == HASH_NONE || p->partner[BEFORE][at] != 0)
			continue;
		p->partner[BEFORE][at] = i + 1;
		p->partner[AFTER][i] = (uint32_t)at + 1;
	}
	hash_fini(&index);
	return true;
}

/*
 * A sample's estimates in two profiles, with the factors that reduce them, and their variances.
 *
 * A sample is dropped for lack of room when its fixed random priority is no longer below the
 * threshold, so what a sample with the larger weight W stands for was sampled with the smaller one,
 * w, too. The covariance of the two is that of w, and W (w - s) estimates it, in which s is the
 * object's size: the variance of w, w (w - s), times W / w. With that, and the whole variance of
 * those that were dropped, which look like dead ones, the sum is unbiased:
 *
 *	f² W (W - s) + g² w (w - s) - 2 f g W (w - s)
 *
 * It is 0 for equal weights and factors, and (W - w)² + s (W - w) for equal factors.
 */
static double change_variance(const double value[2], const double variance[2], const double f[2])
{
	const int less = value[BEFORE] <= value[AFTER] ? BEFORE : AFTER;
	if (value[BEFORE] == value[AFTER] && variance[BEFORE] == variance[AFTER])
		return (f[AFTER] - f[BEFORE]) * (f[AFTER] - f[BEFORE]) * variance[BEFORE];
	const double most = sqrt(variance[BEFORE]) * sqrt(variance[AFTER]);
	const double shared = fmin(variance[less] * (value[1 - less] / value[less]), most);
	const double rest = f[BEFORE] * f[BEFORE] * variance[BEFORE] +
			    f[AFTER] * f[AFTER] * variance[AFTER] -
			    2 * f[BEFORE] * f[AFTER] * shared;
	return fmax(rest, 0);
}

static void add_alone(struct sites_variance *v, const struct gcs_profile_entry *e, double factor)
{
	v->bytes += factor * factor * e->bytes_variance;
	v->objects += factor * factor * e->objects_variance;
}

static void add_pair(struct sites_variance *v, const struct gcs_profile_entry *before,
    const struct gcs_profile_entry *after, const double factor[2])
{
	const double bytes[2] = {before->bytes, after->bytes};
	const double bytes_variance[2] = {before->bytes_variance, after->bytes_variance};
	const double objects[2] = {before->objects, after->objects};
	const double objects_variance[2] = {before->objects_variance, after->objects_variance};
	v->bytes += change_variance(bytes, bytes_variance, factor);
	v->objects += change_variance(objects, objects_variance, factor);
}

/* The row in which an entry counts. */
static uint32_t row_of(const struct gcs_sites *s, const uint32_t *rows, uint32_t entry)
{
	const uint32_t site = s->of_entry[entry];
	if (site == 0)
		return GCS_NONE;
	return rows == NULL ? 0 : site <= s->count ? rows[site - 1] : GCS_NONE;
}

static void add_samples(
    const struct sites_pairs *p, const uint32_t *const rows[2], int side, struct sites_variance *to)
{
	const struct gcs_sites *s = p->of[side], *other = p->of[1 - side];
	for (uint32_t i = 0; i < gcs_profile_entry_count(s->profile); i++) {
		const uint32_t row = row_of(s, rows[side], i), with = p->partner[side][i];
		if (row == GCS_NONE)
			continue;
		const struct gcs_profile_entry *e = gcs_profile_entry(s->profile, i);
		struct sites_variance one = {.bytes = 0};
		add_alone(&one, e, p->factor[side]);
		to[row].most_bytes = fmax(to[row].most_bytes, one.bytes);
		to[row].most_objects = fmax(to[row].most_objects, one.objects);
		to[row].held[side] +=
		    (e->bytes_variance > 0 ? p->factor : p->exact_factor)[side] * e->bytes;
		if (with == 0 || row_of(other, rows[1 - side], with - 1) != row)
			add_alone(&to[row], e, p->factor[side]);
		else if (side == AFTER)
			add_pair(
			    &to[row], gcs_profile_entry(other->profile, with - 1), e, p->factor);
	}
}

/* What the factors err by comes from all live objects. */
static void add_whole(struct sites_pairs *p)
{
	struct sites_variance sum = {.bytes = 0};
	if (p->factor[BEFORE] >= 1 && p->factor[AFTER] >= 1)
		return;
	for (int side = BEFORE; side <= AFTER; side++) {
		const struct gcs_profile *in = p->of[side]->profile;
		const struct gcs_profile *other = p->of[1 - side]->profile;
		for (uint32_t i = 0; i < gcs_profile_entry_count(in); i++) {
			const struct gcs_profile_entry *e = gcs_profile_entry(in, i);
			const uint32_t with = p->partner[side][i];
			if (with == 0 && counts(in, e))
				add_alone(&sum, e, p->factor[side]);
			else if (with != 0 && side == AFTER)
				add_pair(&sum, gcs_profile_entry(other, with - 1), e, p->factor);
		}
	}
	p->whole_bytes = sum.bytes;
	p->whole_objects = sum.objects;
}

void sites_pairs_fini(struct sites_pairs *p)
{
	for (int side = BEFORE; side <= AFTER; side++) {
		gcs_free(p->partner[side]);
		p->partner[side] = NULL;
	}
}

bool sites_pairs_init(
    struct sites_pairs *p, const struct gcs_sites *before, const struct gcs_sites *after)
{
	*p = (struct sites_pairs){.of = {before, after}};
	for (int side = BEFORE; side <= AFTER; side++) {
		const struct gcs_live_sum sum = gcs_profile_live_sum(p->of[side]->profile);
		p->factor[side] = sum.factor;
		p->exact_factor[side] = sum.exact_factor;
		p->live[side] = sum.reduced_bytes;
	}
	if (!is_one_run(before, after))
		return true;
	if (match_samples(p)) {
		add_whole(p);
		return true;
	}
	sites_pairs_fini(p);
	return false;
}

/*
 * A factor is what is used by what all samples say, so it errs with them. To a row that has the share s
 * of all, a sample adds 1 - s of its own if it is in the row, and else takes s of it away.
 */
static double with_factors(double row, double whole, double share)
{
	const double rest = fmax(whole - row, 0);
	return fmax(row, (1 - share) * (1 - share) * row + share * share * rest);
}

void sites_pairs_variance(
    const struct sites_pairs *p, const struct sites_variance *v, double *bytes, double *objects)
{
	double share = 0;
	for (int side = BEFORE; side <= AFTER; side++)
		if (p->live[side] > 0)
			share = fmax(share, fmin(v->held[side] / p->live[side], 1));
	*bytes = fmax(with_factors(v->bytes, p->whole_bytes, share), v->most_bytes);
	*objects = fmax(with_factors(v->objects, p->whole_objects, share), v->most_objects);
}

static void add_site(struct sites_variance *to, const struct gcs_site *s)
{
	to->bytes += s->bytes_error * s->bytes_error;
	to->objects += s->objects_error * s->objects_error;
}

void sites_pairs_add(
    const struct sites_pairs *p, const uint32_t *const rows[2], struct sites_variance *to)
{
	for (int side = BEFORE; side <= AFTER; side++) {
		const struct gcs_sites *s = p->of[side];
		if (p->partner[side] != NULL) {
			add_samples(p, rows, side, to);
			continue;
		}
		if (rows[side] == NULL)
			add_site(to, &s->total);
		for (uint32_t i = 0; rows[side] != NULL && i < s->count; i++)
			if (rows[side][i] != GCS_NONE)
				add_site(&to[rows[side][i]], &s->items[i]);
	}
}

static void add_callee(struct sites_variance *sum, const struct sites_variance *part)
{
	sum->bytes += part->bytes;
	sum->objects += part->objects;
	sum->most_bytes = fmax(sum->most_bytes, part->most_bytes);
	sum->most_objects = fmax(sum->most_objects, part->most_objects);
	sum->held[BEFORE] += part->held[BEFORE];
	sum->held[AFTER] += part->held[AFTER];
}

bool sites_pairs_nodes(const struct gcs_sites *before, const struct gcs_sites *after,
    uint32_t *const ends[2], struct gcs_node *nodes, uint32_t count)
{
	if (before == NULL)
		return true;
	const uint32_t *const rows[2] = {ends[0], ends[1]};
	struct sites_variance *variances = gcs_zalloc(count * sizeof *variances);
	struct sites_pairs pairs = {.factor = {1, 1}};
	const bool good = variances != NULL && sites_pairs_init(&pairs, before, after);
	if (good)
		sites_pairs_add(&pairs, rows, variances);
	/* Callers have smaller numbers. */
	for (uint32_t i = count; good && i-- != 0;) {
		const struct sites_variance *v = &variances[i];
		sites_pairs_variance(
		    &pairs, v, &nodes[i].bytes_variance, &nodes[i].objects_variance);
		if (i != 0)
			add_callee(&variances[nodes[i].parent], v);
	}
	sites_pairs_fini(&pairs);
	gcs_free(variances);
	return good;
}
