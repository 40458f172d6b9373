/* The model, its snapshot, and random changes of it; declared in kit.h. */
#include "kit.h"

#include <stdio.h>

static const char *const causes[] = {"Allocation", "System.gc()", "Metadata"};
static const char *const states[] = {"Free", "Eden", "Old", "Humongous"};

static const struct gcs_attribute tick_attributes[] = {
    [KIT_COUNT_ATTRIBUTE] = {.name = "count", .format = GCS_BYTES},
    [KIT_CAUSE_ATTRIBUTE] = {.name = "cause",
	.kind = GCS_ATTRIBUTE_ENUM,
	.enum_count = 3,
	.enum_names = causes},
    [KIT_WORDS_ATTRIBUTE] = {.name = "words", .kind = GCS_ATTRIBUTE_TEXT},
};

const struct gcs_event kit_events[KIT_EVENTS] = {
    [KIT_TICK] = {.name = "Tick",
	.description = "Something small happened",
	.colour = 0x123456,
	.attribute_count = 3,
	.attributes = tick_attributes},
    [KIT_FULL] = {.name = "Full", .attribute_count = 1, .attributes = tick_attributes},
    [KIT_PLAIN_EVENT] = {.name = "Plain"},
};

const struct gcs_group kit_groups[3] = {
    [KIT_GROUP_TOP] = {.name = "Heap", .parent = GCS_NONE},
    [KIT_GROUP_INNER] = {.name = "Young", .parent = KIT_GROUP_TOP},
    [KIT_GROUP_OTHER] = {.name = "Threads", .parent = GCS_NONE},
};

static const struct gcs_stream streams[KIT_STREAMS] = {
    [KIT_USED] = {.name = "Used",
	.description = "Bytes in use",
	.suffix = " bytes",
	.type = GCS_TYPE_I64,
	.presentation = GCS_PERCENT,
	.paint = GCS_PAINT_ZERO,
	.format = GCS_BYTES,
	.summary = GCS_SUMMARY_SHARE,
	.max = 4096,
	.colour = 0x3070d0},
    [KIT_STATE] = {.name = "State",
	.type = GCS_TYPE_I8,
	.presentation = GCS_ENUM,
	.min = 1,
	.max = 4,
	.initial = 1,
	.summary = GCS_SUMMARY_COUNTS,
	.enum_count = 4,
	.enum_names = states},
    [KIT_CONTROL] = {.name = "Control",
	.role = GCS_ROLE_CONTROL,
	.max = 63,
	.initial = GCS_TILE_USED},
    [KIT_START] = {.name = "Start",
	.role = GCS_ROLE_RANGE_START,
	.type = GCS_TYPE_I64,
	.format = GCS_HEX,
	.min = INT64_MIN,
	.max = INT64_MAX},
    [KIT_END] = {.name = "End",
	.role = GCS_ROLE_RANGE_END,
	.type = GCS_TYPE_I64,
	.format = GCS_HEX,
	.min = INT64_MIN,
	.max = INT64_MAX},
};

static const struct gcs_stream list_streams[] = {
    {.name = "Length",
	.presentation = GCS_PLUS,
	.maximum = GCS_MAX_OF_EVENT,
	.summary = GCS_SUMMARY_TOTAL,
	.min = -5,
	.max = 64,
	.initial = -5},
    {.name = "Share", .presentation = GCS_PERCENT, .maximum = GCS_MAX_OF_STREAM, .max = 64},
};

const struct gcs_space kit_spaces[KIT_SPACES] = {
    [KIT_HEAP] = {.name = "Heap",
	.description = "All of it",
	.tile_title = "Region",
	.block_info = "1 MiB to a region",
	.unused_text = "uncommitted",
	.group = KIT_GROUP_INNER,
	.main = true,
	.block_bytes = 1 << 20,
	.stream_count = KIT_STREAMS,
	.streams = streams},
    [KIT_LIST] = {.name = "Free list",
	.group = KIT_GROUP_OTHER,
	.kind = GCS_SPACE_LIST,
	.stream_count = 2,
	.default_stream = 1,
	.streams = list_streams},
    [KIT_MATRIX] = {.name = "Cards",
	.group = GCS_NONE,
	.kind = GCS_SPACE_MATRIX,
	.columns = 16,
	.stream_count = 1,
	.streams = streams},
};

static const char *const orders[] = {"up", "down"};

static const struct gcs_parameter walk_parameters[KIT_WALK_PARAMETERS] = {
    [KIT_WALK_DEPTH] = {.name = "depth", .description = "Most frames", .initial = "16"},
    [KIT_WALK_FILTER] = {.name = "filter", .kind = GCS_PARAMETER_TEXT, .initial = ""},
    [KIT_WALK_ORDER] = {.name = "order",
	.kind = GCS_PARAMETER_ENUM,
	.initial = "up",
	.enum_count = 2,
	.enum_names = orders},
    [KIT_WALK_SPACE] = {.name = "space", .kind = GCS_PARAMETER_SPACE, .initial = "0"},
    [KIT_WALK_TILE] = {.name = "tile", .kind = GCS_PARAMETER_TILE, .initial = "0"},
    [KIT_WALK_ADDRESS] = {.name = "address",
	.description = "where it begins",
	.kind = GCS_PARAMETER_ADDRESS},
    [KIT_WALK_LENGTH] = {.name = "length", .kind = GCS_PARAMETER_LENGTH, .initial = "4k"},
};

const struct gcs_plugin kit_plugins[KIT_PLUGINS] = {
    [KIT_STATUS_PLUGIN] = {.name = "status", .title = "Status", .kind = GCS_PLUGIN_TEXT},
    [KIT_WALK_PLUGIN] = {.name = "walk-2",
	.title = "Walk",
	.description = "Frames from an address on",
	.kind = GCS_PLUGIN_TABLE,
	.parameter_count = KIT_WALK_PARAMETERS,
	.parameters = walk_parameters},
};

struct gcs_model *kit_model(void)
{
	struct gcs_model *model = gcs_model_create("Kit");
	enum gcs_status status = model == NULL ? GCS_NOMEM : GCS_OK;
	for (uint32_t i = 0; status == GCS_OK && i < KIT_EVENTS; i++)
		status = gcs_model_add_event(model, &kit_events[i], NULL, NULL);
	for (uint32_t i = 0; status == GCS_OK && i < 3; i++)
		status = gcs_model_add_group(model, &kit_groups[i], NULL, NULL);
	for (uint32_t i = 0; status == GCS_OK && i < KIT_SPACES; i++)
		status = gcs_model_add_space(model, &kit_spaces[i], NULL, NULL);
	for (uint32_t i = 0; status == GCS_OK && i < KIT_PLUGINS; i++)
		status = gcs_model_add_plugin(model, &kit_plugins[i], NULL, NULL);
	if (status == GCS_OK)
		status = gcs_model_set_info(model, "Collector", "Kit", NULL);
	if (status == GCS_OK)
		status = gcs_model_set_info(model, "Version", "1.2.3", NULL);
	if (status == GCS_OK)
		return model;
	gcs_model_unref(model);
	return NULL;
}

struct gcs_snapshot *kit_snapshot(struct gcs_model *model)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	uint64_t state = 7;
	if (s == NULL || !gcs_snapshot_resize(s, KIT_HEAP, 64))
		return s;
	struct gcs_occurrence o = {.sequence = 1, .event = KIT_TICK, .time_ns = 1000};
	gcs_snapshot_set_occurrence(s, &o);
	for (unsigned i = 0; i < 20; i++)
		kit_change(s, &state);
	return s;
}

/* Random changes. */

static int64_t any_value(uint64_t *state)
{
	switch (kit_below(state, 8)) {
	case 0:
		return INT64_MIN;
	case 1:
		return INT64_MAX;
	case 2:
		return (int64_t)kit_random(state);
	case 3:
		return 0;
	default:
		return (int64_t)kit_below(state, 5000) - 100;
	}
}

static void change_size(struct gcs_snapshot *s, uint32_t space, uint64_t *state)
{
	uint32_t tiles = gcs_snapshot_tiles(s, space);
	switch (kit_below(state, 4)) {
	case 0:
		gcs_snapshot_insert_tiles(
		    s, space, kit_below(state, tiles + 1), kit_below(state, 9));
		break;
	case 1: {
		uint32_t at = kit_below(state, tiles + 1);
		gcs_snapshot_remove_tiles(s, space, at, kit_below(state, tiles - at + 1) / 2);
		break;
	}
	case 2:
		gcs_snapshot_resize(s, space, kit_below(state, 200));
		break;
	default:
		gcs_snapshot_resize(s, space, tiles + kit_below(state, 4));
		break;
	}
}

static void change_values(struct gcs_snapshot *s, uint32_t space, uint64_t *state)
{
	uint32_t stream = kit_below(state, gcs_snapshot_model(s)->spaces[space].stream_count);
	uint32_t tiles = gcs_snapshot_tiles(s, space);
	int64_t *values = gcs_snapshot_write(s, space, stream);
	if (values == NULL)
		return;
	uint32_t first = kit_below(state, tiles);
	uint32_t count = kit_below(state, tiles - first + 1);
	int64_t value = any_value(state);
	uint32_t how = kit_below(state, 3);
	for (uint32_t i = first; i < first + count; i++)
		values[i] = how == 0   ? value
			    : how == 1 ? any_value(state)
				       : (int64_t)((uint64_t)values[i] + 1);
}

static void change_name(struct gcs_snapshot *s, uint32_t space, uint64_t *state)
{
	char name[32];
	uint32_t tiles = gcs_snapshot_tiles(s, space);
	if (tiles == 0)
		return;
	snprintf(name, sizeof name, "name %u", (unsigned)kit_below(state, 50));
	gcs_snapshot_set_name(
	    s, space, kit_below(state, tiles), kit_below(state, 4) == 0 ? "" : name);
}

static void change_summary(struct gcs_snapshot *s, uint32_t space, uint64_t *state)
{
	int64_t values[GCS_MAX_ENUM];
	const struct gcs_space *p = &gcs_snapshot_model(s)->spaces[space];
	uint32_t stream = kit_below(state, p->stream_count);
	uint32_t count = gcs_summary_length(&p->streams[stream]);
	for (uint32_t i = 0; i < count; i++)
		values[i] = any_value(state);
	gcs_snapshot_set_summary(s, space, stream, kit_below(state, 5) == 0 ? 0 : count, values);
}

static void change_attributes(struct gcs_snapshot *s, uint64_t *state)
{
	char words[24];
	snprintf(words, sizeof words, "words %u", (unsigned)kit_below(state, 9));
	gcs_snapshot_set_number(s, KIT_COUNT_ATTRIBUTE, any_value(state));
	gcs_snapshot_set_number(s, KIT_CAUSE_ATTRIBUTE, kit_below(state, 3));
	gcs_snapshot_set_text(s, KIT_WORDS_ATTRIBUTE, words);
	gcs_snapshot_set_counter(
	    s, kit_below(state, KIT_EVENTS), kit_below(state, 2) == 0 ? kit_random(state) : 3);
}

void kit_change(struct gcs_snapshot *s, uint64_t *state)
{
	const struct gcs_model *model = gcs_snapshot_model(s);
	uint32_t space = kit_below(state, model->space_count);
	if (model->spaces[space].gone)
		return;
	switch (kit_below(state, 8)) {
	case 0:
		change_size(s, space, state);
		break;
	case 1:
		change_name(s, space, state);
		break;
	case 2:
		change_summary(s, space, state);
		break;
	case 3:
		change_attributes(s, state);
		break;
	case 4: {
		static const char *const infos[] = {"", "half of it", "all of it"};
		gcs_snapshot_set_space_info(s, space, infos[kit_below(state, 3)]);
		break;
	}
	default:
		change_values(s, space, state);
		break;
	}
	gcs_snapshot_set_gathered(s, space, kit_below(state, 3) != 0);
}
