/*
 * A client that records what it receives, for the tests of trace files:
 *
 *	wire-recorder ADDRESS FILE EVENTS [PROFILE_EVERY]
 *
 * writes that many snapshots (0: until it is killed), and after each PROFILE_EVERY-th the answer to
 * a question. On standard output it says of each event, when it has been given to the writer, its
 * sequence and the time of the monotonic clock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <gcspy/client.h>
#include <gcspy/trace.h>

static unsigned long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

static enum gcs_status record_profile(
    struct gcs_client *client, struct gcs_trace_writer *writer, struct gcs_error *err)
{
	const struct gcs_info parameter = {"kind", "live"};
	uint32_t id;
	if (gcs_client_query(client, "sites", 1, &parameter, &id) != GCS_OK)
		return gcs_fail(err, GCS_STATE, "cannot ask");
	struct gcs_answer *a = gcs_client_answer(client, id, 5000);
	enum gcs_status status;
	if (a == NULL || a->status != GCS_OK)
		status = gcs_fail(err, GCS_STATE, "no answer");
	else
		status = gcs_trace_write_profile(writer, a->bytes, a->length, err);
	gcs_answer_free(a);
	return status;
}

static enum gcs_status record(struct gcs_client *client, struct gcs_trace_writer *writer,
    unsigned long events, unsigned long every, struct gcs_error *err)
{
	enum gcs_status status = GCS_OK;
	for (unsigned long n = 0; status == GCS_OK && (events == 0 || n < events);) {
		struct gcs_snapshot *s = gcs_client_next(client, 50);
		if (s == NULL && gcs_client_state(client) == GCS_CLIENT_LOST)
			return gcs_fail(err, GCS_CLOSED, "the server has gone");
		if (s != NULL) {
			const unsigned long long at = now_ns();
			status = gcs_trace_write(writer, s, err);
			printf("%llu %llu\n",
			    (unsigned long long)gcs_snapshot_occurrence(s)->sequence, at);
			fflush(stdout);
			n++;
			if (every != 0 && n % every == 0 && status == GCS_OK)
				status = record_profile(client, writer, err);
		} else {
			status = gcs_trace_flush(writer, false, err);
		}
		gcs_snapshot_unref(s);
	}
	return status;
}

int main(int argc, char **argv)
{
	struct gcs_error err;
	if (argc < 4)
		return fprintf(stderr, "usage: wire-recorder ADDRESS FILE EVENTS [EVERY]\n"), 2;
	struct gcs_trace_writer *writer =
	    gcs_trace_create(&(struct gcs_trace_options){.path = argv[2]}, &err);
	struct gcs_client_options options = {.address = argv[1],
	    .name = "wire-recorder",
	    .every_snapshot = true,
	    .queue_limit = 4096};
	struct gcs_client *client = writer == NULL ? NULL : gcs_client_open(&options, &err);
	enum gcs_status status = GCS_STATE;
	if (client != NULL && gcs_client_wait(client, 10000) == GCS_CLIENT_LIVE)
		status = record(client, writer, strtoul(argv[3], NULL, 10),
		    argc > 4 ? strtoul(argv[4], NULL, 10) : 0, &err);
	if (status != GCS_OK)
		fprintf(stderr, "wire-recorder: %s\n", err.text);
	gcs_client_close(client);
	if (gcs_trace_finish(writer, &err) != GCS_OK && status == GCS_OK)
		status = err.status;
	return status == GCS_OK ? 0 : 1;
}
