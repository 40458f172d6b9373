/*
 * The program `gcspy`: one command per file, and a table of them from which parsing, help and the
 * documentation come (docs/command-line.md; a test compares).
 *
 * A command gets its checked arguments and the standard output, and returns the exit code. Messages
 * go to standard error, one line each. All of it runs on the main thread; the client library's
 * reader thread does nothing here but wake it.
 */
#ifndef GCSPY_TOOLS_TOOL_H
#define GCSPY_TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "out.h"

enum cli_exit {
	CLI_DONE = 0,
	CLI_FAILED = 1, /* the server cannot be reached, was lost or refused; output failed */
	CLI_USAGE = 2   /* the command line is wrong */
};

/* name, argument ("" for none), help in one line */
#define CLI_OPTIONS(X)                                                                             \
	X(TOKEN_FILE, "token-file", "FILE", "Give the server the token in FILE's first line")      \
	X(TIMEOUT, "timeout", "SECONDS",                                                           \
	    "Longest wait for the server, 0.1 to 86400; 10 unless given")                          \
	X(FORMAT, "format", "text|json", "How to write; text unless given")                        \
	X(EVENT, "event", "NAME", "Only this event")                                               \
	X(SPACE, "space", "NAME", "Only this space")                                               \
	X(EVENTS, "events", "N", "End after N snapshots, 1 to 1000000000")                         \
	X(SECONDS, "seconds", "N", "End after N seconds, 0.1 to 1000000")                          \
	X(VALUES, "values", "", "Also list each tile's values in text")                            \
	X(ZOOM, "zoom", "0xSTART-0xEND", "Only the memory between two addresses, in finer blocks") \
	X(BLOCK, "block", "SIZE",                                                                  \
	    "Bytes to a block with --zoom, such as 4k; a power of two from 512")                   \
	X(AGENT, "agent", "FILE", "The agent's library; the one beside gcspy unless given")        \
	X(LIVE, "live", "", "Objects that are alive; so unless another is chosen")                 \
	X(GARBAGE, "garbage", "recent|frequent", "Objects that died")                              \
	X(ALLOCATED, "allocated", "", "All that was allocated since sampling began")               \
	X(TOP, "top", "N", "The N largest sites, 1 to 1000000; in text 20 unless given")           \
	X(CLASS, "class", "REGEX", "Only objects whose class has a match")                         \
	X(THREAD, "thread", "REGEX", "Only objects of threads whose name has a match")             \
	X(MIN_AGE, "min-age", "N", "Only objects that survived N collections or more")             \
	X(ALL_FRAMES, "all-frames", "", "Show frames that only connect others, too")               \
	X(EXPORT, "format", "FORMAT",                                                              \
	    "text, collapsed, svg, html, pprof, json or gcspy; else by FILE's name")               \
	X(OUTPUT, "output", "FILE", "Write to FILE, whole or not at all; also -o FILE")            \
	X(BASE, "base", "FILE", "What changed since the profile that FILE holds")                  \
	X(WHERE, "where", "PLACE",                                                                 \
	    "Only live objects there: old, humongous, tile=0xADDRESS, range=0xA-0xB")              \
	X(SITE, "site", "NUMBER", "The call site with this number, as `gcspy sites` shows it")     \
	X(PORT, "port", "N", "Listen there, 0 to 65535 (0: a free one); 3000 unless given")        \
	X(HOST, "host", "ADDRESS",                                                                 \
	    "Listen there; 127.0.0.1 unless given, others only with a token")                      \
	X(ALLOW, "allow", "user|any",                                                              \
	    "Who may connect: you and root, unless given; or any user of this machine")            \
	X(SPEED, "speed", "X",                                                                     \
	    "Factor from 0.001 to 1000, negative backwards, or original or fast")                  \
	X(LOOP, "loop", "", "Begin again at the end")                                              \
	X(ONCE, "once", "", "End when all has been shown to somebody")                             \
	X(GAP, "gap", "SECONDS", "Wait no longer than so between two events")                      \
	X(FROM, "from", "WHERE",                                                                   \
	    "Begin at an event's number, a time such as 90s, 5m or 1h, or a date")                 \
	X(TO, "to", "WHERE", "End there, included; a date is written 2026-05-04T13:02:11Z")        \
	X(TRACE, "output", "FILE", "Record to FILE; also -o FILE")                                 \
	X(FORCE, "force", "", "Replace FILE if it exists")                                         \
	X(MAX_SIZE, "max-size", "SIZE", "End when FILE has SIZE bytes, such as 64m or 1g")         \
	X(PROFILES, "profiles", "SECONDS",                                                         \
	    "Seconds between profiles, 1 to 86400; 0: none; 60 unless given")                      \
	X(LEVEL, "level", "N", "Deflate fast (1) to small (9); 4 unless given")                    \
	X(AT, "at", "WHERE", "The last profile up to there, in a trace; the end unless given")     \
	X(WHAT, "what", "summary|stream|events|sites", "What to write")                            \
	X(STREAM, "stream", "NAME", "The stream of --what stream")                                 \
	X(KIND, "kind", "live|recent|frequent|allocated", "Which sites")

enum cli_option {
#define X(id, name, argument, help) CLI_##id,
	CLI_OPTIONS(X)
#undef X
	    CLI_OPTION_COUNT
};

#define CLI_ALLOWS(option) ((uint64_t)1 << (option))

/* What `export` writes. */
enum cli_what {
	CLI_WHAT_SUMMARY,
	CLI_WHAT_STREAM,
	CLI_WHAT_EVENTS,
	CLI_WHAT_SITES,
	CLI_WHAT_COUNT
};

/* What the command line said. The strings are the program's arguments and live as long as it. */
struct cli_arguments {
	const char *address;
	const char *topic;   /* the command that help is asked for, or NULL */
	const char *token;   /* NULL without one */
	uint32_t timeout_ms; /* never 0 */
	bool timeout_given;
	bool json;
	bool values;
	uint64_t zoom_start, zoom_end; /* both 0: no zoom */
	uint64_t block;                /* of the zoom; 0: choose */
	const char *event;             /* NULL: any */
	const char *space;             /* NULL: all */
	uint32_t events;               /* 0: no limit asked for */
	uint32_t seconds_ms;           /* 0: no limit asked for */
	long process;                  /* 0: none given */
	const char *agent_options;     /* NULL: none given */
	const char *agent;             /* NULL: the one beside the program */
	/* sites, set */
	const char *setting; /* "KEY=VALUE", or NULL */
	const char *output;  /* NULL: standard output */
	const char *base;    /* NULL: no comparison */
	const char *where;   /* NULL: everywhere */
	const char *site;    /* of tiles; NULL: none given */
	/* stats, diff */
	const char *other; /* the second file */
	const char *from;  /* NULL: the beginning */
	const char *to;    /* NULL: the end */
	enum gcs_profile_kind kind;
	bool kind_given;
	enum gcs_export_format format;
	bool format_given;
	struct gcs_site_filter filter;
	/* replay */
	bool port_given;
	uint32_t port;
	const char *host; /* NULL: loopback */
	bool allow_any_user;
	bool speed_given;
	double speed;
	bool loop;
	bool once;
	uint32_t gap_ms; /* 0: none given */
	/* record; its file is `output` */
	bool force;
	uint64_t max_size;    /* 0: no limit */
	uint32_t profiles_ms; /* between profiles; 0: none */
	int level;            /* 0: the usual */
	/* sites of a trace, export */
	const char *at; /* NULL: the end */
	const char *stream;
	enum cli_what what;
	bool what_given;
};

enum cli_operand {
	CLI_OPERAND_NONE,
	CLI_OPERAND_ADDRESS,
	CLI_OPERAND_SOURCE,  /* an address or a file */
	CLI_OPERAND_FILE,    /* a trace; its name stands in `address` */
	CLI_OPERAND_PAIR,    /* two files */
	CLI_OPERAND_SETTING, /* an address, and perhaps a setting */
	CLI_OPERAND_TOPIC,
	CLI_OPERAND_PROCESS,
	CLI_OPERAND_PROCESS_OPTIONS /* and the agent's options, if any */
};

struct cli_command {
	const char *name;
	const char *usage; /* its own arguments, for people */
	const char *help;  /* one line */
	const char *details;
	enum cli_operand operand;
	uint64_t options; /* CLI_ALLOWS(…) | … */
	int (*run)(const struct cli_arguments *arguments, struct out *out);
};

extern const struct cli_command cli_commands[];
extern const size_t cli_command_count;

/* What an ADDRESS is, and the exit codes, for the help and the man pages. */
extern const char cli_address_help[], cli_exit_help[];

/* NULL when there is none of that name. */
const struct cli_command *cli_find_command(const char *name);

/* One option's spelling, for people: "--timeout SECONDS". */
const char *cli_option_usage(char *buffer, size_t size, enum cli_option option);
const char *cli_option_help(enum cli_option option);

/* Fills `arguments` from the words behind the command's name. False after a message. */
bool cli_parse(const struct cli_command *command, int count, char **words,
    struct cli_arguments *arguments, bool *wants_help);

/* Reads a token file's first line; a message and NULL if that fails. The result is static. */
const char *cli_read_token(const char *path);

/* The options of `sites`; false after a message, and when it is none of them. */
bool cli_apply_sites(struct cli_arguments *arguments, enum cli_option option, const char *value);

/* The options of `replay`, likewise. */
bool cli_apply_replay(struct cli_arguments *arguments, enum cli_option option, const char *value);

/* Plain decimal seconds, such as 2 or 0.5, within the limits. */
bool cli_parse_seconds(const char *text, double least, double most, uint32_t *ms);

/* The options of commands that read a trace, and a moment; false as above. */
bool cli_apply_trace(struct cli_arguments *arguments, enum cli_option option, const char *value);

/* The options of `record`; likewise. */
bool cli_apply_record(struct cli_arguments *arguments, enum cli_option option, const char *value);

/* A whole number from 1 to `most`. */
bool cli_parse_count(const char *text, uint32_t most, uint32_t *count);

/* Says one line on standard error, "gcspy: …", and returns CLI_USAGE or CLI_FAILED. */
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says that standard output could not be written; returns CLI_FAILED. */
int cli_output_failed(const struct out *out);

int cmd_info(const struct cli_arguments *arguments, struct out *out);
int cmd_dump(const struct cli_arguments *arguments, struct out *out);
int cmd_watch(const struct cli_arguments *arguments, struct out *out);
int cmd_pause(const struct cli_arguments *arguments, struct out *out);
int cmd_resume(const struct cli_arguments *arguments, struct out *out);
int cmd_step(const struct cli_arguments *arguments, struct out *out);
int cmd_record(const struct cli_arguments *arguments, struct out *out);
int cmd_sites(const struct cli_arguments *arguments, struct out *out);
int cmd_tiles(const struct cli_arguments *arguments, struct out *out);
int cmd_stats(const struct cli_arguments *arguments, struct out *out);
int cmd_diff(const struct cli_arguments *arguments, struct out *out);
int cmd_export(const struct cli_arguments *arguments, struct out *out);
int cmd_report(const struct cli_arguments *arguments, struct out *out);
int cmd_set(const struct cli_arguments *arguments, struct out *out);
int cmd_attach(const struct cli_arguments *arguments, struct out *out);
int cmd_detach(const struct cli_arguments *arguments, struct out *out);
int cmd_list(const struct cli_arguments *arguments, struct out *out);
int cmd_replay(const struct cli_arguments *arguments, struct out *out);
int cmd_version(const struct cli_arguments *arguments, struct out *out);
int cmd_help(const struct cli_arguments *arguments, struct out *out);

/* The help of one command. */
void cli_help(const struct cli_command *command, struct out *out);

#endif
