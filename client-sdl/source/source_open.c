/* The kind of source that an address names; declared in source.h. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gcspy/trace.h>

#include "resolve.h"
#include "source.h"

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

bool source_is_file(const char *address)
{
	static const char ending[] = ".gcspy";
	size_t n = strlen(address), m = strlen(ending);
	if (begins(address, "unix:") || begins(address, "2002:") || begins(address, "pid:"))
		return false;
	if (resolve_is_served(address) && access(address, F_OK) != 0)
		return false;
	return strchr(address, '/') != NULL || (n > m && strcmp(address + n - m, ending) == 0) ||
	       gcs_trace_is(address);
}

static bool is_there(const char *path)
{
	struct stat about;
	return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

bool source_open(void *context, const char *address, bool pause_at_start, struct source *source,
    struct gcs_error *err)
{
	if (source_is_file(address))
		return source_trace_open(context, address, pause_at_start, source, err);
	if (source_client_open(context, address, pause_at_start, source, err))
		return true;
	/* Another file, such as a log, is no recording, rather than no program. A running program
	 * of that name came first. */
	return err->status == GCS_ARGUMENT && is_there(address) &&
	       source_trace_open(context, address, pause_at_start, source, err);
}
