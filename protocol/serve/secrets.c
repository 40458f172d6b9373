#include "secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_PEM = 1 << 20 };

/* The whole file as a text, or NULL with the reason. */
static char *read_pem(const char *option, const char *path, struct gcs_error *err)
{
	struct stat st;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = fd == -1 ? NULL : malloc(LARGEST_PEM + 1);
	ssize_t n = -1;
	if (text != NULL && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		n = read(fd, text, LARGEST_PEM);
	if (n <= 0) {
		gcs_fail(err, GCS_ARGUMENT, "%s %.200s: %s", option, path,
		    fd == -1 ? strerror(errno) : "not a file with a text in it");
		free(text);
		text = NULL;
	} else {
		text[n] = '\0';
	}
	if (fd != -1)
		close(fd);
	return text;
}

static bool read_certificate(
    const struct secret_files *files, struct http_secrets *to, struct gcs_error *err)
{
	to->cert = read_pem("--tls-cert", files->paths[0], err);
	to->key = to->cert == NULL ? NULL : read_pem("--tls-key", files->paths[1], err);
	return to->key != NULL;
}

static void free_certificate(struct http_secrets *of)
{
	free(of->cert);
	free(of->key);
	of->cert = of->key = NULL;
}

static bool read_token(
    const char *option, const char *path, char token[GCS_MAX_TOKEN + 1], struct gcs_error *err)
{
	char warning[GCS_TOKEN_WARNING];
	struct gcs_error why;
	if (gcs_token_read(path, token, warning, &why) != GCS_OK)
		return gcs_fail(err, why.status, "%s: %s", option, why.text), false;
	if (warning[0] != '\0')
		cli_warn("warning: %s", warning);
	return true;
}

bool secrets_token(const char *option, const char *path, char token[GCS_MAX_TOKEN + 1])
{
	struct gcs_error err;
	if (path == NULL || read_token(option, path, token, &err))
		return true;
	return cli_usage("%s", err.text), false;
}

static void stamp(const struct secret_files *files, struct secret_stamp now[2])
{
	memset(now, 0, 2 * sizeof *now);
	for (int i = 0; i < 2; i++) {
		struct stat st;
		if (files->paths[i] != NULL && stat(files->paths[i], &st) == 0)
			now[i] = (struct secret_stamp){(uint64_t)st.st_dev, (uint64_t)st.st_ino,
			    (int64_t)st.st_size,
			    (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
	}
}

bool secrets_read(struct secrets *s, const struct cli_arguments *a)
{
	struct gcs_error err;
	s->token.paths[0] = a->token_file;
	s->certificate.paths[0] = a->tls_cert;
	s->certificate.paths[1] = a->tls_key;
	stamp(&s->token, s->token.read);
	stamp(&s->certificate, s->certificate.read);
	if (!secrets_token("--token-file", a->token_file, s->are.token))
		return false;
	if ((a->tls_cert == NULL) != (a->tls_key == NULL))
		return cli_usage("--tls-cert and --tls-key need each other"), false;
	if (a->tls_cert == NULL || read_certificate(&s->certificate, &s->are, &err))
		return true;
	return cli_usage("%s", err.text), false;
}

void secrets_free(struct secrets *s)
{
	free_certificate(&s->are);
}

/* A file that has changed just now may be half written, and a certificate's key not yet. */
static bool have_changed(struct secret_files *files)
{
	struct secret_stamp now[2];
	stamp(files, now);
	const bool steady = memcmp(now, files->seen, sizeof now) == 0;
	memcpy(files->seen, now, sizeof now);
	if (!steady || memcmp(now, files->read, sizeof now) == 0)
		return false;
	memcpy(files->read, now, sizeof now);
	return true;
}

void secrets_look(struct secrets *s, struct http *http)
{
	struct http_secrets other = {.cert = NULL};
	struct gcs_error err;
	if (have_changed(&s->token)) {
		if (read_token("--token-file", s->token.paths[0], other.token, &err))
			http_set_token(http, other.token);
		else
			cli_warn("%s; the token before is kept", err.text);
	}
	if (have_changed(&s->certificate)) {
		if (!read_certificate(&s->certificate, &other, &err) ||
		    !http_set_certificate(http, other.cert, other.key, &err))
			cli_warn("%s; the certificate before is kept", err.text);
		free_certificate(&other);
	}
}
