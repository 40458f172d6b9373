/* putenv is in the XSI part of POSIX. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier) */
/* The life of the library: its constructor, which reads the options and starts the server, and its
 * destructor at the end of the process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "malloc_each.h"
#include "malloc_options.h"
#include "malloc_server.h"
#include "malloc_thread.h"

enum { ENVIRONMENT = 8192 };

static bool started;

static void say(const char *line)
{
	char text[1200];
	const int length = snprintf(text, sizeof text, "libgcspymalloc: %.1100s\n", line);
	(void)!write(STDERR_FILENO, text, (size_t)length);
}

/*
 * Processes that this one starts inherit its environment: they learn that they are not meant. What this
 * process executes next, as scripts do that begin a program, is shown at the same address, and need not say
 * so again. The text becomes part of the environment.
 */
static void keep_to_this_process(const char *given, const struct malloc_options *options)
{
	static char text[ENVIRONMENT];
	const int length = snprintf(text, sizeof text, "GCSPYMALLOC=%s%spid=%ld%s",
	    given == NULL ? "" : given, given == NULL || given[0] == '\0' ? "" : ",",
	    (long)getpid(), options->say && options->port < 0 ? ",say=no" : "");
	if (length < ENVIRONMENT)
		(void)putenv(text);
}

static void off(void)
{
	atomic_fetch_or(&malloc_mode, MODE_OFF);
}

static void begin(void)
{
	struct malloc_options options;
	char why[600];
	const char *given = getenv("GCSPYMALLOC");
	if (!malloc_options_parse(&options, given, why, sizeof why)) {
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
	if (!options.children)
		keep_to_this_process(given, &options);
	if ((atomic_load(&malloc_mode) & MODE_OFF) != 0) {
		say("the heap cannot be shown: no address space for its shadow (ulimit -v?)");
		return;
	}
	started = malloc_server_start(&options, why, sizeof why);
	if (!started) {
		say(why);
		off();
		return;
	}
	char address[2200];
	malloc_server_address(address, sizeof address);
	char line[2400];
	snprintf(line, sizeof line, "listening on %s", address);
	if (options.say)
		say(line);
	if (options.wait)
		malloc_server_wait();
}

__attribute__((constructor)) static void construct(void)
{
	malloc_ignore_begin();
	begin();
	malloc_ignore_end();
}

__attribute__((destructor)) static void destruct(void)
{
	if (!started)
		return;
	malloc_ignore_begin();
	malloc_server_end();
	malloc_ignore_end();
}
