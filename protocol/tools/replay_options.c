/* The options of `gcspy replay`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/control.h>

#include "tool.h"

static bool take_port(struct cli_arguments *a, const char *text)
{
	a->port_given = strcmp(text, "0") == 0 || cli_parse_count(text, 65535, &a->port);
	if (!a->port_given)
		cli_usage("--port \"%s\": a number from 0 to 65535 is allowed", text);
	return a->port_given;
}

static bool take_speed(struct cli_arguments *a, const char *text)
{
	char *end;
	a->speed_given = true;
	if (strcmp(text, "original") == 0 || strcmp(text, "fast") == 0) {
		a->speed = strcmp(text, "fast") == 0 ? GCS_SPEED_FASTEST : 1;
		return true;
	}
	a->speed = strtod(text, &end);
	const double size = fabs(a->speed);
	if (strspn(text, "-0123456789.") == strlen(text) && end != text && *end == '\0' &&
	    size >= GCS_SPEED_SLOWEST && size <= GCS_SPEED_FASTEST)
		return true;
	cli_usage("--speed \"%s\": original, fast, or a number from 0.001 to 1000, negative for "
		  "backwards, is allowed",
	    text);
	return false;
}

bool cli_apply_replay(struct cli_arguments *a, enum cli_option option, const char *value)
{
	switch (option) {
	case CLI_PORT:
		return take_port(a, value);
	case CLI_HOST:
		a->host = value;
		return true;
	case CLI_ALLOW:
		a->allow_any_user = strcmp(value, "any") == 0;
		if (a->allow_any_user || strcmp(value, "user") == 0)
			return true;
		cli_usage("--allow \"%s\": user and any are allowed", value);
		return false;
	case CLI_SPEED:
		return take_speed(a, value);
	case CLI_LOOP:
		a->loop = true;
		return true;
	case CLI_ONCE:
		a->once = true;
		return true;
	default:
		if (cli_parse_seconds(value, 0.001, 86400, &a->gap_ms))
			return true;
		cli_usage("--gap \"%s\": seconds from 0.001 to 86400 are allowed", value);
		return false;
	}
}
