/*
 * A target whose texts and numbers are as awkward as the model allows: quotes, escape sequences,
 * bytes that are not UTF-8, names that occur twice, the extremes of 64 bits, long lines, a space
 * without tiles and one that is gone. It has events only if asked for them, and answers state requests.
 *
 *	odd-server PORT EVENT_MILLISECONDS [TOKEN [SOCKET]]
 *
 * 0 milliseconds: no events at all. Ends with its input, so that no test leaves one behind.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/plugin.h>
#include <gcspy/server.h>

#define TORN "a \"quote\", a \\, \x1b[31mred\x1b[0m, \xff\xfe, \xc3\xa9, \xe2\x82, end"

enum { TILES = 40, SPACE_LIST = 0, SPACE_EMPTY = 1, SPACE_GONE = 2 };
enum { STREAM_EXTREME, STREAM_STATE, STREAM_START, STREAM_END, STREAM_CONTROL, STREAM_TIME };

static const char *const kinds[] = {"young", TORN};
static const char *const states[] = {"five", "six", "seven"};

static const struct gcs_attribute attributes[] = {
    {.name = "kind", .kind = GCS_ATTRIBUTE_ENUM, .enum_count = 2, .enum_names = kinds},
    {.name = "heap before", .format = GCS_BYTES},
    {.name = "heap after", .format = GCS_BYTES},
    {.name = "pause", .format = GCS_NANOSECONDS},
    {.name = "note", .kind = GCS_ATTRIBUTE_TEXT},
    {.name = "absent"},
};

static const struct gcs_event events[] = {
    {.name = "Twice", .description = TORN, .attribute_count = 6, .attributes = attributes},
    {.name = "Twice"},
};

static const struct gcs_stream streams[] = {
    [STREAM_EXTREME] = {.name = "Extremes",
	.description = TORN,
	.suffix = " things ",
	.type = GCS_TYPE_I64,
	.min = INT64_MIN,
	.max = INT64_MAX,
	.max_stream = GCS_NONE},
    [STREAM_STATE] = {.name = "State",
	.type = GCS_TYPE_I8,
	.presentation = GCS_ENUM,
	.min = 5,
	.max = 7,
	.zero = 5,
	.initial = 5,
	.enum_count = 3,
	.enum_names = states,
	.summary = GCS_SUMMARY_COUNTS,
	.max_stream = GCS_NONE},
    [STREAM_START] = {.name = "From",
	.role = GCS_ROLE_RANGE_START,
	.type = GCS_TYPE_I64,
	.format = GCS_HEX,
	.max = INT64_MAX,
	.max_stream = GCS_NONE},
    [STREAM_END] = {.name = "To",
	.role = GCS_ROLE_RANGE_END,
	.type = GCS_TYPE_I64,
	.format = GCS_HEX,
	.max = INT64_MAX,
	.max_stream = GCS_NONE},
    [STREAM_CONTROL] = {.name = "Control",
	.role = GCS_ROLE_CONTROL,
	.type = GCS_TYPE_I8,
	.max = 63,
	.initial = GCS_TILE_USED,
	.max_stream = GCS_NONE},
    [STREAM_TIME] = {.name = "Time of a name that is much longer than any column of a table",
	.type = GCS_TYPE_I64,
	.max = 1000000000,
	.presentation = GCS_PLUS,
	.format = GCS_NANOSECONDS,
	.summary = GCS_SUMMARY_TOTAL,
	.max_stream = GCS_NONE},
};

struct target {
	struct gcs_server *server;
	atomic_uint looks; /* clients that want the present state */
};

static void want_state(void *context, const struct gcs_ticket *ticket)
{
	struct target *t = context;
	atomic_fetch_or(&t->looks, ticket->audience);
}

static void fill(struct gcs_snapshot *s)
{
	int64_t counts[3] = {TILES, 0, 0}, total = 0;
	gcs_snapshot_resize(s, SPACE_LIST, TILES);
	int64_t *extremes = gcs_snapshot_write(s, SPACE_LIST, STREAM_EXTREME);
	int64_t *starts = gcs_snapshot_write(s, SPACE_LIST, STREAM_START);
	int64_t *ends = gcs_snapshot_write(s, SPACE_LIST, STREAM_END);
	int64_t *bits = gcs_snapshot_write(s, SPACE_LIST, STREAM_CONTROL);
	int64_t *times = gcs_snapshot_write(s, SPACE_LIST, STREAM_TIME);
	if (!extremes || !starts || !ends || !bits || !times)
		exit(1);
	for (int i = 0; i < TILES; i++) {
		extremes[i] = i == 0 ? INT64_MIN : i == 1 ? INT64_MAX : -i;
		starts[i] = 0x7f0000000000 + i * 4096;
		ends[i] = starts[i] + 4096;
		bits[i] = i == 3 ? GCS_TILE_UNUSED : GCS_TILE_USED | GCS_TILE_SEPARATOR;
		times[i] = i * 1000;
		total += times[i];
	}
	gcs_snapshot_set_summary(s, SPACE_LIST, STREAM_STATE, 3, counts);
	gcs_snapshot_set_summary(s, SPACE_LIST, STREAM_TIME, 1, &total);
	gcs_snapshot_set_name(s, SPACE_LIST, 2, TORN);
	gcs_snapshot_set_space_info(s, SPACE_LIST, TORN);
	gcs_snapshot_set_gathered(s, SPACE_LIST, true);
	gcs_snapshot_set_gathered(s, SPACE_EMPTY, false);
}

static void publish(struct gcs_server *server, const struct gcs_ticket *ticket)
{
	struct gcs_snapshot *s = gcs_server_begin(server, ticket);
	if (s == NULL)
		exit(1);
	fill(s);
	if (ticket->event == 0) {
		gcs_snapshot_set_number(s, 0, 1);
		gcs_snapshot_set_number(s, 1, 12 << 20);
		gcs_snapshot_set_number(s, 2, 3 << 20);
		gcs_snapshot_set_number(s, 3, 2100000);
		gcs_snapshot_set_text(s, 4, TORN);
	}
	gcs_server_publish(server, ticket, s);
}

static enum gcs_status describe(struct gcs_server *s, struct gcs_error *err)
{
	static char text[3000];
	uint32_t top = 0, inner = 0;
	enum gcs_status status = GCS_OK;
	struct gcs_space space = {.name = "List " TORN,
	    .description = text,
	    .tile_title = "Thing",
	    .block_info = "a thing to a tile",
	    .kind = GCS_SPACE_LIST,
	    .main = true,
	    .stream_count = 6,
	    .streams = streams};
	for (size_t i = 0; i + 1 < sizeof text; i++)
		text[i] = i % 11 == 10 ? ' ' : 'x';
	for (size_t i = 200; i < 500; i++)
		text[i] = 'y'; /* a word longer than any line */
	for (unsigned i = 0; status == GCS_OK && i < 2; i++)
		status = gcs_server_add_event(s, &events[i], NULL, err);
	if (status == GCS_OK)
		status = gcs_server_set_info(s, "Long", text, err);
	if (status == GCS_OK)
		status = gcs_server_set_info(s, TORN, TORN, err);
	/* A parameter that has to be given, and that nothing describes. */
	const struct gcs_parameter bare = {
	    .name = "at", .description = "", .kind = GCS_PARAMETER_NUMBER};
	const struct gcs_plugin plugin = {.name = "bare",
	    .title = "Bare",
	    .description = "",
	    .kind = GCS_PLUGIN_TEXT,
	    .parameter_count = 1,
	    .parameters = &bare};
	if (status == GCS_OK)
		status = gcs_server_add_plugin(s, &plugin, NULL, err);
	struct gcs_group group = {.name = "Top " TORN, .parent = GCS_NONE};
	if (status == GCS_OK)
		status = gcs_server_add_group(s, &group, &top, err);
	group = (struct gcs_group){.name = "Inner", .parent = top};
	if (status == GCS_OK)
		status = gcs_server_add_group(s, &group, &inner, err);
	space.group = inner;
	if (status == GCS_OK)
		status = gcs_server_add_space(s, &space, NULL, err);
	space.name = "Empty";
	space.group = GCS_NONE;
	space.main = false;
	if (status == GCS_OK)
		status = gcs_server_add_space(s, &space, NULL, err);
	space.name = "Gone";
	if (status == GCS_OK)
		status = gcs_server_add_space(s, &space, NULL, err);
	return status == GCS_OK ? gcs_server_remove_space(s, SPACE_GONE, err) : status;
}

static void happen(struct gcs_server *server, uint32_t event)
{
	struct gcs_ticket ticket;
	if (gcs_server_enter(server, event, &ticket))
		publish(server, &ticket);
	gcs_server_leave(server, &ticket);
}

int main(int argc, char **argv)
{
	struct target target = {0};
	struct gcs_error err = {0};
	struct gcs_server_options options = {
	    .name = TORN,
	    .port = argc > 1 ? atoi(argv[1]) : 0,
	    .token = argc > 3 && argv[3][0] != '\0' ? argv[3] : NULL,
	    .socket_path = argc > 4 ? argv[4] : NULL,
	    .state_request = want_state,
	    .context = &target,
	};
	int pause_ms = argc > 2 ? atoi(argv[2]) : 0;
	target.server = gcs_server_create(&options, &err);
	if (target.server == NULL || describe(target.server, &err) != GCS_OK ||
	    gcs_server_start(target.server, &err) != GCS_OK)
		return fprintf(stderr, "odd-server: %s\n", err.text), 1;
	printf("listening on 127.0.0.1:%d\n", gcs_server_port(target.server));
	fflush(stdout);
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	for (uint32_t i = 0; poll(&input, 1, pause_ms != 0 ? pause_ms : 20) == 0; i++) {
		unsigned audience = atomic_exchange(&target.looks, 0);
		if (audience != 0)
			publish(target.server,
			    &(struct gcs_ticket){.event = GCS_NONE, .audience = audience});
		if (pause_ms != 0)
			happen(target.server, i % 2);
	}
	gcs_server_destroy(target.server);
	return 0;
}
