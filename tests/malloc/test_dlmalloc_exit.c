/* Preloaded beside libgcspydlmalloc.so: at a process's end it checks the heap, and writes a line to the file
 * DLMALLOC_RESULT. */
#include <fcntl.h>
#include <unistd.h>

#include "dlmalloc_kit.h"

__attribute__((destructor)) static void at_exit(void)
{
	const char *path = getenv("DLMALLOC_RESULT");
	struct dlmalloc_check c;
	char line[400];
	if (path == NULL)
		return;
	kit_inside()->check(&c);
	const int length = snprintf(line, sizeof line,
	    "%s pid %ld used %lu parked %lu free %lu small %lu nodes %lu same %lu dv %lu stale "
	    "%lu\n",
	    c.free_mismatch + c.length_mismatch == 0 && c.used != 0 ? "same" : "DIFFERENT",
	    (long)getpid(), (unsigned long)c.used, (unsigned long)c.parked, (unsigned long)c.free,
	    (unsigned long)c.small, (unsigned long)c.nodes, (unsigned long)c.same,
	    (unsigned long)c.dv, (unsigned long)c.stale);
	const int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
	if (file < 0 || write(file, line, (size_t)length) != length)
		abort();
	close(file);
}
