#include "train_spaces.h"

#include <stdlib.h>
#include <string.h>

static const char *const no_yes[] = {"no", "yes"};

void train_spaces_fini(struct train_spaces *spaces)
{
	free(spaces->train_keys.last);
	free(spaces->train_keys.now);
	free(spaces->car_keys.last);
	free(spaces->car_keys.now);
}

void train_spaces_forget(struct train_spaces *spaces)
{
	spaces->train_keys.count = UINT32_MAX;
	spaces->car_keys.count = UINT32_MAX;
}

bool tile_keys_prepare(struct tile_keys *keys, uint32_t count)
{
	if (count <= keys->capacity)
		return true;
	struct tile_key *last = realloc(keys->last, (size_t)count * 2 * sizeof *last);
	if (last != NULL)
		keys->last = last;
	struct tile_key *now = realloc(keys->now, (size_t)count * 2 * sizeof *now);
	if (now != NULL)
		keys->now = now;
	if (last == NULL || now == NULL)
		return false;
	keys->capacity = count * 2;
	return true;
}

static int compare(const struct tile_key *a, const struct tile_key *b)
{
	if (a->train != b->train)
		return a->train < b->train ? -1 : 1;
	return a->car < b->car ? -1 : a->car > b->car;
}

bool tile_keys_apply(struct tile_keys *keys, uint32_t count, struct gcs_snapshot *snapshot,
    uint32_t space,
    void (*named)(struct gcs_snapshot *, uint32_t space, uint32_t tile, const struct tile_key *key))
{
	uint32_t had = keys->count, i = 0, at = 0;
	if (gcs_snapshot_tiles(snapshot, space) != had) { /* another snapshot than the last one */
		if (!gcs_snapshot_resize(snapshot, space, 0))
			return false;
		had = 0;
	}
	keys->count = UINT32_MAX; /* until the end */
	while (i < had || at < count) {
		uint32_t run = 0;
		while (i + run < had &&
		       (at == count || compare(&keys->last[i + run], &keys->now[at]) < 0))
			run++;
		if (run > 0 && !gcs_snapshot_remove_tiles(snapshot, space, at, run))
			return false;
		i += run;
		for (run = 0; at + run < count &&
			      (i == had || compare(&keys->now[at + run], &keys->last[i]) < 0);)
			run++;
		if (run > 0 && !gcs_snapshot_insert_tiles(snapshot, space, at, run))
			return false;
		for (uint32_t tile = at; named != NULL && tile < at + run; tile++)
			named(snapshot, space, tile, &keys->now[tile]);
		at += run;
		while (i < had && at < count && compare(&keys->last[i], &keys->now[at]) == 0)
			i++, at++;
	}
	struct tile_key *swap = keys->last;
	keys->last = keys->now;
	keys->now = swap;
	keys->count = count;
	return true;
}

bool train_columns(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t count, int64_t *columns[])
{
	for (uint32_t i = 0; i < count; i++) {
		columns[i] = gcs_snapshot_write(snapshot, space, i);
		if (columns[i] == NULL)
			return false;
	}
	return true;
}

struct gcs_stream train_bytes_stream(
    const char *name, const char *description, int64_t most, uint32_t whole)
{
	struct gcs_stream stream = gcs_stream_used(name, description, (uint64_t)most);
	stream.maximum = whole == GCS_NONE ? GCS_MAX_OF_EVENT : GCS_MAX_OF_STREAM;
	stream.max_stream = whole;
	stream.summary = GCS_SUMMARY_TOTAL;
	return stream;
}

struct gcs_stream train_count_stream(const char *name, const char *description, const char *suffix)
{
	return (struct gcs_stream){.name = name,
	    .description = description,
	    .suffix = suffix,
	    .type = GCS_TYPE_I64,
	    .presentation = GCS_PLAIN,
	    .maximum = GCS_MAX_OF_EVENT,
	    .paint = GCS_PAINT_ZERO,
	    .summary = GCS_SUMMARY_TOTAL,
	    .max = INT64_MAX,
	    .max_stream = GCS_NONE,
	    .colour = 0x009e73};
}

struct gcs_stream train_id_stream(const char *name, const char *description)
{
	struct gcs_stream stream = train_count_stream(name, description, "");
	stream.paint = GCS_PAINT_PLAIN;
	stream.summary = GCS_SUMMARY_NONE;
	stream.colour = 0xcc79a7;
	return stream;
}

struct gcs_stream train_yes_stream(const char *name, const char *description)
{
	return gcs_stream_enumeration(name, description, 2, no_yes);
}

void train_allocation_streams(struct gcs_stream *streams, int64_t most, uint32_t whole)
{
	static const char *const texts[OLD_ALLOCATIONS][2] = {
	    [OLD_DIRECT] = {"Direct allocation",
		"Allocated here by the mutator since the last event"},
	    [OLD_PROMOTION] = {"Promotion", "Promoted here by the young collection that ends"},
	    [OLD_EVACUATION] = {"Evacuation", "Copied here from the cars just collected"},
	    [OLD_WEAK_EVACUATION] = {
		"Weak evacuation", "Copied here because only finalisable objects referred to it"}};
	for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
		streams[kind] = train_bytes_stream(texts[kind][0], texts[kind][1], most, whole);
}

void train_total(struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, int64_t total)
{
	gcs_snapshot_set_summary(snapshot, space, stream, 1, &total);
}

void train_share(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, int64_t part, int64_t whole)
{
	gcs_snapshot_set_summary(snapshot, space, stream, 2, (int64_t[]){part, whole});
}
