/* The token's file (Q1). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/token.h>

static struct gcs_error err;
static char token[GCS_MAX_TOKEN + 1];
static char path[] = "/tmp/gcspy-token-XXXXXX";

static enum gcs_status read_bytes(const char *content, size_t length)
{
	int fd = mkstemp(path);
	cr_assert_neq(fd, -1);
	cr_assert_eq(write(fd, content, length), (ssize_t)length);
	close(fd);
	memset(token, 'x', sizeof token);
	enum gcs_status status = gcs_token_read(path, token, &err);
	remove(path);
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	return status;
}

static enum gcs_status read_text(const char *content)
{
	return read_bytes(content, strlen(content));
}

Test(token, is_the_first_line)
{
	static const char *const files[] = {"secret", "secret\n", "secret\r\n", "secret\nmore\n"};
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		cr_assert_eq(read_text(files[i]), GCS_OK, "%s", err.text);
		cr_assert_str_eq(token, "secret");
	}
	cr_assert_eq(read_text(" two words \n"), GCS_OK);
	cr_assert_str_eq(token, " two words ", "blanks belong to it");
}

Test(token, has_limits)
{
	char text[400];
	memset(text, 't', sizeof text);
	for (size_t length = 253; length < 260; length++) {
		for (int ending = 0; ending < 3; ending++) {
			static const char *const endings[] = {"", "\n", "\r\n"};
			memset(text, 't', sizeof text);
			memcpy(text + length, endings[ending], strlen(endings[ending]));
			enum gcs_status status = read_bytes(text, length + strlen(endings[ending]));
			cr_assert_eq(status, length <= GCS_MAX_TOKEN ? GCS_OK : GCS_ARGUMENT,
			    "%zu bytes and ending %d", length, ending);
			if (status == GCS_OK)
				cr_assert_eq(strlen(token), length);
			else
				cr_assert_null(strstr(err.text, "ttt"), "the secret is not told");
		}
	}
	cr_assert_eq(read_text(""), GCS_ARGUMENT);
	cr_assert_eq(read_text("\nsecret"), GCS_ARGUMENT);
	cr_assert_eq(read_text("\r\n"), GCS_ARGUMENT);
	cr_assert_eq(read_bytes("a\0b\n", 4), GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, "1 to 255 bytes"));
}

Test(token, needs_a_file)
{
	cr_assert_eq(gcs_token_read("/nowhere/at/all", token, &err), GCS_IO);
	cr_assert_not_null(strstr(err.text, "/nowhere/at/all"));
	cr_assert_eq(gcs_token_read("/tmp", token, &err), GCS_IO, "a folder is none");
	cr_assert_eq(gcs_token_read("/tmp", token, NULL), GCS_IO);
}
