/* `gcspy tiles` and --where tile= of a trace: its snapshots have the tiles, its profiles addresses. */
#include "tiles_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "live_profile.h"

/* The tiles of the first space that has some in address order. */
struct map {
	struct gcs_snapshot *snapshot;
	const int64_t *start, *end;
	uint32_t tiles;
};

/* The map at the event before the profile. False after a message. */
static bool map_open(struct map *map, struct gcs_trace *trace, uint64_t place, const char *path)
{
	struct gcs_error err;
	map->snapshot = gcs_trace_at(trace, place == 0 ? 0 : place - 1, &err);
	if (map->snapshot == NULL)
		return cli_fail("%s: %s", path, err.text), false;
	const struct gcs_model *model = gcs_snapshot_model(map->snapshot);
	for (uint32_t i = 0; i < model->space_count; i++) {
		const struct gcs_space *s = &model->spaces[i];
		const uint32_t from = gcs_space_role(s, GCS_ROLE_RANGE_START);
		const uint32_t to = gcs_space_role(s, GCS_ROLE_RANGE_END);
		map->tiles = gcs_snapshot_tiles(map->snapshot, i);
		if (s->gone || s->kind != GCS_SPACE_ADDRESSES || from == GCS_NONE ||
		    to == GCS_NONE || map->tiles == 0)
			continue;
		map->start = gcs_snapshot_values(map->snapshot, i, from);
		map->end = gcs_snapshot_values(map->snapshot, i, to);
		return true;
	}
	gcs_snapshot_unref(map->snapshot);
	return cli_fail("%s: no map of the heap with addresses was recorded", path), false;
}

/* The tile that has the address, or GCS_NONE. */
static uint32_t map_find(const struct map *map, uint64_t address)
{
	for (uint32_t i = 0; i < map->tiles; i++)
		if (address >= (uint64_t)map->start[i] && address < (uint64_t)map->end[i])
			return i;
	return GCS_NONE;
}

int tiles_trace_range(struct gcs_trace *trace, uint64_t place, const char *path, const char *where,
    char *range, size_t size)
{
	struct map map;
	char *end;
	const uint64_t address = strtoull(where, &end, 16);
	if (where[0] == '\0' || *end != '\0')
		return cli_usage("--where \"tile=%s\": expected an address, 0xADDRESS", where);
	if (!map_open(&map, trace, place, path))
		return CLI_FAILED;
	const uint32_t tile = map_find(&map, address);
	if (tile != GCS_NONE)
		snprintf(range, size, "range=0x%" PRIx64 "-0x%" PRIx64, (uint64_t)map.start[tile],
		    (uint64_t)map.end[tile]);
	gcs_snapshot_unref(map.snapshot);
	return tile != GCS_NONE ? CLI_DONE
				: cli_usage("--where \"tile=%s\": no tile has this address", where);
}

/* Adds a sample to its site's tiles; `of` has room for one for each tile of the map. */
static void add(struct gcs_site_tiles *t, const struct map *map, const struct gcs_profile *profile,
    const struct gcs_profile_entry *e)
{
	const uint32_t tile = e->address == 0 ? GCS_NONE : map_find(map, e->address);
	t->bytes += e->bytes;
	t->variance += e->bytes_variance;
	t->samples++;
	if (tile == GCS_NONE)
		return;
	struct gcs_site_tile *of = &t->tiles[tile];
	of->bytes = gcs_site_tile_sum(
	    of->bytes, e->bytes, e->size, (uint64_t)(map->end[tile] - map->start[tile]));
	of->variance += e->bytes_variance;
	of->samples++;
	of->approximate += e->approximate;
	of->type = e->region == 0 ? "" : gcs_profile_name(profile, e->region - 1);
	t->placed_bytes += e->bytes;
	t->placed_variance += e->bytes_variance;
	t->placed++;
	t->approximate += e->approximate;
}

/* Keeps the tiles that have a sample. */
static void settle(struct gcs_site_tiles *t, const struct map *map)
{
	for (uint32_t i = 0; i < map->tiles; i++) {
		struct gcs_site_tile of = t->tiles[i];
		of.low = (uint64_t)map->start[i];
		of.high = (uint64_t)map->end[i];
		if (of.samples != 0)
			t->tiles[t->count++] = of;
	}
}

static bool gather(
    struct gcs_site_tiles *t, const struct map *map, const struct gcs_profile *profile)
{
	const uint32_t count = gcs_profile_entry_count(profile);
	uint64_t *numbers = gcs_alloc(((size_t)count + 1) * sizeof *numbers);
	t->tiles = gcs_zalloc(((size_t)map->tiles + 1) * sizeof *t->tiles);
	/* The number may be of the stack with its runtime frames. */
	for (int all = 0; all < 2 && t->samples == 0 && numbers != NULL && t->tiles != NULL;
	     all++) {
		if (!gcs_profile_site_numbers(profile, all != 0, numbers))
			break;
		for (uint32_t i = 0; i < count; i++) {
			const struct gcs_profile_entry *e = gcs_profile_entry(profile, i);
			if (numbers[i] == t->site && !gcs_profile_is_new(profile, e))
				add(t, map, profile, e);
		}
	}
	const bool done = numbers != NULL && t->tiles != NULL;
	gcs_free(numbers);
	if (done)
		settle(t, map);
	return done;
}

int tiles_trace_show(
    const struct cli_arguments *a, uint64_t site, tiles_writer *write, struct out *out)
{
	int code = CLI_DONE;
	struct profile_in_trace source;
	struct map map;
	char as_of[300];
	if (!profile_of_trace(a, GCS_PROFILE_LIVE, &source, &code))
		return code;
	if (!map_open(&map, source.trace, source.place, a->address)) {
		profile_of_trace_close(&source);
		return CLI_FAILED;
	}
	struct gcs_site_tiles t = {.site = site, .as_of = as_of, .errors_known = true};
	gcs_profile_judged_text(as_of, sizeof as_of, source.profile);
	if (!gather(&t, &map, source.profile))
		code = cli_fail("out of memory");
	else if (t.samples == 0)
		code = cli_fail(
		    "%s: no live sample of the call site %s in this profile", a->address, a->site);
	else
		write(&t, a, out);
	gcs_free(t.tiles);
	gcs_snapshot_unref(map.snapshot);
	profile_of_trace_close(&source);
	return code;
}
