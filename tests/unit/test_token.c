/* The token's file (Q1). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	enum gcs_status status = gcs_token_read(path, token, NULL, &err);
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
	cr_assert_eq(gcs_token_read("/nowhere/at/all", token, NULL, &err), GCS_IO);
	cr_assert_not_null(strstr(err.text, "/nowhere/at/all"));
	cr_assert_eq(gcs_token_read("/tmp", token, NULL, &err), GCS_IO, "a folder is none");
	cr_assert_eq(gcs_token_read("/tmp", token, NULL, NULL), GCS_IO);
}

/* It would keep the JVM waiting for a writer, or give each reader another part. */
Test(token, is_not_read_from_a_fifo, .timeout = 10)
{
	char folder[] = "/tmp/gcspy-token-XXXXXX", fifo[64], warning[GCS_TOKEN_WARNING];
	cr_assert_not_null(mkdtemp(folder));
	snprintf(fifo, sizeof fifo, "%s/fifo", folder);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	cr_assert_eq(gcs_token_read(fifo, token, warning, &err), GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, fifo));
	cr_assert_not_null(strstr(err.text, "regular file"));
	cr_assert_eq(gcs_token_read("/dev/zero", token, NULL, NULL), GCS_ARGUMENT);
	cr_assert_eq(remove(fifo), 0);
	cr_assert_eq(rmdir(folder), 0);
}

Test(token, others_who_may_read_it_are_warned_of)
{
	static const struct {
		mode_t mode;
		bool warns;
	} table[] = {
	    {0600, false}, {0400, false}, {0640, true}, {0604, true}, {0644, true}, {0622, false}};
	char warning[GCS_TOKEN_WARNING];
	int fd = mkstemp(path);
	cr_assert_eq(write(fd, "secret\n", 7), 7);
	close(fd);
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		cr_assert_eq(chmod(path, table[i].mode), 0);
		memset(warning, 'w', sizeof warning);
		cr_assert_eq(gcs_token_read(path, token, warning, &err), GCS_OK, "%s", err.text);
		cr_assert_eq(warning[0] != '\0', table[i].warns, "%04o", (unsigned)table[i].mode);
		cr_assert_null(strstr(warning, "secret"));
		if (table[i].warns)
			cr_assert_not_null(strstr(warning, path));
	}
	remove(path);
}

/* As a secret in Kubernetes: root's, for the group of a program that is not root's. */
Test(token, a_group_that_root_gives_it_to_is_not_warned_of)
{
	enum { NOBODY = 65534, DAEMON = 1 };
	static const struct {
		uid_t owner, reader;
		mode_t mode;
		bool warns;
	} table[] = {{0, NOBODY, 0440, false}, {0, NOBODY, 0444, true}, {0, NOBODY, 0404, true},
	    {0, 0, 0440, true}, {DAEMON, NOBODY, 0440, true}, {NOBODY, NOBODY, 0440, true}};
	char warning[GCS_TOKEN_WARNING];
	if (geteuid() != 0)
		cr_skip_test("only root can be another user");
	int fd = mkstemp(path);
	cr_assert_eq(write(fd, "secret\n", 7), 7);
	cr_assert_eq(setegid(NOBODY), 0);
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		cr_assert_eq(fchown(fd, table[i].owner, table[i].mode == 0404 ? 0 : NOBODY), 0);
		cr_assert_eq(fchmod(fd, table[i].mode), 0);
		cr_assert_eq(seteuid(table[i].reader), 0);
		cr_assert_eq(gcs_token_read(path, token, warning, &err), GCS_OK, "%s", err.text);
		cr_assert_eq(warning[0] != '\0', table[i].warns, "%zu", i);
		cr_assert_eq(seteuid(0), 0);
	}
	close(fd);
	remove(path);
}
