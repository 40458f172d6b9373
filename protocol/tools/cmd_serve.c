/*
 * `gcspy serve` and `gcspy push`: execute gcspy-serve, a program of its own, so that this one needs no HTTP
 * library (E3). The name that it is executed by says which of the two it is.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"
#include "tool.h"

static int execute(char *name, const struct cli_arguments *arguments)
{
	char path[PATH_MAX];
	size_t count = 0;
	if (!beside_find("gcspy-serve", path))
		return cli_fail(
		    "gcspy-serve is not beside gcspy: it is in the package gcspy-serve, "
		    "and is built where libmicrohttpd-dev and libcurl4-gnutls-dev are installed");
	while (arguments->words[count] != NULL)
		count++;
	char **words = calloc(count + 2, sizeof *words);
	if (words == NULL)
		return cli_fail("no memory");
	words[0] = name;
	/* For the C library's allocator: it would have a heap for each few of our threads, one for each JVM, keep
	 * for them what large blocks leave, and in each thread a cache of up to 230 KB, which fills for hours. */
	setenv("MALLOC_ARENA_MAX", "1", 0);
	setenv("MALLOC_MMAP_THRESHOLD_", "65536", 0);
	setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 0);
	memcpy(words + 1, arguments->words, count * sizeof *words);
	execv(path, words);
	const int error = errno;
	free(words);
	return cli_fail("cannot execute %s: %s", path, strerror(error));
}

int cmd_serve(const struct cli_arguments *arguments, struct out *out)
{
	static char name[] = "gcspy-serve";
	(void)out;
	return execute(name, arguments);
}

int cmd_push(const struct cli_arguments *arguments, struct out *out)
{
	static char name[] = "gcspy-push";
	(void)out;
	return execute(name, arguments);
}
