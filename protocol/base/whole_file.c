#define _XOPEN_SOURCE 700 /* realpath. NOLINT(bugprone-reserved-identifier) */

#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "now.h"

enum { TRIES = 100 };

enum slot_state { FREE, TAKEN, NAMED };

/* Read by the signal handler at any time: a path is complete when the state is NAMED. */
static struct {
	atomic_int state;
	char path[PATH_MAX];
} slots[WHOLE_FILES];

static atomic_bool ending;

static void remove_all(void)
{
	int error = errno;
	atomic_store(&ending, true);
	for (int i = 0; i < WHOLE_FILES; i++)
		if (atomic_load(&slots[i].state) == NAMED)
			unlink(slots[i].path);
	errno = error;
}

static void on_signal(int number)
{
	remove_all();
	raise(number); /* with the default action, after this handler */
}

void whole_files_guard(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, before;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
	(void)atexit(remove_all);
}

static int take_slot(void)
{
	for (int i = 0; i < WHOLE_FILES; i++) {
		int expected = FREE;
		if (atomic_compare_exchange_strong(&slots[i].state, &expected, TAKEN))
			return i;
	}
	errno = EMFILE;
	return -1;
}

/* The path is known to the handler before the file exists. Skips names that exist. */
static int create(struct whole_file *file, mode_t mode)
{
	static atomic_uint count;
	char *path = slots[file->slot].path;
	int fd = -1;
	for (int i = 0; i < TRIES && fd == -1; i++) {
		unsigned number = (unsigned)now_ns() ^ (unsigned)getpid() << 12 ^
				  atomic_fetch_add(&count, 1) << 20;
		atomic_store(&slots[file->slot].state, TAKEN);
		if (snprintf(path, PATH_MAX, "%s.%06x", file->place, number & 0xffffffu) >=
		    PATH_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		atomic_store(&slots[file->slot].state, NAMED);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd == -1 && errno != EEXIST)
			return -1;
	}
	if (fd != -1 && atomic_load(&ending))
		unlink(path);
	return fd;
}

int whole_file_open(struct whole_file *file, const char *path, mode_t mode)
{
	struct stat st;
	const bool there = stat(path, &st) == 0;
	file->slot = -1;
	if (there && !S_ISREG(st.st_mode))
		return open(path, O_WRONLY | O_CLOEXEC);
	if (!there || realpath(path, file->place) == NULL) {
		if (strlen(path) >= sizeof file->place) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(file->place, path, strlen(path) + 1);
	}
	file->slot = take_slot();
	if (file->slot == -1)
		return -1;
	int fd = create(file, mode);
	if (fd == -1) {
		atomic_store(&slots[file->slot].state, FREE);
		file->slot = -1;
	} else if (there) {
		(void)fchmod(fd, st.st_mode & 07777);
	}
	return fd;
}

bool whole_file_close(struct whole_file *file, bool good)
{
	if (file->slot == -1)
		return true;
	const char *temporary = slots[file->slot].path;
	const bool done = good && rename(temporary, file->place) == 0;
	const int error = errno;
	if (!done)
		unlink(temporary);
	atomic_store(&slots[file->slot].state, FREE);
	file->slot = -1;
	errno = error;
	return done || !good;
}

FILE *whole_file_stream(struct whole_file *file, const char *path, mode_t mode)
{
	int fd = whole_file_open(file, path, mode);
	FILE *stream = fd == -1 ? NULL : fdopen(fd, "wb");
	if (stream == NULL && fd != -1) {
		int error = errno;
		close(fd);
		whole_file_close(file, false);
		errno = error;
	}
	return stream;
}

bool whole_file_finish(struct whole_file *file, FILE *stream, bool good)
{
	const bool closed = fclose(stream) == 0;
	const int error = errno;
	const bool placed = whole_file_close(file, good && closed);
	if (!closed)
		errno = error;
	return closed && placed;
}
