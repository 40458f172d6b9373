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
	CLI_FAILED = 1, /* the server is unreachable, refused, or was lost; output failed */
	CLI_USAGE = 2   /* the command line is wrong */
};

/* What `export` writes. */
enum cli_what {
	CLI_WHAT_SUMMARY,
	CLI_WHAT_STREAM,
	CLI_WHAT_EVENTS,
	CLI_WHAT_SITES,
	CLI_WHAT_COUNT
};

/* `action` without --do. */
enum { CLI_NO_ACTION = 3 };

/* `run_port` and `update_ms` without their options. */
#define CLI_NOT_GIVEN UINT32_MAX

/* How often --library may be given. */
enum { CLI_LIBRARIES = 32, CLI_LABELS = 16, CLI_LABEL = 128 /* bytes of one */ };

/* What the command line said. The strings are the program's arguments and live as long as it. */
struct cli_arguments {
	/* operands */
	union {
		const char *address; /* or the file that stands for it; NULL: none given */
		const char *topic;   /* of help */
	};
	union {
		const char *other;         /* the second file of diff */
		const char *setting;       /* "KEY=VALUE" */
		const char *agent_options; /* of attach */
		const char *plugin;        /* of ask */
		const char *condition;     /* of trigger */
	};
	const char *parameters[GCS_MAX_PARAMETERS]; /* "KEY=VALUE" each, of ask */
	uint32_t parameter_count;
	char **program; /* of run: PROGRAM and its arguments, with a NULL at the end */
	long process;   /* `address` as a number; 0: none given */
	/* of most commands; NULL and 0: not given */
	const char *token;
	const char *via;     /* a `gcspy serve`; `address` then has its URL, too */
	uint32_t timeout_ms; /* never 0 */
	bool timeout_given;
	uint32_t json;  /* 1: --format json */
	uint32_t color; /* the place of --color's word: auto, always, never */
	const char *event, *space;
	uint32_t events, seconds_ms, collections;
	const char *output;    /* NULL: standard output */
	const char *from, *to; /* NULL: the beginning, the end */
	const char *at;        /* NULL: the end */
	/* dump */
	bool values;
	uint64_t zoom_start, zoom_end; /* both 0: no zoom */
	uint64_t block;                /* of the zoom; 0: choose */
	/* attach */
	const char *agent; /* NULL: the one beside the program */
	/* sites, tiles, export */
	enum gcs_profile_kind kind;
	bool kind_given;
	uint32_t format; /* enum gcs_export_format; GCS_EXPORT_FORMAT_COUNT: not given */
	struct gcs_site_filter filter;            /* `where` is in the field below */
	const char *libraries[CLI_LIBRARIES + 1]; /* the last one is NULL */
	const char *base, *where, *site, *stream;
	bool gc, all;
	/* paths, histogram */
	const char *tile;
	uint32_t max_pause_ms; /* 0: the agent's */
	bool raw, estimate, live;
	uint32_t what; /* enum cli_what; CLI_WHAT_COUNT: not given */
	/* replay */
	uint32_t port;
	const char *host; /* NULL: loopback */
	uint32_t allow_any_user;
	double speed;
	bool loop, once;
	uint32_t gap_ms; /* 0: none given */
	/* run */
	uint32_t run_port, update_ms, deferred; /* CLI_NOT_GIVEN without their options */
	const char *socket, *token_file, *allocator;
	uint64_t interval; /* UINT64_MAX: not given */
	bool wait, children, memory, leaks;
	/* serve; `words` are those behind any command's name, with a NULL at the end */
	const char *listen, *match, *exclude, *sockets, *tls_cert, *tls_key;
	const char *recordings;
	uint32_t flight_ms; /* 0: no ring */
	uint64_t recordings_bytes;
	bool tunnels;
	uint32_t top_classes, min_age_ms;
	char **words;
	/* push, and what serve has */
	const char *otlp, *otlp_profiles, *pyroscope, *push_token;
	const char *labels[CLI_LABELS + 1]; /* NAME=VALUE; the last one is NULL */
	uint32_t every_ms;
	uint64_t queue_bytes;
	/* trigger */
	const char *name, *command, *remove, *asked; /* the last one: --plugin */
	uint32_t action; /* the place of --do's word, or CLI_NO_ACTION */
	uint32_t nth, most;
	bool keep, list;
	/* record */
	bool force;
	uint64_t max_size;    /* 0: no limit */
	uint32_t profiles_ms; /* between profiles; 0: none */
	uint32_t level;       /* 0: the usual */
};

enum cli_operand {
	CLI_OPERAND_NONE,
	CLI_OPERAND_ADDRESS,
	CLI_OPERAND_SOURCE,   /* an address or a file */
	CLI_OPERAND_FILE,     /* a trace; its name stands in `address` */
	CLI_OPERAND_PAIR,     /* two files */
	CLI_OPERAND_SETTING,  /* an address, perhaps a setting */
	CLI_OPERAND_QUESTION, /* an address, perhaps a plugin and parameters */
	CLI_OPERAND_TOPIC,
	CLI_OPERAND_PROCESS,
	CLI_OPERAND_PROCESS_OPTIONS, /* and the agent's options, if any */
	CLI_OPERAND_PROGRAM          /* and all that follows, which is the program's */
};

struct cli_command {
	const char *name;
	const char *usage; /* its own arguments, for people */
	const char *help;  /* one line */
	const char *details;
	enum cli_operand operand;
	int (*run)(const struct cli_arguments *arguments, struct out *out);
};

extern const struct cli_command cli_commands[];
extern const size_t cli_command_count;

/* What an ADDRESS is, and the exit codes, for the help and the man pages. */
extern const char cli_address_help[], cli_exit_help[];

/* NULL if the name is unknown. */
const struct cli_command *cli_find_command(const char *name);

/* Reports an unknown command, and which one may have been meant; returns CLI_USAGE. */
int cli_unknown_command(const char *name);

enum cli_option_kind {
	CLI_TEXT,
	CLI_FLAG,
	CLI_CHOICE,  /* the place of the value among the words of `argument` */
	CLI_NUMBER,  /* a whole one */
	CLI_SECONDS, /* kept in milliseconds; or with a unit */
	CLI_MS,      /* the same, of a plain number of milliseconds */
	CLI_SIZE,    /* of bytes */
	CLI_POWER    /* a size that is a power of two */
};

/* A row of the table of options (options.c). Two options may share a name, but no command. */
struct cli_option {
	const char *name;     /* with its dashes */
	const char *argument; /* "": takes none; "a|b": one of these words */
	const char *help;     /* one line */
	const char *commands; /* that have it, with blanks between */
	enum cli_option_kind kind;
	size_t offset;     /* of its field in struct cli_arguments */
	uint64_t min, max; /* of numbers; of texts the least length */
	/* Reads the value instead; false after a message. */
	bool (*take)(struct cli_arguments *, const struct cli_option *, const char *value);
};

/* The command's option after `option` (NULL: the first); NULL at the end. */
const struct cli_option *cli_next_option(
    const struct cli_command *command, const struct cli_option *option);

/* Puts an option's value into its field; false after a message. */
bool cli_apply(struct cli_arguments *arguments, const struct cli_option *option, const char *value);

/* Fills `arguments` from the words after the command's name. False after a message. */
bool cli_parse(const struct cli_command *command, int count, char **words,
    struct cli_arguments *arguments, bool *wants_help);

/* A whole number within limits. */
bool cli_parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number);

/* Prints one line on standard error, "gcspy: …", and returns CLI_USAGE or CLI_FAILED. */
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends "name", in quotes and after a comma, to a list for a message. */
void cli_add_name(char *list, size_t size, const char *name);

/* Whether our caller ignores SIGPIPE, as nohup and some shells do for their children. */
extern bool cli_ignores_pipes;

/* Reports that standard output could not be written; returns CLI_FAILED. Where its reader is gone, ends
 * the program by SIGPIPE instead, unless that is ignored. */
int cli_output_failed(const struct out *out);

int cmd_info(const struct cli_arguments *arguments, struct out *out);
int cmd_dump(const struct cli_arguments *arguments, struct out *out);
int cmd_watch(const struct cli_arguments *arguments, struct out *out);
int cmd_pause(const struct cli_arguments *arguments, struct out *out);
int cmd_resume(const struct cli_arguments *arguments, struct out *out);
int cmd_step(const struct cli_arguments *arguments, struct out *out);
int cmd_record(const struct cli_arguments *arguments, struct out *out);
int cmd_sites(const struct cli_arguments *arguments, struct out *out);
int cmd_paths(const struct cli_arguments *arguments, struct out *out);
int cmd_histogram(const struct cli_arguments *arguments, struct out *out);
int cmd_gc(const struct cli_arguments *arguments, struct out *out);
int cmd_tiles(const struct cli_arguments *arguments, struct out *out);
int cmd_stats(const struct cli_arguments *arguments, struct out *out);
int cmd_why_big(const struct cli_arguments *arguments, struct out *out);
int cmd_why_slow(const struct cli_arguments *arguments, struct out *out);
int cmd_diff(const struct cli_arguments *arguments, struct out *out);
int cmd_export(const struct cli_arguments *arguments, struct out *out);
int cmd_report(const struct cli_arguments *arguments, struct out *out);
int cmd_set(const struct cli_arguments *arguments, struct out *out);
int cmd_trigger(const struct cli_arguments *arguments, struct out *out);
int cmd_ask(const struct cli_arguments *arguments, struct out *out);
int cmd_run(const struct cli_arguments *arguments, struct out *out);
int cmd_attach(const struct cli_arguments *arguments, struct out *out);
int cmd_detach(const struct cli_arguments *arguments, struct out *out);
int cmd_list(const struct cli_arguments *arguments, struct out *out);
int cmd_serve(const struct cli_arguments *arguments, struct out *out);
int cmd_push(const struct cli_arguments *arguments, struct out *out);
int cmd_replay(const struct cli_arguments *arguments, struct out *out);
int cmd_version(const struct cli_arguments *arguments, struct out *out);
int cmd_help(const struct cli_arguments *arguments, struct out *out);

/* A line of help: a word, and what it means. */
void cli_help_row(struct out *out, const char *usage, const char *help);

/* What people come for, with the command of each. */
void cli_help_jobs(struct out *out);

/* The help of one command. */
void cli_help(const struct cli_command *command, struct out *out);

#endif
