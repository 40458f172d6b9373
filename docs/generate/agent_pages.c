/*
 * gcspyagent-pages FOLDER: writes gcspyagent.7, and agent-options, a line "key=<tab>VALUE<tab>help"
 * for each option, which the completion of `gcspy attach` is made from.
 */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "pages.h"

/* One line of the agent's help in its parts. */
static void split(char *line, char *key, char *value, const char **help)
{
	size_t head = strcspn(line, " ");
	*help = line + head + strspn(line + head, " ");
	line[head] = '\0';
	size_t length = strcspn(line, "=");
	if (line[length] == '=')
		length++;
	memcpy(key, line, length);
	key[length] = '\0';
	strcpy(value, line + length);
}

static void write_options(FILE *page, FILE *list)
{
	char line[1024], key[sizeof line], value[sizeof line];
	const char *help;
	for (size_t i = 0; options_help_line(i, line, sizeof line) != NULL; i++) {
		split(line, key, value, &help);
		man_entry(page, key, value, help);
		fprintf(list, "%s\t%s\t%s\n", key, value, help);
	}
}

int main(int count, char **words)
{
	if (count != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", words[0]);
		return 2;
	}
	FILE *page = pages_open(words[1], "gcspyagent.7");
	FILE *list = pages_open(words[1], "agent-options");
	man_begin(page, "gcspyagent", 7, "the JVMTI agent that shows a Java heap to GCspy");
	man_section(page, "SYNOPSIS");
	man_example(page,
	    "`gcspy attach` PID KEY=VALUE,...\n"
	    "`java -agentpath:`PREFIX`/lib/gcspy/libgcspyagent.so=`KEY=VALUE,... ...");
	man_section(page, "DESCRIPTION");
	man_text(page,
	    "The agent lives in a HotSpot JVM, maps its heap to tiles at each collection and "
	    "serves "
	    "them to clients: gcspy, gcspy-view and other programs. Nothing is gathered while no "
	    "client is attached and nothing is recorded. It is loaded at the JVM's start, with "
	    "`-agentpath`, or into a running JVM, with `gcspy attach`. Bytes may be given as 64k, "
	    "8m or 1g.");
	man_section(page, "OPTIONS");
	write_options(page, list);
	man_section(page, "FILES");
	man_entry(page, "PREFIX/lib/gcspy/libgcspyagent.so", NULL,
	    "the agent; PREFIX is /usr in packages of a distribution");
	man_section(page, "SEE ALSO");
	man_reference(page, "gcspy", 1, ",");
	man_reference(page, "gcspy-attach", 1, ",");
	man_reference(page, "gcspy-view", 1, "");
	pages_close(page);
	pages_close(list);
	return 0;
}
