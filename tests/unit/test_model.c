/* Descriptions (F1, F3, F6): copies, limits, checks, editions, references. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "kit.h"
#include "model_internal.h"

static char name_255[GCS_MAX_NAME + 1], name_256[GCS_MAX_NAME + 2];
static char text_4095[GCS_MAX_TEXT + 1], text_4096[GCS_MAX_TEXT + 2];
static struct gcs_model *model;
static struct gcs_error err;

static void setup(void)
{
	kit_count_memory(0);
	memset(name_255, 'n', GCS_MAX_NAME);
	memset(name_256, 'n', GCS_MAX_NAME + 1);
	memset(text_4095, 't', GCS_MAX_TEXT);
	memset(text_4096, 't', GCS_MAX_TEXT + 1);
	model = kit_model();
}

static void teardown(void)
{
	gcs_model_unref(model);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define ModelTest(name) Test(model, name, .init = setup, .fini = teardown)

ModelTest(is_its_own_copy_of_what_it_was_given)
{
	char name[] = "Volatile", value[] = "text";
	struct gcs_group group = {.name = name, .parent = GCS_NONE};
	uint32_t id;
	cr_assert_eq(gcs_model_add_group(model, &group, &id, &err), GCS_OK);
	cr_assert_eq(gcs_model_set_info(model, name, value, &err), GCS_OK);
	memset(name, 'x', sizeof name - 1);
	memset(value, 'x', sizeof value - 1);
	cr_assert_eq(id, 3);
	cr_assert_str_eq(model->groups[id].name, "Volatile");
	cr_assert_str_eq(model->info[2].key, "Volatile");
	cr_assert_str_eq(model->info[2].value, "text");
	cr_assert_eq(gcs_model_check(model, &err), GCS_OK);
}

ModelTest(has_no_null_texts)
{
	cr_assert_str_eq(model->spaces[KIT_LIST].description, "");
	cr_assert_str_eq(model->spaces[KIT_LIST].streams[0].prefix, "");
	cr_assert_str_eq(model->events[KIT_PLAIN_EVENT].description, "");
	cr_assert_eq(model->spaces[KIT_HEAP].streams[KIT_USED].max_stream, GCS_NONE);
}

ModelTest(copies_are_equal_and_independent)
{
	cr_assert_eq(gcs_model_remove_space(model, KIT_LIST, &err), GCS_OK);
	struct gcs_model *copy = gcs_model_copy(model);
	cr_assert_null(kit_model_difference(model, copy));
	for (uint32_t i = 0; i < KIT_SPACES; i++)
		cr_assert_eq(model_edition(copy, i), model_edition(model, i));
	cr_assert_eq(model_info_edition(copy), model_info_edition(model));
	cr_assert_gt(model_serial(copy), model_serial(model));
	cr_assert_eq(gcs_model_set_space(copy, KIT_HEAP, &kit_spaces[KIT_HEAP], &err), GCS_OK);
	cr_assert_neq(model_edition(copy, KIT_HEAP), model_edition(model, KIT_HEAP));
	cr_assert_eq(gcs_model_set_info(copy, "Version", "2", &err), GCS_OK);
	cr_assert_str_eq(model->info[1].value, "1.2.3");
	cr_assert_neq(model_info_edition(copy), model_info_edition(model));
	gcs_model_unref(copy);
}

ModelTest(references_are_counted)
{
	struct gcs_model *same = gcs_model_ref(model);
	cr_assert_eq(same, model);
	gcs_model_unref(same);
	cr_assert_str_eq(model->server_name, "Kit");
	cr_assert_null(gcs_model_ref(NULL));
	gcs_model_unref(NULL);
}

ModelTest(finds_by_name_and_role)
{
	cr_assert_eq(gcs_model_find_event(model, "Full"), KIT_FULL);
	cr_assert_eq(gcs_model_find_event(model, "full"), GCS_NONE);
	cr_assert_eq(gcs_model_find_space(model, "Free list"), KIT_LIST);
	cr_assert_eq(gcs_space_find_stream(&model->spaces[KIT_HEAP], "State"), KIT_STATE);
	cr_assert_eq(gcs_space_find_stream(&model->spaces[KIT_HEAP], ""), GCS_NONE);
	cr_assert_eq(gcs_space_role(&model->spaces[KIT_HEAP], GCS_ROLE_RANGE_END), KIT_END);
	cr_assert_eq(gcs_space_role(&model->spaces[KIT_LIST], GCS_ROLE_CONTROL), GCS_NONE);
	gcs_model_remove_space(model, KIT_LIST, NULL);
	cr_assert_eq(gcs_model_find_space(model, "Free list"), GCS_NONE);
}

ModelTest(knows_what_lies_in_a_group)
{
	cr_assert(model_in_group(model, KIT_HEAP, KIT_GROUP_INNER));
	cr_assert(model_in_group(model, KIT_HEAP, KIT_GROUP_TOP));
	cr_assert_not(model_in_group(model, KIT_HEAP, KIT_GROUP_OTHER));
	cr_assert_not(model_in_group(model, KIT_MATRIX, KIT_GROUP_TOP));
	cr_assert_not(model_in_group(model, 99, KIT_GROUP_TOP));
	cr_assert_eq(model_edition(model, 99), 0);
}

ModelTest(withdraws_and_describes_anew)
{
	uint64_t before = model_edition(model, KIT_LIST);
	cr_assert_eq(gcs_model_remove_space(model, KIT_LIST, &err), GCS_OK);
	cr_assert(model->spaces[KIT_LIST].gone);
	cr_assert_gt(model_edition(model, KIT_LIST), before);
	cr_assert_eq(gcs_model_remove_space(model, KIT_LIST, &err), GCS_ARGUMENT);
	cr_assert_eq(gcs_model_remove_space(model, 3, &err), GCS_ARGUMENT);
	cr_assert_eq(gcs_model_set_space(model, 3, &kit_spaces[0], &err), GCS_ARGUMENT);
	cr_assert_eq(gcs_model_set_space(model, KIT_LIST, &kit_spaces[KIT_HEAP], &err), GCS_OK);
	cr_assert_not(model->spaces[KIT_LIST].gone);
	cr_assert_str_eq(model->spaces[KIT_LIST].name, "Heap");
}

ModelTest(keeps_information_by_key)
{
	uint64_t edition = model_info_edition(model);
	cr_assert_eq(gcs_model_set_info(model, "Version", "9", &err), GCS_OK);
	cr_assert_gt(model_info_edition(model), edition);
	cr_assert_eq(model->info_count, 2);
	cr_assert_str_eq(model->info[1].value, "9");
	cr_assert_eq(gcs_model_set_info(model, "Collector", "", &err), GCS_OK);
	cr_assert_eq(model->info_count, 1);
	cr_assert_str_eq(model->info[0].key, "Version");
	cr_assert_eq(gcs_model_set_info(model, "Nothing", NULL, &err), GCS_OK);
	cr_assert_eq(model->info_count, 1);
	for (unsigned i = 0; i < 100; i++) { /* the array shrinks and grows */
		char key[8];
		snprintf(key, sizeof key, "k%u", i % 9);
		cr_assert_eq(gcs_model_set_info(model, key, i % 4 == 3 ? "" : "v", &err), GCS_OK);
		cr_assert_eq(gcs_model_check(model, &err), GCS_OK);
	}
	const struct gcs_info lines[] = {{"a", "1"}, {"b", "2"}};
	cr_assert_eq(model_replace_info(model, 2, lines, &err), GCS_OK);
	cr_assert_eq(model->info_count, 2);
	cr_assert_str_eq(model->info[1].value, "2");
	cr_assert_eq(gcs_model_set_info(model, "", "x", &err), GCS_ARGUMENT);
	cr_assert_eq(gcs_model_set_info(model, name_255, text_4095, &err), GCS_OK);
	cr_assert_eq(gcs_model_set_info(model, name_256, "x", &err), GCS_LIMIT);
	cr_assert_eq(gcs_model_set_info(model, "x", text_4096, &err), GCS_LIMIT);
}

ModelTest(has_room_for_the_limits_and_no_more)
{
	struct gcs_event event = {.name = name_255, .description = text_4095};
	struct gcs_group group = {.name = name_255, .parent = GCS_NONE};
	struct gcs_space space = kit_spaces[KIT_MATRIX];
	for (uint32_t i = KIT_EVENTS; i < GCS_MAX_EVENTS; i++)
		cr_assert_eq(gcs_model_add_event(model, &event, NULL, &err), GCS_OK);
	cr_assert_eq(gcs_model_add_event(model, &event, NULL, &err), GCS_LIMIT);
	for (uint32_t i = 3; i < GCS_MAX_GROUPS; i++) {
		group.parent = i - 1; /* as deep as it can be */
		cr_assert_eq(gcs_model_add_group(model, &group, NULL, &err), GCS_OK);
	}
	cr_assert_eq(gcs_model_add_group(model, &group, NULL, &err), GCS_LIMIT);
	space.group = GCS_MAX_GROUPS - 1;
	for (uint32_t i = KIT_SPACES; i < GCS_MAX_SPACES; i++)
		cr_assert_eq(gcs_model_add_space(model, &space, NULL, &err), GCS_OK);
	cr_assert_eq(gcs_model_add_space(model, &space, NULL, &err), GCS_LIMIT);
	cr_assert(model_in_group(model, GCS_MAX_SPACES - 1, KIT_GROUP_OTHER));
	for (uint32_t i = 2; i < GCS_MAX_INFO; i++) {
		char key[16];
		snprintf(key, sizeof key, "key %u", i);
		cr_assert_eq(gcs_model_set_info(model, key, "v", &err), GCS_OK);
	}
	cr_assert_eq(gcs_model_set_info(model, "one more", "v", &err), GCS_LIMIT);
	cr_assert_eq(gcs_model_check(model, &err), GCS_OK);
	struct gcs_model *copy = gcs_model_copy(model);
	cr_assert_null(kit_model_difference(model, copy));
	gcs_model_unref(copy);
}

/* Each bad description is refused with the right status and a line that names it. */

static void refuse_space(const struct gcs_space *space, enum gcs_status status)
{
	uint32_t before = model->space_count;
	err.text[0] = '\0';
	cr_assert_eq(gcs_model_add_space(model, space, NULL, &err), status, "%s", err.text);
	cr_assert_eq(err.status, status);
	cr_assert_gt(strlen(err.text), 10);
	cr_assert_eq(gcs_model_set_space(model, 0, space, &err), status);
	cr_assert_eq(model->space_count, before);
	cr_assert_eq(gcs_model_check(model, &err), GCS_OK);
}

static void refuse_stream(const struct gcs_stream *stream, enum gcs_status status)
{
	struct gcs_space space = kit_spaces[KIT_MATRIX];
	space.streams = stream;
	refuse_space(&space, status);
}

ModelTest(refuses_bad_spaces)
{
	struct gcs_space space;
#define REFUSE(status, ...)                                                                        \
	space = kit_spaces[KIT_MATRIX];                                                            \
	__VA_ARGS__;                                                                               \
	refuse_space(&space, status)
	REFUSE(GCS_ARGUMENT, space.name = "");
	REFUSE(GCS_ARGUMENT, space.name = NULL);
	REFUSE(GCS_LIMIT, space.name = name_256);
	REFUSE(GCS_LIMIT, space.description = text_4096);
	REFUSE(GCS_LIMIT, space.tile_title = name_256);
	REFUSE(GCS_LIMIT, space.block_info = text_4096);
	REFUSE(GCS_LIMIT, space.unused_text = name_256);
	REFUSE(GCS_ARGUMENT, space.kind = GCS_SPACE_KIND_COUNT);
	REFUSE(GCS_ARGUMENT, space.columns = 0);
	REFUSE(GCS_ARGUMENT, space.columns = GCS_MAX_TILES + 1);
	REFUSE(GCS_ARGUMENT, space.kind = GCS_SPACE_LIST);
	REFUSE(GCS_ARGUMENT, space.group = 3);
	REFUSE(GCS_LIMIT, space.stream_count = 0);
	REFUSE(GCS_LIMIT, space.stream_count = GCS_MAX_STREAMS + 1);
	REFUSE(GCS_ARGUMENT, space.streams = NULL);
	REFUSE(GCS_ARGUMENT, space.default_stream = 1);
#undef REFUSE
}

ModelTest(refuses_bad_streams)
{
	static const char *const names[] = {"a", "", "c"};
	struct gcs_stream t;
#define REFUSE(status, ...)                                                                        \
	t = kit_spaces[KIT_HEAP].streams[KIT_STATE];                                               \
	__VA_ARGS__;                                                                               \
	refuse_stream(&t, status)
	REFUSE(GCS_ARGUMENT, t.name = NULL);
	REFUSE(GCS_LIMIT, t.name = name_256);
	REFUSE(GCS_LIMIT, t.description = text_4096);
	REFUSE(GCS_LIMIT, t.prefix = name_256);
	REFUSE(GCS_LIMIT, t.suffix = name_256);
	REFUSE(GCS_ARGUMENT, t.role = GCS_ROLE_COUNT);
	REFUSE(GCS_ARGUMENT, t.type = GCS_TYPE_COUNT);
	REFUSE(GCS_ARGUMENT, t.presentation = GCS_PRESENTATION_COUNT);
	REFUSE(GCS_ARGUMENT, t.maximum = GCS_MAXIMUM_COUNT);
	REFUSE(GCS_ARGUMENT, t.paint = GCS_PAINT_COUNT);
	REFUSE(GCS_ARGUMENT, t.format = GCS_FORMAT_COUNT);
	REFUSE(GCS_ARGUMENT, t.summary = GCS_SUMMARY_KIND_COUNT);
	REFUSE(GCS_ARGUMENT, t.min = 5);
	REFUSE(GCS_ARGUMENT, (t.maximum = GCS_MAX_OF_STREAM, t.max_stream = 1));
	REFUSE(GCS_LIMIT, t.enum_count = 0);
	REFUSE(GCS_LIMIT, t.enum_count = GCS_MAX_ENUM + 1);
	REFUSE(GCS_ARGUMENT, t.max = 5);
	REFUSE(GCS_ARGUMENT, (t.min = INT64_MIN, t.max = INT64_MAX));
	REFUSE(GCS_ARGUMENT, (t.enum_count = 3, t.max = 3, t.enum_names = names));
	REFUSE(GCS_ARGUMENT, t.presentation = GCS_PLAIN); /* counts names but has none */
#undef REFUSE
}

/* An error is a later stream of numbers. */
ModelTest(refuses_bad_error_streams)
{
	static const char *const names[] = {"a", "b"};
	struct gcs_stream streams[3] = {{.name = "first"}, {.name = "second"}, {.name = "third"}};
	struct gcs_space space = kit_spaces[KIT_MATRIX];
	space.streams = streams;
	space.stream_count = 3;
	for (uint32_t i = 0; i < 5; i++) {
		streams[1].error_stream = i;
		if (i == 0 || i == 2)
			cr_assert_eq(gcs_model_add_space(model, &space, NULL, &err), GCS_OK);
		else
			refuse_space(&space, GCS_ARGUMENT);
	}
	streams[1].error_stream = 2;
	streams[2] = (struct gcs_stream){.name = "third",
	    .presentation = GCS_ENUM,
	    .max = 1,
	    .enum_count = 2,
	    .enum_names = names};
	refuse_space(&space, GCS_ARGUMENT);
}

ModelTest(refuses_bad_events_and_groups)
{
	struct gcs_attribute attributes[GCS_MAX_ATTRIBUTES + 1];
	for (uint32_t i = 0; i <= GCS_MAX_ATTRIBUTES; i++)
		attributes[i] = (struct gcs_attribute){.name = "a"};
	struct gcs_event event = {.name = "E", .attribute_count = GCS_MAX_ATTRIBUTES + 1};
	event.attributes = attributes;
	cr_assert_eq(gcs_model_add_event(model, &event, NULL, &err), GCS_LIMIT);
	event.attribute_count = GCS_MAX_ATTRIBUTES;
	cr_assert_eq(gcs_model_add_event(model, &event, NULL, &err), GCS_OK);
	attributes[31].name = NULL;
	cr_assert_eq(gcs_model_add_event(model, &event, NULL, &err), GCS_ARGUMENT);
	attributes[31] = (struct gcs_attribute){.name = "a", .kind = GCS_ATTRIBUTE_KIND_COUNT};
	cr_assert_eq(gcs_model_add_event(model, &event, NULL, &err), GCS_ARGUMENT);
	attributes[31] = (struct gcs_attribute){.name = "a", .format = GCS_FORMAT_COUNT};
	cr_assert_eq(gcs_model_add_event(model, &event, NULL, &err), GCS_ARGUMENT);
	attributes[31] = (struct gcs_attribute){.name = "a", .kind = GCS_ATTRIBUTE_ENUM};
	cr_assert_eq(gcs_model_add_event(model, &event, NULL, &err), GCS_LIMIT);
	event = (struct gcs_event){.name = name_256};
	cr_assert_eq(gcs_model_add_event(model, &event, NULL, &err), GCS_LIMIT);
	event = (struct gcs_event){.name = "E", .description = text_4096};
	cr_assert_eq(gcs_model_add_event(model, &event, NULL, NULL), GCS_LIMIT);
	struct gcs_group group = {.name = "G", .parent = 3};
	cr_assert_eq(gcs_model_add_group(model, &group, NULL, &err), GCS_ARGUMENT);
	group = (struct gcs_group){.parent = GCS_NONE};
	cr_assert_eq(gcs_model_add_group(model, &group, NULL, &err), GCS_ARGUMENT);
	cr_assert_eq(model->event_count, KIT_EVENTS + 1);
	cr_assert_eq(model->group_count, 3);
}

Test(model_memory, every_failed_allocation_is_survived)
{
	kit_count_memory(0);
	for (size_t allowed = 0;; allowed++) {
		kit_fail_after(allowed);
		struct gcs_model *m = kit_model();
		struct gcs_model *copy = m == NULL ? NULL : gcs_model_copy(m);
		if (m != NULL) {
			(void)gcs_model_set_space(m, 0, &kit_spaces[1], NULL);
			(void)gcs_model_set_info(m, "Version", "2", NULL);
			cr_assert_eq(gcs_model_check(m, NULL), GCS_OK);
		}
		bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		cr_assert(failed || (m != NULL && copy != NULL));
		gcs_model_unref(copy);
		gcs_model_unref(m);
		cr_assert_eq(kit_live_blocks(), 0, "after %zu allocations", allowed);
		if (!failed)
			break;
	}
}
