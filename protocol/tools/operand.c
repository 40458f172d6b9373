#include "operand.h"

#include <string.h>
#include <sys/stat.h>

bool source_is_file(const char *source)
{
	struct stat st;
	if (stat(source, &st) == 0)
		return !S_ISDIR(st.st_mode) && !S_ISSOCK(st.st_mode);
	return strchr(source, '/') != NULL && strncmp(source, "unix:", 5) != 0;
}
