#include "path_targets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "chain_names.h"
#include "nearest.h"
#include "sites.h"

/* A usual object that no sample stands for. */
#define SMALL_BYTES 32.0

/* A matching sample. */
struct match {
	uint64_t site;
	uint32_t entry;
};

/* A call site's matches, from the first one on. */
struct group {
	uint32_t first, count;
	double objects, bytes;
};

static int by_site(const void *left, const void *right)
{
	const struct match *a = left, *b = right;
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static int by_bytes(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	return a->bytes > b->bytes ? -1 : a->bytes < b->bytes;
}

/* A nested class is written with a dollar or, as in source files, with a dot. */
static bool is_same(const char *name, const char *wanted)
{
	while (*name != '\0' && (*name == *wanted || (*name == '$' && *wanted == '.')))
		name++, wanted++;
	return *name == '\0' && *wanted == '\0';
}

bool path_is_class(const char *name, const char *wanted)
{
	const size_t length = strlen(name), end = strlen(wanted);
	if (end == 0 || is_same(name, wanted))
		return true;
	return end < length && is_same(name + length - end, wanted) &&
	       (name[length - end - 1] == '.' || name[length - end - 1] == '$');
}

static uint32_t find_matches(const struct gcs_profile *profile, const struct path_question *q,
    uint64_t site, const uint64_t *numbers, struct match *matches, uint32_t *fresh)
{
	const uint32_t count = gcs_profile_entry_count(profile);
	uint32_t found = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(profile, i);
		if (e->age < q->min_age ||
		    (site != 0 && numbers[i] != site && numbers[count + i] != site) ||
		    !path_is_class(gcs_profile_name(profile, e->class_name), q->class_name))
			continue;
		/* New samples are not known to be alive. */
		if (e->age == 0)
			++*fresh;
		else
			matches[found++] = (struct match){numbers[i], i};
	}
	return found;
}

static uint32_t find_groups(const struct gcs_profile *profile, const struct match *matches,
    uint32_t count, struct group *groups)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(profile, matches[i].entry);
		if (i == 0 || matches[i].site != matches[i - 1].site)
			groups[found++] = (struct group){.first = i};
		struct group *g = &groups[found - 1];
		g->count++;
		g->objects += e->objects;
		g->bytes += e->bytes;
	}
	return found;
}

/* Takes samples that are spread over the time of their allocation. */
static void take(const struct gcs_profile *profile, const struct match *matches,
    const struct group *g, uint32_t most, struct path_targets *t)
{
	const uint32_t count = g->count < most ? g->count : most;
	for (uint32_t i = 0; i < count; i++) {
		const struct match *m =
		    &matches[g->first + (uint32_t)((uint64_t)i * g->count / count)];
		t->items[t->count++] =
		    (struct path_target){.id = gcs_profile_entry(profile, m->entry)->id,
			.site = m->site,
			.objects = g->objects / count,
			.bytes = g->bytes / count,
			.node = TAG_NONE};
	}
}

static void choose(const struct gcs_profile *profile, const struct match *matches,
    uint32_t match_count, struct group *groups, struct path_targets *t)
{
	const uint32_t count = find_groups(profile, matches, match_count, groups);
	qsort(groups, count, sizeof *groups, by_bytes);
	t->samples = match_count;
	for (uint32_t i = 0; i < count && t->count < PATH_TARGETS_MOST; i++) {
		const uint32_t room = PATH_TARGETS_MOST - t->count;
		take(profile, matches, &groups[i],
		    room < PATH_TARGETS_SITE ? room : PATH_TARGETS_SITE, t);
		t->objects += groups[i].objects;
		t->bytes += groups[i].bytes;
		t->sites++;
	}
}

/* In one line for users, who chose the site or class from what was allocated. `fresh` samples match, but
 * for their being new. */
static enum gcs_status none(const struct gcs_profile *profile, const struct path_question *q,
    uint32_t fresh, struct gcs_error *err)
{
	const struct gcs_profile_head *head = gcs_profile_head(profile);
	const bool site = q->site[0] != '\0', class_ = q->class_name[0] != '\0',
		   where = q->where[0] != '\0', alone = q->min_age == 0 && !where;
	uint32_t live = 0;
	if (head->interval == 0)
		return gcs_fail(err, GCS_STATE,
		    "allocations are not sampled: only sampled objects are searched for");
	for (uint32_t i = 0; i < gcs_profile_entry_count(profile); i++)
		live += gcs_profile_entry(profile, i)->age != 0;
	char lost[100] = "", why[240] = "";
	if (head->lost != 0)
		snprintf(lost, sizeof lost,
		    ", or lost with the %" PRIu64 " samples that a full buffer rejected",
		    head->lost);
	const bool unknown = live == 0 && head->judged.number == 0;
	if (unknown && q->uncollected)
		snprintf(why, sizeof why,
		    ": Epsilon does not collect garbage, so nothing tells which samples are "
		    "alive; `gcspy histogram` counts all objects");
	else if (unknown)
		snprintf(why, sizeof why, ": no collection has told yet which samples are alive");
	else if (alone && fresh != 0)
		snprintf(why, sizeof why,
		    ": its samples (%" PRIu32
		    ") are new, and no collection has told yet whether they are alive",
		    fresh);
	else if (alone && class_ && !site)
		snprintf(why, sizeof why,
		    ": its objects are older than sampling, few or small (a smaller interval "
		    "samples more), or dead%s; `gcspy histogram` counts them",
		    lost);
	else if (alone && site && !class_)
		snprintf(why, sizeof why, "%s; `gcspy sites` lists the call sites", lost);
	/* With a place the profile has only what is there. */
	return gcs_fail(err, GCS_ARGUMENT,
	    "no live sample%s%.12s%s%.80s%s%.80s%s (live samples %s: %" PRIu32 ")",
	    site     ? " has the call site "
	    : class_ ? ""
		     : " matches",
	    q->site,
	    !class_ ? ""
	    : site  ? " and the class "
		    : " is of class ",
	    q->class_name, where ? " at " : "", q->where, why, where ? "there" : "in all", live);
}

enum gcs_status path_targets_choose(const struct gcs_profile *profile,
    const struct path_question *q, struct path_targets *t, struct gcs_error *err)
{
	const size_t count = gcs_profile_entry_count(profile);
	enum gcs_status status = GCS_OK;
	uint64_t site = 0;
	uint32_t fresh = 0;
	*t = (struct path_targets){.items = NULL};
	if (q->site[0] != '\0' && (!gcs_site_number_parse(q->site, &site) || site == 0))
		return gcs_fail(err, GCS_ARGUMENT,
		    "site=%.15s: expected 12 hexadecimal digits, as `gcspy sites` shows them",
		    q->site);
	uint64_t *numbers = gcs_alloc((count + 1) * 2 * sizeof *numbers);
	struct match *matches = gcs_alloc((count + 1) * sizeof *matches);
	struct group *groups = gcs_alloc((count + 1) * sizeof *groups);
	t->items = gcs_alloc(PATH_TARGETS_MOST * sizeof *t->items);
	if (numbers == NULL || matches == NULL || groups == NULL || t->items == NULL ||
	    !gcs_profile_site_numbers(profile, false, numbers) ||
	    !gcs_profile_site_numbers(profile, true, numbers + count)) {
		status = gcs_fail(err, GCS_NOMEM, "no memory for a search");
	} else {
		const uint32_t found = find_matches(profile, q, site, numbers, matches, &fresh);
		if (found == 0) {
			status = none(profile, q, fresh, err);
		} else {
			qsort(matches, found, sizeof *matches, by_site);
			choose(profile, matches, found, groups, t);
		}
	}
	gcs_free(numbers);
	gcs_free(matches);
	gcs_free(groups);
	if (status != GCS_OK)
		path_targets_free(t);
	return status;
}

bool path_targets_loaders(
    const struct path_question *q, const struct gcs_error *none, struct path_targets *t)
{
	if (q->class_name[0] == '\0' || q->site[0] != '\0' || q->where[0] != '\0' ||
	    q->min_age != 0)
		return false;
	*t = (struct path_targets){
	    .items = gcs_alloc(PATH_TARGETS_SITE * sizeof *t->items), .none = *none};
	t->loaders = t->items != NULL;
	return t->loaders;
}

void path_targets_free(struct path_targets *t)
{
	gcs_free(t->items);
	*t = (struct path_targets){.items = NULL};
}

struct path_heap path_heap_of(const struct gcs_profile *profile, uint64_t used_bytes)
{
	const struct gcs_profile_head *head = gcs_profile_head(profile);
	const bool judged = head->judged.number != 0 && head->used_bytes != 0;
	struct path_heap heap = {.used = (double)(judged ? head->used_bytes : used_bytes)};
	for (uint32_t i = 0; i < gcs_profile_entry_count(profile); i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(profile, i);
		/* What was allocated since is not among the bytes in use then. */
		if (judged && e->age == 0 && e->wall_ns > head->judged.wall_ns)
			continue;
		heap.objects += e->objects;
		heap.bytes += e->bytes;
	}
	return heap;
}

double path_heap_objects(const struct path_heap *heap, const struct path_counted *counted)
{
	const double rest = heap->used > heap->bytes ? heap->used - heap->bytes : 0;
	double objects = heap->objects + rest / SMALL_BYTES;
	if (counted->objects >= 1 && counted->bytes >= 1) {
		/* Of the same mean size; at most all of them, of which some were garbage. */
		const double growth = heap->used / counted->bytes,
			     least = counted->objects * growth,
			     most = growth > 1 ? least : counted->objects;
		objects = objects < least ? least : objects > most ? most : objects;
	}
	return objects > heap->objects ? objects : heap->objects;
}

/* The loader of a class if it has the name; the same one may come again. False if there is no room for
 * more. */
static bool add_loader(
    struct climb *c, const struct path_question *q, struct path_targets *t, uint32_t class_)
{
	const struct tag_space *tags = &c->tags;
	jobject loader = climb_loader_of(tags, class_);
	jlong size = 0;
	char name[512];
	if (loader == NULL)
		return true;
	jclass of = (*tags->jni)->GetObjectClass(tags->jni, loader);
	class_text(tags, of, name, sizeof name);
	(*tags->jni)->DeleteLocalRef(tags->jni, of);
	const bool wanted = path_is_class(name, q->class_name) && climb_reserve(c, c->count + 1);
	const uint32_t node = wanted ? climb_add(c, loader) : TAG_NONE;
	if (node != TAG_NONE) {
		(void)(*tags->jvmti)->GetObjectSize(tags->jvmti, loader, &size);
		t->items[t->count++] =
		    (struct path_target){.objects = 1, .bytes = (double)size, .node = node};
		t->objects++;
		t->bytes += (double)size;
	}
	(*tags->jni)->DeleteLocalRef(tags->jni, loader);
	return t->count < PATH_TARGETS_SITE;
}

/* The name without its package and outer classes. */
static const char *simple_name(const char *name)
{
	const char *simple = name;
	for (; *name != '\0'; name++)
		if ((*name == '.' || *name == '$') && name[1] != '\0')
			simple = name + 1;
	return simple;
}

/* Why nothing matches a class: `none` of the samples, unless no class has the name. */
static enum gcs_status no_class(const struct path_question *q, const struct tag_space *tags,
    const struct gcs_error *none, struct gcs_error *err)
{
	enum { LONG = 6 };
	struct nearest nearest = nearest_begin(simple_name(q->class_name));
	char name[512], best[100] = "", meant[130];
	for (uint32_t i = 0; i < tags->count; i++) {
		class_text(tags, tags->classes[i].class_, name, sizeof name);
		if (path_is_class(name, q->class_name))
			return gcs_fail(err, GCS_ARGUMENT, "%s", none->text);
		nearest_try(&nearest, simple_name(name));
		if (nearest.meant != NULL && nearest.meant != best) {
			snprintf(best, sizeof best, "%.99s", name);
			nearest.meant = best;
		}
	}
	/* Among so many names some short one is always alike. */
	if (nearest.best > 1 && strlen(nearest.word) < LONG)
		nearest.meant = NULL;
	return gcs_fail(err, GCS_ARGUMENT, "no loaded class is named %.80s or ends in .%.80s%s%s",
	    q->class_name, q->class_name, nearest_words(&nearest, meant, sizeof meant),
	    strpbrk(q->class_name, "*+?()|^\\") == NULL
		? ""
		: ": expected a name or its end, not a regular expression");
}

enum gcs_status path_targets_of_loaders(const struct path_question *q, struct climb *c,
    struct path_targets *targets, struct gcs_error *err)
{
	struct path_targets loaders = {.items = NULL};
	if (path_targets_loaders(q, &targets->none, &loaders))
		for (uint32_t i = 0; i < c->tags.count && add_loader(c, q, &loaders, i); i++)
			continue;
	if (loaders.count != 0) {
		path_targets_free(targets);
		*targets = loaders;
		return GCS_OK;
	}
	path_targets_free(&loaders);
	if (targets->count != 0)
		return GCS_OK;
	return no_class(q, &c->tags, &targets->none, err);
}
