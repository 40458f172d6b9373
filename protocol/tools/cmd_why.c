/* `gcspy why-big` and `gcspy why-slow`: one command for each of two questions. */

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "follow.h"
#include "operand.h"
#include "signals.h"
#include "stats_page.h"
#include "why.h"

enum { USUAL_MS = 60000 };

/* A heap whose program frees by itself: nothing is collected there, so nothing here is of use. */
static int refuse_native(const struct cli_arguments *a)
{
	return cli_fail("%s is the native heap of a program, and this command is for Java heaps; "
			"gcspy sites %s --live lists what is allocated",
	    a->address, a->address);
}

static bool is_native(const struct gcs_profile *profile)
{
	return profile != NULL && gcs_profile_head(profile)->explicit_free;
}

static bool serves_native(struct contact *contact)
{
	const struct gcs_info kind = {.key = "kind", .value = "live"};
	struct gcs_answer *answer = contact_ask(contact, "sites", 1, &kind, NULL);
	struct gcs_profile *profile =
	    answer == NULL ? NULL : gcs_profile_decode(answer->bytes, answer->length, NULL);
	const bool native = is_native(profile);
	gcs_profile_free(profile);
	gcs_answer_free(answer);
	return native;
}

/* Figures know it of a snapshot only. */
static bool serves_jvm(struct contact *contact)
{
	struct gcs_model *model = contact == NULL ? NULL : gcs_client_model(contact->client);
	bool found = false;
	for (uint32_t i = 0; model != NULL && i < model->info_count; i++)
		found = found || strcmp(model->info[i].key, "JVM") == 0;
	gcs_model_unref(model);
	return found;
}

/* The address for a next command; a name in capitals if that would be too long for its line. */
static void take_again(struct why *why, const struct cli_arguments *a)
{
	enum { MOST = 400 };
	char address[MOST], token[MOST] = "", all[2 * MOST + 16];
	operand_quote(address, sizeof address, a->address);
	if (a->token_file != NULL)
		operand_quote(token, sizeof token, a->token_file);
	snprintf(
	    all, sizeof all, "%s%s%s", address, token[0] == '\0' ? "" : " --token-file ", token);
	if (strlen(all) >= sizeof why->again)
		snprintf(all, sizeof all, "%s", why->of_file ? "FILE" : "ADDRESS");
	memcpy(why->again, all, strlen(all) + 1);
}

/* Concludes and writes. */
static int answer(const struct cli_arguments *a, const struct gcs_stats *stats,
    struct contact *contact, uint64_t followed_ms, bool sampling, void (*conclude)(struct why *),
    struct out *out)
{
	struct why why = {.arguments = a,
	    .stats = stats,
	    .sampling = sampling,
	    .followed_ns = followed_ms * 1000000,
	    .contact = contact,
	    .of_file = source_is_file(a->address)};
	struct gcs_position position;
	why.replays = contact != NULL && gcs_client_position(contact->client, &position);
	why.jvm = why_info(stats, "JVM")[0] != '\0' || serves_jvm(contact);
	take_again(&why, a);
	conclude(&why);
	if (a->json != 0)
		why_write_json(out, &why);
	else
		why_write_text(out, &why);
	for (uint32_t i = 0; i < why.line_count; i++)
		gcs_free(why.lines[i].chain);
	return CLI_DONE;
}

static int of_file(const struct cli_arguments *a, void (*conclude)(struct why *), struct out *out)
{
	int code = CLI_DONE;
	struct gcs_stats *stats = stats_load(a, a->address, &code);
	if (stats == NULL)
		return code;
	const bool native = stats->live != NULL && is_native(gcs_sites_profile(stats->live));
	code = native ? refuse_native(a) : answer(a, stats, NULL, 0, false, conclude, out);
	gcs_stats_free(stats);
	return code;
}

static int of_server(struct contact *contact, const struct cli_arguments *a, bool samples,
    void (*conclude)(struct why *), struct out *out)
{
	const bool limited = a->seconds_ms != 0 || a->collections != 0;
	const struct follow how = {.ms = limited ? a->seconds_ms : USUAL_MS,
	    .collections = a->collections,
	    .gc = a->gc,
	    .running = true,
	    .libraries = a->libraries};
	int code = CLI_DONE;
	signals_catch(contact->wake[1]);
	const bool sampling = samples && why_start_sampling(contact);
	const uint64_t begin_ms = now_ms();
	struct gcs_stats *stats = follow(contact, &how, out, &code);
	const uint64_t followed_ms = now_ms() - begin_ms;
	contact_discard(contact);
	signals_catch(contact->wake[1]);
	if (stats != NULL)
		code = answer(a, stats, contact_is_lost(contact) ? NULL : contact, followed_ms,
		    sampling, conclude, out);
	if (sampling)
		why_stop_sampling(contact);
	signals_release();
	gcs_stats_free(stats);
	return code;
}

static int run(
    const struct cli_arguments *a, bool samples, void (*conclude)(struct why *), struct out *out)
{
	struct contact contact;
	if (source_is_file(a->address)) {
		if (a->seconds_ms != 0 || a->collections != 0 || a->gc || a->max_pause_ms != 0)
			return cli_usage("%s is a file: --from and --to select its events, and "
					 "nothing is asked of its program",
			    a->address);
		return of_file(a, conclude, out);
	}
	if (a->from != NULL || a->to != NULL)
		return cli_usage("--from and --to are for traces; %s is not a file", a->address);
	int code = contact_open(&contact, a, CONTACT_EVERY);
	if (code == CLI_DONE && serves_native(&contact))
		code = refuse_native(a);
	else if (code == CLI_DONE)
		code = of_server(&contact, a, samples, conclude, out);
	contact_close(&contact);
	return code;
}

int cmd_why_big(const struct cli_arguments *a, struct out *out)
{
	return run(a, true, why_big, out);
}

int cmd_why_slow(const struct cli_arguments *a, struct out *out)
{
	return run(a, false, why_slow, out);
}
