/*
 * A whole client in well under a hundred lines, using only <gcspy/…>: connects, prints each
 * snapshot's spaces and summaries, leaves after some of them.
 *
 *	toy-client ADDRESS [SNAPSHOTS]
 */
#include <stdio.h>
#include <stdlib.h>

#include <gcspy/client.h>
#include <gcspy/format.h>

static void print(const struct gcs_snapshot *s)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	char text[256];
	printf("#%llu %s\n", (unsigned long long)o->sequence,
	    o->event == GCS_NONE ? "now" : m->events[o->event].name);
	for (uint32_t i = 0; i < m->space_count; i++) {
		if (m->spaces[i].gone)
			continue;
		printf("  %s: %u tiles\n", m->spaces[i].name, gcs_snapshot_tiles(s, i));
		for (uint32_t k = 0; k < m->spaces[i].stream_count; k++)
			if (gcs_format_summary(text, sizeof text, s, i, k)[0] != '\0')
				printf("    %s: %s\n", m->spaces[i].streams[k].name, text);
	}
}

int main(int argc, char **argv)
{
	struct gcs_error err;
	struct gcs_client_options options = {
	    .address = argc > 1 ? argv[1] : "3000", .name = "toy-client"};
	long wanted = argc > 2 ? atol(argv[2]) : 5;
	struct gcs_client *client = gcs_client_open(&options, &err);
	if (client == NULL)
		return fprintf(stderr, "toy-client: %s\n", err.text), 2;
	for (long i = 0; i < wanted; i++) {
		struct gcs_snapshot *s = gcs_client_next(client, 10000);
		if (s == NULL)
			break;
		print(s);
		gcs_snapshot_unref(s);
	}
	if (gcs_client_state(client) == GCS_CLIENT_LOST)
		gcs_client_error(client, &err), fprintf(stderr, "toy-client: %s\n", err.text);
	printf("%llu bytes\n", (unsigned long long)gcs_client_received(client));
	gcs_client_close(client);
	return 0;
}
