/* `gcspy why-big` and `gcspy why-slow`: one command for each of two questions. */

#include "follow.h"
#include "operand.h"
#include "signals.h"
#include "stats_page.h"
#include "why.h"

enum { USUAL_MS = 60000 };

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
	conclude(&why);
	if (a->json != 0)
		why_write_json(out, &why);
	else
		why_write_text(out, &why);
	return CLI_DONE;
}

static int of_file(const struct cli_arguments *a, void (*conclude)(struct why *), struct out *out)
{
	int code = CLI_DONE;
	struct gcs_stats *stats = stats_load(a, a->address, &code);
	if (stats == NULL)
		return code;
	code = answer(a, stats, NULL, 0, false, conclude, out);
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
	    .libraries = a->libraries};
	int code = CLI_DONE;
	const bool sampling = samples && why_start_sampling(contact);
	const uint64_t begin_ms = now_ms();
	struct gcs_stats *stats = follow(contact, &how, out, &code);
	const uint64_t followed_ms = now_ms() - begin_ms;
	if (stats != NULL) {
		signals_catch(contact->wake[1]);
		code = answer(a, stats, contact_is_lost(contact) ? NULL : contact, followed_ms,
		    sampling, conclude, out);
		signals_release();
	}
	if (sampling)
		why_stop_sampling(contact);
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
	if (code == CLI_DONE)
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
