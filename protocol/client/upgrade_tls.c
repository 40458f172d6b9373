/* TLS by a program of its own, so that what reads a JVM needs no library for it (decision 12). */

#include "upgrade.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* gcspy-serve beside the running program; by its name alone, for a search in PATH, where it is not there. */
static const char *find_helper(char *path, size_t size)
{
	static const char name[] = "gcspy-serve";
	const ssize_t length = readlink("/proc/self/exe", path, size - sizeof name);
	path[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(path, '/');
	if (slash != NULL)
		strcpy(slash + 1, name);
	return slash != NULL && access(path, X_OK) == 0 ? path : name;
}

/* Its own child goes on, so that nothing has to be waited for later: 0, or the error. */
static int execute(const char *program, char **words, int end)
{
	static const short settings =
	    POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	pid_t child;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, end, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	/* A group of its own: an interrupt from the terminal is for us, who may still have to say something. */
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, settings);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	const int error = posix_spawnp(&child, program, &files, &attributes, words, environ);
	while (error == 0 && waitpid(child, NULL, 0) == -1 && errno == EINTR)
		continue;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return error;
}

int upgrade_tls(const char *host, uint32_t timeout_ms, struct gcs_error *err)
{
	static char name[] = "gcspy-connect";
	char path[PATH_MAX], to[300], limit[16];
	char *words[] = {name, to, limit, NULL};
	int ends[2];
	snprintf(to, sizeof to, "%s", host);
	snprintf(limit, sizeof limit, "%u", timeout_ms);
	if (!net_pair(ends)) {
		gcs_fail(err, GCS_NOMEM, "cannot create a pair of sockets: %s", strerror(errno));
		return -1;
	}
	const int error = execute(find_helper(path, sizeof path), words, ends[1]);
	close(ends[1]);
	if (error == 0 && net_adopt(ends[0]))
		return ends[0];
	close(ends[0]);
	if (error == ENOENT)
		gcs_fail(err, GCS_UNSUPPORTED,
		    "https:// needs gcspy-serve, which is neither beside this program nor in PATH: "
		    "it is in the package of that name");
	else
		gcs_fail(err, GCS_UNSUPPORTED, "cannot execute gcspy-serve, for https://: %s",
		    strerror(error));
	return -1;
}
