#include "ui_strange.h"

#include <stdio.h>
#include <string.h>

#include "kit.h"
#include "ui_world.h"

enum { SPACES = 6, STREAMS = 6, EVENTS = 4, GROUPS = 3, NAMES = 3, LONG = 240 };

static char long_name[LONG + 1];

static const char *any_name(uint64_t *state)
{
	static const char *const names[] = {"Used", "x",
	    "\xe5\x90\x8d\xe5\x89\x8d\xe3\x81\xaa\xe3\x81\x97",
	    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xd7\xa2\xd7\x95\xd7\x9c\xd7\x9d", "%s%n%1000000d",
	    "tab\tand\nline", "\xf0\x9f\x92\xa5\xe2\x80\xae", "'; DROP TABLE \"heap\"; --",
	    "[Used] + \"", "<b>&amp;", long_name};
	memset(long_name, 'W', LONG);
	return names[kit_below(state, sizeof names / sizeof *names)];
}

static int64_t any_number(uint64_t *state)
{
	static const int64_t limits[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX - 1, 1 << 20};
	const uint32_t limit = kit_below(state, 16);
	if (limit < sizeof limits / sizeof *limits)
		return limits[limit];
	return (int64_t)(kit_random(state) >> kit_below(state, 63));
}

static struct gcs_stream any_stream(uint64_t *state, uint32_t number)
{
	static const char *const kinds[GCS_MAX_ENUM] = {"Free", "-",
	    "\xe2\x80\xae"
	    "abc"};
	struct gcs_stream s = {.name = any_name(state),
	    .description = any_name(state),
	    .prefix = kit_below(state, 4) == 0 ? any_name(state) : "",
	    .suffix = kit_below(state, 4) == 0 ? any_name(state) : "",
	    .role = number < 3 ? GCS_ROLE_DATA : (enum gcs_role)(number - 2),
	    .type = GCS_TYPE_I64,
	    .presentation = (enum gcs_presentation)kit_below(state, GCS_PRESENTATION_COUNT),
	    .paint = (enum gcs_paint)kit_below(state, GCS_PAINT_COUNT),
	    .format = (enum gcs_format)kit_below(state, GCS_FORMAT_COUNT),
	    .max_stream = GCS_NONE,
	    .colour = (uint32_t)kit_random(state) & 0xffffff,
	    .max = INT64_MAX};
	if (s.role == GCS_ROLE_DATA && kit_below(state, 3) == 0)
		s.min = INT64_MIN;
	if (s.role != GCS_ROLE_DATA || kit_below(state, 3) == 0)
		s.presentation = GCS_PLAIN;
	s.summary = (enum gcs_summary_kind)kit_below(state, GCS_SUMMARY_COUNTS);
	s.maximum = kit_below(state, 2) == 0 ? GCS_MAX_OF_EVENT : GCS_MAX_FIXED;
	if (s.presentation == GCS_ENUM) {
		s.enum_count = NAMES;
		s.enum_names = kinds;
		s.min = 0;
		s.max = NAMES - 1;
		s.summary = GCS_SUMMARY_COUNTS;
	}
	if (s.role == GCS_ROLE_CONTROL) {
		s.min = 0;
		s.max = 255;
		s.initial = GCS_TILE_USED;
	}
	return s;
}

static void add_space(struct gcs_model *m, uint64_t *state, uint32_t groups)
{
	struct gcs_stream streams[STREAMS];
	struct gcs_error err;
	char name[GCS_MAX_NAME + 1];
	snprintf(name, sizeof name, "%.240s %u", any_name(state), m->space_count);
	struct gcs_space space = {.name = name,
	    .description = any_name(state),
	    .tile_title = any_name(state),
	    .block_info = any_name(state),
	    .unused_text = any_name(state),
	    .group = kit_below(state, 2) == 0 || groups == 0 ? GCS_NONE : kit_below(state, groups),
	    .kind = (enum gcs_space_kind)kit_below(state, GCS_SPACE_KIND_COUNT),
	    .main = kit_below(state, 3) == 0,
	    .block_bytes = kit_below(state, 2) == 0 ? 0 : (uint64_t)any_number(state),
	    .stream_count = STREAMS,
	    .streams = streams};
	space.columns = space.kind == GCS_SPACE_MATRIX ? 1 + kit_below(state, 500) : 0;
	for (uint32_t i = 0; i < STREAMS; i++)
		streams[i] = any_stream(state, i);
	world_must(gcs_model_add_space(m, &space, NULL, &err) == GCS_OK, err.text);
}

struct gcs_model *strange_model(uint64_t *state)
{
	struct gcs_error err;
	struct gcs_model *m = gcs_model_create(any_name(state));
	world_must(m != NULL, "model");
	for (uint32_t i = kit_below(state, EVENTS); i-- > 0;) {
		const struct gcs_attribute attributes[] = {
		    {.name = any_name(state), .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
		    {.name = "Pause", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_NANOSECONDS},
		    {.name = "Used after", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
		    {.name = any_name(state), .kind = GCS_ATTRIBUTE_TEXT}};
		const struct gcs_event event = {.name = any_name(state),
		    .description = any_name(state),
		    .colour = (uint32_t)kit_random(state) & 0xffffff,
		    .attribute_count = kit_below(state, 5),
		    .attributes = attributes};
		(void)gcs_model_add_event(m, &event, NULL, &err);
	}
	const uint32_t groups = kit_below(state, GROUPS);
	for (uint32_t i = 0; i < groups; i++)
		(void)gcs_model_add_group(m,
		    &(struct gcs_group){
			.name = any_name(state), .parent = i == 0 ? GCS_NONE : i - 1},
		    NULL, &err);
	for (uint32_t i = kit_below(state, SPACES + 1); i-- > 0;)
		add_space(m, state, m->group_count);
	if (m->space_count > 1 && kit_below(state, 4) == 0)
		(void)gcs_model_remove_space(m, kit_below(state, m->space_count), &err);
	return m;
}

static int64_t any_value(uint64_t *state, const struct gcs_stream *stream)
{
	const int64_t v = any_number(state);
	return v < stream->min ? stream->min : v > stream->max ? stream->max : v;
}

static void fill_space(struct gcs_snapshot *s, uint32_t space, uint64_t *state)
{
	const struct gcs_space *described = &gcs_snapshot_model(s)->spaces[space];
	static const uint32_t sizes[] = {0, 1, 2, 17, 300, 3000, 20000};
	if (described->gone)
		return;
	if (kit_below(state, 3) == 0)
		(void)gcs_snapshot_resize(s, space, sizes[kit_below(state, 7)]);
	const uint32_t tiles = gcs_snapshot_tiles(s, space);
	for (uint32_t i = 0; i < described->stream_count; i++) {
		int64_t *values = gcs_snapshot_write(s, space, i);
		for (uint32_t n = tiles / 3 + 1; values != NULL && tiles > 0 && n-- > 0;)
			values[kit_below(state, tiles)] = any_value(state, &described->streams[i]);
		int64_t summary[GCS_MAX_ENUM];
		for (uint32_t k = 0; k < GCS_MAX_ENUM; k++)
			summary[k] = any_number(state);
		(void)gcs_snapshot_set_summary(
		    s, space, i, gcs_summary_length(&described->streams[i]), summary);
	}
	if (tiles > 0)
		(void)gcs_snapshot_set_name(s, space, kit_below(state, tiles), any_name(state));
	(void)gcs_snapshot_set_space_info(s, space, any_name(state));
	gcs_snapshot_set_gathered(s, space, kit_below(state, 8) != 0);
}

struct gcs_snapshot *strange_snapshot(
    struct gcs_model *model, const struct gcs_snapshot *previous, uint64_t *state)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, previous);
	world_must(s != NULL, "snapshot");
	const struct gcs_occurrence o = {.sequence = kit_random(state) >> kit_below(state, 64),
	    .event = model->event_count > 0 ? kit_below(state, model->event_count) : GCS_NONE,
	    .time_ns = kit_random(state) >> kit_below(state, 64),
	    .wall_ns = any_number(state),
	    .elapsed_ns = kit_random(state) >> kit_below(state, 64),
	    .missed = kit_below(state, 2) == 0 ? 0 : kit_random(state)};
	(void)gcs_snapshot_set_occurrence(s, &o);
	for (uint32_t i = 0; i < 4; i++) {
		(void)gcs_snapshot_set_number(s, i, any_number(state));
		(void)gcs_snapshot_set_text(s, i, any_name(state));
	}
	for (uint32_t i = 0; i < model->space_count; i++)
		fill_space(s, i, state);
	return s;
}
