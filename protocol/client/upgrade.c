#include "upgrade.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "now.h"

enum { REQUEST_BYTES = 2600, HEAD_BYTES = 4096, LINE_BYTES = 300 };
enum { TLS_ALERT = 0x15, TLS_HANDSHAKE = 0x16 }; /* first byte of a record */

struct upgrade {
	const struct served_address *address;
	int fd, cancel;
	uint64_t deadline_ns;
	struct gcs_error *err;
};

/* Waits until the descriptor is ready; false with the reason. */
static bool ready(const struct upgrade *u, short events)
{
	const uint64_t now = now_ns();
	struct pollfd p[2] = {{.fd = u->fd, .events = events}, {.fd = u->cancel, .events = POLLIN}};
	if (now < u->deadline_ns && poll(p, 2, (int)((u->deadline_ns - now) / 1000000u) + 1) > 0 &&
	    p[1].revents == 0)
		return true;
	if (now_ns() < u->deadline_ns && p[1].revents == 0)
		return true; /* a signal */
	gcs_fail(
	    u->err, GCS_TIMEOUT, "%.200s: no answer to the request for the JVM", u->address->host);
	return false;
}

static bool send_all(const struct upgrade *u, const char *bytes, size_t length)
{
	while (length != 0) {
		const long n = net_write(u->fd, bytes, length);
		if (n < 0) {
			gcs_fail(
			    u->err, GCS_CLOSED, "%.200s closed the connection", u->address->host);
			return false;
		}
		bytes += n;
		length -= (size_t)n;
		if (n == 0 && !ready(u, POLLOUT))
			return false;
	}
	return true;
}

/* Reads up to `end`, and not a byte more: what follows belongs to the JVM. */
static bool read_until(const struct upgrade *u, const char *end, char *text, size_t size)
{
	const size_t tail = strlen(end);
	size_t length = 0;
	while (length < tail || memcmp(text + length - tail, end, tail) != 0) {
		const long n = length + 1 < size ? net_read(u->fd, text + length, 1) : -1;
		if (n < 0) {
			text[length] = '\0';
			gcs_fail(u->err, GCS_FOREIGN,
			    text[0] == TLS_ALERT || text[0] == TLS_HANDSHAKE
				? "%.200s speaks TLS: use https://"
				: "%.200s does not answer as gcspy serve does",
			    u->address->host);
			return false;
		}
		length += (size_t)n;
		if (n == 0 && !ready(u, POLLIN))
			return false;
	}
	text[length] = '\0';
	return true;
}

static bool is_accepted(const struct upgrade *u)
{
	char head[HEAD_BYTES], line[LINE_BYTES];
	if (!read_until(u, "\r\n\r\n", head, sizeof head))
		return false;
	if (strncmp(head, "HTTP/1.1 101 ", 13) == 0)
		return true;
	/* The answer is one line that says why. */
	struct gcs_error ignored;
	struct upgrade quiet = *u;
	quiet.err = &ignored;
	const bool says =
	    strncmp(head, "HTTP/1.", 7) == 0 && read_until(&quiet, "\n", line, sizeof line);
	if (says)
		line[strlen(line) - 1] = '\0';
	head[strcspn(head, "\r\n")] = '\0';
	gcs_fail(u->err, GCS_REJECTED, "%.200s: %.250s", u->address->host, says ? line : head);
	for (char *c = u->err->text; *c != '\0'; c++)
		*c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
	return false;
}

int upgrade_connect(const struct served_address *a, const char *token, uint32_t timeout_ms,
    int cancel, struct gcs_error *err)
{
	char request[REQUEST_BYTES];
	struct upgrade u = {.address = a,
	    .cancel = cancel,
	    .deadline_ns = now_ns() + (uint64_t)timeout_ms * 1000000u,
	    .err = err};
	const int length = snprintf(request, sizeof request,
	    "GET /connect?instance=%s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\n"
	    "Upgrade: gcspy\r\n%s%s%s\r\n",
	    a->target, a->host, *token == '\0' ? "" : "Authorization: Bearer ", token,
	    *token == '\0' ? "" : "\r\n");
	if (length < 0 || (size_t)length >= sizeof request ||
	    strcspn(token, "\r\n") != strlen(token)) {
		gcs_fail(err, GCS_ARGUMENT, "the token does not fit into an HTTP request");
		return -1;
	}
	u.fd = a->tls ? upgrade_tls(a->host, timeout_ms, err)
		      : net_connect(&a->server, timeout_ms, cancel, err);
	if (u.fd == -1 || (send_all(&u, request, (size_t)length) && is_accepted(&u)))
		return u.fd;
	net_close(u.fd);
	return -1;
}
