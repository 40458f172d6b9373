/* The figures of a trace, or of a server that is followed for a while. */

#include "follow.h"
#include "operand.h"
#include "stats_page.h"

static struct gcs_stats *collect(const struct cli_arguments *a, struct out *out, int *code)
{
	const struct follow how = {
	    .ms = a->seconds_ms, .events = a->events, .libraries = a->libraries};
	struct contact contact;
	*code = contact_open(&contact, a, CONTACT_EVERY);
	struct gcs_stats *stats = *code == CLI_DONE ? follow(&contact, &how, out, code) : NULL;
	contact_close(&contact);
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
		return cli_usage("%s is no file, and stats of an ADDRESS needs --seconds N or "
				 "--events N: how long to follow the program",
		    a->address);
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
