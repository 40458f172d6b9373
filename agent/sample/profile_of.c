/* Makes a profile for clients from the sample store, under its lock. */

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "now.h"
#include "sampler_internal.h"

/* The numbers of stack table items in the profile, plus 1; 0: not added yet. */
struct making {
	const struct sample_store *sample_store;
	const struct stack_table *stack_table;
	struct gcs_profile *profile;
	uint32_t *symbolizer;
	uint32_t *frames;
	uint32_t *stacks;
	bool failed;
};

static uint32_t name_of(struct making *m, uint32_t text)
{
	uint32_t number;
	uint32_t *known =
	    &m->symbolizer[text == STACK_TABLE_NONE ? stack_table_text_count(m->stack_table)
						    : text];
	if (*known != 0)
		return *known - 1;
	number = gcs_profile_add_name(
	    m->profile, text == STACK_TABLE_NONE ? "?" : stack_table_name(m->stack_table, text));
	m->failed = m->failed || number == GCS_NONE;
	*known = number + 1;
	return number;
}

static uint32_t frame_of(struct making *m, uint32_t frame)
{
	if (m->frames[frame] != 0)
		return m->frames[frame] - 1;
	const struct stack_table_frame *f = stack_table_frame(m->stack_table, frame);
	struct gcs_frame copy = {
	    .class_name = stack_table_name(m->stack_table, f->class_name),
	    .method = stack_table_name(m->stack_table, f->method),
	    .file = stack_table_name(m->stack_table, f->file),
	    .line = f->line,
	    .kind = (enum gcs_frame_kind)f->kind,
	};
	uint32_t number = gcs_profile_add_frame(m->profile, &copy);
	m->failed = m->failed || number == GCS_NONE;
	m->frames[frame] = number + 1;
	return number;
}

static uint32_t stack_of(struct making *m, uint32_t stack)
{
	enum { DEEP = 2048 };
	uint32_t path[DEEP];
	uint32_t depth = 0, at = stack;
	if (stack == STACK_TABLE_NONE)
		return GCS_NONE;
	for (; at != STACK_TABLE_NONE && m->stacks[at] == 0 && depth < DEEP; depth++) {
		path[depth] = at;
		at = stack_table_stack(m->stack_table, at)->parent;
	}
	while (depth != 0) {
		const struct stack_table_stack *s =
		    stack_table_stack(m->stack_table, path[--depth]);
		struct gcs_stack copy = {
		    .parent = s->parent == STACK_TABLE_NONE ? GCS_NONE : m->stacks[s->parent] - 1,
		    .frame = frame_of(m, s->frame),
		};
		uint32_t number = gcs_profile_add_stack(m->profile, &copy);
		m->failed = m->failed || number == GCS_NONE;
		m->stacks[path[depth]] = number + 1;
	}
	return m->stacks[stack] - 1;
}

static void add_sample(
    struct making *m, const struct tracked *l, bool live, uint32_t age, uint64_t lifetime_bytes)
{
	const struct site *site = &sample_store_sites(m->sample_store)->items[l->site];
	/* A dead sample stands only for itself: the kept ones were chosen by number. */
	struct estimate one = live ? tracked_estimate(l) : estimate_of(l->size, l->p);
	struct gcs_profile_entry entry = {
	    .stack = stack_of(m, site->stack),
	    .class_name = name_of(m, site->class_name),
	    .thread = name_of(m, l->thread),
	    .samples = 1,
	    .bytes = one.bytes,
	    .bytes_variance = one.bytes_variance,
	    .objects = one.objects,
	    .objects_variance = one.objects_variance,
	    .age = age,
	    .lifetime_bytes = lifetime_bytes,
	    .id = l->id,
	    .size = l->size,
	    .wall_ns = l->wall_ns,
	    .context = l->context,
	};
	m->failed = m->failed || !gcs_profile_add_entry(m->profile, &entry);
}

static void add_live(struct making *m, const struct sample_choice *choice, uint32_t collections)
{
	uint32_t count;
	const struct tracked *live = sample_store_live(m->sample_store, &count);
	double now = sample_store_counts(m->sample_store)->allocated.bytes;
	for (uint32_t i = 0; i < count && !m->failed; i++) {
		double since = now - live[i].birth_bytes;
		if (choice != NULL && !choice->takes(choice, i))
			continue;
		add_sample(
		    m, &live[i], true, collections - live[i].born, since > 0 ? (uint64_t)since : 0);
	}
}

static void add_garbage(
    struct making *m, const struct dead *(*get)(const struct sample_store *t, uint32_t i))
{
	const struct dead *dead;
	for (uint32_t i = 0; !m->failed && (dead = get(m->sample_store, i)) != NULL; i++)
		add_sample(m, &dead->was, false, dead->age, dead->lifetime_bytes);
}

static void add_sites(struct making *m)
{
	const struct sites *sites = sample_store_sites(m->sample_store);
	struct estimate *live = gcs_zalloc((sites->count + (size_t)1) * sizeof *live);
	uint32_t count;
	const struct tracked *l = sample_store_live(m->sample_store, &count);
	m->failed = m->failed || live == NULL;
	for (uint32_t i = 0; i < count && !m->failed; i++) {
		struct estimate one = tracked_estimate(&l[i]);
		estimate_add(&live[l[i].site], &one);
	}
	for (uint32_t i = 0; i < sites->count && !m->failed; i++) {
		const struct site *s = &sites->items[i];
		if (s->samples == 0)
			continue;
		double died = s->died_objects > 0 ? s->died_objects : 1;
		struct gcs_profile_entry entry = {
		    .stack = stack_of(m, s->stack),
		    .class_name = name_of(m, s->class_name),
		    .thread = name_of(m, s->group),
		    .samples = s->samples,
		    .bytes = s->allocated.bytes,
		    .bytes_variance = s->allocated.bytes_variance,
		    .objects = s->allocated.objects,
		    .objects_variance = s->allocated.objects_variance,
		    .age = (uint32_t)(s->age_sum / died + 0.5),
		    .lifetime_bytes = (uint64_t)(s->lifetime_sum / died),
		    .live_bytes = live[i].bytes,
		    .live_objects = live[i].objects,
		};
		memcpy(entry.died_bytes, s->died_bytes, sizeof entry.died_bytes);
		m->failed = !gcs_profile_add_entry(m->profile, &entry);
	}
	gcs_free(live);
}

static const char *as_of(const struct sampler *s, enum gcs_profile_kind kind)
{
	if (s->delayed)
		return kind == GCS_PROFILE_LIVE
			   ? "as of the last major collection: weak references, and what they "
			     "refer "
			     "to, outlive minor collections of generational ZGC, so at most 1,024 "
			     "samples are tracked"
			   : "deaths are found by major collections only (generational ZGC)";
	if (kind != GCS_PROFILE_LIVE)
		return "";
	/* While the program is in a collection, the JVM cannot be asked which objects survived. */
	bool behind = atomic_load(&s->cleared_all) || atomic_load(&s->cleared_young);
	return behind ? "alive at the collection before the last one, which is still being checked"
		      : "alive at the last collection, or allocated since";
}

static struct gcs_profile *begin(struct sampler *s, const struct sample_store *t,
    enum gcs_profile_kind kind, const struct sample_choice *choice)
{
	char as_of_there[512];
	uint32_t live;
	const struct sample_store_counts *c = sample_store_counts(t);
	(void)sample_store_live(t, &live);
	snprintf(as_of_there, sizeof as_of_there, "%s%s%s", as_of(s, kind),
	    choice == NULL ? "" : "; ", choice == NULL ? "" : choice->note);
	struct gcs_profile_head head = {
	    .kind = kind,
	    .server = s->name,
	    .as_of = as_of_there,
	    .wall_ns = now_wall_ns(),
	    .since_wall_ns = s->since_wall_ns,
	    .interval = sampler_interval(s),
	    .collections = atomic_load(&s->collections),
	    .allocated_bytes = c->allocated.bytes,
	    .allocated_objects = c->allocated.objects,
	    .samples = c->samples,
	    .tracked = live,
	    .died = c->died,
	    .dropped = c->dropped,
	    .lost = atomic_load(&s->lost) - s->lost_before,
	    .elsewhere = c->elsewhere,
	    .garbage_seen = c->garbage_seen,
	};
	return gcs_profile_create(&head);
}

static bool reserve(struct making *m)
{
	m->symbolizer =
	    gcs_zalloc((stack_table_text_count(m->stack_table) + (size_t)1) * sizeof(uint32_t));
	m->frames =
	    gcs_zalloc((stack_table_frame_count(m->stack_table) + (size_t)1) * sizeof(uint32_t));
	m->stacks =
	    gcs_zalloc((stack_table_stack_count(m->stack_table) + (size_t)1) * sizeof(uint32_t));
	return m->profile != NULL && m->symbolizer != NULL && m->frames != NULL &&
	       m->stacks != NULL;
}

/* Lock held. */
static struct gcs_profile *make(struct sampler *s, const struct sample_store *t,
    enum gcs_profile_kind kind, struct sample_choice *choice)
{
	uint32_t count;
	const struct tracked *live = sample_store_live(t, &count);
	if (choice != NULL && !choice->begin(choice, live, count))
		return NULL;
	struct making m = {.sample_store = t,
	    .stack_table = sample_store_stacks(t),
	    .profile = begin(s, t, kind, choice)};
	m.failed = !reserve(&m);
	if (!m.failed) {
		switch (kind) {
		case GCS_PROFILE_LIVE:
			add_live(&m, choice, atomic_load(&s->collections));
			break;
		case GCS_PROFILE_RECENT:
			add_garbage(&m, sample_store_recent);
			break;
		case GCS_PROFILE_FREQUENT:
			add_garbage(&m, sample_store_frequent);
			break;
		default:
			add_sites(&m);
			break;
		}
	}
	gcs_free(m.symbolizer);
	gcs_free(m.frames);
	gcs_free(m.stacks);
	if (!m.failed)
		return m.profile;
	gcs_profile_free(m.profile);
	return NULL;
}

struct gcs_profile *sampler_profile(struct sampler *s, enum gcs_profile_kind kind,
    struct sample_choice *choice, struct gcs_error *err)
{
	bool off = sampler_interval(s) == 0;
	struct gcs_profile *profile = NULL;
	struct sample_store *t = off && kind == GCS_PROFILE_LIVE ? NULL : sampler_lock(s);
	if (t == NULL) {
		char text[GCS_MAX_NAME + 1];
		sampler_describe(s, text, sizeof text);
		gcs_fail(err, GCS_STATE, "sampling of allocations is %s", text);
		return NULL;
	}
	profile = make(s, t, kind, choice);
	sampler_unlock(s);
	if (profile == NULL)
		gcs_fail(err, GCS_NOMEM, "no memory for the profile");
	return profile;
}
