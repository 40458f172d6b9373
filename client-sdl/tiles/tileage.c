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

/* Eight bytes at a time: adding 0x80 - TILEAGE_MOST sets the highest bit of a byte that has reached
 * TILEAGE_MOST, so no byte overflows into the next one. */
static void grow_old(uint8_t *age, uint32_t tiles)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint32_t i = 0;
	for (uint64_t eight; i + 8 <= tiles; i += 8) {
		memcpy(&eight, age + i, sizeof eight);
		const uint64_t old = (eight + ones * (0x80 - TILEAGE_MOST)) >> 7 & ones;
		eight += ones ^ old;
		memcpy(age + i, &eight, sizeof eight);
	}
	for (; i < tiles; i++)
		age[i] = (uint8_t)(age[i] + (age[i] < TILEAGE_MOST));
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
	grow_old(age->age, tiles);
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
