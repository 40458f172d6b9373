/* Clients ask plugins (F18): the server checks the parameters before the target sees them. */
#include <criterion/criterion.h>

#include "query_suite.h"

static struct gcs_error err;

/* What the target was asked by the plugin: "depth=16 filter= …". */
static char given[400];

static void on_walk(void *context, const struct gcs_query *q)
{
	size_t length = 0;
	(void)context;
	for (uint32_t i = 0; i < q->count; i++)
		length += (size_t)snprintf(given + length, sizeof given - length, "%s%s=%s",
		    i == 0 ? "" : " ", q->parameters[i].key, q->parameters[i].value);
	answer(q->ticket, GCS_OK, q->topic, given);
}

static void setup_walk(void)
{
	begin(&(struct gcs_server_options){.query = on_walk});
	for (uint32_t i = 0; i < KIT_PLUGINS; i++)
		cr_assert_eq(
		    gcs_server_add_plugin(target.server, &kit_plugins[i], NULL, &err), GCS_OK);
}

#define PluginTest(name)                                                                           \
	Test(server_plugins, name, .init = setup_walk, .fini = teardown, .timeout = 60)

static uint32_t ask(struct gcs_client *c, uint32_t count, const struct gcs_info *parameters)
{
	uint32_t id = 0;
	cr_assert_eq(gcs_client_query(c, "walk-2", count, parameters, &id), GCS_OK);
	return id;
}

PluginTest(the_target_gets_all_parameters)
{
	struct gcs_client *c = join();
	const struct gcs_info two[] = {
	    {"length", "2k"}, {"address", "0x7f00"}, {"order", "down"}, {"space", "1"}};
	expect(c, ask(c, 2, two), GCS_OK, "walk-2",
	    "depth=16 filter= order=up space=0 tile=0 address=0x7f00 length=2048");
	expect(c, ask(c, 4, two), GCS_OK, "walk-2",
	    "depth=16 filter= order=down space=1 tile=0 address=0x7f00 length=2048");
	given[0] = '\0';
	expect(c, query(c, "status"), GCS_OK, "status", "");
	expect(c, query(c, "no-plugin"), GCS_OK, "no-plugin", "");
	gcs_client_close(c);
}

/* Each is answered in a line that says what is allowed, and the target never sees it. */
PluginTest(wrong_parameters_are_answered_by_the_library)
{
	static const struct {
		struct gcs_info with;
		const char *message;
	} cases[] = {
	    {{"depth", "3"}, "address: missing; where it begins"},
	    {{"address", "7f00"},
		"address: \"7f00\" is not an address; must be hexadecimal, as in 0x7f00"},
	    {{"depth", "few"},
		"depth: \"few\" is not a number; must be decimal, k, m or g may follow"},
	    {{"order", "sideways"}, "order: unknown value \"sideways\"; must be one of up, down"},
	    {{"space", "3"}, "space: there is no space 3"},
	    {{"Depth", "3"}, "unknown parameter \"Depth\"; available: depth, filter, order, "
			     "space, tile, address, length"},
	};
	struct gcs_client *c = join();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		expect(c, ask(c, 1, &cases[i].with), GCS_ARGUMENT, cases[i].message, "");
	const struct gcs_info twice[] = {{"address", "0x1"}, {"address", "0x2"}};
	expect(c, ask(c, 2, twice), GCS_ARGUMENT, "address: given twice", "");
	uint32_t id;
	cr_assert_eq(gcs_client_query(c, "status", 1, twice, &id), GCS_OK);
	expect(c, id, GCS_ARGUMENT, "unknown parameter \"address\"; status has none", "");
	cr_assert_eq(given[0], '\0');
	gcs_client_close(c);
}

static bool knows(struct gcs_client *c, const char *plugin)
{
	struct gcs_model *m = gcs_client_model(c);
	const bool known = m != NULL && gcs_model_find_plugin(m, plugin) != GCS_NONE;
	gcs_model_unref(m);
	return known;
}

/* A plugin may come while clients are there. */
PluginTest(clients_learn_of_a_new_one)
{
	struct gcs_client *c = join();
	const struct gcs_plugin late = {.name = "late", .title = "Late"};
	const struct gcs_parameter bad[] = {{.name = "depth", .initial = "few"}};
	const struct gcs_plugin wrong = {
	    .name = "wrong", .title = "Wrong", .parameter_count = 1, .parameters = bad};
	cr_assert(knows(c, "walk-2") && !knows(c, "late"));
	cr_assert_eq(gcs_server_add_plugin(target.server, &wrong, NULL, &err), GCS_ARGUMENT);
	cr_assert_eq(gcs_server_add_plugin(target.server, &late, NULL, &err), GCS_OK);
	kit_until(knows(c, "late"));
	cr_assert_not(knows(c, "wrong"));
	gcs_client_close(c);
}

/* Without queries, plugins that came with a recording's description are answered as any topic. */
Test(server_plugins, a_server_without_queries, .init = setup_without, .fini = teardown,
    .timeout = 60)
{
	cr_assert_eq(gcs_server_add_plugin(target.server, &kit_plugins[0], NULL, &err), GCS_OK);
	struct gcs_client *c = join();
	expect(c, query(c, "status"), GCS_UNSUPPORTED, "this server answers no queries", "");
	gcs_client_close(c);
}
