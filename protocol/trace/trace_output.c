#include "trace_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "own_files.h"

enum { MOST_NUMBERS = 9999 };

static int open_new(const char *path, bool replace)
{
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? 0 : O_EXCL), 0600);
}

/* Locks a regular file, and empties it. The kernel unlocks it when its last descriptor is closed, however the
 * process ends. A file system without locks is no reason not to record. */
static bool claim(int fd, bool regular)
{
	if (!regular)
		return true;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return false;
	return ftruncate(fd, 0) == 0;
}

bool trace_output_open(struct trace_output *o, const struct gcs_trace_options *options)
{
	const size_t room = strlen(options->path) + 8;
	struct stat st;
	o->path = gcs_alloc(room);
	if (o->path == NULL) {
		errno = ENOMEM;
		return false;
	}
	snprintf(o->path, room, "%s", options->path);
	o->fd = open_new(o->path, options->replace);
	for (int i = 1; o->fd == -1 && errno == EEXIST && options->number && i <= MOST_NUMBERS;
	     i++) {
		snprintf(o->path, room, "%s.%d", options->path, i);
		o->fd = open_new(o->path, false);
	}
	if (o->fd == -1)
		return false;
	const bool regular = fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode);
	if (!claim(o->fd, regular)) {
		const int why = errno;
		close(o->fd);
		errno = why;
		return false;
	}
	o->fd = own_files_add(o->fd);
	/* A file without a name may be intended, such as /dev/fd/3 of a temporary one. */
	o->named = regular && st.st_nlink != 0;
	return true;
}

int trace_output_close(struct trace_output *o)
{
	/* A child of fork may have it open. */
	if (own_files_has(o->fd))
		(void)flock(o->fd, LOCK_UN);
	return own_files_close(o->fd);
}

bool trace_output_write(const struct trace_output *o, const uint8_t *bytes, size_t length)
{
	if (!own_files_has(o->fd)) {
		errno = EBADF;
		return false;
	}
	while (length != 0) {
		const ssize_t n = write(o->fd, bytes, length);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? ENOSPC : errno;
			return false;
		}
		bytes += n;
		length -= (size_t)n;
	}
	return true;
}

enum trace_file trace_output_state(const struct trace_output *o)
{
	struct stat now, named;
	if (!o->named || fstat(o->fd, &now) != 0)
		return TRACE_FILE_THERE;
	if (now.st_nlink == 0)
		return TRACE_FILE_REMOVED;
	if (stat(o->path, &named) != 0)
		return errno == ENOENT || errno == ENOTDIR ? TRACE_FILE_MOVED : TRACE_FILE_THERE;
	return named.st_dev == now.st_dev && named.st_ino == now.st_ino ? TRACE_FILE_THERE
									: TRACE_FILE_MOVED;
}
