#include "path_pattern.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void time_text(char *text, size_t size, int64_t wall_ns)
{
	struct tm tm;
	const time_t seconds = (time_t)(wall_ns / 1000000000);
	if (localtime_r(&seconds, &tm) == NULL ||
	    strftime(text, size, "%Y-%m-%d_%H-%M-%S", &tm) == 0)
		snprintf(text, size, "%lld", (long long)seconds);
}

bool path_from_pattern(char *path, size_t size, const char *pattern, long process, int64_t wall_ns)
{
	size_t length = 0;
	for (const char *at = pattern; *at != '\0'; at++) {
		char part[40] = {*at, '\0'};
		if (*at == '%') {
			at++;
			if (*at == 'p')
				snprintf(part, sizeof part, "%ld", process);
			else if (*at == 't')
				time_text(part, sizeof part, wall_ns);
			else if (*at != '%')
				return false;
		}
		const size_t bytes = strlen(part);
		if (length + bytes >= size)
			return false;
		memcpy(path + length, part, bytes);
		length += bytes;
	}
	path[length] = '\0';
	return length != 0;
}

void path_pattern_text(char *text, size_t size, const char *pattern, long process)
{
	size_t length = 0;
	bool timed = false;
	text[0] = '\0';
	for (const char *at = pattern; *at != '\0' && length < size; at++) {
		const bool marked = at[0] == '%' && at[1] != '\0';
		if (marked && at[1] == 'p')
			length += (size_t)snprintf(text + length, size - length, "%ld", process);
		else if (marked && at[1] == 't')
			length += (size_t)snprintf(text + length, size - length, "%%t");
		else
			length += (size_t)snprintf(text + length, size - length, "%c", *at);
		timed = timed || (marked && at[1] == 't');
		at += marked;
	}
	if (timed && length < size)
		snprintf(text + length, size - length, " (%%t: the time)");
}
