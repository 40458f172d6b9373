/* program_invocation_short_name. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "malloc_server.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/native_table.h>
#include <gcspy/recorder.h>
#include <gcspy/token.h>
#include <gcspy/updates.h>

#include "malloc_announce.h"
#include "dl_heap.h"
#include "dl_spaces.h"
#include "fragmentation.h"
#include "heap_granules.h"
#include "last_thread.h"
#include "malloc_attributes.h"
#include "malloc_each.h"
#include "malloc_plugins.h"
#include "malloc_spaces.h"
#include "malloc_thread.h"
#include "own_memory.h"
#include "real_malloc.h"
#include "native_sites.h"
#include "sites_queries.h"

/* The resident bytes take the kernel a walk over all pages: at most a hundredth of the time. */
enum { MAPS_MS = 500, RESIDENT_MS = 2000, RESIDENT_SHARE = 100 };

static struct gcs_server *server;
static struct gcs_updates *updates;
static struct gcs_event_counter *counter; /* of what the threads have counted */
static struct gcs_recorder *recorder;
static struct malloc_options options;
static pid_t started_as;
static char refused[200];
static char token[GCS_MAX_TOKEN + 1], name[GCS_MAX_NAME + 1];
static atomic_bool listening;

/* Of the flushing thread. A fork waits for `changing`: what is known of the heap is the child's, too. */
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static struct process_maps maps, resident;
static struct malloc_totals counted;
static uint64_t maps_ms, resident_ms, resident_filled_ms, resident_took_ms;

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void own_stack(void)
{
	static _Thread_local bool noted __attribute__((tls_model("initial-exec")));
	if (!noted && gcs_inside()) {
		noted = true;
		own_memory_add_stack();
	}
}

/* What the threads have counted since the previous update. */
static void add_counts(void)
{
	struct malloc_totals now;
	if (counter == NULL)
		counter = gcs_event_counter_create(updates);
	if (counter == NULL)
		return;
	malloc_threads_sum(&now);
	for (uint32_t i = 0; i < MALLOC_EVENTS; i++) {
		const int64_t sums[] = {(int64_t)(now.bytes[i] - counted.bytes[i]),
		    (int64_t)(now.old_bytes - counted.old_bytes)};
		gcs_count_sums(counter, i, now.count[i] - counted.count[i], sums);
	}
	counted = now;
}

static void on_prepare(void *context)
{
	const uint64_t now = now_ms();
	(void)context;
	own_stack();
	const uint64_t rest = RESIDENT_SHARE * resident_took_ms;
	if (resident_ms == 0 || now - resident_ms >= (rest > RESIDENT_MS ? rest : RESIDENT_MS)) {
		if (process_maps_read(&resident, true))
			resident_ms = now;
		resident_took_ms = now_ms() - now;
	}
	pthread_mutex_lock(&changing);
	add_counts();
	bool fresh = heap_granules_update();
	fresh = dl_heap_update() || fresh;
	dl_spaces_prepare();
	if (fresh || now - maps_ms >= MAPS_MS) {
		if (process_maps_read(&maps, false)) {
			arenas_set_mappings(&maps);
			heap_map_set_mappings(&maps);
		}
		maps_ms = now;
	}
	pthread_mutex_unlock(&changing);
}

static void on_fill(void *context, struct gcs_snapshot *snapshot)
{
	(void)context;
	heap_map_fill(snapshot);
	size_classes_fill(snapshot);
	gaps_fill(snapshot);
	arenas_fill(snapshot);
	dl_spaces_fill(snapshot);
	if (resident_filled_ms != resident_ms || mappings_are_missing(snapshot))
		mappings_fill(snapshot, &resident);
	resident_filled_ms = resident_ms;
}

static void on_state_request(void *context, const struct gcs_ticket *ticket)
{
	(void)context;
	own_stack();
	gcs_updates_state_request(updates, ticket);
}

static void on_query(void *context, const struct gcs_query *query)
{
	(void)context;
	if (!malloc_plugins_query(server, query))
		sites_query(server, name, query);
}

static void on_set(void *context, const struct gcs_setting *setting)
{
	(void)context;
	sites_set(server, setting);
}

static void on_error(const char *line)
{
	char text[600];
	const int length = snprintf(text, sizeof text, "libgcspymalloc: %.500s\n", line);
	/* Threads that have a table of their own have not the program's standard error in it. */
	const int fd =
	    gcs_inside() ? open("/proc/self/fd/2", O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC) : -1;
	(void)!write(fd == -1 ? STDERR_FILENO : fd, text, (size_t)length);
	if (fd != -1)
		close(fd);
}

static void on_log(void *context, const char *line)
{
	(void)context;
	if (options.say)
		on_error(line);
}

/* Description. */

static void set_name(void)
{
	snprintf(
	    name, sizeof name, "%.150s, pid %ld", program_invocation_short_name, (long)getpid());
}

static bool set_process(void)
{
	char pid[24];
	snprintf(pid, sizeof pid, "%ld", (long)getpid());
	return gcs_server_set_info(server, "Process", pid, NULL) == GCS_OK;
}

static bool add_info(void)
{
	return gcs_server_set_info(server, "Program", program_invocation_name, NULL) == GCS_OK &&
	       set_process() &&
	       gcs_server_set_info(server, "Allocator",
		   dl_inside() != NULL ? "dlmalloc 2.8.3" : real_malloc_name(), NULL) == GCS_OK;
}

static bool describe(struct gcs_error *err)
{
	static const uint32_t ids[MALLOC_EVENTS] = {EVENT_MALLOC, EVENT_FREE, EVENT_REALLOC};
	bool good = malloc_attributes_add(server, options.memory, err);
	struct gcs_tiles *tiles[1 + DL_SPACES_TILES];
	tiles[0] = good ? heap_map_add(server, err) : NULL;
	if (tiles[0] == NULL || size_classes_add(server, err) != GCS_OK ||
	    gaps_add(server, err) != GCS_OK || mappings_add(server, err) != GCS_OK ||
	    arenas_add(server, err) != GCS_OK || !dl_spaces_add(server, err) ||
	    !malloc_plugins_add(server, options.memory, err) || !add_info())
		return false;
	const struct gcs_updates_options to = {.event_count = MALLOC_EVENTS,
	    .events = ids,
	    .tiles_count = 1 + dl_spaces_tiles(tiles + 1),
	    .tiles = tiles,
	    .interval_ms = (uint32_t)options.update_ms,
	    .fill = on_fill,
	    .prepare = on_prepare,
	    .each = malloc_each_set};
	updates = gcs_updates_create(server, &to, err);
	return updates != NULL;
}

static bool create(struct gcs_error *err)
{
	char warning[GCS_TOKEN_WARNING];
	set_name();
	if (options.token_file[0] != '\0' &&
	    gcs_token_read(options.token_file, token, warning, err) != GCS_OK)
		return false;
	const struct gcs_server_options to = {.name = name,
	    .host = options.host[0] == '\0' ? NULL : options.host,
	    .port = (int)options.port,
	    .socket_path = options.socket[0] == '\0' ? NULL : options.socket,
	    .token = token[0] == '\0' ? NULL : token,
	    .allow_any_user = options.any_user,
	    .state_request = on_state_request,
	    .attribute = malloc_attribute,
	    .parameters = malloc_attribute_parameters,
	    .query = on_query,
	    .plugin_at_event = malloc_plugins_at_event,
	    .set = on_set,
	    .log = on_log,
	    .fork = options.children ? GCS_FORK_OWN : GCS_FORK_OFF};
	server = gcs_server_create(&to, err);
	return server != NULL && describe(err);
}

/* on_log has told the others. */
static void on_recorded(void *context, const struct gcs_recorder_stats *stats)
{
	(void)context;
	if (!options.say && stats->error.status != GCS_OK)
		on_error(stats->error.text);
}

static bool record(struct gcs_error *err)
{
	const struct gcs_recorder_options to = {
	    .trace = {.path = options.record, .replace = true}, .finished = on_recorded};
	if (options.record[0] == '\0')
		return true;
	recorder = gcs_recorder_create(&to, err);
	return recorder != NULL && gcs_server_record(server, recorder, err) == GCS_OK;
}

/* Without it the heap is shown all the same. */
static void sample(uint64_t interval)
{
	const char *why = sites_begin(interval);
	if (why == NULL)
		return;
	snprintf(refused, sizeof refused, "allocations cannot be sampled: %s", why);
	sites_refuse(refused);
}

/* In the child of fork. Its own server, if it has one, was started by the library. */
static void in_child(void)
{
	if (!options.children)
		(void)malloc_mode_add(MODE_OFF);
	malloc_threads_forget();
	malloc_thread_watch_own_end();
	last_thread_forget();
	fragmentation_forget();
	malloc_plugins_forget();
	announce_forget();
	sites_forget();
	sites_queries_forget();
	counter = NULL; /* that of the parent may be in the middle of an addition */
	resident = (struct process_maps){.count = 0}; /* and this in the middle of being read */
	resident_ms = 0;
	pthread_mutex_init(&changing, NULL);
}

static void announce(void);
static bool record(struct gcs_error *err);

/* A child that is shown, after libgcspy has started its server; one that only records starts here. */
static void begin_child(void)
{
	struct gcs_error err = {.text = "no memory"};
	if (!options.children || server == NULL)
		return;
	const char *path = gcs_server_socket_path(server);
	recorder = NULL; /* the parent's */
	snprintf(options.socket, sizeof options.socket, "%s", path == NULL ? "" : path);
	started_as = getpid();
	options.leaks[0] = '\0'; /* the parent's */
	(void)set_process();
	if (options.port >= 0 || path != NULL) {
		if (gcs_server_port(server) != -1)
			options.port = gcs_server_port(server);
		announce();
		return;
	}
	set_name();
	if (gcs_server_set_name(server, name, &err) == GCS_OK &&
	    malloc_options_record_again(&options) && record(&err) &&
	    gcs_server_start(server, &err) == GCS_OK &&
	    gcs_updates_start(updates, &err) == GCS_OK) {
		sites_record(server, name);
		return;
	}
	(void)malloc_mode_add(MODE_OFF);
	if (options.record_each[0] != '\0')
		on_error(err.text);
	else if (options.say)
		on_error("a child of fork is not recorded: %p in the file's name would make one "
			 "for each");
}

static void hold(void)
{
}

static void before_fork(void)
{
	pthread_mutex_lock(&changing);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&changing);
}

static void tcp_address(char *tcp, size_t bytes)
{
	snprintf(tcp, bytes, "%s:%d", options.host[0] == '\0' ? "127.0.0.1" : options.host,
	    gcs_server_port(server));
}

static void announce(void)
{
	char tcp[MALLOC_OPTION_TEXT + 16] = "";
	if (options.port >= 0)
		tcp_address(tcp, sizeof tcp);
	announce_listening(tcp, options.socket);
}

bool malloc_server_start(const struct malloc_options *given, char *why, size_t why_bytes)
{
	struct gcs_error err = {.text = "no memory"};
	options = *given;
	started_as = getpid();
	/* Before the library's own handlers: the first in the child. */
	own_memory_install();
	gcs_keep_files_apart();
	(void)pthread_atfork(hold, hold, in_child);
	malloc_thread_watch_ends();
	uint64_t interval;
	bool good = sites_parse_interval(options.interval, &interval, &err) && create(&err);
	if (good)
		sample(interval);
	good = good && record(&err) && gcs_server_start(server, &err) == GCS_OK;
	/* After the library's own: before it locks what a change may wait for. */
	(void)pthread_atfork(before_fork, in_parent, begin_child);
	if (good && options.record[0] != '\0')
		sites_record(server, name);
	if (good) {
		malloc_each_use(updates);
		good = gcs_updates_start(updates, &err) == GCS_OK;
	}
	if (good)
		announce();
	if (good && (options.port >= 0 || options.socket[0] != '\0'))
		atomic_store(&listening, true);
	if (!good)
		snprintf(why, why_bytes, "%s", err.text);
	return good;
}

/* A recorder is none; one may have come and gone. */
void malloc_server_wait(void)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	struct gcs_server_stats stats;
	while (gcs_server_stats(server, &stats), stats.clients_ever == 0)
		nanosleep(&moment, NULL);
}

/* Appends a part of the line. */
static void explain(char *line, size_t bytes, const char *words, const char *value)
{
	const size_t used = strlen(line);
	snprintf(line + used, bytes - used, "%s%s%s", used == 0 ? "" : "; ", words, value);
}

void malloc_server_explain(char *line, size_t bytes)
{
	char tcp[MALLOC_OPTION_TEXT + 16];
	line[0] = '\0';
	tcp_address(tcp, sizeof tcp);
	if (options.port >= 0)
		explain(line, bytes, "listening on ", tcp);
	if (options.socket[0] != '\0')
		explain(line, bytes, "listening on unix:", options.socket);
	if (options.record[0] != '\0')
		explain(line, bytes, "recording to ", options.record);
}

/* For another server in the process (gcspy/native_table.h). A child of fork has none, or one of its own at
 * another address. */
bool malloc_server_address(char *text, size_t bytes, char *secret, size_t secret_bytes)
{
	if (!listening || getpid() != started_as)
		return false;
	if (options.socket[0] != '\0')
		snprintf(text, bytes, "unix:%s", options.socket);
	else
		tcp_address(text, bytes);
	snprintf(secret, secret_bytes, "%s", token);
	return true;
}

void malloc_server_unlink(void)
{
	if (server != NULL && started_as == getpid() &&
	    options.socket[0] == '/') /* the folder may be another one now */
		(void)unlink(options.socket);
}

void malloc_server_end(void)
{
	char why[600];
	if (server == NULL)
		return;
	const bool shown = (malloc_mode() & MODE_OFF) == 0;
	if (options.leaks[0] != '\0' && shown && getpid() == started_as &&
	    !sites_write_live(options.leaks, name, why, sizeof why))
		on_error(why);
	if (updates != NULL && shown)
		gcs_updates_flush(updates);
	sites_record_last();
	gcs_server_stop_at_exit(server);
}
