/* What `gcspy sites` can be told. */

#include "tool.h"

#include <stdlib.h>
#include <string.h>

static bool choose(struct cli_arguments *a, enum gcs_profile_kind kind)
{
	if (a->kind_given && a->kind != kind) {
		cli_usage("--live, --garbage and --allocated: only one of them is allowed");
		return false;
	}
	a->kind_given = true;
	a->kind = kind;
	return true;
}

static bool choose_garbage(struct cli_arguments *a, const char *value)
{
	if (strcmp(value, "recent") == 0)
		return choose(a, GCS_PROFILE_RECENT);
	if (strcmp(value, "frequent") == 0)
		return choose(a, GCS_PROFILE_FREQUENT);
	cli_usage("--garbage \"%s\": recent and frequent are allowed", value);
	return false;
}

static bool choose_format(struct cli_arguments *a, const char *value)
{
	a->format_given = gcs_export_find(value, &a->format);
	if (!a->format_given)
		cli_usage("--format \"%s\": text, collapsed, svg, html, pprof, json and gcspy are "
			  "allowed",
		    value);
	return a->format_given;
}

static bool choose_number(uint32_t *number, const char *option, const char *value, uint32_t most)
{
	if (cli_parse_count(value, most, number))
		return true;
	cli_usage("--%s \"%s\": a number from 1 to %u is allowed", option, value, (unsigned)most);
	return false;
}

bool cli_apply_sites(struct cli_arguments *a, enum cli_option option, const char *value)
{
	switch (option) {
	case CLI_LIVE:
		return choose(a, GCS_PROFILE_LIVE);
	case CLI_GARBAGE:
		return choose_garbage(a, value);
	case CLI_ALLOCATED:
		return choose(a, GCS_PROFILE_ALLOCATED);
	case CLI_TOP:
		return choose_number(&a->filter.top, "top", value, 1000000);
	case CLI_MIN_AGE:
		return choose_number(&a->filter.min_age, "min-age", value, 1000000000);
	case CLI_CLASS:
		a->filter.class_pattern = value;
		return true;
	case CLI_THREAD:
		a->filter.thread_pattern = value;
		return true;
	case CLI_ALL_FRAMES:
		a->filter.all_frames = true;
		return true;
	case CLI_EXPORT:
		return choose_format(a, value);
	case CLI_OUTPUT:
		a->output = value;
		return true;
	case CLI_BASE:
		a->base = value;
		return true;
	case CLI_WHERE:
		a->where = value;
		return true;
	case CLI_SITE:
		a->site = value;
		return true;
	default:
		return cli_apply_trace(a, option, value);
	}
}
