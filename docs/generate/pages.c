#include "pages.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/version.h>

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

FILE *pages_open(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	if (file == NULL)
		fail(path);
	return file;
}

void pages_close(FILE *file)
{
	bool failed = ferror(file) != 0;
	if (fclose(file) != 0 || failed)
		fail("a page cannot be written");
}

/* One character; a hyphen is one that can be copied, and a line may begin with any. */
static void put(FILE *page, char c, bool first)
{
	if (first && (c == '.' || c == '\''))
		fputs("\\&", page);
	if (c == '-')
		fputs("\\-", page);
	else if (c == '\\')
		fputs("\\e", page);
	else
		fputc(c, page);
}

static void put_text(FILE *page, const char *text)
{
	bool bold = false;
	for (const char *at = text; *at != '\0'; at++) {
		if (*at == '`') {
			bold = !bold;
			fputs(bold ? "\\fB" : "\\fP", page);
		} else {
			put(page, *at, at == text || at[-1] == '\n');
		}
	}
}

void man_begin(FILE *page, const char *name, int section, const char *summary)
{
	fputs(".TH \"", page);
	for (const char *at = name; *at != '\0'; at++)
		put(page, (char)toupper((unsigned char)*at), false);
	fprintf(page, "\" %d \"\" \"GCspy %s\" \"GCspy manual\"\n.SH NAME\n", section,
	    GCS_VERSION_STRING);
	put_text(page, name);
	fputs(" \\- ", page);
	put_text(page, summary);
	fputc('\n', page);
}

void man_section(FILE *page, const char *title)
{
	fprintf(page, ".SH %s\n", title);
}

void man_text(FILE *page, const char *text)
{
	fputs(".PP\n", page);
	put_text(page, text);
	fputc('\n', page);
}

void man_example(FILE *page, const char *text)
{
	fputs(".PP\n.in +4n\n.nf\n", page);
	put_text(page, text);
	fputs("\n.fi\n.in\n", page);
}

void man_entry(FILE *page, const char *name, const char *argument, const char *help)
{
	fputs(".TP\n\\fB", page);
	put_text(page, name);
	fputs("\\fP", page);
	if (argument != NULL && argument[0] != '\0') {
		/* "key=" and its value are one word. */
		fputs(name[strlen(name) - 1] == '=' ? "\\fI" : " \\fI", page);
		put_text(page, argument);
		fputs("\\fP", page);
	}
	fputc('\n', page);
	put_text(page, help);
	fputc('\n', page);
}

void man_reference(FILE *page, const char *name, int section, const char *rest)
{
	fputs(".BR ", page);
	put_text(page, name);
	fprintf(page, " (%d)%s\n", section, rest);
}

void shell_quoted(FILE *script, const char *text)
{
	fputc('\'', script);
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\''", script);
		else
			fputc(*text, script);
	}
	fputc('\'', script);
}

bool is_choice(const char *argument)
{
	return strchr(argument, '|') != NULL;
}

void shell_choice(FILE *script, const char *choice)
{
	for (; *choice != '\0'; choice++) {
		if (*choice == '|')
			fputc(' ', script);
		else if (*choice != '[' && *choice != ']')
			fputc(*choice, script);
	}
}

/* Text in a specification of _arguments, which is within single quotes. */
static void zsh_text(FILE *script, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\''", script);
		else if (strchr("[]:\\", *text) != NULL)
			fprintf(script, "\\%c", *text);
		else
			fputc(*text, script);
	}
}

/* ":message:action" of a value. */
static void zsh_action(FILE *script, const char *argument)
{
	fputc(':', script);
	zsh_text(script, is_choice(argument) ? "value" : argument);
	fputc(':', script);
	if (is_choice(argument)) {
		fputc('(', script);
		shell_choice(script, argument);
		fputc(')', script);
	} else if (strcmp(argument, "FILE") == 0 || strcmp(argument, "PATH") == 0) {
		fputs("_files", script);
	}
}

void zsh_option(FILE *script, const char *name, const char *argument, const char *help)
{
	bool takes = argument[0] != '\0', optional = argument[0] == '[';
	/* An optional value follows "=". */
	fprintf(script, "'%s%s[", name, optional ? "=-" : takes ? "=" : "");
	zsh_text(script, help);
	fputs(optional ? "]:" : "]", script);
	if (takes)
		zsh_action(script, argument);
	fputc('\'', script);
}

void zsh_value(FILE *script, const char *key, const char *value, const char *help)
{
	fprintf(script, "'%s[", key);
	zsh_text(script, help);
	fputc(']', script);
	if (value[0] != '\0')
		zsh_action(script, value);
	fputc('\'', script);
}

void bash_begin(FILE *script, const char *program, const char *function, const char *example)
{
	fprintf(script, "# bash completion for %s\n%s()\n", program, function);
	fputs("{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}\n",
	    script);
	fprintf(script, "\t# In %s the \"=\" is a word of its own.\n", example);
	fputs("\tif [[ $cur == = ]]; then\n"
	      "\t\tcur=\n"
	      "\telif [[ $option == = ]]; then\n"
	      "\t\toption=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\tfi\n"
	      "\tCOMPREPLY=()\n"
	      "\tcase $option in\n",
	    script);
}

int pages_main(int count, char **words, void (*page)(const char *folder),
    void (*bash)(const char *folder), void (*zsh)(const char *folder))
{
	if (count != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", words[0]);
		return 2;
	}
	page(words[1]);
	bash(words[1]);
	zsh(words[1]);
	return 0;
}
