/* Descriptions of spaces for a client of 2002. */
#include "compat2002_server.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "hash.h"
#include "model_internal.h"

/* Longest name in an enumeration, so that the largest description leaves room for tiles. */
enum { ENUM_NAME_BYTES = 100 };

static uint8_t presentation_of(const struct gcs_space *space, const struct gcs_stream *t)
{
	const struct gcs_stream *of =
	    t->maximum == GCS_MAX_OF_STREAM ? &space->streams[t->max_stream] : NULL;
	if (t->presentation == GCS_ENUM)
		return t->enum_count <= W2002_MAX_ID ? W2002_ENUM : W2002_PLAIN;
	if (of != NULL && of->role == GCS_ROLE_DATA && of->maximum != GCS_MAX_OF_STREAM &&
	    of->presentation != GCS_ENUM && of->format == t->format && t->min >= 0 && of->min >= 0)
		return W2002_PERCENT_VAR;
	if (t->maximum != GCS_MAX_FIXED || t->max >= COMPAT_SERVER_NO_MAXIMUM ||
	    t->min <= -COMPAT_SERVER_NO_MAXIMUM)
		return W2002_MAX_VAR;
	return t->presentation == GCS_PLUS      ? W2002_PLUS
	       : t->presentation == GCS_PERCENT ? W2002_PERCENT
						: W2002_PLAIN;
}

static void plan_stream(struct compat_server_stream *p, const struct gcs_space *space,
    uint32_t stream, const uint8_t *sent)
{
	const struct gcs_stream *t = &space->streams[stream];
	*p = (struct compat_server_stream){
	    .stream = stream,
	    .presentation = presentation_of(space, t),
	    .paint = t->paint == GCS_PAINT_ZERO ? W2002_PAINT_ZERO : W2002_PAINT_PLAIN,
	};
	p->open = p->presentation == W2002_MAX_VAR || p->presentation == W2002_PERCENT_VAR;
	/* An open least value is 0 until a smaller value occurs. */
	p->low = t->min <= -COMPAT_SERVER_NO_MAXIMUM ? 0 : t->min;
	if (p->presentation == W2002_PERCENT_VAR) {
		p->low = 0;
		p->max_index = sent[t->max_stream];
	}
	if (p->presentation == W2002_ENUM) {
		/* A range needs two values: add a name that never occurs. */
		p->enum_count = (uint8_t)(t->enum_count < 2 ? 2 : t->enum_count);
		p->paint = t->enum_count < 3 ? W2002_PAINT_PLAIN : p->paint;
	}
}

void compat_server_space_fini(struct compat_server_space *p)
{
	gcs_free(p->streams);
	names_unref(p->names);
	*p = (struct compat_server_space){0};
}

bool compat_server_space_plan(
    struct compat_server_space *p, const struct gcs_model *model, uint32_t space)
{
	const struct gcs_space *s = &model->spaces[space];
	uint8_t sent[GCS_MAX_STREAMS] = {0}; /* index among the sent streams of each of ours */
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->stream_count; i++)
		if (s->streams[i].role == GCS_ROLE_DATA)
			sent[i] = (uint8_t)count++;
	struct compat_server_stream *streams = gcs_zalloc((count + 1) * sizeof *streams);
	if (streams == NULL)
		return false;
	gcs_free(p->streams);
	p->streams = streams;
	p->stream_count = count;
	p->space = space;
	p->edition = model_edition(model, space);
	for (uint32_t i = 0; i < s->stream_count; i++)
		if (s->streams[i].role == GCS_ROLE_DATA)
			plan_stream(&streams[sent[i]], s, i, sent);
	/* The client needs a stream: without data streams, the first system stream. */
	if (count == 0) {
		plan_stream(&streams[0], s, 0, sent);
		p->stream_count = 1;
	}
	compat_server_describe_ranges(p, s);
	return true;
}

uint32_t compat_server_tiles(
    const struct compat_server_space *p, const struct gcs_snapshot *snapshot)
{
	uint32_t tiles = snapshot == NULL ? 0 : gcs_snapshot_tiles(snapshot, p->space);
	return tiles > W2002_MAX_TILES ? 0 : tiles;
}

/* A tile's name, or its address range. */
static const char *tile_name(char *buffer, size_t size, const struct gcs_snapshot *snapshot,
    uint32_t space, const int64_t *const range[2], uint32_t tile)
{
	const char *own = gcs_snapshot_name(snapshot, space, tile);
	if (own[0] != '\0' || range[0] == NULL || range[1] == NULL)
		return own;
	snprintf(buffer, size, "[0x%llx-0x%llx)", (unsigned long long)range[0][tile],
	    (unsigned long long)range[1][tile]);
	return buffer;
}

/* The streams with the tiles' ranges. Not for lists, such as thread buffers: their ranges change all the
 * time, and a change of names resends the whole description. */
static void find_ranges(const struct gcs_space *space, uint32_t streams[2])
{
	bool still = space->kind == GCS_SPACE_ADDRESSES;
	streams[0] = still ? gcs_space_role(space, GCS_ROLE_RANGE_START) : GCS_NONE;
	streams[1] = still ? gcs_space_role(space, GCS_ROLE_RANGE_END) : GCS_NONE;
}

struct names_view {
	const struct gcs_snapshot *snapshot;
	uint32_t space;
	uint32_t tiles;
	const int64_t *range[2];
};

static struct names_view view_names(
    const struct compat_server_space *p, const struct gcs_snapshot *snapshot, uint32_t tiles)
{
	uint32_t streams[2];
	find_ranges(&gcs_snapshot_model(snapshot)->spaces[p->space], streams);
	struct names_view v = {.snapshot = snapshot, .space = p->space, .tiles = tiles};
	for (unsigned i = 0; i < 2; i++)
		v.range[i] = streams[i] == GCS_NONE
				 ? NULL
				 : gcs_snapshot_values(snapshot, p->space, streams[i]);
	return v;
}

/* Of all names with their ends. */
static uint64_t hash_names(const struct names_view *v)
{
	char buffer[64];
	uint64_t hash = HASH_BEGIN;
	for (uint32_t i = 0; i < v->tiles; i++) {
		const char *name =
		    tile_name(buffer, sizeof buffer, v->snapshot, v->space, v->range, i);
		hash = hash_bytes(hash, name, strlen(name) + 1);
	}
	return hash;
}

bool compat_server_names_changed(struct compat_server_space *p, const struct gcs_snapshot *snapshot)
{
	uint32_t tiles = compat_server_tiles(p, snapshot);
	if (tiles == 0)
		return false;
	const struct space_state *state = snapshot_state(snapshot, p->space);
	uint32_t streams[2];
	uint64_t ids[2] = {0, 0};
	find_ranges(&gcs_snapshot_model(snapshot)->spaces[p->space], streams);
	for (unsigned i = 0; i < 2; i++)
		if (streams[i] != GCS_NONE)
			ids[i] = state->columns[streams[i]]->id;
	if (state->names == p->names && ids[0] == p->range_ids[0] && ids[1] == p->range_ids[1])
		return false;
	names_unref(p->names);
	p->names = names_ref(state->names);
	memcpy(p->range_ids, ids, sizeof ids);
	struct names_view v = view_names(p, snapshot, tiles);
	uint64_t hash = hash_names(&v);
	bool changed = hash != p->names_hash;
	p->names_hash = hash;
	return changed;
}

static void put_tile_names(struct wr *w, size_t frame, const struct compat_server_space *p,
    const struct gcs_snapshot *snapshot, uint32_t tiles)
{
	char buffer[64];
	size_t begin = w->length;
	struct names_view v = view_names(p, snapshot, tiles);
	/* Each name needs at least one byte; the rest is for their characters. */
	size_t most = frame + W2002_MAX_PAYLOAD;
	for (uint32_t i = 0; i < tiles && w->status == GCS_OK; i++) {
		const char *name =
		    tile_name(buffer, sizeof buffer, v.snapshot, v.space, v.range, i);
		if (w->length + strlen(name) + (tiles - i) > most) {
			w->length = begin; /* without names rather than with some of them */
			for (uint32_t k = 0; k < tiles; k++)
				wr_u8(w, 0);
			return;
		}
		w2002_put_text(w, name, GCS_MAX_TEXT);
	}
}

/* "Used (KiB)" and " KiB" for a stream sent in this unit. */
static void put_stream_texts(struct wr *w, const struct compat_server_stream *p,
    const struct gcs_stream *t, char *suffix, size_t suffix_size)
{
	char name[GCS_MAX_NAME + 40];
	const char *word = compat_server_unit_name(t, p->unit);
	snprintf(suffix, suffix_size, "%s", t->suffix);
	if (p->unit == 0) {
		w2002_put_text(w, t->name, GCS_MAX_NAME);
		return;
	}
	snprintf(name, sizeof name, "%s (%s)", t->name, word);
	w2002_put_text(w, name, sizeof name);
	bool whole = t->format == GCS_BYTES || t->format == GCS_NANOSECONDS;
	snprintf(suffix, suffix_size, " %s%s", word, whole ? "" : t->suffix);
}

static void describe_stream(
    struct wr *w, uint32_t id, const struct compat_server_stream *p, const struct gcs_stream *t)
{
	char suffix[GCS_MAX_NAME + 40];
	/* Without a colour all tiles would be black. */
	uint32_t colour = t->colour != 0 ? t->colour : 0x0072b2;
	wr_u8(w, (uint8_t)id);
	wr_u8(w, p->type);
	put_stream_texts(w, p, t, suffix, sizeof suffix);
	w2002_put_int(w, p->min);
	w2002_put_int(w, p->max);
	w2002_put_int(w, p->zero);
	w2002_put_int(w, p->initial);
	w2002_put_text(w, t->prefix, GCS_MAX_NAME);
	w2002_put_text(w, suffix, sizeof suffix);
	wr_u8(w, p->presentation);
	wr_u8(w, p->paint);
	wr_u8(w, p->max_index);
	wr_u8(w, (uint8_t)(colour >> 16));
	wr_u8(w, (uint8_t)(colour >> 8));
	wr_u8(w, (uint8_t)colour);
	wr_u8(w, p->enum_count);
	for (uint32_t i = 0; i < p->enum_count; i++)
		w2002_put_text(w, i < t->enum_count ? t->enum_names[i] : "-", ENUM_NAME_BYTES);
}

void compat_server_put_space(struct wr *w, const struct compat_server *compat_server, uint32_t id,
    const struct gcs_model *model, const struct gcs_snapshot *snapshot)
{
	const struct compat_server_space *p = &compat_server->spaces[id];
	const struct gcs_space *space = &model->spaces[p->space];
	uint32_t tiles = compat_server_tiles(p, snapshot);
	size_t begin = w->length;
	char title[GCS_MAX_NAME + 2];
	snprintf(title, sizeof title, "%s ", space->tile_title);
	w2002_put_short(w, (int16_t)id);
	w2002_put_text(w, space->name, GCS_MAX_NAME);
	w2002_put_text(w,
	    space->group == GCS_NONE ? model->server_name : model->groups[space->group].name,
	    GCS_MAX_NAME);
	w2002_put_text(w, title[0] == ' ' ? "Tile " : title, sizeof title);
	w2002_put_text(w, space->block_info, GCS_MAX_TEXT);
	w2002_put_int(w, tiles == 0 ? 1 : (int32_t)tiles);
	w2002_put_text(
	    w, space->unused_text[0] == '\0' ? "NOT USED" : space->unused_text, GCS_MAX_NAME);
	wr_u8(w, id == compat_server->main);
	w2002_put_short(w, (int16_t)p->stream_count);
	for (uint32_t i = 0; i < p->stream_count; i++)
		describe_stream(w, i, &p->streams[i], &space->streams[p->streams[i].stream]);
	if (tiles == 0)
		wr_u8(w, 0);
	else
		put_tile_names(w, begin, p, snapshot, tiles);
}
