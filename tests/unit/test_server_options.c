/* What a server is created with: who may come, how many, where it listens (F8, Q1). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target_suite.h"

/* Q1: who listens to more than this machine needs a token. */
Test(server_options, bad_ones_are_refused)
{
	char name[GCS_MAX_NAME + 2], token[300];
	struct gcs_error err;
	memset(name, 'n', sizeof name - 1);
	memset(token, 't', sizeof token - 1);
	name[sizeof name - 1] = token[sizeof token - 1] = '\0';
	const struct gcs_server_options bad[] = {
	    {.name = NULL},
	    {.name = name},
	    {.name = "s", .port = -2},
	    {.name = "s", .port = 65536},
	    {.name = "s", .max_clients = GCS_MAX_CLIENTS + 1},
	    {.name = "s", .keep_alive_ms = 3600001},
	    {.name = "s", .token = ""},
	    {.name = "s", .token = token},
	    {.name = "s", .host = "0.0.0.0"},
	    {.name = "s", .host = "::"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		err.text[0] = '\0';
		cr_assert_null(gcs_server_create(&bad[i], &err), "case %zu", i);
		cr_assert_eq(err.status, GCS_ARGUMENT);
		cr_assert_gt(strlen(err.text), 10);
		cr_assert_null(gcs_server_create(&bad[i], NULL));
	}
	struct gcs_server *s = gcs_server_create(
	    &(struct gcs_server_options){.name = "s", .host = "0.0.0.0", .token = "t"}, &err);
	cr_assert_not_null(s, "%s", err.text);
	cr_assert_eq(gcs_server_start(s, &err), GCS_OK);
	gcs_server_destroy(s);
	gcs_server_destroy(NULL);
}

Test(server_options, a_token_is_checked)
{
	static const char *const wrong[] = {NULL, "", "secre", "secret2", "Secret", "secretsecret"};
	cr_assert(target_init(&target, &(struct gcs_server_options){.token = "secret"}));
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		cr_assert_null(
		    target_client(&target, &(struct gcs_client_options){.token = wrong[i]}));
		cr_assert_eq(target.err.status, GCS_DENIED, "%s", target.err.text);
		cr_assert_null(strstr(target.err.text, "secret"), "no secret in messages");
	}
	struct gcs_client *c =
	    target_client(&target, &(struct gcs_client_options){.token = "secret"});
	cr_assert_not_null(c, "%s", target.err.text);
	cr_assert_null(strstr(target.line, "secret"), "no secret in logs");
	gcs_client_close(c);
	target_fini(&target);
}

Test(server_options, no_more_clients_than_allowed)
{
	cr_assert(target_init(&target, &(struct gcs_server_options){.max_clients = 2}));
	struct gcs_client *a = join(&plain), *b = join(&plain);
	cr_assert_null(target_client(&target, &plain));
	cr_assert_eq(target.err.status, GCS_REJECTED);
	kit_until(target_stats(&target).clients_rejected == 1);
	gcs_client_close(a);
	kit_until(target_stats(&target).clients == 1);
	gcs_client_close(join(&plain));
	gcs_client_close(b);
	target_fini(&target);
}

Test(server_options, more_connections_than_places)
{
	int fds[GCS_MAX_CLIENTS + 4];
	cr_assert(target_init(&target, &(struct gcs_server_options){.max_clients = 32}));
	for (unsigned i = 0; i < GCS_MAX_CLIENTS; i++)
		fds[i] = raw_client("");
	kit_until(target_stats(&target).clients == GCS_MAX_CLIENTS);
	for (unsigned i = GCS_MAX_CLIENTS; i < GCS_MAX_CLIENTS + 4; i++) {
		fds[i] = raw_client("");
		kit_until(closed_by_server(fds[i]));
	}
	cr_assert_eq(target_stats(&target).clients_rejected, 4);
	kit_until(wants(KIT_TICK, UINT32_MAX));
	for (unsigned i = 0; i < GCS_MAX_CLIENTS + 4; i++)
		net_close(fds[i]);
	kit_until(target_stats(&target).clients == 0);
	target_fini(&target);
}

Test(server_options, ports_are_taken_and_given_back)
{
	struct gcs_error err;
	struct gcs_server_options options = {.name = "first"};
	struct gcs_server *first = gcs_server_create(&options, &err);
	cr_assert_eq(gcs_server_port(first), -1);
	cr_assert_eq(gcs_server_listen(first, &err), GCS_OK);
	options.port = gcs_server_port(first);
	cr_assert_gt(options.port, 0);
	cr_assert_eq(gcs_server_listen(first, &err), GCS_STATE);
	struct gcs_server *second = gcs_server_create(&options, &err);
	cr_assert_eq(gcs_server_start(second, &err), GCS_IO);
	cr_assert_eq(err.status, GCS_IO);
	cr_assert_eq(gcs_server_start(second, NULL), GCS_IO);
	cr_assert_eq(gcs_server_start(first, &err), GCS_OK);
	cr_assert_eq(gcs_server_start(first, &err), GCS_STATE);
	gcs_server_stop(first);
	gcs_server_stop(first);
	cr_assert_eq(gcs_server_port(first), -1);
	cr_assert_eq(gcs_server_start(second, &err), GCS_OK, "%s", err.text);
	gcs_server_stop(second);
	cr_assert_eq(gcs_server_start(second, &err), GCS_OK, "a server may start again");
	gcs_server_destroy(first);
	gcs_server_destroy(second);
}

Test(server_options, a_unix_socket_serves_alone)
{
	char folder[] = "/tmp/gcspy-server-XXXXXX", path[64], address[80];
	struct stat st;
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/socket", folder);
	snprintf(address, sizeof address, "unix:%s", path);
	cr_assert(
	    target_init(&target, &(struct gcs_server_options){.port = -1, .socket_path = path}));
	cr_assert_eq(gcs_server_port(target.server), -1);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0600);
	struct gcs_client *c = join(&(struct gcs_client_options){.address = address});
	kit_until(wants(KIT_TICK, 1));
	target_event(&target, KIT_TICK, 0);
	(void)next_sequence(c);
	gcs_client_close(c);
	target_fini(&target);
	cr_assert_neq(stat(path, &st), 0, "the socket file goes with the server");
	cr_assert_eq(rmdir(folder), 0);
}

/* Without a look callback a new client gets the newest state that is known. */
Test(server_options, a_late_client_sees_the_present)
{
	struct gcs_error err;
	struct gcs_server_options options = {.name = "no look"};
	target = (struct target){.server = gcs_server_create(&options, &err), .random = 5};
	gcs_server_add_event(target.server, &kit_events[0], NULL, NULL);
	for (uint32_t i = 0; i < 3; i++)
		gcs_server_add_group(target.server, &kit_groups[i], NULL, NULL);
	gcs_server_add_space(target.server, &kit_spaces[0], NULL, NULL);
	cr_assert_eq(gcs_server_start(target.server, &err), GCS_OK);
	snprintf(target.address, sizeof target.address, "%d", gcs_server_port(target.server));
	struct gcs_client *a = join(&plain);
	kit_until(wants(0, 1));
	target_event(&target, 0, 77);
	struct gcs_snapshot *x = gcs_client_next(a, 10000);
	struct gcs_client *b = join(&plain);
	struct gcs_snapshot *y = gcs_client_next(b, 10000);
	cr_assert_not_null(y);
	cr_assert_null(kit_difference(x, y, UINT64_MAX));
	cr_assert_eq(gcs_snapshot_tiles(y, 0), 77);
	gcs_snapshot_unref(x);
	gcs_snapshot_unref(y);
	gcs_client_close(a);
	gcs_client_close(b);
	gcs_server_destroy(target.server);
}

Test(server_options, two_streams_of_one_name_are_refused)
{
	struct gcs_error err;
	struct gcs_stream streams[2] = {kit_spaces[0].streams[0], kit_spaces[0].streams[0]};
	struct gcs_space space = kit_spaces[0];
	space.group = GCS_NONE;
	space.streams = streams;
	space.stream_count = 2;
	struct gcs_server *server =
	    gcs_server_create(&(struct gcs_server_options){.name = "names"}, &err);
	cr_assert_not_null(server);
	cr_assert_eq(gcs_server_add_space(server, &space, NULL, &err), GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, streams[0].name), "%s", err.text);
	space.stream_count = 1;
	cr_assert_eq(gcs_server_add_space(server, &space, NULL, &err), GCS_OK, "%s", err.text);
	space.stream_count = 2;
	cr_assert_eq(gcs_server_set_space(server, 0, &space, &err), GCS_ARGUMENT);
	gcs_server_destroy(server);
}
