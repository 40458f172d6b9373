#include "operand.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "served_address.h"

static bool has_suffix(const char *text, const char *suffix)
{
	const size_t length = strlen(text), tail = strlen(suffix);
	return length > tail && strcmp(text + length - tail, suffix) == 0;
}

bool source_is_file(const char *source)
{
	struct stat st;
	if (stat(source, &st) == 0)
		return !S_ISDIR(st.st_mode) && !S_ISSOCK(st.st_mode);
	if (served_address_is(source))
		return false;
	/* It does not exist: "no such file" says more than "no such address". */
	return (strchr(source, '/') != NULL && strstr(source, "unix:") == NULL) ||
	       has_suffix(source, ".gcspy") || has_suffix(source, ".sites");
}

bool source_is_same_program(const char *one, const char *other)
{
	static const char number[] = ", process ";
	const char *end = strstr(one, number), *other_end = strstr(other, number);
	if (end == NULL || other_end == NULL)
		return strcmp(one, other) == 0;
	return end - one == other_end - other && strncmp(one, other, (size_t)(end - one)) == 0;
}

void operand_quote(char *text, size_t size, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_[]";
	size_t at = 0;
	if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
		snprintf(text, size, "%s", word);
		return;
	}
	at = (size_t)snprintf(text, size, "'");
	for (const char *c = word; at + 8 < size && *c != '\0'; c++)
		if (*c == '\'')
			at += (size_t)snprintf(text + at, size - at, "'\\''");
		else
			text[at++] = *c;
	snprintf(text + at, size - at, "'");
}
