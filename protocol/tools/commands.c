/* The table of commands, and the help that comes from it. */

#include "tool.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/version.h>

#define SERVER (CLI_ALLOWS(CLI_TOKEN_FILE) | CLI_ALLOWS(CLI_TIMEOUT))

const struct cli_command cli_commands[] = {
    {
	.name = "info",
	.usage = "ADDRESS",
	.help = "Show what a server is: events, groups, spaces and their streams",
	.details = "Event counters come with the first snapshot; a server that has none within "
		   "2 seconds is shown without them.",
	.operand = CLI_OPERAND_ADDRESS,
	.options = SERVER | CLI_ALLOWS(CLI_FORMAT),
	.run = cmd_info,
    },
    {
	.name = "dump",
	.usage = "ADDRESS",
	.help = "Write the present state of all spaces, as text or JSON",
	.details = "The state is the first snapshot after attaching; with --event the first one "
		   "at that event, however long that takes unless --timeout is given. With "
		   "--events N it is N snapshots; JSON then has one document on each line. With "
		   "--zoom the server shows a part of its memory in blocks of --block, 1/16 of "
		   "its own unless given, and only that is written.",
	.operand = CLI_OPERAND_ADDRESS,
	.options = SERVER | CLI_ALLOWS(CLI_FORMAT) | CLI_ALLOWS(CLI_EVENT) | CLI_ALLOWS(CLI_SPACE) |
		   CLI_ALLOWS(CLI_EVENTS) | CLI_ALLOWS(CLI_VALUES) | CLI_ALLOWS(CLI_ZOOM) |
		   CLI_ALLOWS(CLI_BLOCK),
	.run = cmd_dump,
    },
    {
	.name = "watch",
	.usage = "ADDRESS",
	.help = "Write one line for each event, as it happens",
	.details = "A line has the sequence number, the time, the event and its attributes, and "
		   "how many snapshots were missed before it. No tiles are asked for, which "
		   "costs the program little.",
	.operand = CLI_OPERAND_ADDRESS,
	.options =
	    SERVER | CLI_ALLOWS(CLI_EVENT) | CLI_ALLOWS(CLI_EVENTS) | CLI_ALLOWS(CLI_SECONDS),
	.run = cmd_watch,
    },
    {
	.name = "pause",
	.usage = "ADDRESS",
	.help = "Pause the program at its next event and hold it until the command ends",
	.details = "Lines of input: s, step or an empty line steps to the next event; r, q, "
		   "resume or quit lets the program go on and ends. SIGINT, SIGTERM and SIGHUP "
		   "end it too, and so does the end of input if a terminal is read or something "
		   "was typed before.",
	.operand = CLI_OPERAND_ADDRESS,
	.options = SERVER | CLI_ALLOWS(CLI_SECONDS),
	.run = cmd_pause,
    },
    {
	.name = "resume",
	.usage = "ADDRESS",
	.help = "Let a paused program go on, whoever holds it",
	.details = "",
	.operand = CLI_OPERAND_ADDRESS,
	.options = SERVER,
	.run = cmd_resume,
    },
    {
	.name = "step",
	.usage = "ADDRESS",
	.help = "Let a paused program run to its next event and pause there",
	.details = "Somebody must hold the program: `gcspy pause` or the visualiser.",
	.operand = CLI_OPERAND_ADDRESS,
	.options = SERVER,
	.run = cmd_step,
    },
    {
	.name = "sites",
	.usage = "SOURCE",
	.help = "Write where sampled objects were allocated: a table, a flame graph, a profile",
	.details = "SOURCE is an ADDRESS, a trace, or a file that --format gcspy has written. "
		   "Figures are estimates from samples. With --base, a file of either kind, "
		   "only what changed is written, as text, collapsed or json. --format gcspy keeps "
		   "the whole profile, so that it can be "
		   "read, filtered and compared later. docs/sites.md describes the formats.",
	.operand = CLI_OPERAND_SOURCE,
	.options = SERVER | CLI_ALLOWS(CLI_LIVE) | CLI_ALLOWS(CLI_GARBAGE) |
		   CLI_ALLOWS(CLI_ALLOCATED) | CLI_ALLOWS(CLI_TOP) | CLI_ALLOWS(CLI_CLASS) |
		   CLI_ALLOWS(CLI_THREAD) | CLI_ALLOWS(CLI_MIN_AGE) | CLI_ALLOWS(CLI_ALL_FRAMES) |
		   CLI_ALLOWS(CLI_EXPORT) | CLI_ALLOWS(CLI_OUTPUT) | CLI_ALLOWS(CLI_BASE) |
		   CLI_ALLOWS(CLI_WHERE) | CLI_ALLOWS(CLI_AT),
	.run = cmd_sites,
    },
    {
	.name = "tiles",
	.usage = "ADDRESS",
	.help = "Show in which tiles of the heap the live objects of a call site lie",
	.details = "--site has the number that `gcspy sites` shows for each call site: it is the "
		   "same in every run. Bytes are estimates from samples; text has the tile with "
		   "most of them first, json is in the order of addresses.",
	.operand = CLI_OPERAND_ADDRESS,
	.options = SERVER | CLI_ALLOWS(CLI_FORMAT) | CLI_ALLOWS(CLI_SITE),
	.run = cmd_tiles,
    },
    {
	.name = "replay",
	.usage = "FILE",
	.help = "Serve a recorded trace as if its program were running",
	.details =
	    "It begins when the first client attaches; pause, step and filters work as with a "
	    "running program, and clients that can ask for another place, speed or direction. "
	    "With --speed fast it goes as fast as the clients take. It ends with SIGINT or "
	    "SIGTERM, or with --once when the end has been shown.",
	.operand = CLI_OPERAND_FILE,
	.options = CLI_ALLOWS(CLI_PORT) | CLI_ALLOWS(CLI_HOST) | CLI_ALLOWS(CLI_ALLOW) |
		   CLI_ALLOWS(CLI_TOKEN_FILE) | CLI_ALLOWS(CLI_SPEED) | CLI_ALLOWS(CLI_LOOP) |
		   CLI_ALLOWS(CLI_ONCE) | CLI_ALLOWS(CLI_GAP),
	.run = cmd_replay,
    },
    {
	.name = "stats",
	.usage = "SOURCE",
	.help = "Write the figures of a recording: pauses, heap, rates, streams, sites",
	.details = "SOURCE is the file of a trace, or an ADDRESS: then the program is followed for "
		   "as long as --seconds or --events says. What was not recorded is said, with the "
		   "reason. docs/stats.md says what each figure means.",
	.operand = CLI_OPERAND_SOURCE,
	.options = SERVER | CLI_ALLOWS(CLI_FORMAT) | CLI_ALLOWS(CLI_FROM) | CLI_ALLOWS(CLI_TO) |
		   CLI_ALLOWS(CLI_EVENTS) | CLI_ALLOWS(CLI_SECONDS),
	.run = cmd_stats,
    },
    {
	.name = "diff",
	.usage = "BEFORE AFTER",
	.help = "Write how the figures of two traces differ, and which call sites changed",
	.details = "Both are files of traces; --from and --to hold for each of them. In text only "
		   "figures that differ are written, in JSON all.",
	.operand = CLI_OPERAND_PAIR,
	.options = CLI_ALLOWS(CLI_FORMAT) | CLI_ALLOWS(CLI_FROM) | CLI_ALLOWS(CLI_TO),
	.run = cmd_diff,
    },
    {
	.name = "record",
	.usage = "ADDRESS",
	.help = "Record all snapshots and profiles to a trace file until it is told to end",
	.details =
	    "SIGINT, SIGTERM and SIGHUP end it, as do --events, --seconds, --max-size and the "
	    "server's end; the file is whole then, and its summary one line. Killed, it "
	    "leaves all but the last half second. Without -o the file is "
	    "gcspy-PROCESS-DATE-TIME.gcspy here. On a terminal the state is shown meanwhile. "
	    "docs/traces.md says what to do with the file.",
	.operand = CLI_OPERAND_ADDRESS,
	.options = SERVER | CLI_ALLOWS(CLI_EVENT) | CLI_ALLOWS(CLI_EVENTS) |
		   CLI_ALLOWS(CLI_SECONDS) | CLI_ALLOWS(CLI_TRACE) | CLI_ALLOWS(CLI_FORCE) |
		   CLI_ALLOWS(CLI_MAX_SIZE) | CLI_ALLOWS(CLI_PROFILES) | CLI_ALLOWS(CLI_LEVEL),
	.run = cmd_record,
    },
    {
	.name = "export",
	.usage = "FILE",
	.help = "Write a trace for other programs: tables, Perfetto's JSON, call sites",
	.details = "--what summary: all attributes and summaries, a line for each event, values "
		   "apart by tabs. --what stream: the values of --stream in --space, a column for "
		   "each tile. --what events: Trace Event Format for ui.perfetto.dev and "
		   "chrome://tracing. --what sites: as `gcspy sites`, of a recorded profile. "
		   "docs/export.md describes the formats.",
	.operand = CLI_OPERAND_FILE,
	.options = CLI_ALLOWS(CLI_WHAT) | CLI_ALLOWS(CLI_SPACE) | CLI_ALLOWS(CLI_STREAM) |
		   CLI_ALLOWS(CLI_FROM) | CLI_ALLOWS(CLI_TO) | CLI_ALLOWS(CLI_OUTPUT) |
		   CLI_ALLOWS(CLI_KIND) | CLI_ALLOWS(CLI_AT) | CLI_ALLOWS(CLI_EXPORT) |
		   CLI_ALLOWS(CLI_TOP) | CLI_ALLOWS(CLI_CLASS) | CLI_ALLOWS(CLI_THREAD) |
		   CLI_ALLOWS(CLI_MIN_AGE) | CLI_ALLOWS(CLI_ALL_FRAMES) | CLI_ALLOWS(CLI_BASE),
	.run = cmd_export,
    },
    {
	.name = "report",
	.usage = "FILE",
	.help = "Write one page about a trace: figures, suspects, charts, heap pictures",
	.details = "A page of HTML that needs no other file and no network, to be read or to be "
		   "attached to a ticket. Without -o it goes to standard output. docs/report.md "
		   "says what stands in it.",
	.operand = CLI_OPERAND_FILE,
	.options = CLI_ALLOWS(CLI_OUTPUT) | CLI_ALLOWS(CLI_FROM) | CLI_ALLOWS(CLI_TO),
	.run = cmd_report,
    },
    {
	.name = "set",
	.usage = "ADDRESS [KEY=VALUE]",
	.help = "Change a setting of a server while it runs, or list its settings",
	.details = "For instance interval=512k: an allocation is sampled about every 512 KiB; "
		   "interval=0 turns sampling off.",
	.operand = CLI_OPERAND_SETTING,
	.options = SERVER,
	.run = cmd_set,
    },
    {
	.name = "attach",
	.usage = "PID [OPTIONS]",
	.help = "Load the agent into a running JVM and show where it listens",
	.details = "OPTIONS is the agent's comma list, such as block=64k,max-clients=4 "
		   "(docs/agent-options.md). Unless it has port=, host=, socket= or record= the "
		   "agent listens at the socket /tmp/.gcspy_PID, which only the JVM's user and "
		   "root can open; with port=0 on a free TCP port. "
		   "A JVM that has the agent keeps it as it is; only its address is shown.",
	.operand = CLI_OPERAND_PROCESS_OPTIONS,
	.options = CLI_ALLOWS(CLI_TIMEOUT) | CLI_ALLOWS(CLI_FORMAT) | CLI_ALLOWS(CLI_AGENT),
	.run = cmd_attach,
    },
    {
	.name = "detach",
	.usage = "PID",
	.help = "Close the agent's sockets and threads in a running JVM",
	.details = "Clients are told goodbye, a recording is finished, and the JVM runs as if the "
		   "agent were not loaded. `gcspy attach PID` opens them again, with other "
		   "options if you like. Agents given with -agentpath detach, too.",
	.operand = CLI_OPERAND_PROCESS,
	.options = CLI_ALLOWS(CLI_TIMEOUT),
	.run = cmd_detach,
    },
    {
	.name = "list",
	.usage = "",
	.help = "List your running JVMs, and where their agents listen",
	.details = "For root these are everybody's. No JVM is touched or waited for.",
	.operand = CLI_OPERAND_NONE,
	.options = CLI_ALLOWS(CLI_FORMAT),
	.run = cmd_list,
    },
    {
	.name = "version",
	.usage = "",
	.help = "Show the versions of the program and of the protocol",
	.details = "",
	.operand = CLI_OPERAND_NONE,
	.run = cmd_version,
    },
    {
	.name = "help",
	.usage = "[COMMAND]",
	.help = "Show this list, or what a command does and its options",
	.details = "",
	.operand = CLI_OPERAND_TOPIC,
	.run = cmd_help,
    },
};

const char cli_address_help[] =
    "ADDRESS is the PID of a process with the agent (or pid:PID), HOST:PORT, PORT on this machine "
    "(or :PORT), or unix:PATH; 2002: before it for a server of 2002.";
const char cli_exit_help[] =
    "0 done; 1 the server cannot be reached, was lost or refused; 2 bad usage.";

const size_t cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

const struct cli_command *cli_find_command(const char *name)
{
	for (size_t i = 0; i < cli_command_count; i++)
		if (strcmp(cli_commands[i].name, name) == 0)
			return &cli_commands[i];
	return NULL;
}

int cmd_version(const struct cli_arguments *arguments, struct out *out)
{
	(void)arguments;
	out_format(out, "gcspy %s, protocol %d.%d\n", gcs_version(), GCS_PROTOCOL_MAJOR,
	    GCS_PROTOCOL_MINOR);
	return CLI_DONE;
}

void cli_help(const struct cli_command *command, struct out *out)
{
	char usage[64];
	out_format(out, "gcspy %s%s%s%s\n\n", command->name, command->usage[0] == '\0' ? "" : " ",
	    command->usage, command->options == 0 ? "" : " [OPTION]...");
	out_wrapped(out, 0, 0, command->help);
	if (command->details[0] != '\0') {
		out_raw(out, "\n");
		out_wrapped(out, 0, 0, command->details);
	}
	if (command->options != 0)
		out_raw(out, "\nOptions:\n");
	for (unsigned i = 0; i < CLI_OPTION_COUNT; i++) {
		if ((command->options & CLI_ALLOWS(i)) == 0)
			continue;
		cli_option_usage(usage, sizeof usage, (enum cli_option)i);
		out_format(out, "  %-22s", usage);
		if (strlen(usage) > 22) {
			out_raw(out, "\n");
			out_spaces(out, 24);
		}
		out_spaces(out, 2);
		out_wrapped(out, 26, 26, cli_option_help((enum cli_option)i));
	}
}

int cmd_help(const struct cli_arguments *arguments, struct out *out)
{
	if (arguments->topic != NULL) {
		const struct cli_command *command = cli_find_command(arguments->topic);
		if (command == NULL)
			return cli_usage("there is no command \"%s\"; `gcspy help` lists them",
			    arguments->topic);
		cli_help(command, out);
		return CLI_DONE;
	}
	out_raw(out, "gcspy COMMAND [ARGUMENT]... [OPTION]...\n\nCommands:\n");
	for (size_t i = 0; i < cli_command_count; i++) {
		char words[64];
		snprintf(words, sizeof words, "%s %s", cli_commands[i].name, cli_commands[i].usage);
		out_format(out, "  %-23s  %s\n", words, cli_commands[i].help);
	}
	out_raw(out, "\n");
	out_wrapped(out, 0, 0, cli_address_help);
	out_format(out, "`gcspy help COMMAND` lists a command's options.\nExit codes: %s\n",
	    cli_exit_help);
	return CLI_DONE;
}
