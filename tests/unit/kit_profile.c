#include "kit_profile.h"

#include <string.h>

enum { NAMES = 4, FRAMES = 6, STACKS = 5, ENTRIES = 3 };

static const char *const names[NAMES] = {"", "byte[]", "java.lang.String", "worker-*"};

static const struct gcs_frame frames[FRAMES] = {
    {"java.util.HashMap", "resize", "HashMap.java", 704, GCS_FRAME_JAVA},
    {"App", "main", "", 0, GCS_FRAME_JAVA},
    {"java.lang.Class", "forName0", "Class.java", UINT32_MAX, GCS_FRAME_NATIVE_METHOD},
    {"libz.so.1", "inflate", "", 0, GCS_FRAME_NATIVE},
    {"libjvm.so", "JVM_DefineClass", "", 1, GCS_FRAME_VM},
    {"", "[more frames]", "", 0, GCS_FRAME_NOTE},
};

static const struct gcs_stack stacks[STACKS] = {
    {GCS_NONE, 1}, {0, 0}, {0, 2}, {2, 3}, {GCS_NONE, 5}};

static bool add_tables(struct gcs_profile *p)
{
	bool ok = true;
	for (uint32_t i = 0; i < NAMES; i++)
		ok = gcs_profile_add_name(p, names[i]) == i && ok;
	for (uint32_t i = 0; i < FRAMES; i++)
		ok = gcs_profile_add_frame(p, &frames[i]) == i && ok;
	for (uint32_t i = 0; i < STACKS; i++)
		ok = gcs_profile_add_stack(p, &stacks[i]) == i && ok;
	return ok;
}

static bool add_entry(struct gcs_profile *p, uint32_t i, bool totals)
{
	struct gcs_profile_entry e = {
	    .stack = i == 0 ? GCS_NONE : STACKS - i,
	    .class_name = 1 + i % 2,
	    .thread = i == 0 ? 0 : 3,
	    .samples = totals ? UINT64_MAX - i : 1,
	    .bytes = 524288.25 * i,
	    .bytes_variance = 1e300 / (1 + i),
	    .objects = 0.1 + i,
	    .objects_variance = 1e-300,
	    .age = UINT32_MAX - i,
	    .lifetime_bytes = UINT64_MAX >> i,
	    .region = i == 0 ? 0 : NAMES,
	};
	if (totals) {
		e.size = (uint64_t)1024 << i;
		e.live_bytes = 4096.5;
		e.live_objects = 3;
		e.new_bytes = 1e200;
		e.new_objects = 0.25;
		for (uint32_t b = 0; b < GCS_SURVIVAL_BUCKETS; b++)
			e.died_bytes[b] = 1000.0 * b + i;
	} else {
		e.id = UINT64_MAX - i;
		e.size = (uint64_t)16 << 10 * i;
		e.wall_ns = i == 0 ? INT64_MIN : INT64_MAX - i;
		e.context = UINT64_C(0x8000000000000000) >> i;
		e.address = i == 0 ? 0 : UINT64_MAX - 8 * i;
		e.approximate = i == 2;
	}
	return gcs_profile_add_entry(p, &e);
}

struct gcs_profile *kit_profile(enum gcs_profile_kind kind)
{
	const struct gcs_profile_head head = {
	    .kind = kind,
	    .server = "Kit, pid 4711",
	    .as_of = "at the last collection",
	    .wall_ns = INT64_C(1795220309238379715),
	    .judged = {299, KIT_PROFILE_JUDGED, "Young"},
	    .judged_old = {7, -2, ""},
	    .used_bytes = UINT64_MAX,
	    .since_wall_ns = -1,
	    .interval = 524288,
	    .collections = 300,
	    .allocated_bytes = 1e12,
	    .allocated_objects = 12345678.9,
	    .samples = 1,
	    .tracked = 200,
	    .died = 3000,
	    .dropped = 40000,
	    .lost = 500000,
	    .elsewhere = 6000000,
	    .garbage_seen = UINT64_MAX,
	};
	struct gcs_profile *p = gcs_profile_create(&head);
	bool ok = p != NULL && add_tables(p);
	for (uint32_t i = 0; ok && i < ENTRIES; i++)
		ok = add_entry(p, i, kind == GCS_PROFILE_ALLOCATED);
	if (ok)
		return p;
	gcs_profile_free(p);
	return NULL;
}

static bool same_judge(const struct gcs_profile_judge *a, const struct gcs_profile_judge *b)
{
	return a->number == b->number && a->wall_ns == b->wall_ns && strcmp(a->kind, b->kind) == 0;
}

static bool same_head(const struct gcs_profile_head *a, const struct gcs_profile_head *b)
{
	return a->kind == b->kind && strcmp(a->server, b->server) == 0 &&
	       strcmp(a->as_of, b->as_of) == 0 && a->wall_ns == b->wall_ns &&
	       a->since_wall_ns == b->since_wall_ns && a->interval == b->interval &&
	       a->collections == b->collections && a->allocated_bytes == b->allocated_bytes &&
	       a->allocated_objects == b->allocated_objects && a->samples == b->samples &&
	       a->tracked == b->tracked && a->died == b->died && a->dropped == b->dropped &&
	       a->lost == b->lost && a->elsewhere == b->elsewhere &&
	       a->garbage_seen == b->garbage_seen && same_judge(&a->judged, &b->judged) &&
	       same_judge(&a->judged_old, &b->judged_old) && a->used_bytes == b->used_bytes &&
	       a->live_includes_new == b->live_includes_new;
}

static bool same_frame(const struct gcs_frame *a, const struct gcs_frame *b)
{
	return strcmp(a->class_name, b->class_name) == 0 && strcmp(a->method, b->method) == 0 &&
	       strcmp(a->file, b->file) == 0 && a->line == b->line && a->kind == b->kind;
}

static bool same_entry(const struct gcs_profile_entry *a, const struct gcs_profile_entry *b)
{
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		if (a->died_bytes[i] != b->died_bytes[i])
			return false;
	return a->stack == b->stack && a->class_name == b->class_name && a->thread == b->thread &&
	       a->samples == b->samples && a->bytes == b->bytes &&
	       a->bytes_variance == b->bytes_variance && a->objects == b->objects &&
	       a->objects_variance == b->objects_variance && a->age == b->age &&
	       a->lifetime_bytes == b->lifetime_bytes && a->id == b->id && a->size == b->size &&
	       a->wall_ns == b->wall_ns && a->context == b->context &&
	       a->live_bytes == b->live_bytes && a->live_objects == b->live_objects &&
	       a->region == b->region && a->address == b->address &&
	       a->approximate == b->approximate && a->new_bytes == b->new_bytes &&
	       a->new_objects == b->new_objects;
}

const char *kit_profile_difference(const struct gcs_profile *a, const struct gcs_profile *b)
{
	if (!same_head(gcs_profile_head(a), gcs_profile_head(b)))
		return "the head";
	if (gcs_profile_name_count(a) != gcs_profile_name_count(b) ||
	    gcs_profile_frame_count(a) != gcs_profile_frame_count(b) ||
	    gcs_profile_stack_count(a) != gcs_profile_stack_count(b) ||
	    gcs_profile_entry_count(a) != gcs_profile_entry_count(b))
		return "a count";
	for (uint32_t i = 0; i < gcs_profile_name_count(a); i++)
		if (strcmp(gcs_profile_name(a, i), gcs_profile_name(b, i)) != 0)
			return "a name";
	for (uint32_t i = 0; i < gcs_profile_frame_count(a); i++)
		if (!same_frame(gcs_profile_frame(a, i), gcs_profile_frame(b, i)))
			return "a frame";
	for (uint32_t i = 0; i < gcs_profile_stack_count(a); i++) {
		const struct gcs_stack *s = gcs_profile_stack(a, i), *t = gcs_profile_stack(b, i);
		if (s->parent != t->parent || s->frame != t->frame)
			return "a stack";
	}
	for (uint32_t i = 0; i < gcs_profile_entry_count(a); i++)
		if (!same_entry(gcs_profile_entry(a, i), gcs_profile_entry(b, i)))
			return "an entry";
	return NULL;
}
