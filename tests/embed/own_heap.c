/*
 * A server and its clients do not disturb the heap that is shown (F20): with an allocator of its own, a
 * target that replaces malloc sees no call of it by GCspy, zlib or their threads after the start. Of the
 * calls until then gcs_inside is true, and of those on a client's thread, where getaddrinfo resolves the
 * server's address.
 *
 *	own-heap RECORDING
 *
 * Ends with 1 after naming the calls.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <gcspy/client.h>
#include <gcspy/memory.h>
#include <gcspy/server.h>

enum { TILES = 4096, EVENTS = 60, MOST_CALLS = 64 };

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);

enum phase { BEFORE, STARTING, RUNNING, CONNECTING, PHASES };
static atomic_int phase;
static atomic_uint calls[PHASES], outside[PHASES];
static void *_Atomic callers[MOST_CALLS];

static void note(void *caller)
{
	int now = atomic_load(&phase);
	char thread[16] = "";
	prctl(PR_GET_NAME, thread);
	if (now == RUNNING && strcmp(thread, "gcspy-client") == 0)
		now = CONNECTING;
	unsigned number = atomic_fetch_add(&calls[now], 1);
	if (!gcs_inside())
		atomic_fetch_add(&outside[now], 1);
	if (now == RUNNING && number < MOST_CALLS)
		atomic_store(&callers[number], caller);
}

void *malloc(size_t bytes)
{
	note(__builtin_return_address(0));
	return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	note(__builtin_return_address(0));
	return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
	note(__builtin_return_address(0));
	return __libc_realloc(block, bytes);
}

/* The target's own memory: blocks after their size, never used again. */
static char *arena;
static atomic_size_t arena_used;
static atomic_uint arena_calls, arena_live;
static const size_t arena_bytes = (size_t)1 << 30;

static void *take(size_t bytes, void *context)
{
	(void)context;
	size_t whole = (bytes + 31) / 16 * 16;
	size_t at = atomic_fetch_add(&arena_used, whole);
	if (at + whole > arena_bytes)
		return NULL;
	atomic_fetch_add(&arena_calls, 1);
	atomic_fetch_add(&arena_live, 1);
	memcpy(arena + at, &bytes, sizeof bytes);
	return arena + at + 16;
}

static void give(void *block, void *context)
{
	(void)context;
	(void)block;
	atomic_fetch_sub(&arena_live, 1);
}

static void *change(void *block, size_t bytes, void *context)
{
	void *copy = take(bytes, context);
	if (copy == NULL || block == NULL)
		return copy;
	size_t had;
	memcpy(&had, (char *)block - 16, sizeof had);
	memcpy(copy, block, had < bytes ? had : bytes);
	give(block, context);
	return copy;
}

static const struct gcs_stream streams[] = {
    {.name = "Used", .type = GCS_TYPE_I32, .max = 1 << 20, .summary = GCS_SUMMARY_TOTAL}};
static const struct gcs_space space = {
    .name = "Heap", .group = GCS_NONE, .main = true, .stream_count = 1, .streams = streams};
static const struct gcs_event collection = {.name = "Collection"};

static void publish(struct gcs_server *server, struct gcs_ticket *ticket, unsigned round)
{
	struct gcs_snapshot *s = gcs_server_begin(server, ticket);
	gcs_snapshot_resize(s, 0, TILES);
	int64_t *values = gcs_snapshot_write(s, 0, 0), total = 0;
	for (uint32_t i = 0; i < TILES; i++)
		total += values[i] = (int64_t)((i * 2654435761u + round * 40503u) % (1 << 20));
	gcs_snapshot_set_summary(s, 0, 0, 1, &total);
	gcs_server_publish(server, ticket, s);
}

/* A client that gets an event for each that the program runs, then leaves. False if it gets none. */
static bool serve(struct gcs_server *server, const struct gcs_client_options *options)
{
	/* The client's thread: pthread_create calls calloc for its stack and thread-local storage. */
	atomic_store(&phase, STARTING);
	struct gcs_client *client = gcs_client_open(options, NULL);
	atomic_store(&phase, RUNNING);
	bool ok = gcs_client_wait(client, 60000) == GCS_CLIENT_LIVE;
	while (ok && !gcs_server_wants(server, 0))
		usleep(1000);
	for (unsigned round = 0; ok && round < EVENTS; round++) {
		struct gcs_ticket ticket;
		if (gcs_server_enter(server, 0, &ticket))
			publish(server, &ticket, round);
		gcs_server_leave(server, &ticket);
		struct gcs_snapshot *s = gcs_client_next(client, 60000);
		ok = s != NULL && gcs_snapshot_tiles(s, 0) == TILES;
		gcs_snapshot_unref(s);
	}
	gcs_client_close(client);
	return ok;
}

int main(int argc, char **argv)
{
	static char out[BUFSIZ];
	setvbuf(stdout, out, _IOFBF, sizeof out);
	struct gcs_error err = {.text = "no memory"};
	struct gcs_allocator allocator = {.allocate = take, .resize = change, .release = give};
	struct gcs_server_options options = {.name = "Own heap"};
	struct gcs_recorder_options record = {
	    .trace = {.path = argc > 1 ? argv[1] : "own-heap.gcspy", .replace = true}};
	char address[32];
	arena = mmap(NULL, arena_bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	gcs_set_allocator(&allocator);

	atomic_store(&phase, STARTING);
	struct gcs_server *server = gcs_server_create(&options, &err);
	struct gcs_recorder *recorder = gcs_recorder_create(&record, &err);
	bool ok = arena != MAP_FAILED && server != NULL && recorder != NULL &&
		  gcs_server_add_event(server, &collection, NULL, &err) == GCS_OK &&
		  gcs_server_add_space(server, &space, NULL, &err) == GCS_OK &&
		  gcs_server_record(server, recorder, &err) == GCS_OK &&
		  gcs_server_start(server, &err) == GCS_OK;
	atomic_store(&phase, BEFORE);
	if (!ok)
		return fprintf(stderr, "own-heap: %s\n", err.text), 1;
	snprintf(address, sizeof address, "127.0.0.1:%d", gcs_server_port(server));
	struct gcs_client_options plain = {.address = address, .name = "plain"};
	struct gcs_client_options deflated = {
	    .address = address, .name = "deflated", .compress = true};
	ok = serve(server, &plain) && serve(server, &deflated) && serve(server, &plain);
	gcs_server_destroy(server);
	atomic_store(&phase, BEFORE);

	printf("at the start: %u calls of malloc, %u of them not inside GCspy\n", calls[STARTING],
	    outside[STARTING]);
	printf("on the threads of clients: %u, %u not inside\n", calls[CONNECTING],
	    outside[CONNECTING]);
	printf("afterwards: %u\n", calls[RUNNING]);
	for (unsigned i = 0; i < calls[RUNNING] && i < MOST_CALLS; i++)
		printf("  from %p\n", callers[i]);
	printf("of the target's memory: %u allocations, %u left\n", arena_calls, arena_live);
	if (!ok)
		printf("a client got no snapshots\n");
	return !ok || calls[RUNNING] != 0 || outside[STARTING] != 0 || calls[STARTING] == 0 ||
	       outside[CONNECTING] != 0 || arena_calls < 1000 || arena_live != 0;
}
