#include "kit_gc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
    "Young", "Mixed", "Full", "Remark", "Mark start", "Degenerated", "Young mark start"};

static const struct gcs_attribute start[] = {
    {.name = "Cause", .kind = GCS_ATTRIBUTE_TEXT},
    {.name = "Used", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
};
enum { KIND, CAUSE, PAUSE, BEFORE, AFTER, COMMITTED };
static const struct gcs_attribute finish[] = {
    [KIND] = {.name = "Kind",
	.kind = GCS_ATTRIBUTE_ENUM,
	.enum_count = sizeof kinds / sizeof *kinds,
	.enum_names = kinds},
    [CAUSE] = {.name = "Cause", .kind = GCS_ATTRIBUTE_TEXT},
    [PAUSE] = {.name = "Pause", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_NANOSECONDS},
    [BEFORE] = {.name = "Used before", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [AFTER] = {.name = "Used after", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [COMMITTED] = {.name = "Committed", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
};
static const struct gcs_event events[] = {
    {.name = "GC start", .description = "", .attribute_count = 2, .attributes = start},
    {.name = "GC finish", .description = "", .attribute_count = 6, .attributes = finish},
    {.name = "Clock", .description = ""},
};

const struct kit_gc_names kit_gc_plain = {"Hand made", "Regions", "uncommitted", "Old"};

static void must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "kit_gc: %s\n", what);
		abort();
	}
}

struct gcs_stream kit_gc_bytes(const char *name)
{
	return (struct gcs_stream){.name = name,
	    .description = "",
	    .prefix = "",
	    .suffix = "",
	    .type = GCS_TYPE_I64,
	    .maximum = GCS_MAX_OF_EVENT,
	    .format = GCS_BYTES,
	    .summary = GCS_SUMMARY_TOTAL,
	    .max = INT64_MAX,
	    .max_stream = GCS_NONE};
}

static void add_regions(struct gcs_model *model, const struct kit_gc_names *names)
{
	struct gcs_error err;
	const char *const types[] = {"Free", "Eden", names->old};
	struct gcs_stream streams[] = {
	    [KIT_GC_TYPE] = kit_gc_bytes("Type"),
	    [KIT_GC_USED] = kit_gc_bytes("Used"),
	    [KIT_GC_CONTROL] = kit_gc_bytes("Control"),
	};
	streams[KIT_GC_TYPE].presentation = GCS_ENUM;
	streams[KIT_GC_TYPE].maximum = GCS_MAX_FIXED;
	streams[KIT_GC_TYPE].format = GCS_DECIMAL;
	streams[KIT_GC_TYPE].summary = GCS_SUMMARY_COUNTS;
	streams[KIT_GC_TYPE].max = 2;
	streams[KIT_GC_TYPE].enum_count = 3;
	streams[KIT_GC_TYPE].enum_names = types;
	streams[KIT_GC_CONTROL].role = GCS_ROLE_CONTROL;
	streams[KIT_GC_CONTROL].maximum = GCS_MAX_FIXED;
	streams[KIT_GC_CONTROL].format = GCS_DECIMAL;
	streams[KIT_GC_CONTROL].summary = GCS_SUMMARY_NONE;
	streams[KIT_GC_CONTROL].max = 63;
	const struct gcs_space space = {.name = names->regions,
	    .description = "",
	    .tile_title = "Region",
	    .block_info = "",
	    .unused_text = names->unused,
	    .group = GCS_NONE,
	    .main = true,
	    .block_bytes = 1 << 20,
	    .stream_count = 3,
	    .streams = streams};
	must(gcs_model_add_space(model, &space, NULL, &err) == GCS_OK, err.text);
}

static void add_tlabs(struct gcs_model *model)
{
	struct gcs_error err;
	const struct gcs_stream streams[] = {
	    kit_gc_bytes("Used"), kit_gc_bytes("Size"), kit_gc_bytes("Refill waste")};
	const struct gcs_space space = {.name = "TLABs",
	    .description = "",
	    .tile_title = "Thread",
	    .block_info = "",
	    .unused_text = "",
	    .group = GCS_NONE,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = 3,
	    .streams = streams};
	must(gcs_model_add_space(model, &space, NULL, &err) == GCS_OK, err.text);
}

void kit_gc_begin(struct kit_gc *gc, const struct kit_gc_names *names,
    void (*give)(void *context, const struct gcs_snapshot *snapshot, uint64_t place), void *context)
{
	struct gcs_error err;
	*gc = (struct kit_gc){.give = give, .context = context};
	gc->model = gcs_model_create(names->server);
	must(gc->model != NULL, "no memory");
	for (unsigned i = 0; i < 3; i++)
		must(gcs_model_add_event(gc->model, &events[i], NULL, &err) == GCS_OK, err.text);
	must(gcs_model_set_info(gc->model, "JVM", "hand made", &err) == GCS_OK, err.text);
	add_regions(gc->model, names);
	add_tlabs(gc->model);
}

void kit_gc_end(struct kit_gc *gc)
{
	gcs_snapshot_unref(gc->last);
	gcs_model_unref(gc->model);
}

struct gcs_snapshot *kit_gc_event(struct kit_gc *gc, uint32_t event, uint64_t time_ms)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(gc->model, gc->last);
	must(s != NULL, "no memory");
	const struct gcs_occurrence o = {.sequence = ++gc->sequence,
	    .event = event,
	    .time_ns = time_ms * 1000000,
	    .wall_ns = 1767323045000000000 + (int64_t)time_ms * 1000000,
	    .cost_ns = gc->sequence * 1000};
	gcs_snapshot_set_occurrence(s, &o);
	gc->counters[event]++;
	for (uint32_t i = 0; i < 3; i++)
		gcs_snapshot_set_counter(s, i, gc->counters[i]);
	for (uint32_t i = 0; i < KIT_GC_SPACES; i++)
		gcs_snapshot_set_gathered(s, i, false);
	return s;
}

void kit_gc_give(struct kit_gc *gc, struct gcs_snapshot *s)
{
	gc->give(gc->context, s, gc->place++);
	gcs_snapshot_unref(gc->last);
	gc->last = s;
}

void kit_gc_miss(struct kit_gc *gc, uint32_t event, uint64_t count)
{
	gc->counters[event] += count;
	gc->sequence += count;
}

void kit_gc_regions(struct gcs_snapshot *s, const char types[KIT_GC_TILES + 1], const int *used_kib)
{
	int64_t counts[3] = {0}, total = 0;
	gcs_snapshot_resize(s, KIT_GC_REGIONS, KIT_GC_TILES);
	int64_t *type = gcs_snapshot_write(s, KIT_GC_REGIONS, KIT_GC_TYPE);
	int64_t *used = gcs_snapshot_write(s, KIT_GC_REGIONS, KIT_GC_USED);
	int64_t *control = gcs_snapshot_write(s, KIT_GC_REGIONS, KIT_GC_CONTROL);
	must(type != NULL && used != NULL && control != NULL, "no memory");
	for (unsigned i = 0; i < KIT_GC_TILES; i++) {
		type[i] = types[i] == 'E' ? 1 : types[i] == 'O' ? 2 : 0;
		used[i] = used_kib[i] * (int64_t)KIT_GC_KIB;
		control[i] = types[i] == '-' ? GCS_TILE_UNUSED : GCS_TILE_USED;
		control[i] |= types[i] == 'f' ? GCS_TILE_SEPARATOR : 0;
		counts[type[i]] += types[i] != '-';
		total += used[i];
	}
	gcs_snapshot_set_summary(s, KIT_GC_REGIONS, KIT_GC_TYPE, 3, counts);
	gcs_snapshot_set_summary(s, KIT_GC_REGIONS, KIT_GC_USED, 1, &total);
	gcs_snapshot_set_gathered(s, KIT_GC_REGIONS, true);
}

void kit_gc_buffer(struct gcs_snapshot *s, int64_t used, int64_t size, int64_t waste)
{
	const int64_t values[] = {used, size, waste};
	gcs_snapshot_resize(s, KIT_GC_TLABS, 1);
	for (uint32_t i = 0; i < 3; i++) {
		int64_t *column = gcs_snapshot_write(s, KIT_GC_TLABS, i);
		must(column != NULL, "no memory");
		column[0] = values[i];
		gcs_snapshot_set_summary(s, KIT_GC_TLABS, i, 1, &values[i]);
	}
	gcs_snapshot_set_gathered(s, KIT_GC_TLABS, true);
}

struct gcs_snapshot *kit_gc_finish(struct kit_gc *gc, const struct kit_gc_pause *p)
{
	struct gcs_snapshot *s = kit_gc_event(gc, KIT_GC_FINISH, p->finish_ms);
	for (int64_t i = 0; i < (int)finish[KIND].enum_count; i++)
		if (p->kind != NULL && strcmp(p->kind, kinds[i]) == 0)
			gcs_snapshot_set_number(s, KIND, i);
	gcs_snapshot_set_text(s, CAUSE, p->cause);
	if (p->pause_ns >= 0)
		gcs_snapshot_set_number(s, PAUSE, p->pause_ns);
	gcs_snapshot_set_number(s, BEFORE, p->before);
	gcs_snapshot_set_number(s, AFTER, p->after);
	if (p->committed >= 0)
		gcs_snapshot_set_number(s, COMMITTED, p->committed);
	return s;
}

struct gcs_profile *kit_gc_profile(enum gcs_profile_kind kind, int64_t wall_s, double allocated,
    uint32_t count, const struct kit_gc_site *sites)
{
	struct gcs_profile *p = gcs_profile_create(&(struct gcs_profile_head){.kind = kind,
	    .server = "Hand made",
	    .as_of = "",
	    .wall_ns = (1767323045 + wall_s) * 1000000000,
	    .since_wall_ns = 1767323045000000000,
	    .judged = {(uint64_t)wall_s * 100 + (uint64_t)(allocated / 5e6),
		(1767323045 + wall_s) * 1000000000, "Young"},
	    .judged_old = {(uint64_t)wall_s, (1767323045 + wall_s) * 1000000000, "Full"},
	    .interval = 1024,
	    .samples = (uint64_t)(allocated / 1024),
	    .allocated_bytes = allocated});
	must(p != NULL, "no memory");
	const uint32_t thread = gcs_profile_add_name(p, "main");
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t frame =
		    gcs_profile_add_frame(p, &(struct gcs_frame){.class_name = "app.Work",
						 .method = sites[i].method,
						 .file = "Work.java",
						 .line = 10 + i});
		const struct gcs_profile_entry entry = {
		    .stack = gcs_profile_add_stack(
			p, &(struct gcs_stack){.parent = GCS_NONE, .frame = frame}),
		    .class_name = gcs_profile_add_name(p, sites[i].class_name),
		    .thread = thread,
		    .samples = 1,
		    .bytes = sites[i].bytes,
		    .bytes_variance = 1024 * sites[i].bytes,
		    .objects = 1,
		    .age = 1,
		    .id = i + 1,
		};
		must(gcs_profile_add_entry(p, &entry), "no entry");
	}
	return p;
}
