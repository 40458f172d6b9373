/*
 * A server that is asked for call sites: made-up profiles, an empty heap of some blocks, an
 * interval that can be set. For the scripts of the visualiser; prints where it listens.
 *
 *	sites-server MODE [PORT]
 *
 * shop: sampling is on. off: it is off until the interval is set. empty: on, but no samples yet.
 * none: there are no call sites here. strange: absurd names and numbers. many: 100,000 sites.
 * broken: answers that are no profiles. silent: no answer ever.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gcspy/memory.h>
#include <gcspy/server.h>

#include "sites.h"
#include "site_tiles.h"
#include "ui_profile.h"

enum { BLOCKS = 96, BLOCK = 4096, HEAP = 0x10000 };
enum { USED, START, END, STREAMS };

static const struct gcs_stream streams[STREAMS] = {
    [USED] = {.name = "Used",
	.type = GCS_TYPE_I32,
	.presentation = GCS_PERCENT,
	.max = BLOCK,
	.paint = GCS_PAINT_ZERO,
	.format = GCS_BYTES,
	.summary = GCS_SUMMARY_NONE,
	.max_stream = GCS_NONE,
	.colour = 0x3070d0},
    [START] = {.name = "Start",
	.role = GCS_ROLE_RANGE_START,
	.type = GCS_TYPE_I64,
	.format = GCS_HEX,
	.max = INT64_MAX,
	.max_stream = GCS_NONE},
    [END] = {.name = "End",
	.role = GCS_ROLE_RANGE_END,
	.type = GCS_TYPE_I64,
	.format = GCS_HEX,
	.max = INT64_MAX,
	.max_stream = GCS_NONE},
};

static const struct gcs_space space = {.name = "Heap",
    .tile_title = "Block",
    .block_info = "4 KiB to a block",
    .group = GCS_NONE,
    .main = true,
    .block_bytes = 4096,
    .stream_count = STREAMS,
    .streams = streams};

static struct {
	struct gcs_server *server;
	const char *mode;
	uint64_t interval;   /* I/O thread only, as what follows */
	unsigned asked, set; /* how often */
	atomic_uint asked_for[GCS_PROFILE_KIND_COUNT];
} self;

static bool is(const char *mode)
{
	return strcmp(self.mode, mode) == 0;
}

static struct gcs_profile *make_profile(enum gcs_profile_kind kind)
{
	if (is("empty"))
		return profile_empty(kind, self.interval);
	if (is("strange"))
		return profile_strange(kind);
	if (is("many"))
		return profile_many(kind, 100000);
	struct timespec now; /* a recording keeps it with the events of its collection */
	clock_gettime(CLOCK_REALTIME, &now);
	return profile_shop_judged(
	    kind, self.asked - 1, now.tv_sec * INT64_C(1000000000) + now.tv_nsec);
}

static void answer(
    uint64_t ticket, enum gcs_status status, const char *words, const void *bytes, size_t length)
{
	gcs_server_answer(self.server, ticket, status, words, bytes, length);
}

static void answer_profile(uint64_t ticket, enum gcs_profile_kind kind)
{
	struct gcs_error err;
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_profile *profile = make_profile(kind);
	if (profile != NULL && gcs_profile_encode(profile, &bytes, &length, &err) == GCS_OK)
		answer(ticket, GCS_OK, "", bytes, length);
	else
		answer(ticket, GCS_NOMEM, "", NULL, 0);
	gcs_free(bytes);
	gcs_profile_free(profile);
}

/* Objects of any site are in the blocks 5 and 7. */
static void answer_tiles(uint64_t ticket, const char *site)
{
	struct gcs_site_tile of[2] = {
	    {.low = HEAP + 5 * BLOCK,
		.high = HEAP + 6 * BLOCK,
		.bytes = 1024,
		.samples = 1,
		.type = "Block"},
	    {.low = HEAP + 7 * BLOCK,
		.high = HEAP + 8 * BLOCK,
		.bytes = 3072,
		.samples = 3,
		.type = "Block"},
	};
	struct gcs_site_tiles tiles = {.as_of = "now",
	    .bytes = 4096,
	    .samples = 4,
	    .placed_bytes = 4096,
	    .placed = 4,
	    .count = 2,
	    .tiles = of};
	void *bytes = NULL;
	size_t length = 0;
	if (!gcs_site_number_parse(site, &tiles.site) ||
	    gcs_site_tiles_encode(&tiles, &bytes, &length, NULL) != GCS_OK)
		answer(ticket, GCS_ARGUMENT, "site: 12 digits", NULL, 0);
	else
		answer(ticket, GCS_OK, "", bytes, length);
	gcs_free(bytes);
}

/* A profile's kind, and perhaps a place with that of live objects; any other one is empty. */
static bool read_parameters(const struct gcs_query *query, enum gcs_profile_kind *kind)
{
	const struct gcs_info *p = query->parameters;
	return query->count >= 1 && query->count <= 2 && strcmp(p[0].key, "kind") == 0 &&
	       gcs_profile_find_kind(p[0].value, kind) &&
	       (query->count == 1 || (*kind == GCS_PROFILE_LIVE && strcmp(p[1].key, "where") == 0));
}

static void on_query(void *context, const struct gcs_query *query)
{
	enum gcs_profile_kind kind;
	(void)context;
	self.asked++;
	if (query->count >= 1 && gcs_profile_find_kind(query->parameters[0].value, &kind))
		atomic_fetch_add(&self.asked_for[kind], 1);
	if (strcmp(query->topic, "tiles") == 0 && is("shop")) {
		answer_tiles(query->ticket, query->parameters[0].value);
		return;
	}
	if (strcmp(query->topic, "sites") != 0 || is("none"))
		answer(query->ticket, GCS_UNSUPPORTED, "no call sites here", NULL, 0);
	else if (is("silent"))
		return;
	else if (is("broken"))
		answer(query->ticket, GCS_OK, "", "\x01\xff\xff\xff\xff\xff nonsense", 15);
	else if (!read_parameters(query, &kind))
		answer(query->ticket, GCS_ARGUMENT, "kind: live, recent, frequent or allocated",
		    NULL, 0);
	else if (self.interval == 0)
		answer(query->ticket, GCS_STATE, "sampling is off", NULL, 0);
	else
		answer_profile(query->ticket, kind);
}

static void on_set(void *context, const struct gcs_setting *setting)
{
	(void)context;
	self.set++;
	char *end;
	unsigned long long value = strtoull(setting->value, &end, 10);
	if (strcmp(setting->key, "interval") != 0 || end == setting->value) {
		answer(setting->ticket, GCS_ARGUMENT, "interval: bytes are allowed", NULL, 0);
		return;
	}
	self.interval = *end == 'k' ? value * 1024 : value;
	char words[80];
	snprintf(words, sizeof words, "the interval is %llu KiB",
	    (unsigned long long)self.interval / 1024);
	answer(setting->ticket, GCS_OK, words, NULL, 0);
}

static void publish(const struct gcs_ticket *ticket)
{
	struct gcs_snapshot *s = gcs_server_begin(self.server, ticket);
	int64_t *values = NULL;
	if (s != NULL && gcs_snapshot_resize(s, 0, BLOCKS))
		values = gcs_snapshot_write(s, 0, USED);
	int64_t *starts = values == NULL ? NULL : gcs_snapshot_write(s, 0, START);
	int64_t *ends = starts == NULL ? NULL : gcs_snapshot_write(s, 0, END);
	if (ends == NULL) {
		gcs_snapshot_unref(s);
		gcs_server_miss(self.server, ticket);
		return;
	}
	for (int i = 0; i < BLOCKS; i++) {
		values[i] = i * BLOCK / BLOCKS;
		starts[i] = HEAP + i * BLOCK;
		ends[i] = starts[i] + BLOCK;
	}
	char text[80];
	snprintf(text, sizeof text, "asked for live %u, allocated %u, recent %u, frequent %u",
	    atomic_load(&self.asked_for[GCS_PROFILE_LIVE]),
	    atomic_load(&self.asked_for[GCS_PROFILE_ALLOCATED]),
	    atomic_load(&self.asked_for[GCS_PROFILE_RECENT]),
	    atomic_load(&self.asked_for[GCS_PROFILE_FREQUENT]));
	(void)gcs_snapshot_set_space_info(s, 0, text);
	gcs_snapshot_set_gathered(s, 0, true);
	gcs_server_publish(self.server, ticket, s);
}

int main(int argc, char **argv)
{
	self.mode = argc > 1 ? argv[1] : "shop";
	self.interval = is("off") ? 0 : 524288;
	struct gcs_error err;
	struct gcs_server_options options = {.name = "HotSpot 21.0.2 (G1), pid 4711",
	    .port = argc > 2 ? atoi(argv[2]) : 0,
	    .query = on_query,
	    .set = on_set};
	const struct gcs_event collection = {.name = "Collection", .colour = 0x56b4e9};
	self.server = gcs_server_create(&options, &err);
	if (self.server == NULL ||
	    gcs_server_add_event(self.server, &collection, NULL, &err) != GCS_OK ||
	    gcs_server_add_space(self.server, &space, NULL, &err) != GCS_OK ||
	    gcs_server_start(self.server, &err) != GCS_OK) {
		fprintf(stderr, "sites-server: %s\n", err.text);
		return 2;
	}
	printf("listening on 127.0.0.1:%d\n", gcs_server_port(self.server));
	fflush(stdout);
	/* A collection every 200 ms, until somebody ends the program. */
	for (;;) {
		struct gcs_ticket ticket;
		if (gcs_server_enter(self.server, 0, &ticket))
			publish(&ticket);
		gcs_server_leave(self.server, &ticket);
		nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
	}
}
