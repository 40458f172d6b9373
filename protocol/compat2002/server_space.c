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

const struct gcs_stream *compat_server_stream_of(
    const struct gcs_space *space, const struct compat_server_stream *p)
{
	static const struct gcs_stream gone = {.name = "Gone",
	    .prefix = "",
	    .suffix = "",
	    .type = GCS_TYPE_I8,
	    .paint = GCS_PAINT_ZERO,
	    .max = 2,
	    .max_stream = GCS_NONE};
	return p->stream == GCS_NONE ? &gone : &space->streams[p->stream];
}

/* `count`: of the streams that are sent. */
static void plan_stream(struct compat_server_stream *p, const struct gcs_space *space,
    uint32_t stream, const uint8_t *sent, uint32_t count)
{
	const struct gcs_stream *t = &space->streams[stream];
	*p = (struct compat_server_stream){
	    .stream = stream,
	    .presentation = presentation_of(space, t),
	    .paint = t->paint == GCS_PAINT_ZERO ? W2002_PAINT_ZERO : W2002_PAINT_PLAIN,
	};
	if (p->presentation == W2002_PERCENT_VAR && sent[t->max_stream] >= count)
		p->presentation = W2002_MAX_VAR;
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
	uint32_t first = GCS_NONE, there = 0;
	for (uint32_t i = 0; i < s->stream_count; i++)
		if (s->streams[i].role == GCS_ROLE_DATA) {
			first = there == 0 ? i : first;
			sent[i] = (uint8_t)there++;
		}
	/* The client needs a stream: without data streams, the first system stream. */
	if (there == 0)
		first = 0, there = 1;
	const uint32_t count = p->streams == NULL ? there : p->stream_count;
	struct compat_server_stream *streams = gcs_zalloc(count * sizeof *streams);
	if (streams == NULL)
		return false;
	gcs_free(p->streams);
	p->streams = streams;
	p->stream_count = count;
	p->left_out = there > count ? there - count : 0;
	p->space = space;
	p->edition = model_edition(model, space);
	for (uint32_t i = there; i < count; i++)
		streams[i] = (struct compat_server_stream){
		    .stream = GCS_NONE, .presentation = W2002_PLAIN, .paint = W2002_PAINT_ZERO};
	for (uint32_t i = first; i < s->stream_count; i++)
		if ((i == first || s->streams[i].role == GCS_ROLE_DATA) && sent[i] < count)
			plan_stream(&streams[sent[i]], s, i, sent, count);
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

/* The client puts a tile's name directly after its title and number. */
static void put_name(struct wr *w, const char *name)
{
	if (name[0] != '\0')
		wr_u8(w, ' ');
	w2002_put_text(w, name, GCS_MAX_TEXT);
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
		if (w->length + strlen(name) + 1 + (tiles - i) > most) {
			w->length = begin; /* without names rather than with some of them */
			for (uint32_t k = 0; k < tiles; k++)
				wr_u8(w, 0);
			return;
		}
		put_name(w, name);
	}
}

/* The client ends a description with any other colour. Black is left out: a tile's shade is a share
 * of its colour. */
static const uint32_t colours[] = {0x0000ff, 0x00ffff, 0x404040, 0x808080, 0x00ff00, 0xc0c0c0,
    0xff00ff, 0xa0a0a0, 0x000096, 0xe6e6e6, 0xffc800, 0xffafaf, 0xff0000, 0xffffff, 0xffff00};

enum { COLOURS = sizeof colours / sizeof *colours };

/* The differences between the parts, which make the hue, and of their sum. */
static int32_t distance(uint32_t a, uint32_t b)
{
	const int32_t r = (int32_t)(a >> 16 & 255) - (int32_t)(b >> 16 & 255);
	const int32_t g = (int32_t)(a >> 8 & 255) - (int32_t)(b >> 8 & 255);
	const int32_t l = (int32_t)(a & 255) - (int32_t)(b & 255);
	const int32_t mean = (r + g + l) / 3;
	return (r - g) * (r - g) + (g - l) * (g - l) + (l - r) * (l - r) + mean * mean;
}

/* The nearest colour that no stream of the space has yet, as far as they go. */
static uint32_t choose_colour(uint32_t colour, uint32_t *taken)
{
	uint32_t best = COLOURS;
	*taken = *taken == (1u << COLOURS) - 1 ? 0 : *taken;
	for (uint32_t i = 0; i < COLOURS; i++)
		if ((*taken >> i & 1) == 0 &&
		    (best == COLOURS ||
			distance(colour, colours[i]) < distance(colour, colours[best])))
			best = i;
	*taken |= 1u << best;
	return colours[best];
}

/* "Used (KiB)", "Used (KiB): " and " KiB" for a stream sent in this unit. The client shows values
 * with prefix and suffix only, so the prefix has the name. */
struct stream_texts {
	char name[GCS_MAX_NAME + 40], prefix[2 * GCS_MAX_NAME + 44], suffix[GCS_MAX_NAME + 40];
};

static void make_texts(
    struct stream_texts *to, const struct compat_server_stream *p, const struct gcs_stream *t)
{
	const char *word = compat_server_unit_name(t, p->unit);
	const bool whole = t->format == GCS_BYTES || t->format == GCS_NANOSECONDS;
	const bool unit = p->unit != 0;
	snprintf(to->name, sizeof to->name, unit ? "%s (%s)" : "%s", t->name, word);
	snprintf(to->prefix, sizeof to->prefix, "%s: %s", to->name, t->prefix);
	if (unit)
		snprintf(to->suffix, sizeof to->suffix, " %s%s", word, whole ? "" : t->suffix);
	else
		snprintf(to->suffix, sizeof to->suffix, "%s", t->suffix);
}

static void describe_stream(struct wr *w, uint32_t id, const struct compat_server_stream *p,
    const struct gcs_stream *t, uint32_t *taken)
{
	struct stream_texts texts;
	const uint32_t colour = choose_colour(t->colour != 0 ? t->colour : 0x0072b2, taken);
	make_texts(&texts, p, t);
	wr_u8(w, (uint8_t)id);
	wr_u8(w, p->type);
	w2002_put_text(w, texts.name, sizeof texts.name);
	w2002_put_int(w, p->min);
	w2002_put_int(w, p->max);
	w2002_put_int(w, p->zero);
	w2002_put_int(w, p->initial);
	w2002_put_text(w, texts.prefix, sizeof texts.prefix);
	w2002_put_text(w, texts.suffix, sizeof texts.suffix);
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
	uint32_t taken = 0;
	char title[GCS_MAX_NAME + 2], block[GCS_MAX_TEXT + 2];
	snprintf(title, sizeof title, "%s ", space->tile_title);
	w2002_put_short(w, (int16_t)id);
	w2002_put_text(w, space->name, GCS_MAX_NAME);
	w2002_put_text(w,
	    space->group == GCS_NONE ? model->server_name : model->groups[space->group].name,
	    GCS_MAX_NAME);
	w2002_put_text(w, title[0] == ' ' ? "Tile " : title, sizeof title);
	/* The values follow it without a line end. */
	snprintf(
	    block, sizeof block, space->block_info[0] == '\0' ? "" : "%s\n", space->block_info);
	w2002_put_text(w, block, sizeof block);
	w2002_put_int(w, tiles == 0 ? 1 : (int32_t)tiles);
	w2002_put_text(
	    w, space->unused_text[0] == '\0' ? "NOT USED" : space->unused_text, GCS_MAX_NAME);
	wr_u8(w, id == compat_server->main);
	w2002_put_short(w, (int16_t)p->stream_count);
	for (uint32_t i = 0; i < p->stream_count; i++)
		describe_stream(
		    w, i, &p->streams[i], compat_server_stream_of(space, &p->streams[i]), &taken);
	if (tiles == 0)
		wr_u8(w, 0);
	else
		put_tile_names(w, begin, p, snapshot, tiles);
}
