/* Profiles as pprof has them: what Parca, Pyroscope, Grafana Alloy and `go tool pprof` fetch. */
#include <stdio.h>
#include <string.h>

#include <microhttpd.h>

#include <gcspy/client.h>
#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "http.h"
#include "now.h"
#include "profile_since.h"
#include "thread.h"

enum { ANSWER_MS = 20000, MOST_SECONDS = 600, SLICE_US = 50000, SEVERAL = 160 };

static void write_pprof(const struct gcs_profile *profile, bool allocations, bool difference,
    struct http_answer *answer)
{
	const struct pprof_form form = {.in_use_first = !allocations, .difference = difference};
	struct gcs_error err;
	answer->type = "application/octet-stream";
	answer->status = MHD_HTTP_OK;
	if (!target_pprof(profile, &form, &answer->body, &err))
		http_say(answer, MHD_HTTP_INTERNAL_SERVER_ERROR, "%s", err.text);
}

struct target *http_choose(struct http *http, const char *instance, struct http_answer *answer)
{
	if (instance != NULL) {
		char several[SEVERAL];
		struct target *found =
		    targets_find(http->targets, instance, several, sizeof several);
		if (found == NULL && several[0] != '\0')
			http_say(answer, MHD_HTTP_NOT_FOUND,
			    "several JVMs have this name: choose one of %s", several);
		else if (found == NULL)
			http_say(answer, MHD_HTTP_NOT_FOUND,
			    "no JVM has this PID, program, socket or container: /targets lists "
			    "them");
		return found;
	}
	size_t count;
	struct target *only = NULL, **all = targets_all(http->targets, &count);
	if (all != NULL && count == 1) {
		only = all[0];
		gcs_free(all);
		return only;
	}
	targets_release_all(http->targets, all, count);
	http_say(answer, MHD_HTTP_BAD_REQUEST,
	    "there are %zu JVMs: choose one with ?instance=PID or ?instance=PROGRAM", count);
	return NULL;
}

static struct gcs_profile *fetch(struct target *target, struct http_answer *answer)
{
	char name[TARGET_NAME];
	struct gcs_error err;
	struct gcs_profile *profile =
	    target_profile(target, GCS_PROFILE_ALLOCATED, ANSWER_MS, &err);
	if (profile == NULL)
		http_say(answer, MHD_HTTP_SERVICE_UNAVAILABLE, "%s: %s", target_name(target, name),
		    err.text);
	return profile;
}

/* Sleeps, unless the program is about to end, or the target has ended: it has answered before. False if the
 * client has gone. */
static bool wait_seconds(
    const struct http *http, const struct target *target, uint64_t seconds, int client)
{
	const uint64_t until = now_ms() + seconds * 1000;
	while (now_ms() < until && !atomic_load(&http->stopping) &&
	       gcs_client_state(target->client) != GCS_CLIENT_LOST) {
		if (net_is_hung_up(client))
			return false;
		thread_sleep_us(SLICE_US);
	}
	return true;
}

/* What is allocated within the next seconds. */
static void profile_seconds(struct http *http, struct target *target, uint64_t seconds, int client,
    struct http_answer *answer)
{
	struct gcs_error err;
	struct gcs_profile *since = NULL, *now = NULL, *base = fetch(target, answer);
	if (base != NULL && !wait_seconds(http, target, seconds, client))
		http_say(answer, MHD_HTTP_SERVICE_UNAVAILABLE, "the client has gone");
	else if (base != NULL && (now = fetch(target, answer)) != NULL) {
		since = profile_since(base, now, &err);
		if (since == NULL)
			http_say(answer, MHD_HTTP_SERVICE_UNAVAILABLE, "%s", err.text);
		else
			write_pprof(since, true, true, answer);
	}
	gcs_profile_free(base);
	gcs_profile_free(now);
	gcs_profile_free(since);
}

static void profile_now(struct target *target, bool allocations, struct http_answer *answer)
{
	struct gcs_profile *profile = fetch(target, answer);
	if (profile != NULL)
		write_pprof(profile, allocations, false, answer);
	gcs_profile_free(profile);
}

void http_profile(struct http *http, struct MHD_Connection *connection, bool allocations,
    struct http_answer *answer)
{
	const char *instance =
	    MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "instance");
	const char *seconds =
	    MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "seconds");
	uint64_t count = 0;
	if (seconds != NULL &&
	    (!gcs_parse_number(seconds, &count) || count == 0 || count > MOST_SECONDS)) {
		http_say(answer, MHD_HTTP_BAD_REQUEST, "seconds: expected a number from 1 to %d",
		    MOST_SECONDS);
		return;
	}
	if (count != 0 && !allocations) {
		http_say(answer, MHD_HTTP_BAD_REQUEST,
		    "seconds is for /debug/pprof/allocs: what is live has no difference in pprof");
		return;
	}
	struct target *target = http_choose(http, instance, answer);
	if (target == NULL)
		return;
	if (count == 0) {
		profile_now(target, allocations, answer);
	} else if (http_begin_wait(http, answer)) {
		profile_seconds(http, target, count, http_socket(connection), answer);
		http_end_wait(http);
	}
	target_release(http->targets, target);
}
