/* Entries of two profiles are the same if their call site, thread, size and region are. */
#include "profile_since.h"

#include <gcspy/memory.h>

#include "hash.h"
#include "sites.h"

/* What is still to be subtracted. */
struct rest {
	double bytes, objects;
	uint64_t samples;
};

struct since {
	uint64_t *numbers; /* by entry: its key */
	struct rest *rests;
	struct hash_table index;
};

/* The keys of all entries; NULL without memory. */
static uint64_t *keys_of(const struct gcs_profile *p)
{
	const uint32_t count = gcs_profile_entry_count(p);
	uint64_t *keys = gcs_zalloc(((size_t)count + 1) * sizeof *keys);
	if (keys == NULL || !gcs_profile_site_numbers(p, true, keys)) {
		gcs_free(keys);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(p, i);
		uint64_t key =
		    hash_text(hash_add(HASH_BEGIN, keys[i]), gcs_profile_name(p, e->thread));
		if (e->region != 0)
			key = hash_text(hash_add(key, 1), gcs_profile_name(p, e->region - 1));
		keys[i] = hash_add(key, e->size);
	}
	return keys;
}

/* Sums up the entries of the earlier profile by key. */
static bool add_before(struct since *s, const struct gcs_profile *before)
{
	const uint32_t count = gcs_profile_entry_count(before);
	uint64_t *keys = keys_of(before);
	s->rests = gcs_zalloc(((size_t)count + 1) * sizeof *s->rests);
	bool good = keys != NULL && s->rests != NULL && hash_reserve(&s->index, count);
	for (uint32_t i = 0; good && i < count; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(before, i);
		uint64_t at = hash_get(&s->index, keys[i]);
		if (at == HASH_NONE)
			hash_put(&s->index, keys[i], at = i);
		s->rests[at].bytes += e->bytes;
		s->rests[at].objects += e->objects;
		s->rests[at].samples += e->samples;
	}
	gcs_free(keys);
	return good;
}

static double take(double *rest, double value)
{
	const double part = *rest < value ? *rest : value;
	*rest -= part;
	return value - part;
}

/* Adds what is new of an entry; false without memory. */
static bool add_rest(struct since *s, struct gcs_profile *result, uint64_t key,
    const struct gcs_profile_entry *entry)
{
	const uint64_t at = hash_get(&s->index, key);
	struct gcs_profile_entry e = *entry;
	if (at != HASH_NONE) {
		struct rest *rest = &s->rests[at];
		const uint64_t samples = rest->samples < e.samples ? rest->samples : e.samples;
		e.bytes = take(&rest->bytes, e.bytes);
		e.objects = take(&rest->objects, e.objects);
		e.samples -= samples;
		rest->samples -= samples;
	}
	return e.samples == 0 || gcs_profile_add_entry(result, &e);
}

static bool copy_tables(struct gcs_profile *result, const struct gcs_profile *after)
{
	bool good = true;
	for (uint32_t i = 0; good && i < gcs_profile_name_count(after); i++)
		good = gcs_profile_add_name(result, gcs_profile_name(after, i)) == i;
	for (uint32_t i = 0; good && i < gcs_profile_frame_count(after); i++)
		good = gcs_profile_add_frame(result, gcs_profile_frame(after, i)) == i;
	for (uint32_t i = 0; good && i < gcs_profile_stack_count(after); i++)
		good = gcs_profile_add_stack(result, gcs_profile_stack(after, i)) == i;
	return good;
}

struct gcs_profile *profile_since(
    const struct gcs_profile *before, const struct gcs_profile *after, struct gcs_error *err)
{
	const struct gcs_profile_head *b = gcs_profile_head(before), *a = gcs_profile_head(after);
	if (a->kind != GCS_PROFILE_ALLOCATED || b->kind != GCS_PROFILE_ALLOCATED) {
		gcs_fail(err, GCS_ARGUMENT, "only profiles of allocations can be subtracted");
		return NULL;
	}
	if (a->since_wall_ns != b->since_wall_ns) {
		gcs_fail(err, GCS_STATE, "sampling was restarted in between");
		return NULL;
	}
	struct since s = {.numbers = keys_of(after)};
	struct gcs_profile_head head = *a;
	head.since_wall_ns = b->wall_ns;
	struct gcs_profile *result = gcs_profile_create(&head);
	bool good = s.numbers != NULL && result != NULL && add_before(&s, before) &&
		    copy_tables(result, after);
	for (uint32_t i = 0; good && i < gcs_profile_entry_count(after); i++)
		good = add_rest(&s, result, s.numbers[i], gcs_profile_entry(after, i));
	hash_fini(&s.index);
	gcs_free(s.rests);
	gcs_free(s.numbers);
	if (good)
		return result;
	gcs_profile_free(result);
	gcs_fail(err, GCS_NOMEM, "no memory for the difference of two profiles");
	return NULL;
}
