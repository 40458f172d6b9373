/*
 * A program in sample-driven mode that forks (F12, F20). With GCS_FORK_OWN the child has a server of its
 * own at another address, whose client gets its updates; else it has none until it starts one. Either
 * way the parent's client notices nothing. Threads that touch, count and set the interval while the
 * program forks leave no lock behind in the child.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gcspy/client.h>
#include <gcspy/updates.h>

enum { TILES = 100, FORKS = 10 };

static struct gcs_server *server;
static struct gcs_updates *updates;
static struct gcs_tiles *tiles;
static struct gcs_event_counter *counter;
static atomic_int_least64_t truth[TILES];
static atomic_bool over;
static char line[400]; /* of the log, the last */
static int round_number;

#define CHECK(condition)                                                                           \
	((condition)                                                                               \
		? (void)0                                                                          \
		: (fprintf(stderr, "forks-own: line %d: %s\n", __LINE__, #condition), _exit(1)))

static void log_line(void *context, const char *text)
{
	(void)context;
	snprintf(line, sizeof line, "%s", text);
}

static void read_truth(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	(void)context, (void)stream;
	for (uint32_t i = 0; i < count; i++)
		values[i] = atomic_load_explicit(&truth[first + i], memory_order_relaxed);
}

static struct gcs_client *attach(const char *address)
{
	struct gcs_client *client = gcs_client_open(
	    &(struct gcs_client_options){.address = address, .name = "forks"}, NULL);
	CHECK(client != NULL && gcs_client_wait(client, 60000) == GCS_CLIENT_LIVE);
	return client;
}

/* Counts events until the client has one, with the tile that it touched. */
static void gets_updates(struct gcs_client *client, int64_t value)
{
	for (;;) {
		atomic_store(&truth[7], value);
		gcs_tiles_touch(tiles, 0, 7, 1);
		gcs_count_event(counter, 0, NULL);
		struct gcs_snapshot *s = gcs_client_next(client, 60000);
		CHECK(s != NULL);
		const int64_t *values = gcs_snapshot_values(s, 0, 0);
		const bool there = gcs_snapshot_occurrence(s)->event == 1 && values != NULL &&
				   values[7] == value && gcs_snapshot_counter(s, 0) != 0;
		gcs_snapshot_unref(s);
		if (there)
			return;
	}
}

static void end(void)
{
	gcs_event_counter_destroy(counter);
	gcs_updates_destroy(updates);
	gcs_server_destroy(server);
	gcs_tiles_destroy(tiles);
}

static void child_with_server(const char *parents_path)
{
	struct gcs_error err;
	char address[200];
	const int port = gcs_server_port(server);
	CHECK(port > 0);
	snprintf(address, sizeof address, "port %d", port);
	CHECK(strstr(line, "a server of its own") != NULL && strstr(line, address) != NULL);
	CHECK(gcs_server_start(server, &err) == GCS_STATE);
	CHECK(gcs_updates_start(updates, &err) == GCS_STATE);
	snprintf(address, sizeof address, "unix:%s.%ld", parents_path, (long)getpid());
	struct gcs_client *client = attach(address);
	gets_updates(client, getpid());
	gcs_client_close(client);
	snprintf(address, sizeof address, "%d", port);
	client = attach(address);
	gets_updates(client, 5);
	struct gcs_model *model = gcs_client_model(client);
	snprintf(address, sizeof address, "Forks, fork %ld", (long)getpid());
	CHECK(strcmp(model->server_name, address) == 0);
	gcs_model_unref(model);
	gcs_client_close(client);
	end();
	_exit(0);
}

static void child_without_server(const char *parents_path)
{
	struct gcs_error err;
	char address[200];
	(void)parents_path;
	CHECK(gcs_server_port(server) == -1);
	for (int i = 0; i < 1000; i++)
		gcs_count_event(counter, 0, NULL);
	CHECK(gcs_updates_set_interval(updates, 1));
	if (round_number % 2 == 0) {
		CHECK(gcs_server_start(server, &err) == GCS_OK);
		CHECK(gcs_updates_start(updates, &err) == GCS_OK);
		snprintf(address, sizeof address, "%d", gcs_server_port(server));
		struct gcs_client *client = attach(address);
		gets_updates(client, 6);
		gcs_client_close(client);
	}
	end();
	_exit(0);
}

/* What other threads do at the moment of fork. */
static void *busy(void *argument)
{
	(void)argument;
	struct gcs_event_counter *own = gcs_event_counter_create(updates);
	CHECK(own != NULL);
	for (uint32_t i = 0; !atomic_load(&over); i++) {
		gcs_tiles_touch(tiles, 0, i % TILES, 1);
		gcs_count_event(own, 0, NULL);
		if (i % 1000 == 0)
			CHECK(gcs_updates_set_interval(updates, 1));
	}
	gcs_event_counter_destroy(own);
	return NULL;
}

static void begin(enum gcs_fork fork, const char *path)
{
	static const uint32_t ids[] = {0};
	struct gcs_error err;
	struct gcs_stream stream = {.name = "Value", .max = INT64_MAX};
	const struct gcs_space space = {
	    .name = "S", .group = GCS_NONE, .stream_count = 1, .streams = &stream};
	const struct gcs_server_options options = {
	    .name = "Forks", .fork = fork, .socket_path = path, .log = log_line};
	const struct gcs_tiles_options heap = {
	    .streams = 1, .tiles = TILES, .lock_free = true, .read = read_truth};
	tiles = gcs_tiles_create(&heap, &err);
	server = gcs_server_create(&options, &err);
	CHECK(tiles != NULL && server != NULL);
	CHECK(gcs_server_add_event(server, &(struct gcs_event){.name = "E"}, NULL, &err) == GCS_OK);
	CHECK(gcs_server_add_space(server, &space, NULL, &err) == GCS_OK);
	updates = gcs_updates_create(server,
	    &(struct gcs_updates_options){.event_count = 1,
		.events = ids,
		.tiles_count = 1,
		.tiles = &tiles,
		.interval_ms = 1},
	    &err);
	CHECK(updates != NULL && gcs_server_start(server, &err) == GCS_OK);
	CHECK(gcs_updates_start(updates, &err) == GCS_OK);
	counter = gcs_event_counter_create(updates);
	CHECK(counter != NULL);
}

static void forks(const char *path, void (*child)(const char *))
{
	pthread_t thread;
	char address[100];
	if (path != NULL)
		snprintf(address, sizeof address, "unix:%s", path);
	else
		snprintf(address, sizeof address, "%d", gcs_server_port(server));
	struct gcs_client *client = attach(address);
	gets_updates(client, 1);
	atomic_store(&over, false);
	CHECK(pthread_create(&thread, NULL, busy, NULL) == 0);
	for (round_number = 0; round_number < FORKS; round_number++) {
		int status;
		const pid_t pid = fork();
		CHECK(pid != -1);
		if (pid == 0)
			child(path);
		CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
		CHECK(WEXITSTATUS(status) == 0);
		snprintf(address, sizeof address, "%s.%ld", path == NULL ? "" : path, (long)pid);
		CHECK(access(address, F_OK) != 0);
	}
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	CHECK(gcs_client_state(client) == GCS_CLIENT_LIVE);
	CHECK(path == NULL || access(path, F_OK) == 0);
	gets_updates(client, 2);
	gcs_client_close(client);
	end();
}

int main(void)
{
	struct gcs_error err;
	CHECK(
	    gcs_server_create(&(struct gcs_server_options){.name = "F", .fork = 2}, &err) == NULL);
	CHECK(strstr(err.text, "fork") != NULL);
	begin(GCS_FORK_OWN, "forks-own.sock");
	forks("forks-own.sock", child_with_server);
	begin(GCS_FORK_OFF, NULL);
	forks(NULL, child_without_server);
	return 0;
}
