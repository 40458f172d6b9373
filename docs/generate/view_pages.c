/* gcspy-view-pages FOLDER: writes gcspy-view.1 and the completion of gcspy-view. */
#include <stdio.h>
#include <string.h>

#include "view_options.h"
#include "pages.h"

static void write_page(const char *folder)
{
	FILE *page = pages_open(folder, "gcspy-view.1");
	man_begin(page, "gcspy-view", 1, "show the heap of a running JVM, or a recording of one");
	man_section(page, "SYNOPSIS");
	man_text(page, "`gcspy-view`");
	man_text(page, cli_usage);
	man_section(page, "DESCRIPTION");
	man_text(page, cli_summary);
	man_example(page, cli_example);
	man_text(page, cli_operand);
	man_text(page, "The key ? shows the keys of the window, and `Ctrl+P` its commands.");
	man_section(page, "OPTIONS");
	for (size_t i = 0; cli_option(i) != NULL; i++)
		man_entry(page, cli_option(i)->name, cli_option(i)->argument, cli_option(i)->help);
	man_section(page, "EXIT STATUS");
	man_text(page, cli_exit);
	man_section(page, "FILES");
	man_entry(page, "~/.config/gcspy/view.conf", NULL, "settings, and the state of the window");
	man_entry(page, "PREFIX/share/gcspy/leak.gcspy", NULL, "a sample recording");
	man_section(page, "SEE ALSO");
	man_reference(page, "gcspy", 1, ",");
	man_reference(page, "gcspyagent", 7, "");
	pages_close(page);
}

static void write_bash(const char *folder)
{
	FILE *script = pages_open(folder, "gcspy-view.bash");
	bash_begin(script, "gcspy-view", "_gcspy_view", "--theme=dark");
	const struct cli_option *option;
	for (size_t i = 0; (option = cli_option(i)) != NULL; i++) {
		if (option->argument[0] == '\0')
			continue;
		fprintf(script, "\t%s) ", option->name);
		if (is_choice(option->argument)) {
			fputs("COMPREPLY=($(compgen -W '", script);
			shell_choice(script, option->argument);
			fputs("' -- \"$cur\")); ", script);
		} else if (strcmp(option->argument, "FILE") == 0) {
			fputs("compopt -o default; ", script);
		}
		/* What may be left out may be followed by another option. */
		fputs(option->argument[0] == '[' ? ";;\n" : "return ;;\n", script);
	}
	fputs("\tesac\n"
	      "\tif [[ $cur == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	    script);
	for (size_t i = 0; (option = cli_option(i)) != NULL; i++)
		fprintf(script, "%s%s", i == 0 ? "" : " ", option->name);
	fputs("' -- \"$cur\"))\n"
	      "\telif ((${#COMPREPLY[@]} == 0)); then\n"
	      "\t\tcompopt -o default\n"
	      "\tfi\n"
	      "}\n"
	      "complete -F _gcspy_view gcspy-view\n",
	    script);
	pages_close(script);
}

static void write_zsh(const char *folder)
{
	FILE *script = pages_open(folder, "_gcspy-view");
	fputs("#compdef gcspy-view\n_arguments", script);
	const struct cli_option *option;
	for (size_t i = 0; (option = cli_option(i)) != NULL; i++) {
		fputs(" \\\n\t", script);
		zsh_option(script, option->name, option->argument, option->help);
	}
	fputs(" \\\n\t':address or recording:_files'\n", script);
	pages_close(script);
}

int main(int count, char **words)
{
	return pages_main(count, words, write_page, write_bash, write_zsh);
}
