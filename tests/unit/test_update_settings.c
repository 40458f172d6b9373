/* The setting `update` (F12): every server with updates has it, also one whose target answers nothing. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <gcspy/client.h>
#include <gcspy/updates.h>

#include "kit.h"

static struct gcs_server *server;
static struct gcs_updates *updates;
static struct gcs_client *client;
static struct gcs_error err;

/* What the target answers to `settings`; NULL: it knows no topic. */
static const char *own;

static void on_query(void *context, const struct gcs_query *query)
{
	(void)context;
	if (own == NULL || strcmp(query->topic, "settings") != 0)
		gcs_server_answer(server, query->ticket, GCS_UNSUPPORTED, "unknown topic", NULL, 0);
	else
		gcs_server_answer(server, query->ticket, GCS_OK, "", own, strlen(own));
}

static void on_set(void *context, const struct gcs_setting *setting)
{
	(void)context;
	gcs_server_answer(server, setting->ticket, GCS_LIMIT, setting->key, NULL, 0);
}

static void begin(bool answers)
{
	static const uint32_t ids[] = {0};
	char address[32];
	const struct gcs_updates_options options = {
	    .event_count = 1, .events = ids, .interval_ms = 200};
	kit_count_memory(0);
	server = gcs_server_create(&(struct gcs_server_options){.name = "settings",
				       .query = answers ? on_query : NULL,
				       .set = answers ? on_set : NULL},
	    &err);
	cr_assert_eq(gcs_server_add_event(server, &(struct gcs_event){.name = "E"}, NULL, &err),
	    GCS_OK, "%s", err.text);
	updates = gcs_updates_create(server, &options, &err);
	cr_assert_not_null(updates, "%s", err.text);
	cr_assert_eq(gcs_server_start(server, &err), GCS_OK);
	cr_assert_eq(gcs_updates_start(updates, &err), GCS_OK);
	snprintf(address, sizeof address, "%d", gcs_server_port(server));
	client = gcs_client_open(&(struct gcs_client_options){.address = address}, &err);
	cr_assert_eq(gcs_client_wait(client, 60000), GCS_CLIENT_LIVE);
}

static void end(void)
{
	gcs_client_close(client);
	gcs_updates_destroy(updates);
	gcs_server_destroy(server);
	cr_assert_eq(kit_live_blocks(), 0);
}

static void expect(uint32_t id, enum gcs_status status, const char *bytes)
{
	struct gcs_answer *a = gcs_client_answer(client, id, 60000);
	cr_assert_not_null(a);
	cr_assert_eq(a->status, status, "%s", a->message);
	cr_assert_eq(a->length, strlen(bytes));
	cr_assert(a->length == 0 || memcmp(a->bytes, bytes, a->length) == 0, "%.*s", (int)a->length,
	    (const char *)a->bytes);
	gcs_answer_free(a);
}

static void expect_query(const char *topic, enum gcs_status status, const char *bytes)
{
	uint32_t id;
	cr_assert_eq(gcs_client_query(client, topic, 0, NULL, &id), GCS_OK);
	expect(id, status, bytes);
}

static void expect_set(const char *key, const char *value, enum gcs_status status)
{
	uint32_t id;
	cr_assert_eq(gcs_client_set(client, key, value, &id), GCS_OK);
	expect(id, status, "");
}

Test(update_settings, a_target_needs_no_code)
{
	begin(false);
	expect_query("settings", GCS_OK, "update=200\n");
	expect_set("update", "50ms", GCS_OK);
	expect_query("settings", GCS_OK, "update=50\n");
	expect_set("update", "50 s", GCS_ARGUMENT);
	expect_set("interval", "50", GCS_UNSUPPORTED);
	expect_query("sites", GCS_UNSUPPORTED, "");
	cr_assert_eq(gcs_updates_interval(updates), 50);
	/* Without updates the server has no settings any more. */
	gcs_updates_destroy(updates);
	updates = NULL;
	expect_query("settings", GCS_UNSUPPORTED, "");
	expect_set("update", "50", GCS_UNSUPPORTED);
	end();
}

Test(update_settings, the_targets_settings_are_there_too)
{
	begin(true);
	own = NULL;
	expect_query("settings", GCS_OK, "update=200\n");
	own = "";
	expect_query("settings", GCS_OK, "update=200\n");
	own = "interval=1\nno-update=3\n";
	expect_query("settings", GCS_OK, "interval=1\nno-update=3\nupdate=200\n");
	own = "update=7\n";
	expect_query("settings", GCS_OK, "update=7\n");
	own = "a=1\nupdate=7\n";
	expect_query("settings", GCS_OK, "a=1\nupdate=7\n");
	expect_query("sites", GCS_UNSUPPORTED, "");
	expect_set("interval", "1", GCS_LIMIT);
	expect_set("update", "8", GCS_OK);
	cr_assert_eq(gcs_updates_interval(updates), 8);
	end();
}

/* A client that attaches has the state at once, not after an interval. */
Test(update_settings, a_client_has_the_state_at_once)
{
	begin(false);
	cr_assert(gcs_updates_set_interval(updates, GCS_MAX_UPDATE_MS));
	struct gcs_snapshot *s = gcs_client_next(client, 30000);
	cr_assert_not_null(s);
	gcs_snapshot_unref(s);
	end();
}
