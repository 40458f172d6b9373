#include "attach_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net.h"
#include "now.h"

extern char **environ;

enum { MORE_MS = 3000, POLL_MS = 20 };

/* Waits for the child, which is killed at the deadline; its status, or -1 if it was. */
static int end_of(pid_t child, uint64_t deadline_ms)
{
	int status = 0;
	pid_t done;
	while ((done = waitpid(child, &status, WNOHANG)) == 0 && now_ms() < deadline_ms)
		poll(NULL, 0, POLL_MS);
	if (done == child)
		return status;
	kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return -1;
}

/* Starts it with its errors going to a pipe; 0, or errno. */
static int start(const char *gcspy, char *const *words, int say, pid_t *child)
{
	posix_spawn_file_actions_t files;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, say, STDERR_FILENO);
	const int error = posix_spawn(child, gcspy, &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

/* The first line of what was said, without the program's name. */
static bool take_reason(int said, char *why, size_t size)
{
	const ssize_t n = read(said, why, size - 1);
	if (n <= 0)
		return false;
	why[n] = '\0';
	why[strcspn(why, "\n")] = '\0';
	if (strncmp(why, "gcspy: ", 7) == 0)
		memmove(why, why + 7, strlen(why + 7) + 1);
	return true;
}

bool attach_by_program(const char *gcspy, long pid, const char *options, const char *library,
    unsigned seconds, char *why, size_t size)
{
	char number[24], timeout[24];
	const char *words[] = {"gcspy", "attach", number, options, "--timeout", timeout,
	    library != NULL ? "--agent" : NULL, library, NULL};
	pid_t child;
	int ends[2];
	snprintf(number, sizeof number, "%ld", pid);
	snprintf(timeout, sizeof timeout, "%u", seconds);
	if (!net_pipe(ends)) {
		snprintf(why, size, "no pipe to gcspy: %s", strerror(errno));
		return false;
	}
	/* posix_spawn changes none of the words. */
	const int error = start(gcspy, (char *const *)words, ends[1], &child);
	close(ends[1]);
	const int status = error == 0 ? end_of(child, now_ms() + 1000ULL * seconds + MORE_MS) : -1;
	if (error != 0)
		snprintf(why, size, "cannot execute %s: %s", gcspy, strerror(error));
	else if (status != 0 && !take_reason(ends[0], why, size))
		snprintf(why, size, "`gcspy attach %ld` %s", pid,
		    status == -1 ? "does not end" : "failed without a reason");
	close(ends[0]);
	return status == 0;
}
