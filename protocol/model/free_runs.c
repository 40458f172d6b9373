#include "free_runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

static uint32_t bytes_stream(const struct gcs_space *s)
{
	uint32_t id = gcs_space_find_stream(s, "Used");
	if (id == GCS_NONE || s->streams[id].role != GCS_ROLE_DATA ||
	    s->streams[id].format != GCS_BYTES)
		return GCS_NONE;
	return id;
}

/* The first stream with a category for free tiles. */
static uint32_t kind_stream(const struct gcs_space *s, int64_t *value)
{
	for (uint32_t i = 0; i < s->stream_count; i++) {
		const struct gcs_stream *st = &s->streams[i];
		if (st->role != GCS_ROLE_DATA || st->presentation != GCS_ENUM)
			continue;
		for (uint32_t k = 0; k < st->enum_count; k++) {
			if (strcmp(st->enum_names[k], "Free") == 0 ||
			    strcmp(st->enum_names[k], "Empty") == 0) {
				*value = st->min + k;
				return i;
			}
		}
	}
	return GCS_NONE;
}

static bool has_uncommitted(const struct gcs_space *s)
{
	return strcmp(s->unused_text, "uncommitted") == 0;
}

/* Unused tiles may be free memory, unless they are uncommitted, not mapped, or have no name. */
static bool hides_free(const struct gcs_space *s)
{
	return gcs_space_role(s, GCS_ROLE_CONTROL) != GCS_NONE && s->unused_text[0] != 0 &&
	       !has_uncommitted(s) && strcmp(s->unused_text, "not mapped") != 0;
}

static bool no_rule(struct free_rule *rule, const char *words)
{
	snprintf(rule->words, sizeof rule->words, "%s", words);
	return false;
}

static const int64_t *column_of(
    const struct gcs_snapshot *snapshot, uint32_t space, enum gcs_role role)
{
	const struct gcs_space *s = &gcs_snapshot_model(snapshot)->spaces[space];
	return gcs_snapshot_values(snapshot, space, gcs_space_role(s, role));
}

bool free_memory_known(const struct gcs_space *s)
{
	int64_t value;
	const bool ranges = gcs_space_role(s, GCS_ROLE_RANGE_START) != GCS_NONE &&
			    gcs_space_role(s, GCS_ROLE_RANGE_END) != GCS_NONE;
	return s->kind == GCS_SPACE_ADDRESSES && !hides_free(s) && (ranges || s->block_bytes > 0) &&
	       (bytes_stream(s) != GCS_NONE || kind_stream(s, &value) != GCS_NONE);
}

bool free_rule_init(struct free_rule *rule, const struct gcs_snapshot *snapshot, uint32_t space)
{
	memset(rule, 0, sizeof *rule);
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	if (space >= model->space_count)
		return no_rule(rule, "No such space.");
	const struct gcs_space *s = &model->spaces[space];
	rule->snapshot = snapshot;
	rule->space = space;
	if (s->kind != GCS_SPACE_ADDRESSES)
		return no_rule(rule, "Its tiles are not in address order, so adjacent "
				     "free tiles do not form a run.");
	if (hides_free(s)) {
		snprintf(rule->words, sizeof rule->words,
		    "Unused tiles are \"%.120s\", which does not distinguish free memory from "
		    "uncommitted memory.",
		    s->unused_text);
		return false;
	}
	uint32_t used = bytes_stream(s);
	uint32_t kind = used == GCS_NONE ? kind_stream(s, &rule->free_kind) : GCS_NONE;
	rule->control = column_of(snapshot, space, GCS_ROLE_CONTROL);
	rule->start = column_of(snapshot, space, GCS_ROLE_RANGE_START);
	rule->end = column_of(snapshot, space, GCS_ROLE_RANGE_END);
	bool ranges = rule->start != NULL && rule->end != NULL;
	rule->tile_bytes = (double)s->block_bytes;
	rule->in_bytes = ranges || s->block_bytes > 0;
	rule->uncommitted = has_uncommitted(s);
	if (used != GCS_NONE && rule->in_bytes) {
		rule->used = gcs_snapshot_values(snapshot, space, used);
		snprintf(rule->words, sizeof rule->words,
		    "Free memory is what \"Used\" leaves of a tile%s; runs are of empty tiles.",
		    rule->uncommitted ? ", and what is uncommitted" : "");
		return rule->used != NULL || no_rule(rule, "It has no tiles.");
	}
	if (kind == GCS_NONE)
		return no_rule(rule, "It has neither a stream \"Used\" in bytes nor a stream "
				     "with the category \"Free\" or \"Empty\".");
	rule->kind = gcs_snapshot_values(snapshot, space, kind);
	snprintf(rule->words, sizeof rule->words,
	    "Tiles with \"%.100s\" = \"%.100s\" count as free.", s->streams[kind].name,
	    s->streams[kind].enum_names[rule->free_kind - s->streams[kind].min]);
	if (!rule->in_bytes)
		rule->tile_bytes = 1;
	return rule->kind != NULL || no_rule(rule, "It has no tiles.");
}

/* A tile's free memory, and whether the whole tile is free. */
static double free_of(const struct free_rule *rule, uint32_t tile, bool *whole)
{
	const bool unused = rule->control != NULL && (rule->control[tile] & GCS_TILE_USED) == 0;
	double size = rule->tile_bytes;
	if (rule->start != NULL && rule->end != NULL)
		size = (double)rule->end[tile] - (double)rule->start[tile];
	double free;
	if (unused)
		free = rule->uncommitted ? size : 0;
	else if (rule->used != NULL)
		free = size - (double)rule->used[tile];
	else
		free = rule->kind[tile] == rule->free_kind ? size : 0;
	*whole = free > 0 && (unused || rule->used == NULL || rule->used[tile] == 0);
	return free > 0 ? free : 0;
}

static bool has_border(const struct free_rule *rule, uint32_t tile)
{
	return rule->control != NULL && (rule->control[tile] & GCS_TILE_SEPARATOR) != 0;
}

uint32_t free_bin_of(double length)
{
	if (!(length >= 1))
		return 0;
	int exponent;
	frexp(length, &exponent);
	return exponent - 1 < FREE_BINS ? (uint32_t)(exponent - 1) : FREE_BINS - 1;
}

static void end_run(struct free_runs *runs, uint32_t first, uint32_t behind, double length)
{
	if (!(length > 0))
		return;
	uint32_t bin = free_bin_of(length);
	runs->count++;
	runs->whole += length;
	runs->bin[bin]++;
	runs->in_bin[bin] += length;
	if (length > runs->most_of[bin]) {
		runs->most_of[bin] = length;
		runs->first_of[bin] = first;
	}
	if (length > runs->longest) {
		runs->longest = length;
		runs->longest_first = first;
		runs->longest_tiles = behind - first;
	}
}

void free_runs_fill(struct free_runs *runs, const struct free_rule *rule)
{
	uint32_t tiles = gcs_snapshot_tiles(rule->snapshot, rule->space);
	double run = 0;
	uint32_t first = 0;
	memset(runs, 0, sizeof *runs);
	for (uint32_t i = 0; i < tiles; i++) {
		bool whole;
		double free = free_of(rule, i, &whole);
		runs->free += free;
		if (!whole || has_border(rule, i)) {
			end_run(runs, first, i, run);
			run = 0;
		}
		if (whole) {
			first = run > 0 ? first : i;
			run += free;
		}
	}
	end_run(runs, first, tiles, run);
}

struct free_run *free_runs_list(const struct free_rule *rule, uint32_t *count)
{
	const uint32_t tiles = gcs_snapshot_tiles(rule->snapshot, rule->space);
	const bool ranges = rule->start != NULL && rule->end != NULL;
	struct free_run *runs = gcs_alloc(((size_t)tiles + 1) * sizeof *runs);
	bool open = false;
	*count = 0;
	for (uint32_t i = 0; runs != NULL && i < tiles; i++) {
		bool whole;
		const double free = free_of(rule, i, &whole);
		const uint64_t start =
		    ranges ? (uint64_t)rule->start[i] : (uint64_t)(rule->tile_bytes * (double)i);
		if (!whole) {
			open = false;
			continue;
		}
		if (!open || has_border(rule, i))
			runs[(*count)++] = (struct free_run){.start = start};
		runs[*count - 1].bytes += (uint64_t)free;
		open = true;
	}
	return runs;
}

double free_fragmentation(const struct free_runs *runs)
{
	if (!(runs->free > 0))
		return -1;
	double part = (runs->free - runs->longest) / runs->free;
	return part > 0 ? part : 0;
}

static bool begins_run(const struct free_rule *rule, uint32_t tile)
{
	bool whole, before = false;
	free_of(rule, tile, &whole);
	if (!whole)
		return false;
	if (tile > 0)
		free_of(rule, tile - 1, &before);
	return !before || has_border(rule, tile);
}

uint32_t free_next_run(const struct free_rule *rule, uint32_t tile, int dir, uint32_t *tiles)
{
	uint32_t n = gcs_snapshot_tiles(rule->snapshot, rule->space);
	uint32_t at = tile < n ? tile : dir > 0 ? n - 1 : 0;
	*tiles = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (dir > 0)
			at = at + 1 < n ? at + 1 : 0;
		else
			at = at > 0 ? at - 1 : n - 1;
		if (!begins_run(rule, at))
			continue;
		bool whole = true;
		for (uint32_t k = at; k < n; k++) {
			free_of(rule, k, &whole);
			if (!whole || (k > at && has_border(rule, k)))
				break;
			(*tiles)++;
		}
		return at;
	}
	return GCS_NONE;
}
