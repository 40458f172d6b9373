/* memfd_create. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "malloc_announce.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Kept open until the process ends or executes another program, unless the program closes it. */
static int file = -1;
static struct stat noted;

/* Above the numbers that the program would have without us, if the limit allows it. */
static int move_up(int fd)
{
	static const int lowest[] = {1024, 512, 128};
	int moved = -1;
	for (size_t i = 0; moved == -1 && i < sizeof lowest / sizeof lowest[0]; i++)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest[i]);
	if (moved == -1)
		return fd;
	close(fd);
	return moved;
}

void announce_listening(const char *tcp, const char *path)
{
	char text[4096], folder[2048] = "";
	int length = snprintf(text, sizeof text, "gcspy 1\nnative heap\n");
	if (tcp[0] != '\0')
		length +=
		    snprintf(text + length, sizeof text - (size_t)length, "listening %s\n", tcp);
	/* A relative path means nothing in another process. */
	if (path[0] != '\0' && path[0] != '/' && getcwd(folder, sizeof folder - 1) != NULL)
		strcat(folder, "/");
	if (path[0] != '\0' && strchr(path, '\n') == NULL)
		length += snprintf(text + length, sizeof text - (size_t)length,
		    "listening unix:%s%s\n", folder, path);
	if (length + 4 > (int)sizeof text)
		return;
	memcpy(text + length, "end\n", 4);
	file = memfd_create("gcspy-announcement", MFD_CLOEXEC);
	if (file == -1)
		return;
	file = move_up(file);
	(void)fchmod(file, 0600);
	(void)fstat(file, &noted);
	(void)!write(file, text, (size_t)length + 4);
}

void announce_forget(void)
{
	struct stat now;
	if (file != -1 && fstat(file, &now) == 0 && now.st_dev == noted.st_dev &&
	    now.st_ino == noted.st_ino)
		close(file);
	file = -1;
}
