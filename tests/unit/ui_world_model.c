/* The made-up server's description and states; declared in ui_world.h. */
#include <stdio.h>
#include <stdlib.h>

#include "ui_world.h"

#define MIB          1048576
#define REGIONS      192
#define BASE_ADDRESS INT64_C(0x700000000)

static const char *const region_types[] = {
    "Free", "Eden", "Survivor", "Old", "Humongous", "Archive"};
static const char *const card_states[] = {"Clean", "Dirty", "Young"};
static const char *const kinds[] = {"Young", "Mixed", "Full"};

static const struct gcs_attribute start_attributes[] = {
    {.name = "kind", .kind = GCS_ATTRIBUTE_ENUM, .enum_count = 3, .enum_names = kinds},
    {.name = "cause", .kind = GCS_ATTRIBUTE_TEXT},
};

static const struct gcs_attribute end_attributes[] = {
    {.name = "kind", .kind = GCS_ATTRIBUTE_ENUM, .enum_count = 3, .enum_names = kinds},
    {.name = "cause", .kind = GCS_ATTRIBUTE_TEXT},
    {.name = "pause", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_NANOSECONDS},
    {.name = "heap before", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    {.name = "heap after", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
};

static const struct gcs_stream region_streams[] = {
    [REGION_TYPE] = {.name = "Type",
	.description = "What the collector uses the region for",
	.type = GCS_TYPE_I8,
	.presentation = GCS_ENUM,
	.max = 5,
	.enum_count = 6,
	.enum_names = region_types,
	.paint = GCS_PAINT_ZERO,
	.summary = GCS_SUMMARY_COUNTS,
	.max_stream = GCS_NONE},
    [REGION_USED] = {.name = "Used",
	.description = "Bytes below the region's top",
	.type = GCS_TYPE_I32,
	.presentation = GCS_PERCENT,
	.max = MIB,
	.paint = GCS_PAINT_ZERO,
	.format = GCS_BYTES,
	.summary = GCS_SUMMARY_SHARE,
	.max_stream = GCS_NONE},
    [REGION_LIVE] = {.name = "Live",
	.description = "Bytes found alive by the last marking",
	.type = GCS_TYPE_I32,
	.presentation = GCS_PERCENT,
	.maximum = GCS_MAX_OF_STREAM,
	.max = MIB,
	.max_stream = REGION_USED,
	.paint = GCS_PAINT_ZERO,
	.format = GCS_BYTES,
	.summary = GCS_SUMMARY_TOTAL},
    [REGION_CARDS] = {.name = "Remembered cards",
	.type = GCS_TYPE_I32,
	.presentation = GCS_PLUS,
	.max = 64,
	.paint = GCS_PAINT_ZERO,
	.suffix = " cards",
	.summary = GCS_SUMMARY_TOTAL,
	.max_stream = GCS_NONE},
    [REGION_AGE] = {.name = "Age",
	.type = GCS_TYPE_I8,
	.presentation = GCS_PLAIN,
	.maximum = GCS_MAX_OF_EVENT,
	.max = 15,
	.suffix = " collections",
	.max_stream = GCS_NONE},
    [REGION_CONTROL] = {.name = "Control",
	.role = GCS_ROLE_CONTROL,
	.type = GCS_TYPE_I8,
	.max = 63,
	.initial = GCS_TILE_USED,
	.max_stream = GCS_NONE},
    {.name = "Start",
	.role = GCS_ROLE_RANGE_START,
	.type = GCS_TYPE_I64,
	.max = INT64_MAX,
	.format = GCS_HEX,
	.max_stream = GCS_NONE},
    {.name = "End",
	.role = GCS_ROLE_RANGE_END,
	.type = GCS_TYPE_I64,
	.max = INT64_MAX,
	.format = GCS_HEX,
	.max_stream = GCS_NONE},
};

static const struct gcs_stream card_streams[] = {
    {.name = "State",
	.type = GCS_TYPE_I8,
	.presentation = GCS_ENUM,
	.max = 2,
	.enum_count = 3,
	.enum_names = card_states,
	.summary = GCS_SUMMARY_COUNTS,
	.max_stream = GCS_NONE},
};

static const struct gcs_stream thread_streams[] = {
    {.name = "Allocated",
	.type = GCS_TYPE_I32,
	.presentation = GCS_PLAIN,
	.max = 2 * MIB,
	.format = GCS_BYTES,
	.summary = GCS_SUMMARY_TOTAL,
	.max_stream = GCS_NONE},
};

static const struct gcs_space spaces[WORLD_SPACES] = {
    {.name = "G1 regions",
	.description = "The Java heap",
	.tile_title = "Region",
	.block_info = "1 MiB to a region",
	.unused_text = "uncommitted",
	.group = 0,
	.main = true,
	.block_bytes = MIB,
	.stream_count = 8,
	.streams = region_streams},
    {.name = "Card table",
	.description = "",
	.tile_title = "Block",
	.block_info = "64 KiB to a tile",
	.unused_text = "",
	.group = 0,
	.stream_count = 1,
	.streams = card_streams},
    {.name = "Threads",
	.description = "",
	.tile_title = "Thread",
	.block_info = "one thread to a tile",
	.unused_text = "",
	.group = 1,
	.kind = GCS_SPACE_LIST,
	.stream_count = 1,
	.streams = thread_streams},
};

void world_must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "test world: %s failed\n", what);
		abort();
	}
}

struct gcs_model *world_model(void)
{
	struct gcs_error err = {.text = ""};
	struct gcs_model *m = gcs_model_create("HotSpot 21.0.2 (G1), pid 4711");
	world_must(m != NULL, "gcs_model_create");
	world_must(gcs_model_add_event(m,
		       &(struct gcs_event){.name = "GC start",
			   .description = "",
			   .colour = 0xe69f00,
			   .attribute_count = 2,
			   .attributes = start_attributes},
		       NULL, &err) == GCS_OK,
	    err.text);
	world_must(gcs_model_add_event(m,
		       &(struct gcs_event){.name = "GC end",
			   .description = "",
			   .colour = 0x56b4e9,
			   .attribute_count = 5,
			   .attributes = end_attributes},
		       NULL, &err) == GCS_OK,
	    err.text);
	static const char *const groups[] = {"Java heap", "Threads"};
	for (int i = 0; i < 2; i++)
		world_must(gcs_model_add_group(m,
			       &(struct gcs_group){.name = groups[i], .parent = GCS_NONE}, NULL,
			       &err) == GCS_OK,
		    err.text);
	for (int i = 0; i < WORLD_SPACES; i++)
		world_must(gcs_model_add_space(m, &spaces[i], NULL, &err) == GCS_OK, err.text);
	world_must(
	    gcs_model_set_info(m, "Collector", "G1, 4 parallel workers", &err) == GCS_OK, err.text);
	world_must(
	    gcs_model_set_info(m, "Command line",
		"java -Xmx192m -XX:+UseG1GC -jar app.jar with a text that is so long that it "
		"needs more than one line",
		&err) == GCS_OK,
	    err.text);
	return m;
}

static uint32_t noise(uint32_t a, uint32_t b)
{
	uint32_t h = a * 2654435761u ^ (b + 0x9e3779b9u) * 2246822519u;
	h ^= h >> 15;
	h *= 2654435761u;
	return h ^ h >> 13;
}

/* Which type region i has after a number of events: blocks of eden move, old grows. */
static int type_of(unsigned i, unsigned step)
{
	unsigned old = 24 + step;
	if (i < 4)
		return 5;
	if (i < 4 + old)
		return 3;
	if (i >= 96 && i < 104)
		return 4;
	if (i >= 120 && i < 120 + 4 * (step % 8))
		return 1;
	if (i >= 110 && i < 114)
		return 2;
	return 0;
}

static void fill_regions(struct gcs_snapshot *s, unsigned step)
{
	int64_t *column[8];
	world_must(gcs_snapshot_resize(s, WORLD_REGIONS, REGIONS), "resize");
	for (uint32_t i = 0; i < 8; i++) {
		column[i] = gcs_snapshot_write(s, WORLD_REGIONS, i);
		world_must(column[i] != NULL, "gcs_snapshot_write");
	}
	int64_t used = 0, live = 0, cards = 0, counts[6] = {0};
	for (unsigned i = 0; i < REGIONS; i++) {
		int type = type_of(i, step);
		bool unused = i >= 160;
		int64_t bytes = type == 0   ? 0
				: type == 4 ? MIB
					    : MIB / 2 + noise(i, step / 8) % (MIB / 2);
		column[REGION_TYPE][i] = type;
		column[REGION_USED][i] = bytes;
		column[REGION_LIVE][i] = type == 3 ? bytes * (noise(i, 7) % 101) / 100 : 0;
		column[REGION_CARDS][i] = type >= 3 ? noise(i, 3) % 80 : 0;
		column[REGION_AGE][i] = type == 3 ? 1 + i % 9 : 0;
		int64_t bits = unused ? GCS_TILE_UNUSED : GCS_TILE_USED;
		if (i == 96)
			bits |= GCS_TILE_SEPARATOR;
		if (i >= 96 && i < 103)
			bits |= GCS_TILE_LINK;
		if (i == 100)
			bits |= GCS_TILE_STALE;
		column[REGION_CONTROL][i] = bits;
		column[6][i] = BASE_ADDRESS + (int64_t)i * MIB;
		column[7][i] = BASE_ADDRESS + (int64_t)(i + 1) * MIB;
		used += bytes;
		live += column[REGION_LIVE][i];
		cards += column[REGION_CARDS][i];
		counts[type] += !unused;
	}
	gcs_snapshot_set_summary(s, WORLD_REGIONS, REGION_TYPE, 6, counts);
	gcs_snapshot_set_summary(
	    s, WORLD_REGIONS, REGION_USED, 2, (int64_t[2]){used, (int64_t)160 * MIB});
	gcs_snapshot_set_summary(s, WORLD_REGIONS, REGION_LIVE, 1, &live);
	gcs_snapshot_set_summary(s, WORLD_REGIONS, REGION_CARDS, 1, &cards);
	gcs_snapshot_set_space_info(s, WORLD_REGIONS, "32 of 192 regions uncommitted");
	gcs_snapshot_set_gathered(s, WORLD_REGIONS, true);
}

static void fill_others(struct gcs_snapshot *s, unsigned step)
{
	static const char *const names[] = {
	    "main", "worker-1", "worker-2", "worker-3", "G1 Conc#0", "Signal Dispatcher"};
	world_must(gcs_snapshot_resize(s, WORLD_CARDS, 400), "resize");
	int64_t *state = gcs_snapshot_write(s, WORLD_CARDS, 0);
	int64_t counts[3] = {0};
	for (uint32_t i = 0; i < 400; i++) {
		state[i] = noise(i, step / 2) % 5 == 0 ? 1 : i > 300 ? 2 : 0;
		counts[state[i]]++;
	}
	gcs_snapshot_set_summary(s, WORLD_CARDS, 0, 3, counts);
	gcs_snapshot_set_gathered(s, WORLD_CARDS, step % 3 != 2);
	world_must(gcs_snapshot_resize(s, WORLD_THREADS, 6), "resize");
	int64_t *bytes = gcs_snapshot_write(s, WORLD_THREADS, 0);
	int64_t total = 0;
	for (uint32_t i = 0; i < 6; i++) {
		bytes[i] = noise(i, step) % (2 * MIB);
		total += bytes[i];
		gcs_snapshot_set_name(s, WORLD_THREADS, i, names[i]);
	}
	gcs_snapshot_set_summary(s, WORLD_THREADS, 0, 1, &total);
	gcs_snapshot_set_gathered(s, WORLD_THREADS, true);
}

struct gcs_snapshot *world_snapshot(
    struct gcs_model *model, const struct gcs_snapshot *previous, unsigned step)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, previous);
	world_must(s != NULL, "gcs_snapshot_begin");
	bool end = step % 2 == 1;
	struct gcs_occurrence o = {.sequence = step + 1,
	    .event = end ? WORLD_GC_END : WORLD_GC_START,
	    .time_ns = UINT64_C(1000000000) + step * UINT64_C(87000000),
	    .elapsed_ns = step > 0 ? 87000000 : 0,
	    .compensation_ns = step > 0 ? 41000 : 0};
	gcs_snapshot_set_occurrence(s, &o);
	gcs_snapshot_set_number(s, 0, step % 6 == 5);
	gcs_snapshot_set_text(s, 1, "G1 Evacuation Pause");
	if (end) {
		gcs_snapshot_set_number(s, 2, 2345678 + step * 1000);
		gcs_snapshot_set_number(s, 3, INT64_C(94) * MIB);
		gcs_snapshot_set_number(s, 4, INT64_C(41) * MIB + MIB / 2);
	}
	gcs_snapshot_set_counter(s, WORLD_GC_START, step / 2 + 1);
	gcs_snapshot_set_counter(s, WORLD_GC_END, (step + 1) / 2);
	fill_regions(s, step);
	fill_others(s, step);
	return s;
}

struct gcs_snapshot *world_plain(uint32_t tiles)
{
	static const struct gcs_stream stream = {.name = "Value",
	    .type = GCS_TYPE_I32,
	    .max = 1000,
	    .paint = GCS_PAINT_ZERO,
	    .max_stream = GCS_NONE};
	struct gcs_space space = {.name = "Plain",
	    .description = "",
	    .tile_title = "Tile",
	    .block_info = "",
	    .unused_text = "",
	    .group = GCS_NONE,
	    .stream_count = 1,
	    .streams = &stream};
	struct gcs_error err;
	struct gcs_model *m = gcs_model_create("plain");
	world_must(
	    m != NULL && gcs_model_add_space(m, &space, NULL, &err) == GCS_OK, "plain model");
	struct gcs_snapshot *s = gcs_snapshot_begin(m, NULL);
	world_must(s != NULL && gcs_snapshot_resize(s, 0, tiles), "plain snapshot");
	gcs_snapshot_set_gathered(s, 0, true);
	gcs_model_unref(m);
	return s;
}
