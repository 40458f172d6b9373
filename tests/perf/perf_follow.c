/*
 * A client that takes every snapshot of a server until the server ends, and writes one line for each;
 * what the measurements attach. Unlike `gcspy watch` it looks at all spaces, as the visualiser does.
 *
 *	perf-follow ADDRESS [ZOOMS BLOCKS [INTERVAL]]
 *
 * With ZOOMS and BLOCKS it has ZOOMS zooms of the whole heap, each of about BLOCKS blocks. With INTERVAL
 * it takes a snapshot once in this many milliseconds, instead of each.
 *
 * Lines, their fields separated by blanks; names and words come last because they may hold blanks:
 *
 *	server PROCESS TILES      once, at the first snapshot; PROCESS is 0 if the server does not say
 *	event SEQUENCE TIME COST MISSED NAME     times in nanoseconds, COST is what the server's own
 *	                          work has cost its program before this event
 *	end SNAPSHOTS MISSED BYTES WORDS
 *
 * Ends with 0 when the server ended after at least one snapshot.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/client.h>

static const char *process_of(const struct gcs_model *m)
{
	for (uint32_t i = 0; i < m->info_count; i++)
		if (strcmp(m->info[i].key, "Process") == 0)
			return m->info[i].value;
	return "0";
}

static void print_server(const struct gcs_snapshot *s)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint64_t tiles = 0;
	for (uint32_t i = 0; i < m->space_count; i++)
		tiles += gcs_snapshot_tiles(s, i);
	printf("server %s %" PRIu64 "\n", process_of(m), tiles);
}

static void print_event(const struct gcs_snapshot *s)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	const char *name =
	    o->event == GCS_NONE ? "look" : gcs_snapshot_model(s)->events[o->event].name;
	printf("event %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", o->sequence,
	    o->time_ns, o->cost_ns, o->missed, name);
}

/* The addresses that a space's tiles stand for; false if it does not say. */
static bool range_of(const struct gcs_snapshot *s, uint32_t space, uint64_t *low, uint64_t *high)
{
	const struct gcs_space *description = &gcs_snapshot_model(s)->spaces[space];
	uint32_t tiles = gcs_snapshot_tiles(s, space);
	uint32_t start = gcs_space_role(description, GCS_ROLE_RANGE_START);
	uint32_t end = gcs_space_role(description, GCS_ROLE_RANGE_END);
	if (tiles == 0 || start == GCS_NONE || end == GCS_NONE)
		return false;
	*low = (uint64_t)gcs_snapshot_values(s, space, start)[0];
	*high = (uint64_t)gcs_snapshot_values(s, space, end)[tiles - 1];
	return true;
}

/* Asks for the zooms, of the first space that has addresses; false if one is refused. A server that ends
 * meanwhile answers nothing. */
static bool zoom(
    struct gcs_client *client, const struct gcs_snapshot *s, int zooms, uint64_t blocks)
{
	uint64_t low = 0, high = 0, block = GCS_MIN_ZOOM_BLOCK;
	uint32_t space = 0;
	while (space < gcs_snapshot_model(s)->space_count && !range_of(s, space, &low, &high))
		space++;
	while (zooms != 0 && block * blocks < high - low)
		block *= 2;
	for (int i = 0; i < zooms; i++) {
		uint32_t id;
		struct gcs_answer *answer = NULL;
		if (gcs_client_zoom(client, space, low, high, block, &id) == GCS_OK)
			answer = gcs_client_answer(client, id, 10000);
		bool granted = answer != NULL && gcs_answer_space(answer) != GCS_NONE;
		if (answer == NULL && gcs_client_state(client) == GCS_CLIENT_LOST)
			return true;
		if (!granted)
			fprintf(stderr, "perf-follow: no zoom: %s\n",
			    answer != NULL ? answer->message : "no answer");
		gcs_answer_free(answer);
		if (!granted)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct gcs_error err;
	struct gcs_client_options options = {
	    .name = "perf-follow", .connect_timeout_ms = 60000, .queue_limit = 4096};
	if (argc != 2 && argc != 4 && argc != 5) {
		fprintf(stderr, "usage: perf-follow ADDRESS [ZOOMS BLOCKS [INTERVAL]]\n");
		return 2;
	}
	options.address = argv[1];
	struct gcs_client *client = gcs_client_open(&options, &err);
	if (client == NULL) {
		fprintf(stderr, "perf-follow: %s\n", err.text);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	uint64_t snapshots = 0, missed = 0;
	for (;;) {
		struct gcs_snapshot *s = gcs_client_next(client, 1000);
		if (s == NULL && gcs_client_state(client) == GCS_CLIENT_LOST)
			break;
		if (s == NULL)
			continue;
		if (snapshots++ == 0) {
			print_server(s);
			if (argc == 5)
				gcs_client_set_pace(client, GCS_PACE_INTERVAL,
				    (uint32_t)strtoul(argv[4], NULL, 10));
			if (argc >= 4 &&
			    !zoom(client, s, atoi(argv[2]), strtoull(argv[3], NULL, 10)))
				return 2;
		}
		print_event(s);
		missed = gcs_snapshot_occurrence(s)->missed;
		gcs_snapshot_unref(s);
	}
	missed += gcs_client_overrun(client);
	gcs_client_error(client, &err);
	printf("end %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", snapshots, missed,
	    gcs_client_received(client), err.text);
	gcs_client_close(client);
	return snapshots == 0;
}
