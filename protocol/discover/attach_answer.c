#include "attach.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A whole line that is a decimal int. */
static bool is_number(const char *line, size_t length, int *value)
{
	size_t sign = length != 0 && line[0] == '-';
	if (length == sign || length > 11 || strspn(line + sign, "0123456789") < length - sign)
		return false;
	long long n = strtoll(line, NULL, 10);
	if (n < INT_MIN || n > INT_MAX)
		return false;
	*value = (int)n;
	return true;
}

bool attach_parse_answer(const char *answer, int *result, char *why, size_t size)
{
	static const char code[] = "return code: ";
	int status;
	size_t used = 0, length = strcspn(answer, "\n");
	snprintf(why, size, "its answer cannot be understood");
	if (!is_number(answer, length, &status))
		return false;
	/* JDK 11 to 17 say in the status that the library could not be loaded, later ones do not. */
	for (const char *at = answer + length; *at == '\n';) {
		at++;
		length = strcspn(at, "\n");
		if (status == 0 && strncmp(at, code, sizeof code - 1) == 0 &&
		    is_number(at + sizeof code - 1, length - (sizeof code - 1), result))
			return true;
		if (length != 0 && used < size)
			used += (size_t)snprintf(why + used, size - used, "%s%.*s",
			    used == 0 ? "" : " ", (int)length, at);
		at += length;
	}
	if (used == 0 && status != 0)
		snprintf(why, size, "it answered with status %d", status);
	return false;
}
