/* memfd_create is Linux's own; the rest is POSIX. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */

#include "announce.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file's name; also in protocol/discover/announcement.h. */
#define NAME "gcspy-announcement"

/* Since Linux 6.3; a system may require it (vm.memfd_noexec=2), older ones reject it. */
#define NO_EXECUTION 0x0008u

/* Kept open until the process ends. */
static int file = -1;

/* Without memory files, a file in /tmp that is unlinked at once. */
static int open_nameless(void)
{
	char path[] = "/tmp/" NAME "-XXXXXX";
	int fd = mkstemp(path);
	if (fd == -1)
		return -1;
	unlink(path);
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

static int open_file(void)
{
	int fd = memfd_create(NAME, MFD_CLOEXEC | NO_EXECUTION);
	if (fd == -1 && errno == EINVAL)
		fd = memfd_create(NAME, MFD_CLOEXEC);
	if (fd == -1)
		return open_nameless();
	/* Its initial mode is 0777. */
	(void)fchmod(fd, 0600);
	return fd;
}

/* A reader may come at any time: a text without the last line "end" is incomplete. */
static void replace(const char *text, size_t length)
{
	if (file == -1)
		file = open_file();
	if (file == -1 || pwrite(file, text, length, 0) != (ssize_t)length)
		return;
	/* The rest of a longer text must not be read with this one. */
	if (ftruncate(file, (off_t)length) != 0) {
		close(file);
		file = -1;
	}
}

void announce_listening(const char *tcp, const char *socket_path)
{
	char text[PATH_MAX + 512], path[PATH_MAX];
	int length = snprintf(text, sizeof text, "gcspy 1\n");
	if (tcp[0] != '\0')
		length +=
		    snprintf(text + length, sizeof text - (size_t)length, "listening %s\n", tcp);
	/* A relative path means nothing in another process. */
	if (socket_path[0] != '\0' && strchr(socket_path, '\n') == NULL)
		length +=
		    snprintf(text + length, sizeof text - (size_t)length, "listening unix:%s\n",
			realpath(socket_path, path) != NULL ? path : socket_path);
	length += snprintf(text + length, sizeof text - (size_t)length, "end\n");
	replace(text, (size_t)length);
}

void announce_refusal(const char *reason)
{
	char text[600];
	int length = snprintf(text, sizeof text, "gcspy 1\nrefused %.500s\nend\n", reason);
	for (char *at = text + strlen("gcspy 1\n"); at < text + length - strlen("\nend\n"); at++)
		if (*at == '\n')
			*at = ' ';
	replace(text, (size_t)length);
}
