/*
 * A target that samples nothing and answers "sites" and "settings" from profiles built here, whose
 * figures the tests know. Names are as hostile as a program can make them.
 *
 *	profile-server PORT MODE
 *
 * MODE: "plain"; "judged", the same of a server that tells new objects from live ones and knows
 * their sizes and places; "hostile" names; "empty" profiles; "dead": the same, because all samples have
 * died; "off" answers STATE; "old" knows no questions; "silent" never answers; "broken" answers with bytes that are no profile. Ends with its input.
 *
 * These have live objects and answer searches for what holds them: "busy" has an event each 3 ms,
 * answers 400 of them late, and what it allocates changes; a search of "ended" was ended by a long pause, "nothing"
 * finds no holder, "partly" of less than half, "loader" does not search for that of a class loader, "refused"
 * does not begin.
 *
 *	profile-server large FILE
 *
 * writes a profile of 100,000 sites, kept, and ends.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/server.h>

#include "chain_tree.h"
#include "export.h"
#include "now.h"
#include "profile_server.h"
#include "site_tiles.h"

static struct gcs_server *server;
static const char *mode;
static unsigned long interval = 65536;

static bool is_busy(void)
{
	return strcmp(mode, "busy") == 0;
}

/* Answers that are given later, behind many events, which a client has time to take on a busy machine. */
enum { EVENT_MS = 3, LATE_MS = 400 * EVENT_MS, LATEST = 64 };

static struct late {
	uint64_t ticket, due_ms;
	char message[100];
	void *bytes;
	size_t length;
} late[LATEST];
static uint32_t late_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes the bytes. */
static void answer(const struct gcs_query *query, const char *message, void *bytes, size_t length)
{
	pthread_mutex_lock(&lock);
	if (is_busy() && late_count < LATEST) {
		struct late *l = &late[late_count++];
		*l = (struct late){query->ticket, now_ms() + LATE_MS, "", bytes, length};
		snprintf(l->message, sizeof l->message, "%s", message);
	} else {
		gcs_server_answer(server, query->ticket, GCS_OK, message, bytes, length);
		gcs_free(bytes);
	}
	pthread_mutex_unlock(&lock);
}

static void answer_late(void)
{
	pthread_mutex_lock(&lock);
	while (late_count != 0 && now_ms() >= late[0].due_ms) {
		gcs_server_answer(
		    server, late[0].ticket, GCS_OK, late[0].message, late[0].bytes, late[0].length);
		gcs_free(late[0].bytes);
		memmove(&late[0], &late[1], --late_count * sizeof late[0]);
	}
	pthread_mutex_unlock(&lock);
}

static bool add_chain(
    struct chain_tree *tree, const char *const *texts, uint32_t count, double bytes)
{
	struct chain_step steps[16];
	for (uint32_t i = 0; i < count; i++)
		steps[i] = (struct chain_step){CHAIN_TEXT, texts[i], NULL, 1};
	return chain_tree_add(tree, steps, count, 10, bytes);
}

#define ADD(tree, bytes, ...)                                                                      \
	add_chain(tree, (const char *const[]){__VA_ARGS__},                                        \
	    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), bytes)

/* Of more than 400 bytes. */
static bool add_long(struct chain_tree *tree)
{
	static char texts[12][80];
	const char *steps[14];
	steps[0] = "static app.Cache.ENTRIES";
	for (int i = 0; i < 12; i++) {
		snprintf(texts[i], sizeof texts[i],
		    "org.example.application.with.long.names.Part%d.next", i);
		steps[i + 1] = texts[i];
	}
	steps[13] = "app.Session";
	return add_chain(tree, steps, 14, 1e6);
}

static void answer_paths(const struct gcs_query *query)
{
	const char *title =
	    "1 MiB live in about 10 objects: chains of 1 of 1 sampled ones; 1 pause, "
	    "longest 124 ms, 124 ms in all";
	const char *message = "pauses=1 longest-us=123500 total-us=124000 found=1 ended=0";
	struct chain_tree *tree = chain_tree_create(false);
	void *bytes = NULL;
	size_t length = 0;
	bool good = tree != NULL;
	if (gcs_query_value(query, "do") != NULL) {
		title = "about 8 pauses of about 88.2 ms on an idle machine, at most 40 of them: "
			"about 2,204,114 "
			"objects after the last collection";
		message = "longest-us=88200 objects=2204114";
	} else if (strcmp(mode, "ended") == 0) {
		title = "1 MiB live in about 10 objects: chains of 0 of 1 sampled ones; 1 pause, "
			"longest 124 ms, 124 ms in all; ended early: a pause was longer than the "
			"limit of 40 ms, which max-pause=124 raises";
		message = "pauses=1 longest-us=123500 total-us=124000 found=0 ended=1";
		good = good && ADD(tree, 1e6, "(the search ended here)", "byte[]");
	} else if (strcmp(mode, "nothing") == 0) {
		good = good && ADD(tree, 1e6,
				   "(nothing found: it died, or what refers to it changed "
				   "meanwhile)",
				   "byte[]");
	} else if (strcmp(mode, "partly") == 0) {
		good = good && ADD(tree, 6e5, "(died meanwhile)") &&
		       ADD(tree, 4e5, "static app.Cache.ENTRIES", "byte[]");
	} else if (strcmp(mode, "loader") == 0) {
		title =
		    "1 class loader: chains of 0 of 1; 0 pauses, longest 0 ns, 0 ns in all; what "
		    "holds a class loader takes a pause of about 441 ms: more than the limit "
		    "of 100 ms, which max-pause=442 raises";
		message = "pauses=0 longest-us=0 total-us=0 found=0 ended=0 longest-cpu-us=0";
		good =
		    good && ADD(tree, 1e6, "(what holds the class loader takes too long a pause)",
				"class loader app.Loader", "app.Plugin");
	} else {
		good = good && add_long(tree);
	}
	if (good && chain_tree_encode(tree, title, &bytes, &length, NULL) == GCS_OK)
		answer(query, message, bytes, length);
	chain_tree_destroy(tree);
}

static bool answers_paths(void)
{
	static const char *const modes[] = {
	    "busy", "ended", "nothing", "partly", "loader", "refused"};
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (strcmp(mode, modes[i]) == 0)
			return true;
	return false;
}

static void answer_sites(const struct gcs_query *query)
{
	enum gcs_profile_kind kind = GCS_PROFILE_LIVE;
	void *bytes = NULL;
	size_t length = 0;
	const char *of = mode;
	for (uint32_t i = 0; i < query->count; i++) {
		gcs_profile_find_kind(query->parameters[i].value, &kind);
		if (strcmp(query->parameters[i].value, "nowhere") == 0)
			of = "empty";
	}
	struct gcs_profile *p = served_profile(kind, of, interval);
	if (gcs_profile_encode(p, &bytes, &length, NULL) == GCS_OK)
		answer(query, "", bytes, length);
	gcs_profile_free(p);
}

/* Of any site: two tiles, the second with most. */
static void answer_tiles(const struct gcs_query *query)
{
	struct gcs_site_tile of[] = {
	    {.low = 0x10000,
		.high = 0x20000,
		.bytes = 1024,
		.variance = 512 * 512,
		.samples = 1,
		.type = "Old"},
	    {.low = 0x7f0000000000,
		.high = 0x7f0000100000,
		.bytes = 3072,
		.variance = 1024 * 1024,
		.samples = 2,
		.approximate = 1,
		.type = "Hum\x1b[31mongous"},
	};
	struct gcs_site_tiles tiles = {
	    .as_of = "now",
	    .bytes = 5120,
	    .variance = 2048 * 2048,
	    .samples = 4,
	    .placed_bytes = 4096,
	    .placed_variance = 1536 * 1536,
	    .placed = 3,
	    .approximate = 1,
	    .errors_known = strcmp(mode, "older") != 0,
	    .count = 2,
	    .tiles = of,
	};
	void *bytes = NULL;
	size_t length = 0;
	if (query->count != 0)
		(void)gcs_site_number_parse(query->parameters[0].value, &tiles.site);
	if (gcs_site_tiles_encode(&tiles, &bytes, &length, NULL) == GCS_OK)
		gcs_server_answer(server, query->ticket, GCS_OK, "", bytes, length);
	gcs_free(bytes);
}

static void on_query(void *context, const struct gcs_query *query)
{
	char lines[64];
	(void)context;
	if (strcmp(mode, "silent") == 0)
		return;
	if (strcmp(query->topic, "gc") == 0 && strcmp(mode, "off") == 0) {
		gcs_server_answer(
		    server, query->ticket, GCS_STATE, "a replay collects nothing", NULL, 0);
	} else if (strcmp(query->topic, "gc") == 0) {
		static const char done[] = "collection=1\npause=2500000\n";
		gcs_server_answer(server, query->ticket, GCS_OK, "", done, sizeof done - 1);
	} else if (strcmp(mode, "off") == 0) {
		gcs_server_answer(
		    server, query->ticket, GCS_STATE, "sampling of allocations is off", NULL, 0);
	} else if (strcmp(query->topic, "paths") == 0 && strcmp(mode, "refused") == 0 &&
		   gcs_query_value(query, "do") == NULL) {
		gcs_server_answer(server, query->ticket, GCS_LIMIT,
		    "a pause would be longer than the limit of 50 ms, which max-pause=89 raises; "
		    "expected: about 8 pauses of about 88.2 ms on an idle machine, at most 40 of "
		    "them",
		    NULL, 0);
	} else if (strcmp(query->topic, "paths") == 0 && answers_paths()) {
		answer_paths(query);
	} else if (strcmp(mode, "broken") == 0) {
		gcs_server_answer(server, query->ticket, GCS_OK, "", "nonsense", 8);
	} else if (strcmp(query->topic, "sites") == 0) {
		answer_sites(query);
	} else if (strcmp(query->topic, "tiles") == 0) {
		answer_tiles(query);
	} else {
		int n = snprintf(lines, sizeof lines, "interval=%lu\nnote=\x1b[31mred\n", interval);
		gcs_server_answer(server, query->ticket, GCS_OK, "", lines, (size_t)n);
	}
}

static void on_set(void *context, const struct gcs_setting *setting)
{
	char words[64];
	(void)context;
	if (strcmp(setting->key, "interval") != 0) {
		gcs_server_answer(server, setting->ticket, GCS_UNSUPPORTED,
		    "unknown setting; available: less than there is", NULL, 0);
		return;
	}
	interval = strtoul(setting->value, NULL, 10);
	snprintf(words, sizeof words, "interval is %lu", interval);
	gcs_server_answer(server, setting->ticket, GCS_OK, words, NULL, 0);
}

static bool to_file(void *context, const void *bytes, size_t length)
{
	return fwrite(bytes, 1, length, context) == length;
}

static int write_large(const char *path)
{
	struct gcs_error err = {.status = GCS_OK};
	FILE *file = fopen(path, "wb");
	struct gcs_profile *p = served_profile(GCS_PROFILE_LIVE, "large", interval);
	struct gcs_sites *sites = gcs_sites_create(p, NULL, &err);
	struct gcs_sink sink = {.write = to_file, .context = file};
	bool good = file != NULL && sites != NULL &&
		    gcs_sites_export(sites, GCS_EXPORT_GCSPY, NULL, &sink, &err) == GCS_OK;
	good = file != NULL && fclose(file) == 0 && good;
	gcs_sites_free(sites);
	gcs_profile_free(p);
	return good ? 0 : 1;
}

/* A look is published by the main thread, as a target must: a snapshot of no spaces. */
static int looks[2];

static void on_state_request(void *context, const struct gcs_ticket *ticket)
{
	(void)context;
	ssize_t n = write(looks[1], ticket, sizeof *ticket);
	(void)n;
}

static void publish_look(void)
{
	struct gcs_ticket ticket;
	if (read(looks[0], &ticket, sizeof ticket) != (ssize_t)sizeof ticket)
		return;
	struct gcs_snapshot *snapshot = gcs_server_begin(server, &ticket);
	if (snapshot != NULL)
		gcs_server_publish(server, &ticket, snapshot);
}

static void tick(uint32_t event)
{
	struct gcs_ticket ticket;
	if (gcs_server_enter(server, event, &ticket)) {
		struct gcs_snapshot *snapshot = gcs_server_begin(server, &ticket);
		if (snapshot != NULL)
			gcs_server_publish(server, &ticket, snapshot);
	}
	gcs_server_leave(server, &ticket);
}

static bool serve(int port, struct gcs_error *err)
{
	bool old = strcmp(mode, "old") == 0;
	if (pipe(looks) != 0)
		return false;
	struct gcs_server_options options = {
	    .name = "Profile server",
	    .port = port,
	    .state_request = on_state_request,
	    .query = old ? NULL : on_query,
	    .set = old ? NULL : on_set,
	};
	server = gcs_server_create(&options, err);
	const struct gcs_event event = {.name = "Tick", .description = ""};
	uint32_t number = 0;
	if (server == NULL || gcs_server_set_info(server, "JVM", "made by hand", err) != GCS_OK ||
	    (is_busy() && gcs_server_add_event(server, &event, &number, err) != GCS_OK) ||
	    gcs_server_start(server, err) != GCS_OK)
		return false;
	printf("listening on 127.0.0.1:%d\n", gcs_server_port(server));
	fflush(stdout);
	struct pollfd p[2] = {{.fd = 0, .events = POLLIN}, {.fd = looks[0], .events = POLLIN}};
	for (int n; (n = poll(p, 2, is_busy() ? EVENT_MS : -1)) >= 0 && p[0].revents == 0;) {
		if (n != 0)
			publish_look();
		if (is_busy())
			tick(number);
		answer_late();
	}
	return true;
}

int main(int argc, char **argv)
{
	struct gcs_error err = {.status = GCS_OK};
	if (argc != 3)
		return fprintf(stderr, "usage: profile-server PORT MODE | large FILE\n"), 2;
	if (strcmp(argv[1], "large") == 0)
		return write_large(argv[2]);
	mode = argv[2];
	bool good = serve(atoi(argv[1]), &err);
	if (!good)
		fprintf(stderr, "profile-server: %s\n", err.text);
	gcs_server_destroy(server);
	return good ? 0 : 1;
}
