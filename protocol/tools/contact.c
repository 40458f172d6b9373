#include "contact.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "operand.h"
#include "show.h"
#include "signals.h"

/* The library gives up at the limit and says why; without that, give up this much later. */
enum { GRACE_MS = 500 };

/* Snapshots that may wait for a command that wants them all. */
enum { EVERY_QUEUE = 256 };

/* Those that are kept while an answer is awaited; with more, reading stops until they are taken. */
enum { KEPT = 16384 };
#define KEPT_BYTES ((size_t)256 << 20)

/* How often a long wait checks whether the output still has a reader, and a signal has come. */
enum { LOOK_MS = 250 };

/* On the client's reader thread. */
static void changed(void *context)
{
	struct contact *contact = context;
	atomic_fetch_add(&contact->changes, 1);
	/* A full pipe is fine: it wakes as well. */
	ssize_t n = write(contact->wake[1], "", 1);
	(void)n;
}

static bool open_wake(int wake[2])
{
	if (pipe(wake) != 0)
		return false;
	for (int i = 0; i < 2; i++)
		if (fcntl(wake[i], F_SETFL, O_NONBLOCK) == -1 ||
		    fcntl(wake[i], F_SETFD, FD_CLOEXEC) == -1)
			return false;
	return true;
}

static int bad_address(const struct contact *contact, const struct gcs_error *err)
{
	if (err->status != GCS_ARGUMENT)
		return cli_fail("%s: %s", contact->address, err->text);
	if (source_is_file(contact->address) && access(contact->address, F_OK) != 0)
		return cli_fail("%s: %s", contact->address, strerror(errno));
	if (source_is_file(contact->address))
		return cli_usage(
		    "%s is a file; `gcspy replay` serves a recording at a port", contact->address);
	return cli_usage("ADDRESS %s", err->text);
}

int contact_open(
    struct contact *contact, const struct cli_arguments *arguments, enum contact_purpose purpose)
{
	*contact = (struct contact){
	    .address = arguments->address,
	    .timeout_ms = arguments->timeout_ms,
	    .wake = {-1, -1},
	    .every = purpose == CONTACT_EVERY || purpose == CONTACT_EVENTS,
	};
	struct gcs_error err;
	if (resolve(arguments->address, &contact->resolved, &err) != GCS_OK)
		return bad_address(contact, &err);
	if (!open_wake(contact->wake))
		return cli_fail("cannot create a pipe: %s", strerror(errno));
	struct gcs_client_options options = {
	    .address = contact->resolved.address,
	    .token = arguments->token,
	    .name = "gcspy " GCS_VERSION_STRING,
	    .connect_timeout_ms = arguments->timeout_ms,
	    .every_snapshot = contact->every,
	    .queue_limit = contact->every ? EVERY_QUEUE : 0,
	    .no_tiles = purpose == CONTACT_EVENTS,
	    .resume_only = purpose == CONTACT_RESUME,
	    .changed = changed,
	    .context = contact,
	};
	contact->client = gcs_client_open(&options, &err);
	if (contact->client == NULL)
		return bad_address(contact, &err);
	switch (gcs_client_wait(contact->client, arguments->timeout_ms + GRACE_MS)) {
	case GCS_CLIENT_LIVE:
		return CLI_DONE;
	case GCS_CLIENT_LOST:
		return contact_lost(contact);
	default:
		/* Closing would wait for the slow part, such as a resolver; returning would free
		 * the reader thread's context. */
		exit(cli_fail("%s: no description within %g s: not a GCspy server, or one that "
			      "does not answer",
		    contact->address, (double)contact->timeout_ms / 1000));
	}
}

static void free_kept(struct contact *contact)
{
	while (contact->kept_first < contact->kept_count)
		gcs_snapshot_unref(contact->kept[contact->kept_first++]);
	gcs_free(contact->kept);
	contact->kept = NULL;
	contact->kept_first = contact->kept_count = 0;
}

void contact_close(struct contact *contact)
{
	free_kept(contact);
	gcs_client_close(contact->client);
	contact->client = NULL;
	for (int i = 0; i < 2; i++)
		if (contact->wake[i] != -1)
			close(contact->wake[i]);
	contact->wake[0] = contact->wake[1] = -1;
}

int contact_run(const struct cli_arguments *a, enum contact_purpose purpose,
    int (*work)(struct contact *, const struct cli_arguments *, struct out *), struct out *out)
{
	struct contact contact;
	int code = contact_open(&contact, a, purpose);
	if (code == CLI_DONE)
		code = contact_choose_event(&contact, a->event);
	if (code == CLI_DONE)
		code = work(&contact, a, out);
	contact_close(&contact);
	return code;
}

void contact_drain(struct contact *contact)
{
	char bytes[64];
	while (read(contact->wake[0], bytes, sizeof bytes) > 0)
		continue;
}

bool contact_wait(struct contact *contact, uint64_t deadline_ms)
{
	for (;;) {
		uint64_t now = now_ms();
		if (now >= deadline_ms)
			return false;
		uint64_t left = deadline_ms - now;
		struct pollfd p = {.fd = contact->wake[0], .events = POLLIN};
		if (poll(&p, 1, left > 60000 ? 60000 : (int)left) > 0) {
			contact_drain(contact);
			return true;
		}
	}
}

bool contact_is_lost(struct contact *contact)
{
	return gcs_client_state(contact->client) == GCS_CLIENT_LOST;
}

int contact_lost(struct contact *contact)
{
	struct gcs_error err;
	gcs_client_error(contact->client, &err);
	if (err.status == GCS_ARGUMENT)
		return cli_usage("ADDRESS %s: %s", contact->address, err.text);
	const char *hint = err.status == GCS_UNREACHABLE ? contact->resolved.hint : "";
	return cli_fail("%s: %s%s%s%s", contact->address, err.text,
	    err.status == GCS_DENIED ? "; give it with --token-file FILE" : "",
	    hint[0] == '\0' ? "" : "; ", hint);
}

void contact_discard(struct contact *contact)
{
	free_kept(contact);
	contact->discards = true;
}

static bool has_room(struct contact *contact)
{
	if (contact->kept == NULL && !contact->discards)
		contact->kept = gcs_zalloc(KEPT * sizeof(struct gcs_snapshot *));
	return contact->discards || (contact->kept != NULL && contact->kept_count < KEPT &&
					contact->kept_bytes < KEPT_BYTES);
}

/* At most: snapshots share the columns that are the same. */
static size_t bytes_of_snapshot(const struct gcs_snapshot *snapshot)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	size_t bytes = 0;
	for (uint32_t i = 0; i < model->space_count; i++)
		bytes += sizeof(int64_t) * gcs_snapshot_tiles(snapshot, i) *
			 model->spaces[i].stream_count;
	return bytes;
}

void contact_take_in(struct contact *contact)
{
	struct gcs_snapshot *next;
	while (contact->every && has_room(contact) &&
	       (next = gcs_client_next(contact->client, 0)) != NULL) {
		if (contact->discards) {
			gcs_snapshot_unref(next);
			continue;
		}
		contact->kept[contact->kept_count++] = next;
		contact->kept_bytes += bytes_of_snapshot(next);
	}
}

struct gcs_snapshot *contact_next(struct contact *contact, uint64_t deadline_ms)
{
	if (contact->kept_first < contact->kept_count)
		return contact->kept[contact->kept_first++];
	contact->kept_first = contact->kept_count = 0;
	contact->kept_bytes = 0;
	uint64_t now = now_ms();
	uint64_t left = deadline_ms > now ? deadline_ms - now : 0;
	return gcs_client_next(contact->client, left > UINT32_MAX ? UINT32_MAX : (uint32_t)left);
}

bool contact_knows_state(struct contact *contact, uint64_t deadline_ms)
{
	/* The first change was the end of the description. */
	while (!contact_is_lost(contact) && atomic_load(&contact->changes) < 2)
		if (!contact_wait(contact, deadline_ms))
			return false;
	return !contact_is_lost(contact);
}

static const char clock_event[] = "Clock";

void contact_leave_out_ticks(struct contact *contact)
{
	static const struct gcs_filter none = {.enabled = false, .period = 1};
	struct gcs_model *model = gcs_client_model(contact->client);
	const uint32_t clock = gcs_model_find_event(model, clock_event);
	if (clock != GCS_NONE)
		gcs_client_set_filter(contact->client, clock, &none);
	gcs_model_unref(model);
}

bool contact_may_hold(const struct gcs_snapshot *snapshot)
{
	return gcs_snapshot_occurrence(snapshot)->event != GCS_NONE &&
	       strcmp(show_event(snapshot), clock_event) != 0;
}

bool contact_is_paused(struct contact *contact)
{
	return gcs_client_run_state(contact->client, NULL, NULL) == GCS_PAUSED;
}

struct contact_words contact_paused_words(struct contact *contact)
{
	struct contact_words words = {""};
	if (contact_is_paused(contact))
		snprintf(words.text, sizeof words.text,
		    "; it is paused, and gcspy resume %.250s lets it go on", contact->address);
	return words;
}

bool contact_wait_state(struct contact *contact, enum gcs_run_state state, uint64_t deadline_ms)
{
	for (;;) {
		contact_drain(contact);
		/* A lost connection reads as running, so it is asked for afterwards. */
		enum gcs_run_state now = gcs_client_run_state(contact->client, NULL, NULL);
		if (contact_is_lost(contact))
			return false;
		if (now == state)
			return true;
		if (!contact_wait(contact, deadline_ms))
			return false;
	}
}

int contact_choose_event(struct contact *contact, const char *name)
{
	static const struct gcs_filter none = {.enabled = false, .period = 1};
	char list[700] = "";
	if (name == NULL)
		return CLI_DONE;
	struct gcs_model *model = gcs_client_model(contact->client);
	bool found = gcs_model_find_event(model, name) != GCS_NONE;
	for (uint32_t i = 0; i < model->event_count; i++) {
		if (!found)
			cli_add_name(list, sizeof list, model->events[i].name);
		else if (strcmp(model->events[i].name, name) != 0)
			gcs_client_set_filter(contact->client, i, &none);
	}
	gcs_model_unref(model);
	return found ? CLI_DONE
		     : cli_usage("--event \"%s\": the server has %s", name,
			   list[0] == '\0' ? "no events" : list);
}

struct gcs_snapshot *contact_next_at(
    struct contact *contact, const char *event, struct out *out, uint64_t deadline_ms)
{
	while (!out_is_orphaned(out) && !signals_seen()) {
		uint64_t now = now_ms();
		uint64_t look = deadline_ms - now > LOOK_MS ? now + LOOK_MS : deadline_ms;
		struct gcs_snapshot *next = contact_next(contact, now < deadline_ms ? look : now);
		if (next != NULL && (event == NULL || strcmp(event, show_event(next)) == 0))
			return next;
		if (next == NULL && (now >= deadline_ms || contact_is_lost(contact)))
			return NULL;
		gcs_snapshot_unref(next);
		if (next != NULL && now >= deadline_ms)
			return NULL;
	}
	return NULL;
}

void contact_say_notice(struct contact *contact)
{
	char words[GCS_MAX_TEXT + 1];
	uint32_t number = gcs_client_notice(contact->client, words, sizeof words);
	if (number != contact->notice)
		cli_warn("%s says: %.400s", contact->address, words);
	contact->notice = number;
}
