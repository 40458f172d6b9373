/*
 * gcspy-pages FOLDER AGENT-OPTIONS: writes gcspy.1, a page for each command, and the completion of
 * gcspy. AGENT-OPTIONS is the file that gcspyagent-pages has written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "pages.h"

/* Options of one command, from the table's first to its last. */
static bool next_option(const struct cli_command *command, unsigned *option)
{
	while (*option < CLI_OPTION_COUNT && (command->options & CLI_ALLOWS(*option)) == 0)
		++*option;
	return *option < CLI_OPTION_COUNT;
}

#define EACH_OPTION(command, option) (unsigned option = 0; next_option(command, &option); option++)

/* "--format" and "text|json" of "--format text|json". */
struct option_words {
	char name[64];
	const char *argument; /* "": none */
};

static void split(unsigned option, struct option_words *words)
{
	cli_option_usage(words->name, sizeof words->name, (enum cli_option)option);
	char *blank = strchr(words->name, ' ');
	words->argument = "";
	if (blank != NULL) {
		*blank = '\0';
		words->argument = blank + 1;
	}
}

/* The words that --format of `sites` takes; NULL for any other option. */
static const char *format_words(unsigned option)
{
	static char words[128];
	if (option != CLI_EXPORT)
		return NULL;
	words[0] = '\0';
	for (int i = 0; i < GCS_EXPORT_FORMAT_COUNT; i++) {
		strcat(words, i == 0 ? "" : " ");
		strcat(words, gcs_export_word((enum gcs_export_format)i));
	}
	return words;
}

/* ---- Man pages ---- */

static void write_documents(FILE *page)
{
	man_text(page, "The documents docs/... that are named here are installed in "
		       "PREFIX/share/doc/gcspy.");
}

static void write_command(const char *folder, const struct cli_command *command)
{
	char name[64], file[80], usage[160];
	struct option_words words;
	snprintf(name, sizeof name, "gcspy-%s", command->name);
	snprintf(file, sizeof file, "%s.1", name);
	FILE *page = pages_open(folder, file);
	man_begin(page, name, 1, command->help);
	man_section(page, "SYNOPSIS");
	snprintf(usage, sizeof usage, "`gcspy %s` %s%s", command->name, command->usage,
	    command->options == 0 ? "" : " [OPTION]...");
	man_text(page, usage);
	man_section(page, "DESCRIPTION");
	snprintf(usage, sizeof usage, "%s.", command->help);
	man_text(page, usage);
	if (command->details[0] != '\0')
		man_text(page, command->details);
	if (strstr(command->usage, "ADDRESS") != NULL || strstr(command->usage, "SOURCE") != NULL)
		man_text(page, cli_address_help);
	if (command->options != 0)
		man_section(page, "OPTIONS");
	for
		EACH_OPTION(command, option)
		{
			split(option, &words);
			man_entry(page, words.name, words.argument,
			    cli_option_help((enum cli_option)option));
		}
	man_section(page, "EXIT STATUS");
	man_text(page, cli_exit_help);
	man_section(page, "SEE ALSO");
	man_reference(page, "gcspy", 1, command->operand == CLI_OPERAND_PROCESS_OPTIONS ? "," : "");
	if (command->operand == CLI_OPERAND_PROCESS_OPTIONS)
		man_reference(page, "gcspyagent", 7, "");
	write_documents(page);
	pages_close(page);
}

static void write_gcspy(const char *folder)
{
	FILE *page = pages_open(folder, "gcspy.1");
	char words[128];
	man_begin(
	    page, "gcspy", 1, "look at the heap of a running JVM, record it, tell its figures");
	man_section(page, "SYNOPSIS");
	man_text(page, "`gcspy` COMMAND [ARGUMENT]... [OPTION]...");
	man_section(page, "DESCRIPTION");
	man_text(page,
	    "`gcspy` loads the GCspy agent into running JVMs, connects to it, and shows or records "
	    "what the heap holds at each collection, and which code filled it. A first look:");
	man_example(page, "`gcspy list`\n`gcspy attach` PID\n`gcspy record` ADDRESS -o app.gcspy\n"
			  "`gcspy report` app.gcspy -o report.html");
	man_section(page, "COMMANDS");
	for (size_t i = 0; i < cli_command_count; i++) {
		snprintf(words, sizeof words, "gcspy %s", cli_commands[i].name);
		man_entry(page, words, cli_commands[i].usage, cli_commands[i].help);
	}
	man_text(page, "Each command has a page of its own, such as `gcspy-attach`(1).");
	man_section(page, "ADDRESSES");
	man_text(page, cli_address_help);
	man_section(page, "EXIT STATUS");
	man_text(page, cli_exit_help);
	man_section(page, "FILES");
	man_entry(page, "PREFIX/lib/gcspy/libgcspyagent.so", NULL,
	    "the agent, which `gcspy attach` loads; PREFIX is /usr in packages of a distribution");
	man_section(page, "SEE ALSO");
	man_reference(page, "gcspy-view", 1, ",");
	man_reference(page, "gcspyagent", 7, "");
	write_documents(page);
	pages_close(page);
}

/* ---- Completion ---- */

/* What kind of word a command's operands are; a PID that is an address has the agent. */
static const char *operand_kind(const struct cli_command *command)
{
	switch (command->operand) {
	case CLI_OPERAND_NONE:
		return "none";
	case CLI_OPERAND_SOURCE:
		return "source";
	case CLI_OPERAND_FILE:
	case CLI_OPERAND_PAIR:
		return "file";
	case CLI_OPERAND_TOPIC:
		return "command";
	case CLI_OPERAND_PROCESS_OPTIONS:
		return "process";
	case CLI_OPERAND_ADDRESS:
	case CLI_OPERAND_SETTING:
	case CLI_OPERAND_PROCESS:
		break;
	}
	return "address";
}

static void bash_values(FILE *script, const struct cli_command *command)
{
	struct option_words words;
	for
		EACH_OPTION(command, option)
		{
			split(option, &words);
			if (words.argument[0] == '\0')
				continue;
			bool output = strcmp(words.name, "--output") == 0;
			fprintf(script, "\t\t%s%s) ", words.name, output ? " | -o" : "");
			if (format_words(option) != NULL) {
				fprintf(script, "_gcspy_words '%s'; ", format_words(option));
			} else if (is_choice(words.argument)) {
				fputs("_gcspy_words '", script);
				shell_choice(script, words.argument);
				fputs("'; ", script);
			} else if (strcmp(words.argument, "FILE") == 0) {
				fputs("compopt -o default; ", script);
			}
			fputs("return ;;\n", script);
		}
}

static void bash_command(FILE *script, const struct cli_command *command)
{
	struct option_words words;
	fprintf(script, "\t%s)\n\t\toperand=%s options='", command->name, operand_kind(command));
	for
		EACH_OPTION(command, option)
		{
			split(option, &words);
			fprintf(script, "%s ", words.name);
		}
	fputs("--help'\n\t\tcase $option in\n", script);
	bash_values(script, command);
	fputs("\t\tesac\n\t\t;;\n", script);
}

static const char bash_head[] =
    "# bash completion for gcspy\n"
    "_gcspy_words()\n"
    "{\n"
    "\tCOMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
    "}\n"
    "\n"
    "# Numbers of the JVMs; with an argument, of those that have the agent.\n"
    "_gcspy_processes()\n"
    "{\n"
    "\t\"${COMP_WORDS[0]}\" list 2>/dev/null |\n"
    "\t\tawk -v agent=\"${1:-}\" '$1 ~ /^[0-9]+$/ && (agent == \"\" || $NF != \"-\") { print $1 "
    "}'\n"
    "}\n"
    "\n"
    "# The agent's options, a comma list of KEY=VALUE in which each \"=\" is a word of its own.\n"
    "_gcspy_agent()\n"
    "{\n"
    "\tlocal key= list=${cur%\"${cur##*,}\"}\n"
    "\tif [[ -z $list && $option == = ]]; then\n"
    "\t\tkey=${COMP_WORDS[COMP_CWORD-2]##*,}\n"
    "\telif [[ $equals ]]; then\n"
    "\t\tkey=${option##*,}\n"
    "\tfi\n"
    "\tcase $key in\n";

static const char bash_middle[] =
    "_gcspy()\n"
    "{\n"
    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}\n"
    "\tlocal options= operand=none equals=\n"
    "\tCOMPREPLY=()\n";

static const char bash_tail[] =
    "\tesac\n"
    "\tif [[ $cur == -* ]]; then\n"
    "\t\t_gcspy_words \"$options\"\n"
    "\t\treturn\n"
    "\tfi\n"
    "\tcase $operand in\n"
    "\taddress) _gcspy_words \"$(_gcspy_processes agent)\" ;;\n"
    "\tsource)\n"
    "\t\t_gcspy_words \"$(_gcspy_processes agent)\"\n"
    "\t\tCOMPREPLY+=($(compgen -f -- \"$cur\"))\n"
    "\t\tcompopt -o filenames\n"
    "\t\t;;\n"
    "\tfile) compopt -o default ;;\n"
    "\tcommand) _gcspy_words \"$commands\" ;;\n"
    "\tprocess)\n"
    "\t\tif [[ ${COMP_WORDS[2]} =~ ^[0-9]+$ ]] && ((COMP_CWORD > 2)); then\n"
    "\t\t\t_gcspy_agent\n"
    "\t\telse\n"
    "\t\t\t_gcspy_words \"$(_gcspy_processes)\"\n"
    "\t\tfi\n"
    "\t\t;;\n"
    "\tesac\n"
    "}\n"
    "complete -F _gcspy gcspy\n";

/* One line of AGENT-OPTIONS in its parts; false at its end. */
static bool read_option(FILE *list, char line[1024], char **value, char **help)
{
	if (fgets(line, 1024, list) == NULL)
		return false;
	line[strcspn(line, "\n")] = '\0';
	*value = strchr(line, '\t');
	*help = *value == NULL ? NULL : strchr(*value + 1, '\t');
	if (*help == NULL) {
		fprintf(stderr, "\"%s\": no option of the agent\n", line);
		exit(1);
	}
	*(*value)++ = '\0';
	*(*help)++ = '\0';
	return true;
}

/* What may stand behind "key=" of the agent's options, and which keys there are. */
static void bash_agent(FILE *script, FILE *list)
{
	char line[1024], *value, *help;
	rewind(list);
	while (read_option(list, line, &value, &help)) {
		if (!is_choice(value))
			continue;
		fprintf(script, "\t%.*s) _gcspy_words '", (int)strcspn(line, "="), line);
		shell_choice(script, value);
		fputs("' ;;\n", script);
	}
	fputs(
	    "\t\"\")\n\t\tcompopt -o nospace\n\t\tCOMPREPLY=($(compgen -P \"$list\" -W '", script);
	rewind(list);
	while (read_option(list, line, &value, &help))
		fprintf(script, "%s ", line);
	fputs("' -- \"${cur##*,}\"))\n\t\t;;\n\t*) compopt -o default ;;\n\tesac\n}\n\n", script);
}

static void write_bash(const char *folder, FILE *agent_options)
{
	FILE *script = pages_open(folder, "gcspy.bash");
	fputs(bash_head, script);
	bash_agent(script, agent_options);
	fputs(bash_middle, script);
	fputs("\tlocal commands='", script);
	for (size_t i = 0; i < cli_command_count; i++)
		fprintf(script, "%s%s", i == 0 ? "" : " ", cli_commands[i].name);
	fputs("'\n"
	      "\tif ((COMP_CWORD == 1)); then\n"
	      "\t\t_gcspy_words \"$commands --help --version\"\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\t# In --format=json the \"=\" is a word of its own.\n"
	      "\tif [[ $cur == = ]]; then\n"
	      "\t\tcur= equals=yes\n"
	      "\telif [[ $option == = && ${COMP_WORDS[COMP_CWORD-2]} == -* ]]; then\n"
	      "\t\toption=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\tfi\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
	    script);
	for (size_t i = 0; i < cli_command_count; i++)
		bash_command(script, &cli_commands[i]);
	fputs(bash_tail, script);
	pages_close(script);
}

static const char zsh_head[] =
    "#compdef gcspy\n"
    "# Numbers of the JVMs; with an argument, of those that have the agent.\n"
    "_gcspy_processes() {\n"
    "\tlocal -a found\n"
    "\tfound=(${(f)\"$(gcspy list 2>/dev/null |\n"
    "\t\tawk -v agent=\"${1:-}\" '$1 ~ /^[0-9]+$/ && (agent == \"\" || $NF != \"-\") "
    "{ print $1 \":\" $2 }')\"})\n"
    "\t_describe process found\n"
    "}\n"
    "_gcspy_address() { _gcspy_processes agent }\n"
    "_gcspy_source() { _alternative 'processes:process:_gcspy_address' "
    "'files:recording:_files' }\n";

static const char *zsh_operand(const struct cli_command *command)
{
	switch (command->operand) {
	case CLI_OPERAND_NONE:
		return "";
	case CLI_OPERAND_SOURCE:
		return " '1:source:_gcspy_source'";
	case CLI_OPERAND_FILE:
		return " '1:file:_files'";
	case CLI_OPERAND_PAIR:
		return " '1:file:_files' '2:file:_files'";
	case CLI_OPERAND_TOPIC:
		return " '1:command:_gcspy_command'";
	case CLI_OPERAND_PROCESS_OPTIONS:
		return " '1:process:_gcspy_processes' '2:options:_gcspy_agent'";
	case CLI_OPERAND_ADDRESS:
	case CLI_OPERAND_SETTING:
	case CLI_OPERAND_PROCESS:
		break;
	}
	return " '1:address:_gcspy_address'";
}

static void zsh_agent(FILE *script, FILE *list)
{
	char line[1024], *value, *help;
	fputs("_gcspy_agent() {\n\t_values -s , 'option of the agent'", script);
	rewind(list);
	while (read_option(list, line, &value, &help)) {
		fputs(" \\\n\t\t", script);
		line[strcspn(line, "=")] = '\0';
		zsh_value(script, line, value, help);
	}
	fputs("\n}\n", script);
}

static void write_zsh(const char *folder, FILE *agent_options)
{
	struct option_words words;
	FILE *script = pages_open(folder, "_gcspy");
	fputs(zsh_head, script);
	zsh_agent(script, agent_options);
	fputs("_gcspy_command() {\n\tlocal -a commands\n\tcommands=(\n", script);
	for (size_t i = 0; i < cli_command_count; i++) {
		fprintf(script, "\t\t%s:", cli_commands[i].name);
		shell_quoted(script, cli_commands[i].help);
		fputc('\n', script);
	}
	fputs("\t)\n\t_describe command commands\n}\n"
	      "_gcspy() {\n"
	      "\tlocal curcontext=$curcontext state\n"
	      "\tlocal -a line\n"
	      "\t_arguments -C '(- *)--help[list the commands]' '(- *)--version[show the version]' "
	      "'1:command:_gcspy_command' '*::argument:->arguments'\n"
	      "\t[[ $state == arguments ]] || return\n"
	      "\tcase $words[1] in\n",
	    script);
	for (size_t i = 0; i < cli_command_count; i++) {
		fprintf(script, "\t%s)\n\t\t_arguments%s", cli_commands[i].name,
		    zsh_operand(&cli_commands[i]));
		for
			EACH_OPTION(&cli_commands[i], option)
			{
				split(option, &words);
				fputs(" \\\n\t\t\t", script);
				zsh_option(script, words.name, words.argument, format_words(option),
				    cli_option_help((enum cli_option)option));
			}
		fputs(" \\\n\t\t\t'(- *)--help[show this help]'\n\t\t;;\n", script);
	}
	fputs("\tesac\n}\n_gcspy \"$@\"\n", script);
	pages_close(script);
}

int main(int count, char **words)
{
	FILE *agent_options = count == 3 ? fopen(words[2], "r") : NULL;
	if (agent_options == NULL) {
		fprintf(stderr, "usage: %s FOLDER AGENT-OPTIONS\n", words[0]);
		return 2;
	}
	write_gcspy(words[1]);
	for (size_t i = 0; i < cli_command_count; i++)
		write_command(words[1], &cli_commands[i]);
	write_bash(words[1], agent_options);
	write_zsh(words[1], agent_options);
	fclose(agent_options);
	return 0;
}
