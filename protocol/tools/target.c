#define _XOPEN_SOURCE 700 /* realpath. NOLINT(bugprone-reserved-identifier) */

#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(const struct target *t, int error)
{
	return cli_fail("cannot write %s: %s", t->path, strerror(error));
}

/* A new file takes the mode that open(2) would have given it. */
static void set_mode(const struct target *t, int fd)
{
	struct stat st;
	mode_t mask = umask(0);
	umask(mask);
	mode_t mode = stat(t->place, &st) == 0 ? st.st_mode & 07777u : 0666u & ~mask;
	(void)fchmod(fd, mode);
}

static int open_file(struct target *t)
{
	struct stat st;
	bool there = stat(t->path, &st) == 0;
	if (there && !S_ISREG(st.st_mode))
		return open(t->path, O_WRONLY | O_CLOEXEC);
	/* A link keeps pointing to its file. */
	if (!there || realpath(t->path, t->place) == NULL) {
		if (strlen(t->path) >= sizeof t->place) {
			errno = ENAMETOOLONG;
			return -1;
		}
		snprintf(t->place, sizeof t->place, "%s", t->path);
	}
	int n = snprintf(t->temporary, sizeof t->temporary, "%.*s.XXXXXX", PATH_MAX - 8, t->place);
	int fd = n < (int)sizeof t->temporary ? mkstemp(t->temporary) : -1;
	if (fd == -1)
		t->temporary[0] = '\0';
	else
		set_mode(t, fd);
	return fd;
}

int target_open(struct target *t, const char *path, struct out *standard)
{
	t->path = path;
	t->out = standard;
	t->place[0] = t->temporary[0] = '\0';
	if (path == NULL)
		return CLI_DONE;
	int fd = open_file(t);
	if (fd == -1)
		return cannot(t, errno);
	out_init(&t->file, fd);
	t->out = &t->file;
	return CLI_DONE;
}

static bool take(void *context, const void *bytes, size_t length)
{
	struct out *out = context;
	out_bytes(out, bytes, length);
	return out->error == 0;
}

struct gcs_sink target_sink(struct target *t)
{
	return (struct gcs_sink){.write = take, .context = t->out};
}

int target_close(struct target *t, bool good, int code)
{
	if (t->path == NULL)
		return t->out->error != 0 ? cli_output_failed(t->out) : code;
	int error = out_flush(&t->file) ? 0 : t->file.error;
	if (close(t->file.fd) != 0 && error == 0)
		error = errno;
	if (t->temporary[0] == '\0')
		return error == 0 ? code : cannot(t, error);
	if (good && error == 0 && rename(t->temporary, t->place) != 0)
		error = errno;
	if (!good || error != 0)
		unlink(t->temporary);
	return error == 0 ? code : cannot(t, error);
}
