#include "run_leaks.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gcspy/profile.h>

#include "sites_write.h"

static volatile sig_atomic_t program; /* its process number */

int run_leaks_prepare(char path[RUN_LEAKS_PATH])
{
	const char *folder = getenv("TMPDIR");
	/* The library's list of options has commas. */
	if (folder == NULL || folder[0] != '/' || strpbrk(folder, ",%") != NULL ||
	    strlen(folder) > RUN_LEAKS_PATH - 32)
		folder = "/tmp";
	snprintf(path, RUN_LEAKS_PATH, "%s/gcspy-leaks-XXXXXX", folder);
	const int fd = mkstemp(path);
	if (fd == -1)
		return cli_fail("%s: %s", path, strerror(errno));
	close(fd);
	return CLI_DONE;
}

static void pass_on(int number)
{
	const int saved = errno;
	kill((pid_t)program, number);
	errno = saved;
}

/* Those of the terminal reach the program by themselves. */
static void handle_signals(void)
{
	struct sigaction forward = {.sa_handler = pass_on}, ignore = {.sa_handler = SIG_IGN};
	sigemptyset(&forward.sa_mask);
	sigemptyset(&ignore.sa_mask);
	sigaction(SIGTERM, &forward, NULL);
	sigaction(SIGHUP, &forward, NULL);
	sigaction(SIGUSR1, &forward, NULL);
	sigaction(SIGUSR2, &forward, NULL);
	sigaction(SIGINT, &ignore, NULL);
	sigaction(SIGQUIT, &ignore, NULL);
}

static void show(const struct cli_arguments *arguments, const struct gcs_profile *profile)
{
	static struct out out;
	struct cli_arguments a = {
	    .kind = GCS_PROFILE_LIVE, .format = GCS_EXPORT_TEXT, .address = arguments->program[0]};
	out_init(&out, STDERR_FILENO);
	const struct gcs_profile_head *head = gcs_profile_head(profile);
	if (head->samples == 0 && head->as_of[0] != '\0')
		out_format(&out, "gcspy: no call site is known: %s\n", head->as_of);
	else if (head->samples == 0 && head->lost == 0)
		out_raw(&out, head->interval == 1
				  ? "gcspy: no allocation was seen: the program makes none, or its "
				    "allocator is its own or statically linked\n"
				  : "gcspy: no allocation was sampled\n");
	else if (gcs_profile_entry_count(profile) == 0)
		out_raw(&out, head->interval == 1 ? "gcspy: all blocks were freed\n"
						  : "gcspy: all sampled blocks were freed\n");
	else
		(void)sites_write(&a, profile, &out);
	(void)out_flush(&out);
}

/* The library writes nothing if the program does not end by exit(), if it has said that the heap is not or no
 * longer shown, or that it cannot write the file. */
static void not_known(const char *name, int how)
{
	if (WIFSIGNALED(how))
		cli_warn("what %s has not freed is not known: signal %d ended it (%s)", name,
		    WTERMSIG(how), strsignal(WTERMSIG(how)));
	else
		cli_warn("what %s has not freed is not known: it ended without exit(), its heap "
			 "was not shown, or it could not write the list",
		    name);
}

static void list(const struct cli_arguments *arguments, const char *path, int how)
{
	struct gcs_error err;
	struct stat st;
	struct gcs_profile *profile = NULL;
	if (stat(path, &st) == 0 && st.st_size == 0)
		not_known(arguments->program[0], how);
	else if ((profile = gcs_profile_load(path, &err)) == NULL)
		cli_warn("%s", err.text);
	if (profile != NULL)
		show(arguments, profile);
	gcs_profile_free(profile);
}

/* Ends as the program did; its core is the only one. */
static void end_by(int number)
{
	const struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	raise(number);
}

bool run_leaks_wait(const struct cli_arguments *arguments, const char *path, int *status)
{
	int how;
	sigset_t all, before;
	/* Until the number is known, no handler runs. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	const pid_t pid = fork();
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return false;
	}
	program = pid;
	if (pid != -1)
		handle_signals();
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid == -1) {
		*status = cli_fail("%s: %s", arguments->program[0], strerror(errno));
		unlink(path);
		return true;
	}
	while (waitpid(pid, &how, 0) == -1)
		if (errno != EINTR) {
			*status = cli_fail("%s: %s", arguments->program[0], strerror(errno));
			return true;
		}
	list(arguments, path, how);
	unlink(path);
	if (WIFSIGNALED(how))
		end_by(WTERMSIG(how));
	*status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
	return true;
}
