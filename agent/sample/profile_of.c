/* Makes a profile for clients from the sample store, under its lock. */

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "now.h"
#include "sampler_internal.h"
#include "thread.h"

/* More than any heap driver has. */
enum { MAX_REGION_TYPES = 16 };

/* Maximum wait for the dead of a collection to be known. */
enum { TOLD_TIMEOUT_MS = 500, TOLD_STEP_MS = 2, START_TIMEOUT_MS = 2000 };

/* The numbers of stack table items in the profile, plus 1; 0: not added yet. */
struct making {
	const struct sample_store *sample_store;
	const struct stack_table *stack_table;
	struct gcs_profile *profile;
	uint32_t *symbolizer;
	uint32_t texts; /* that it has room for; threads add more meanwhile */
	uint32_t *frames;
	uint32_t *stacks;
	const struct sample_choice *choice; /* or NULL */
	const struct judgement *judgement;
	struct {
		const char *type; /* static */
		uint32_t name;    /* in the profile */
	} regions[MAX_REGION_TYPES];
	bool failed;
};

static uint32_t name_of(struct making *m, uint32_t text)
{
	uint32_t number;
	uint32_t *known = &m->symbolizer[text == STACK_TABLE_NONE ? m->texts : text];
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
		at = stack_table_stack(m->stack_table, at).parent;
	}
	while (depth != 0) {
		const struct stack_table_stack s = stack_table_stack(m->stack_table, path[--depth]);
		struct gcs_stack copy = {
		    .parent = s.parent == STACK_TABLE_NONE ? GCS_NONE : m->stacks[s.parent] - 1,
		    .frame = frame_of(m, s.frame),
		};
		uint32_t number = gcs_profile_add_stack(m->profile, &copy);
		m->failed = m->failed || number == GCS_NONE;
		m->stacks[path[depth]] = number + 1;
	}
	return m->stacks[stack] - 1;
}

/* The number of the type's name, plus 1; 0: not known. */
static uint32_t region_of(struct making *m, const char *type)
{
	for (int i = 0; type != NULL && i < MAX_REGION_TYPES; i++) {
		if (m->regions[i].type == NULL) {
			m->regions[i].type = type;
			m->regions[i].name = gcs_profile_add_name(m->profile, type);
			m->failed = m->failed || m->regions[i].name == GCS_NONE;
		}
		if (m->regions[i].type == type)
			return m->regions[i].name + 1;
	}
	return 0;
}

static struct gcs_profile_entry entry_of(
    struct making *m, const struct tracked *l, const struct estimate *one)
{
	const struct site *site = &sample_store_sites(m->sample_store)->items[l->site];
	return (struct gcs_profile_entry){
	    .stack = stack_of(m, site->key.stack),
	    .class_name = name_of(m, site->key.class_name),
	    .thread = name_of(m, l->thread),
	    .samples = 1,
	    .bytes = one->bytes,
	    .bytes_variance = one->bytes_variance,
	    .objects = one->objects,
	    .objects_variance = one->objects_variance,
	    .id = l->id,
	    .size = l->size,
	    .wall_ns = l->wall_ns,
	    .context = l->context,
	};
}

static void add_live(struct making *m)
{
	const struct sample_choice *choice = m->choice;
	uint32_t count;
	const struct tracked *live = sample_store_live(m->sample_store, &count);
	double now = sample_store_counts(m->sample_store)->allocated.bytes;
	for (uint32_t i = 0; i < count && !m->failed; i++) {
		const double since = now - live[i].birth_bytes;
		const struct estimate one = tracked_estimate(&live[i]);
		if (choice != NULL && (live[i].size < choice->min_size ||
					  (choice->takes != NULL && !choice->takes(choice, i))))
			continue;
		struct gcs_profile_entry entry = entry_of(m, &live[i], &one);
		entry.age = judge_age(m->judgement, live[i].judged);
		entry.lifetime_bytes = since > 0 ? (uint64_t)since : 0;
		if (choice != NULL && choice->locate != NULL)
			entry.region = region_of(m, choice->locate(choice, i, &entry));
		m->failed = m->failed || !gcs_profile_add_entry(m->profile, &entry);
	}
}

static bool takes_place(const struct making *m, const struct site_key *key)
{
	return m->choice == NULL || m->choice->takes_place == NULL ||
	       m->choice->takes_place(m->choice, key->place);
}

static uint32_t allocated_in(struct making *m, const struct site_key *key)
{
	const struct heap_birthplace *place = key->place;
	return region_of(m, place == NULL           ? NULL
			    : place->region != NULL ? place->region
						    : place->type);
}

/* A dead sample represents only itself: the kept ones were chosen by number. */
static void add_garbage(
    struct making *m, const struct dead *(*get)(const struct sample_store *t, uint32_t i))
{
	const struct site *sites = sample_store_sites(m->sample_store)->items;
	const struct dead *dead;
	for (uint32_t i = 0; !m->failed && (dead = get(m->sample_store, i)) != NULL; i++) {
		const struct estimate one = estimate_of(dead->was.size, dead->was.p);
		const struct site_key *key = &sites[dead->was.site].key;
		if (!takes_place(m, key) ||
		    (m->choice != NULL && dead->was.size < m->choice->min_size))
			continue;
		struct gcs_profile_entry entry = entry_of(m, &dead->was, &one);
		entry.age = dead->age;
		entry.lifetime_bytes = dead->lifetime_bytes;
		entry.region = allocated_in(m, key);
		m->failed = m->failed || !gcs_profile_add_entry(m->profile, &entry);
	}
}

/* What lives of a site. */
struct living {
	struct estimate live, fresh;
};

static void add_site(struct making *m, const struct site *s, const struct living *living)
{
	double died = s->died_objects > 0 ? s->died_objects : 1;
	struct gcs_profile_entry entry = {
	    .stack = stack_of(m, s->key.stack),
	    .class_name = name_of(m, s->key.class_name),
	    .thread = name_of(m, s->key.group),
	    .samples = s->samples,
	    .bytes = s->allocated.bytes,
	    .bytes_variance = s->allocated.bytes_variance,
	    .objects = s->allocated.objects,
	    .objects_variance = s->allocated.objects_variance,
	    .age = (uint32_t)(s->age_sum / died + 0.5),
	    .lifetime_bytes = (uint64_t)(s->lifetime_sum / died),
	    .region = allocated_in(m, &s->key),
	    .size = s->key.range == 0 ? 0 : (uint64_t)1 << s->key.range,
	    .live_bytes = living->live.bytes,
	    .live_objects = living->live.objects,
	    .new_bytes = living->fresh.bytes,
	    .new_objects = living->fresh.objects,
	};
	memcpy(entry.died_bytes, s->died_bytes, sizeof entry.died_bytes);
	m->failed = m->failed || !gcs_profile_add_entry(m->profile, &entry);
}

static void add_sites(struct making *m)
{
	const struct sites *sites = sample_store_sites(m->sample_store);
	struct living *living = gcs_zalloc((sites->count + (size_t)1) * sizeof *living);
	const uint32_t least = m->choice == NULL ? 0 : site_range(m->choice->min_size);
	uint32_t count;
	const struct tracked *l = sample_store_live(m->sample_store, &count);
	m->failed = m->failed || living == NULL;
	for (uint32_t i = 0; i < count && !m->failed; i++) {
		struct estimate one = tracked_estimate(&l[i]);
		struct living *of = &living[l[i].site];
		estimate_add(l[i].judged != 0 ? &of->live : &of->fresh, &one);
	}
	for (uint32_t i = 0; i < sites->count && !m->failed; i++)
		if (sites->items[i].samples != 0 && sites->items[i].key.range >= least &&
		    takes_place(m, &sites->items[i].key))
			add_site(m, &sites->items[i], &living[i]);
	gcs_free(living);
}

bool sampler_has_judged(const struct sampler *s)
{
	return s == NULL || !atomic_load(&s->on) ||
	       atomic_load(&s->marked) == atomic_load(&s->collected);
}

/* The sampler's thread cannot ask the JVM while a client holds the program in a collection. */
static void wait_until_told(const struct sampler *s)
{
	for (int ms = 0; ms < TOLD_TIMEOUT_MS && !sampler_has_judged(s); ms += TOLD_STEP_MS)
		thread_sleep_us(1000 * TOLD_STEP_MS);
}

/* What is asked right after the start, or after a request to start, is answered when sampling is on;
 * the sampler's thread may have to wait for the JVM, or for a client that holds the program. */
static bool is_off(const struct sampler *s)
{
	for (int ms = 0; ms < START_TIMEOUT_MS && sampler_interval(s) == 0 &&
			 atomic_load(&s->unserved) != 0 && !atomic_load(&s->ending);
	     ms += TOLD_STEP_MS)
		thread_sleep_us(1000 * TOLD_STEP_MS);
	return sampler_interval(s) == 0;
}

static const char *as_of(const struct sampler *s, enum gcs_profile_kind kind)
{
	if (s->delayed)
		return kind == GCS_PROFILE_LIVE
			   ? "alive at the last collection of the old generation: until then, "
			     "generational ZGC keeps tracked objects, and what they refer to, so "
			     "at most 1,024 samples are tracked, whose objects take at most a "
			     "sixteenth of the heap: a site of few large objects may be missing"
			   : "deaths are found by collections of the old generation only "
			     "(generational ZGC)";
	if (kind == GCS_PROFILE_RECENT || kind == GCS_PROFILE_FREQUENT)
		return "";
	if (sampler_interval(s) == 0)
		return "sampling is off";
	if (!sampler_has_judged(s))
		return "alive at the collection before the last one, which is still being checked";
	return s->judgement.judged.number == 0 ? "no collection yet: nothing is known to be alive"
					       : "alive at the last collection";
}

/* The kinds have static names. */
static struct gcs_profile_judge judge_of(const struct judge_collection *c)
{
	/* Where collections have no numbers: any but 0, which says that none has judged. */
	const uint64_t number = c->collection != 0 ? c->collection : c->number;
	return (struct gcs_profile_judge){
	    c->number == 0 ? 0 : number, c->wall_ns, c->number == 0 ? "" : gc_kind_names[c->kind]};
}

static struct gcs_profile *begin(struct sampler *s, const struct sample_store *t,
    enum gcs_profile_kind kind, const struct sample_choice *choice)
{
	char as_of_there[512];
	uint32_t live;
	const struct sample_store_counts *c = sample_store_counts(t);
	(void)sample_store_live(t, &live);
	const char *of = as_of(s, kind), *note = choice == NULL ? "" : choice->note;
	snprintf(as_of_there, sizeof as_of_there, "%s%s%s", of,
	    of[0] != '\0' && note[0] != '\0' ? "; " : "", note);
	struct gcs_profile_head head = {
	    .kind = kind,
	    .server = s->name,
	    .as_of = as_of_there,
	    .wall_ns = now_wall_ns(),
	    .since_wall_ns = s->since_wall_ns,
	    .interval = sampler_interval(s),
	    .judged = judge_of(&s->judgement.judged),
	    .judged_old = judge_of(&s->judgement.judged_old),
	    .used_bytes = s->judgement.used,
	    .collections = s->judgement.collections,
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
	m->texts = stack_table_text_count(m->stack_table);
	m->symbolizer = gcs_zalloc((m->texts + (size_t)1) * sizeof(uint32_t));
	m->frames =
	    gcs_zalloc((stack_table_frame_count(m->stack_table) + (size_t)1) * sizeof(uint32_t));
	m->stacks =
	    gcs_zalloc((stack_table_stack_limit(m->stack_table) + (size_t)1) * sizeof(uint32_t));
	return m->profile != NULL && m->symbolizer != NULL && m->frames != NULL &&
	       m->stacks != NULL;
}

/* Lock held. */
static struct gcs_profile *make(struct sampler *s, const struct sample_store *t,
    enum gcs_profile_kind kind, struct sample_choice *choice)
{
	uint32_t count;
	const struct tracked *live = sample_store_live(t, &count);
	if (choice != NULL && choice->begin != NULL && !choice->begin(choice, live, count))
		return NULL;
	struct making m = {.sample_store = t,
	    .stack_table = sample_store_stacks(t),
	    .profile = begin(s, t, kind, choice),
	    .choice = choice,
	    .judgement = &s->judgement};
	m.failed = !reserve(&m);
	if (!m.failed) {
		switch (kind) {
		case GCS_PROFILE_LIVE:
			add_live(&m);
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
	const bool off = is_off(s);
	struct gcs_profile *profile = NULL;
	if (!off)
		wait_until_told(s);
	struct sample_store *t = off && kind == GCS_PROFILE_LIVE ? NULL : sampler_lock(s);
	if (t == NULL) {
		char text[GCS_MAX_NAME + 1];
		sampler_describe(s, text, sizeof text);
		gcs_fail(err, GCS_STATE, "sampling of allocations is %s", text);
		return NULL;
	}
	profile = make(s, t, kind, choice);
	sampler_unlock(s);
	/* One that is to be tried again has no reason, which would outlast its success. */
	if (profile == NULL && (choice == NULL || !choice->again))
		gcs_fail(err, GCS_NOMEM, "no memory for the profile");
	return profile;
}
