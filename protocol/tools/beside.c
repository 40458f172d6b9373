/* realpath is in the XSI part of POSIX. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier) */

#include "beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool beside_find(const char *name, char path[PATH_MAX])
{
	static const char *const places[] = {
	    "../lib", "../lib64", "../lib/gcspy", "../lib/" GCSPY_LIBRARY_ARCHITECTURE, "."};
	char own[PATH_MAX], guess[PATH_MAX + 128];
	struct stat st;
	ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
	own[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(own, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		snprintf(guess, sizeof guess, "%s/%s/%s", own, places[i], name);
		if (stat(guess, &st) == 0 && S_ISREG(st.st_mode) && realpath(guess, path) != NULL)
			return true;
	}
	return false;
}
