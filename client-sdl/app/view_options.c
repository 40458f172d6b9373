#include "view_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_history_store.h"
#include "profiles.h"
#include "theme.h"

/* X(identifier, option, argument or "", help) */
#define OPTIONS(X)                                                                                 \
	X(TOKEN_FILE, "--token-file", "FILE",                                                      \
	    "read the server's secret from the first line of FILE")                                \
	X(PAUSE, "--pause", "", "pause the program before its first event")                        \
	X(PLAY, "--play", "", "start playing a recording at once")                                 \
	X(HISTORY, "--history", "MIB", "disk space for the history of a live program (448)")       \
	X(NO_HISTORY, "--no-history", "",                                                          \
	    "keep no history on disk, only the newest events in memory")                           \
	X(SCRIPT, "--script", "FILE", "run the steps in FILE (docs/keys.md lists the commands)")   \
	X(SCREENSHOT, "--screenshot", "FILE", "on exit, save the window as a PNG image")           \
	X(DUMP, "--dump", "[view|summary|tiles|stacks]",                                           \
	    "on exit, write text to standard output: view (all that the window shows), "           \
	    "summary, tiles or stacks (collapsed)")                                                \
	X(AT, "--at", "EVENT", "open a recording at an event number or a time such as 1:30.5")     \
	X(EVENTS, "--events", "N", "exit after N events")                                          \
	X(SIZE, "--size", "WxH", "size of the window in pixels (1280x800)")                        \
	X(SCALE, "--scale", "S", "size of text and controls, 0.5 to 3 or 50% to 300%")             \
	X(THEME, "--theme", "dark|light|contrast", "colours of the window")                        \
	X(FONT, "--font", "auto|ttf|block", "ttf is DejaVu Sans, block is built in")               \
	X(PRESENT, "--present", "auto|surface|texture|none",                                       \
	    "how to draw the window; none: no window")                                             \
	X(LIBRARY, "--library", "PREFIX",                                                          \
	    "classes that are not your program's, such as org.apache.; repeatable, and kept")      \
	X(SETTINGS, "--settings", "FILE",                                                          \
	    "keep settings in FILE instead of ~/.config/gcspy/view.conf")                          \
	X(NO_SETTINGS, "--no-settings", "", "do not read or write settings")                       \
	X(LIST_KEYS, "--list-keys", "", "write docs/keys.md to standard output")                   \
	X(VERSION, "--version", "", "print the version")                                           \
	X(HELP, "--help", "", "print this help")

enum option_id {
#define X(id, name, argument, help) id,
	OPTIONS(X)
#undef X
	    OPTION_COUNT
};

static const struct cli_option options[OPTION_COUNT] = {
#define X(id, name, argument, help) {name, argument, help},
    OPTIONS(X)
#undef X
};

const struct cli_option *cli_option(size_t i)
{
	return i < OPTION_COUNT ? &options[i] : NULL;
}

const char cli_usage[] = "[PID | HOST:PORT | PORT | HOST:PORT/TARGET | unix:PATH | FILE] [options]";
const char cli_summary[] = "Shows the heap of a program that runs with GCspy, such as";
const char cli_example[] = "java -agentpath:/path/to/libgcspyagent.so=port=3000 -jar app.jar";
const char cli_operand[] =
    "PID (or pid:PID) is a process with the agent; :PORT is always a port. Put 2002: before "
    "the address of a server that speaks the protocol of 2002. FILE is a recording.";
const char cli_exit[] =
    "With --screenshot or --dump but without --events and --script, the program exits after the "
    "first snapshot; a script ends it with the step quit. Exit codes: 0 success, 1 connection or "
    "script failed, 2 bad arguments.";

/* Wraps text at column 100, indented; ends the line. */
static void wrapped(struct textbuf *out, size_t indent, const char *text)
{
	size_t room = 100 - indent;
	while (strlen(text) > room) {
		size_t n = room;
		while (n > 0 && text[n] != ' ')
			n--;
		textbuf_printf(out, "%.*s\n%*s", (int)n, text, (int)indent, "");
		text += n + 1;
	}
	textbuf_printf(out, "%s\n", text);
}

void cli_help(struct textbuf *out)
{
	enum { COLUMN = 23 };
	textbuf_printf(out, "Usage: gcspy-view %s\n", cli_usage);
	wrapped(out, 0, cli_operand);
	textbuf_printf(out, "\n%s\n    %s\n\n", cli_summary, cli_example);
	for (int i = 0; i < OPTION_COUNT; i++) {
		char head[64];
		int n =
		    snprintf(head, sizeof head, "  %s %s", options[i].name, options[i].argument);
		textbuf_printf(out, n < COLUMN ? "%-23s" : "%s\n                       ", head);
		wrapped(out, COLUMN, options[i].help);
	}
	textbuf_puts(out, "\n");
	wrapped(out, 0, cli_exit);
}

static bool bad(struct gcs_error *err, const char *option, const char *value, const char *allowed)
{
	gcs_fail(err, GCS_ARGUMENT, "%s %s: %s", option, value, allowed);
	return false;
}

/* The index of a word in a NULL-terminated list, or -1. */
static int word_in(const char *const *words, const char *word)
{
	for (int i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	return -1;
}

static bool parse_size(struct cli *cli, const char *value, struct gcs_error *err)
{
	char rest;
	if (sscanf(value, "%dx%d%c", &cli->width, &cli->height, &rest) != 2 || cli->width < 320 ||
	    cli->height < 200 || cli->width > 16384 || cli->height > 16384)
		return bad(
		    err, "--size", value, "expected WIDTHxHEIGHT from 320x200 to 16384x16384");
	return true;
}

static bool parse_scale(struct cli *cli, const char *value, struct gcs_error *err)
{
	char *end;
	double scale = strtod(value, &end);
	/* Percent, as settings and keys have it, or a factor. */
	const bool percent = strcmp(end, "%") == 0 || (*end == 0 && scale >= 50);
	if (percent)
		scale /= 100;
	if ((*end != 0 && !percent) || end == value || !(scale >= 0.5 && scale <= 3))
		return bad(err, "--scale", value, "expected 0.5 to 3, or 50% to 300%");
	cli->scale = (int)(scale * 100 + 0.5);
	return true;
}

static bool parse_dump(struct cli *cli, const char *value, struct gcs_error *err)
{
	cli->dump = true;
	cli->dump_kind = value != NULL ? dump_find(value) : DUMP_ALL;
	if (cli->dump_kind == DUMP_KINDS)
		return bad(err, "--dump", value, "expected view, summary, tiles or stacks");
	return true;
}

static bool parse_events(struct cli *cli, const char *value, struct gcs_error *err)
{
	char *end;
	cli->events = strtoull(value, &end, 10);
	if (*end != 0 || value[0] < '0' || value[0] > '9' || cli->events == 0)
		return bad(err, "--events", value, "expected a number of at least 1");
	return true;
}

static bool parse_history(struct cli *cli, const char *value, struct gcs_error *err)
{
	char *end;
	cli->history_mib = strtoull(value, &end, 10);
	if (*end != 0 || value[0] < '0' || value[0] > '9' || cli->history_mib == 0 ||
	    cli->history_mib > 1 << 20)
		return bad(err, "--history", value, "expected 1 to 1048576 MiB");
	return true;
}

static bool add_library(struct cli *cli, const char *value, struct gcs_error *err)
{
	const size_t used = strlen(cli->libraries), n = strlen(value);
	int count = 1;
	if (n == 0 || strchr(value, ' ') != NULL || used + n + 2 > sizeof cli->libraries)
		return bad(err, "--library", value,
		    "expected the beginning of class names, such as org.apache.");
	for (const char *at = cli->libraries; used > 0 && at != NULL; at = strchr(at + 1, ' '))
		count++;
	if (count > PROFILES_LIBRARIES)
		return bad(err, "--library", value, "expected at most 32 of them");
	snprintf(cli->libraries + used, sizeof cli->libraries - used, "%s%s", used > 0 ? " " : "",
	    value);
	return true;
}

static bool set_option(struct cli *cli, enum option_id id, const char *value, struct gcs_error *err)
{
	static const char *const fonts[] = {"auto", "ttf", "block", NULL};
	static const char *const presenters[] = {"auto", "surface", "texture", "none", NULL};
	int i;
	switch (id) {
	case TOKEN_FILE:
		cli->token_file = value;
		return true;
	case PAUSE:
		cli->pause = true;
		return true;
	case PLAY:
		cli->play = true;
		return true;
	case HISTORY:
		return parse_history(cli, value, err);
	case NO_HISTORY:
		cli->history_mib = 0;
		return true;
	case SCRIPT:
		cli->script = value;
		return true;
	case SCREENSHOT:
		cli->screenshot = value;
		return true;
	case DUMP:
		return parse_dump(cli, value, err);
	case AT:
		cli->at = value;
		return *value != 0 ||
		       bad(err, "--at", "\"\"", "expected an event number or a time");
	case EVENTS:
		return parse_events(cli, value, err);
	case SIZE:
		cli->size_given = true;
		return parse_size(cli, value, err);
	case SCALE:
		return parse_scale(cli, value, err);
	case THEME:
		cli->theme_given = true;
		cli->theme = theme_find(value);
		if (cli->theme < 0)
			return bad(err, "--theme", value, "expected dark, light or contrast");
		return true;
	case FONT:
		if ((i = word_in(fonts, value)) < 0)
			return bad(err, "--font", value, "expected auto, ttf or block");
		cli->font = (enum cli_font)i;
		return true;
	case PRESENT:
		if ((i = word_in(presenters, value)) < 0)
			return bad(
			    err, "--present", value, "expected auto, surface, texture or none");
		cli->present = (enum cli_present)i;
		return true;
	case LIBRARY:
		return add_library(cli, value, err);
	case SETTINGS:
		cli->settings = value;
		return *value != 0 || bad(err, "--settings", "\"\"", "expected a file name");
	case NO_SETTINGS:
		cli->no_settings = true;
		return true;
	case LIST_KEYS:
		cli->action = CLI_LIST_KEYS;
		return true;
	case VERSION:
		cli->action = CLI_VERSION;
		return true;
	case HELP:
		cli->action = CLI_HELP;
		return true;
	case OPTION_COUNT:
		break;
	}
	return false;
}

static bool parse_option(struct cli *cli, int *i, int argc, char **argv, struct gcs_error *err)
{
	const char *word = argv[*i];
	size_t n = strcspn(word, "=");
	for (int id = 0; id < OPTION_COUNT; id++) {
		if (n == 0 || strlen(options[id].name) != n ||
		    memcmp(options[id].name, word, n) != 0)
			continue;
		bool may = options[id].argument[0] == '[';
		bool takes = options[id].argument[0] != 0 && !may;
		const char *value = word[n] == '=' ? word + n + 1 : NULL;
		/* A word after the option is its argument only if it is a known one: it may be
		 * an address. */
		if (may && value == NULL && *i + 1 < argc && dump_find(argv[*i + 1]) < DUMP_KINDS)
			value = argv[++*i];
		if (!takes && !may && value != NULL)
			return bad(err, options[id].name, value, "takes no argument");
		if (takes && value == NULL && *i + 1 < argc)
			value = argv[++*i];
		if (takes && value == NULL)
			return bad(err, options[id].name, options[id].argument, "missing argument");
		return set_option(cli, (enum option_id)id, value, err);
	}
	gcs_fail(err, GCS_ARGUMENT, "%s: unknown option; --help lists them", word);
	return false;
}

bool cli_unattended(const struct cli *cli)
{
	return cli->script != NULL || cli->screenshot != NULL || cli->dump || cli->events > 0;
}

void cli_fit(struct cli *cli, int width, int height)
{
	if (cli_unattended(cli))
		return;
	cli->width = cli->width < width ? cli->width : width;
	cli->height = cli->height < height ? cli->height : height;
}

bool cli_parse(struct cli *cli, int argc, char **argv, struct gcs_error *err)
{
	*cli = (struct cli){.width = 1280, .height = 800, .history_mib = HISTORY_BYTES >> 20};
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-') {
			if (!parse_option(cli, &i, argc, argv, err))
				return false;
		} else if (cli->address != NULL) {
			gcs_fail(err, GCS_ARGUMENT,
			    "%s: only one address can be given, already have %s", argv[i],
			    cli->address);
			return false;
		} else {
			cli->address = argv[i];
		}
	}
	if (cli->settings != NULL && cli->no_settings) {
		gcs_fail(err, GCS_ARGUMENT, "--settings %s: conflicts with --no-settings",
		    cli->settings);
		return false;
	}
	if (cli->at != NULL && cli->address == NULL) {
		gcs_fail(err, GCS_ARGUMENT, "--at %s: requires a recording", cli->at);
		return false;
	}
	if (cli->events > 0 && cli->address == NULL && cli->script == NULL) {
		gcs_fail(err, GCS_ARGUMENT, "--events %llu: requires an address or a script",
		    cli->events);
		return false;
	}
	return true;
}
