/*
 * A program with an attached client that forks (F20): the child has no server and waits at no event,
 * even while the client pauses the program; it may start a server of its own; the parent's client
 * notices nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gcspy/client.h>
#include <gcspy/server.h>

static struct gcs_server *server;

#define CHECK(condition)                                                                           \
	((condition) ? (void)0                                                                     \
		     : (fprintf(stderr, "forks: line %d: %s\n", __LINE__, #condition), _exit(1)))

/* True if a client wanted it. */
static bool event(void)
{
	struct gcs_ticket ticket;
	bool wanted = gcs_server_enter(server, 0, &ticket);
	if (wanted) {
		struct gcs_snapshot *s = gcs_server_begin(server, &ticket);
		CHECK(s != NULL && gcs_snapshot_resize(s, 0, 8));
		gcs_server_publish(server, &ticket, s);
	}
	gcs_server_leave(server, &ticket);
	return wanted;
}

static struct gcs_client *attach(void)
{
	char address[32];
	snprintf(address, sizeof address, "127.0.0.1:%d", gcs_server_port(server));
	struct gcs_client *client = gcs_client_open(
	    &(struct gcs_client_options){.address = address, .name = "forks"}, NULL);
	CHECK(client != NULL && gcs_client_wait(client, 60000) == GCS_CLIENT_LIVE);
	while (!gcs_server_wants(server, 0))
		usleep(1000);
	return client;
}

static void gets_event(struct gcs_client *client)
{
	CHECK(event());
	struct gcs_snapshot *s = gcs_client_next(client, 60000);
	CHECK(s != NULL && gcs_snapshot_tiles(s, 0) == 8);
	gcs_snapshot_unref(s);
}

/* In the child: nothing waits, and a new server works beside the parent's. */
static void child(int parents_port)
{
	struct gcs_error err;
	for (int i = 0; i < 1000; i++)
		CHECK(!event());
	CHECK(!gcs_server_attached(server) && gcs_server_port(server) == -1);
	CHECK(gcs_server_set_info(server, "who", "the child", &err) == GCS_OK);
	CHECK(gcs_server_start(server, &err) == GCS_OK);
	CHECK(gcs_server_port(server) > 0 && gcs_server_port(server) != parents_port);
	struct gcs_client *client = attach();
	gets_event(client);
	gcs_client_close(client);
	gcs_server_destroy(server);
	_exit(0);
}

static void forked(void (*run)(int))
{
	int status;
	pid_t pid = fork();
	CHECK(pid != -1);
	if (pid == 0)
		run(gcs_server_port(server) == -1 ? 0 : gcs_server_port(server));
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A child that ends at once, with the handlers of exit. */
static void ends(int parents_port)
{
	(void)parents_port;
	exit(0);
}

/* A child that destroys what it has inherited. */
static void destroys(int parents_port)
{
	(void)parents_port;
	gcs_server_destroy(server);
	_exit(0);
}

int main(void)
{
	struct gcs_error err;
	struct gcs_event e = {.name = "Event"};
	struct gcs_stream stream = {.name = "Value", .max = 1};
	struct gcs_space space = {
	    .name = "S", .group = GCS_NONE, .stream_count = 1, .streams = &stream};
	server = gcs_server_create(&(struct gcs_server_options){.name = "Forks"}, &err);
	CHECK(server != NULL && gcs_server_add_event(server, &e, NULL, &err) == GCS_OK &&
	      gcs_server_add_space(server, &space, NULL, &err) == GCS_OK &&
	      gcs_server_start(server, &err) == GCS_OK);
	struct gcs_client *client = attach();
	int port = gcs_server_port(server);
	gets_event(client);

	/* The client pauses the program, which only the parent will notice. */
	bool own = false;
	CHECK(gcs_client_pause(client) == GCS_OK);
	while (gcs_client_run_state(client, &own, NULL) == GCS_RUNNING || !own)
		usleep(1000);
	forked(child);
	forked(ends);
	forked(destroys);
	CHECK(gcs_client_resume(client, false) == GCS_OK);
	while (gcs_client_run_state(client, &own, NULL) != GCS_RUNNING)
		usleep(1000);

	CHECK(gcs_client_state(client) == GCS_CLIENT_LIVE && gcs_server_port(server) == port);
	gets_event(client);
	struct gcs_server_stats stats;
	gcs_server_stats(server, &stats);
	CHECK(stats.clients == 1 && stats.clients_ever == 1);
	gcs_client_close(client);
	gcs_server_destroy(server);
	return 0;
}
