#include "follow.h"

#include <inttypes.h>
#include <stdio.h>

#include "progress.h"
#include "signals.h"

/* Between profiles, where the time to follow is not limited. */
enum { PROFILE_MS = 10000 };

/* Suspects take several, whatever the time to follow is. */
enum { PROFILES = 8 };

enum { LOOK_MS = 250 };

struct following {
	struct contact *contact;
	const struct follow *how;
	struct gcs_stats_builder *builder;
	uint64_t begin_ms, end_ms, fetched_ms;
	uint64_t step_ms; /* between profiles */
	uint32_t fetched; /* of live objects */
	uint64_t events;
	bool refused; /* a collection */
};

static void add_profile(struct following *f, enum gcs_profile_kind kind)
{
	struct gcs_info parameter = {.key = "kind", .value = gcs_profile_kind_word(kind)};
	uint32_t id = 0;
	if (gcs_client_query(f->contact->client, "sites", 1, &parameter, &id) != GCS_OK)
		return;
	struct gcs_answer *answer = contact_complete_answer(f->contact, id);
	/* Without an answer, or where nothing is sampled, there is no profile. */
	if (answer != NULL && answer->status == GCS_OK)
		gcs_stats_add_profile(
		    f->builder, gcs_profile_decode(answer->bytes, answer->length, NULL));
	gcs_answer_free(answer);
}

/* A refusal is a warning: the rest is still worth it. A replay refuses each time. */
static void ask_for_collection(struct following *f)
{
	int code = CLI_DONE;
	struct gcs_answer *answer = contact_query(f->contact, "gc", 0, NULL, &code);
	struct gcs_position position;
	f->refused = answer == NULL && gcs_client_position(f->contact->client, &position);
	gcs_answer_free(answer);
}

/* The first, the middle and the last one come after a collection, if that is asked for. */
static void add_live(struct following *f)
{
	if (f->how->gc && !f->refused && f->fetched % (PROFILES / 2) == 0 && !signals_seen())
		ask_for_collection(f);
	add_profile(f, GCS_PROFILE_LIVE);
	f->fetched_ms = now_ms();
	f->fetched++;
}

static void say_progress(const struct following *f, uint64_t events)
{
	char text[120], whole[40] = "";
	const uint64_t collections = gcs_stats_collections(f->builder);
	if (f->how->ms != 0)
		snprintf(whole, sizeof whole, " of %" PRIu32, f->how->ms / 1000);
	snprintf(text, sizeof text,
	    "%" PRIu64 "%s s, %" PRIu64 " events, %" PRIu64 " collections; ^C ends it",
	    (now_ms() - f->begin_ms) / 1000, whole, events, collections);
	progress_say(text);
}

static bool is_over(const struct following *f, uint64_t events)
{
	return signals_seen() || now_ms() >= f->end_ms ||
	       (f->how->events != 0 && events >= f->how->events) ||
	       (f->how->collections != 0 &&
		   gcs_stats_collections(f->builder) >= f->how->collections);
}

/* Adds the snapshots of a collection that has been asked for. */
static void add_rest(struct following *f, struct out *out)
{
	const uint64_t end_ms = now_ms() + LOOK_MS;
	bool ok = f->how->gc && !signals_seen();
	while (ok && now_ms() < end_ms) {
		struct gcs_snapshot *next = contact_next_at(f->contact, NULL, out, end_ms);
		ok = next != NULL && gcs_stats_add(f->builder, next, f->events++) == GCS_OK;
		gcs_snapshot_unref(next);
	}
}

/* Adds snapshots until a limit is reached. */
static int add_snapshots(struct following *f, struct out *out)
{
	while (!is_over(f, f->events)) {
		const uint64_t look = now_ms() + LOOK_MS;
		struct gcs_snapshot *next =
		    contact_next_at(f->contact, NULL, out, look < f->end_ms ? look : f->end_ms);
		contact_say_notice(f->contact);
		say_progress(f, f->events);
		if (next == NULL && out->error != 0)
			return cli_output_failed(out);
		/* The state when we attached may have come. */
		if (next == NULL && f->how->running && f->events < 2 &&
		    contact_is_paused(f->contact))
			return cli_fail("%s: nothing happens in the program%s", f->contact->address,
			    contact_paused_words(f->contact).text);
		if (next == NULL && contact_is_lost(f->contact)) {
			struct gcs_error err;
			if (f->events == 0)
				return contact_lost(f->contact);
			gcs_client_error(f->contact->client, &err);
			cli_warn("%s: %s; the figures end there", f->contact->address, err.text);
			break;
		}
		const enum gcs_status status =
		    next == NULL ? GCS_OK : gcs_stats_add(f->builder, next, f->events++);
		gcs_snapshot_unref(next);
		if (status != GCS_OK)
			return cli_fail("out of memory");
		if (now_ms() - f->fetched_ms >= f->step_ms)
			add_live(f);
	}
	return CLI_DONE;
}

struct gcs_stats *follow(
    struct contact *contact, const struct follow *how, struct out *out, int *code)
{
	struct following f = {.contact = contact, .how = how, .builder = gcs_stats_begin()};
	struct gcs_stats *stats = NULL;
	f.begin_ms = now_ms();
	f.end_ms = how->ms == 0 ? UINT64_MAX : f.begin_ms + how->ms;
	f.step_ms = how->ms == 0 ? PROFILE_MS : how->ms / PROFILES;
	if (f.builder == NULL) {
		*code = cli_fail("out of memory");
		return NULL;
	}
	signals_catch(contact->wake[1]);
	gcs_stats_set_libraries(f.builder, how->libraries);
	progress_begin("following");
	add_live(&f);
	add_profile(&f, GCS_PROFILE_ALLOCATED);
	*code = add_snapshots(&f, out);
	if (*code == CLI_DONE) {
		/* A recording that is played has its own time. */
		struct gcs_position position;
		if (!gcs_client_position(contact->client, &position))
			gcs_stats_watched(f.builder, (now_ms() - f.begin_ms) * 1000000u);
		f.fetched = 0;
		add_live(&f);
		add_rest(&f, out);
		add_profile(&f, GCS_PROFILE_ALLOCATED);
		stats = gcs_stats_finish(f.builder);
	} else {
		gcs_stats_drop(f.builder);
	}
	progress_end();
	signals_release();
	if (stats == NULL && *code == CLI_DONE)
		*code = cli_fail("out of memory");
	return stats;
}
