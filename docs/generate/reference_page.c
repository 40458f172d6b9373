/*
 * The reference of the C API: one page of HTML made from the public headers, so that no text is written
 * twice.
 *
 *	reference-page [--check] FOLDER HEADER…      writes FOLDER/reference.html
 *
 * Declarations appear as they are, comments that begin a line as text, in which functions are links.
 * With --check, a function without a comment, before it or its group of lines, is named on standard
 * error, and the exit code is 1.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"

enum { NAMES = 1000, LINE = 1000 };

struct function {
	char name[80];
	const char *header;
};

static struct function functions[NAMES];
static int count, undocumented;
static char missing[NAMES][80];
static FILE *page;

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

/* The function that the line declares, in `name`; false if it declares none. */
static bool declares(const char *line, char name[80])
{
	const char *end = strchr(line, '(');
	if (strncmp(line, "GCS_API ", 8) != 0 || end == NULL)
		return false;
	const char *start = end;
	while (start > line && is_word(start[-1]))
		start--;
	snprintf(name, 80, "%.*s", (int)(end - start), start);
	return true;
}

static bool is_function(const char *name, size_t length)
{
	for (int i = 0; i < count; i++)
		if (strlen(functions[i].name) == length &&
		    memcmp(functions[i].name, name, length) == 0)
			return true;
	return false;
}

static void put_char(char c)
{
	fputs(c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : (char[]){c, '\0'}, page);
}

static void put_code(const char *line)
{
	for (const char *at = strncmp(line, "GCS_API ", 8) == 0 ? line + 8 : line; *at != '\0';
	     at++)
		put_char(*at);
}

/* Text of a comment: functions become links, and what is in backquotes code. */
static void put_text(const char *text)
{
	bool code = false;
	while (*text != '\0') {
		size_t length = 0;
		while (is_word(text[length]))
			length++;
		if (length != 0 && is_function(text, length)) {
			fprintf(page, "<a href=\"#%.*s\">%.*s</a>", (int)length, text, (int)length,
			    text);
			text += length;
		} else if (*text == '`') {
			code = !code;
			fputs(code ? "<code>" : "</code>", page);
			text++;
		} else {
			for (length = length == 0 ? 1 : length; length != 0; length--)
				put_char(*text++);
		}
	}
}

/* A line of a comment, without its stars; true at the end of the comment. */
static bool strip(char *line)
{
	char *end = strstr(line, "*/");
	const bool last = end != NULL;
	if (last)
		*end = '\0';
	char *text = line + strspn(line, " ");
	text += strncmp(text, "/*", 2) == 0 ? 2 : *text == '*' ? 1 : 0;
	text += *text == ' ' ? 1 : 0;
	memmove(line, text, strlen(text) + 1);
	return last;
}

enum mode { NOTHING, TEXT, EXAMPLE, CODE };

static enum mode turn(enum mode from, enum mode to)
{
	static const char *const ends[] = {"", "</p>\n", "</pre>\n", "</pre>\n"};
	static const char *const begins[] = {"", "<p>", "<pre class=example>", "<pre>"};
	if (from != to)
		fprintf(page, "%s%s", ends[from], begins[to]);
	return to;
}

/* Not of interest to readers. */
static bool is_plumbing(const char *line)
{
	static const char *const starts[] = {"#include", "#ifndef GCSPY_", "#define GCSPY_",
	    "GCS_BEGIN_DECLS", "GCS_END_DECLS", "#endif"};
	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
		if (strncmp(line, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

static void write_header(const char *path)
{
	char line[LINE], name[80];
	bool comment = false, told = false;
	enum mode mode = NOTHING;
	FILE *header = fopen(path, "r");
	if (header == NULL) {
		perror(path);
		exit(1);
	}
	fprintf(page, "<h2 id=\"%s\">&lt;gcspy/%s&gt;</h2>\n", base_of(path), base_of(path));
	while (fgets(line, sizeof line, header) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (comment || strncmp(line, "/*", 2) == 0) {
			comment = !strip(line);
			told = true;
			mode = turn(mode, line[0] == '\0'   ? NOTHING
					  : line[0] == '\t' ? EXAMPLE
							    : TEXT);
			put_text(line);
			fputs("\n", page);
		} else if (line[0] == '\0') {
			mode = turn(mode, mode == CODE ? CODE : NOTHING);
			fputs("\n", page);
			told = false;
		} else if (!is_plumbing(line)) {
			mode = turn(mode, CODE);
			if (declares(line, name)) {
				fprintf(page, "<a id=\"%s\"></a>", name);
				if (!told && strstr(line, "/*") == NULL && undocumented < NAMES) {
					snprintf(missing[undocumented++], 80, "%s", name);
				}
			}
			put_code(line);
			fputs("\n", page);
		}
	}
	turn(mode, NOTHING);
	fclose(header);
}

static void collect(const char *path)
{
	char line[LINE];
	FILE *header = fopen(path, "r");
	for (; header != NULL && count < NAMES && fgets(line, sizeof line, header) != NULL;)
		if (declares(line, functions[count].name))
			functions[count++].header = path;
	if (header != NULL)
		fclose(header);
}

int main(int argc, char **argv)
{
	const bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
	argc -= check;
	argv += check;
	if (argc < 3) {
		fprintf(stderr, "usage: reference-page [--check] FOLDER HEADER...\n");
		return 2;
	}
	page = pages_open(argv[1], "reference.html");
	fputs(
	    "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8>\n<title>GCspy: the C API</title>\n"
	    "<style>body{max-width:60em;margin:2em auto;padding:0 1em;font:16px/1.5 sans-serif}"
	    "pre{background:#f4f4f4;padding:.7em;overflow-x:auto;tab-size:8}"
	    "pre.example{background:none}.names{columns:3;font-size:.85em}</style>\n"
	    "<h1>GCspy: the C API</h1>\n<p>libgcspy for programs that show their memory, "
	    "libgcspyclient for programs that read servers and recordings.</p>\n",
	    page);
	for (int i = 2; i < argc; i++)
		collect(argv[i]);
	for (int i = 2; i < argc; i++) {
		fprintf(page, "<h3><a href=\"#%s\">%s</a></h3>\n<div class=names>\n",
		    base_of(argv[i]), base_of(argv[i]));
		for (int k = 0; k < count; k++)
			if (functions[k].header == argv[i])
				fprintf(page, "<a href=\"#%s\">%s</a><br>\n", functions[k].name,
				    functions[k].name);
		fputs("</div>\n", page);
	}
	for (int i = 2; i < argc; i++)
		write_header(argv[i]);
	fputs("</html>\n", page);
	pages_close(page);
	for (int i = 0; check && i < undocumented; i++)
		fprintf(stderr, "%s has no comment\n", missing[i]);
	return check && undocumented != 0;
}
