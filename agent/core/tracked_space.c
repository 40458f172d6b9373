#include "tracked_space.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "now.h"
#include "service_thread.h"
#include "streams.h"
#include "thread.h"
#include "tracked_memory.h"

enum { COMMITTED, RESERVED, MAPPED, ALLOCATED, BLOCKS, CONTROL, STREAM_COUNT };

static const uint64_t INTERVAL_NS = 1000000000, FIRST_NS = 100000000;
enum { PAUSE_FACTOR = 200, INFO = 240, NAMED = 3 };

/* Of the thread that publishes, but the lock. */
struct tracked_space {
	const struct vm *vm;
	uint32_t space;
	struct tracked_category shown[TRACKED_MOST]; /* in the order of their first appearance */
	uint32_t count;
	struct service_thread thread;
	pthread_mutex_t lock; /* the rest */
	pthread_cond_t wake, told;
	bool wanted, ending, fresh, begun;
	uint64_t next_ns; /* when the JVM may be asked again */
	struct tracked_category newest[TRACKED_MOST];
	size_t newest_count;
	char info[INFO];
};

struct tracked_space *tracked_space_create(const struct vm *vm)
{
	struct tracked_space *t = gcs_zalloc(sizeof *t);
	if (t == NULL || pthread_mutex_init(&t->lock, NULL) != 0) {
		gcs_free(t);
		return NULL;
	}
	t->vm = vm;
	snprintf(t->info, sizeof t->info, "Not read yet");
	if (!thread_cond_init(&t->wake)) {
		pthread_mutex_destroy(&t->lock);
		gcs_free(t);
		return NULL;
	}
	if (!thread_cond_init(&t->told)) {
		pthread_cond_destroy(&t->wake);
		pthread_mutex_destroy(&t->lock);
		gcs_free(t);
		return NULL;
	}
	return t;
}

void tracked_space_destroy(struct tracked_space *t)
{
	if (t == NULL)
		return;
	pthread_cond_destroy(&t->told);
	pthread_cond_destroy(&t->wake);
	pthread_mutex_destroy(&t->lock);
	gcs_free(t);
}

uint32_t tracked_space_id(const struct tracked_space *t)
{
	return t->space;
}

/* Lock held; it is given up while the JVM is asked. */
static void ask(struct tracked_space *t)
{
	struct tracked_category categories[TRACKED_MOST];
	struct gcs_error err;
	size_t count = 0;
	char when[32] = "";
	struct tm parts;
	pthread_mutex_unlock(&t->lock);
	const uint64_t begin = now_ns();
	const enum gcs_status status = tracked_memory_read(t->vm, categories, &count, &err);
	const uint64_t end = now_ns(), pause = (end - begin) * PAUSE_FACTOR;
	const time_t now = (time_t)(now_wall_ns() / 1000000000);
	if (localtime_r(&now, &parts) != NULL)
		(void)strftime(when, sizeof when, "%H:%M:%S", &parts);
	pthread_mutex_lock(&t->lock);
	t->next_ns = end + (pause > INTERVAL_NS ? pause : INTERVAL_NS);
	t->fresh = true;
	if (status != GCS_OK) {
		snprintf(t->info, sizeof t->info, "At %s: %.180s", when, err.text);
		return;
	}
	memcpy(t->newest, categories, count * sizeof categories[0]);
	t->newest_count = count;
	snprintf(t->info, sizeof t->info, "as of %s; the JVM answered in %.1f ms", when,
	    (double)(end - begin) / 1e6);
}

static void run(void *context)
{
	struct tracked_space *t = context;
	pthread_mutex_lock(&t->lock);
	while (!t->ending) {
		if (!t->wanted) {
			pthread_cond_wait(&t->wake, &t->lock);
			continue;
		}
		ask(t);
		t->wanted = false;
		pthread_cond_broadcast(&t->told);
	}
	pthread_mutex_unlock(&t->lock);
}

enum gcs_status tracked_space_describe(
    struct tracked_space *t, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct gcs_stream streams[STREAM_COUNT] = {
	    [COMMITTED] = stream_bytes("Committed", "Bytes that the JVM may use: mapped with "
						    "access, or from malloc. Not all of it need "
						    "be resident"),
	    [RESERVED] = stream_bytes("Reserved", "Bytes of address space"),
	    [MAPPED] = stream_bytes("Mapped", "Committed bytes of mappings, with stacks"),
	    [ALLOCATED] = stream_bytes("malloc", "Bytes from malloc, also for arenas"),
	    [BLOCKS] = stream_count("Blocks", "Blocks from malloc, without those of arenas", ""),
	    [CONTROL] = gcs_stream_control(GCS_TILE_USED),
	};
	const struct gcs_space space = {
	    .name = "Native memory tracking",
	    .description = "The JVM's own account of the memory that it asked for, by category: "
			   "jcmd's VM.native_memory. Direct buffers are in Other",
	    .tile_title = "Category",
	    .block_info = "1 category per tile",
	    .unused_text = "nothing committed",
	    .group = group,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = STREAM_COUNT,
	    .streams = streams,
	    .default_stream = COMMITTED,
	};
	streams[RESERVED].colour = 0x999999;
	const enum gcs_status status = gcs_server_add_space(server, &space, &t->space, err);
	if (status != GCS_OK)
		return status;
	return service_thread_start(&t->thread, "gcspy-tracked", run, t)
		   ? GCS_OK
		   : gcs_fail(
			 err, GCS_NOMEM, "cannot start the agent's thread for the JVM's account");
}

bool tracked_space_end(struct tracked_space *t, uint64_t deadline_ns)
{
	if (t == NULL)
		return true;
	pthread_mutex_lock(&t->lock);
	t->ending = true;
	pthread_cond_broadcast(&t->wake);
	pthread_cond_broadcast(&t->told);
	pthread_mutex_unlock(&t->lock);
	return service_thread_join(&t->thread, deadline_ns);
}

/* Lock held. Categories that the JVM leaves out have nothing now; the first of the newest is the total. */
static void take(struct tracked_space *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct tracked_category none = {.reserved = 0};
		memcpy(none.name, t->shown[i].name, sizeof none.name);
		t->shown[i] = none;
	}
	for (size_t n = 1; n < t->newest_count; n++) {
		uint32_t i = 0;
		while (i < t->count && strcmp(t->shown[i].name, t->newest[n].name) != 0)
			i++;
		if (i < TRACKED_MOST)
			t->shown[i] = t->newest[n];
		if (i == t->count && i < TRACKED_MOST)
			t->count++;
	}
	t->fresh = false;
}

/* As the space Memory has it: tiles have names only where there is room. */
static void explain(const struct tracked_space *t, struct gcs_snapshot *s)
{
	const struct tracked_category *largest[NAMED] = {NULL};
	char text[INFO + 200] = "", bytes[40];
	for (uint32_t i = 0; i < t->count; i++) {
		const struct tracked_category *c = &t->shown[i];
		for (int n = 0; n < NAMED && c != NULL; n++) {
			if (largest[n] != NULL && largest[n]->committed >= c->committed)
				continue;
			const struct tracked_category *less = largest[n];
			largest[n] = c;
			c = less;
		}
	}
	for (int n = 0; n < NAMED && largest[n] != NULL; n++) {
		const size_t length = strlen(text);
		gcs_format_number(bytes, sizeof bytes, (int64_t)largest[n]->committed, GCS_BYTES);
		snprintf(text + length, sizeof text - length, "%s %s%s", largest[n]->name, bytes,
		    n + 1 < NAMED ? ", " : "; ");
	}
	const size_t length = strlen(text);
	snprintf(text + length, sizeof text - length, "%s", t->info);
	gcs_snapshot_set_space_info(s, t->space, text);
}

static bool write(const struct tracked_space *t, struct gcs_snapshot *s)
{
	int64_t *values[STREAM_COUNT], totals[STREAM_COUNT] = {0};
	if (!streams_write(s, t->space, NULL, STREAM_COUNT, values))
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct tracked_category *c = &t->shown[i];
		const uint64_t figures[CONTROL] = {
		    c->committed, c->reserved, c->mapped, c->allocated, c->blocks};
		for (int k = 0; k < CONTROL; k++) {
			values[k][i] = (int64_t)figures[k];
			totals[k] += values[k][i];
		}
		values[CONTROL][i] = c->committed != 0 ? GCS_TILE_USED : GCS_TILE_UNUSED;
		if (strcmp(gcs_snapshot_name(s, t->space, i), c->name) != 0)
			gcs_snapshot_set_name(s, t->space, i, c->name);
	}
	for (uint32_t k = 0; k < CONTROL; k++)
		gcs_snapshot_set_summary(s, t->space, k, 1, &totals[k]);
	return true;
}

bool tracked_space_map(struct tracked_space *t, struct gcs_snapshot *s, bool collecting)
{
	const uint64_t now = now_ns();
	pthread_mutex_lock(&t->lock);
	if (!collecting && !t->wanted && now >= t->next_ns) {
		t->wanted = true;
		pthread_cond_signal(&t->wake);
	}
	while (!t->begun && t->wanted && !t->ending &&
	       thread_cond_until(&t->told, &t->lock, now + FIRST_NS))
		continue;
	t->begun = t->begun || !collecting;
	if (t->fresh)
		take(t);
	explain(t, s);
	pthread_mutex_unlock(&t->lock);
	if (gcs_snapshot_tiles(s, t->space) != t->count &&
	    !gcs_snapshot_resize(s, t->space, t->count))
		return false;
	return (t->count == 0 || write(t, s)) && gcs_snapshot_set_gathered(s, t->space, true);
}
