#include "output_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_is_free(const char *path, bool force, int *code)
{
	struct stat st;
	*code = CLI_DONE;
	if (path == NULL || stat(path, &st) != 0)
		return true;
	if (!S_ISREG(st.st_mode))
		*code = cli_fail("%s is not a regular file", path);
	else if (!force)
		*code = cli_fail("%s exists; --force replaces it", path);
	return *code == CLI_DONE;
}

static int cannot(const struct target *t, int error)
{
	return cli_fail("cannot write %s: %s", t->path, strerror(error));
}

int target_open(struct target *t, const char *path, struct out *standard)
{
	t->path = path;
	t->out = standard;
	if (path == NULL)
		return CLI_DONE;
	int fd = whole_file_open(&t->whole, path, 0666);
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
	if (!whole_file_close(&t->whole, good && error == 0) && error == 0)
		error = errno;
	return error == 0 ? code : cannot(t, error);
}
