/*
 * Every stream of every space, over events and used tiles. A column shared with the snapshot before
 * has the same figures and is not read again.
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "stats_internal.h"

static bool same_names(const struct gcs_stream *a, const struct gcs_stream *b)
{
	for (uint32_t i = 0; i < a->enum_count; i++)
		if (strcmp(a->enum_names[i], b->enum_names[i]) != 0)
			return false;
	return true;
}

static bool same_streams(const struct gcs_space *a, const struct gcs_space *b)
{
	if (strcmp(a->name, b->name) != 0 || a->stream_count != b->stream_count)
		return false;
	for (uint32_t i = 0; i < a->stream_count; i++) {
		const struct gcs_stream *x = &a->streams[i], *y = &b->streams[i];
		if (strcmp(x->name, y->name) != 0 || x->role != y->role ||
		    x->presentation != y->presentation || x->format != y->format ||
		    x->summary != y->summary || x->enum_count != y->enum_count || !same_names(x, y))
			return false;
	}
	return true;
}

static bool describe_streams(
    struct stats_space *space, struct arena *texts, const struct gcs_space *described)
{
	space->streams = arena_alloc(texts, described->stream_count + 1, sizeof *space->streams);
	if (space->streams == NULL)
		return false;
	for (uint32_t i = 0; i < described->stream_count; i++) {
		struct stats_stream *stream = &space->streams[space->stream_count];
		if (described->streams[i].role != GCS_ROLE_DATA)
			continue;
		stream->id = i;
		stream->summary_count = gcs_summary_length(&described->streams[i]);
		stream->summary =
		    arena_alloc(texts, stream->summary_count + 1, sizeof *stream->summary);
		if (stream->summary == NULL)
			return false;
		space->stream_count++;
	}
	return true;
}

static bool reserve(struct stats_spaces *s)
{
	if (s->count < s->capacity)
		return true;
	const uint32_t capacity = s->capacity == 0 ? 16 : s->capacity * 2;
	struct stats_space *items = gcs_realloc(s->items, capacity * sizeof *items);
	if (items == NULL)
		return false;
	s->items = items;
	s->capacity = capacity;
	return true;
}

/* Adds a new space; over the limit it remains GCS_NONE. False without memory. */
static bool add(
    struct stats_spaces *s, struct arena *texts, const struct gcs_space *described, uint32_t id)
{
	struct gcs_error err = {0};
	struct gcs_space copy = *described;
	uint32_t number;
	copy.group = GCS_NONE;
	copy.gone = false;
	if (s->count == GCS_MAX_SPACES ||
	    gcs_model_add_space(s->catalogue, &copy, &number, &err) != GCS_OK) {
		s->left_out++;
		return err.status != GCS_NOMEM;
	}
	if (!reserve(s))
		return false;
	struct stats_space *space = &s->items[s->count];
	*space = (struct stats_space){.id = number, .described = id};
	if (!describe_streams(space, texts, described))
		return false;
	s->map[id] = s->count++;
	return true;
}

bool stats_spaces_describe(
    struct stats_spaces *s, struct arena *texts, const struct gcs_model *model)
{
	if (s->catalogue == NULL && (s->catalogue = gcs_model_create("")) == NULL)
		return false;
	memset(s->map, 0xff, sizeof s->map); /* GCS_NONE everywhere */
	for (uint32_t i = 0; i < s->count; i++) {
		struct stats_space *space = &s->items[i];
		const uint32_t id = space->described;
		space->current = false;
		if (id < model->space_count && !model->spaces[id].gone && s->map[id] == GCS_NONE &&
		    same_streams(&s->catalogue->spaces[space->id], &model->spaces[id]))
			s->map[id] = i;
	}
	for (uint32_t i = 0; i < model->space_count; i++)
		if (!model->spaces[i].gone && s->map[i] == GCS_NONE &&
		    !add(s, texts, &model->spaces[i], i))
			return false;
	return true;
}

static bool is_used(const int64_t *control, uint32_t tile)
{
	return control == NULL || (control[tile] & GCS_TILE_USED) != 0;
}

/* Of used tiles, and of those the ones that have been counted. */
static void pass(struct stats_column *c, const int64_t *values, const int64_t *control,
    const int64_t *counted, uint32_t tiles)
{
	*c = (struct stats_column){
	    .values = values, .counted = counted, .min = INT64_MAX, .max = INT64_MIN};
	for (uint32_t i = 0; i < tiles; i++) {
		if (!is_used(control, i) || (counted != NULL && counted[i] == 0))
			continue;
		c->count++;
		c->sum += (double)values[i];
		c->min = values[i] < c->min ? values[i] : c->min;
		c->max = values[i] > c->max ? values[i] : c->max;
	}
}

static void count_column(struct stats_stream *s, uint64_t place)
{
	if (s->seen.count == 0)
		return;
	const double min = (double)s->seen.min, max = (double)s->seen.max;
	if (s->count == 0 || min < s->min) {
		s->min = min;
		s->min_place = place;
	}
	if (s->count == 0 || max > s->max) {
		s->max = max;
		s->max_place = place;
	}
	s->count += s->seen.count;
	s->sum += s->seen.sum;
}

static void add_stream(struct stats_space *space, struct stats_stream *stream,
    const struct stats_view *v, bool same_tiles)
{
	const int64_t *values = gcs_snapshot_values(v->snapshot, space->described, stream->id);
	const int64_t *counted = gcs_snapshot_counted(v->snapshot, space->described, stream->id);
	uint32_t count = 0;
	const int64_t *summary =
	    gcs_snapshot_any_counted(v->snapshot, space->described, stream->id)
		? gcs_snapshot_summary(v->snapshot, space->described, stream->id, &count)
		: NULL;
	if (values != NULL) {
		if (!same_tiles || stream->seen.values != values || stream->seen.counted != counted)
			pass(&stream->seen, values, space->control, counted, space->tiles);
		count_column(stream, v->when.place);
	}
	for (uint32_t i = 0; summary != NULL && i < count && i < stream->summary_count; i++)
		stats_series_add(&stream->summary[i], &v->when, (double)summary[i]);
}

/* What the agent's space of call sites says of itself while sampling is off: after that, with the totals of
 * the time before; of live objects nothing is known then, and 0 is no figure. */
static bool sampling_is_off(const char *info)
{
	static const char ended[] = "Sampling off;";
	return strncmp(info, ended, sizeof ended - 1) == 0;
}

/* Before sampling was on it has no tiles and says why. */
static void note_unknown(struct stats_space *space, const char *info, uint32_t tiles)
{
	static const char words[] = "Sampling of allocations is ";
	space->known = space->known || tiles != 0 || strncmp(info, words, sizeof words - 1) != 0;
	if (!space->known)
		snprintf(space->unknown, sizeof space->unknown, "sampling is %.80s",
		    info + sizeof words - 1);
}

static void add_space(struct stats_space *space, const struct stats_view *v)
{
	const struct gcs_space *described =
	    &gcs_snapshot_model(v->snapshot)->spaces[space->described];
	const uint32_t role = gcs_space_role(described, GCS_ROLE_CONTROL);
	const uint32_t tiles = gcs_snapshot_tiles(v->snapshot, space->described);
	const int64_t *control =
	    role == GCS_NONE ? NULL : gcs_snapshot_values(v->snapshot, space->described, role);
	const char *info = gcs_snapshot_space_info(v->snapshot, space->described);
	const bool same = space->current && tiles == space->tiles && control == space->control;
	if (!same) {
		space->control = control;
		space->tiles = tiles;
		space->used = 0;
		for (uint32_t i = 0; i < tiles; i++)
			space->used += is_used(control, i);
	}
	space->current = true;
	space->events++;
	note_unknown(space, info, tiles);
	stats_series_add(&space->used_tiles, &v->when, space->used);
	for (uint32_t i = 0; i < space->stream_count; i++) {
		struct stats_stream *stream = &space->streams[i];
		stream->unknown = sampling_is_off(info) &&
				  strcmp(described->streams[stream->id].name, "Live") == 0;
		if (stream->unknown)
			stream->seen = (struct stats_column){.values = NULL};
		else
			add_stream(space, stream, v, same);
	}
}

void stats_spaces_add(struct stats_spaces *s, const struct stats_view *v)
{
	const struct gcs_model *model = gcs_snapshot_model(v->snapshot);
	for (uint32_t i = 0; i < model->space_count; i++) {
		if (s->map[i] == GCS_NONE)
			continue;
		struct stats_space *space = &s->items[s->map[i]];
		if (gcs_snapshot_gathered(v->snapshot, i))
			add_space(space, v);
		else
			space->current = false;
	}
}

static bool give_stream(const struct stats_stream *s, struct arena *texts,
    const struct gcs_stream *described, struct gcs_stats_stream *result)
{
	struct gcs_stats_summary *summary =
	    arena_alloc(texts, s->summary_count + 1, sizeof *summary);
	if (summary == NULL)
		return false;
	for (uint32_t i = 0; i < s->summary_count; i++) {
		const bool named = described->summary == GCS_SUMMARY_COUNTS;
		summary[i].name = named ? described->enum_names[i] : "";
		stats_series_give(&s->summary[i], &summary[i].series);
	}
	const bool names = described->presentation == GCS_ENUM;
	*result = (struct gcs_stats_stream){
	    .stream = described,
	    .why = s->unknown && s->count == 0 ? "sampling is off" : "",
	    .summary_count = s->summary_count,
	    .summary = summary,
	    .tiles = {.count = s->count,
		.min = s->count == 0 ? NAN : s->min,
		.mean = s->count == 0 ? NAN
			: names       ? 0
				      : s->sum / (double)s->count,
		.max = s->count == 0 ? NAN : s->max,
		.min_place = s->count == 0 ? GCS_NO_PLACE : s->min_place,
		.max_place = s->count == 0 ? GCS_NO_PLACE : s->max_place},
	};
	return true;
}

static bool give_space(const struct stats_space *s, struct arena *texts,
    const struct gcs_space *described, struct gcs_stats_space *result)
{
	struct gcs_stats_stream *streams = arena_alloc(texts, s->stream_count + 1, sizeof *streams);
	if (streams == NULL)
		return false;
	*result = (struct gcs_stats_space){.space = described,
	    .events = s->events,
	    .why =
		s->events == 0 || s->known ? "" : arena_text(texts, s->unknown, strlen(s->unknown)),
	    .stream_count = s->stream_count,
	    .streams = streams};
	if (result->why == NULL)
		return false;
	stats_series_give(&s->used_tiles, &result->used_tiles);
	for (uint32_t i = 0; i < s->stream_count; i++)
		if (!give_stream(
			&s->streams[i], texts, &described->streams[s->streams[i].id], &streams[i]))
			return false;
	return true;
}

bool stats_spaces_give(const struct stats_spaces *s, struct arena *texts, struct gcs_stats *result)
{
	struct gcs_stats_space *spaces = arena_alloc(texts, s->count + 1, sizeof *spaces);
	if (spaces == NULL)
		return false;
	for (uint32_t i = 0; i < s->count; i++)
		if (!give_space(
			&s->items[i], texts, &s->catalogue->spaces[s->items[i].id], &spaces[i]))
			return false;
	result->space_count = s->count;
	result->spaces = spaces;
	result->spaces_left_out = s->left_out;
	return true;
}

void stats_spaces_fini(struct stats_spaces *s)
{
	gcs_model_unref(s->catalogue);
	gcs_free(s->items);
	s->catalogue = NULL;
	s->items = NULL;
}
