/* `gcspy run`: executes a program with libgcspymalloc.so preloaded (M3). This process becomes the program, so
 * that its exit status, terminal and signals are the program's own; with --leaks a child does. */

/* setenv; the XSI part of POSIX for realpath's users. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier) */

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beside.h"
#include "output_file.h"
#include "program_file.h"
#include "run_leaks.h"
#include "tool.h"

enum { OPTIONS_BYTES = 4096 };

/* As env and nohup have it. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

static const char library_name[] = "libgcspymalloc.so", allocator_name[] = "libgcspydlmalloc.so";

static void add(char *list, const char *key, const char *value)
{
	const size_t used = strlen(list);
	snprintf(list + used, OPTIONS_BYTES - used, "%s%s=%s", used == 0 ? "" : ",", key, value);
}

/* The list in GCSPYMALLOC; false after a message. */
static bool make_options(const struct cli_arguments *a, const char *leaks, char *list)
{
	const struct {
		const char *option, *key, *text;
	} texts[] = {{"--host", "host", a->host}, {"--socket", "socket", a->socket},
	    {"--token-file", "token-file", a->token_file}, {"--output", "record", a->output}};
	const struct {
		const char *key;
		uint32_t value;
	} numbers[] = {{"port", a->run_port}, {"update", a->update_ms}, {"deferred", a->deferred}};
	char number[24];
	list[0] = '\0';
	if (a->leaks && a->children) {
		cli_usage(
		    "--leaks lists what the program itself leaves, and --children would write "
		    "over it: give one of them");
		return false;
	}
	if (a->children && a->socket != NULL && strstr(a->socket, "%p") == NULL) {
		cli_usage("--children: each process needs a socket of its own: give --socket a "
			  "path with %%p, the process number");
		return false;
	}
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const char *text = texts[i].text;
		if (text == NULL)
			continue;
		if (strlen(text) > 900 || strchr(text, ',') != NULL || text[0] == '\0') {
			cli_usage("%s \"%.60s\": expected 1 to 900 bytes without a comma",
			    texts[i].option, text);
			return false;
		}
		add(list, texts[i].key, text);
	}
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		snprintf(number, sizeof number, "%u", (unsigned)numbers[i].value);
		if (numbers[i].value != CLI_NOT_GIVEN)
			add(list, numbers[i].key, number);
	}
	if (a->allow_any_user != 0)
		add(list, "allow", "any");
	if (a->wait)
		add(list, "wait", "yes");
	if (a->children)
		add(list, "children", "yes");
	if (a->memory)
		add(list, "memory", "yes");
	if (a->interval != UINT64_MAX || a->leaks) {
		snprintf(number, sizeof number, "%llu",
		    (unsigned long long)(a->interval != UINT64_MAX ? a->interval : 1));
		add(list, "interval", number);
	}
	if (a->leaks)
		add(list, "leaks", leaks);
	add(list, "say", "yes");
	return true;
}

/* The loader only warns of a library that it cannot preload. In a process of its own, because what a library
 * does when it is loaded is the program's. */
static int try_allocator(const char *path)
{
	int how;
	const pid_t pid = fork();
	if (pid == 0) {
		const char *why = dlopen(path, RTLD_LAZY | RTLD_LOCAL) == NULL ? dlerror() : NULL;
		/* Memory for its threads is short only where it comes late. */
		_exit(why == NULL || strstr(why, "static TLS") != NULL
			  ? CLI_DONE
			  : cli_fail("--allocator %s", why));
	}
	/* A library that ends the process is left to the loader. */
	if (pid == -1 || waitpid(pid, &how, 0) != pid || !WIFEXITED(how))
		return CLI_DONE;
	return WEXITSTATUS(how);
}

/* The allocator's library: dlmalloc is GCspy's own, others are found by the loader. */
static int find_allocator(const char *given, char path[PATH_MAX])
{
	if (given == NULL)
		path[0] = '\0';
	else if (strcmp(given, "dlmalloc") != 0)
		snprintf(path, PATH_MAX, "%s", given);
	else if (!beside_find(allocator_name, path))
		return cli_fail(
		    "--allocator dlmalloc: %s is not beside gcspy: it is built only where "
		    "CMake is asked to fetch dlmalloc (docs/dlmalloc.md)",
		    allocator_name);
	return path[0] == '\0' || strpbrk(path, " :") != NULL ? CLI_DONE : try_allocator(path);
}

static int set_environment(const struct cli_arguments *a, const char *library, const char *leaks)
{
	char options[OPTIONS_BYTES], allocator[PATH_MAX];
	static char list[3 * PATH_MAX];
	const char *before = getenv("LD_PRELOAD");
	int code = find_allocator(a->allocator, allocator);
	if (code != CLI_DONE)
		return code;
	if (!make_options(a, leaks, options))
		return CLI_USAGE;
	if (a->deferred != CLI_NOT_GIVEN && strstr(allocator, allocator_name) == NULL)
		return cli_usage("--deferred needs --allocator dlmalloc");
	if (strpbrk(library, " :") != NULL || strpbrk(allocator, " :") != NULL)
		return cli_fail("\"%s\" cannot be preloaded: its path has a blank or a colon",
		    strpbrk(library, " :") != NULL ? library : allocator);
	const int length = snprintf(list, sizeof list, "%s%s%s%s%s", library,
	    allocator[0] == '\0' ? "" : ":", allocator,
	    before == NULL || before[0] == '\0' ? "" : ":", before == NULL ? "" : before);
	if (length >= (int)sizeof list)
		return cli_fail("LD_PRELOAD is too long: %zu bytes", strlen(before));
	if (setenv("LD_PRELOAD", list, 1) != 0 || setenv("GCSPYMALLOC", options, 1) != 0)
		return cli_fail("the environment cannot be set: %s", strerror(errno));
	return CLI_DONE;
}

/* As the library will name it. It cannot ask itself: what the process executes later records there as well. */
static bool recording_is_free(const struct cli_arguments *a, int *code)
{
	char path[1000] = "";
	size_t used = 0;
	for (const char *at = a->output; at != NULL && *at != '\0' && used < sizeof path - 24;
	     at++) {
		if (at[0] == '%' && at[1] == 'p') {
			/* A child's number is not known yet. */
			used +=
			    (size_t)snprintf(path + used, 24, "%ld", a->leaks ? 0 : (long)getpid());
			at++;
		} else {
			path[used++] = *at;
			path[used] = '\0';
		}
	}
	if (!output_is_free(used == 0 ? NULL : path, a->force, code))
		return false;
	if (used == 0 || access(path, F_OK) == 0)
		return true;
	/* The program would run for hours without a recording. */
	char *slash = strrchr(path, '/');
	if (slash != NULL)
		slash[slash == path] = '\0';
	const char *in = slash == NULL ? "." : path;
	if (access(in, W_OK | X_OK) != 0)
		*code = cli_fail(
		    "--output %s: no file can be made in %s: %s", a->output, in, strerror(errno));
	return *code == CLI_DONE;
}

int cmd_run(const struct cli_arguments *arguments, struct out *out)
{
	char path[PATH_MAX], library[PATH_MAX], why[200];
	const char *name = arguments->program[0];
	(void)out;
	if (!program_find(name, path)) {
		const int error = errno;
		cli_fail("%s: %s", name, strerror(error));
		return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
	}
	if (!beside_find(library_name, library))
		return cli_fail("%s is not beside gcspy", library_name);
	if (!program_takes_preload(path, library, why, sizeof why))
		return cli_fail("%s: %s", name, why);
	char leaks[RUN_LEAKS_PATH] = "";
	int code;
	if (!recording_is_free(arguments, &code))
		return code;
	code = arguments->leaks ? run_leaks_prepare(leaks) : CLI_DONE;
	if (code == CLI_DONE) {
		code = set_environment(arguments, library, leaks);
		if (code != CLI_DONE && leaks[0] != '\0')
			unlink(leaks);
	}
	if (code != CLI_DONE)
		return code;
	if (arguments->leaks && run_leaks_wait(arguments, leaks, &code))
		return code;
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(name, arguments->program);
	cli_fail("%s: %s", name, strerror(errno));
	return NOT_EXECUTABLE;
}
