/* The options of the commands that read traces. */
#include "tool.h"

#include <string.h>

static const char *const whats[CLI_WHAT_COUNT] = {
    [CLI_WHAT_SUMMARY] = "summary",
    [CLI_WHAT_STREAM] = "stream",
    [CLI_WHAT_EVENTS] = "events",
    [CLI_WHAT_SITES] = "sites",
};

static bool choose_what(struct cli_arguments *a, const char *value)
{
	for (unsigned i = 0; i < CLI_WHAT_COUNT; i++)
		if (strcmp(whats[i], value) == 0) {
			a->what = (enum cli_what)i;
			a->what_given = true;
			return true;
		}
	cli_usage("--what \"%s\": summary, stream, events and sites are allowed", value);
	return false;
}

static bool choose_kind(struct cli_arguments *a, const char *value)
{
	a->kind_given = gcs_profile_find_kind(value, &a->kind);
	if (!a->kind_given)
		cli_usage("--kind \"%s\": live, recent, frequent and allocated are allowed", value);
	return a->kind_given;
}

bool cli_apply_trace(struct cli_arguments *a, enum cli_option option, const char *value)
{
	switch (option) {
	case CLI_AT:
		a->at = value;
		return true;
	case CLI_WHAT:
		return choose_what(a, value);
	case CLI_KIND:
		return choose_kind(a, value);
	case CLI_STREAM:
		a->stream = value;
		return true;
	default:
		return false;
	}
}
