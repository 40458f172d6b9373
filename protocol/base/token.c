#include <gcspy/token.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two more bytes for the end of the line, and one to detect a longer line. */
enum { READ_BYTES = GCS_MAX_TOKEN + 3 };

/* A group may read what root gives to a program that is not root's: it has no other way to, as of a secret in
 * Kubernetes, and who belongs to the group is for root to say. */
static bool others_can_read(const struct stat *st)
{
	const bool given = st->st_uid == 0 && geteuid() != 0;
	return (st->st_mode & S_IROTH) != 0 || ((st->st_mode & S_IRGRP) != 0 && !given);
}

/* Returns the number of bytes, or -1 with an error. */
static ssize_t read_line(
    const char *path, char line[READ_BYTES], char *warning, struct gcs_error *err)
{
	struct stat st;
	ssize_t length = -1;
	/* Opening a FIFO would wait for its writer, and a device may do anything. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd == -1 || fstat(fd, &st) != 0) {
		gcs_fail(err, GCS_IO, "cannot read token file %.200s: %s", path, strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		gcs_fail(err, GCS_IO, "cannot read token file %.200s: %s", path, strerror(EISDIR));
	} else if (!S_ISREG(st.st_mode)) {
		gcs_fail(err, GCS_ARGUMENT, "token file %.200s: not a regular file", path);
	} else {
		length = read(fd, line, READ_BYTES);
		if (length == -1)
			gcs_fail(err, GCS_IO, "cannot read token file %.200s: %s", path,
			    strerror(errno));
		if (warning != NULL && others_can_read(&st))
			snprintf(warning, GCS_TOKEN_WARNING,
			    "other users can read the token in %.200s (mode %04o); chmod 600 "
			    "prevents it",
			    path, (unsigned)(st.st_mode & 07777));
	}
	if (fd != -1)
		close(fd);
	return length;
}

enum gcs_status gcs_token_read(const char *path, char token[GCS_MAX_TOKEN + 1],
    char warning[GCS_TOKEN_WARNING], struct gcs_error *err)
{
	char line[READ_BYTES];
	struct gcs_error local;
	if (err == NULL)
		err = &local;
	if (warning != NULL)
		warning[0] = '\0';
	const ssize_t got = read_line(path, line, warning, err);
	if (got < 0)
		return err->status;
	const size_t length = (size_t)got;
	const char *end = memchr(line, '\n', length);
	size_t used = end == NULL ? length : (size_t)(end - line);
	if (end != NULL && used != 0 && line[used - 1] == '\r')
		used--;
	if (used == 0 || used > GCS_MAX_TOKEN || memchr(line, '\0', used) != NULL)
		return gcs_fail(err, GCS_ARGUMENT,
		    "token file %.200s: the first line must have 1 to %u bytes, none of them zero",
		    path, GCS_MAX_TOKEN);
	memcpy(token, line, used);
	token[used] = '\0';
	memset(line, 0, sizeof line);
	return GCS_OK;
}
