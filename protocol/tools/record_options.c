/* What `gcspy record` can be told. */

#include "tool.h"

#include <gcspy/format.h>

/* Less may not hold the description and a state. */
enum { LEAST_SIZE = 65536 };

static bool choose_size(struct cli_arguments *a, const char *value)
{
	if (gcs_parse_size(value, &a->max_size) && a->max_size >= LEAST_SIZE)
		return true;
	cli_usage("--max-size \"%s\": bytes from %d on are allowed, such as 64m or 1g", value,
	    LEAST_SIZE);
	return false;
}

static bool choose_profiles(struct cli_arguments *a, const char *value)
{
	uint64_t seconds;
	if (gcs_parse_number(value, &seconds) && seconds <= 86400) {
		a->profiles_ms = (uint32_t)seconds * 1000;
		return true;
	}
	cli_usage("--profiles \"%s\": whole seconds from 1 to 86400 are allowed, or 0", value);
	return false;
}

static bool choose_level(struct cli_arguments *a, const char *value)
{
	uint32_t level;
	if (cli_parse_count(value, 9, &level)) {
		a->level = (int)level;
		return true;
	}
	cli_usage("--level \"%s\": 1 (fast) to 9 (small) are allowed", value);
	return false;
}

bool cli_apply_record(struct cli_arguments *a, enum cli_option option, const char *value)
{
	switch (option) {
	case CLI_TRACE:
		a->output = value;
		return true;
	case CLI_FORCE:
		a->force = true;
		return true;
	case CLI_MAX_SIZE:
		return choose_size(a, value);
	case CLI_PROFILES:
		return choose_profiles(a, value);
	case CLI_LEVEL:
		return choose_level(a, value);
	default:
		return false;
	}
}
