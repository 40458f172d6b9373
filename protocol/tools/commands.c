/* The table of commands, and the help that comes from it. */

#include "nearest.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/version.h>

const struct cli_command cli_commands[] = {
    {
	.name = "info",
	.usage = "ADDRESS",
	.help = "Describe a server: events, groups, spaces and their streams",
	.details = "Event counters come with the first snapshot; they are left out if none "
		   "arrives within 2 seconds.",
	.operand = CLI_OPERAND_ADDRESS,
	.run = cmd_info,
    },
    {
	.name = "dump",
	.usage = "ADDRESS",
	.help = "Write the current state of all spaces, as text or JSON",
	.details = "The state is the first snapshot after connecting; with --event, the first "
		   "at that event, however long that takes unless --timeout is given. --events N "
		   "writes N snapshots, in JSON one document per line. --zoom writes only a part "
		   "of the memory, in blocks of --block, by default 1/16 of the server's own.",
	.operand = CLI_OPERAND_ADDRESS,
	.run = cmd_dump,
    },
    {
	.name = "watch",
	.usage = "ADDRESS",
	.help = "Write a line for each event as it happens",
	.details = "A line has the sequence number, the time, the event with its attributes, and "
		   "how many snapshots were missed before it. Tiles are not requested, so the "
		   "overhead is small.",
	.operand = CLI_OPERAND_ADDRESS,
	.run = cmd_watch,
    },
    {
	.name = "pause",
	.usage = "ADDRESS",
	.help = "Pause the program at its next event and hold it until the command ends",
	.details = "Lines of input: s, step or an empty line steps to the next event; r, q, "
		   "resume or quit resumes the program and ends the command. So do SIGINT, "
		   "SIGTERM and SIGHUP, and the end of input if it is a terminal or had any "
		   "line.",
	.operand = CLI_OPERAND_ADDRESS,
	.run = cmd_pause,
    },
    {
	.name = "resume",
	.usage = "ADDRESS",
	.help = "Resume a paused program, whichever client holds it",
	.details = "",
	.operand = CLI_OPERAND_ADDRESS,
	.run = cmd_resume,
    },
    {
	.name = "step",
	.usage = "ADDRESS",
	.help = "Let a paused program run to its next event and pause there",
	.details = "Another client must hold the program: `gcspy pause` or the visualiser.",
	.operand = CLI_OPERAND_ADDRESS,
	.run = cmd_step,
    },
    {
	.name = "sites",
	.usage = "SOURCE",
	.help = "Write where sampled objects were allocated: a table, a flame graph, a profile",
	.details = "SOURCE is an ADDRESS, a trace, or a file written by --format gcspy. Live is "
		   "what has survived a collection. Figures are estimates from samples. --base "
		   "FILE, of either kind, writes only what "
		   "changed, as text, collapsed or json. --format gcspy keeps the whole profile, "
		   "to be filtered and compared later. docs/sites.md describes the formats.",
	.operand = CLI_OPERAND_SOURCE,
	.run = cmd_sites,
    },
    {
	.name = "paths",
	.usage = "SOURCE",
	.help = "Show what holds sampled live objects: reference chains from the heap's roots",
	.details = "Begins with at most 50 sampled objects of a call site and 1,000 in all, and "
		   "climbs from them to roots, in several pauses between which the program runs. "
		   "What that costs is said before, and a pause above the agent's option "
		   "paths-pause, 500 ms unless set, needs --max-pause. Bytes are estimates from "
		   "samples. Text has a line for each branch; collapsed is for flame graphs. "
		   "Weak, soft and phantom references are no holders. Of a recording made with the "
		   "agent's option record-paths it shows the last search.",
	.operand = CLI_OPERAND_SOURCE,
	.run = cmd_paths,
    },
    {
	.name = "histogram",
	.usage = "SOURCE",
	.help = "Count all objects of the heap by class, in one pause",
	.details =
	    "Garbage that is not collected yet is counted too, unless --live asks for a "
	    "collection first. --format gcspy keeps the counts, and --base FILE writes what "
	    "has changed since. Of a recording made with the agent's option record-histogram "
	    "it shows the last histogram; --base with the same file, what changed since its "
	    "first one.",
	.operand = CLI_OPERAND_SOURCE,
	.run = cmd_histogram,
    },
    {
	.name = "gc",
	.usage = "ADDRESS",
	.help = "Ask the JVM for a full collection, which pauses the program",
	.details = "Objects that no collection has judged yet are live or dead after it. The "
		   "answer says what was collected, in lines KEY=VALUE. A replay refuses.",
	.operand = CLI_OPERAND_ADDRESS,
	.run = cmd_gc,
    },
    {
	.name = "tiles",
	.usage = "SOURCE",
	.help = "Show which tiles of the heap hold the live objects of a call site",
	.details = "SOURCE is an ADDRESS or a trace. --site takes the number that `gcspy sites` "
		   "shows for each call site; it is the same in every run. Bytes are estimates "
		   "from samples. Text begins with the tile that has most, JSON is in address "
		   "order.",
	.operand = CLI_OPERAND_SOURCE,
	.run = cmd_tiles,
    },
    {
	.name = "replay",
	.usage = "FILE",
	.help = "Serve a recorded trace as if its program were running",
	.details =
	    "Replay begins when the first client connects. Pause, step and filters work as with a "
	    "running program, and clients may seek and change speed and direction. --speed fast "
	    "goes as fast as the clients read. SIGINT and SIGTERM end it, as does the end of the "
	    "trace with --once.",
	.operand = CLI_OPERAND_FILE,
	.run = cmd_replay,
    },
    {
	.name = "why-big",
	.usage = "SOURCE",
	.help =
	    "Say in fifteen lines what fills the heap, what grows, and who allocates and holds it",
	.details = "Follows an ADDRESS for a minute by default; ^C ends that, and what is "
		   "known is written. Sampling is turned on meanwhile if it is off. Two things "
		   "pause the program: counting all objects by class, if that is expected to take "
		   "500 ms at most, and the search for what holds the largest or fastest growing "
		   "call site; --max-pause sets the limit of both. Of a trace, neither is known.",
	.operand = CLI_OPERAND_SOURCE,
	.run = cmd_why_big,
    },
    {
	.name = "why-slow",
	.usage = "SOURCE",
	.help = "Say in fifteen lines which pauses were long, why, and what fed them",
	.details = "Follows an ADDRESS for a minute by default; ^C ends that, and what is "
		   "known is written. Pauses of collections are seen, no others.",
	.operand = CLI_OPERAND_SOURCE,
	.run = cmd_why_slow,
    },
    {
	.name = "stats",
	.usage = "SOURCE",
	.help = "Write the figures of a recording: pauses, heap, rates, streams, sites",
	.details = "SOURCE is a trace, or an ADDRESS to follow for --seconds or --events. What "
		   "was not recorded is named, with the reason. docs/stats.md explains each "
		   "figure.",
	.operand = CLI_OPERAND_SOURCE,
	.run = cmd_stats,
    },
    {
	.name = "diff",
	.usage = "BEFORE AFTER",
	.help = "Write how the figures of two traces differ, and which call sites changed",
	.details =
	    "Both are traces; --from and --to apply to each. Text says in at most twelve lines "
	    "what differs most and whether it is significant; --all adds the figures that "
	    "differ. JSON has all.",
	.operand = CLI_OPERAND_PAIR,
	.run = cmd_diff,
    },
    {
	.name = "record",
	.usage = "ADDRESS",
	.help = "Record all snapshots and profiles to a trace file until interrupted",
	.details =
	    "SIGINT, SIGTERM and SIGHUP end the recording, as do --events, --seconds, --max-size "
	    "and "
	    "the server's end; the file is then complete and summed up in one line. If the "
	    "command is killed, the file lacks at most the last half second. Without -o the file "
	    "is gcspy-PROCESS-DATE-TIME.gcspy in the current directory. A terminal shows progress "
	    "meanwhile. docs/traces.md says what to do with the file.",
	.operand = CLI_OPERAND_ADDRESS,
	.run = cmd_record,
    },
    {
	.name = "export",
	.usage = "FILE",
	.help = "Convert a trace for other programs: tables, Perfetto's JSON, call sites",
	.details = "--what summary: all attributes and summaries, a line per event, separated by "
		   "tabs. --what stream: the values of --stream in --space, a column per tile. "
		   "--what events: Trace Event Format for ui.perfetto.dev and chrome://tracing. "
		   "--what sites: as `gcspy sites`, from a recorded profile. docs/export.md "
		   "describes the formats.",
	.operand = CLI_OPERAND_FILE,
	.run = cmd_export,
    },
    {
	.name = "report",
	.usage = "FILE",
	.help = "Write one page about a trace: figures, suspects, charts, heap pictures",
	.details = "A self-contained HTML page, to read or to attach to a ticket. Without -o it "
		   "goes to standard output. docs/report.md describes the page.",
	.operand = CLI_OPERAND_FILE,
	.run = cmd_report,
    },
    {
	.name = "set",
	.usage = "ADDRESS [KEY=VALUE]",
	.help = "Change a setting of a running server, or list its settings",
	.details = "For example, interval=512k samples an allocation about every 512 KiB; "
		   "interval=0 turns sampling off.",
	.operand = CLI_OPERAND_SETTING,
	.run = cmd_set,
    },
    {
	.name = "ask",
	.usage = "SOURCE [PLUGIN [KEY=VALUE]...]",
	.help = "Ask a plugin of the server, or list its plugins with their parameters",
	.details = "What a plugin answers depends on the server: a backtrace, the free memory of a "
		   "space by size, the bytes of an object. The value of a parameter that means a "
		   "space may be the space's name. Of a trace, writes what plugins have answered "
		   "to triggers while it was recorded.",
	.operand = CLI_OPERAND_QUESTION,
	.run = cmd_ask,
    },
    {
	.name = "trigger",
	.usage = "ADDRESS [CONDITION]",
	.help =
	    "Write a line when a condition holds at an event, and pause, record or run a command",
	.details = "A condition compares the event's attributes, such as 'event=GC finish and "
		   "pause>200ms' or 'used > 1g or change(used, 10 events) > 100m'; `gcspy info` "
		   "lists events and attributes. The trigger ends with this program, unless it is "
		   "kept. A command finds GCSPY_TRIGGER, GCSPY_EVENT and GCSPY_<ATTRIBUTE> in its "
		   "environment. With --do pause the program is paused until this one ends, or "
		   "`gcspy resume`.",
	.operand = CLI_OPERAND_SETTING,
	.run = cmd_trigger,
    },
    {
	.name = "run",
	.usage = "PROGRAM [ARGUMENT]...",
	.help = "Run a C or C++ program and show its native heap, whatever its allocator",
	.details =
	    "Options come before PROGRAM; what follows it, or --, is the program's. The "
	    "program's malloc is watched by a preloaded library, which listens at the socket "
	    "/tmp/.gcspy_PID unless --port, --socket or --output is given, and says so on "
	    "standard error. Exits as the program does, or with 127 if it is not found, 126 "
	    "if it cannot be executed. docs/malloc.md says what is shown.",
	.operand = CLI_OPERAND_PROGRAM,
	.run = cmd_run,
    },
    {
	.name = "attach",
	.usage = "PID [OPTIONS]",
	.help = "Load the agent into a running JVM and show where it listens",
	.details = "OPTIONS is the agent's comma-separated list, such as block=64k,max-clients=4; "
		   "`gcspy attach PID help` lists them. Without port=, host=, socket= or record= "
		   "the agent listens at the socket /tmp/.gcspy_PID, which only the JVM's user "
		   "and root can open; with port=0, on a free TCP port. If the JVM already has "
		   "the agent, only its address is shown.",
	.operand = CLI_OPERAND_PROCESS_OPTIONS,
	.run = cmd_attach,
    },
    {
	.name = "detach",
	.usage = "PID",
	.help = "Close the agent's sockets and threads in a running JVM",
	.details = "Clients are disconnected, a recording is finished, and the JVM runs as if the "
		   "agent were not loaded. `gcspy attach PID` opens them again, if need be with "
		   "other options. Agents loaded with -agentpath detach, too.",
	.operand = CLI_OPERAND_PROCESS,
	.run = cmd_detach,
    },
    {
	.name = "list",
	.usage = "",
	.help = "List your running JVMs, and where their agents listen",
	.details = "Root sees the JVMs of all users. Reads /proc only; no JVM is contacted.",
	.operand = CLI_OPERAND_NONE,
	.run = cmd_list,
    },
    {
	.name = "serve",
	.usage = "",
	.help = "Offer the figures and profiles of many JVMs over HTTP, for Prometheus and pprof",
	.details =
	    "Finds your JVMs, or with --all those of all users, loads the agent where it is "
	    "missing, and follows their collections until SIGINT or SIGTERM. /metrics is for "
	    "Prometheus, /debug/pprof/heap and /debug/pprof/allocs for `go tool pprof`, Parca and "
	    "Pyroscope, /targets and / for you; `gcspy` and `gcspy-view` reach the JVMs through it "
	    "as HOST:PORT/TARGET. Any address but loopback needs --token-file, "
	    "--tls-cert and --tls-key. The agents stay loaded at the end. docs/serve.md lists the "
	    "metrics.",
	.operand = CLI_OPERAND_NONE,
	.run = cmd_serve,
    },
    {
	.name = "push",
	.usage = "",
	.help = "Send the figures and profiles of many JVMs to OTLP or Pyroscope, where nothing "
		"scrapes",
	.details =
	    "Follows JVMs as `gcspy serve` does, and sends what that would offer until SIGINT or "
	    "SIGTERM: with --otlp the metrics of /metrics by OpenTelemetry's protocol, with "
	    "--otlp-profiles or --pyroscope each JVM's live objects, and what it allocated since "
	    "the last time. While "
	    "a receiver does not answer, requests wait and are sent again; beyond --queue the "
	    "oldest are dropped and counted. docs/serve.md has examples.",
	.operand = CLI_OPERAND_NONE,
	.run = cmd_push,
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
	.help = "Show this list, or describe a command and its options",
	.details = "",
	.operand = CLI_OPERAND_TOPIC,
	.run = cmd_help,
    },
};

const char cli_address_help[] =
    "ADDRESS is a JVM with the agent, by its PID (or pid:PID) or the name of its program as `gcspy "
    "list` shows it; HOST:PORT, PORT on this machine (or :PORT), HOST:PORT/TARGET behind `gcspy "
    "serve`, or "
    "unix:PATH; prefix it with 2002: for a server of GCspy's first protocol.";
const char cli_exit_help[] =
    "0 success; 1 the server is unreachable, refused, or was lost; 2 bad usage.";

const size_t cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

const struct cli_command *cli_find_command(const char *name)
{
	for (size_t i = 0; i < cli_command_count; i++)
		if (strcmp(cli_commands[i].name, name) == 0)
			return &cli_commands[i];
	return NULL;
}

int cli_unknown_command(const char *name)
{
	char meant[64];
	struct nearest nearest = nearest_begin(name);
	for (size_t i = 0; i < cli_command_count; i++)
		nearest_try(&nearest, cli_commands[i].name);
	return cli_usage("unknown command \"%s\"%s; `gcspy help` lists them", name,
	    nearest_words(&nearest, meant, sizeof meant));
}

int cmd_version(const struct cli_arguments *arguments, struct out *out)
{
	if (arguments->json != 0) {
		out_format(out, "{\"format\": 1, \"version\": \"%s\", \"protocol\": \"%d.%d\"}\n",
		    gcs_version(), GCS_PROTOCOL_MAJOR, GCS_PROTOCOL_MINOR);
		return CLI_DONE;
	}
	out_format(out, "gcspy %s, protocol %d.%d\n", gcs_version(), GCS_PROTOCOL_MAJOR,
	    GCS_PROTOCOL_MINOR);
	return CLI_DONE;
}

void cli_help_row(struct out *out, const char *usage, const char *help)
{
	out_format(out, "  %-22s", usage);
	if (strlen(usage) > 22) {
		out_raw(out, "\n");
		out_spaces(out, 24);
	}
	out_spaces(out, 2);
	out_wrapped(out, 26, 26, help);
}

void cli_help_jobs(struct out *out)
{
	static const char *const jobs[][2] = {
	    {"gcspy list", "find the running Java programs"},
	    {"gcspy attach PID", "load the agent; then `gcspy-view PID` shows the heap"},
	    {"gcspy why-big PID", "what fills the heap, what grows, who allocates and holds it"},
	    {"gcspy why-slow PID", "which pauses are long, and why"},
	    {"gcspy record PID -o a.gcspy",
		"keep it: then `gcspy report a.gcspy`, `gcspy diff a.gcspy b.gcspy`"},
	};
	for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
		out_format(out, "%-29s %s\n", jobs[i][0], jobs[i][1]);
	out_raw(out, "\n");
}

void cli_help(const struct cli_command *command, struct out *out)
{
	const struct cli_option *o = cli_next_option(command, NULL);
	char usage[64];
	out_format(out, "gcspy %s%s%s%s\n\n", command->name, command->usage[0] == '\0' ? "" : " ",
	    command->usage, o == NULL ? "" : " [OPTION]...");
	out_wrapped(out, 0, 0, command->help);
	if (command->details[0] != '\0') {
		out_raw(out, "\n");
		out_wrapped(out, 0, 0, command->details);
	}
	if (o != NULL)
		out_raw(out, "\nOptions:\n");
	for (; o != NULL; o = cli_next_option(command, o)) {
		snprintf(usage, sizeof usage, "%s%s%s", o->name, o->argument[0] == '\0' ? "" : " ",
		    o->argument);
		cli_help_row(out, usage, o->help);
	}
}

int cmd_help(const struct cli_arguments *arguments, struct out *out)
{
	if (arguments->topic != NULL) {
		const struct cli_command *command = cli_find_command(arguments->topic);
		if (command == NULL)
			return cli_unknown_command(arguments->topic);
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
