/*
 * gcspy-pages FOLDER AGENT-OPTIONS: writes gcspy.1, a page for each command, and the completion of
 * gcspy. AGENT-OPTIONS is the file that gcspyagent-pages has written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "pages.h"

/* ---- Man pages ---- */

static void write_documents(FILE *page)
{
	man_text(page, "The documents docs/... that are named here are installed in "
		       "PREFIX/share/doc/gcspy.");
}

static void write_command(const char *folder, const struct cli_command *command)
{
	const struct cli_option *o = NULL;
	char name[64], file[80], usage[160];
	snprintf(name, sizeof name, "gcspy-%s", command->name);
	snprintf(file, sizeof file, "%s.1", name);
	FILE *page = pages_open(folder, file);
	man_begin(page, name, 1, command->help);
	man_section(page, "SYNOPSIS");
	snprintf(usage, sizeof usage, "`gcspy %s` %s%s", command->name, command->usage,
	    cli_next_option(command, NULL) == NULL ? "" : " [OPTION]...");
	man_text(page, usage);
	man_section(page, "DESCRIPTION");
	snprintf(usage, sizeof usage, "%s.", command->help);
	man_text(page, usage);
	if (command->details[0] != '\0')
		man_text(page, command->details);
	if (strstr(command->usage, "ADDRESS") != NULL || strstr(command->usage, "SOURCE") != NULL)
		man_text(page, cli_address_help);
	if (cli_next_option(command, NULL) != NULL)
		man_section(page, "OPTIONS");
	while ((o = cli_next_option(command, o)) != NULL)
		man_entry(page, o->name, o->argument, o->help);
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
	case CLI_OPERAND_PROGRAM:
		return "program";
	case CLI_OPERAND_ADDRESS:
	case CLI_OPERAND_SETTING:
	case CLI_OPERAND_QUESTION:
	case CLI_OPERAND_PROCESS:
		break;
	}
	return "address";
}

static void bash_command(FILE *script, const struct cli_command *command)
{
	const struct cli_option *o = NULL;
	fprintf(script, "\t%s)\n\t\toperand=%s options='", command->name, operand_kind(command));
	while ((o = cli_next_option(command, o)) != NULL)
		fprintf(script, "%s ", o->name);
	fputs("--help'\n\t\tcase $option in\n", script);
	while ((o = cli_next_option(command, o)) != NULL) {
		if (o->argument[0] == '\0')
			continue;
		fprintf(
		    script, "\t\t%s%s) ", o->name, strcmp(o->name, "--output") == 0 ? " | -o" : "");
		if (is_choice(o->argument)) {
			fputs("_gcspy_words '", script);
			shell_choice(script, o->argument);
			fputs("'; ", script);
		} else if (strcmp(o->argument, "FILE") == 0) {
			fputs("compopt -o default; ", script);
		}
		fputs("return ;;\n", script);
	}
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
    "\tprogram)\n"
    "\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n"
    "\t\tcompopt -o default\n"
    "\t\t;;\n"
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

/* The keys of the agent's options, and the values that "key=" takes. */
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
	case CLI_OPERAND_PROGRAM:
		return " '(-):program:_command_names -e' '*::arguments: _normal'";
	case CLI_OPERAND_ADDRESS:
	case CLI_OPERAND_SETTING:
	case CLI_OPERAND_QUESTION:
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
		const struct cli_option *o = NULL;
		while ((o = cli_next_option(&cli_commands[i], o)) != NULL) {
			fputs(" \\\n\t\t\t", script);
			zsh_option(script, o->name, o->argument, o->help);
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
