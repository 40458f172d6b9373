/*
 * Inserting and removing tiles (F13). A collector may move tiles at many places at once: the columns are
 * copied once for all of them, from the parts of the old ones that stay.
 */
#include <string.h>

#include "model_internal.h"
#include "snapshot_internal.h"

#include <gcspy/memory.h>

enum { BATCH = 32, MOST_PARTS = 2 * BATCH + 1, NEW_TILES = UINT32_MAX };

/* Consecutive tiles: those from `from` on before, or new ones. */
struct part {
	uint32_t from, count;
};

struct space_state *snapshot_own_state(struct gcs_snapshot *s, uint32_t space)
{
	return space < s->space_count && !s->model->spaces[space].gone ? &s->spaces[space] : NULL;
}

/* Adds a resize to the list for the encoder; without the list the encoding is only longer. */
static void note_resize(struct gcs_snapshot *s, uint32_t space, uint32_t at, int32_t count)
{
	if (s->resize_count == s->resize_capacity) {
		uint32_t capacity = s->resize_capacity == 0 ? 8 : 2 * s->resize_capacity;
		struct resize *bigger = capacity > GCS_MAX_SPACES
					    ? NULL
					    : gcs_realloc(s->resizes, capacity * sizeof *bigger);
		if (bigger == NULL) {
			s->resize_lost = true;
			return;
		}
		s->resizes = bigger;
		s->resize_capacity = capacity;
	}
	s->resizes[s->resize_count++] = (struct resize){.space = space, .at = at, .count = count};
}

/* The parts after one more resize; returns their number, at most two more. */
static uint32_t edit_parts(
    const struct part *in, uint32_t count, const struct resize *r, struct part *out)
{
	const uint32_t at = r->at, resume = r->count < 0 ? at + (uint32_t)-r->count : at;
	uint32_t n = 0, tile = 0;
	bool inserts = r->count > 0;
	for (uint32_t i = 0; i <= count; i++) {
		const struct part p = i < count ? in[i] : (struct part){0};
		const uint32_t end = tile + p.count;
		const uint32_t kept = at <= tile ? 0 : at < end ? at - tile : p.count;
		const uint32_t gone = resume <= tile ? 0 : resume < end ? resume - tile : p.count;
		const uint32_t from = p.from == NEW_TILES ? NEW_TILES : p.from + gone;
		if (kept != 0)
			out[n++] = (struct part){p.from, kept};
		if (inserts && at <= end)
			out[n++] = (struct part){NEW_TILES, (uint32_t)r->count};
		inserts = inserts && at > end;
		if (gone != p.count)
			out[n++] = (struct part){from, p.count - gone};
		tile = end;
	}
	return n;
}

static struct column *splice(const struct column *old, uint32_t tiles, const struct part *parts,
    uint32_t count, int64_t fill)
{
	struct column *c = column_new(tiles, column_map_words(tiles));
	int64_t *to = c == NULL ? NULL : c->values;
	for (uint32_t i = 0; c != NULL && i < count; i++) {
		const struct part *p = &parts[i];
		if (p->from != NEW_TILES)
			memcpy(to, old->values + p->from, p->count * sizeof *to);
		for (uint32_t k = 0; p->from == NEW_TILES && k < p->count; k++)
			to[k] = fill;
		to += p->count;
	}
	return c;
}

static struct names *splice_names(
    const struct names *old, uint32_t tiles, const struct part *parts, uint32_t count)
{
	struct names *n = names_new(tiles);
	struct text **to = n == NULL ? NULL : n->texts;
	for (uint32_t i = 0; n != NULL && i < count; i++) {
		const struct part *p = &parts[i];
		for (uint32_t k = 0; p->from != NEW_TILES && k < p->count; k++)
			to[k] = text_ref(old->texts[p->from + k]);
		to += p->count;
	}
	return n;
}

/* True if the space may have `tiles` tiles within the limit of the whole snapshot. */
static bool within_limit(const struct gcs_snapshot *s, uint32_t space, uint32_t tiles)
{
	uint64_t values = 0;
	for (uint32_t i = 0; i < s->space_count; i++)
		values +=
		    (uint64_t)(i == space ? tiles : s->spaces[i].tiles) * s->spaces[i].stream_count;
	return values <= GCS_MAX_VALUES;
}

/* Puts the space together from parts; without memory nothing changes. */
static bool rebuild(struct gcs_snapshot *s, uint32_t space, uint32_t tiles,
    const struct part *parts, uint32_t count)
{
	struct space_state *state = &s->spaces[space];
	const struct gcs_stream *streams = s->model->spaces[space].streams;
	struct column *fresh[GCS_MAX_STREAMS] = {NULL};
	struct names *names = NULL;
	bool ok = true;
	for (uint32_t i = 0; ok && tiles != 0 && i < state->stream_count; i++) {
		fresh[i] = splice(state->columns[i], tiles, parts, count, streams[i].initial);
		ok = fresh[i] != NULL;
	}
	if (ok && state->names != NULL && tiles != 0)
		ok = (names = splice_names(state->names, tiles, parts, count)) != NULL;
	for (uint32_t i = 0; i < state->stream_count; i++) {
		column_unref(ok ? state->columns[i] : fresh[i]);
		if (ok)
			state->columns[i] = fresh[i];
	}
	if (!ok)
		return false;
	names_unref(state->names);
	state->names = names;
	state->tiles = tiles;
	return true;
}

/* At most BATCH resizes. */
static bool edit_tiles(
    struct gcs_snapshot *s, uint32_t space, const struct resize *list, uint32_t count)
{
	struct part parts[2][MOST_PARTS + 1];
	uint32_t tiles = s->spaces[space].tiles, n = tiles != 0;
	const uint32_t before = tiles;
	parts[0][0] = (struct part){0, tiles};
	for (uint32_t i = 0; i < count; i++) {
		const struct resize *r = &list[i];
		const uint32_t removed = r->count < 0 ? (uint32_t)-r->count : 0;
		if (r->at > tiles || removed > tiles - r->at ||
		    (r->count > 0 && (uint32_t)r->count > GCS_MAX_TILES - tiles))
			return false;
		tiles += (uint32_t)r->count;
		n = edit_parts(parts[i % 2], n, r, parts[1 - i % 2]);
	}
	if ((tiles > before && !within_limit(s, space, tiles)) ||
	    !rebuild(s, space, tiles, parts[count % 2], n))
		return false;
	for (uint32_t i = 0; i < count; i++)
		note_resize(s, space, list[i].at, list[i].count);
	return true;
}

bool snapshot_edit_tiles(
    struct gcs_snapshot *s, uint32_t space, const struct resize *list, uint32_t count)
{
	if (snapshot_own_state(s, space) == NULL)
		return false;
	for (; count > BATCH; list += BATCH, count -= BATCH)
		if (!edit_tiles(s, space, list, BATCH))
			return false;
	return count == 0 || edit_tiles(s, space, list, count);
}

bool gcs_snapshot_insert_tiles(struct gcs_snapshot *s, uint32_t space, uint32_t at, uint32_t count)
{
	const struct resize r = {.space = space, .at = at, .count = (int32_t)count};
	const struct space_state *state = snapshot_own_state(s, space);
	return state != NULL && at <= state->tiles && count <= GCS_MAX_TILES &&
	       snapshot_edit_tiles(s, space, &r, count != 0);
}

bool gcs_snapshot_remove_tiles(struct gcs_snapshot *s, uint32_t space, uint32_t at, uint32_t count)
{
	const struct resize r = {.space = space, .at = at, .count = -(int32_t)count};
	const struct space_state *state = snapshot_own_state(s, space);
	return state != NULL && at <= state->tiles && count <= GCS_MAX_TILES &&
	       snapshot_edit_tiles(s, space, &r, count != 0);
}

bool gcs_snapshot_resize(struct gcs_snapshot *s, uint32_t space, uint32_t tiles)
{
	const struct space_state *state = snapshot_own_state(s, space);
	if (state == NULL)
		return false;
	if (tiles >= state->tiles)
		return gcs_snapshot_insert_tiles(s, space, state->tiles, tiles - state->tiles);
	return gcs_snapshot_remove_tiles(s, space, tiles, state->tiles - tiles);
}
