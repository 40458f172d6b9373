/*
 * Traces of special shapes, for what writes them for other programs:
 *
 *	trace-shapes html FILE		names that would be markup, formulas or columns
 *	trace-shapes one FILE		one event, no profiles
 *	trace-shapes long FILE EVENTS	collections 10 ms apart, every thousandth a long one
 *	trace-shapes wide FILE TILES	20 events whose one space grows to TILES tiles, with a
 *					description of its own from the eleventh on
 *	trace-shapes counted FILE	two events: of the four tiles none is counted, then two
 *	trace-shapes filled FILE	a heap that has grown before its first full collection
 *	trace-shapes stalling FILE	20 s of ZGC: two collections by Allocation Stall, of three pauses
 *	trace-shapes marks FILE		10 s of long pauses of ZGC, then 10 s of shorter ones of G1
 *	trace-shapes degenerated FILE	the same time of Shenandoah, ten of whose collections fell behind
 *	trace-shapes humongous FILE	a heap with addresses, half of it humongous, and profiles
 *	trace-shapes shifted FILE	the same, with most allocated elsewhere than before
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/trace.h>

#include "kit_gc.h"
#include "making.h"

enum { MIB = 1 << 20, WIDE_EVENTS = 20 };

static void collect(struct kit_gc *gc, uint64_t at_ms, bool full, const char *cause, int64_t after)
{
	static const int used[KIT_GC_TILES] = {512, 1024, 0, 1024, 1024, 0, 1024, 0};
	struct gcs_snapshot *s = kit_gc_finish(gc, &(struct kit_gc_pause){.finish_ms = at_ms,
						       .kind = full ? "Full" : "Young",
						       .cause = cause,
						       .pause_ns = full ? 400000000 : 2000000,
						       .before = 6 * MIB,
						       .after = after,
						       .committed = 7 * MIB});
	kit_gc_regions(s, full ? "OFFFFFF-" : "OEFEEFE-", used);
	kit_gc_give(gc, s);
}

static void make_html(struct kit_gc *gc)
{
	static const struct kit_gc_name_pair {
		const char *class_name, *method;
	} evil = {"<script>alert(1)</script>", "]]></style><b onload='x'>"};
	for (uint64_t i = 0; i < 4; i++) {
		collect(gc, 1000 * (i + 1), i == 3, i % 2 == 0 ? "=1+1\tB\nC" : "</script>&amp;\"'",
		    2 * MIB + (int64_t)i * 100000);
		const struct kit_gc_site sites[] = {
		    {evil.class_name, evil.method, 100000.0 * (double)(i + 1)}};
		making_profile(kit_gc_profile(GCS_PROFILE_LIVE, (int64_t)i + 1, 1e6, 1, sites));
		making_profile(
		    kit_gc_profile(GCS_PROFILE_ALLOCATED, (int64_t)i + 1, 1e6, 1, sites));
	}
}

static void make_gc(const char *mode, uint64_t events)
{
	static const struct kit_gc_names evil = {"<script>alert(1)</script>",
	    "]]></style><b>\"q\" & 'q'", "=cmd|' /C calc'!A0", "@tab\tline\nend"};
	struct kit_gc gc;
	kit_gc_begin(&gc, strcmp(mode, "html") == 0 ? &evil : &kit_gc_plain, making_give, NULL);
	if (strcmp(mode, "html") == 0)
		make_html(&gc);
	for (uint64_t i = 0; strcmp(mode, "html") != 0 && i < events; i++)
		collect(&gc, 1000 + 10 * i, i % 1000 == 999, "Allocation Failure", 2 * MIB);
	kit_gc_end(&gc);
}

/* 26 MiB after young collections, then 80, and seven full collections that leave as much; of a JVM, or of
 * a program that says nothing of committed memory. */
static void make_filled(bool jvm)
{
	struct kit_gc gc;
	kit_gc_begin(&gc, &kit_gc_plain, making_give, NULL);
	must(jvm || gcs_model_set_info(gc.model, "JVM", "", NULL) == GCS_OK, "no memory");
	for (uint64_t i = 0; i < 54; i++) {
		const int64_t young = i < 40 ? 26 + (int64_t)i : 80;
		kit_gc_give(
		    &gc, kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = 1000 * (i + 1),
						.kind = i < 47 ? "Young" : "Full",
						.cause = "Allocation Failure",
						.pause_ns = 1000000,
						.before = 90ll * MIB,
						.after = (i < 47 ? young : 80) * MIB,
						.committed = jvm ? 100ll * MIB : -1}));
	}
	kit_gc_end(&gc);
}

static void make_marks(void)
{
	struct kit_gc gc;
	kit_gc_begin(&gc, &kit_gc_plain, making_give, NULL);
	for (uint64_t i = 0; i < 20; i++)
		kit_gc_give(
		    &gc, kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = 1000 * (i + 1),
						.kind = i < 10 ? "Young mark start" : "Young",
						.cause = "Warmup",
						.pause_ns = i < 10 ? 300000000 : 200000000,
						.before = 6 * MIB,
						.after = 6 * MIB,
						.committed = 7 * MIB}));
	kit_gc_end(&gc);
}

static void make_stalling(bool degenerated)
{
	/* A marking of ZGC that is not complete ends several times. */
	const char *const kinds[] = {
	    "Mark start", degenerated ? "Degenerated" : "Mark end", "Mark end"};
	const uint64_t cycle = degenerated ? 2 : 3;
	struct kit_gc gc;
	kit_gc_begin(&gc, &kit_gc_plain, making_give, NULL);
	for (uint64_t i = 0; i < 20; i++)
		kit_gc_give(
		    &gc, kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = 1000 * (i + 1),
						.kind = kinds[i % cycle],
						.cause = degenerated ? "Allocation Failure"
							 : i < 14    ? "Allocation Rate"
								     : "Allocation Stall",
						.pause_ns = 20000,
						.before = 6 * MIB,
						.after = 6 * MIB,
						.committed = 7 * MIB}));
	kit_gc_end(&gc);
}

/* A space with one stream, and a second one of five tiles; numbers of the first are tile + 1000 * event. */
static struct gcs_model *wide_model(const char *description)
{
	struct gcs_error err;
	struct gcs_model *m = gcs_model_create("Wide");
	const struct gcs_event tick = {.name = "Tick", .description = ""};
	const struct gcs_stream stream = {.name = "Number",
	    .description = "",
	    .prefix = "",
	    .suffix = "",
	    .type = GCS_TYPE_I64,
	    .max = INT64_MAX,
	    .maximum = GCS_MAX_OF_EVENT,
	    .max_stream = GCS_NONE};
	struct gcs_space space = {.name = "Line",
	    .description = description,
	    .tile_title = "Tile",
	    .block_info = "",
	    .unused_text = "",
	    .group = GCS_NONE,
	    .stream_count = 1,
	    .streams = &stream};
	must(m != NULL && gcs_model_add_event(m, &tick, NULL, &err) == GCS_OK &&
		 gcs_model_add_space(m, &space, NULL, &err) == GCS_OK,
	    "no model");
	space.name = "Rest";
	must(gcs_model_add_space(m, &space, NULL, &err) == GCS_OK, "no second space");
	return m;
}

static void make_wide(uint32_t tiles)
{
	struct gcs_snapshot *last = NULL;
	struct gcs_model *model = wide_model("first");
	for (uint32_t i = 0; i < WIDE_EVENTS; i++) {
		if (i == WIDE_EVENTS / 2) {
			gcs_model_unref(model);
			model = wide_model("second");
		}
		struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
		const struct gcs_occurrence o = {
		    .sequence = i + 1u, .time_ns = 1000000000u * (i + 1ull)};
		gcs_snapshot_set_occurrence(s, &o);
		must(gcs_snapshot_resize(s, 0, (uint32_t)((uint64_t)tiles * (i + 1) / WIDE_EVENTS)),
		    "no tiles");
		gcs_snapshot_resize(s, 1, 5);
		int64_t *values = gcs_snapshot_write(s, 0, 0);
		for (uint32_t k = 0; values != NULL && k < gcs_snapshot_tiles(s, 0); k++)
			values[k] = k + 1000 * (int64_t)i;
		making_give(NULL, s, i);
		gcs_snapshot_unref(last);
		last = s;
	}
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
}

/* Objects are 0 where they have not been counted, and 0 and 5 where they have. Call sites as an agent has them
 * that does not sample, and one that has ended. */
static void make_counted(void)
{
	static const char *const names[] = {"Not counted", "Counted"};
	static const int64_t now[][4] = {{1, 0, 1, 0}, {0, 0, 5, 0}};
	struct gcs_error err;
	struct gcs_model *m = gcs_model_create("Counted");
	const struct gcs_event tick = {.name = "Tick", .description = ""};
	const struct gcs_stream streams[] = {{.name = "Counted",
						 .presentation = GCS_ENUM,
						 .summary = GCS_SUMMARY_COUNTS,
						 .max = 1,
						 .enum_count = 2,
						 .enum_names = names},
	    {.name = "Objects", .type = GCS_TYPE_I64, .max = 100, .summary = GCS_SUMMARY_TOTAL}};
	struct gcs_stream described[2];
	for (int i = 0; i < 2; i++) {
		described[i] = streams[i];
		described[i].description = described[i].prefix = described[i].suffix = "";
		described[i].max_stream = GCS_NONE;
	}
	const struct gcs_space space = {.name = "Heap",
	    .description = "",
	    .tile_title = "Tile",
	    .block_info = "",
	    .unused_text = "",
	    .group = GCS_NONE,
	    .stream_count = 2,
	    .streams = described};
	must(m != NULL && gcs_model_add_event(m, &tick, NULL, &err) == GCS_OK, "no model");
	must(gcs_model_add_space(m, &space, NULL, &err) == GCS_OK, err.text);
	struct gcs_space sites = space;
	sites.name = "Call sites";
	sites.stream_count = 1;
	struct gcs_stream live = described[1];
	live.name = "Live";
	sites.streams = &live;
	must(gcs_model_add_space(m, &sites, NULL, &err) == GCS_OK, err.text);
	sites.name = "Ended";
	must(gcs_model_add_space(m, &sites, NULL, &err) == GCS_OK, err.text);
	struct gcs_snapshot *last = NULL;
	for (uint32_t i = 0; i < 2; i++) {
		struct gcs_snapshot *s = gcs_snapshot_begin(m, last);
		const struct gcs_occurrence o = {
		    .sequence = i + 1u, .time_ns = 1000000000u * (i + 1ull)};
		const int64_t counts[] = {i == 0 ? 4 : 2, i == 0 ? 0 : 2}, total = i == 0 ? 0 : 5;
		gcs_snapshot_set_occurrence(s, &o);
		must(gcs_snapshot_resize(s, 0, 4), "no tiles");
		for (uint32_t k = 0; k < 2; k++) {
			int64_t *values = gcs_snapshot_write(s, 0, k);
			for (uint32_t tile = 0; tile < 4; tile++)
				values[tile] = i == 0 ? 0 : now[k][tile];
		}
		gcs_snapshot_set_summary(s, 0, 0, 2, counts);
		gcs_snapshot_set_summary(s, 0, 1, 1, &total);
		gcs_snapshot_set_gathered(s, 0, true);
		gcs_snapshot_set_gathered(s, 1, true);
		gcs_snapshot_set_space_info(s, 1, "Sampling of allocations is off");
		must(gcs_snapshot_resize(s, 2, 1), "no tiles");
		gcs_snapshot_set_summary(s, 2, 0, 1, &(int64_t){0});
		gcs_snapshot_set_gathered(s, 2, true);
		gcs_snapshot_set_space_info(s, 2, "Sampling off; 5 samples");
		making_give(NULL, s, i);
		gcs_snapshot_unref(last);
		last = s;
	}
	gcs_snapshot_unref(last);
	gcs_model_unref(m);
}

static const char *const types[] = {"Free", "Old", "Humongous"};

/* A heap of regions of 1 MiB, from 0x10000000 on. */
static struct gcs_model *heap_model(void)
{
	struct gcs_error err;
	struct gcs_model *m = gcs_model_create("Heap");
	const struct gcs_event tick = {.name = "Tick", .description = ""};
	struct gcs_stream streams[] = {
	    {.name = "Start", .role = GCS_ROLE_RANGE_START, .format = GCS_HEX},
	    {.name = "End", .role = GCS_ROLE_RANGE_END, .format = GCS_HEX},
	    {.name = "Type",
		.presentation = GCS_ENUM,
		.summary = GCS_SUMMARY_COUNTS,
		.max = 2,
		.enum_count = 3,
		.enum_names = types}};
	for (int i = 0; i < 3; i++) {
		streams[i].description = streams[i].prefix = streams[i].suffix = "";
		streams[i].type = GCS_TYPE_I64;
		streams[i].max_stream = GCS_NONE;
		streams[i].max = i == 2 ? 2 : INT64_MAX;
	}
	const struct gcs_space space = {.name = "Regions",
	    .description = "",
	    .tile_title = "Region",
	    .block_info = "",
	    .unused_text = "",
	    .group = GCS_NONE,
	    .main = true,
	    .stream_count = 3,
	    .streams = streams};
	must(m != NULL && gcs_model_add_event(m, &tick, NULL, &err) == GCS_OK, "no model");
	must(gcs_model_add_space(m, &space, NULL, &err) == GCS_OK, err.text);
	return m;
}

/* A sample of 1 MiB in each region: by Work.small in the old one, by Work.big in the others. */
static void humongous_profile(enum gcs_profile_kind kind, int64_t at_s, bool shifted)
{
	struct gcs_profile *p = gcs_profile_create(&(struct gcs_profile_head){.kind = kind,
	    .server = "Heap",
	    .as_of = "",
	    .wall_ns = (1767323045 + at_s) * 1000000000,
	    .since_wall_ns = 1767323045000000000,
	    .judged = {(uint64_t)at_s, (1767323045 + at_s) * 1000000000, "Young"},
	    .judged_old.kind = "",
	    .interval = 1 << 20});
	const uint32_t old = gcs_profile_add_name(p, types[1]);
	const uint32_t humongous = gcs_profile_add_name(p, types[2]);
	const uint32_t thread = gcs_profile_add_name(p, "main");
	const uint32_t class_name = gcs_profile_add_name(p, "byte[]");
	const uint32_t count = shifted && kind == GCS_PROFILE_ALLOCATED ? 4 : 3;
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_frame frame = {.class_name = "app.Work",
		    .method = i == 0   ? "small"
			      : i == 3 ? "late"
				       : "big",
		    .file = "Work.java",
		    .line = i == 0 ? 10 : 20};
		const struct gcs_stack stack = {GCS_NONE, gcs_profile_add_frame(p, &frame)};
		const bool live = kind == GCS_PROFILE_LIVE;
		const struct gcs_profile_entry e = {.stack = gcs_profile_add_stack(p, &stack),
		    .class_name = class_name,
		    .thread = thread,
		    .samples = i == 3 ? (uint64_t)at_s : 1,
		    .bytes = i == 3 ? MIB / 2.0 * (double)at_s : MIB * (i + 1),
		    .bytes_variance = 1024.0 * 1024,
		    .objects = 1,
		    .age = live,
		    .region = (i == 0 ? old : humongous) + 1,
		    .id = live ? i + 1 : 0,
		    .size = MIB,
		    .address = live ? 0x10000000 + i * (uint64_t)MIB : 0};
		must(gcs_profile_add_entry(p, &e), "no entry");
	}
	making_profile(p);
}

/* Two events, each with its profiles; between them two regions become one tile. */
static void make_humongous(bool shifted)
{
	struct gcs_snapshot *last = NULL;
	struct gcs_model *model = heap_model();
	for (uint32_t i = 0; i < 2; i++) {
		struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
		const struct gcs_occurrence o = {.sequence = i + 1u,
		    .time_ns = 1000000000u * (i + 1ull),
		    .wall_ns = (1767323045 + (int64_t)i + 1) * 1000000000};
		gcs_snapshot_set_occurrence(s, &o);
		must(gcs_snapshot_resize(s, 0, 4 - i), "no tiles");
		const int64_t counts[] = {1, 1, 2 - (int64_t)i};
		int64_t *start = gcs_snapshot_write(s, 0, 0), *end = gcs_snapshot_write(s, 0, 1);
		int64_t *type = gcs_snapshot_write(s, 0, 2);
		for (uint32_t k = 0; k < 4 - i; k++) {
			const uint32_t from = k == 2 && i == 1 ? 3 : k;
			start[k] = 0x10000000 + from * (int64_t)MIB;
			end[k] = start[k] + MIB * (k == 1 && i == 1 ? 2 : 1);
			type[k] = from == 0 ? 1 : from == 3 ? 0 : 2;
		}
		gcs_snapshot_set_summary(s, 0, 2, 3, counts);
		gcs_snapshot_set_gathered(s, 0, true);
		making_give(NULL, s, i);
		humongous_profile(GCS_PROFILE_LIVE, i + 1, shifted);
		humongous_profile(GCS_PROFILE_ALLOCATED, i + 1, shifted);
		gcs_snapshot_unref(last);
		last = s;
	}
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
}

int main(int count, char **words)
{
	must(count >= 3,
	    "html|one|counted|filled|other|marks|stalling|degenerated|humongous|shifted FILE, or "
	    "long|wide FILE NUMBER");
	const char *mode = words[1];
	const unsigned long number = count > 3 ? strtoul(words[3], NULL, 10) : 1;
	making_begin(words[2]);
	if (strcmp(mode, "wide") == 0)
		make_wide((uint32_t)number);
	else if (strcmp(mode, "counted") == 0)
		make_counted();
	else if (strcmp(mode, "humongous") == 0 || strcmp(mode, "shifted") == 0)
		make_humongous(strcmp(mode, "shifted") == 0);
	else if (strcmp(mode, "filled") == 0 || strcmp(mode, "other") == 0)
		make_filled(strcmp(mode, "filled") == 0);
	else if (strcmp(mode, "marks") == 0)
		make_marks();
	else if (strcmp(mode, "stalling") == 0 || strcmp(mode, "degenerated") == 0)
		make_stalling(strcmp(mode, "degenerated") == 0);
	else
		make_gc(mode, number);
	making_end();
	return 0;
}
