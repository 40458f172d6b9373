#include <gcspy/token.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The line's end may take two more bytes, and one more shows that the line is too long. */
enum { LOOK_AT = GCS_MAX_TOKEN + 3 };

enum gcs_status gcs_token_read(
    const char *path, char token[GCS_MAX_TOKEN + 1], struct gcs_error *err)
{
	char line[LOOK_AT];
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return gcs_fail(
		    err, GCS_IO, "cannot read token file %.200s: %s", path, strerror(errno));
	errno = 0;
	size_t length = fread(line, 1, sizeof line, file);
	int error = ferror(file) ? errno : 0;
	fclose(file);
	if (error != 0)
		return gcs_fail(
		    err, GCS_IO, "cannot read token file %.200s: %s", path, strerror(error));
	const char *end = memchr(line, '\n', length);
	size_t used = end == NULL ? length : (size_t)(end - line);
	if (end != NULL && used != 0 && line[used - 1] == '\r')
		used--;
	if (used == 0 || used > GCS_MAX_TOKEN || memchr(line, '\0', used) != NULL)
		return gcs_fail(err, GCS_ARGUMENT,
		    "token file %.200s: its first line must have 1 to %u bytes, none of them zero",
		    path, GCS_MAX_TOKEN);
	memcpy(token, line, used);
	token[used] = '\0';
	memset(line, 0, sizeof line);
	return GCS_OK;
}
