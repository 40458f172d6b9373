#include "output_file.h"

#include <errno.h>
#include <stdio.h>
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

int output_settle(struct cli_arguments *a, unsigned formats)
{
	enum gcs_export_format guessed = GCS_EXPORT_TEXT;
	char list[100] = "";
	if (a->format != GCS_EXPORT_FORMAT_COUNT)
		return CLI_DONE;
	if (a->output != NULL)
		(void)gcs_export_guess(a->output, &guessed);
	a->format = guessed;
	if ((formats & 1u << guessed) != 0)
		return CLI_DONE;
	for (unsigned i = 0; i < GCS_EXPORT_FORMAT_COUNT; i++)
		if ((formats & 1u << i) != 0)
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
			    list[0] == '\0' ? "" : ", ",
			    gcs_export_word((enum gcs_export_format)i));
	return cli_usage("-o %s: the command does not write %s, only %s; --format chooses one",
	    a->output, gcs_export_word(guessed), list);
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
