#include <gcspy/profile.h>

#include <string.h>

#include <gcspy/memory.h>

#include "profile_tables.h"

static const struct {
	const char *word;
	const char *title;
} kinds[GCS_PROFILE_KIND_COUNT] = {
#define X(id, word, title) {word, title},
    GCS_PROFILE_KINDS(X)
#undef X
};

static const char *const survival_texts[GCS_SURVIVAL_BUCKETS] = {
    "0", "1", "2", "3-4", "5-8", "9-16", "17-64", "65+"};

const char *gcs_profile_kind_word(enum gcs_profile_kind kind)
{
	return (unsigned)kind < GCS_PROFILE_KIND_COUNT ? kinds[kind].word : "?";
}

const char *gcs_profile_kind_title(enum gcs_profile_kind kind)
{
	return (unsigned)kind < GCS_PROFILE_KIND_COUNT ? kinds[kind].title : "?";
}

bool gcs_profile_find_kind(const char *word, enum gcs_profile_kind *kind)
{
	for (unsigned i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		if (strcmp(kinds[i].word, word) != 0)
			continue;
		*kind = (enum gcs_profile_kind)i;
		return true;
	}
	return false;
}

uint32_t gcs_survival_bucket(uint64_t age)
{
	static const uint64_t last[GCS_SURVIVAL_BUCKETS - 1] = {0, 1, 2, 4, 8, 16, 64};
	uint32_t bucket = 0;
	while (bucket < GCS_SURVIVAL_BUCKETS - 1 && age > last[bucket])
		bucket++;
	return bucket;
}

const char *gcs_survival_text(uint32_t bucket)
{
	return bucket < GCS_SURVIVAL_BUCKETS ? survival_texts[bucket] : "";
}

bool profile_is_estimate(double value)
{
	return value >= 0 && value <= PROFILE_MAX_ESTIMATE; /* false for NaN */
}

bool profile_stack_fits(const struct gcs_profile *p, const struct gcs_stack *stack)
{
	return stack->frame < p->frames.count &&
	       (stack->parent == GCS_NONE || stack->parent < p->stacks.count);
}

bool profile_entry_fits(const struct gcs_profile *p, const struct gcs_profile_entry *e)
{
	bool fits = (e->stack == GCS_NONE || e->stack < p->stacks.count) &&
		    e->class_name < p->names.count && e->thread < p->names.count &&
		    profile_is_estimate(e->bytes) && profile_is_estimate(e->bytes_variance) &&
		    profile_is_estimate(e->objects) && profile_is_estimate(e->objects_variance) &&
		    profile_is_estimate(e->live_bytes) && profile_is_estimate(e->live_objects) &&
		    profile_is_estimate(e->new_bytes) && profile_is_estimate(e->new_objects) &&
		    e->region <= p->names.count;
	for (uint32_t i = 0; fits && i < GCS_SURVIVAL_BUCKETS; i++)
		fits = profile_is_estimate(e->died_bytes[i]);
	return fits;
}

const char *profile_keep(struct gcs_profile *p, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return "";
	size_t length = strlen(text);
	return arena_text(&p->arena, text, length < GCS_MAX_TEXT ? length : GCS_MAX_TEXT);
}

struct gcs_profile *gcs_profile_create(const struct gcs_profile_head *head)
{
	bool fits = (unsigned)head->kind < GCS_PROFILE_KIND_COUNT &&
		    profile_is_estimate(head->allocated_bytes) &&
		    profile_is_estimate(head->allocated_objects);
	struct gcs_profile *p = fits ? gcs_zalloc(sizeof *p) : NULL;
	if (p == NULL)
		return NULL;
	p->head = *head;
	p->head.server = profile_keep(p, head->server);
	p->head.as_of = profile_keep(p, head->as_of);
	p->head.judged.kind = profile_keep(p, head->judged.kind);
	p->head.judged_old.kind = profile_keep(p, head->judged_old.kind);
	if (p->head.server != NULL && p->head.as_of != NULL && p->head.judged.kind != NULL &&
	    p->head.judged_old.kind != NULL)
		return p;
	gcs_profile_free(p);
	return NULL;
}

void gcs_profile_free(struct gcs_profile *p)
{
	if (p == NULL)
		return;
	gcs_free((void *)p->names.items);
	gcs_free(p->frames.items);
	gcs_free(p->stacks.items);
	gcs_free(p->entries.items);
	arena_fini(&p->arena);
	gcs_free(p);
}

/* Makes room for one more item; returns its number, or GCS_NONE. */
static uint32_t grow(struct profile_table *t, size_t size)
{
	if (t->count == PROFILE_MAX_ITEMS)
		return GCS_NONE;
	if (t->count == t->capacity) {
		uint32_t capacity = t->capacity == 0 ? 64 : t->capacity * 2;
		void *items = gcs_realloc(t->items, (size_t)capacity * size);
		if (items == NULL)
			return GCS_NONE;
		t->items = items;
		t->capacity = capacity;
	}
	return t->count++;
}

static void trim(struct profile_table *t, size_t size)
{
	void *items = t->count == 0 || t->count == t->capacity
			  ? NULL
			  : gcs_realloc(t->items, (size_t)t->count * size);
	if (items == NULL)
		return;
	t->items = items;
	t->capacity = t->count;
}

void profile_trim(struct gcs_profile *p)
{
	trim(&p->names, sizeof(const char *));
	trim(&p->frames, sizeof(struct gcs_frame));
	trim(&p->stacks, sizeof(struct gcs_stack));
	trim(&p->entries, sizeof(struct gcs_profile_entry));
}

uint32_t gcs_profile_add_name(struct gcs_profile *p, const char *name)
{
	const char *copy = profile_keep(p, name);
	uint32_t number = copy == NULL ? GCS_NONE : grow(&p->names, sizeof copy);
	if (number != GCS_NONE)
		((const char **)p->names.items)[number] = copy;
	return number;
}

uint32_t gcs_profile_add_frame(struct gcs_profile *p, const struct gcs_frame *frame)
{
	struct gcs_frame copy = {
	    .class_name = profile_keep(p, frame->class_name),
	    .method = profile_keep(p, frame->method),
	    .file = profile_keep(p, frame->file),
	    .line = frame->line,
	    .kind = frame->kind,
	};
	if (copy.class_name == NULL || copy.method == NULL || copy.file == NULL ||
	    (unsigned)copy.kind >= GCS_FRAME_KIND_COUNT)
		return GCS_NONE;
	uint32_t number = grow(&p->frames, sizeof copy);
	if (number != GCS_NONE)
		((struct gcs_frame *)p->frames.items)[number] = copy;
	return number;
}

uint32_t gcs_profile_add_stack(struct gcs_profile *p, const struct gcs_stack *stack)
{
	uint32_t number = profile_stack_fits(p, stack) ? grow(&p->stacks, sizeof *stack) : GCS_NONE;
	if (number != GCS_NONE)
		((struct gcs_stack *)p->stacks.items)[number] = *stack;
	return number;
}

bool gcs_profile_add_entry(struct gcs_profile *p, const struct gcs_profile_entry *entry)
{
	uint32_t number =
	    profile_entry_fits(p, entry) ? grow(&p->entries, sizeof *entry) : GCS_NONE;
	if (number != GCS_NONE)
		((struct gcs_profile_entry *)p->entries.items)[number] = *entry;
	return number != GCS_NONE;
}

const struct gcs_profile_head *gcs_profile_head(const struct gcs_profile *p)
{
	return &p->head;
}

uint32_t gcs_profile_name_count(const struct gcs_profile *p)
{
	return p->names.count;
}

const char *gcs_profile_name(const struct gcs_profile *p, uint32_t name)
{
	return name < p->names.count ? ((const char **)p->names.items)[name] : "";
}

uint32_t gcs_profile_frame_count(const struct gcs_profile *p)
{
	return p->frames.count;
}

const struct gcs_frame *gcs_profile_frame(const struct gcs_profile *p, uint32_t frame)
{
	return frame < p->frames.count ? (const struct gcs_frame *)p->frames.items + frame : NULL;
}

uint32_t gcs_profile_stack_count(const struct gcs_profile *p)
{
	return p->stacks.count;
}

const struct gcs_stack *gcs_profile_stack(const struct gcs_profile *p, uint32_t stack)
{
	return stack < p->stacks.count ? (const struct gcs_stack *)p->stacks.items + stack : NULL;
}

uint32_t gcs_profile_entry_count(const struct gcs_profile *p)
{
	return p->entries.count;
}

const struct gcs_profile_entry *gcs_profile_entry(const struct gcs_profile *p, uint32_t entry)
{
	return entry < p->entries.count ? (const struct gcs_profile_entry *)p->entries.items + entry
					: NULL;
}
