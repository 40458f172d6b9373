/*
 * The command line. Parsing reads only the arguments; the files they name are opened later.
 */
#ifndef GCSPY_CLIENT_VIEW_OPTIONS_H
#define GCSPY_CLIENT_VIEW_OPTIONS_H

#include <gcspy/status.h>

#include "dump.h"

enum cli_font { CLI_FONT_AUTO, CLI_FONT_TTF, CLI_FONT_BLOCK };
enum cli_present { CLI_PRESENT_AUTO, CLI_PRESENT_SURFACE, CLI_PRESENT_TEXTURE, CLI_PRESENT_NONE };
enum cli_action { CLI_RUN, CLI_HELP, CLI_VERSION, CLI_LIST_KEYS };

struct cli {
	enum cli_action action;
	const char *address; /* of a server or a trace file; NULL: none given */
	const char *token_file, *script, *screenshot;
	char libraries
	    [1024]; /* prefixes of classes, separated by spaces; "": those of the settings */
	const char *settings; /* a file; NULL: the default one */
	int width, height;
	int scale; /* percent; 0: from the display */
	int theme;
	enum cli_font font;
	enum cli_present present;
	unsigned long long events;      /* exit after this many; 0: no limit */
	unsigned long long history_mib; /* of disk space, for looking back; 0: none */
	const char *at;                 /* where a recording opens, as typed; NULL: at its end */
	enum dump_kind dump_kind;
	bool dump, pause, play, no_settings;
	bool size_given, theme_given;
};

/* False with one line in err that names the argument and the valid values. */
bool cli_parse(struct cli *cli, int argc, char **argv, struct gcs_error *err);

/* True without a user at the window, as for a script: the default settings are not used then. */
bool cli_unattended(const struct cli *cli);

/* Makes the window fit a screen of that size, unless a script relies on its own. */
void cli_fit(struct cli *cli, int width, int height);

/* The text of --help. */
void cli_help(struct textbuf *out);

/* The parts of that text, for the man page and shell completion. */
struct cli_option {
	const char *name, *argument, *help; /* "--theme", "dark|light|contrast" or "", … */
};
extern const char cli_usage[], cli_summary[], cli_example[], cli_operand[], cli_exit[];

/* Option i; NULL after the last one. */
const struct cli_option *cli_option(size_t i);

#endif
