#include "feel_world.h"

#include <stdio.h>

#define MIB 1048576

enum { KIND, USED, LIVE, CARDS, AGE, CONTROL, START, END, STREAMS };
enum { RUN = 40 }; /* tiles beside each other that change together */

static const char *const kinds[] = {"Free", "Eden", "Survivor", "Old", "Humongous", "Archive"};

static const struct gcs_stream streams[STREAMS] = {
    [KIND] = {.name = "Kind",
	.type = GCS_TYPE_I8,
	.presentation = GCS_ENUM,
	.max = 5,
	.enum_count = 6,
	.enum_names = kinds,
	.paint = GCS_PAINT_ZERO,
	.summary = GCS_SUMMARY_COUNTS,
	.max_stream = GCS_NONE},
    [USED] = {.name = "Used",
	.type = GCS_TYPE_I32,
	.presentation = GCS_PERCENT,
	.max = MIB,
	.paint = GCS_PAINT_ZERO,
	.format = GCS_BYTES,
	.summary = GCS_SUMMARY_SHARE,
	.max_stream = GCS_NONE},
    [LIVE] = {.name = "Live",
	.type = GCS_TYPE_I32,
	.presentation = GCS_PERCENT,
	.maximum = GCS_MAX_OF_STREAM,
	.max = MIB,
	.max_stream = USED,
	.paint = GCS_PAINT_ZERO,
	.format = GCS_BYTES,
	.summary = GCS_SUMMARY_TOTAL},
    [CARDS] = {.name = "Cards",
	.type = GCS_TYPE_I32,
	.presentation = GCS_PLUS,
	.max = 64,
	.paint = GCS_PAINT_ZERO,
	.max_stream = GCS_NONE},
    [AGE] = {.name = "Age", .type = GCS_TYPE_I8, .max = 15, .max_stream = GCS_NONE},
    [CONTROL] = {.name = "Control",
	.role = GCS_ROLE_CONTROL,
	.type = GCS_TYPE_I8,
	.max = 63,
	.initial = GCS_TILE_USED,
	.max_stream = GCS_NONE},
    [START] = {.name = "Start",
	.role = GCS_ROLE_RANGE_START,
	.type = GCS_TYPE_I64,
	.max = INT64_MAX,
	.format = GCS_HEX,
	.max_stream = GCS_NONE},
    [END] = {.name = "End",
	.role = GCS_ROLE_RANGE_END,
	.type = GCS_TYPE_I64,
	.max = INT64_MAX,
	.format = GCS_HEX,
	.max_stream = GCS_NONE},
};

static const struct gcs_attribute attributes[] = {
    {.name = "Pause", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_NANOSECONDS},
    {.name = "Used after", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
};

const struct gcs_event feel_event = {.name = "GC end",
    .description = "",
    .colour = 0x56b4e9,
    .attribute_count = 2,
    .attributes = attributes};

struct gcs_group feel_group(uint32_t group)
{
	static const char *const names[FEEL_GROUPS] = {"Young", "Old", "Large", "Outside"};
	return (struct gcs_group){.name = names[group], .parent = GCS_NONE};
}

struct gcs_space feel_space(uint32_t space, char *name, size_t size)
{
	snprintf(name, size, "Space %u", space + 1);
	return (struct gcs_space){.name = name,
	    .description = "",
	    .tile_title = "Region",
	    .block_info = "1 MiB to a region",
	    .unused_text = "uncommitted",
	    .group = space * FEEL_GROUPS / FEEL_SPACES,
	    .main = space == 0,
	    .block_bytes = MIB,
	    .stream_count = STREAMS,
	    .streams = streams};
}

struct gcs_model *feel_model(void)
{
	struct gcs_error err;
	struct gcs_model *m = gcs_model_create("A large program");
	bool ok = m != NULL && gcs_model_add_event(m, &feel_event, NULL, &err) == GCS_OK;
	for (uint32_t i = 0; ok && i < FEEL_GROUPS; i++) {
		const struct gcs_group group = feel_group(i);
		ok = gcs_model_add_group(m, &group, NULL, &err) == GCS_OK;
	}
	for (uint32_t i = 0; ok && i < FEEL_SPACES; i++) {
		char name[32];
		const struct gcs_space space = feel_space(i, name, sizeof name);
		ok = gcs_model_add_space(m, &space, NULL, &err) == GCS_OK;
	}
	if (ok)
		return m;
	gcs_model_unref(m);
	return NULL;
}

uint64_t feel_time_ns(unsigned step)
{
	return UINT64_C(1000000000) + step * (UINT64_C(1000000) * FEEL_EVENT_MS);
}

static uint32_t noise(uint32_t a, uint32_t b)
{
	uint32_t h = a * 2654435761u ^ (b + 0x9e3779b9u) * 2246822519u;
	h ^= h >> 15;
	h *= 2654435761u;
	return h ^ h >> 13;
}

/* A space being changed: its columns, and what its summaries become. */
struct place {
	int64_t *column[STREAMS];
	uint32_t space;
};

/* As a collector leaves them: most tiles are empty or full, and neighbours are alike. */
static void change(const struct place *p, uint32_t tile, unsigned step)
{
	const uint32_t run = noise(p->space * FEEL_TILES + tile / RUN, step);
	const uint32_t dice = noise(p->space * FEEL_TILES + tile, step);
	const int64_t kind = run % 6;
	const int64_t part = dice % 4 == 0 ? dice >> 8 & (MIB - 8) : MIB;
	const int64_t used = kind == 0 ? 0 : part;
	p->column[KIND][tile] = kind;
	p->column[USED][tile] = used;
	p->column[LIVE][tile] = kind == 3 ? used * (dice >> 28) / 16 : 0;
	p->column[CARDS][tile] = kind == 3 && dice % 8 == 0 ? dice >> 8 & 127 : 0;
	p->column[AGE][tile] = run >> 8 & 15;
}

static bool open_place(struct place *p, struct gcs_snapshot *s, uint32_t space, bool first)
{
	p->space = space;
	for (uint32_t i = 0; i < (first ? STREAMS : CONTROL); i++) {
		p->column[i] = gcs_snapshot_write(s, space, i);
		if (p->column[i] == NULL)
			return false;
	}
	for (uint32_t tile = 0; first && tile < FEEL_TILES; tile++) {
		const int64_t start =
		    ((int64_t)p->space * 2 * FEEL_TILES + tile) * MIB + INT64_C(0x400000000);
		p->column[CONTROL][tile] =
		    tile >= FEEL_TILES - 40 ? GCS_TILE_UNUSED : GCS_TILE_USED;
		p->column[START][tile] = start;
		p->column[END][tile] = start + MIB;
	}
	return true;
}

/* Of what changes three quarters stand in runs, as where a collector fills or frees. */
static void change_some(const struct place *p, uint32_t count, unsigned step)
{
	uint32_t done = 0;
	for (uint32_t i = 0; done < count; i++) {
		const uint32_t at = noise(p->space + i * 64, step) % (FEEL_TILES - RUN);
		const uint32_t n = i % 31 == 0 ? RUN * 2 : 1;
		for (uint32_t k = 0; k < n && at + k < FEEL_TILES; k++)
			change(p, at + k, step);
		done += n;
	}
}

static int64_t summarize(struct gcs_snapshot *s, const struct place *p)
{
	int64_t counts[6] = {0}, used = 0, live = 0;
	for (uint32_t i = 0; i < FEEL_TILES; i++) {
		counts[p->column[KIND][i]]++;
		used += p->column[USED][i];
		live += p->column[LIVE][i];
	}
	gcs_snapshot_set_summary(s, p->space, KIND, 6, counts);
	gcs_snapshot_set_summary(
	    s, p->space, USED, 2, (int64_t[2]){used, (int64_t)FEEL_TILES * MIB});
	gcs_snapshot_set_summary(s, p->space, LIVE, 1, &live);
	return used;
}

bool feel_fill(struct gcs_snapshot *s, unsigned step, bool first)
{
	const bool all = first || step % FEEL_ALL == FEEL_ALL - 1;
	const uint32_t share = 1 + noise(step, 1) % 5; /* per cent of all tiles */
	const uint32_t spaces = all ? FEEL_SPACES : 4 + noise(step, 2) % 8;
	const uint32_t count = share * (FEEL_SPACES * FEEL_TILES / 100) / spaces;
	int64_t used = 0;
	for (uint32_t i = 0; i < spaces; i++) {
		struct place p;
		const uint32_t space = (noise(step, 3) + i) % FEEL_SPACES;
		if (first && !gcs_snapshot_resize(s, space, FEEL_TILES))
			return false;
		if (!open_place(&p, s, space, first))
			return false;
		if (!all)
			change_some(&p, count, step);
		for (uint32_t tile = 0; all && tile < FEEL_TILES; tile++)
			change(&p, tile, step);
		used += summarize(s, &p);
		gcs_snapshot_set_gathered(s, space, true);
	}
	gcs_snapshot_set_number(s, 0, 1000000 + noise(step, 4) % 9000000);
	gcs_snapshot_set_number(s, 1, used);
	return true;
}
