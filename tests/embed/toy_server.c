/*
 * A whole target in some 130 lines, using only <gcspy/…>: a toy heap of 64 blocks that fills at
 * random and is emptied by a "collection". Everything that a memory manager has to write in order
 * to be seen is here (F20).
 *
 *	toy-server [PORT [EVENTS [MILLISECONDS]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <gcspy/server.h>

enum { BLOCKS = 64, BLOCK_BYTES = 4096 };
enum { COLLECTION_START, COLLECTION_END };
enum { STREAM_USED, STREAM_STATE, STREAM_CONTROL };

static const char *const state_names[] = {"empty", "partly used", "full"};

static const struct gcs_attribute attributes[] = {{.name = "used before", .format = GCS_BYTES}};

static const struct gcs_stream streams[] = {
    [STREAM_USED] = {.name = "Used",
	.type = GCS_TYPE_I32,
	.presentation = GCS_PERCENT,
	.max = BLOCK_BYTES,
	.paint = GCS_PAINT_ZERO,
	.format = GCS_BYTES,
	.suffix = " bytes",
	.summary = GCS_SUMMARY_SHARE,
	.colour = 0x3070d0},
    [STREAM_STATE] = {.name = "State",
	.type = GCS_TYPE_I8,
	.presentation = GCS_ENUM,
	.max = 2,
	.enum_count = 3,
	.enum_names = state_names,
	.summary = GCS_SUMMARY_COUNTS},
    [STREAM_CONTROL] = {.name = "Control",
	.role = GCS_ROLE_CONTROL,
	.type = GCS_TYPE_I8,
	.max = 63,
	.initial = GCS_TILE_USED},
};

static const struct gcs_space space = {.name = "Toy heap",
    .description = "Blocks that fill at random",
    .tile_title = "Block",
    .block_info = "4 KiB to a block",
    .unused_text = "not in use",
    .group = GCS_NONE,
    .main = true,
    .block_bytes = BLOCK_BYTES,
    .stream_count = 3,
    .streams = streams};

static int used[BLOCKS];

static void publish(struct gcs_server *server, const struct gcs_ticket *ticket, int64_t before)
{
	struct gcs_snapshot *s = gcs_server_begin(server, ticket);
	if (s == NULL || !gcs_snapshot_resize(s, 0, BLOCKS)) {
		gcs_snapshot_unref(s);
		gcs_server_miss(server, ticket);
		return;
	}
	int64_t *values = gcs_snapshot_write(s, 0, STREAM_USED);
	int64_t *states = gcs_snapshot_write(s, 0, STREAM_STATE);
	int64_t total[2] = {0, BLOCKS * BLOCK_BYTES}, counts[3] = {0};
	for (int i = 0; values != NULL && states != NULL && i < BLOCKS; i++) {
		values[i] = used[i];
		states[i] = used[i] == 0 ? 0 : used[i] < BLOCK_BYTES ? 1 : 2;
		total[0] += used[i];
		counts[states[i]]++;
	}
	gcs_snapshot_set_number(s, 0, before);
	gcs_snapshot_set_summary(s, 0, STREAM_USED, 2, total);
	gcs_snapshot_set_summary(s, 0, STREAM_STATE, 3, counts);
	gcs_snapshot_set_gathered(s, 0, true);
	gcs_server_publish(server, ticket, s);
}

static void event(struct gcs_server *server, uint32_t id, int64_t before)
{
	struct gcs_ticket ticket;
	bool wanted = gcs_server_enter(server, id, &ticket);
	if (gcs_server_triggered(server, id))
		wanted = gcs_server_check(server, &ticket,
		    &(struct gcs_values){.known = 1, .numbers = (const int64_t[]){before}});
	if (wanted)
		publish(server, &ticket, before);
	gcs_server_leave(server, &ticket);
}

int main(int argc, char **argv)
{
	struct gcs_error err;
	struct gcs_server_options options = {
	    .name = "Toy server", .port = argc > 1 ? atoi(argv[1]) : 3000};
	long events = argc > 2 ? atol(argv[2]) : 1000000, pause_ms = argc > 3 ? atol(argv[3]) : 100;
	struct gcs_server *server = gcs_server_create(&options, &err);
	if (server == NULL ||
	    gcs_server_add_event(server,
		&(struct gcs_event){.name = "Collection start",
		    .colour = 0xe69f00,
		    .attribute_count = 1,
		    .attributes = attributes},
		NULL, &err) != GCS_OK ||
	    gcs_server_add_event(server,
		&(struct gcs_event){.name = "Collection end",
		    .colour = 0x56b4e9,
		    .attribute_count = 1,
		    .attributes = attributes},
		NULL, &err) != GCS_OK ||
	    gcs_server_add_space(server, &space, NULL, &err) != GCS_OK ||
	    gcs_server_start(server, &err) != GCS_OK)
		return fprintf(stderr, "toy-server: %s\n", err.text), 1;
	printf("listening on 127.0.0.1:%d\n", gcs_server_port(server));
	fflush(stdout);
	for (long i = 0; i < events; i++) {
		nanosleep(&(struct timespec){.tv_sec = pause_ms / 1000,
			      .tv_nsec = pause_ms % 1000 * 1000000},
		    NULL);
		int64_t before = 0;
		for (int k = 0; k < BLOCKS; k++) {
			int filled = used[k] + rand() % 2048;
			before += used[k] = filled > BLOCK_BYTES ? BLOCK_BYTES : filled;
		}
		event(server, COLLECTION_START, before);
		for (int k = 0; k < BLOCKS; k++)
			used[k] = rand() % 3 == 0 ? 0 : used[k];
		event(server, COLLECTION_END, before);
	}
	gcs_server_destroy(server);
	return 0;
}
