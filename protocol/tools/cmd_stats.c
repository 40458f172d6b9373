/* The figures of a trace, or of a server that is followed for a while. */

#include "contact.h"
#include "operand.h"
#include "stats_page.h"

/* Between profiles, where the time to follow is not limited. */
enum { PROFILE_MS = 10000 };

/* A profile, or NULL if the server has none. */
static struct gcs_profile *fetch(struct contact *contact, enum gcs_profile_kind kind)
{
	struct gcs_info parameter = {.key = "kind", .value = gcs_profile_kind_word(kind)};
	struct gcs_profile *profile = NULL;
	uint32_t id = 0;
	if (gcs_client_query(contact->client, "sites", 1, &parameter, &id) != GCS_OK)
		return NULL;
	struct gcs_answer *answer = gcs_client_answer(contact->client, id, contact->timeout_ms);
	if (answer != NULL && answer->status == GCS_OK)
		profile = gcs_profile_decode(answer->bytes, answer->length, NULL);
	gcs_answer_free(answer);
	return profile;
}

/* The figures up to the end of the program are still written. */
static void warn_lost(struct contact *contact)
{
	struct gcs_error err;
	gcs_client_error(contact->client, &err);
	cli_warn("%s: %s; the figures end there", contact->address, err.text);
}

/* Adds snapshots until the time or the number of events is reached. */
static int follow(struct contact *contact, const struct cli_arguments *a,
    struct gcs_stats_builder *builder, struct out *out)
{
	const uint64_t deadline = a->seconds_ms == 0 ? UINT64_MAX : now_ms() + a->seconds_ms;
	uint64_t fetched = now_ms();
	gcs_stats_set_libraries(builder, a->libraries);
	gcs_stats_add_profile(builder, fetch(contact, GCS_PROFILE_LIVE));
	for (uint32_t i = 0; a->events == 0 || i < a->events; i++) {
		struct gcs_snapshot *next = contact_next_at(contact, NULL, out, deadline);
		contact_say_notice(contact);
		if (next == NULL && out->error != 0)
			return cli_output_failed(out);
		if (next == NULL && contact_is_lost(contact) && i == 0)
			return contact_lost(contact);
		if (next == NULL && contact_is_lost(contact))
			warn_lost(contact);
		if (next == NULL)
			break;
		const enum gcs_status status = gcs_stats_add(builder, next, i);
		gcs_snapshot_unref(next);
		if (status != GCS_OK)
			return cli_fail("out of memory");
		/* Suspects take several, whatever the time to follow is. */
		if (now_ms() - fetched < (a->seconds_ms == 0 ? PROFILE_MS : a->seconds_ms / 8))
			continue;
		gcs_stats_add_profile(builder, fetch(contact, GCS_PROFILE_LIVE));
		fetched = now_ms();
	}
	gcs_stats_add_profile(builder, fetch(contact, GCS_PROFILE_LIVE));
	gcs_stats_add_profile(builder, fetch(contact, GCS_PROFILE_ALLOCATED));
	return CLI_DONE;
}

static struct gcs_stats *collect(const struct cli_arguments *a, struct out *out, int *code)
{
	struct contact contact;
	struct gcs_stats *stats = NULL;
	*code = contact_open(&contact, a, CONTACT_EVERY);
	struct gcs_stats_builder *builder = *code == CLI_DONE ? gcs_stats_begin() : NULL;
	if (*code == CLI_DONE)
		*code =
		    builder == NULL ? cli_fail("out of memory") : follow(&contact, a, builder, out);
	contact_close(&contact);
	if (*code != CLI_DONE)
		gcs_stats_drop(builder);
	else if ((stats = gcs_stats_finish(builder)) == NULL)
		*code = cli_fail("out of memory");
	return stats;
}

/* Refuses options that do not fit the source. */
static int check(const struct cli_arguments *a, bool file)
{
	const bool limited = a->events != 0 || a->seconds_ms != 0;
	if (file && limited)
		return cli_usage("--events and --seconds are for an ADDRESS; %s is a file, "
				 "--from and --to select its events",
		    a->address);
	if (!file && (a->from != NULL || a->to != NULL))
		return cli_usage("--from and --to are for traces; %s is not a file", a->address);
	if (!file && !limited)
		return cli_usage("stats of an ADDRESS needs --seconds N or --events N: how long to "
				 "follow the program");
	return CLI_DONE;
}

int cmd_stats(const struct cli_arguments *a, struct out *out)
{
	const bool file = source_is_file(a->address);
	int code = check(a, file);
	if (code != CLI_DONE)
		return code;
	struct gcs_stats *stats = file ? stats_load(a, a->address, &code) : collect(a, out, &code);
	if (stats == NULL)
		return code;
	if (a->json)
		stats_write_json(out, stats, a->address);
	else
		stats_write_text(out, stats, a->address);
	gcs_stats_free(stats);
	return CLI_DONE;
}
