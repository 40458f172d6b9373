/* gcspy-train-pages FOLDER: writes gcspy-train.1 and the completion of gcspy-train. */
#include <stdio.h>
#include <string.h>

#include "train_options.h"
#include "pages.h"

static void write_mutators(FILE *page)
{
	char text[200];
	man_section(page, "MUTATORS");
	for (size_t i = 0; mutator_at(i) != NULL; i++) {
		const struct mutator *m = mutator_at(i);
		snprintf(text, sizeof text, "%s; size %llu %s, steps %llu", m->summary,
		    (unsigned long long)m->size, m->size_means, (unsigned long long)m->steps);
		man_entry(page, m->name, NULL, text);
	}
}

static void write_figures(FILE *page)
{
	char number[16];
	man_section(page, "FIGURES");
	man_text(page, "They are drawn by the gcspy-view beside this program or in PATH.");
	for (size_t i = 0; figure_at(i) != NULL; i++) {
		snprintf(number, sizeof number, "%u", (unsigned)figure_at(i)->number);
		man_entry(page, number, NULL, figure_at(i)->shows);
	}
}

static void write_page(const char *folder)
{
	FILE *page = pages_open(folder, "gcspy-train.1");
	char name[40];
	man_begin(page, "gcspy-train", 1, "a heap with a Train collector, to be seen");
	man_section(page, "SYNOPSIS");
	man_text(page, "`gcspy-train` [`--mutator` NAME] [OPTION]...");
	man_text(page, "`gcspy-train --figure` N `-o` FILE [OPTION]...");
	man_section(page, "DESCRIPTION");
	man_text(page, program_options_about);
	man_example(page, "gcspy-train --mutator gcold --wait port=3000 &\ngcspy-view 3000");
	man_section(page, "OPTIONS");
	const struct program_option *option;
	for (size_t i = 0; (option = program_option_at(i)) != NULL; i++) {
		snprintf(name, sizeof name, "--%s", option->name);
		man_entry(page, name, option->value, option->help);
	}
	write_mutators(page);
	write_figures(page);
	man_section(page, "EXIT STATUS");
	man_text(page, program_options_exit);
	man_section(page, "SEE ALSO");
	man_reference(page, "gcspy", 1, ",");
	man_reference(page, "gcspy-view", 1, "");
	pages_close(page);
}

static void write_bash(const char *folder)
{
	FILE *script = pages_open(folder, "gcspy-train.bash");
	bash_begin(script, "gcspy-train", "_gcspy_train", "--mutator=db");
	fputs("\t--mutator) COMPREPLY=($(compgen -W '", script);
	for (size_t i = 0; mutator_at(i) != NULL; i++)
		fprintf(script, "%s%s", i == 0 ? "" : " ", mutator_at(i)->name);
	fputs("' -- \"$cur\")); return ;;\n", script);
	const struct program_option *option;
	for (size_t i = 0; (option = program_option_at(i)) != NULL; i++)
		if (option->value != NULL && strcmp(option->name, "mutator") != 0)
			fprintf(script, "\t--%s) %sreturn ;;\n", option->name,
			    strcmp(option->value, "FILE") == 0 || strcmp(option->value, "PATH") == 0
				? "compopt -o default; "
				: "");
	fputs("\t-o) compopt -o default; return ;;\n"
	      "\tesac\n"
	      "\tCOMPREPLY=($(compgen -W '",
	    script);
	for (size_t i = 0; (option = program_option_at(i)) != NULL; i++)
		fprintf(script, "%s--%s", i == 0 ? "" : " ", option->name);
	fputs("' -- \"$cur\"))\n}\ncomplete -F _gcspy_train gcspy-train\n", script);
	pages_close(script);
}

static void write_zsh(const char *folder)
{
	FILE *script = pages_open(folder, "_gcspy-train");
	char name[40], mutators[200] = "";
	size_t length = 0;
	for (size_t i = 0; mutator_at(i) != NULL; i++)
		length += (size_t)snprintf(mutators + length, sizeof mutators - length, "%s%s",
		    i == 0 ? "" : "|", mutator_at(i)->name);
	fputs("#compdef gcspy-train\n_arguments", script);
	const struct program_option *option;
	for (size_t i = 0; (option = program_option_at(i)) != NULL; i++) {
		const char *value = strcmp(option->name, "mutator") == 0 ? mutators
				    : option->value != NULL              ? option->value
									 : "";
		snprintf(name, sizeof name, "--%s", option->name);
		fputs(" \\\n\t", script);
		zsh_option(script, name, value, option->help);
	}
	fputc('\n', script);
	pages_close(script);
}

int main(int count, char **words)
{
	return pages_main(count, words, write_page, write_bash, write_zsh);
}
