#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gcspy/memory.h>

/* The counting allocator. Each block is preceded by its size. */

union header {
	size_t bytes;
	max_align_t alignment;
};

static atomic_size_t live_blocks, live_bytes, peak_bytes, allowed = SIZE_MAX;
static atomic_bool has_failed;
static size_t byte_limit;

static bool may_allocate(size_t bytes)
{
	size_t left = atomic_load(&allowed);
	while (left != SIZE_MAX && left != 0 &&
	       !atomic_compare_exchange_weak(&allowed, &left, left - 1))
		continue;
	bool fine = left != 0 && (byte_limit == 0 || bytes <= byte_limit - live_bytes);
	if (!fine)
		atomic_store(&has_failed, true);
	return fine;
}

static void note(size_t gone, size_t come)
{
	size_t now = atomic_fetch_add(&live_bytes, come - gone) + come - gone;
	size_t peak = atomic_load(&peak_bytes);
	while (now > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, now))
		continue;
}

static void *count_resize(void *block, size_t bytes, void *context)
{
	(void)context;
	union header *old = block == NULL ? NULL : (union header *)block - 1;
	size_t before = old == NULL ? 0 : old->bytes;
	if (!may_allocate(bytes))
		return NULL;
	union header *fresh = realloc(old, sizeof *fresh + bytes);
	if (fresh == NULL)
		return NULL;
	fresh->bytes = bytes;
	if (block == NULL)
		atomic_fetch_add(&live_blocks, 1);
	note(before, bytes);
	return fresh + 1;
}

static void *count_allocate(size_t bytes, void *context)
{
	void *block = count_resize(NULL, bytes, context);
	/* What the library does not write itself must not happen to be zero. */
	if (block != NULL)
		memset(block, 0xa5, bytes);
	return block;
}

static void count_release(void *block, void *context)
{
	(void)context;
	union header *old = (union header *)block - 1;
	note(old->bytes, 0);
	atomic_fetch_sub(&live_blocks, 1);
	free(old);
}

void kit_count_memory(size_t limit)
{
	static const struct gcs_allocator counting = {
	    .allocate = count_allocate, .resize = count_resize, .release = count_release};
	byte_limit = limit;
	gcs_set_allocator(&counting);
}

size_t kit_live_blocks(void)
{
	return atomic_load(&live_blocks);
}

size_t kit_live_bytes(void)
{
	return atomic_load(&live_bytes);
}

size_t kit_peak_bytes(void)
{
	return atomic_load(&peak_bytes);
}

void kit_fail_after(size_t count)
{
	atomic_store(&has_failed, false);
	atomic_store(&allowed, count);
}

bool kit_has_failed(void)
{
	return atomic_load(&has_failed);
}

/* SplitMix64: good enough for tests, and any seed will do. */
uint64_t kit_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint32_t kit_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)(kit_random(state) % limit);
}

uint64_t kit_seed(void)
{
	const char *given = getenv("GCSPY_SEED");
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t seed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (given != NULL)
		seed = strtoull(given, NULL, 0);
	fprintf(stderr, "GCSPY_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

void kit_sleep_ms(unsigned milliseconds)
{
	struct timespec t = {
	    .tv_sec = milliseconds / 1000, .tv_nsec = (long)(milliseconds % 1000) * 1000000};
	nanosleep(&t, NULL);
}

/* The model. */

static const char *const causes[] = {"Allocation", "System.gc()", "Metadata"};
static const char *const states[] = {"Free", "Eden", "Old", "Humongous"};

static const struct gcs_attribute tick_attributes[] = {
    [KIT_COUNT_ATTRIBUTE] = {.name = "count", .format = GCS_BYTES},
    [KIT_CAUSE_ATTRIBUTE] = {.name = "cause",
	.kind = GCS_ATTRIBUTE_ENUM,
	.enum_count = 3,
	.enum_names = causes},
    [KIT_WORDS_ATTRIBUTE] = {.name = "words", .kind = GCS_ATTRIBUTE_TEXT},
};

const struct gcs_event kit_events[KIT_EVENTS] = {
    [KIT_TICK] = {.name = "Tick",
	.description = "Something small happened",
	.colour = 0x123456,
	.attribute_count = 3,
	.attributes = tick_attributes},
    [KIT_FULL] = {.name = "Full", .attribute_count = 1, .attributes = tick_attributes},
    [KIT_PLAIN_EVENT] = {.name = "Plain"},
};

const struct gcs_group kit_groups[3] = {
    [KIT_GROUP_TOP] = {.name = "Heap", .parent = GCS_NONE},
    [KIT_GROUP_INNER] = {.name = "Young", .parent = KIT_GROUP_TOP},
    [KIT_GROUP_OTHER] = {.name = "Threads", .parent = GCS_NONE},
};

static const struct gcs_stream streams[KIT_STREAMS] = {
    [KIT_USED] = {.name = "Used",
	.description = "Bytes in use",
	.suffix = " bytes",
	.type = GCS_TYPE_I64,
	.presentation = GCS_PERCENT,
	.paint = GCS_PAINT_ZERO,
	.format = GCS_BYTES,
	.summary = GCS_SUMMARY_SHARE,
	.max = 4096,
	.colour = 0x3070d0},
    [KIT_STATE] = {.name = "State",
	.type = GCS_TYPE_I8,
	.presentation = GCS_ENUM,
	.min = 1,
	.max = 4,
	.initial = 1,
	.summary = GCS_SUMMARY_COUNTS,
	.enum_count = 4,
	.enum_names = states},
    [KIT_CONTROL] = {.name = "Control",
	.role = GCS_ROLE_CONTROL,
	.max = 63,
	.initial = GCS_TILE_USED},
    [KIT_START] = {.name = "Start",
	.role = GCS_ROLE_RANGE_START,
	.type = GCS_TYPE_I64,
	.format = GCS_HEX,
	.min = INT64_MIN,
	.max = INT64_MAX},
    [KIT_END] = {.name = "End",
	.role = GCS_ROLE_RANGE_END,
	.type = GCS_TYPE_I64,
	.format = GCS_HEX,
	.min = INT64_MIN,
	.max = INT64_MAX},
};

static const struct gcs_stream list_streams[] = {
    {.name = "Length",
	.presentation = GCS_PLUS,
	.maximum = GCS_MAX_OF_EVENT,
	.summary = GCS_SUMMARY_TOTAL,
	.min = -5,
	.max = 64,
	.initial = -5},
    {.name = "Share", .presentation = GCS_PERCENT, .maximum = GCS_MAX_OF_STREAM, .max = 64},
};

const struct gcs_space kit_spaces[KIT_SPACES] = {
    [KIT_HEAP] = {.name = "Heap",
	.description = "All of it",
	.tile_title = "Region",
	.block_info = "1 MiB to a region",
	.unused_text = "uncommitted",
	.group = KIT_GROUP_INNER,
	.main = true,
	.block_bytes = 1 << 20,
	.stream_count = KIT_STREAMS,
	.streams = streams},
    [KIT_LIST] = {.name = "Free list",
	.group = KIT_GROUP_OTHER,
	.kind = GCS_SPACE_LIST,
	.stream_count = 2,
	.default_stream = 1,
	.streams = list_streams},
    [KIT_MATRIX] = {.name = "Cards",
	.group = GCS_NONE,
	.kind = GCS_SPACE_MATRIX,
	.columns = 16,
	.stream_count = 1,
	.streams = streams},
};

struct gcs_model *kit_model(void)
{
	struct gcs_model *model = gcs_model_create("Kit");
	enum gcs_status status = model == NULL ? GCS_NOMEM : GCS_OK;
	for (uint32_t i = 0; status == GCS_OK && i < KIT_EVENTS; i++)
		status = gcs_model_add_event(model, &kit_events[i], NULL, NULL);
	for (uint32_t i = 0; status == GCS_OK && i < 3; i++)
		status = gcs_model_add_group(model, &kit_groups[i], NULL, NULL);
	for (uint32_t i = 0; status == GCS_OK && i < KIT_SPACES; i++)
		status = gcs_model_add_space(model, &kit_spaces[i], NULL, NULL);
	if (status == GCS_OK)
		status = gcs_model_set_info(model, "Collector", "Kit", NULL);
	if (status == GCS_OK)
		status = gcs_model_set_info(model, "Version", "1.2.3", NULL);
	if (status == GCS_OK)
		return model;
	gcs_model_unref(model);
	return NULL;
}

struct gcs_snapshot *kit_snapshot(struct gcs_model *model)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	uint64_t state = 7;
	if (s == NULL || !gcs_snapshot_resize(s, KIT_HEAP, 64))
		return s;
	struct gcs_occurrence o = {.sequence = 1, .event = KIT_TICK, .time_ns = 1000};
	gcs_snapshot_set_occurrence(s, &o);
	for (unsigned i = 0; i < 20; i++)
		kit_change(s, &state);
	return s;
}

/* Random changes. */

static int64_t any_value(uint64_t *state)
{
	switch (kit_below(state, 8)) {
	case 0:
		return INT64_MIN;
	case 1:
		return INT64_MAX;
	case 2:
		return (int64_t)kit_random(state);
	case 3:
		return 0;
	default:
		return (int64_t)kit_below(state, 5000) - 100;
	}
}

static void change_size(struct gcs_snapshot *s, uint32_t space, uint64_t *state)
{
	uint32_t tiles = gcs_snapshot_tiles(s, space);
	switch (kit_below(state, 4)) {
	case 0:
		gcs_snapshot_insert_tiles(
		    s, space, kit_below(state, tiles + 1), kit_below(state, 9));
		break;
	case 1: {
		uint32_t at = kit_below(state, tiles + 1);
		gcs_snapshot_remove_tiles(s, space, at, kit_below(state, tiles - at + 1) / 2);
		break;
	}
	case 2:
		gcs_snapshot_resize(s, space, kit_below(state, 200));
		break;
	default:
		gcs_snapshot_resize(s, space, tiles + kit_below(state, 4));
		break;
	}
}

static void change_values(struct gcs_snapshot *s, uint32_t space, uint64_t *state)
{
	uint32_t stream = kit_below(state, gcs_snapshot_model(s)->spaces[space].stream_count);
	uint32_t tiles = gcs_snapshot_tiles(s, space);
	int64_t *values = gcs_snapshot_write(s, space, stream);
	if (values == NULL)
		return;
	uint32_t first = kit_below(state, tiles);
	uint32_t count = kit_below(state, tiles - first + 1);
	int64_t value = any_value(state);
	uint32_t how = kit_below(state, 3);
	for (uint32_t i = first; i < first + count; i++)
		values[i] = how == 0   ? value
			    : how == 1 ? any_value(state)
				       : (int64_t)((uint64_t)values[i] + 1);
}

static void change_name(struct gcs_snapshot *s, uint32_t space, uint64_t *state)
{
	char name[32];
	uint32_t tiles = gcs_snapshot_tiles(s, space);
	if (tiles == 0)
		return;
	snprintf(name, sizeof name, "name %u", (unsigned)kit_below(state, 50));
	gcs_snapshot_set_name(
	    s, space, kit_below(state, tiles), kit_below(state, 4) == 0 ? "" : name);
}

static void change_summary(struct gcs_snapshot *s, uint32_t space, uint64_t *state)
{
	int64_t values[GCS_MAX_ENUM];
	const struct gcs_space *p = &gcs_snapshot_model(s)->spaces[space];
	uint32_t stream = kit_below(state, p->stream_count);
	uint32_t count = gcs_summary_length(&p->streams[stream]);
	for (uint32_t i = 0; i < count; i++)
		values[i] = any_value(state);
	gcs_snapshot_set_summary(s, space, stream, kit_below(state, 5) == 0 ? 0 : count, values);
}

static void change_attributes(struct gcs_snapshot *s, uint64_t *state)
{
	char words[24];
	snprintf(words, sizeof words, "words %u", (unsigned)kit_below(state, 9));
	gcs_snapshot_set_number(s, KIT_COUNT_ATTRIBUTE, any_value(state));
	gcs_snapshot_set_number(s, KIT_CAUSE_ATTRIBUTE, kit_below(state, 3));
	gcs_snapshot_set_text(s, KIT_WORDS_ATTRIBUTE, words);
	gcs_snapshot_set_counter(
	    s, kit_below(state, KIT_EVENTS), kit_below(state, 2) == 0 ? kit_random(state) : 3);
}

void kit_change(struct gcs_snapshot *s, uint64_t *state)
{
	const struct gcs_model *model = gcs_snapshot_model(s);
	uint32_t space = kit_below(state, model->space_count);
	if (model->spaces[space].gone)
		return;
	switch (kit_below(state, 8)) {
	case 0:
		change_size(s, space, state);
		break;
	case 1:
		change_name(s, space, state);
		break;
	case 2:
		change_summary(s, space, state);
		break;
	case 3:
		change_attributes(s, state);
		break;
	case 4: {
		static const char *const infos[] = {"", "half of it", "all of it"};
		gcs_snapshot_set_space_info(s, space, infos[kit_below(state, 3)]);
		break;
	}
	default:
		change_values(s, space, state);
		break;
	}
	gcs_snapshot_set_gathered(s, space, kit_below(state, 3) != 0);
}

/* Comparisons. */

static const char *text_of(const char *text)
{
	return text == NULL ? "" : text;
}

static const char *space_difference(
    const struct gcs_snapshot *a, const struct gcs_snapshot *b, uint32_t space)
{
	const struct gcs_space *p = &gcs_snapshot_model(a)->spaces[space];
	uint32_t tiles = gcs_snapshot_tiles(a, space);
	if (tiles != gcs_snapshot_tiles(b, space))
		return "number of tiles";
	for (uint32_t i = 0; i < tiles; i++)
		if (strcmp(gcs_snapshot_name(a, space, i), gcs_snapshot_name(b, space, i)) != 0)
			return "a tile's name";
	if (strcmp(gcs_snapshot_space_info(a, space), gcs_snapshot_space_info(b, space)) != 0)
		return "a space's information";
	for (uint32_t k = 0; k < p->stream_count; k++) {
		const int64_t *x = gcs_snapshot_values(a, space, k);
		const int64_t *y = gcs_snapshot_values(b, space, k);
		if ((x == NULL) != (y == NULL) ||
		    (x != NULL && memcmp(x, y, tiles * sizeof *x) != 0))
			return "a stream's values";
		uint32_t have, other;
		x = gcs_snapshot_summary(a, space, k, &have);
		y = gcs_snapshot_summary(b, space, k, &other);
		if (have != other || (have != 0 && memcmp(x, y, have * sizeof *x) != 0))
			return "a summary";
	}
	return NULL;
}

static const char *event_difference(const struct gcs_snapshot *a, const struct gcs_snapshot *b)
{
	if (gcs_snapshot_occurrence(a)->event != gcs_snapshot_occurrence(b)->event)
		return "event";
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		if (gcs_snapshot_counter(a, i) != gcs_snapshot_counter(b, i))
			return "a counter";
	for (uint32_t i = 0; i < GCS_MAX_ATTRIBUTES; i++) {
		int64_t x = 0, y = 0;
		if (gcs_snapshot_number(a, i, &x) != gcs_snapshot_number(b, i, &y) || x != y ||
		    strcmp(text_of(gcs_snapshot_text(a, i)), text_of(gcs_snapshot_text(b, i))) != 0)
			return "an attribute";
	}
	return NULL;
}

const char *kit_difference(
    const struct gcs_snapshot *a, const struct gcs_snapshot *b, uint64_t spaces)
{
	if (a == NULL || b == NULL)
		return a == b ? NULL : "existence";
	if (gcs_snapshot_model(a)->space_count != gcs_snapshot_model(b)->space_count)
		return "number of spaces";
	const char *what = event_difference(a, b);
	for (uint32_t i = 0; what == NULL && i < gcs_snapshot_model(a)->space_count; i++)
		if (i >= 64 || (spaces >> i & 1) != 0)
			what = space_difference(a, b, i);
	return what;
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(text_of(a), text_of(b)) == 0;
}

static bool same_names(uint32_t count, const char *const *a, uint32_t other, const char *const *b)
{
	bool same = count == other;
	for (uint32_t i = 0; same && i < count; i++)
		same = same_text(a[i], b[i]);
	return same;
}

static bool same_stream(const struct gcs_stream *a, const struct gcs_stream *b)
{
	return same_text(a->name, b->name) && same_text(a->description, b->description) &&
	       same_text(a->prefix, b->prefix) && same_text(a->suffix, b->suffix) &&
	       a->role == b->role && a->type == b->type && a->presentation == b->presentation &&
	       a->maximum == b->maximum && a->paint == b->paint && a->format == b->format &&
	       a->summary == b->summary && a->min == b->min && a->max == b->max &&
	       a->zero == b->zero && a->initial == b->initial && a->max_stream == b->max_stream &&
	       a->error_stream == b->error_stream && a->colour == b->colour &&
	       same_names(a->enum_count, a->enum_names, b->enum_count, b->enum_names);
}

static bool same_space(const struct gcs_space *a, const struct gcs_space *b)
{
	if (a->gone && b->gone)
		return true; /* how a withdrawn space was last described is not told */
	bool same = same_text(a->name, b->name) && same_text(a->description, b->description) &&
		    same_text(a->tile_title, b->tile_title) &&
		    same_text(a->block_info, b->block_info) &&
		    same_text(a->unused_text, b->unused_text) && a->group == b->group &&
		    a->kind == b->kind && a->main == b->main && a->gone == b->gone &&
		    a->columns == b->columns && a->block_bytes == b->block_bytes &&
		    a->default_stream == b->default_stream && a->stream_count == b->stream_count;
	for (uint32_t i = 0; same && i < a->stream_count; i++)
		same = same_stream(&a->streams[i], &b->streams[i]);
	return same;
}

static bool same_event(const struct gcs_event *a, const struct gcs_event *b)
{
	bool same = same_text(a->name, b->name) && same_text(a->description, b->description) &&
		    a->colour == b->colour && a->attribute_count == b->attribute_count;
	for (uint32_t i = 0; same && i < a->attribute_count; i++) {
		const struct gcs_attribute *x = &a->attributes[i], *y = &b->attributes[i];
		same = same_text(x->name, y->name) && x->kind == y->kind &&
		       x->format == y->format &&
		       same_names(x->enum_count, x->enum_names, y->enum_count, y->enum_names);
	}
	return same;
}

const char *kit_model_difference(const struct gcs_model *a, const struct gcs_model *b)
{
	if (!same_text(a->server_name, b->server_name))
		return "server's name";
	if (a->event_count != b->event_count || a->group_count != b->group_count ||
	    a->space_count != b->space_count || a->info_count != b->info_count)
		return "a count";
	for (uint32_t i = 0; i < a->event_count; i++)
		if (!same_event(&a->events[i], &b->events[i]))
			return "an event";
	for (uint32_t i = 0; i < a->group_count; i++)
		if (!same_text(a->groups[i].name, b->groups[i].name) ||
		    a->groups[i].parent != b->groups[i].parent)
			return "a group";
	for (uint32_t i = 0; i < a->space_count; i++)
		if (!same_space(&a->spaces[i], &b->spaces[i]))
			return "a space";
	for (uint32_t i = 0; i < a->info_count; i++)
		if (!same_text(a->info[i].key, b->info[i].key) ||
		    !same_text(a->info[i].value, b->info[i].value))
			return "a line of information";
	return NULL;
}
