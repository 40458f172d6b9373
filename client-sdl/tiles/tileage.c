#include "tileage.h"

#include <stdlib.h>
#include <string.h>

void tileage_fini(struct tileage *age)
{
	free(age->age);
	*age = (struct tileage){0};
}

static bool resize(struct tileage *age, uint32_t tiles)
{
	if (age->tiles == tiles && (age->age != NULL || tiles == 0))
		return true;
	uint8_t *bytes = realloc(age->age, tiles > 0 ? tiles : 1);
	if (bytes == NULL)
		return false;
	if (tiles > age->tiles)
		memset(bytes + age->tiles, TILEAGE_MOST, tiles - age->tiles);
	age->age = bytes;
	age->tiles = tiles;
	return true;
}

static void note_changes(struct tileage *age, const int64_t *now, const int64_t *before,
    const uint64_t *changed, uint32_t tiles)
{
	for (uint32_t at = 0; at < tiles; at += GCS_CHANGED_TILES) {
		const uint32_t chunk = at / GCS_CHANGED_TILES;
		if (changed != NULL && (changed[chunk / 64] >> chunk % 64 & 1) == 0)
			continue;
		const uint32_t end =
		    at + GCS_CHANGED_TILES < tiles ? at + GCS_CHANGED_TILES : tiles;
		for (uint32_t i = at; i < end; i++)
			if (now[i] != before[i])
				age->age[i] = 0;
	}
}

bool tileage_next(struct tileage *age, const struct gcs_snapshot *now,
    const struct gcs_snapshot *before, uint32_t space)
{
	const struct gcs_model *model = gcs_snapshot_model(now);
	const uint32_t tiles = gcs_snapshot_tiles(now, space);
	if (!resize(age, tiles))
		return false;
	for (uint32_t i = 0; i < tiles; i++)
		age->age[i] = (uint8_t)(age->age[i] + (age->age[i] < TILEAGE_MOST));
	if (before == NULL || gcs_snapshot_model(before) != model)
		return true;
	const uint32_t known = gcs_snapshot_tiles(before, space);
	for (uint32_t i = 0; i < model->spaces[space].stream_count; i++) {
		const int64_t *a = gcs_snapshot_values(now, space, i);
		const int64_t *b = gcs_snapshot_values(before, space, i);
		if (a == NULL || b == NULL || a == b)
			continue;
		note_changes(age, a, b, gcs_snapshot_changed(now, before, space, i),
		    known < tiles ? known : tiles);
	}
	for (uint32_t i = known; i < tiles; i++)
		age->age[i] = 0; /* A new tile has just changed. */
	return true;
}
