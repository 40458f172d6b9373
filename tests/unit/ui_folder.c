/* Folders of tests; declared in ui_folder.h. */
#define _XOPEN_SOURCE 700 /* mkdtemp. NOLINT(bugprone-reserved-identifier) */
#include "ui_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui_world.h"

/* By folder, until the test ends: the end of one pipe ends the folder, that of the other says so. */
static int ends[2], gone[2], count;

/* In a session of its own and without the test's output, so that nobody waits for it or kills it
 * along with the test. */
static _Noreturn void remove_at_end(const char *path, int until, int told)
{
	char byte;
	setsid();
	if (fork() != 0)
		_exit(0);
	for (int fd = 0; fd < 256; fd++)
		if (fd != until && fd != told)
			close(fd);
	while (read(until, &byte, 1) > 0)
		continue;
	if (chdir("/") == 0)
		execlp("rm", "rm", "-rf", path, (char *)NULL);
	_exit(1);
}

void folder_open(char *path, size_t size, const char *name)
{
	const char *tmp = getenv("TMPDIR");
	int until[2], told[2];
	snprintf(path, size, "%s/gcspy-%s-XXXXXX", tmp == NULL ? "/tmp" : tmp, name);
	world_must(mkdtemp(path) != NULL, path);
	world_must(pipe(until) == 0 && pipe(told) == 0, "pipe");
	for (int i = 0; i < 2; i++)
		fcntl(until[i], F_SETFD, FD_CLOEXEC);
	const pid_t pid = fork();
	if (pid == 0) {
		close(until[1]);
		close(told[0]);
		remove_at_end(path, until[0], told[1]);
	}
	world_must(pid > 0 && waitpid(pid, NULL, 0) == pid, "fork");
	close(until[0]);
	close(told[1]);
	fcntl(told[0], F_SETFD, FD_CLOEXEC);
	world_must(count < 2, "too many folders");
	gone[count] = told[0];
	ends[count++] = until[1];
}

void folder_close(void)
{
	char byte;
	count--;
	close(ends[count]);
	while (read(gone[count], &byte, 1) > 0)
		continue;
	close(gone[count]);
}
