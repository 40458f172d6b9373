/*
 * A target for the wire tests, with everything that the toy server lacks: groups, names, ranges,
 * spaces that grow, shrink, are described again, withdrawn and added, a space of more tiles than fit
 * one message, attributes of all kinds, answers, zooms, a token, a Unix socket and a short keep-alive
 * limit. What it shows follows from the number of the tick, which is an attribute, so that tests know it too.
 *
 *	wire-server PORT MILLISECONDS KEEP_ALIVE_MS CLIENTS TOKEN SOCKET
 *
 * TOKEN and SOCKET may be "-" for none; PORT -1 for no TCP. It ends when its standard input does.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/server.h>

#include "wire_plugins.h"
#include "wire_questions.h"
#include "wire_zooms.h"

enum { TICK, TOCK };
enum { LIST, MATRIX, CHANGING, LARGE, FIXED_SPACES };
enum { MATRIX_COLUMNS = 8, MATRIX_TILES = 64, MATRIX_BLOCK = 4096, LARGE_TILES = 70000 };

static const char *const parity_names[] = {"even", "odd"};

static const struct gcs_attribute attributes[] = {
    {.name = "tick", .kind = GCS_ATTRIBUTE_NUMBER},
    {.name = "parity", .kind = GCS_ATTRIBUTE_ENUM, .enum_count = 2, .enum_names = parity_names},
    {.name = "words", .kind = GCS_ATTRIBUTE_TEXT},
    {.name = "sometimes", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_HEX},
};

static const struct gcs_attribute lines[] = {{.name = "path", .kind = GCS_ATTRIBUTE_TEXT}};

static const struct gcs_event events[] = {
    [TICK] = {.name = "Tick",
	.description = "Everything is gathered",
	.colour = 0x102030,
	.attribute_count = 4,
	.attributes = attributes},
    [TOCK] = {.name = "Tock",
	.description = "Only the matrix is gathered",
	.attribute_count = 1,
	.attributes = lines},
};

static const struct gcs_group groups[] = {
    {.name = "Outer", .parent = GCS_NONE}, {.name = "Inner", .parent = 0}};

static const struct gcs_stream list_streams[] = {
    {.name = "Age",
	.type = GCS_TYPE_I64,
	.min = INT64_MIN,
	.max = INT64_MAX,
	.initial = -3,
	.summary = GCS_SUMMARY_TOTAL},
};

static const struct gcs_stream matrix_streams[] = {
    {.name = "Product",
	.type = GCS_TYPE_I32,
	.max = 1000000,
	.maximum = GCS_MAX_OF_EVENT,
	.summary = GCS_SUMMARY_TOTAL,
	.prefix = "about ",
	.suffix = " things",
	.error_stream = 1},
    {.name = "Bound",
	.type = GCS_TYPE_I32,
	.max = 1000000,
	.initial = 7,
	.presentation = GCS_PERCENT,
	.maximum = GCS_MAX_OF_STREAM,
	.max_stream = 0},
    {.name = "Parity",
	.type = GCS_TYPE_I8,
	.min = 5,
	.max = 6,
	.initial = 5,
	.presentation = GCS_ENUM,
	.enum_count = 2,
	.enum_names = parity_names,
	.summary = GCS_SUMMARY_COUNTS},
    {.name = "From", .role = GCS_ROLE_RANGE_START, .type = GCS_TYPE_I64, .max = INT64_MAX},
    {.name = "To", .role = GCS_ROLE_RANGE_END, .type = GCS_TYPE_I64, .max = INT64_MAX},
};

static const struct gcs_stream changing_streams[] = {
    {.name = "One", .max = 100, .initial = 1, .presentation = GCS_PLUS},
    {.name = "Two", .max = 100, .initial = 2, .summary = GCS_SUMMARY_SHARE},
};

static const struct gcs_stream large_streams[] = {
    {.name = "Number", .type = GCS_TYPE_I64, .max = INT64_MAX, .summary = GCS_SUMMARY_TOTAL}};

static const struct gcs_space spaces[FIXED_SPACES] = {
    [LIST] = {.name = "List",
	.kind = GCS_SPACE_LIST,
	.group = 1,
	.tile_title = "Item",
	.stream_count = 1,
	.streams = list_streams},
    [MATRIX] = {.name = "Matrix",
	.kind = GCS_SPACE_MATRIX,
	.columns = MATRIX_COLUMNS,
	.group = 0,
	.main = true,
	.block_bytes = MATRIX_BLOCK,
	.stream_count = 5,
	.streams = matrix_streams,
	.default_stream = 1},
    [CHANGING] = {.name = "Changing",
	.group = GCS_NONE,
	.stream_count = 1,
	.streams = changing_streams},
    [LARGE] = {.name = "Large", .group = GCS_NONE, .stream_count = 1, .streams = large_streams},
};

static void fill_list(struct gcs_snapshot *s, uint32_t tick)
{
	char name[32];
	uint32_t tiles = gcs_snapshot_tiles(s, LIST);
	if (tiles > 40)
		gcs_snapshot_remove_tiles(s, LIST, 3, 30);
	tiles = gcs_snapshot_tiles(s, LIST);
	uint32_t at = tiles == 0 ? 0 : tick % tiles;
	gcs_snapshot_insert_tiles(s, LIST, at, 2);
	snprintf(name, sizeof name, "item %u", tick);
	gcs_snapshot_set_name(s, LIST, at, name);
	if (tick % 4 == 0)
		gcs_snapshot_remove_tiles(s, LIST, 0, 1);
	tiles = gcs_snapshot_tiles(s, LIST);
	if (tiles > 5)
		gcs_snapshot_set_name(s, LIST, 5, tick % 2 == 0 ? "" : "fifth");
	int64_t *ages = gcs_snapshot_write(s, LIST, 0);
	int64_t total = 0;
	for (uint32_t i = 0; ages != NULL && i < tiles; i++) {
		ages[i] += i % 3 == 0 ? 1000003 : 0;
		total += ages[i];
	}
	gcs_snapshot_set_summary(s, LIST, 0, 1, &total);
	snprintf(name, sizeof name, "%u items", tiles);
	gcs_snapshot_set_space_info(s, LIST, name);
	gcs_snapshot_set_gathered(s, LIST, true);
}

static void fill_matrix(struct gcs_snapshot *s, uint32_t tick)
{
	gcs_snapshot_resize(s, MATRIX, MATRIX_TILES);
	int64_t *product = gcs_snapshot_write(s, MATRIX, 0);
	int64_t *parity = gcs_snapshot_write(s, MATRIX, 2);
	int64_t *from = gcs_snapshot_write(s, MATRIX, 3);
	int64_t *to = gcs_snapshot_write(s, MATRIX, 4);
	int64_t total = 0, counts[2] = {0, 0};
	for (uint32_t i = 0; product && parity && from && to && i < MATRIX_TILES; i++) {
		product[i] = (int64_t)tick * i;
		parity[i] = 5 + product[i] % 2;
		from[i] = MATRIX_BLOCK * (int64_t)i;
		to[i] = from[i] + MATRIX_BLOCK;
		total += product[i];
		counts[parity[i] - 5]++;
	}
	gcs_snapshot_set_summary(s, MATRIX, 0, 1, &total);
	gcs_snapshot_set_summary(s, MATRIX, 2, 2, counts);
	gcs_snapshot_set_gathered(s, MATRIX, true);
}

static void fill_others(struct gcs_snapshot *s, uint32_t tick)
{
	int64_t share[2] = {tick, 1000};
	gcs_snapshot_resize(s, CHANGING, 3 + tick % 3);
	int64_t *one = gcs_snapshot_write(s, CHANGING, 0);
	if (one != NULL)
		one[0] = tick;
	gcs_snapshot_set_summary(s, CHANGING, 1, 2, share);
	gcs_snapshot_set_gathered(s, CHANGING, true);
	gcs_snapshot_resize(s, LARGE, LARGE_TILES);
	int64_t *number = gcs_snapshot_write(s, LARGE, 0);
	int64_t total = 0;
	for (uint32_t i = 0; number != NULL && i < LARGE_TILES; i++) {
		if (tick % 8 == 1 && i % 1000 == tick % 1000)
			number[i] = (int64_t)tick << 32;
		else if (tick % 32 == 21)
			number[i] = (int64_t)tick * 4096 * (i * 7919 % 65521);
		total += number[i];
	}
	gcs_snapshot_set_summary(s, LARGE, 0, 1, &total);
	gcs_snapshot_set_gathered(s, LARGE, true);
	for (uint32_t i = FIXED_SPACES; i < gcs_snapshot_model(s)->space_count; i++)
		if (!wire_zooms_has(i))
			gcs_snapshot_resize(s, i, tick % 7);
}

static void publish(struct gcs_server *server, const struct gcs_ticket *t, uint32_t tick)
{
	char words[32];
	struct gcs_snapshot *s = gcs_server_begin(server, t);
	if (s == NULL) {
		gcs_server_miss(server, t);
		return;
	}
	fill_matrix(s, tick);
	wire_zooms_fill(s, tick);
	if (t->event == TICK) {
		fill_list(s, tick);
		fill_others(s, tick);
		snprintf(words, sizeof words, "tick %u", tick);
		gcs_snapshot_set_number(s, 0, tick);
		gcs_snapshot_set_number(s, 1, tick % 2);
		gcs_snapshot_set_text(s, 2, words);
		if (tick % 2 == 0)
			gcs_snapshot_set_number(s, 3, -(int64_t)tick);
	} else {
		snprintf(words, sizeof words, "inner %u\nouter", tick);
		gcs_snapshot_set_text(s, 0, words);
	}
	gcs_server_publish(server, t, s);
}

static void happen(struct gcs_server *server, uint32_t event, uint32_t tick)
{
	struct gcs_ticket ticket;
	char words[32];
	const int64_t numbers[] = {tick, tick % 2, 0, -(int64_t)tick};
	const char *const texts[] = {words, NULL, words, NULL}; /* the first is Tock's */
	const struct gcs_values values = {.known = event != TICK   ? 1u
						   : tick % 2 == 0 ? 15u
								   : 7u,
	    .numbers = numbers,
	    .texts = texts};
	snprintf(words, sizeof words, event == TICK ? "tick %u" : "inner %u\nouter", tick);
	bool wanted = gcs_server_enter(server, event, &ticket);
	if (gcs_server_triggered(server, event))
		wanted = gcs_server_check(server, &ticket, &values);
	if (wanted)
		publish(server, &ticket, tick);
	gcs_server_leave(server, &ticket);
}

/* The space that was added last. */
static uint32_t newest;

/* Changes the description at some ticks; all are valid, so none may fail. */
static enum gcs_status describe(struct gcs_server *server, uint32_t tick, struct gcs_error *err)
{
	struct gcs_space anew = spaces[CHANGING];
	char text[32];
	snprintf(text, sizeof text, "%u", tick);
	enum gcs_status status = GCS_OK;
	if (tick % 5 == 0)
		status = gcs_server_set_info(server, "tick", text, err);
	if (status == GCS_OK && tick % 10 == 7) {
		anew.stream_count = 1 + tick / 10 % 2;
		anew.streams = changing_streams;
		anew.description = text;
		status = gcs_server_set_space(server, CHANGING, &anew, err);
	}
	if (status == GCS_OK && tick % 40 == 21 && tick < 400) {
		struct gcs_group group = {.name = text, .parent = 0};
		uint32_t id;
		status = gcs_server_add_group(server, &group, &id, err);
		anew.name = text;
		anew.group = id;
		if (status == GCS_OK)
			status = gcs_server_add_space(server, &anew, &newest, err);
	}
	if (status == GCS_OK && tick % 40 == 33 && tick < 400)
		status = gcs_server_remove_space(server, newest, err);
	return status;
}

/* True while standard input is open; waits. */
static bool still_wanted(int milliseconds)
{
	struct pollfd p = {.fd = 0, .events = POLLIN};
	return poll(&p, 1, milliseconds) == 0;
}

static enum gcs_status start(struct gcs_server *server, struct gcs_error *err)
{
	enum gcs_status status = gcs_server_set_info(server, "made for", "the wire tests", err);
	for (uint32_t i = 0; status == GCS_OK && i < 2; i++)
		status = gcs_server_add_event(server, &events[i], NULL, err);
	for (uint32_t i = 0; status == GCS_OK && i < 2; i++)
		status = gcs_server_add_group(server, &groups[i], NULL, err);
	for (uint32_t i = 0; status == GCS_OK && i < FIXED_SPACES; i++)
		status = gcs_server_add_space(server, &spaces[i], NULL, err);
	if (status == GCS_OK)
		status = plugins_add(server, err);
	return status == GCS_OK ? gcs_server_start(server, err) : status;
}

int main(int argc, char **argv)
{
	if (argc != 7)
		return fprintf(
			   stderr, "usage: wire-server PORT MS KEEP_ALIVE CLIENTS TOKEN SOCKET\n"),
		       2;
	struct gcs_error err;
	struct gcs_server *server = NULL;
	struct gcs_server_options options = {
	    .name = "Wire server",
	    .port = atoi(argv[1]),
	    .keep_alive_ms = (uint32_t)atoi(argv[3]),
	    .max_clients = (uint32_t)atoi(argv[4]),
	    .token = strcmp(argv[5], "-") == 0 ? NULL : argv[5],
	    .socket_path = strcmp(argv[6], "-") == 0 ? NULL : argv[6],
	    .query = questions_query,
	    .set = questions_set,
	    .zoom = wire_zoom,
	    .unzoom = wire_unzoom,
	    .plugin_at_event = plugins_at_event,
	    .context = &server,
	};
	server = gcs_server_create(&options, &err);
	bool ok = server != NULL && start(server, &err) == GCS_OK;
	if (ok) {
		printf("listening on 127.0.0.1:%d\n", gcs_server_port(server));
		fflush(stdout);
	}
	for (uint32_t tick = 1; ok && still_wanted(atoi(argv[2])); tick++) {
		ok = describe(server, tick, &err) == GCS_OK;
		happen(server, TICK, tick);
		happen(server, TOCK, tick);
		questions_late(server);
	}
	if (!ok)
		fprintf(stderr, "wire-server: %s\n", err.text);
	gcs_server_destroy(server);
	return ok ? 0 : 1;
}
