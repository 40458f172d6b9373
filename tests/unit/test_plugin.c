/* Plugins (F18): their descriptions, the values of parameters, and the bodies of answers. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "kit.h"
#include "model_internal.h"

static struct gcs_model *model;
static struct gcs_error err;

static void setup(void)
{
	kit_count_memory(0);
	model = kit_model();
}

static void teardown(void)
{
	gcs_model_unref(model);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define PluginTest(name) Test(plugin, name, .init = setup, .fini = teardown)

PluginTest(is_a_copy_and_is_found)
{
	char name[] = "later";
	const uint64_t before = model_plugins_edition(model);
	uint32_t id;
	struct gcs_plugin plugin = {.name = name, .title = "Later"};
	cr_assert_eq(gcs_model_add_plugin(model, &plugin, &id, &err), GCS_OK);
	name[0] = 'x';
	cr_assert_eq(id, KIT_PLUGINS);
	cr_assert_eq(gcs_model_find_plugin(model, "later"), id);
	cr_assert_eq(gcs_model_find_plugin(model, "Later"), GCS_NONE);
	cr_assert_str_eq(model->plugins[id].description, "");
	cr_assert_gt(model_plugins_edition(model), before);
	struct gcs_model *copy = gcs_model_copy(model);
	cr_assert_null(kit_model_difference(model, copy));
	cr_assert_eq(model_plugins_edition(copy), model_plugins_edition(model));
	cr_assert_eq(model_replace_plugins(copy, 1, kit_plugins, &err), GCS_OK);
	cr_assert_eq(copy->plugin_count, 1);
	cr_assert_neq(model_plugins_edition(copy), model_plugins_edition(model));
	cr_assert_eq(model->plugin_count, KIT_PLUGINS + 1);
	gcs_model_unref(copy);
}

static void expect_rejected(
    const struct gcs_plugin *plugin, enum gcs_status status, const char *why)
{
	cr_assert_eq(gcs_model_add_plugin(model, plugin, NULL, &err), status, "%s", err.text);
	cr_assert_not_null(strstr(err.text, why), "\"%s\" in \"%s\"", why, err.text);
	cr_assert_eq(model->plugin_count, KIT_PLUGINS);
}

PluginTest(what_is_wrong_with_a_description)
{
	const struct gcs_parameter twice[] = {{.name = "a"}, {.name = "b"}, {.name = "a"}};
	const struct gcs_parameter nameless[] = {{.name = ""}};
	const struct gcs_parameter strange[] = {{.name = "a", .kind = GCS_PARAMETER_KIND_COUNT}};
	const struct gcs_parameter empty[] = {{.name = "a", .kind = GCS_PARAMETER_ENUM}};
	const struct gcs_parameter future[] = {{.name = "a", .reserved = {1}}};
	struct gcs_plugin p = {.name = "p", .title = "P", .parameter_count = 1};
	expect_rejected(&(struct gcs_plugin){.title = "P"}, GCS_ARGUMENT, "name");
	expect_rejected(&(struct gcs_plugin){.name = "p"}, GCS_ARGUMENT, "title");
	expect_rejected(&(struct gcs_plugin){.name = "a b", .title = "P"}, GCS_ARGUMENT, "hyphens");
	expect_rejected(&(struct gcs_plugin){.name = "p", .title = "P", .kind = 7}, GCS_ARGUMENT,
	    "unknown kind");
	expect_rejected(
	    &(struct gcs_plugin){.name = "p", .title = "P", .reserved = {0, 1}}, GCS_ARGUMENT, "p");
	expect_rejected(&kit_plugins[0], GCS_ARGUMENT, "already");
	p.parameters = nameless;
	expect_rejected(&p, GCS_ARGUMENT, "a parameter's name");
	p.parameters = strange;
	expect_rejected(&p, GCS_ARGUMENT, "unknown kind");
	p.parameters = empty;
	expect_rejected(&p, GCS_LIMIT, "0 names");
	p.parameters = future;
	expect_rejected(&p, GCS_ARGUMENT, "a");
	p.parameters = twice;
	p.parameter_count = 3;
	expect_rejected(&p, GCS_ARGUMENT, "two parameters \"a\"");
	p.parameter_count = GCS_MAX_PARAMETERS + 1;
	expect_rejected(&p, GCS_LIMIT, "65 parameters");
}

/* All descriptions fit in one message. */
PluginTest(the_texts_have_a_limit)
{
	static char text[GCS_MAX_TEXT + 1];
	static char names[GCS_MAX_PARAMETERS][8];
	struct gcs_parameter parameters[GCS_MAX_PARAMETERS] = {0};
	memset(text, 't', GCS_MAX_TEXT);
	for (uint32_t i = 0; i < GCS_MAX_PARAMETERS; i++) {
		snprintf(names[i], sizeof names[i], "p%u", i);
		parameters[i] = (struct gcs_parameter){.name = names[i], .description = text};
	}
	struct gcs_plugin p = {
	    .name = "p", .title = "P", .parameter_count = 32, .parameters = parameters};
	expect_rejected(&p, GCS_LIMIT, "the limit is 131072");
	p.parameter_count = 31;
	cr_assert_eq(gcs_model_add_plugin(model, &p, NULL, &err), GCS_OK, "%s", err.text);
	char name[16];
	for (uint32_t i = model->plugin_count; i < GCS_MAX_PLUGINS; i++) {
		snprintf(name, sizeof name, "p-%u", i);
		p.name = name;
		cr_assert_eq(gcs_model_add_plugin(model, &p, NULL, &err), GCS_OK);
	}
	p.name = "over";
	cr_assert_eq(gcs_model_add_plugin(model, &p, NULL, &err), GCS_LIMIT);
	cr_assert_eq(gcs_model_check(model, &err), GCS_OK, "%s", err.text);
}

PluginTest(survives_lack_of_memory)
{
	bool done = false;
	for (size_t count = 0; !done; count++) {
		struct gcs_model *m = kit_model();
		struct gcs_plugin plugin = kit_plugins[KIT_WALK_PLUGIN];
		plugin.name = "another";
		kit_fail_after(count);
		done = gcs_model_add_plugin(m, &plugin, NULL, &err) == GCS_OK;
		kit_fail_after(SIZE_MAX);
		cr_assert(done || err.status == GCS_NOMEM);
		cr_assert_eq(m->plugin_count, KIT_PLUGINS + done);
		cr_assert_eq(gcs_model_check(m, &err), GCS_OK);
		gcs_model_unref(m);
	}
}

PluginTest(values_of_parameters)
{
	static const struct {
		uint32_t parameter;
		const char *value;
		const char *plain; /* NULL: rejected */
	} cases[] = {
	    {KIT_WALK_DEPTH, "16", "16"},
	    {KIT_WALK_DEPTH, "64k", "65536"},
	    {KIT_WALK_DEPTH, "18446744073709551615", "18446744073709551615"},
	    {KIT_WALK_DEPTH, "18446744073709551616", NULL},
	    {KIT_WALK_DEPTH, "-1", NULL},
	    {KIT_WALK_DEPTH, "", NULL},
	    {KIT_WALK_DEPTH, "0x10", NULL},
	    {KIT_WALK_FILTER, "any text", ""},
	    {KIT_WALK_FILTER, "", ""},
	    {KIT_WALK_ORDER, "down", ""},
	    {KIT_WALK_ORDER, "Down", NULL},
	    {KIT_WALK_SPACE, "3", "3"},
	    {KIT_WALK_SPACE, "3k", NULL},
	    {KIT_WALK_TILE, "4194303", "4194303"},
	    {KIT_WALK_TILE, "first", NULL},
	    {KIT_WALK_ADDRESS, "0x7f00", ""},
	    {KIT_WALK_ADDRESS, "0xFFFFFFFFffffffff", ""},
	    {KIT_WALK_ADDRESS, "0x10000000000000000", NULL},
	    {KIT_WALK_ADDRESS, "0x", NULL},
	    {KIT_WALK_ADDRESS, "7f00", NULL},
	    {KIT_WALK_ADDRESS, "0x7g", NULL},
	    {KIT_WALK_LENGTH, "1g", "1073741824"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct gcs_parameter *p =
		    &kit_plugins[KIT_WALK_PLUGIN].parameters[cases[i].parameter];
		char plain[24] = "?";
		const enum gcs_status s = model_check_value(p, cases[i].value, plain, &err);
		cr_assert_eq(s == GCS_OK, cases[i].plain != NULL, "%s", cases[i].value);
		if (s == GCS_OK)
			cr_assert_str_eq(plain, cases[i].plain);
		else
			cr_assert_not_null(strstr(err.text, p->name), "%s", err.text);
	}
}

/* Answers. */

static const struct gcs_column columns[] = {
    {.name = "Frame", .kind = GCS_COLUMN_TEXT},
    {.name = "Bytes", .kind = GCS_COLUMN_NUMBER, .format = GCS_BYTES},
};

static const struct gcs_cell cells[] = {{.text = "main"}, {.number = INT64_MAX}, {.text = NULL},
    {.absent = true}, {.text = "inner"}, {.number = -5}};

static const uint32_t depths[] = {0, 1, 2};

static struct gcs_table table_of(const uint32_t *of)
{
	return (struct gcs_table){.title = "main, 3 frames",
	    .column_count = 2,
	    .columns = columns,
	    .row_count = 3,
	    .cells = cells,
	    .depths = of};
}

static void expect_table(const struct gcs_table *t, bool tree)
{
	cr_assert_str_eq(t->title, "main, 3 frames");
	cr_assert(t->column_count == 2 && t->row_count == 3);
	for (uint32_t i = 0; i < 2; i++) {
		cr_assert_str_eq(t->columns[i].name, columns[i].name);
		cr_assert(t->columns[i].kind == columns[i].kind &&
			  t->columns[i].format == columns[i].format);
	}
	for (uint32_t i = 0; i < 6; i++) {
		cr_assert_str_eq(t->cells[i].text, cells[i].text == NULL ? "" : cells[i].text);
		cr_assert(
		    t->cells[i].absent == cells[i].absent && t->cells[i].number == cells[i].number);
	}
	cr_assert_eq(t->depths != NULL, tree);
	for (uint32_t i = 0; tree && i < 3; i++)
		cr_assert_eq(t->depths[i], depths[i]);
}

PluginTest(tables_and_trees)
{
	for (unsigned tree = 0; tree < 2; tree++) {
		const struct gcs_table table = table_of(tree ? depths : NULL);
		void *bytes;
		size_t length;
		cr_assert_eq(gcs_table_encode(&table, &bytes, &length, &err), GCS_OK);
		struct gcs_table *back = gcs_table_decode(bytes, length, &err);
		cr_assert_not_null(back, "%s", err.text);
		expect_table(back, tree != 0);
		gcs_plugin_free(back);
		for (size_t part = 0; part < length; part++) {
			cr_assert_null(gcs_table_decode(bytes, part, &err));
			cr_assert_eq(err.status, GCS_MALFORMED);
		}
		cr_assert_null(gcs_memory_decode(bytes, length, &err));
		gcs_plugin_free(bytes);
	}
	const struct gcs_table none = {.column_count = 1, .columns = columns};
	void *bytes;
	size_t length;
	cr_assert_eq(gcs_table_encode(&none, &bytes, &length, &err), GCS_OK);
	struct gcs_table *back = gcs_table_decode(bytes, length, &err);
	cr_assert(back != NULL && back->row_count == 0 && back->title[0] == '\0');
	gcs_plugin_free(back);
	gcs_plugin_free(bytes);
}

PluginTest(tables_that_cannot_be_sent)
{
	static char text[GCS_MAX_TEXT + 2];
	static const uint32_t jumps[] = {0, 2, 0}, starts[] = {1, 1, 1};
	const struct gcs_column bad[] = {{.name = "a", .kind = GCS_COLUMN_KIND_COUNT}};
	void *bytes;
	size_t length;
	memset(text, 't', GCS_MAX_TEXT + 1);
	struct gcs_table tables[8];
	for (unsigned i = 0; i < 8; i++)
		tables[i] = table_of(NULL);
	tables[0].column_count = 0;
	tables[1].column_count = GCS_MAX_COLUMNS + 1;
	tables[2].row_count = GCS_MAX_ROWS + 1;
	tables[3].title = text;
	tables[4].columns = bad;
	tables[4].column_count = 1;
	tables[5].depths = jumps;
	tables[6].depths = starts;
	const struct gcs_cell long_cell[] = {{.text = text}, {.absent = true}};
	tables[7].cells = long_cell;
	tables[7].row_count = 1;
	for (unsigned i = 0; i < 8; i++) {
		err.text[0] = '\0';
		cr_assert_eq(
		    gcs_table_encode(&tables[i], &bytes, &length, &err), GCS_ARGUMENT, "%u", i);
		cr_assert_neq(err.text[0], '\0');
	}
}

static const unsigned char some[16] = "0123456789abcde";
static const struct gcs_mark marks[] = {
    {.start = 0, .length = 16, .text = "java.lang.String"},
    {.start = 0, .length = 8, .text = "header"},
    {.start = 15, .length = 1},
};

PluginTest(memory_with_marks)
{
	const struct gcs_memory m = {.title = "16 bytes",
	    .address = UINT64_MAX - 15,
	    .length = sizeof some,
	    .bytes = some,
	    .mark_count = 3,
	    .marks = marks};
	void *bytes;
	size_t length;
	cr_assert_eq(gcs_memory_encode(&m, &bytes, &length, &err), GCS_OK, "%s", err.text);
	struct gcs_memory *back = gcs_memory_decode(bytes, length, &err);
	cr_assert_not_null(back, "%s", err.text);
	cr_assert_str_eq(back->title, m.title);
	cr_assert(back->address == m.address && back->length == sizeof some);
	cr_assert_arr_eq(back->bytes, some, sizeof some);
	cr_assert_eq(back->mark_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		cr_assert(back->marks[i].start == marks[i].start &&
			  back->marks[i].length == marks[i].length);
		cr_assert_str_eq(back->marks[i].text, marks[i].text == NULL ? "" : marks[i].text);
	}
	gcs_plugin_free(back);
	for (size_t part = 0; part < length; part++) {
		cr_assert_null(gcs_memory_decode(bytes, part, &err));
		cr_assert_eq(err.status, GCS_MALFORMED);
	}
	gcs_plugin_free(bytes);
}

PluginTest(memory_that_cannot_be_sent)
{
	const struct gcs_mark bad[][2] = {
	    {{.start = 8, .length = 1}, {.start = 7, .length = 1}},
	    {{.start = 8, .length = 0}, {.start = 9, .length = 1}},
	    {{.start = 8, .length = 9}, {.start = 9, .length = 1}},
	    {{.start = 17, .length = UINT64_MAX}, {.start = 18, .length = 1}},
	};
	struct gcs_memory m = {.length = sizeof some, .bytes = some, .mark_count = 2};
	void *bytes;
	size_t length;
	for (unsigned i = 0; i < 4; i++) {
		m.marks = bad[i];
		cr_assert_eq(gcs_memory_encode(&m, &bytes, &length, &err), GCS_ARGUMENT);
	}
	m.mark_count = 0;
	m.length = GCS_MAX_MEMORY + 1;
	cr_assert_eq(gcs_memory_encode(&m, &bytes, &length, &err), GCS_ARGUMENT);
}

PluginTest(answers_without_memory)
{
	const struct gcs_table table = table_of(depths);
	void *bytes;
	size_t length;
	kit_fail_after(0);
	cr_assert_eq(gcs_table_encode(&table, &bytes, &length, &err), GCS_NOMEM);
	kit_fail_after(SIZE_MAX);
	cr_assert_eq(gcs_table_encode(&table, &bytes, &length, &err), GCS_OK);
	kit_fail_after(0);
	cr_assert_null(gcs_table_decode(bytes, length, &err));
	cr_assert_eq(err.status, GCS_NOMEM);
	kit_fail_after(SIZE_MAX);
	gcs_plugin_free(bytes);
}
