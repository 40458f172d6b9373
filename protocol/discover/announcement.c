#include "announcement.h"

#include <stdio.h>
#include <string.h>

static const char file_name[] = "gcspy-announcement";
static const char deleted_suffix[] = " (deleted)";

/* The next line of [*at, end) in `line`, cut to its size; false at the end. */
static bool next_line(const char **at, const char *end, char *line, size_t size)
{
	const char *stop = memchr(*at, '\n', (size_t)(end - *at));
	if (stop == NULL)
		return false;
	snprintf(line, size, "%.*s", (int)(stop - *at), *at);
	*at = stop + 1;
	return true;
}

bool announcement_parse(const char *text, size_t length, struct announcement *announcement)
{
	static const char listening[] = "listening ", refused[] = "refused ";
	const char *at = text, *end = text + length;
	char line[600];
	*announcement = (struct announcement){0};
	if (length > ANNOUNCEMENT_BYTES || !next_line(&at, end, line, sizeof line) ||
	    strcmp(line, "gcspy 1") != 0)
		return false;
	struct announcement found = {0};
	while (next_line(&at, end, line, sizeof line)) {
		if (strcmp(line, "end") == 0) {
			*announcement = found;
			return true;
		}
		if (strncmp(line, listening, sizeof listening - 1) == 0 &&
		    line[sizeof listening - 1] != '\0' && found.count < ANNOUNCEMENT_ADDRESSES)
			snprintf(found.addresses[found.count++], sizeof found.addresses[0], "%s",
			    line + sizeof listening - 1);
		else if (strcmp(line, "native heap") == 0)
			found.native = true;
		else if (strncmp(line, refused, sizeof refused - 1) == 0)
			snprintf(
			    found.refusal, sizeof found.refusal, "%s", line + sizeof refused - 1);
	}
	return false;
}

bool announcement_is_detached(const struct announcement *announcement)
{
	static const char word[] = "detached";
	return announcement->count == 0 &&
	       strncmp(announcement->refusal, word, sizeof word - 1) == 0;
}

bool announcement_is_at(const char *link)
{
	size_t length = strlen(link), tail = sizeof deleted_suffix - 1;
	if (length <= tail || strcmp(link + length - tail, deleted_suffix) != 0)
		return false;
	return strncmp(link, "/memfd:", 7) == 0
		   ? length - tail - 7 == sizeof file_name - 1 &&
			 strncmp(link + 7, file_name, length - tail - 7) == 0
		   : strncmp(link, "/tmp/", 5) == 0 &&
			 strncmp(link + 5, file_name, sizeof file_name - 1) == 0;
}
