#include "golden_model.h"

static const char *const kind_names[] = {"free", "young", "old"};

static const struct gcs_attribute attributes[] = {
    {.name = "cause", .kind = GCS_ATTRIBUTE_TEXT},
    {.name = "pause", .format = GCS_NANOSECONDS},
    {.name = "kind", .kind = GCS_ATTRIBUTE_ENUM, .enum_count = 3, .enum_names = kind_names},
    {.name = "runs",
	.on_demand = true,
	.parameter_count = 2,
	.parameter_names = (const char *const[]){"least", "most"}},
};

static const struct gcs_event events[] = {
    {.name = "Start", .description = "A collection starts", .colour = 0xe69f00},
    {.name = "End", .colour = 0x56b4e9, .attribute_count = 4, .attributes = attributes},
};

static const struct gcs_group groups[] = {
    {.name = "Heap", .parent = GCS_NONE}, {.name = "Old", .parent = 0}};

static const struct gcs_stream region_streams[] = {
    {.name = "Used",
	.description = "Bytes in use",
	.suffix = " bytes",
	.type = GCS_TYPE_I64,
	.presentation = GCS_PERCENT,
	.maximum = GCS_MAX_OF_STREAM,
	.max_stream = 1,
	.max = INT64_MAX,
	.paint = GCS_PAINT_ZERO,
	.format = GCS_BYTES,
	.summary = GCS_SUMMARY_SHARE,
	.colour = 0x3070d0},
    {.name = "Size",
	.type = GCS_TYPE_I64,
	.presentation = GCS_PLUS,
	.max = 1048576,
	.initial = 1048576,
	.summary = GCS_SUMMARY_TOTAL},
    {.name = "Kind",
	.type = GCS_TYPE_I8,
	.presentation = GCS_ENUM,
	.min = -1,
	.max = 1,
	.initial = -1,
	.enum_count = 3,
	.enum_names = kind_names,
	.summary = GCS_SUMMARY_COUNTS},
    {.name = "Control",
	.role = GCS_ROLE_CONTROL,
	.type = GCS_TYPE_I8,
	.max = 63,
	.initial = GCS_TILE_USED},
    {.name = "From", .role = GCS_ROLE_RANGE_START, .type = GCS_TYPE_I64, .format = GCS_HEX},
    {.name = "To", .role = GCS_ROLE_RANGE_END, .type = GCS_TYPE_I64, .format = GCS_HEX},
};

static const struct gcs_stream thread_streams[] = {
    {.name = "Change", .type = GCS_TYPE_I16, .min = -1000, .max = 1000, .initial = -7}};

static const struct gcs_space regions = {.name = "Regions",
    .description = "All regions",
    .tile_title = "Region",
    .block_info = "1 MiB to a region",
    .unused_text = "uncommitted",
    .group = 1,
    .main = true,
    .block_bytes = 1048576,
    .stream_count = 6,
    .streams = region_streams,
    .default_stream = 2};

static const struct gcs_space threads = {.name = "Threads",
    .kind = GCS_SPACE_LIST,
    .group = GCS_NONE,
    .stream_count = 1,
    .streams = thread_streams};

static const struct gcs_space cards = {.name = "Cards",
    .kind = GCS_SPACE_MATRIX,
    .columns = 300,
    .group = 0,
    .stream_count = 1,
    .streams = thread_streams};

static const struct gcs_parameter walk_parameters[] = {
    {.name = "depth", .description = "Most frames", .initial = "16"},
    {.name = "order",
	.kind = GCS_PARAMETER_ENUM,
	.initial = "old",
	.enum_count = 3,
	.enum_names = kind_names},
    {.name = "address", .kind = GCS_PARAMETER_ADDRESS},
};

static const struct gcs_plugin plugins[] = {
    {.name = "walk",
	.title = "Walk",
	.description = "Frames",
	.kind = GCS_PLUGIN_TABLE,
	.parameter_count = 3,
	.parameters = walk_parameters},
    {.name = "late-1", .title = "Late", .kind = GCS_PLUGIN_BYTES},
};

static bool add_all(struct gcs_model *m)
{
	struct gcs_error err;
	return gcs_model_set_info(m, "version", "1.0", &err) == GCS_OK &&
	       gcs_model_set_info(m, "pid", "4711", &err) == GCS_OK &&
	       gcs_model_add_event(m, &events[0], NULL, &err) == GCS_OK &&
	       gcs_model_add_event(m, &events[1], NULL, &err) == GCS_OK &&
	       gcs_model_add_group(m, &groups[0], NULL, &err) == GCS_OK &&
	       gcs_model_add_group(m, &groups[1], NULL, &err) == GCS_OK &&
	       gcs_model_add_plugin(m, &plugins[0], NULL, &err) == GCS_OK &&
	       gcs_model_add_space(m, &regions, NULL, &err) == GCS_OK &&
	       gcs_model_add_space(m, &threads, NULL, &err) == GCS_OK;
}

struct gcs_model *golden_model(void)
{
	struct gcs_model *m = gcs_model_create("Golden server");
	if (m != NULL && add_all(m))
		return m;
	gcs_model_unref(m);
	return NULL;
}

bool golden_model_change(struct gcs_model *m)
{
	struct gcs_error err;
	struct gcs_space anew = threads;
	const struct gcs_group late = {.name = "Late", .parent = 1};
	anew.name = "Threads anew";
	return gcs_model_set_space(m, 1, &anew, &err) == GCS_OK &&
	       gcs_model_add_group(m, &late, NULL, &err) == GCS_OK &&
	       gcs_model_add_plugin(m, &plugins[1], NULL, &err) == GCS_OK &&
	       gcs_model_add_space(m, &cards, NULL, &err) == GCS_OK &&
	       gcs_model_set_info(m, "uptime", "12 s", &err) == GCS_OK;
}
