/* Declared in ui_charts.h. */
#include "ui_charts.h"

#include <stdio.h>
#include <string.h>

#define LONG_NAME                                                                                  \
	"a-name-that-is-longer-than-any-column-and-goes-on-and-on-and-on-until-nobody-reads-it-"   \
	"any-more-and-still-goes-on"

static const char *const kinds[] = {"Free", "Small", "Large"};
static const char *const strange_kinds[] = {"Free", LONG_NAME,
    "\xe5\xa0\x86\xe5\x86\x85\xe5\xad\x98", "\xd7\xa2\xd7\xa8\xd7\x9e\xd7\x94",
    "two\nlines\tand a tab"};

static struct gcs_stream stream(const char *name, enum gcs_type type, int64_t max)
{
	return (struct gcs_stream){.name = name, .type = type, .max = max, .max_stream = GCS_NONE};
}

static void set_streams(struct gcs_stream *s, bool strange)
{
	s[CHARTED_USED] = stream(strange ? LONG_NAME : "Used", GCS_TYPE_I32, CHARTED_BYTES);
	s[CHARTED_USED].presentation = GCS_PERCENT;
	s[CHARTED_USED].format = GCS_BYTES;
	s[CHARTED_USED].paint = GCS_PAINT_ZERO;
	s[CHARTED_COUNT] = stream("Count", GCS_TYPE_I32, 1000);
	s[CHARTED_COUNT].suffix = " objects";
	s[CHARTED_LEVEL] = stream("Level", GCS_TYPE_I64, INT64_MAX);
	s[CHARTED_LEVEL].min = INT64_MIN;
	s[CHARTED_KIND] = stream("Kind", GCS_TYPE_I8, strange ? 4 : 2);
	s[CHARTED_KIND].presentation = GCS_ENUM;
	s[CHARTED_KIND].enum_count = strange ? 5 : 3;
	s[CHARTED_KIND].enum_names = strange ? strange_kinds : kinds;
	s[CHARTED_CONTROL] = stream("Control", GCS_TYPE_I8, 63);
	s[CHARTED_CONTROL].role = GCS_ROLE_CONTROL;
	s[CHARTED_CONTROL].initial = GCS_TILE_USED;
	s[5] = stream("Start", GCS_TYPE_I64, INT64_MAX);
	s[5].role = GCS_ROLE_RANGE_START;
	s[6] = stream("End", GCS_TYPE_I64, INT64_MAX);
	s[6].role = GCS_ROLE_RANGE_END;
}

static uint32_t noise(uint32_t a, uint32_t b)
{
	uint32_t h = (a + 1) * 2654435761u ^ (b + 77) * 2246822519u;
	h ^= h >> 15;
	h *= 2654435761u;
	return h ^ h >> 13;
}

static int64_t extreme(uint32_t i)
{
	static const int64_t values[] = {
	    INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN + 1, INT64_MAX - 1};
	return values[i % 7];
}

static void fill(struct gcs_snapshot *s, uint32_t tiles, enum charted how, uint32_t number)
{
	int64_t *column[7];
	for (uint32_t i = 0; i < 7; i++)
		world_must((column[i] = gcs_snapshot_write(s, 0, i)) != NULL, "column");
	for (uint32_t i = 0; i < tiles; i++) {
		int64_t count = noise(i / 16, number) % 900 + noise(i, number + 1) % 100;
		column[CHARTED_USED][i] = i % 9 == 0 ? 0 : count * CHARTED_BYTES / 1000;
		column[CHARTED_COUNT][i] = count / 2 + noise(i, 5) % 400;
		column[CHARTED_LEVEL][i] =
		    how == CHARTED_EXTREME ? extreme(i) : (int64_t)i - tiles / 3;
		column[CHARTED_KIND][i] = i % 9 == 0               ? 0
					  : how == CHARTED_STRANGE ? 1 + i % 4
								   : 1 + (count > 500);
		column[CHARTED_CONTROL][i] =
		    how == CHARTED_UNUSED || i % 50 > 45 ? GCS_TILE_UNUSED : GCS_TILE_USED;
		column[5][i] = INT64_C(0x10000000) + (int64_t)i * CHARTED_BYTES;
		column[6][i] = column[5][i] + CHARTED_BYTES;
	}
	for (uint32_t i = 0; how == CHARTED_STRANGE && i < tiles; i++)
		gcs_snapshot_set_name(s, 0, i, strange_kinds[1 + i % 4]);
}

static struct gcs_snapshot *begin(
    const char *name, const struct gcs_stream *streams, uint32_t n, uint32_t tiles, uint32_t number)
{
	struct gcs_error err = {.text = ""};
	struct gcs_space space = {.name = name,
	    .description = "",
	    .tile_title = "Block",
	    .block_info = "64 KiB to a block",
	    .unused_text = "uncommitted",
	    .group = GCS_NONE,
	    .main = true,
	    .block_bytes = CHARTED_BYTES,
	    .stream_count = n,
	    .streams = streams};
	struct gcs_model *m = gcs_model_create("charted");
	world_must(m != NULL, "model");
	world_must(gcs_model_add_space(m, &space, NULL, &err) == GCS_OK, err.text);
	struct gcs_snapshot *s = gcs_snapshot_begin(m, NULL);
	gcs_model_unref(m);
	world_must(s != NULL && gcs_snapshot_resize(s, 0, tiles), "snapshot");
	gcs_snapshot_set_occurrence(
	    s, &(struct gcs_occurrence){.sequence = 100 + number, .event = GCS_NONE});
	gcs_snapshot_set_gathered(s, 0, true);
	return s;
}

struct gcs_snapshot *charted_snapshot(uint32_t tiles, enum charted how, uint32_t number)
{
	struct gcs_stream streams[7];
	set_streams(streams, how == CHARTED_STRANGE);
	struct gcs_snapshot *s = begin(
	    how == CHARTED_STRANGE ? LONG_NAME LONG_NAME : "Charted", streams, 7, tiles, number);
	if (tiles > 0)
		fill(s, tiles, how, number);
	return s;
}

struct gcs_snapshot *charted_counted(uint32_t tiles, bool any)
{
	static const char *const states[] = {"Not counted", "Counted"};
	struct gcs_stream streams[3] = {stream("Used", GCS_TYPE_I32, CHARTED_BYTES),
	    stream("Counted", GCS_TYPE_I8, 1), stream("Objects", GCS_TYPE_I32, 1000000)};
	streams[COUNTED_STATE].presentation = GCS_ENUM;
	streams[COUNTED_STATE].enum_count = 2;
	streams[COUNTED_STATE].enum_names = states;
	streams[COUNTED_OBJECTS].summary = GCS_SUMMARY_TOTAL;
	struct gcs_snapshot *s = begin("Charted", streams, 3, tiles, 0);
	int64_t *column[3], total = 0;
	for (uint32_t i = 0; i < 3; i++)
		world_must((column[i] = gcs_snapshot_write(s, 0, i)) != NULL, "column");
	for (uint32_t i = 0; i < tiles; i++) {
		column[COUNTED_USED][i] = 7 * (i + 1);
		column[COUNTED_STATE][i] = any && i % 3 != 0;
		column[COUNTED_OBJECTS][i] = column[COUNTED_STATE][i] * 10 * i;
		total += column[COUNTED_OBJECTS][i];
	}
	gcs_snapshot_set_summary(s, 0, COUNTED_OBJECTS, 1, &total);
	return s;
}

struct gcs_snapshot *charted_runs(const char *tiles)
{
	struct gcs_stream streams[2] = {
	    stream("Used", GCS_TYPE_I32, CHARTED_BYTES), stream("Control", GCS_TYPE_I8, 63)};
	streams[0].format = GCS_BYTES;
	streams[1].role = GCS_ROLE_CONTROL;
	uint32_t n = (uint32_t)strlen(tiles);
	struct gcs_snapshot *s = begin("Runs", streams, 2, n, 0);
	int64_t *used = gcs_snapshot_write(s, 0, 0), *control = gcs_snapshot_write(s, 0, 1);
	for (uint32_t i = 0; i < n; i++) {
		char c = tiles[i];
		used[i] = c == '#' ? CHARTED_BYTES : c == 'h' ? CHARTED_BYTES / 2 : 0;
		control[i] = c == '/'   ? GCS_TILE_UNUSED
			     : c == '|' ? GCS_TILE_USED | GCS_TILE_SEPARATOR
					: GCS_TILE_USED;
	}
	return s;
}

void charted_show(struct world *w, struct gcs_snapshot *snapshot, const char *chart)
{
	char script[80];
	app_show(&w->app, snapshot);
	gcs_snapshot_unref(snapshot);
	snprintf(script, sizeof script, "charts\nchart %s\n", chart);
	world_must(world_run(w, script), script);
}
