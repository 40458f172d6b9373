#include "sites_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "sites.h"

static bool same_frame(const struct gcs_frame *a, const struct gcs_frame *b)
{
	return a->line == b->line && a->kind == b->kind && strcmp(a->method, b->method) == 0 &&
	       strcmp(a->class_name, b->class_name) == 0 && strcmp(a->file, b->file) == 0;
}

static uint32_t find_name(
    const struct sites_index *index, const struct hash_table *names, uint64_t key, const char *name)
{
	struct hash_search s = hash_search(names, key);
	for (uint64_t i; hash_next(&s, &i);)
		if (strcmp(gcs_profile_name(index->profile, (uint32_t)i), name) == 0)
			return (uint32_t)i;
	return GCS_NONE;
}

static bool index_names(struct sites_index *index)
{
	const uint32_t count = gcs_profile_name_count(index->profile);
	struct hash_table names = {0};
	if (!hash_reserve(&names, count))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const char *name = gcs_profile_name(index->profile, i);
		index->name_key[i] = hash_text(hash_secret(), name);
		index->name_of[i] = find_name(index, &names, index->name_key[i], name);
		if (index->name_of[i] == GCS_NONE) {
			index->name_of[i] = i;
			hash_put(&names, index->name_key[i], i);
		}
	}
	hash_fini(&names);
	return true;
}

static uint32_t find_frame(const struct sites_index *index, const struct hash_table *frames,
    uint64_t key, const struct gcs_frame *f)
{
	struct hash_search s = hash_search(frames, key);
	for (uint64_t i; hash_next(&s, &i);)
		if (same_frame(gcs_profile_frame(index->profile, (uint32_t)i), f))
			return (uint32_t)i;
	return GCS_NONE;
}

static bool index_frames(struct sites_index *index)
{
	const uint32_t count = gcs_profile_frame_count(index->profile);
	struct hash_table frames = {0};
	if (!hash_reserve(&frames, count))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_frame *f = gcs_profile_frame(index->profile, i);
		uint64_t key = hash_mix(hash_text(hash_secret(), f->class_name));
		key = hash_mix(hash_text(hash_mix(hash_text(key, f->method)), f->file));
		key = hash_add(key, (uint64_t)f->kind << 32 | f->line);
		index->frame_key[i] = key;
		index->frame_of[i] = find_frame(index, &frames, key, f);
		if (index->frame_of[i] == GCS_NONE) {
			index->frame_of[i] = i;
			hash_put(&frames, key, i);
		}
	}
	hash_fini(&frames);
	return true;
}

/* The node of a frame on top of another node, made if it is new; there is room for it. */
static uint32_t intern_node(
    struct sites_index *index, struct hash_table *nodes, uint32_t parent, uint32_t frame)
{
	uint64_t below = parent != GCS_NONE ? index->node[parent].key : 0;
	uint64_t key = hash_mix(hash_add(below, index->frame_key[frame]));
	struct hash_search s = hash_search(nodes, key);
	for (uint64_t i; hash_next(&s, &i);)
		if (index->node[i].parent == parent && index->node[i].frame == frame)
			return (uint32_t)i;
	hash_put(nodes, key, index->node_count);
	index->node[index->node_count] = (struct sites_node){.parent = parent,
	    .frame = frame,
	    .depth = parent != GCS_NONE ? index->node[parent].depth + 1 : 1,
	    .key = key};
	return index->node_count++;
}

static void index_stacks_with(
    struct sites_index *index, struct hash_table *nodes, const bool *hidden)
{
	const struct gcs_profile *p = index->profile;
	uint32_t n = gcs_profile_stack_count(p);
	for (uint32_t i = 0; i < n; i++) {
		const struct gcs_stack *stack = gcs_profile_stack(p, i);
		uint32_t below =
		    stack->parent != GCS_NONE ? index->node_of[stack->parent] : GCS_NONE;
		uint32_t frame = index->frame_of[stack->frame];
		index->node_of[i] = hidden[frame] ? below : intern_node(index, nodes, below, frame);
		index->alone_of[i] = index->node_of[i];
		if (index->node_of[i] == GCS_NONE)
			index->alone_of[i] = intern_node(index, nodes, GCS_NONE, frame);
	}
}

static bool index_stacks(struct sites_index *index)
{
	const struct gcs_profile *p = index->profile;
	uint32_t frames = gcs_profile_frame_count(p);
	bool *hidden = calloc((size_t)frames + 1, sizeof *hidden);
	struct hash_table nodes = {0};
	bool ok = hidden != NULL && hash_reserve(&nodes, gcs_profile_stack_count(p));
	for (uint32_t i = 0; ok && !index->runtime_frame && i < frames; i++)
		hidden[i] = gcs_frame_is_runtime(gcs_profile_frame(p, i));
	if (ok)
		index_stacks_with(index, &nodes, hidden);
	free(hidden);
	hash_fini(&nodes);
	return ok;
}

bool sites_index_init(
    struct sites_index *index, const struct gcs_profile *profile, bool runtime_frame)
{
	size_t names = (size_t)gcs_profile_name_count(profile) + 1;
	size_t frames = (size_t)gcs_profile_frame_count(profile) + 1;
	size_t stacks = (size_t)gcs_profile_stack_count(profile) + 1;
	*index = (struct sites_index){
	    .profile = profile,
	    .runtime_frame = runtime_frame,
	    .border = gcs_profile_entry_count(profile),
	    .name_of = malloc(names * sizeof *index->name_of),
	    .name_key = malloc(names * sizeof *index->name_key),
	    .frame_of = malloc(frames * sizeof *index->frame_of),
	    .frame_key = malloc(frames * sizeof *index->frame_key),
	    .node_of = malloc(stacks * sizeof *index->node_of),
	    .alone_of = malloc(stacks * sizeof *index->alone_of),
	    .node = malloc(stacks * sizeof *index->node),
	};
	if (index->name_of != NULL && index->name_key != NULL && index->frame_of != NULL &&
	    index->frame_key != NULL && index->node_of != NULL && index->alone_of != NULL &&
	    index->node != NULL && index_names(index) && index_frames(index) && index_stacks(index))
		return true;
	sites_index_fini(index);
	return false;
}

void sites_index_fini(struct sites_index *index)
{
	free(index->name_of);
	free(index->name_key);
	free(index->frame_of);
	free(index->frame_key);
	free(index->node_of);
	free(index->alone_of);
	free(index->node);
	memset(index, 0, sizeof *index);
}

/* What of the profile the filter finds: one flag for each name of a class, of a thread, each
 * stack. */
struct found {
	bool *class_name, *thread, *stack;
};

static void find_in_stacks(struct found *found, const struct gcs_profile *p,
    const struct sites_filter *filter, bool *frame)
{
	char text[2 * (GCS_MAX_TEXT + 1)];
	for (uint32_t i = 0; i < gcs_profile_frame_count(p); i++) {
		const struct gcs_frame *f = gcs_profile_frame(p, i);
		snprintf(text, sizeof text, "%s.%s", f->class_name, f->method);
		frame[i] = sites_filter_finds(filter, SITES_METHOD, text);
	}
	for (uint32_t i = 0; i < gcs_profile_stack_count(p); i++) {
		const struct gcs_stack *s = gcs_profile_stack(p, i);
		found->stack[i] =
		    frame[s->frame] || (s->parent != GCS_NONE && found->stack[s->parent]);
	}
}

static bool found_init(
    struct found *found, const struct gcs_profile *p, const struct sites_filter *filter)
{
	uint32_t names = gcs_profile_name_count(p);
	found->class_name = calloc((size_t)names + 1, sizeof(bool));
	found->thread = calloc((size_t)names + 1, sizeof(bool));
	found->stack = calloc((size_t)gcs_profile_stack_count(p) + 1, sizeof(bool));
	bool *frame = calloc((size_t)gcs_profile_frame_count(p) + 1, sizeof(bool));
	bool ok = found->class_name != NULL && found->thread != NULL && found->stack != NULL &&
		  frame != NULL;
	for (uint32_t i = 0; ok && i < names; i++) {
		const char *name = gcs_profile_name(p, i);
		found->class_name[i] = sites_filter_finds(filter, SITES_CLASS, name);
		found->thread[i] = sites_filter_finds(filter, SITES_THREAD, name);
	}
	if (ok)
		find_in_stacks(found, p, filter, frame);
	free(frame);
	return ok;
}

static void found_fini(struct found *found)
{
	free(found->class_name);
	free(found->thread);
	free(found->stack);
}

/* Means over objects, kept so that no sum can overflow; entries without objects weigh nothing. */
static void add_entry(struct site *site, const struct gcs_profile_entry *e)
{
	site->samples += e->samples;
	site->bytes += e->bytes;
	site->bytes_variance += e->bytes_variance;
	site->objects += e->objects;
	site->objects_variance += e->objects_variance;
	double weight = site->objects > 0 ? e->objects / site->objects : 1;
	site->age += ((double)e->age - site->age) * weight;
	site->lifetime += ((double)e->lifetime_bytes - site->lifetime) * weight;
	site->live_bytes += e->live_bytes;
	site->live_objects += e->live_objects;
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		site->died_bytes[i] += e->died_bytes[i];
}

static void add_base(struct site *site, const struct gcs_profile_entry *e)
{
	site->base_samples += e->samples;
	site->base_bytes += e->bytes;
	site->base_objects += e->objects;
	site->bytes_variance += e->bytes_variance;
	site->objects_variance += e->objects_variance;
}

static bool is_of_age(const struct sites_index *index, const struct gcs_profile_entry *e)
{
	return e->age >= index->min_age && (index->below_age == 0 || e->age < index->below_age);
}

static struct site *site_of(struct sites *sites, const struct sites_index *index,
    struct hash_table *known, const struct gcs_profile_entry *e)
{
	uint32_t node = GCS_NONE;
	if (e->stack != GCS_NONE)
		node = index->alone_of[e->stack];
	uint32_t name = index->name_of[e->class_name];
	uint64_t stack_key = node != GCS_NONE ? index->node[node].key : 0;
	uint64_t key = hash_mix(hash_add(stack_key, index->name_key[name]));
	struct hash_search s = hash_search(known, key);
	for (uint64_t i; hash_next(&s, &i);)
		if (sites->site[i].node == node && sites->site[i].class_name == name)
			return &sites->site[i];
	hash_put(known, key, sites->count);
	struct site *site = &sites->site[sites->count++];
	*site = (struct site){.key = key, .node = node, .class_name = name, .entry = GCS_NONE};
	return site;
}

static void group(struct sites *sites, const struct sites_index *index, struct hash_table *known,
    const struct found *found)
{
	const struct gcs_profile *p = index->profile;
	for (uint32_t i = 0; i < gcs_profile_entry_count(p); i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(p, i);
		bool base = i >= index->border;
		sites->of_entry[i] = GCS_NONE;
		if (!is_of_age(index, e))
			continue;
		*(base ? &sites->all_base_bytes : &sites->all_bytes) += e->bytes;
		if (found != NULL && !found->class_name[e->class_name] &&
		    !found->thread[e->thread] && (e->stack == GCS_NONE || !found->stack[e->stack]))
			continue;
		struct site *site = site_of(sites, index, known, e);
		if (site->entry == GCS_NONE)
			site->entry = i;
		if (base)
			add_base(site, e);
		else
			add_entry(site, e);
		*(base ? &sites->base_bytes : &sites->bytes) += e->bytes;
		sites->of_entry[i] = (uint32_t)(site - sites->site);
	}
}

bool sites_init(
    struct sites *sites, const struct sites_index *index, const struct sites_filter *filter)
{
	size_t n = (size_t)gcs_profile_entry_count(index->profile);
	*sites = (struct sites){.site = malloc((n + 1) * sizeof *sites->site),
	    .of_entry = malloc((n + 1) * sizeof *sites->of_entry)};
	struct hash_table known = {0};
	struct found found = {0};
	bool filtered = filter != NULL && !sites_filter_is_open(filter);
	bool ok = sites->site != NULL && sites->of_entry != NULL && hash_reserve(&known, n) &&
		  (!filtered || found_init(&found, index->profile, filter));
	if (ok)
		group(sites, index, &known, filtered ? &found : NULL);
	hash_fini(&known);
	found_fini(&found);
	if (!ok)
		sites_fini(sites);
	return ok;
}

void sites_fini(struct sites *sites)
{
	free(sites->site);
	free(sites->of_entry);
	memset(sites, 0, sizeof *sites);
}

const struct gcs_frame *sites_top(const struct sites_index *index, const struct site *site)
{
	if (site->node == GCS_NONE)
		return NULL;
	return gcs_profile_frame(index->profile, index->node[site->node].frame);
}
