#include "sites_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gcspy/memory.h>

#include "malloc_thread.h"
#include "native_modules.h"
#include "native_sites_internal.h"

/* Numbers of the profile by a key of two words; `GCS_NONE`: not in it. */
struct numbers {
	struct number {
		uint64_t a, b;
		uint32_t number; /* plus 1; 0: free */
	} * items;
	uint32_t count, mask;
};

struct making {
	const struct sites_choice *choice;
	struct gcs_profile *profile;
	struct numbers frames, stacks, names;
	uint32_t functions[SITES_FUNCTIONS]; /* names of the classes */
	bool failed;
};

/* What C has for a class: how the block was allocated. */
static const char *const function_names[SITES_FUNCTIONS] = {
    [SITES_MALLOC] = "malloc",
    [SITES_CALLOC] = "calloc",
    [SITES_REALLOC] = "realloc",
    [SITES_MEMALIGN] = "memalign",
};

static struct number *place(const struct numbers *n, uint64_t a, uint64_t b)
{
	const uint64_t h = (a * 0x9e3779b97f4a7c15u ^ b) * 0xbf58476d1ce4e5b9u;
	for (uint32_t i = (uint32_t)(h >> 32) & n->mask;; i = (i + 1) & n->mask) {
		struct number *at = &n->items[i];
		if (at->number == 0 || (at->a == a && at->b == b))
			return at;
	}
}

static bool grow(struct numbers *n)
{
	struct numbers larger = {.count = n->count, .mask = n->mask == 0 ? 255 : n->mask * 2 + 1};
	larger.items = gcs_zalloc((larger.mask + (size_t)1) * sizeof *larger.items);
	if (larger.items == NULL)
		return false;
	for (uint32_t i = 0; n->items != NULL && i <= n->mask; i++)
		if (n->items[i].number != 0)
			*place(&larger, n->items[i].a, n->items[i].b) = n->items[i];
	gcs_free(n->items);
	*n = larger;
	return true;
}

/* The place of the key's number, to be filled in where it is 0; NULL without memory. */
static struct number *find(struct numbers *n, uint64_t a, uint64_t b)
{
	if ((n->items == NULL || n->count >= n->mask / 4 * 3) && !grow(n))
		return NULL;
	struct number *at = place(n, a, b);
	if (at->number == 0) {
		at->a = a;
		at->b = b;
		n->count++;
	}
	return at;
}

/* The result of an addition to the profile. */
static uint32_t keep(struct making *m, struct number *at, uint32_t number)
{
	if (at == NULL || number == GCS_NONE) {
		m->failed = true;
		return 0;
	}
	at->number = number + 1;
	return number;
}

static uint32_t name_of(struct making *m, uint32_t text)
{
	struct number *at = find(&m->names, text, 0);
	char name[32] = "?";
	uint32_t length;
	if (at != NULL && at->number != 0)
		return at->number - 1;
	if (text != 0) {
		const void *key = own_intern_key(&sites.groups, text, &length);
		snprintf(name, sizeof name, "%.*s", (int)length, (const char *)key);
	}
	return keep(m, at, gcs_profile_add_name(m->profile, name));
}

/*
 * A frame without its name, which clients know (docs/protocol.md, section 11): the library, the offset of the
 * call in its file, and as the file its path and build id.
 */
static uint32_t add_frame(struct making *m, const struct native_module *in, uint64_t offset)
{
	char method[24], file[MODULE_PATH + 2 * MODULE_ID + 2] = "";
	const char *base = strrchr(in->path, '/');
	const struct gcs_frame frame = {.kind = GCS_FRAME_NATIVE,
	    .class_name = base == NULL ? in->path : base + 1,
	    .method = method,
	    .file = file};
	snprintf(method, sizeof method, "%s0x%" PRIx64, in->end == 0 ? "" : "+", offset);
	if (in->path[0] == '/')
		snprintf(
		    file, sizeof file, "%s%s%s", in->path, in->id[0] == '\0' ? "" : "#", in->id);
	return gcs_profile_add_frame(m->profile, &frame);
}

/* A return address may be after the last instruction of the caller: the call is before it. */
static uint32_t frame_of(struct making *m, uint64_t address, uint64_t generation)
{
	struct native_module in = {.end = 0};
	struct number *at = find(&m->frames, address, generation);
	if (at != NULL && at->number != 0)
		return at->number - 1;
	(void)native_modules_find(address - 1, generation, &in);
	return keep(m, at, add_frame(m, &in, address - 1 - in.bias));
}

/* One whose name was known when the stack was taken; 0: there was no room for it. */
static uint32_t named_frame(struct making *m, uint64_t word)
{
	const uint32_t number = (uint32_t)(word & ~SITES_NAMED);
	struct gcs_frame frame = {
	    .kind = GCS_FRAME_NOTE, .class_name = "", .method = "[not known]", .file = ""};
	uint32_t length;
	struct number *at = find(&m->frames, word, UINT64_MAX);
	if (at != NULL && at->number != 0)
		return at->number - 1;
	if (number != 0) {
		const struct frame_key *key = own_intern_key(&sites.frames, number, &length);
		frame.kind = (enum gcs_frame_kind)key->kind;
		frame.line = key->line;
		frame.class_name = key->text;
		frame.method = frame.class_name + strlen(frame.class_name) + 1;
		frame.file = frame.method + strlen(frame.method) + 1;
	}
	return keep(m, at, gcs_profile_add_frame(m->profile, &frame));
}

static uint32_t note_frame(struct making *m)
{
	static const struct gcs_frame frame = {
	    .kind = GCS_FRAME_NOTE, .class_name = "", .method = "[more frames]", .file = ""};
	struct number *at = find(&m->frames, 0, UINT64_MAX);
	if (at != NULL && at->number != 0)
		return at->number - 1;
	return keep(m, at, gcs_profile_add_frame(m->profile, &frame));
}

static uint32_t callee_of(struct making *m, uint32_t caller, uint32_t frame)
{
	const struct gcs_stack stack = {caller, frame};
	struct number *at = find(&m->stacks, caller, frame);
	if (at != NULL && at->number != 0)
		return at->number - 1;
	return keep(m, at, gcs_profile_add_stack(m->profile, &stack));
}

static uint32_t stack_of(struct making *m, uint32_t number)
{
	uint32_t length, stack = GCS_NONE;
	if (number == 0)
		return GCS_NONE;
	const struct stack_key *key = own_intern_key(&sites.stacks, number, &length);
	const uint32_t count = length / (uint32_t)sizeof key->generation - 1;
	if (count == WALK_FRAMES)
		stack = callee_of(m, stack, note_frame(m));
	for (uint32_t i = count; i-- != 0 && !m->failed;)
		stack = callee_of(m, stack,
		    (key->addresses[i] & SITES_NAMED) != 0
			? named_frame(m, key->addresses[i])
			: frame_of(m, key->addresses[i], key->generation));
	return stack;
}

static const struct site_key *key_of(uint32_t site)
{
	uint32_t length;
	return own_intern_key(&sites.sites, site, &length);
}

static void add_entry(struct making *m, const struct gcs_profile_entry *e)
{
	m->failed = m->failed || !gcs_profile_add_entry(m->profile, e);
}

static struct gcs_profile_entry entry_of(struct making *m, const struct live_block *b)
{
	const struct site_key *key = key_of(b->site);
	const struct estimate e = estimate_of(b->size, b->p);
	return (struct gcs_profile_entry){.stack = stack_of(m, key->stack),
	    .class_name = m->functions[key->function],
	    .thread = name_of(m, b->thread),
	    .samples = 1,
	    .bytes = e.bytes,
	    .bytes_variance = e.bytes_variance,
	    .objects = e.objects,
	    .objects_variance = e.objects_variance,
	    .id = b->id,
	    .size = b->size,
	    .wall_ns = b->wall_ns};
}

static void add_live(struct making *m)
{
	const double now = sum_get(&sites.all.bytes);
	struct live_block b;
	for (uint32_t i = 1; i < live_blocks_end() && !m->failed; i++) {
		if (!live_blocks_at(i, &b) || b.address < m->choice->low ||
		    b.address >= m->choice->high || b.size < m->choice->min_size)
			continue;
		struct gcs_profile_entry e = entry_of(m, &b);
		e.age = 1;
		e.lifetime_bytes = now > b.birth ? (uint64_t)(now - b.birth) : 0;
		e.address = b.address;
		add_entry(m, &e);
	}
}

static void add_dead(struct making *m, bool frequent)
{
	uint32_t count = 0;
	struct dead_block *dead = gcs_alloc(SITES_DEAD * sizeof *dead);
	m->failed = m->failed || dead == NULL;
	if (dead != NULL)
		(void)sites_copy_dead(dead, frequent, &count);
	for (uint32_t i = 0; i < count && !m->failed; i++) {
		if (dead[i].was.size < m->choice->min_size)
			continue;
		struct gcs_profile_entry e = entry_of(m, &dead[i].was);
		e.lifetime_bytes = (uint64_t)dead[i].lifetime;
		add_entry(m, &e);
	}
	gcs_free(dead);
}

static void add_site(struct making *m, uint32_t site)
{
	const struct site_key *key = key_of(site);
	const struct site_totals *t = own_intern_more(&sites.sites, site);
	const double died = sum_get(&t->died_objects);
	struct gcs_profile_entry e = {.stack = stack_of(m, key->stack),
	    .class_name = m->functions[key->function],
	    .thread = name_of(m, key->group),
	    .samples = atomic_load(&t->samples),
	    .bytes = sum_get(&t->bytes),
	    .bytes_variance = sum_get(&t->bytes_variance),
	    .objects = sum_get(&t->objects),
	    .objects_variance = sum_get(&t->objects_variance),
	    .lifetime_bytes = died > 0 ? (uint64_t)(sum_get(&t->lifetimes) / died) : 0,
	    .size = key->range == 0 ? 0 : (uint64_t)1 << key->range,
	    .live_bytes = t->live_bytes,
	    .live_objects = t->live_objects};
	e.died_bytes[0] = sum_get(&t->died_bytes);
	if (e.samples != 0)
		add_entry(m, &e);
}

static void add_sites(struct making *m)
{
	struct live_block b;
	for (uint32_t i = 0; i <= sites.sites.mask; i++) {
		const uint32_t site = own_intern_at(&sites.sites, i);
		struct site_totals *t = site == 0 ? NULL : own_intern_more(&sites.sites, site);
		if (t != NULL)
			t->live_bytes = t->live_objects = 0;
	}
	for (uint32_t i = 1; i < live_blocks_end(); i++) {
		if (!live_blocks_at(i, &b))
			continue;
		struct site_totals *t = own_intern_more(&sites.sites, b.site);
		const struct estimate e = estimate_of(b.size, b.p);
		t->live_bytes += e.bytes;
		t->live_objects += e.objects;
	}
	for (uint32_t i = 0; i <= sites.sites.mask && !m->failed; i++) {
		const uint32_t site = own_intern_at(&sites.sites, i);
		const uint64_t most = site == 0 ? 0 : (uint64_t)2 << key_of(site)->range;
		if (site != 0 && (m->choice->min_size < most || m->choice->min_size < 1024))
			add_site(m, site);
	}
}

static int64_t wall_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What is in no list. `tracked` samples; more blocks are from before, where every one is sampled. */
static void say_missing(char *text, size_t bytes, uint64_t blocks, uint64_t tracked)
{
	text[0] = '\0';
	if (sites.was_off)
		snprintf(text, bytes,
		    "what was allocated while sampling was off has no call site, and is not among "
		    "them");
	else if (sites_interval() == 1 && !sites.all_sampled)
		snprintf(text, bytes, "before interval=1 not every block was sampled");
	else if (sites_interval() == 1 && blocks > tracked)
		snprintf(text, bytes,
		    "%" PRIu64 " block%s of the program without a call site, which %s allocated "
		    "before the first sample, as by constructors of libraries, %s not among them",
		    blocks - tracked, blocks - tracked == 1 ? "" : "s",
		    blocks - tracked == 1 ? "was" : "were", blocks - tracked == 1 ? "is" : "are");
}

static struct gcs_profile *begin(const struct sites_choice *choice, const char *name)
{
	char missing[250] = "";
	const uint64_t died = atomic_load(&sites.died), samples = atomic_load(&sites.all.samples);
	const uint64_t lost = atomic_load(&sites.lost), untracked = atomic_load(&sites.untracked);
	const int64_t now = wall_ns();
	struct malloc_totals totals;
	malloc_threads_sum(&totals);
	const uint64_t tracked =
	    samples > died + lost + untracked ? samples - died - lost - untracked : 0;
	const bool everything =
	    choice->kind == GCS_PROFILE_LIVE && choice->low == 0 && choice->min_size == 0;
	say_missing(missing, sizeof missing, everything ? totals.live_blocks : 0, tracked);
	const struct gcs_profile_head head = {.kind = choice->kind,
	    .server = name,
	    .as_of = missing,
	    .wall_ns = now,
	    .judged = {.number = died + 1, .wall_ns = now, .kind = ""},
	    .used_bytes = totals.live_bytes,
	    .judged_old = {.number = died + 1, .wall_ns = now, .kind = ""},
	    .explicit_free = true,
	    .since_wall_ns = sites.since_wall_ns,
	    .interval = sites_interval(),
	    .allocated_bytes = sum_get(&sites.all.bytes),
	    .allocated_objects = sum_get(&sites.all.objects),
	    .samples = samples,
	    .tracked = tracked,
	    .died = died,
	    .dropped = untracked,
	    .lost = lost,
	    .elsewhere = atomic_load(&sites.elsewhere),
	    .garbage_seen = died};
	return gcs_profile_create(&head);
}

static void fill(struct making *m)
{
	for (int i = 0; i < SITES_FUNCTIONS; i++) {
		m->functions[i] = gcs_profile_add_name(m->profile, function_names[i]);
		m->failed = m->failed || m->functions[i] == GCS_NONE;
	}
	native_modules_update();
	if (m->choice->kind == GCS_PROFILE_LIVE)
		add_live(m);
	else if (m->choice->kind == GCS_PROFILE_ALLOCATED)
		add_sites(m);
	else
		add_dead(m, m->choice->kind == GCS_PROFILE_FREQUENT);
}

struct gcs_profile *sites_profile(
    const struct sites_choice *choice, const char *name, struct gcs_error *err)
{
	struct making m = {.choice = choice, .profile = begin(choice, name)};
	m.failed = m.profile == NULL;
	if (!m.failed)
		fill(&m);
	gcs_free(m.frames.items);
	gcs_free(m.stacks.items);
	gcs_free(m.names.items);
	if (!m.failed)
		return m.profile;
	gcs_profile_free(m.profile);
	gcs_fail(err, GCS_NOMEM, "no memory for the profile");
	return NULL;
}
