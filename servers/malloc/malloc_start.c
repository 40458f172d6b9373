/* The life of the library: its constructor, which reads the options and starts the server, and its
 * destructor at the end of the process. */
/* syscall. */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gcspy/native_table.h>

#include "dl_spaces.h"
#include "malloc_each.h"
#include "malloc_options.h"
#include "malloc_server.h"
#include "malloc_thread.h"
#include "own_memory.h"
#include "native_sites.h"
#include "real_malloc.h"

enum { ENVIRONMENT = 8192 };

extern const struct gcs_native_heap gcs_native_heap;
__attribute__((visibility("default")))
const struct gcs_native_heap gcs_native_heap = {.version = GCS_NATIVE_HEAP_VERSION,
    .length = sizeof gcs_native_heap,
    .address = malloc_server_address,
    .allocator = &own_memory_allocator,
    .set_frames = sites_set_frames};

static const char variable[] = "GCSPYMALLOC=";
static bool started;
static bool ends; /* the process ends as programs do */

extern char **environ;

static void say(const char *line)
{
	char text[3400];
	const int length = snprintf(text, sizeof text, "libgcspymalloc: %.3300s\n", line);
	(void)!write(STDERR_FILENO, text, (size_t)length);
}

/* The value, and where the entry is. Not by getenv: a shell may have one of its own. */
static const char *find_variable(char ***entry)
{
	for (*entry = environ; *entry != NULL && **entry != NULL; ++*entry)
		if (strncmp(**entry, variable, sizeof variable - 1) == 0)
			return **entry + sizeof variable - 1;
	return NULL;
}

/* `end` is where the list ends. */
static void add_variable(char **end, char *text)
{
	const size_t count = (size_t)(end - environ);
	char **longer = own_memory_reserve((count + 2) * sizeof *longer);
	if (longer == NULL)
		return;
	memcpy(longer, environ, count * sizeof *longer);
	longer[count] = text;
	environ = longer;
}

/*
 * Processes that this one starts inherit its environment: they learn that they are not meant. What this
 * process executes next, as scripts do that begin a program, is shown at the same address, and need not say
 * so again; a port of the system's choice is another one each time. The text becomes part of the environment.
 */
static void tell_successors(const struct malloc_options *options)
{
	static char text[ENVIRONMENT];
	char **entry, pid[40] = "", said[40] = "";
	const char *given = find_variable(&entry);
	const bool any = given != NULL && given[0] != '\0';
	if (!options->children && options->pid == 0)
		snprintf(pid, sizeof pid, "%spid=%ld", any ? "," : "", (long)getpid());
	if (options->say && options->port != 0 && options->said != getpid())
		snprintf(said, sizeof said, "%ssaid=%ld", any || pid[0] != '\0' ? "," : "",
		    (long)getpid());
	const int length =
	    snprintf(text, sizeof text, "%s%s%s%s", variable, any ? given : "", pid, said);
	if (length >= ENVIRONMENT)
		return;
	if (given != NULL)
		*entry = text;
	else if (entry != NULL)
		add_variable(entry, text);
}

static void off(void)
{
	(void)malloc_mode_add(MODE_OFF);
}

/* The server's sockets must not get the numbers of standard descriptors that the program finds closed. */
static unsigned open_standard(void)
{
	unsigned closed = 0;
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDWR | O_CLOEXEC) == fd)
			closed |= 1u << fd;
	return closed;
}

static void close_standard(unsigned closed)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if ((closed >> fd & 1) != 0)
			close(fd);
}

/* The allocator's own option, which is also for processes that are not shown. */
static bool defer(const struct malloc_options *options, char *why, size_t why_bytes)
{
	if (options->deferred < 0)
		return true;
	if (dl_inside() == NULL) {
		snprintf(why, why_bytes,
		    "deferred=%d: only dlmalloc defers (gcspy run --allocator dlmalloc); the "
		    "allocator is %s",
		    (int)options->deferred, real_malloc_name());
		return false;
	}
	dl_inside()->defer((uint32_t)options->deferred);
	return true;
}

static void begin(void)
{
	struct malloc_options options;
	char why[600];
	char **entry;
	const char *given = find_variable(&entry);
	if (!dl_inside_find(why, sizeof why))
		say(why);
	if (!malloc_options_parse(&options, given, why, sizeof why) ||
	    !defer(&options, why, sizeof why)) {
		say(why);
		off();
		return;
	}
	if (options.help)
		malloc_options_help(STDERR_FILENO);
	if (options.help || (options.pid != 0 && options.pid != getpid())) {
		off();
		return;
	}
	tell_successors(&options);
	if ((malloc_mode() & MODE_OFF) != 0) {
		say("the heap is not shown: there is no address space for its shadow; a limit "
		    "(ulimit -v) "
		    "must be 8 GiB or more");
		return;
	}
	const unsigned closed = open_standard();
	started = malloc_server_start(&options, why, sizeof why);
	close_standard(closed);
	if (!started) {
		say(why);
		off();
		return;
	}
	char line[3300];
	malloc_server_explain(line, sizeof line);
	if (options.say && options.said != getpid())
		say(line);
	if (options.wait)
		malloc_server_wait();
}

__attribute__((constructor)) static void construct(void)
{
	free(malloc(1)); /* the first block shows whether there can be a shadow */
	malloc_ignore_begin();
	begin();
	malloc_ignore_end();
}

/* The server learns nothing else: this may be a signal handler. A child, also one of vfork, has another ID. */
static __attribute__((noreturn)) void leave(int status)
{
	if (started && !ends)
		malloc_server_unlink();
	for (;;)
		syscall(SYS_exit_group, status);
}

__attribute__((visibility("default"), noreturn)) void _exit(int status)
{
	leave(status);
}

__attribute__((visibility("default"), noreturn)) void _Exit(int status)
{
	leave(status);
}

__attribute__((destructor)) static void destruct(void)
{
	ends = true;
	if (!started)
		return;
	malloc_ignore_begin();
	malloc_server_end();
	malloc_ignore_end();
}
