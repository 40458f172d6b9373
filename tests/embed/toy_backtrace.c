/*
 * A target that shows where it was (F17, F18): a trigger on large allocations asks its plugin
 * `backtrace` at the event, which allocates nothing there, and clients ask it for the last stack with
 * the names of functions. It is its own client and checks what it sees.
 *
 *	toy-backtrace
 *
 * Ends with 1 after naming what is wrong.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gcspy/backtrace.h>
#include <gcspy/client.h>
#include <gcspy/server.h>

extern void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes);
void *toy_allocate(size_t bytes);
void *toy_inner(size_t bytes);
void *toy_outer(size_t bytes);

/* Of this thread, while it takes and writes a backtrace at an event. */
static _Thread_local bool at_event;
static atomic_uint allocated_at_event;

void *malloc(size_t bytes)
{
	if (at_event)
		atomic_fetch_add(&allocated_at_event, 1);
	return __libc_malloc(bytes);
}

static struct gcs_server *server;
static uint32_t event;
static struct gcs_backtrace
    newest; /* of the last allocation; this thread's but for queries, when it rests */

static int failed(const char *what)
{
	fprintf(stderr, "toy-backtrace: %s\n", what);
	return 1;
}

static void on_query(void *context, const struct gcs_query *query)
{
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_error err = {.text = ""};
	(void)context;
	const enum gcs_status status = gcs_backtrace_encode(&newest, &bytes, &length, &err);
	gcs_server_answer(server, query->ticket, status, err.text, bytes, length);
	gcs_plugin_free(bytes);
}

static enum gcs_status at_an_event(void *context, const struct gcs_ticket *ticket,
    const char *plugin, void *buffer, size_t *length)
{
	(void)context, (void)ticket, (void)plugin;
	return gcs_backtrace_write(&newest, buffer, length);
}

/* The target's event. */
static void note(size_t bytes)
{
	struct gcs_ticket ticket;
	bool wanted = gcs_server_enter(server, event, &ticket);
	at_event = true;
	if (gcs_server_triggered(server, event)) {
		const int64_t numbers[] = {(int64_t)bytes};
		const struct gcs_values values = {.known = 1, .numbers = numbers};
		gcs_backtrace_take(&newest);
		wanted = gcs_server_check(server, &ticket, &values);
	}
	at_event = false;
	struct gcs_snapshot *snapshot = wanted ? gcs_server_begin(server, &ticket) : NULL;
	if (snapshot != NULL) {
		gcs_snapshot_set_number(snapshot, 0, (int64_t)bytes);
		gcs_server_publish(server, &ticket, snapshot);
	} else if (wanted) {
		gcs_server_miss(server, &ticket);
	}
	gcs_server_leave(server, &ticket);
}

__attribute__((noinline)) void *toy_allocate(size_t bytes)
{
	note(bytes);
	return malloc(bytes);
}

__attribute__((noinline)) void *toy_inner(size_t bytes)
{
	char *block = toy_allocate(bytes);
	block[0] = 1; /* no tail call */
	return block;
}

/* It has no symbol, as the program is stripped, and is not the function before it. */
__attribute__((noinline)) static void *toy_nameless(size_t bytes)
{
	char *block = toy_inner(bytes);
	block[2] = 3;
	return block;
}

__attribute__((noinline)) void *toy_outer(size_t bytes)
{
	char *block = toy_nameless(bytes);
	block[1] = 2;
	return block;
}

static bool start(struct gcs_error *err)
{
	static const struct gcs_attribute size = {.name = "Size", .format = GCS_BYTES};
	const struct gcs_plugin plugin = {.name = "backtrace",
	    .title = "Backtrace",
	    .description = "Where the last large allocation was",
	    .kind = GCS_PLUGIN_TABLE};
	const struct gcs_trigger large = {.name = "large",
	    .condition = "event = Allocation and Size >= 64k",
	    .actions = GCS_TRIGGER_KEEP,
	    .plugin = "backtrace"};
	const struct gcs_server_options options = {
	    .name = "Toy backtrace", .query = on_query, .plugin_at_event = at_an_event};
	server = gcs_server_create(&options, err);
	return server != NULL &&
	       gcs_server_add_event(server,
		   &(struct gcs_event){
		       .name = "Allocation", .attribute_count = 1, .attributes = &size},
		   &event, err) == GCS_OK &&
	       gcs_server_add_plugin(server, &plugin, NULL, err) == GCS_OK &&
	       gcs_server_set_trigger(server, &large, err) == GCS_OK &&
	       gcs_server_start(server, err) == GCS_OK;
}

/* The answer at the event has the addresses of the stack. */
static int check_fired(struct gcs_client *client)
{
	const struct gcs_fired *fired = NULL;
	struct gcs_snapshot *snapshot = NULL;
	for (unsigned i = 0; i < 10 && fired == NULL; i++) {
		gcs_snapshot_unref(snapshot);
		snapshot = gcs_client_next(client, 10000);
		fired = snapshot == NULL ? NULL : gcs_snapshot_fired(snapshot, 0);
	}
	struct gcs_table *table =
	    fired == NULL ? NULL : gcs_table_decode(fired->answer, fired->length, NULL);
	bool same = table != NULL && newest.count > 3 && table->row_count == newest.count &&
		    table->columns[0].format == GCS_HEX;
	for (uint32_t i = 0; same && i < newest.count; i++)
		same = (uint64_t)table->cells[i].number == newest.addresses[i];
	gcs_plugin_free(table);
	gcs_snapshot_unref(snapshot);
	return same ? 0 : failed("the answer at the event is not the stack");
}

/* A query's answer has names; the functions are in the order of their calls, without one between. */
static int check_query(struct gcs_client *client)
{
	static const char *const order[] = {"toy_allocate", "toy_inner", "", "toy_outer", "main"};
	uint32_t id, next = 0;
	if (gcs_client_query(client, "backtrace", 0, NULL, &id) != GCS_OK)
		return failed("the plugin cannot be asked");
	struct gcs_answer *answer = gcs_client_answer(client, id, 10000);
	struct gcs_table *table = answer == NULL || answer->status != GCS_OK
				      ? NULL
				      : gcs_table_decode(answer->bytes, answer->length, NULL);
	for (uint32_t i = 0; table != NULL && next < 5 && i < table->row_count; i++)
		if (strcmp(table->cells[2 * i].text, order[next]) == 0)
			next++;
		else if (next != 0)
			break;
	for (uint32_t i = 0; table != NULL && next != 5 && i < table->row_count; i++)
		fprintf(stderr, "  %s\n", table->cells[2 * i].text);
	gcs_plugin_free(table);
	gcs_answer_free(answer);
	return next == 5 ? 0 : failed("the functions are not the ones that were called");
}

int main(void)
{
	struct gcs_error err;
	char address[32];
	if (!start(&err))
		return failed(err.text);
	gcs_backtrace_take(&newest);
	snprintf(address, sizeof address, "%d", gcs_server_port(server));
	struct gcs_client *client =
	    gcs_client_open(&(const struct gcs_client_options){.address = address}, &err);
	if (client == NULL || gcs_client_wait(client, 10000) != GCS_CLIENT_LIVE)
		return failed("no client");
	while (!gcs_server_wants(server, event))
		nanosleep(&(const struct timespec){.tv_nsec = 1000000}, NULL);
	free(toy_outer(100));
	free(toy_outer(100000));
	int code = check_fired(client);
	code = code != 0 ? code : check_query(client);
	if (atomic_load(&allocated_at_event) != 0)
		code = failed("memory was allocated at the event");
	unsigned char small[20];
	size_t length = sizeof small;
	if (gcs_backtrace_write(&newest, small, &length) != GCS_LIMIT || length > sizeof small)
		code = failed("a small buffer was overrun");
	gcs_client_close(client);
	gcs_server_destroy(server);
	return code;
}
