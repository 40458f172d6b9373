/* The table of options, and how each one's value is read. */

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/control.h>
#include <gcspy/format.h>
#include <gcspy/token.h>

#include "option_values.h"
#include "sites.h"
#include "text.h"
#include "tool.h"
#include "utf8.h"
#include "zoom_request.h"

/* A smaller trace may not hold the description and one state. */
enum { LEAST_TRACE = 65536 };

static bool take_token(struct cli_arguments *a, const struct cli_option *o, const char *value)
{
	static char token[GCS_MAX_TOKEN + 1];
	char warning[GCS_TOKEN_WARNING];
	struct gcs_error err;
	if (gcs_token_read(value, token, warning, &err) != GCS_OK) {
		cli_usage("%s: %s", o->name, err.text);
		return false;
	}
	if (warning[0] != '\0')
		cli_warn("warning: %s", warning);
	a->token = token;
	a->token_file = value;
	return true;
}

static bool take_zoom(struct cli_arguments *a, const struct cli_option *o, const char *value)
{
	return zoom_parse_range(value, &a->zoom_start, &a->zoom_end) ||
	       option_expect(o, value, "two addresses, the second above the first: 0xSTART-0xEND");
}

static bool take_speed(struct cli_arguments *a, const struct cli_option *o, const char *value)
{
	char *end;
	if (strcmp(value, "original") == 0 || strcmp(value, "fast") == 0) {
		a->speed = value[0] == 'f' ? GCS_SPEED_FASTEST : 1;
		return true;
	}
	a->speed = strtod(value, &end);
	const double size = fabs(a->speed);
	return (strspn(value, "-0123456789.") == strlen(value) && end != value && *end == '\0' &&
		   size >= GCS_SPEED_SLOWEST && size <= GCS_SPEED_FASTEST) ||
	       option_expect(o, value,
		   "original, fast, or a number from 0.001 to 1000, negative for backwards");
}

/* "--live", "--garbage recent", "--kind live": the kind is the value or the option's own name. */
static bool take_kind(struct cli_arguments *a, const struct cli_option *o, const char *value)
{
	enum gcs_profile_kind kind;
	uint32_t place;
	if (o->argument[0] == '\0')
		value = o->name + 2;
	else if (!option_find_choice(o, value, &place))
		return option_expect_choice(o, value);
	if (!gcs_profile_find_kind(value, &kind) || (a->kind_given && a->kind != kind)) {
		cli_usage("--live, --garbage and --allocated exclude each other");
		return false;
	}
	a->kind_given = true;
	a->kind = kind;
	return true;
}

/* The number of JSON in each --format but that of sites is 1. */
static bool take_json(struct cli_arguments *a, const struct cli_option *o, const char *value)
{
	(void)o;
	(void)value;
	a->json = 1;
	a->format = GCS_EXPORT_JSON;
	return true;
}

/* A part of the formats of sites, by the same names. */
static bool take_format(struct cli_arguments *a, const struct cli_option *o, const char *value)
{
	uint32_t place;
	if (!option_find_choice(o, value, &place))
		return option_expect_choice(o, value);
	a->format = 0;
	while (strcmp(gcs_export_word((enum gcs_export_format)a->format), value) != 0)
		a->format++;
	return true;
}

/* No call site has the number 0, which asks a server for all of them. */
static bool take_site(struct cli_arguments *a, const struct cli_option *o, const char *value)
{
	uint64_t number = 0;
	a->site = value;
	return (gcs_site_number_parse(value, &number) && number != 0) ||
	       option_expect(o, value, "the 12 hexadecimal digits that `gcspy sites` shows");
}

/* The same of a tile's address. */
static bool take_tile(struct cli_arguments *a, const struct cli_option *o, const char *value)
{
	char *end;
	a->tile = value;
	return (strtoull(value, &end, 16) != 0 && *end == '\0') ||
	       option_expect(o, value, "an address in the heap: 0xADDRESS");
}

static bool take_library(struct cli_arguments *a, const struct cli_option *o, const char *value)
{
	size_t count = 0;
	while (a->libraries[count] != NULL)
		count++;
	if (count == CLI_LIBRARIES)
		return cli_usage("%s: at most %d", o->name, CLI_LIBRARIES), false;
	if (value[0] == '\0')
		return option_expect(o, value, "the beginning of class names, such as org.apache.");
	a->libraries[count] = value;
	return true;
}

/* A name as Prometheus has it, whose own begin with "__"; in a value Pyroscope has no way to write , { }. */
static bool is_label(const char *label, size_t name)
{
	const char *value = label + name + 1;
	bool good = label[name] == '=' && *value != '\0' && strlen(label) <= CLI_LABEL &&
		    strcspn(label, "0123456789") != 0 && strncmp(label, "__", 2) != 0 &&
		    strpbrk(value, ",{}") == NULL;
	while (good && *value != '\0')
		good = !text_is_hidden(utf8_next(&value));
	return good;
}

static bool take_label(struct cli_arguments *a, const struct cli_option *o, const char *value)
{
	const size_t name =
	    strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
	size_t count = 0;
	if (name == 0 || !is_label(value, name))
		return option_expect(o, value,
		    "NAME=VALUE: letters, digits and _, no digit and no __ first; a text without , "
		    "{ }");
	for (; a->labels[count] != NULL; count++)
		if (strncmp(a->labels[count], value, name + 1) == 0)
			return cli_usage("%s %.*s: given twice", o->name, (int)name, value), false;
	if (count == CLI_LABELS)
		return cli_usage("%s: at most %d", o->name, CLI_LABELS), false;
	a->labels[count] = value;
	return true;
}

#define FIELD(name) .offset = offsetof(struct cli_arguments, name)

#define JSON_COMMANDS                                                                              \
	"info dump watch pause resume step gc tiles record why-big why-slow stats diff set ask "   \
	"trigger attach detach list version"

static const struct cli_option options[] = {
    {"--token-file", "FILE", "Give the server the token in FILE's first line",
	"info dump watch pause resume step sites paths histogram gc tiles replay why-big why-slow "
	"stats record set "
	"ask trigger",
	.take = take_token},
    {"--via", "URL", "Reach it through the `gcspy serve` there: http://HOST:PORT",
	"info dump watch pause resume step sites paths histogram gc tiles why-big why-slow stats "
	"record set ask trigger",
	CLI_TEXT, FIELD(via)},
    {"--token-file", "FILE", "Clients need the token in FILE's first line", "run serve push",
	CLI_TEXT, FIELD(token_file)},
    {"--timeout", "SECONDS", "Longest wait for the server, 0.1 to 86400; 10 unless given",
	"info dump watch pause resume step sites paths histogram gc tiles why-big why-slow stats "
	"record set ask "
	"trigger attach detach",
	CLI_SECONDS, FIELD(timeout_ms), 100, 86400000},
    {"--format", "text|json", "How to write; text unless given", JSON_COMMANDS, CLI_CHOICE,
	FIELD(json)},
    {"--json", "", "The same as --format json", JSON_COMMANDS " sites paths histogram",
	.take = take_json},
    {"--color", "auto|always|never", "When to color; on terminals unless NO_COLOR is set",
	"why-big why-slow stats", CLI_CHOICE, FIELD(color)},
    {"--event", "NAME", "Only this event", "dump watch record", CLI_TEXT, FIELD(event)},
    {"--space", "NAME", "Only this space", "dump export", CLI_TEXT, FIELD(space)},
    {"--events", "N", "End after N snapshots, 1 to 1000000000", "dump watch stats record",
	CLI_NUMBER, FIELD(events), 1, 1000000000},
    {"--seconds", "N", "End after N seconds, 0.1 to 1000000",
	"watch pause why-big why-slow stats record", CLI_SECONDS, FIELD(seconds_ms), 100,
	1000000000},
    {"--collections", "N", "End after N collections, 1 to 1000000", "why-big why-slow", CLI_NUMBER,
	FIELD(collections), 1, 1000000},
    {"--values", "", "Also list each tile's values in text", "dump", CLI_FLAG, FIELD(values)},
    {"--zoom", "0xSTART-0xEND", "Only the memory between two addresses, in finer blocks", "dump",
	.take = take_zoom},
    {"--block", "SIZE", "Bytes per block with --zoom, such as 4k; a power of two from 16", "dump",
	CLI_POWER, FIELD(block), GCS_MIN_ZOOM_BLOCK, (uint64_t)1 << 40},
    {"--name", "NAME", "The trigger's name; one of the same name is replaced", "trigger", CLI_TEXT,
	FIELD(name)},
    {"--do", "pause|record|command", "What happens when it fires, besides a line", "trigger",
	CLI_CHOICE, FIELD(action)},
    {"--command", "CMD", "The command of --do command, for sh", "trigger", CLI_TEXT,
	FIELD(command)},
    {"--nth", "N", "Fire each Nth time that the condition holds, 1 to 1000000000", "trigger",
	CLI_NUMBER, FIELD(nth), 1, 1000000000},
    {"--most", "N", "Fire at most N times, 1 to 1000000000, then end", "trigger", CLI_NUMBER,
	FIELD(most), 1, 1000000000},
    {"--plugin", "NAME", "Ask this plugin when it fires, if it answers at events", "trigger",
	CLI_TEXT, FIELD(asked)},
    {"--keep", "", "Leave the trigger set, and end at once", "trigger", CLI_FLAG, FIELD(keep)},
    {"--list", "", "List the triggers of all clients", "trigger", CLI_FLAG, FIELD(list)},
    {"--remove", "NAME", "Remove a trigger that was kept", "trigger", CLI_TEXT, FIELD(remove)},
    {"--agent", "FILE", "The agent's library; the one beside gcspy unless given",
	"attach serve push", CLI_TEXT, FIELD(agent)},
    {"--live", "", "Objects that survived a collection; the default", "sites", .take = take_kind},
    {"--garbage", "recent|frequent", "Objects that died", "sites", .take = take_kind},
    {"--allocated", "", "Everything allocated since sampling began", "sites", .take = take_kind},
    {"--top", "N", "The N largest sites, 1 to 1000000; in text 20 unless given", "sites export",
	CLI_NUMBER, FIELD(filter.top), 1, 1000000},
    {"--class", "REGEX", "Only objects whose class name matches", "sites export", CLI_TEXT,
	FIELD(filter.class_pattern), 1},
    {"--class", "NAME", "Only objects of the class with this name, or whose name ends so", "paths",
	CLI_TEXT, FIELD(filter.class_pattern), 1},
    {"--thread", "REGEX", "Only objects of threads whose name matches", "sites export", CLI_TEXT,
	FIELD(filter.thread_pattern), 1},
    {"--min-age", "N", "Only objects that survived N or more collections", "sites paths export",
	CLI_NUMBER, FIELD(filter.min_age), 1, 1000000000},
    {"--with-new", "", "Also what no collection has judged yet, in a column of its own",
	"sites export", CLI_FLAG, FIELD(filter.with_new)},
    {"--by", "site|class|frame|thread|package",
	"What a row is; frame, package: first outside JDK and libraries", "sites export",
	CLI_CHOICE, FIELD(filter.by)},
    {"--library", "PREFIX", "Classes that are not your program's, such as org.apache.; repeatable",
	"sites export why-big why-slow stats diff report", .take = take_library},
    {"--min-size", "SIZE", "Only objects of SIZE or more, such as 512k", "sites export", CLI_SIZE,
	FIELD(filter.min_size), 1, (uint64_t)1 << 62},
    {"--all-frames", "", "Also show runtime frames", "sites export", CLI_FLAG,
	FIELD(filter.all_frames)},
    {"--format", "text|collapsed|svg|html|pprof|json|gcspy",
	"How to write; by FILE's name unless given, else text", "sites export", CLI_CHOICE,
	FIELD(format)},
    {"--output", "FILE", "Write to FILE, whole or not at all; also -o FILE",
	"sites paths histogram export report", CLI_TEXT, FIELD(output)},
    {"--base", "FILE", "What changed since the profile in FILE", "sites export", CLI_TEXT,
	FIELD(base)},
    {"--where", "PLACE", "Only there: old, humongous, Eden, native, tile=0xADDRESS, range=0xA-0xB",
	"sites paths export", CLI_TEXT, FIELD(where), 1},
    {"--tile", "0xADDRESS", "Only objects in the tile of the heap map with this address", "paths",
	.take = take_tile},
    {"--max-pause", "MS", "Longest single pause to begin, 1 to 600000; the agent's unless given",
	"paths why-big", CLI_MS, FIELD(max_pause_ms), 1, 600000},
    {"--estimate", "", "Only say what the search would cost", "paths", CLI_FLAG, FIELD(estimate)},
    {"--raw", "", "Each reference: the inside of collections too", "paths", CLI_FLAG, FIELD(raw)},
    {"--format", "text|json|collapsed|svg|html",
	"How to write; by FILE's name unless given, else text", "paths", .take = take_format},
    {"--live", "", "Ask for a collection first, which pauses the program", "histogram", CLI_FLAG,
	FIELD(live)},
    {"--format", "text|json|gcspy", "How to write; by FILE's name unless given, else text",
	"histogram", .take = take_format},
    {"--base", "FILE", "What changed since the histogram in FILE", "histogram", CLI_TEXT,
	FIELD(base)},
    {"--top", "N", "The N classes with most bytes, 1 to 1000000; in text 20 unless given",
	"histogram", CLI_NUMBER, FIELD(filter.top), 1, 1000000},
    {"--gc", "", "Ask for a collection first, which pauses the program", "sites", CLI_FLAG,
	FIELD(gc)},
    {"--gc", "", "Ask for three collections meanwhile, each of which pauses the program", "why-big",
	CLI_FLAG, FIELD(gc)},
    {"--site", "NUMBER", "The call site with this number, as `gcspy sites` shows it", "paths tiles",
	.take = take_site},
    {"--port", "N", "Port to listen on, 0 to 65535 (0: any free port); 3000 unless given", "replay",
	CLI_NUMBER, FIELD(port), 0, 65535},
    {"--port", "N", "TCP port to listen on, 0 to 65535 (0: any free port)", "run", CLI_NUMBER,
	FIELD(run_port), 0, 65535},
    {"--host", "ADDRESS", "Address to listen on; 127.0.0.1 unless given, others only with a token",
	"replay run", CLI_TEXT, FIELD(host)},
    {"--socket", "PATH", "Unix socket to listen on; %p stands for the process number", "run",
	CLI_TEXT, FIELD(socket)},
    {"--socket", "PATH", "Unix socket to listen on, with mode 0600; then no port", "replay",
	CLI_TEXT, FIELD(socket)},
    {"--allow", "user|any", "Who may connect: you and root (the default), or any local user",
	"replay run serve push", CLI_CHOICE, FIELD(allow_any_user)},
    {"--speed", "X", "Factor from 0.001 to 1000, negative backwards, or original or fast", "replay",
	.take = take_speed},
    {"--loop", "", "Start over at the end", "replay", CLI_FLAG, FIELD(loop)},
    {"--once", "", "Exit once a client has been shown everything", "replay", CLI_FLAG, FIELD(once)},
    {"--gap", "SECONDS", "Longest wait between two events, 0.001 to 86400", "replay", CLI_SECONDS,
	FIELD(gap_ms), 1, 86400000},
    {"--from", "WHERE", "Begin at an event's number, a time such as 90s, 5m or 1h, or a date",
	"why-big why-slow stats diff export report", CLI_TEXT, FIELD(from)},
    {"--to", "WHERE", "End there, inclusive; a date is written 2026-05-04T13:02:11Z",
	"why-big why-slow stats diff export report", CLI_TEXT, FIELD(to)},
    {"--output", "FILE", "Record to FILE; also -o FILE", "record", CLI_TEXT, FIELD(output)},
    {"--output", "FILE", "Record the run to FILE; also -o FILE; %p: the process number", "run",
	CLI_TEXT, FIELD(output)},
    {"--update", "MS", "Milliseconds between updates, 0 to 60000 (0: each event); 50 unless given",
	"run", CLI_MS, FIELD(update_ms), 0, 60000},
    {"--wait", "", "Wait for the first client before the program begins", "run", CLI_FLAG,
	FIELD(wait)},
    {"--children", "", "Also show processes that the program starts, each by itself", "run",
	CLI_FLAG, FIELD(children)},
    {"--memory", "", "Let clients see bytes of the program's memory", "run", CLI_FLAG,
	FIELD(memory)},
    {"--interval", "BYTES", "Bytes between sampled blocks; 1: all, 0: none; 512k, with --leaks 1",
	"run", CLI_SIZE, FIELD(interval), 0, INT32_MAX},
    {"--leaks", "", "At the end list on standard error what was not freed, by call site", "run",
	CLI_FLAG, FIELD(leaks)},
    {"--allocator", "LIBRARY", "Run on this allocator: dlmalloc, or a library to preload", "run",
	CLI_TEXT, FIELD(allocator)},
    {"--deferred", "PERCENT",
	"With --allocator dlmalloc: keep freed chunks up to this share of the heap", "run",
	CLI_NUMBER, FIELD(deferred), 0, 100},
    {"--listen", "HOST:PORT", "Where to listen; 127.0.0.1:9797 unless given, others with a token",
	"serve", CLI_TEXT, FIELD(listen)},
    {"--match", "REGEX",
	"Only JVMs whose program, with or without its folder, or container matches", "serve push",
	CLI_TEXT, FIELD(match)},
    {"--exclude", "REGEX", "Leave out JVMs whose program or container matches", "serve push",
	CLI_TEXT, FIELD(exclude)},
    {"--min-age", "SECONDS",
	"Load the agent only into JVMs of this age, 0 to 86400; 10 unless given", "serve push",
	CLI_SECONDS, FIELD(min_age_ms), 0, 86400000},
    {"--sockets", "PATTERN", "Also the agents at these sockets, such as \"/gcspy/*.sock\"",
	"serve push", CLI_TEXT, FIELD(sockets)},
    {"--all", "", "The JVMs of all users; for root", "serve push", CLI_FLAG, FIELD(all)},
    {"--interval", "BYTES",
	"Bytes between samples where it loads the agent, 0: none; 512k unless given", "serve push",
	CLI_SIZE, FIELD(interval), 0, INT32_MAX},
    {"--top-classes", "N", "Classes of live objects in /metrics, 0 to 100; 20 unless given",
	"serve push", CLI_NUMBER, FIELD(top_classes), 0, 100},
    {"--tls-cert", "FILE", "Certificate for HTTPS, and those that signed it; PEM", "serve push",
	CLI_TEXT, FIELD(tls_cert)},
    {"--tls-key", "FILE", "The certificate's private key; PEM", "serve push", CLI_TEXT,
	FIELD(tls_key)},
    {"--flight", "SECONDS",
	"Where it loads the agent, keep the last seconds for /recordings, 1 to 3600", "serve push",
	CLI_SECONDS, FIELD(flight_ms), 1000, 3600000},
    {"--recordings", "FOLDER", "Make recordings there when asked to; none unless given",
	"serve push", CLI_TEXT, FIELD(recordings)},
    {"--recordings-size", "SIZE", "What all of them may take; 256m unless given", "serve push",
	CLI_SIZE, FIELD(recordings_bytes), 1 << 20, UINT64_MAX >> 1},
    {"--tunnels", "", "Let clients with the token control the JVMs, too", "serve push", CLI_FLAG,
	FIELD(tunnels)},
    {"--listen", "HOST:PORT", "Also offer there what gcspy serve does; nowhere unless given",
	"push", CLI_TEXT, FIELD(listen)},
    {"--otlp", "URL", "Send metrics to the OTLP receiver at URL, by its /v1/metrics", "push",
	CLI_TEXT, FIELD(otlp)},
    {"--otlp-profiles", "URL",
	"Send profiles to the OTLP receiver at URL, by its /v1development/profiles", "push",
	CLI_TEXT, FIELD(otlp_profiles)},
    {"--pyroscope", "URL", "Send profiles to the Pyroscope at URL, by its /ingest", "push",
	CLI_TEXT, FIELD(pyroscope)},
    {"--push-token", "FILE", "Give the receivers the token in FILE's first line, as a bearer's",
	"push", CLI_TEXT, FIELD(push_token)},
    {"--label", "NAME=VALUE", "Send this label with everything, such as team=shop; repeatable",
	"push", .take = take_label},
    {"--every", "SECONDS", "Seconds between requests, 0.1 to 3600; 15 unless given", "push",
	CLI_SECONDS, FIELD(every_ms), 100, 3600000},
    {"--queue", "SIZE", "Most bytes kept for a receiver that does not answer; 16m unless given",
	"push", CLI_SIZE, FIELD(queue_bytes), 4096, 1 << 30},
    {"--force", "", "Replace FILE if it exists", "record run", CLI_FLAG, FIELD(force)},
    {"--max-size", "SIZE", "End when FILE has SIZE bytes, such as 64m or 1g", "record", CLI_SIZE,
	FIELD(max_size), LEAST_TRACE, UINT64_MAX >> 1},
    {"--profiles", "SECONDS", "Seconds between profiles, up to 86400; 0: none; 60 unless given",
	"record", CLI_SECONDS, FIELD(profiles_ms), 0, 86400000},
    {"--level", "N", "Compression from 1 (fast) to 9 (small); 4 unless given", "record", CLI_NUMBER,
	FIELD(level), 1, 9},
    {"--all", "", "All figures that differ, and more call sites", "diff", CLI_FLAG, FIELD(all)},
    {"--at", "WHERE", "In a trace, the last profile up to there; the end unless given",
	"sites tiles export", CLI_TEXT, FIELD(at)},
    {"--at", "WHERE", "In a recording, the last answer up to there; the end unless given",
	"paths histogram", CLI_TEXT, FIELD(at)},
    {"--what", "summary|stream|events|sites", "What to write", "export", CLI_CHOICE, FIELD(what)},
    {"--stream", "NAME", "The stream of --what stream", "export", CLI_TEXT, FIELD(stream)},
    {"--kind", "live|recent|frequent|allocated", "Which sites", "export", .take = take_kind},
};

static bool has(const struct cli_option *option, const char *command)
{
	const size_t length = strlen(command);
	const char *word = option->commands;
	for (; *word != '\0'; word += strspn(word, " ")) {
		const size_t bytes = strcspn(word, " ");
		if (bytes == length && memcmp(word, command, length) == 0)
			return true;
		word += bytes;
	}
	return false;
}

const struct cli_option *cli_next_option(
    const struct cli_command *command, const struct cli_option *option)
{
	const struct cli_option *end = options + sizeof options / sizeof options[0];
	option = option == NULL ? options : option + 1;
	while (option != end && !has(option, command->name))
		option++;
	return option == end ? NULL : option;
}
